//! Which item a write names, and whether key values are what they have to be.

use dynamometer_types::{AttributeValue, Item, KeyAttribute, KeySchema};

use super::error::StatementError;
use crate::condition::{Comparator, Condition, Operand};

/// A condition taken apart: the key that it pins, and what else it asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitKey {
    /// The key attributes that it pins, each to the first value that it names.
    pub key: Item,
    /// Everything else; `None` when there is nothing else.
    pub rest: Option<Condition>,
    /// The first key attribute that it pins to two values; the second is part of the rest.
    pub conflict: Option<String>,
}

/// Takes the equalities on key attributes out of a condition: those that stand on their own or are joined by AND. An
/// IN does not count, of however few values.
///
/// # Source
/// Measured on AWS: an equality may stand twice, and in parentheses.
pub fn split_key(condition: Option<&Condition>, schema: &KeySchema) -> SplitKey {
    let mut split = SplitKey { key: Item::new(), rest: None, conflict: None };
    let mut rest = Vec::new();
    if let Some(condition) = condition {
        take(condition, schema, &mut split, &mut rest);
    }
    split.rest = match rest.len() {
        0 | 1 => rest.pop(),
        _ => Some(Condition::And(rest)),
    };
    split
}

fn take(condition: &Condition, schema: &KeySchema, split: &mut SplitKey, rest: &mut Vec<Condition>) {
    if let Condition::And(all) = condition {
        return all.iter().for_each(|one| take(one, schema, split, rest));
    }
    let Some((name, value)) = equality(condition).filter(|(name, _)| schema.contains(name)) else {
        return rest.push(condition.clone());
    };
    match split.key.get(name) {
        None => drop(split.key.insert(name, value.clone())),
        Some(known) if known == value => {}
        Some(_) => {
            split.conflict.get_or_insert_with(|| name.to_owned());
            rest.push(condition.clone());
        }
    }
}

/// The attribute and the value of `attribute = value`, either way round.
fn equality(condition: &Condition) -> Option<(&str, &AttributeValue)> {
    match condition {
        Condition::Compare { left, comparator: Comparator::Equal, right } => match (left, right) {
            (Operand::Path(path), Operand::Value(value)) | (Operand::Value(value), Operand::Path(path)) => {
                (!path.is_nested()).then_some((path.name(), value))
            }
            _ => None,
        },
        _ => None,
    }
}

/// AWS's words for a key attribute of another type than the table's.
pub fn key_mismatch(name: &str) -> String {
    format!("Key attribute's data type should match its data type in table's schema: Key {name}")
}

/// Checks the key of a write against its table, in PartiQL's words.
///
/// # Errors
/// AWS's words for the first value that is not of its type.
pub fn check_key_types(key: &Item, schema: &KeySchema) -> Result<(), StatementError> {
    schema
        .attributes()
        .try_for_each(|attribute| check_key_value(attribute, key.get(&attribute.name).into_iter()))
}

/// Checks that values are of the type of a key attribute.
pub(super) fn check_key_value<'v>(
    attribute: &KeyAttribute,
    values: impl Iterator<Item = &'v AttributeValue>,
) -> Result<(), StatementError> {
    let name = &attribute.name;
    for value in values {
        let kind = value.value_type();
        if !kind.can_be_key() {
            return Err(StatementError::new(format!(
                "Key value must be of type S, N, or B. Key name: {name}, Key type: {}",
                kind.name()
            )));
        }
        if !attribute.scalar_type.admits(value) {
            return Err(StatementError::new(key_mismatch(name)));
        }
    }
    Ok(())
}

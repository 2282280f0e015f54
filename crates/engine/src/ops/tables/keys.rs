//! Key schemas and attribute definitions: the checks that CreateTable and UpdateTable share.

use dynamometer_types::ApiError;

use super::{invalid, print, text};
use crate::api::{AttributeDefinition, Given, KeySchemaElement, KeyType};
use crate::catalog::record::{AttributeDefinitionRecord, KeySchemaElementRecord};
use crate::validate::members::{Findings, Rule, Seen};

/// Whose key schema it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A table's or a local index's: one partition key, at most one sort key.
    Plain,
    /// A global index's: up to four of each.
    Global,
}

/// Attributes of one kind in the key of a global index.
const GLOBAL_KEY_ATTRIBUTES: usize = 4;

/// Refuses a key schema that is too long for its owner. AWS words it as a member constraint of a `keySchema` on
/// its own, whosever it is.
pub(crate) fn check_length(schema: &[KeySchemaElement], owner: Owner) -> Result<(), ApiError> {
    let most = if owner == Owner::Plain { 2 } else { 2 * GLOBAL_KEY_ATTRIBUTES as u64 };
    let echo = || print::key_schema(schema);
    let mut findings = Findings::new();
    findings.member("keySchema", Seen::Many(schema.len(), &echo), &[Rule::MaxLength(most)]);
    findings.finish()
}

/// Checks a key schema whose members are well-formed, and that its attributes are defined.
pub(crate) fn check_schema(
    schema: &[KeySchemaElement],
    owner: Owner,
    definitions: &[AttributeDefinition],
) -> Result<(), ApiError> {
    let names = key_names(schema);
    let defined = defined_names(definitions);
    if names.len() > defined.len() {
        return refuse("Invalid KeySchema: Some index key attribute have no definition");
    }
    if names.iter().any(|name| !defined.contains(name)) {
        let (keys, definitions) = (print::hash_set(&names, names.len()), print::hash_set(&defined, 16));
        return Err(invalid(format!(
            "Some index key attributes are not defined in AttributeDefinitions. Keys: {keys}, \
             AttributeDefinitions: {definitions}"
        )));
    }
    if first_repeat(&names).is_some() {
        return refuse(match owner {
            Owner::Global => "The KeySchema contains multiple key attributes with the same name",
            Owner::Plain => "Both the Hash Key and the Range Key element in the KeySchema have the same name",
        });
    }
    check_kinds(schema, owner)
}

fn check_kinds(schema: &[KeySchemaElement], owner: Owner) -> Result<(), ApiError> {
    let kinds: Vec<KeyType> = kinds(schema).collect();
    if kinds.first() != Some(&KeyType::Hash) {
        return refuse("Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
    }
    if owner == Owner::Plain && kinds.get(1).is_some_and(|kind| *kind != KeyType::Range) {
        return refuse("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
    }
    for kind in [KeyType::Hash, KeyType::Range] {
        if kinds.iter().filter(|found| **found == kind).count() > GLOBAL_KEY_ATTRIBUTES {
            let kind = kind.name();
            return Err(invalid(format!(
                "The KeySchema exceeds the maximum allowed number of {kind} key attributes"
            )));
        }
    }
    if kinds.windows(2).any(|pair| pair == [KeyType::Range, KeyType::Hash]) {
        return Err(invalid("All HASH key attributes must precede RANGE key attributes in the KeySchema"));
    }
    Ok(())
}

/// Checks that the definitions are of exactly the attributes that the keys of the table and its indexes use.
/// `None` for the keys of indexes is a table without indexes, of which AWS speaks otherwise.
pub(crate) fn check_all_used<'r>(
    definitions: &'r [AttributeDefinition],
    table: &'r [KeySchemaElement],
    indexes: Option<Vec<&'r [KeySchemaElement]>>,
) -> Result<(), ApiError> {
    let defined = defined_names(definitions);
    let Some(indexes) = indexes else {
        return match defined.len() == table.len() {
            true => Ok(()),
            false => Err(invalid(
                "Number of attributes in KeySchema does not exactly match number of attributes defined in \
                 AttributeDefinitions",
            )),
        };
    };
    let mut used = key_names(table);
    used.extend(indexes.into_iter().flat_map(key_names));
    if defined.iter().any(|name| !used.contains(name)) {
        let (definitions, used) = (print::hash_set(&defined, 16), print::hash_set(&used, 16));
        return Err(invalid(format!(
            "Some AttributeDefinitions are not used. AttributeDefinitions: {definitions}, keys used: {used}"
        )));
    }
    Ok(())
}

/// Checks that no attribute is defined twice.
pub(crate) fn check_defined_once(definitions: &[AttributeDefinition]) -> Result<(), ApiError> {
    match first_repeat(&defined_names(definitions)) {
        None => Ok(()),
        Some(name) => refuse(format!("Attribute Name is duplicated: {name}")),
    }
}

/// The key schema to store.
pub(crate) fn schema_records(schema: &[KeySchemaElement]) -> Vec<KeySchemaElementRecord> {
    let names = schema.iter().map(|element| text(&element.attribute_name).to_owned());
    names.zip(kinds(schema)).map(|(name, key_type)| KeySchemaElementRecord { name, key_type }).collect()
}

/// The attribute definitions to store.
pub(crate) fn definition_records(definitions: &[AttributeDefinition]) -> Vec<AttributeDefinitionRecord> {
    definitions
        .iter()
        .filter_map(|definition| {
            let attribute_type = definition.attribute_type.as_ref().and_then(Given::known)?;
            Some(AttributeDefinitionRecord {
                name: text(&definition.attribute_name).to_owned(),
                attribute_type,
            })
        })
        .collect()
}

/// The first name that stands twice.
pub(crate) fn first_repeat<'n>(names: &[&'n str]) -> Option<&'n str> {
    names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)).map(|(_, name)| *name)
}

fn key_names(schema: &[KeySchemaElement]) -> Vec<&str> {
    schema.iter().map(|element| text(&element.attribute_name)).collect()
}

fn defined_names(definitions: &[AttributeDefinition]) -> Vec<&str> {
    definitions.iter().map(|definition| text(&definition.attribute_name)).collect()
}

/// The kinds of a key's attributes; the member checks have seen to it that they are known.
fn kinds(schema: &[KeySchemaElement]) -> impl Iterator<Item = KeyType> {
    schema.iter().filter_map(|element| element.key_type.as_ref().and_then(Given::known))
}

fn refuse(message: impl Into<String>) -> Result<(), ApiError> {
    Err(ApiError::validation(message))
}

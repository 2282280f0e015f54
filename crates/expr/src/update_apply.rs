//! How an update changes an item.

use dynamometer_types::number::NumberFault;
use dynamometer_types::{AttributeValue, Item, Number, limits};

use crate::path::{Path, PathStep};
use crate::update::{Action, Change, Dialect, SetValue, Update, UpdateOperand};

/// Why an update does not fit the item that is stored. AWS never puts these into an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UpdateFault {
    /// A path leads through something that is missing, or not a map or list as the path needs it.
    #[error("The document path provided in the update expression is invalid for update")]
    DocumentPath,
    /// A stored value has a type that the operation does not take.
    #[error("An operand in the update expression has an incorrect data type")]
    OperandType,
    /// The same, of AttributeUpdates.
    #[error("Type mismatch for attribute to update")]
    AttributeType,
    /// A value that is read is missing.
    #[error("The provided expression refers to an attribute that does not exist in the item")]
    MissingAttribute,
    /// A sum or difference that is no DynamoDB number.
    #[error("{0}")]
    Number(#[from] NumberFault),
    /// The result would nest deeper than 32 levels.
    #[error("Nesting Levels have exceeded supported limits")]
    TooDeep,
}

impl UpdateFault {
    /// AWS's words.
    pub fn message(&self) -> String {
        self.to_string()
    }
}

/// What an action comes to, given the item as it was.
enum Effect {
    Put(AttributeValue),
    Remove,
    Nothing,
}

impl Update {
    /// The item after the update.
    ///
    /// `item` is the item as it is; for a new one (`is_new`) its key attributes. All operands are read from it
    /// before anything is written, and list indexes are those of its lists.
    ///
    /// # Errors
    /// An [`UpdateFault`]: operands first, in the order written, then paths, then depth.
    pub fn apply(&self, item: &Item, is_new: bool) -> Result<Item, UpdateFault> {
        let effects = self.actions.iter().map(|action| self.effect(action, item));
        let mut effects = effects
            .zip(&self.actions)
            .map(|(effect, action)| Ok((&action.path, effect?)))
            .collect::<Result<Vec<_>, UpdateFault>>()?;
        for (action, (path, effect)) in self.actions.iter().zip(&effects) {
            let nothing_to_remove = is_new && action.change == Change::Remove;
            if path.is_nested() && !nothing_to_remove {
                check_parent(path, item)?;
            }
            if let Effect::Put(value) = effect
                && path.depth() - 1 + value.depth() > limits::NESTING_LEVELS
            {
                return Err(UpdateFault::TooDeep);
            }
        }
        // In this order indexes past the end append in their order.
        effects.sort_by_key(|(path, _)| *path);
        let mut updated = item.clone();
        let mut removals = Vec::new();
        for (path, effect) in effects {
            match effect {
                Effect::Put(value) => put(&mut updated, path, value),
                Effect::Remove => removals.push(path),
                Effect::Nothing => {}
            }
        }
        remove_all(&mut updated, removals);
        Ok(updated)
    }

    fn effect(&self, action: &Action, item: &Item) -> Result<Effect, UpdateFault> {
        let stored = action.path.get(item);
        match &action.change {
            Change::Set(value) => self.set_value(value, item).map(Effect::Put),
            Change::Remove if stored.is_none() => Ok(Effect::Nothing),
            Change::Remove => Ok(Effect::Remove),
            Change::Add(value) => match stored {
                None => Ok(Effect::Put(value.clone())),
                Some(stored) => self.sum_or_union(stored, value).map(Effect::Put),
            },
            Change::Delete(value) => match stored {
                None => Ok(Effect::Nothing),
                Some(stored) => self.without(stored, value),
            },
        }
    }

    fn wrong_type(&self) -> UpdateFault {
        match self.dialect {
            Dialect::Expression => UpdateFault::OperandType,
            Dialect::Legacy => UpdateFault::AttributeType,
        }
    }

    fn set_value(&self, value: &SetValue, item: &Item) -> Result<AttributeValue, UpdateFault> {
        match value {
            SetValue::Operand(operand) => operand.value(item),
            SetValue::Sum(left, right) => {
                let (left, right) = (left.number(item)?, right.number(item)?);
                Ok(AttributeValue::N(left.checked_add(&right)?))
            }
            SetValue::Difference(left, right) => {
                let (left, right) = (left.number(item)?, right.number(item)?);
                Ok(AttributeValue::N(left.checked_sub(&right)?))
            }
        }
    }

    /// What ADD makes of a stored value.
    fn sum_or_union(
        &self,
        stored: &AttributeValue,
        added: &AttributeValue,
    ) -> Result<AttributeValue, UpdateFault> {
        use AttributeValue::{Bs, L, N, Ns, Ss};
        Ok(match (stored, added) {
            (N(stored), N(added)) => N(stored.checked_add(added)?),
            (Ss(stored), Ss(added)) => Ss(union(stored, added)),
            (Ns(stored), Ns(added)) => Ns(union(stored, added)),
            (Bs(stored), Bs(added)) => Bs(union(stored, added)),
            // Only AttributeUpdates can add lists.
            (L(stored), L(added)) => L([stored.as_slice(), added.as_slice()].concat()),
            _ => return Err(self.wrong_type()),
        })
    }

    /// What DELETE makes of a stored value.
    fn without(&self, stored: &AttributeValue, deleted: &AttributeValue) -> Result<Effect, UpdateFault> {
        use AttributeValue::{Bs, Ns, Ss};
        match (stored, deleted) {
            (Ss(stored), Ss(deleted)) => Ok(shrunk(stored, deleted, Ss)),
            (Ns(stored), Ns(deleted)) => Ok(shrunk(stored, deleted, Ns)),
            (Bs(stored), Bs(deleted)) => Ok(shrunk(stored, deleted, Bs)),
            _ => Err(self.wrong_type()),
        }
    }
}

impl UpdateOperand {
    fn value(&self, item: &Item) -> Result<AttributeValue, UpdateFault> {
        match self {
            UpdateOperand::Path(path) => path.get(item).cloned().ok_or(UpdateFault::MissingAttribute),
            UpdateOperand::Value(value) => Ok(value.clone()),
            UpdateOperand::IfNotExists(path, otherwise) => match path.get(item) {
                Some(value) => Ok(value.clone()),
                None => otherwise.value(item),
            },
            UpdateOperand::ListAppend(first, second) => {
                let (first, second) = (first.value(item)?, second.value(item)?);
                match (first, second) {
                    (AttributeValue::L(mut first), AttributeValue::L(second)) => {
                        first.extend(second);
                        Ok(AttributeValue::L(first))
                    }
                    _ => Err(UpdateFault::OperandType),
                }
            }
        }
    }

    fn number(&self, item: &Item) -> Result<Number, UpdateFault> {
        match self.value(item)? {
            AttributeValue::N(number) => Ok(number),
            _ => Err(UpdateFault::OperandType),
        }
    }
}

fn union<T: Ord + Clone>(stored: &[T], added: &[T]) -> Vec<T> {
    let mut all = [stored, added].concat();
    all.sort_unstable();
    all.dedup();
    all
}

/// A set without some members; an empty set cannot be stored, so that its place is removed.
fn shrunk<T: Ord + Clone>(stored: &[T], deleted: &[T], set: fn(Vec<T>) -> AttributeValue) -> Effect {
    let left: Vec<T> =
        stored.iter().filter(|member| deleted.binary_search(member).is_err()).cloned().collect();
    if left.is_empty() { Effect::Remove } else { Effect::Put(set(left)) }
}

/// Only the last step of a path may lead nowhere.
fn check_parent(path: &Path, item: &Item) -> Result<(), UpdateFault> {
    match (path.parent(item), path.steps().last()) {
        (Some(AttributeValue::M(_)), Some(PathStep::Name(_)))
        | (Some(AttributeValue::L(_)), Some(PathStep::Index(_))) => Ok(()),
        _ => Err(UpdateFault::DocumentPath),
    }
}

/// The value that holds the last step's place, and that step.
fn place<'i, 'p>(item: &'i mut Item, path: &'p Path) -> Option<(&'i mut AttributeValue, &'p PathStep)> {
    let (last, parents) = path.steps().split_last()?;
    let parent = parents.iter().try_fold(item.get_mut(path.name())?, |value, step| match (value, step) {
        (AttributeValue::M(map), PathStep::Name(name)) => map.get_mut(name),
        (AttributeValue::L(list), PathStep::Index(at)) => list.get_mut(*at as usize),
        _ => None,
    })?;
    Some((parent, last))
}

/// Writes a value; past the end of a list it is appended.
fn put(item: &mut Item, path: &Path, value: AttributeValue) {
    if !path.is_nested() {
        match item.get_mut(path.name()) {
            Some(attribute) => *attribute = value,
            None => drop(item.insert(path.name(), value)),
        }
        return;
    }
    match place(item, path) {
        Some((AttributeValue::M(map), PathStep::Name(name))) => {
            map.insert(name.as_str(), value);
        }
        Some((AttributeValue::L(list), PathStep::Index(at))) => match list.get_mut(*at as usize) {
            Some(element) => *element = value,
            None => list.push(value),
        },
        // Parents were checked before anything was written.
        _ => debug_assert!(false, "no parent at {path}"),
    }
}

/// Removes values that are there. The deepest go first, and those of one list together, so that no removal moves
/// an element that is still to be removed; and a long list is gone through once only.
fn remove_all(item: &mut Item, mut paths: Vec<&Path>) {
    paths.sort_by(|one, two| two.depth().cmp(&one.depth()).then_with(|| one.cmp(two)));
    for siblings in paths.chunk_by(|one, two| one.has_parent_of(two)) {
        let Some(first) = siblings.first() else { continue };
        match place(item, first) {
            None => siblings.iter().for_each(|path| drop(item.remove(path.name()))),
            Some((AttributeValue::M(map), _)) => {
                let names = siblings.iter().filter_map(|path| match path.steps().last() {
                    Some(PathStep::Name(name)) => Some(name),
                    _ => None,
                });
                names.for_each(|name| drop(map.remove(name)));
            }
            Some((AttributeValue::L(list), _)) => {
                let mut gone = siblings.iter().filter_map(|path| match path.steps().last() {
                    Some(PathStep::Index(at)) => Some(*at),
                    _ => None,
                });
                let (mut at, mut next) = (0, gone.next());
                list.retain(|_| {
                    let keep = next != Some(at);
                    if !keep {
                        next = gone.next();
                    }
                    at += 1;
                    keep
                });
            }
            Some(_) => debug_assert!(false, "nothing at {first}"),
        }
    }
}

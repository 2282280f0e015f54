//! A second opinion on what conditions and updates mean, written for plainness: values are texts, lists are
//! maps from their indexes.

use std::collections::BTreeMap;

use dynamometer_expr::{
    Change, Comparator, Condition, Operand, Path, PathStep, SetValue, Update, UpdateOperand,
};
use dynamometer_types::key::write_ordered;
use dynamometer_types::{AttributeValue, Item};

/// The value at a path.
fn at(path: &Path, item: &Item) -> Option<AttributeValue> {
    let mut value = AttributeValue::M(item.clone());
    let first = PathStep::Name(path.name().to_string());
    for step in std::iter::once(&first).chain(path.steps()) {
        value = match (value, step) {
            (AttributeValue::M(map), PathStep::Name(name)) => map.into_iter().find(|(key, _)| key == name)?.1,
            (AttributeValue::L(list), PathStep::Index(at)) => list.into_iter().nth(*at as usize)?,
            _ => return None,
        };
    }
    Some(value)
}

fn of(operand: &Operand, item: &Item) -> Option<AttributeValue> {
    match operand {
        Operand::Path(path) => at(path, item),
        Operand::Value(value) => Some(value.clone()),
        Operand::Size(inner) => {
            let size = match of(inner, item)? {
                AttributeValue::S(text) => text.chars().map(char::len_utf16).sum(),
                AttributeValue::B(bytes) => bytes.len(),
                AttributeValue::M(map) => map.len(),
                AttributeValue::L(list) => list.len(),
                set => members(&set)?.len(),
            };
            Some(AttributeValue::N((size as i64).into()))
        }
        Operand::Test(_) => panic!("no expression of a request holds one"),
    }
}

/// The members of a set as values.
fn members(set: &AttributeValue) -> Option<Vec<AttributeValue>> {
    Some(match set {
        AttributeValue::Ss(set) => set.iter().cloned().map(AttributeValue::S).collect(),
        AttributeValue::Ns(set) => set.iter().cloned().map(AttributeValue::N).collect(),
        AttributeValue::Bs(set) => set.iter().cloned().map(AttributeValue::B).collect(),
        _ => return None,
    })
}

/// A text that two values share when they are equal.
fn canonical(value: &AttributeValue) -> String {
    let sorted = |mut texts: Vec<String>| {
        texts.sort();
        texts.join("|")
    };
    let kind = value.value_type().name();
    match value {
        AttributeValue::N(number) => format!("{kind}{number}"),
        AttributeValue::L(list) => {
            format!("{kind}({})", list.iter().map(canonical).collect::<Vec<_>>().join("|"))
        }
        AttributeValue::M(map) => {
            format!(
                "{kind}({})",
                sorted(map.iter().map(|(key, value)| format!("{key:?}{}", canonical(value))).collect())
            )
        }
        set if members(set).is_some() => {
            format!("{kind}({})", sorted(members(set).unwrap().iter().map(canonical).collect()))
        }
        scalar => format!("{kind}{scalar:?}"),
    }
}

/// Bytes that sort as the value does, among values of its type.
fn sortable(value: &AttributeValue) -> Option<Vec<u8>> {
    let mut bytes = vec![];
    write_ordered(value, &mut bytes).then_some(bytes)
}

fn compare(left: &Operand, comparator: Comparator, right: &Operand, item: &Item) -> bool {
    let (Some(left), Some(right)) = (of(left, item), of(right, item)) else {
        return comparator == Comparator::NotEqual;
    };
    let equal = canonical(&left) == canonical(&right);
    let ordered = left.value_type() == right.value_type();
    let keys = sortable(&left).zip(sortable(&right)).filter(|_| ordered);
    match comparator {
        Comparator::Equal => equal,
        Comparator::NotEqual => !equal,
        Comparator::Less => keys.is_some_and(|(left, right)| left < right),
        Comparator::LessOrEqual => keys.is_some_and(|(left, right)| left <= right),
        Comparator::Greater => keys.is_some_and(|(left, right)| left > right),
        Comparator::GreaterOrEqual => keys.is_some_and(|(left, right)| left >= right),
    }
}

/// The bytes of a string or a binary.
fn text_bytes(value: &AttributeValue) -> Option<Vec<u8>> {
    match value {
        AttributeValue::S(text) => Some(text.as_bytes().to_vec()),
        AttributeValue::B(bytes) => Some(bytes.clone()),
        _ => None,
    }
}

fn contains(whole: &AttributeValue, part: &AttributeValue) -> bool {
    if let (Some(whole_bytes), Some(part_bytes)) = (text_bytes(whole), text_bytes(part)) {
        return whole.value_type() == part.value_type()
            && (0..=whole_bytes.len()).any(|at| whole_bytes[at..].starts_with(&part_bytes));
    }
    let elements = match whole {
        AttributeValue::L(list) => Some(list.clone()),
        set => members(set),
    };
    elements.is_some_and(|all| all.iter().any(|one| canonical(one) == canonical(part)))
}

/// Whether an item fulfils a condition.
pub fn matches(condition: &Condition, item: &Item) -> bool {
    match condition {
        Condition::And(all) => all.iter().fold(true, |so_far, one| so_far & matches(one, item)),
        Condition::Or(any) => any.iter().fold(false, |so_far, one| so_far | matches(one, item)),
        Condition::Not(inner) => !matches(inner, item),
        Condition::Compare { left, comparator, right } => compare(left, *comparator, right, item),
        Condition::Between { operand, low, high } => {
            compare(low, Comparator::LessOrEqual, operand, item)
                && compare(operand, Comparator::LessOrEqual, high, item)
        }
        Condition::In { operand, list } => {
            list.iter().any(|one| compare(operand, Comparator::Equal, one, item))
        }
        Condition::AttributeExists(path) => at(path, item).is_some(),
        Condition::AttributeNotExists(path) => at(path, item).is_none(),
        Condition::AttributeType(operand, kind) => {
            of(operand, item).map(|value| value.value_type()) == Some(*kind)
        }
        Condition::BeginsWith(whole, start) => {
            let (whole, start) = (of(whole, item), of(start, item));
            whole.zip(start).is_some_and(|(whole, start)| {
                whole.value_type() == start.value_type()
                    && text_bytes(&whole)
                        .zip(text_bytes(&start))
                        .is_some_and(|(whole, start)| whole.starts_with(&start))
            })
        }
        Condition::Contains(whole, part) => {
            of(whole, item).zip(of(part, item)).is_some_and(|(whole, part)| contains(&whole, &part))
        }
    }
}

/// A value whose lists keep the indexes that the update uses.
#[derive(Clone)]
enum Tree {
    Leaf(AttributeValue),
    Map(BTreeMap<String, Tree>),
    List(BTreeMap<u32, Tree>),
}

impl Tree {
    fn of(value: AttributeValue) -> Tree {
        match value {
            AttributeValue::M(map) => {
                Tree::Map(map.into_iter().map(|(key, value)| (key.into(), Tree::of(value))).collect())
            }
            AttributeValue::L(list) => Tree::List((0..).zip(list.into_iter().map(Tree::of)).collect()),
            leaf => Tree::Leaf(leaf),
        }
    }

    fn value(self) -> AttributeValue {
        match self {
            Tree::Leaf(value) => value,
            Tree::Map(map) => {
                AttributeValue::M(map.into_iter().map(|(key, tree)| (key, tree.value())).collect())
            }
            Tree::List(list) => AttributeValue::L(list.into_values().map(Tree::value).collect()),
        }
    }

    /// Writes or removes what is at the end of some steps; `None` when there is no place for it.
    fn change(&mut self, steps: &[PathStep], new: Option<AttributeValue>) -> Option<()> {
        let (step, rest) = steps.split_first()?;
        match (self, step, rest) {
            (Tree::Map(map), PathStep::Name(name), []) => {
                match new {
                    Some(value) => map.insert(name.clone(), Tree::of(value)),
                    None => map.remove(name),
                };
            }
            (Tree::List(list), PathStep::Index(at), []) => {
                match new {
                    Some(value) => list.insert(*at, Tree::of(value)),
                    None => list.remove(at),
                };
            }
            (Tree::Map(map), PathStep::Name(name), rest) => map.get_mut(name)?.change(rest, new)?,
            (Tree::List(list), PathStep::Index(at), rest) => list.get_mut(at)?.change(rest, new)?,
            _ => return None,
        }
        Some(())
    }
}

fn update_operand(operand: &UpdateOperand, item: &Item) -> Option<AttributeValue> {
    match operand {
        UpdateOperand::Path(path) => at(path, item),
        UpdateOperand::Value(value) => Some(value.clone()),
        UpdateOperand::IfNotExists(path, otherwise) => {
            at(path, item).or_else(|| update_operand(otherwise, item))
        }
        UpdateOperand::ListAppend(first, second) => {
            match (update_operand(first, item)?, update_operand(second, item)?) {
                (AttributeValue::L(first), AttributeValue::L(second)) => {
                    Some(AttributeValue::L(first.into_iter().chain(second).collect()))
                }
                _ => None,
            }
        }
    }
}

fn number(operand: &UpdateOperand, item: &Item) -> Option<i64> {
    match update_operand(operand, item)? {
        AttributeValue::N(number) => number.to_i64(),
        _ => None,
    }
}

/// The members of two sets of one type: in one or the other, or in the first alone.
fn combined(stored: &AttributeValue, given: &AttributeValue, add: bool) -> Option<Vec<AttributeValue>> {
    let (mut stored_members, given_members) = (members(stored)?, members(given)?);
    if stored.value_type() != given.value_type() {
        return None;
    }
    if add {
        stored_members.extend(given_members.into_iter().filter(|one| !contains(stored, one)));
    } else {
        stored_members.retain(|one| !contains(given, one));
    }
    stored_members.sort_by_key(sortable);
    Some(stored_members)
}

fn set_of(members: Vec<AttributeValue>) -> AttributeValue {
    let mut set = None;
    for member in members {
        match (member, &mut set) {
            (AttributeValue::S(one), Some(AttributeValue::Ss(all))) => all.push(one),
            (AttributeValue::N(one), Some(AttributeValue::Ns(all))) => all.push(one),
            (AttributeValue::B(one), Some(AttributeValue::Bs(all))) => all.push(one),
            (AttributeValue::S(one), _) => set = Some(AttributeValue::Ss(vec![one])),
            (AttributeValue::N(one), _) => set = Some(AttributeValue::Ns(vec![one])),
            (AttributeValue::B(one), _) => set = Some(AttributeValue::Bs(vec![one])),
            _ => unreachable!("no member of a set"),
        }
    }
    set.unwrap()
}

/// The item after an update; `None` when the update does not fit it. Numbers must be small and whole.
pub fn apply(update: &Update, item: &Item) -> Option<Item> {
    let mut tree = Tree::of(AttributeValue::M(item.clone()));
    for action in update.actions() {
        let stored = at(&action.path, item);
        let new = match (&action.change, stored) {
            (Change::Set(SetValue::Operand(operand)), _) => Some(update_operand(operand, item)?),
            (Change::Set(SetValue::Sum(left, right)), _) => {
                Some(AttributeValue::N((number(left, item)? + number(right, item)?).into()))
            }
            (Change::Set(SetValue::Difference(left, right)), _) => {
                Some(AttributeValue::N((number(left, item)? - number(right, item)?).into()))
            }
            (Change::Add(value), None) => Some(value.clone()),
            (Change::Add(AttributeValue::N(more)), Some(AttributeValue::N(stored))) => {
                Some(AttributeValue::N((stored.to_i64()? + more.to_i64()?).into()))
            }
            (Change::Add(value), Some(stored)) => Some(set_of(combined(&stored, value, true)?)),
            (Change::Delete(value), Some(stored)) => {
                Some(combined(&stored, value, false)?).filter(|left| !left.is_empty()).map(set_of)
            }
            (Change::Remove | Change::Delete(_), _) => None,
        };
        let first = PathStep::Name(action.path.name().to_string());
        let steps: Vec<PathStep> =
            std::iter::once(first).chain(action.path.steps().iter().cloned()).collect();
        tree.change(&steps, new)?;
    }
    match tree.value() {
        AttributeValue::M(item) => Some(item),
        _ => None,
    }
}

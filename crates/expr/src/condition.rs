//! Conditions: what ConditionExpression, FilterExpression and the legacy conditions say.

use std::cmp::Ordering;
use std::ops::Deref;

use dynamometer_types::value::ValueType;
use dynamometer_types::{AttributeValue, Item, Number};

use crate::path::Path;

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparator {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparator {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparator::Equal => "=",
            Comparator::NotEqual => "<>",
            Comparator::Less => "<",
            Comparator::LessOrEqual => "<=",
            Comparator::Greater => ">",
            Comparator::GreaterOrEqual => ">=",
        }
    }

    /// The operator that says the same with its sides exchanged.
    pub fn mirrored(self) -> Comparator {
        match self {
            Comparator::Less => Comparator::Greater,
            Comparator::LessOrEqual => Comparator::GreaterOrEqual,
            Comparator::Greater => Comparator::Less,
            Comparator::GreaterOrEqual => Comparator::LessOrEqual,
            same => same,
        }
    }

    /// Whether the operator asks for an order rather than for equality.
    pub fn is_ordering(self) -> bool {
        !matches!(self, Comparator::Equal | Comparator::NotEqual)
    }

    /// Whether the operator holds for sides of this order.
    pub fn admits(self, ordering: Ordering) -> bool {
        match self {
            Comparator::Equal => ordering.is_eq(),
            Comparator::NotEqual => ordering.is_ne(),
            Comparator::Less => ordering.is_lt(),
            Comparator::LessOrEqual => ordering.is_le(),
            Comparator::Greater => ordering.is_gt(),
            Comparator::GreaterOrEqual => ordering.is_ge(),
        }
    }
}

/// What a condition compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// The value at a path of the item.
    Path(Path),
    /// A value of the request.
    Value(AttributeValue),
    /// `size(…)`: a number.
    Size(Box<Operand>),
    /// Whether a condition holds: a boolean. Only PartiQL compares one.
    Test(Box<Condition>),
}

/// A condition on an item. It owns its values; evaluating it cannot fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Every one holds; true when there are none.
    And(Vec<Condition>),
    /// At least one holds; false when there are none.
    Or(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
    /// A comparison.
    Compare {
        /// The left side.
        left: Operand,
        /// The operator between the sides.
        comparator: Comparator,
        /// The right side.
        right: Operand,
    },
    /// `operand BETWEEN low AND high`, bounds included.
    Between {
        /// What is compared.
        operand: Operand,
        /// The lower bound.
        low: Operand,
        /// The upper bound.
        high: Operand,
    },
    /// `operand IN (…)`: equal to one of the list.
    In {
        /// What is compared.
        operand: Operand,
        /// What it may equal.
        list: Vec<Operand>,
    },
    /// The path leads to a value, of whatever type.
    AttributeExists(Path),
    /// The path leads nowhere.
    AttributeNotExists(Path),
    /// The operand is there and of this type.
    AttributeType(Operand, ValueType),
    /// The first operand, a string or binary, begins with the second.
    BeginsWith(Operand, Operand),
    /// The first operand, a string, binary, set or list, contains the second.
    Contains(Operand, Operand),
}

impl Condition {
    /// Whether an item fulfils the condition; a missing item is one without attributes.
    pub fn matches(&self, item: &Item) -> bool {
        match self {
            Condition::And(all) => all.iter().all(|one| one.matches(item)),
            Condition::Or(any) => any.iter().any(|one| one.matches(item)),
            Condition::Not(inner) => !inner.matches(item),
            Condition::Compare { left, comparator, right } => {
                compare(left.of(item), *comparator, right.of(item))
            }
            Condition::Between { operand, low, high } => {
                compare(operand.of(item), Comparator::GreaterOrEqual, low.of(item))
                    && compare(operand.of(item), Comparator::LessOrEqual, high.of(item))
            }
            Condition::In { operand, list } => {
                list.iter().any(|one| compare(operand.of(item), Comparator::Equal, one.of(item)))
            }
            Condition::AttributeExists(path) => path.get(item).is_some(),
            Condition::AttributeNotExists(path) => path.get(item).is_none(),
            Condition::AttributeType(operand, kind) => {
                operand.of(item).is_some_and(|value| value.value_type() == *kind)
            }
            Condition::BeginsWith(whole, start) => match (whole.of(item), start.of(item)) {
                (Some(whole), Some(start)) => begins_with(&whole, &start),
                _ => false,
            },
            Condition::Contains(whole, part) => match (whole.of(item), part.of(item)) {
                (Some(whole), Some(part)) => contains(&whole, &part),
                _ => false,
            },
        }
    }

    /// Every path that the condition reads, in the order written.
    pub fn paths(&self) -> Vec<&Path> {
        let mut found = Vec::new();
        self.collect_paths(&mut found);
        found
    }

    fn collect_paths<'a>(&'a self, found: &mut Vec<&'a Path>) {
        let mut operands = |operands: &[&'a Operand]| {
            operands.iter().for_each(|operand| operand.collect_paths(found));
        };
        match self {
            Condition::And(list) | Condition::Or(list) => {
                list.iter().for_each(|one| one.collect_paths(found))
            }
            Condition::Not(inner) => inner.collect_paths(found),
            Condition::Compare { left, right, .. } => operands(&[left, right]),
            Condition::Between { operand, low, high } => operands(&[operand, low, high]),
            Condition::In { operand, list } => {
                operands(&[operand]);
                list.iter().for_each(|one| one.collect_paths(found));
            }
            Condition::AttributeExists(path) | Condition::AttributeNotExists(path) => found.push(path),
            Condition::AttributeType(operand, _) => operands(&[operand]),
            Condition::BeginsWith(one, two) | Condition::Contains(one, two) => operands(&[one, two]),
        }
    }
}

impl Operand {
    fn collect_paths<'a>(&'a self, found: &mut Vec<&'a Path>) {
        match self {
            Operand::Path(path) => found.push(path),
            Operand::Value(_) => {}
            Operand::Size(inner) => inner.collect_paths(found),
            Operand::Test(condition) => condition.collect_paths(found),
        }
    }

    /// The type that the operand has whatever the item.
    pub(crate) fn known_type(&self) -> Option<ValueType> {
        match self {
            Operand::Path(_) => None,
            Operand::Value(value) => Some(value.value_type()),
            Operand::Size(_) => Some(ValueType::N),
            Operand::Test(_) => Some(ValueType::Bool),
        }
    }

    /// The operand's value for an item; `None` when it is missing.
    fn of<'a>(&'a self, item: &'a Item) -> Option<Evaluated<'a>> {
        match self {
            Operand::Path(path) => path.get(item).map(Evaluated::Given),
            Operand::Value(value) => Some(Evaluated::Given(value)),
            Operand::Size(inner) => size(&*inner.of(item)?).map(Evaluated::Computed),
            Operand::Test(condition) => {
                Some(Evaluated::Computed(AttributeValue::Bool(condition.matches(item))))
            }
        }
    }
}

/// A value of the item or the request, or a size computed from one.
enum Evaluated<'a> {
    Given(&'a AttributeValue),
    Computed(AttributeValue),
}

impl Deref for Evaluated<'_> {
    type Target = AttributeValue;

    fn deref(&self) -> &AttributeValue {
        match self {
            Evaluated::Given(value) => value,
            Evaluated::Computed(value) => value,
        }
    }
}

/// A comparison. With a side missing or of another type, only `<>` holds.
fn compare(left: Option<Evaluated<'_>>, comparator: Comparator, right: Option<Evaluated<'_>>) -> bool {
    let (Some(left), Some(right)) = (left, right) else {
        return comparator == Comparator::NotEqual;
    };
    match comparator {
        Comparator::Equal => *left == *right,
        Comparator::NotEqual => *left != *right,
        ordering => order(&left, &right).is_some_and(|found| ordering.admits(found)),
    }
}

/// The order of two values: strings and binaries by bytes, numbers by value; other types have none.
pub(crate) fn order(left: &AttributeValue, right: &AttributeValue) -> Option<Ordering> {
    match (left, right) {
        (AttributeValue::S(left), AttributeValue::S(right)) => Some(left.as_bytes().cmp(right.as_bytes())),
        (AttributeValue::N(left), AttributeValue::N(right)) => Some(left.cmp(right)),
        (AttributeValue::B(left), AttributeValue::B(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

/// Whether a string or binary begins with another.
pub(crate) fn begins_with(whole: &AttributeValue, start: &AttributeValue) -> bool {
    match (whole, start) {
        (AttributeValue::S(whole), AttributeValue::S(start)) => whole.starts_with(start.as_str()),
        (AttributeValue::B(whole), AttributeValue::B(start)) => whole.starts_with(start),
        _ => false,
    }
}

fn contains(whole: &AttributeValue, part: &AttributeValue) -> bool {
    match (whole, part) {
        (AttributeValue::S(whole), AttributeValue::S(part)) => whole.contains(part.as_str()),
        (AttributeValue::B(whole), AttributeValue::B(part)) => contains_bytes(whole, part),
        // Sets are sorted.
        (AttributeValue::Ss(set), AttributeValue::S(member)) => set.binary_search(member).is_ok(),
        (AttributeValue::Ns(set), AttributeValue::N(member)) => set.binary_search(member).is_ok(),
        (AttributeValue::Bs(set), AttributeValue::B(member)) => set.binary_search(member).is_ok(),
        (AttributeValue::L(list), element) => list.contains(element),
        _ => false,
    }
}

/// Whether bytes stand somewhere in others. Takes time in proportion to both lengths, whatever they hold: a
/// filter may search 400 KB of zeros for 200 KB of them in every item of a table.
fn contains_bytes(whole: &[u8], part: &[u8]) -> bool {
    if part.len() > whole.len() {
        return false;
    }
    // `borders[n]`: how long a proper beginning of the part also ends its first n + 1 bytes.
    let mut borders = vec![0; part.len()];
    let next = |borders: &[usize], mut matched: usize, byte: u8| {
        while matched > 0 && part[matched] != byte {
            matched = borders[matched - 1];
        }
        matched + usize::from(part[matched] == byte)
    };
    for at in 1..part.len() {
        borders[at] = next(&borders, borders[at - 1], part[at]);
    }
    let mut matched = 0;
    part.is_empty()
        || whole.iter().any(|byte| {
            matched = next(&borders, matched, *byte);
            matched == part.len()
        })
}

/// What `size` answers: UTF-16 units of a string, bytes of a binary, members of a collection; `None` for types
/// that have no size.
///
/// # Source
/// Measured on AWS: a character outside the basic plane counts 2, although it has 4 bytes.
fn size(value: &AttributeValue) -> Option<AttributeValue> {
    let size = match value {
        AttributeValue::S(text) if text.is_ascii() => text.len(),
        AttributeValue::S(text) => text.encode_utf16().count(),
        AttributeValue::B(bytes) => bytes.len(),
        AttributeValue::L(list) => list.len(),
        AttributeValue::M(map) => map.len(),
        AttributeValue::Ss(set) => set.len(),
        AttributeValue::Ns(set) => set.len(),
        AttributeValue::Bs(set) => set.len(),
        AttributeValue::N(_) | AttributeValue::Bool(_) | AttributeValue::Null => return None,
    };
    Some(AttributeValue::N(Number::from(size as i64)))
}

//! Attribute values: the ten types of DynamoDB.

use smol_str::SmolStr;

use crate::item::Item;
use crate::number::Number;

/// A value of one of DynamoDB's ten types.
///
/// Sets are kept sorted (strings and binaries by bytes, numbers by value) and without repeats, so that the
/// derived equality is DynamoDB's: sets and maps compare without regard to order, numbers by value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AttributeValue {
    /// A string.
    S(SmolStr),
    /// A number.
    N(Number),
    /// Bytes.
    B(Vec<u8>),
    /// A boolean.
    Bool(bool),
    /// Null.
    Null,
    /// A list of values of any types.
    L(Vec<AttributeValue>),
    /// A map from names to values of any types.
    M(Item),
    /// A set of strings, sorted by bytes.
    Ss(Vec<SmolStr>),
    /// A set of numbers, ascending.
    Ns(Vec<Number>),
    /// A set of binaries, sorted by bytes.
    Bs(Vec<Vec<u8>>),
}

/// The name of a type as `attribute_type` and the error texts use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ValueType {
    /// String.
    S,
    /// Number.
    N,
    /// Binary.
    B,
    /// Boolean.
    Bool,
    /// Null.
    Null,
    /// List.
    L,
    /// Map.
    M,
    /// String set.
    Ss,
    /// Number set.
    Ns,
    /// Binary set.
    Bs,
}

impl ValueType {
    /// All types, each with its short name.
    pub const ALL: [(ValueType, &'static str); 10] = [
        (ValueType::S, "S"),
        (ValueType::N, "N"),
        (ValueType::B, "B"),
        (ValueType::Bool, "BOOL"),
        (ValueType::Null, "NULL"),
        (ValueType::L, "L"),
        (ValueType::M, "M"),
        (ValueType::Ss, "SS"),
        (ValueType::Ns, "NS"),
        (ValueType::Bs, "BS"),
    ];

    /// The short name: `S`, `BOOL`, `NS` and so on.
    pub fn name(self) -> &'static str {
        ValueType::ALL[self as usize].1
    }

    /// Whether key attributes may be of this type.
    pub fn can_be_key(self) -> bool {
        matches!(self, ValueType::S | ValueType::N | ValueType::B)
    }

    /// The type of a short name.
    pub fn from_name(name: &str) -> Option<ValueType> {
        ValueType::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }
}

impl AttributeValue {
    /// The value's type.
    pub fn value_type(&self) -> ValueType {
        match self {
            AttributeValue::S(_) => ValueType::S,
            AttributeValue::N(_) => ValueType::N,
            AttributeValue::B(_) => ValueType::B,
            AttributeValue::Bool(_) => ValueType::Bool,
            AttributeValue::Null => ValueType::Null,
            AttributeValue::L(_) => ValueType::L,
            AttributeValue::M(_) => ValueType::M,
            AttributeValue::Ss(_) => ValueType::Ss,
            AttributeValue::Ns(_) => ValueType::Ns,
            AttributeValue::Bs(_) => ValueType::Bs,
        }
    }

    /// Shorthand for a string value.
    pub fn s(text: impl Into<SmolStr>) -> AttributeValue {
        AttributeValue::S(text.into())
    }

    /// How many levels the value nests: 1 for a scalar or a set, 1 more for each list or map around it.
    pub fn depth(&self) -> usize {
        match self {
            AttributeValue::L(list) => 1 + list.iter().map(AttributeValue::depth).max().unwrap_or(0),
            AttributeValue::M(map) => 1 + map.values().map(AttributeValue::depth).max().unwrap_or(0),
            _ => 1,
        }
    }
}

/// Sorts set members and finds a repeat.
///
/// # Errors
/// Gives the members back, sorted, when two are equal.
pub fn sort_set<T: Ord>(mut members: Vec<T>) -> Result<Vec<T>, Vec<T>> {
    if !members.is_sorted() {
        members.sort_unstable();
    }
    if members.windows(2).any(|pair| pair[0] == pair[1]) { Err(members) } else { Ok(members) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names_round_trip() {
        for (kind, name) in ValueType::ALL {
            assert_eq!(kind.name(), name);
            assert_eq!(ValueType::from_name(name), Some(kind));
        }
        assert_eq!(ValueType::from_name("bool"), None);
    }

    #[test]
    fn an_empty_list_nests_one_level() {
        assert_eq!(AttributeValue::L(vec![]).depth(), 1);
        assert_eq!(AttributeValue::L(vec![AttributeValue::Null]).depth(), 2);
    }

    #[test]
    fn sets_are_sorted_and_repeats_found() {
        assert_eq!(sort_set(vec!["b", "a"]), Ok(vec!["a", "b"]));
        assert_eq!(sort_set(vec!["b", "a", "b"]), Err(vec!["a", "b", "b"]));
    }
}

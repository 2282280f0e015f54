//! Key schemas: which attributes are keys, and of which type.

use smol_str::SmolStr;

use crate::item::Item;
use crate::value::{AttributeValue, ValueType};

/// The types that a key attribute may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarType {
    /// String.
    S,
    /// Number.
    N,
    /// Binary.
    B,
}

impl ScalarType {
    /// The short name: `S`, `N` or `B`.
    pub fn name(self) -> &'static str {
        match self {
            ScalarType::S => "S",
            ScalarType::N => "N",
            ScalarType::B => "B",
        }
    }

    /// The type of a short name.
    pub fn from_name(name: &str) -> Option<ScalarType> {
        [ScalarType::S, ScalarType::N, ScalarType::B].into_iter().find(|kind| kind.name() == name)
    }

    /// Whether a value has this type.
    pub fn admits(self, value: &AttributeValue) -> bool {
        matches!(
            (self, value.value_type()),
            (ScalarType::S, ValueType::S) | (ScalarType::N, ValueType::N) | (ScalarType::B, ValueType::B)
        )
    }
}

/// A key attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyAttribute {
    /// The attribute's name.
    pub name: String,
    /// The attribute's type.
    pub scalar_type: ScalarType,
}

/// The key of a table or an index.
///
/// A table and a local index have one partition key attribute and at most one sort key attribute; a global index
/// may have up to four of each, and compares its sort key attributes in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySchema {
    /// The partition key attributes (`HASH`), at least one.
    pub partition: Vec<KeyAttribute>,
    /// The sort key attributes (`RANGE`).
    pub sort: Vec<KeyAttribute>,
}

impl KeySchema {
    /// All key attributes: partition key first.
    pub fn attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.partition.iter().chain(&self.sort)
    }

    /// The key attribute of this name.
    pub fn attribute(&self, name: &str) -> Option<&KeyAttribute> {
        self.attributes().find(|attribute| attribute.name == name)
    }

    /// Whether an attribute of this name is part of the key.
    pub fn contains(&self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    /// How many attributes the key has.
    pub fn len(&self) -> usize {
        self.partition.len() + self.sort.len()
    }

    /// Never: a key has at least a partition key.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The key attributes of an item; `None` when one is missing.
    pub fn key_of(&self, item: &Item) -> Option<Item> {
        self.attributes()
            .map(|a| Some((SmolStr::from(&a.name), item.get(&a.name)?.clone())))
            .collect::<Option<Vec<_>>>()
            .map(Item::from_unsorted)
    }
}

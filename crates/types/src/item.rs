//! Items and maps: names with values.

use smol_str::SmolStr;

use crate::value::AttributeValue;

/// The attributes of an item, or the members of a map: a flat list sorted by name, each name once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Item {
    attributes: Vec<(SmolStr, AttributeValue)>,
}

impl Item {
    /// An item without attributes.
    pub const fn new() -> Item {
        Item { attributes: Vec::new() }
    }

    /// Sorts the attributes by name; of a name given twice the last stays.
    pub fn from_unsorted(mut attributes: Vec<(SmolStr, AttributeValue)>) -> Item {
        let strictly_sorted = attributes.windows(2).all(|pair| pair[0].0 < pair[1].0);
        if !strictly_sorted {
            attributes.reverse();
            attributes.sort_by(|a, b| a.0.cmp(&b.0));
            attributes.dedup_by(|later, kept| later.0 == kept.0);
        }
        Item { attributes }
    }

    fn position(&self, name: &str) -> Result<usize, usize> {
        self.attributes.binary_search_by(|(known, _)| known.as_str().cmp(name))
    }

    /// The value of an attribute.
    pub fn get(&self, name: &str) -> Option<&AttributeValue> {
        self.position(name).ok().map(|at| &self.attributes[at].1)
    }

    /// The value of an attribute, to change.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut AttributeValue> {
        self.position(name).ok().map(|at| &mut self.attributes[at].1)
    }

    /// Sets an attribute; answers its old value.
    pub fn insert(&mut self, name: impl Into<SmolStr>, value: AttributeValue) -> Option<AttributeValue> {
        let name = name.into();
        match self.position(&name) {
            Ok(at) => Some(std::mem::replace(&mut self.attributes[at].1, value)),
            Err(at) => {
                self.attributes.insert(at, (name, value));
                None
            }
        }
    }

    /// Takes an attribute out.
    pub fn remove(&mut self, name: &str) -> Option<AttributeValue> {
        self.position(name).ok().map(|at| self.attributes.remove(at).1)
    }

    /// Whether the attribute is there.
    pub fn contains(&self, name: &str) -> bool {
        self.position(name).is_ok()
    }

    /// How many attributes there are.
    pub fn len(&self) -> usize {
        self.attributes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.attributes.is_empty()
    }

    /// The attributes in the order of their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &AttributeValue)> {
        self.attributes.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The values in the order of their names.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &AttributeValue> {
        self.attributes.iter().map(|(_, value)| value)
    }

    /// The names, sorted.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.attributes.iter().map(|(name, _)| name.as_str())
    }
}

impl IntoIterator for Item {
    type Item = (SmolStr, AttributeValue);
    type IntoIter = std::vec::IntoIter<(SmolStr, AttributeValue)>;

    fn into_iter(self) -> Self::IntoIter {
        self.attributes.into_iter()
    }
}

impl<N: Into<SmolStr>> FromIterator<(N, AttributeValue)> for Item {
    fn from_iter<I: IntoIterator<Item = (N, AttributeValue)>>(attributes: I) -> Item {
        Item::from_unsorted(attributes.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(names: &[(&str, i64)]) -> Item {
        names.iter().map(|(name, n)| (*name, AttributeValue::N((*n).into()))).collect()
    }

    #[test]
    fn names_are_sorted_by_bytes_and_the_last_of_two_wins() {
        let it = item(&[("b", 1), ("Z", 2), ("b", 3), ("a", 4)]);
        assert_eq!(it.names().collect::<Vec<_>>(), ["Z", "a", "b"]);
        assert_eq!(it.get("b"), Some(&AttributeValue::N(3.into())));
    }

    #[test]
    fn insert_replaces_and_remove_takes() {
        let mut it = item(&[("a", 1)]);
        assert_eq!(it.insert("a", AttributeValue::Null), Some(AttributeValue::N(1.into())));
        assert_eq!(it.insert("b", AttributeValue::Null), None);
        assert_eq!(it.remove("a"), Some(AttributeValue::Null));
        assert_eq!(it.remove("a"), None);
        assert_eq!(it.len(), 1);
    }
}

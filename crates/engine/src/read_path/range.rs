//! Ranges of stored keys: from key conditions, scan segments and start keys.

use std::ops::{Bound, RangeBounds};

use bytes::Bytes;
use dynamometer_expr::{KeyRange, SortCondition};
use dynamometer_store::Direction;
use dynamometer_types::{AttributeValue, Item};

use crate::catalog::{Index, Table};
use crate::disk::keys::{
    ObjectId, after_prefix, entry_key, hash_of, hash_start, item_key, object_prefix, partition_prefix,
    push_escaped, push_ordered,
};

/// The stored keys that a read walks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyBounds {
    start: Bound<Vec<u8>>,
    end: Bound<Vec<u8>>,
    /// Where the range began before a start key was laid over it.
    asked: Option<Bound<Vec<u8>>>,
}

impl KeyBounds {
    /// All keys that begin with `prefix`.
    fn prefixed(prefix: Vec<u8>) -> KeyBounds {
        KeyBounds { end: before(after_prefix(&prefix)), start: Bound::Included(prefix), asked: None }
    }

    pub(crate) fn as_bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        (self.start.as_ref().map(Vec::as_slice), self.end.as_ref().map(Vec::as_slice))
    }

    /// The first key of the range, or what comes right before it.
    pub(crate) fn start_key(&self) -> &[u8] {
        key_of(&self.start).unwrap_or_default()
    }

    /// The first key of the range as it was asked for, whatever page of it this is; and the last one, if it has an end.
    pub(crate) fn asked(&self) -> (&[u8], Option<&[u8]>) {
        (key_of(self.asked.as_ref().unwrap_or(&self.start)).unwrap_or_default(), key_of(&self.end))
    }

    /// The hash at which the range ends; the last one there is when it goes to the end of its table or index.
    pub(crate) fn end_hash(&self) -> u64 {
        match &self.end {
            Bound::Included(key) | Bound::Excluded(key) => hash_of(key).unwrap_or(u64::MAX),
            Bound::Unbounded => u64::MAX,
        }
    }

    /// The part of the range that lies behind a key.
    pub(crate) fn after(self, key: Vec<u8>, direction: Direction) -> KeyBounds {
        match direction {
            Direction::Forward => {
                let asked = self.asked.or(Some(self.start));
                KeyBounds { start: Bound::Excluded(key), end: self.end, asked }
            }
            Direction::Reverse => KeyBounds { end: Bound::Excluded(key), ..self },
        }
    }

    /// Whether a key lies in the range.
    pub(crate) fn contains(&self, key: &[u8]) -> bool {
        let (start, end) = self.as_bounds();
        <(Bound<&[u8]>, Bound<&[u8]>) as RangeBounds<[u8]>>::contains(&(start, end), key)
    }

    /// The keys that a key condition selects in a table or one of its indexes; `None` when it selects none.
    pub(crate) fn of_query(table: &Table, index: Option<&Index>, range: &KeyRange) -> Option<KeyBounds> {
        KeyBounds::of_range(index.map_or(table.id(), |index| index.id), index.is_some(), range)
    }

    /// The same in the table or index of a number.
    pub(crate) fn of_range(id: ObjectId, of_index: bool, range: &KeyRange) -> Option<KeyBounds> {
        let mut prefix = partition_prefix(id, range.partition.iter().map(Some))?;
        for value in &range.sort_prefix {
            push_escaped(value, &mut prefix)?;
        }
        // In a table's key the sort key ends the bytes; in an index's key more follows each value.
        let form = if of_index { Form::Escaped } else { Form::Plain };
        let all = KeyBounds::prefixed(prefix.clone());
        let at = |value: &AttributeValue| form.value(&prefix, value);
        Some(match &range.sort {
            None => all,
            Some(SortCondition::Eq(value)) => {
                KeyBounds { start: Bound::Included(at(value)?), end: form.end_of(at(value)?), ..all }
            }
            Some(SortCondition::Lt(value)) => KeyBounds { end: Bound::Excluded(at(value)?), ..all },
            Some(SortCondition::Le(value)) => KeyBounds { end: form.end_of(at(value)?), ..all },
            Some(SortCondition::Gt(value)) => KeyBounds { start: form.start_behind(at(value)?), ..all },
            Some(SortCondition::Ge(value)) => KeyBounds { start: Bound::Included(at(value)?), ..all },
            Some(SortCondition::Between(low, high)) => {
                KeyBounds { start: Bound::Included(at(low)?), end: form.end_of(at(high)?), ..all }
            }
            Some(SortCondition::BeginsWith(value)) => KeyBounds::prefixed(form.beginning(&prefix, value)?),
        })
    }
}

/// How a sort key value stands in a stored key.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// At the end, as it is.
    Plain,
    /// Escaped and ended, because more follows.
    Escaped,
}

impl Form {
    fn value(self, prefix: &[u8], value: &AttributeValue) -> Option<Vec<u8>> {
        let mut out = prefix.to_vec();
        match self {
            Form::Plain => push_ordered(value, &mut out)?,
            Form::Escaped => push_escaped(value, &mut out)?,
        }
        Some(out)
    }

    /// The bytes with which every value begins that begins with `value`.
    fn beginning(self, prefix: &[u8], value: &AttributeValue) -> Option<Vec<u8>> {
        let mut out = self.value(prefix, value)?;
        if self == Form::Escaped {
            out.truncate(out.len() - dynamometer_types::key::ESCAPED_END.len());
        }
        Some(out)
    }

    /// The end that still takes in the value whose bytes these are.
    fn end_of(self, value: Vec<u8>) -> Bound<Vec<u8>> {
        match self {
            Form::Plain => Bound::Included(value),
            Form::Escaped => before(after_prefix(&value)),
        }
    }

    /// The start that leaves out the value whose bytes these are.
    fn start_behind(self, value: Vec<u8>) -> Bound<Vec<u8>> {
        match self {
            Form::Plain => Bound::Excluded(value),
            Form::Escaped => after_prefix(&value).map_or(Bound::Excluded(value), Bound::Included),
        }
    }
}

/// The keys of one segment of a Scan: a slice of the hash ring.
pub(crate) fn scan_bounds(id: u32, segment: u32, total_segments: u32) -> KeyBounds {
    let slice_start = |segment: u32| ((u128::from(segment) << 64) / u128::from(total_segments)) as u64;
    let start = Bound::Included(hash_start(id, slice_start(segment)));
    let end = if segment + 1 == total_segments {
        before(after_prefix(&object_prefix(id)))
    } else {
        Bound::Excluded(hash_start(id, slice_start(segment + 1)))
    };
    KeyBounds { start, end, asked: None }
}

/// The stored key that a start key names; `None` when a key attribute is missing.
pub(crate) fn start_key_bytes(table: &Table, index: Option<&Index>, key: &Item) -> Option<Bytes> {
    match index {
        None => item_key(table.id(), &table.key, key),
        Some(index) => entry_key(index.id, &index.key, &table.key, key),
    }
}

fn key_of(bound: &Bound<Vec<u8>>) -> Option<&[u8]> {
    match bound {
        Bound::Included(key) | Bound::Excluded(key) => Some(key),
        Bound::Unbounded => None,
    }
}

fn before(end: Option<Vec<u8>>) -> Bound<Vec<u8>> {
    end.map_or(Bound::Unbounded, Bound::Excluded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_cut_the_ring_without_gap_or_overlap() {
        for total in [1, 2, 3, 7, 4097, 1_000_000] {
            for segment in [0, total / 2, total - 1] {
                let bounds = scan_bounds(5, segment, total);
                assert!(segment != 0 || bounds.contains(&hash_start(5, 0)));
                assert!(segment != total - 1 || bounds.contains(&hash_start(5, u64::MAX)));
                if segment + 1 < total {
                    let next = scan_bounds(5, segment + 1, total);
                    let (Bound::Excluded(end), Bound::Included(start)) = (&bounds.end, &next.start) else {
                        panic!("inner segments have both ends")
                    };
                    assert_eq!(end, start);
                }
            }
        }
    }
}

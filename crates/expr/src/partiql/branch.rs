//! One alternative of a condition, and the keys that it means.

use std::cmp::Ordering;
use std::ops::Bound;

use dynamometer_types::AttributeValue;
use dynamometer_types::key::write_ordered;

use crate::condition::{Comparator, order};
use crate::key_condition::KeyTest;

/// One alternative.
#[derive(Clone, Debug, Default)]
pub(super) struct Branch {
    /// What it wants the partition key to be: each time one of these values. The same wish counts once.
    pub(super) partition: Vec<Vec<AttributeValue>>,
    pub(super) sort: Vec<KeyTest>,
    /// The attributes that it asks for beside the key, each as often as it does.
    pub(super) others: Vec<String>,
    /// Whether it asks for more than its key conditions.
    pub(super) filtered: bool,
    /// Whether it has a negation on the sort key, so that AWS does not look whether it overlaps others.
    pub(super) negated: bool,
}

/// Keys as bytes in their order.
pub(super) type Span = (Bound<Vec<u8>>, Bound<Vec<u8>>);

impl Branch {
    /// Both at once.
    pub(super) fn and(&self, other: &Branch) -> Branch {
        let mut partition = self.partition.clone();
        let is_new = |values: &&Vec<AttributeValue>| !self.partition.iter().any(|known| same(known, values));
        partition.extend(other.partition.iter().filter(is_new).cloned());
        let mut sort = self.sort.clone();
        sort.extend(other.sort.iter().filter(|test| !self.sort.contains(test)).cloned());
        Branch {
            partition,
            sort,
            others: [self.others.as_slice(), &other.others].concat(),
            filtered: self.filtered || other.filtered,
            negated: self.negated || other.negated,
        }
    }

    /// One for each value that it takes for the partition key.
    pub(super) fn by_partition(&self) -> impl Iterator<Item = Branch> + '_ {
        let of =
            move |value: &AttributeValue| Branch { partition: vec![vec![value.clone()]], ..self.clone() };
        self.partition.iter().flatten().map(of)
    }

    /// The value of the partition key, when there is but one.
    pub(super) fn pinned(&self) -> Option<&AttributeValue> {
        match self.partition.as_slice() {
            [values] if values.len() == 1 => values.first(),
            _ => None,
        }
    }

    pub(super) fn partition_order(&self, other: &Branch) -> Ordering {
        match (self.pinned(), other.pinned()) {
            (Some(one), Some(other)) => order(one, other).unwrap_or(Ordering::Equal),
            _ => Ordering::Equal,
        }
    }

    /// The order of the first sort keys.
    pub(super) fn start_order(&self, other: &Branch) -> Ordering {
        let start = |branch: &Branch| match branch.span() {
            Some((Bound::Included(start), _)) => Some((start, false)),
            Some((Bound::Excluded(start), _)) => Some((start, true)),
            _ => None,
        };
        start(self).cmp(&start(other))
    }

    /// The sort keys that it means; `None` where AWS does not look at them.
    pub(super) fn span(&self) -> Option<Span> {
        if self.negated || self.sort.len() > 1 {
            return None;
        }
        let bytes = |value: &AttributeValue| {
            let mut out = Vec::new();
            write_ordered(value, &mut out).then_some(out)
        };
        Some(match self.sort.first() {
            None => (Bound::Unbounded, Bound::Unbounded),
            Some(KeyTest::Compare(comparator, value)) => match comparator {
                Comparator::Equal => (Bound::Included(bytes(value)?), Bound::Included(bytes(value)?)),
                Comparator::Less => (Bound::Unbounded, Bound::Excluded(bytes(value)?)),
                Comparator::LessOrEqual => (Bound::Unbounded, Bound::Included(bytes(value)?)),
                Comparator::Greater => (Bound::Excluded(bytes(value)?), Bound::Unbounded),
                Comparator::GreaterOrEqual => (Bound::Included(bytes(value)?), Bound::Unbounded),
                Comparator::NotEqual => return None,
            },
            Some(KeyTest::Between(low, high)) => {
                (Bound::Included(bytes(low)?), Bound::Included(bytes(high)?))
            }
            Some(KeyTest::BeginsWith(start)) => {
                let start = bytes(start)?;
                (Bound::Included(start.clone()), behind_prefix(start))
            }
            Some(KeyTest::NotIndexable) => return None,
        })
    }
}

/// Whether two lists have the same values.
fn same(one: &[AttributeValue], other: &[AttributeValue]) -> bool {
    one.iter().all(|value| other.contains(value)) && other.iter().all(|value| one.contains(value))
}

/// What comes right behind all that begins with some bytes.
fn behind_prefix(mut prefix: Vec<u8>) -> Bound<Vec<u8>> {
    while let Some(last) = prefix.pop() {
        if last < u8::MAX {
            prefix.push(last + 1);
            return Bound::Excluded(prefix);
        }
    }
    Bound::Unbounded
}

/// Whether two spans share a key.
pub(super) fn overlap(one: &Span, other: &Span) -> bool {
    begins_before_end(&one.0, &other.1)
        && begins_before_end(&other.0, &one.1)
        && !is_empty(one)
        && !is_empty(other)
}

fn is_empty((start, end): &Span) -> bool {
    !begins_before_end(start, end)
}

fn begins_before_end(start: &Bound<Vec<u8>>, end: &Bound<Vec<u8>>) -> bool {
    match (start, end) {
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => true,
        (Bound::Included(start), Bound::Included(end)) => start <= end,
        (Bound::Included(start) | Bound::Excluded(start), Bound::Included(end) | Bound::Excluded(end)) => {
            start < end
        }
    }
}

//! Emulated inconsistency: global indexes and eventually consistent reads that show what was there a while ago.
//!
//! Writes go the one way that they always go, and the store holds what is. Beside it, a short memory keeps for each item
//! and index entry that changed lately what it was before, and from when on the change shows. A read that may be
//! late looks at the store first and then lays these images over what it found. So pages, counts and consumed
//! capacity follow what the read sees, and a consistent read never asks here.
//!
//! # When a change shows
//! Each change of an item draws a lag for the table (its local indexes included) and one for each global index, from the
//! range of that kind, by a hash of the seed, the item, the index and the time: the same writes at the same times show at
//! the same times again. A later change never shows before an earlier one of the same item. What is not durable
//! yet does not show either.
//!
//! # What is kept
//! Changes that do not show yet, at most [`MEMORY_BYTES`] of them; beyond that the oldest show early. Nothing survives a
//! restart: then all is shown.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::iter::Peekable;
use std::ops::{Bound, ControlFlow};

use bytes::Bytes;
use dynamometer_store::Direction;
use dynamometer_types::Timestamp;
use dynamometer_types::key::partition_hash;
use parking_lot::Mutex;

use crate::catalog::IndexKind;
use crate::disk::keys::ObjectId;
use crate::write_path::latch::Done;

/// How many bytes of keys and images are remembered at most.
pub const MEMORY_BYTES: usize = 64 << 20;
/// What a remembered image takes beside its bytes, about.
const OVERHEAD_BYTES: usize = 128;

/// How late something shows, in milliseconds: any of the range, ends included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LagRange {
    /// The shortest lag.
    pub from_ms: i64,
    /// The longest lag.
    pub to_ms: i64,
}

/// How late reads may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LagConfig {
    /// Global indexes.
    pub index: LagRange,
    /// Eventually consistent reads of tables and local indexes.
    pub read: LagRange,
    /// What the lags are drawn from.
    pub seed: u64,
}

/// What a write changed of an item in a table with its local indexes, or in one global index: all of it shows at once.
pub(crate) struct Change {
    /// The table or the global index.
    pub(crate) object: ObjectId,
    pub(crate) kind: ChangeKind,
    /// The item's key on disk.
    pub(crate) item_key: Bytes,
    /// Stored keys that changed, and what was there before.
    pub(crate) before: Vec<(Bytes, Option<Bytes>)>,
}

/// Whose lag a change draws.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    Table,
    GlobalIndex,
}

/// The memory of recent changes.
pub(crate) struct Lag {
    config: LagConfig,
    memory_bytes: usize,
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    /// By stored key: what it was before each recent change, oldest first.
    past: BTreeMap<Bytes, VecDeque<Past>>,
    /// By table or index, and item: when its latest change shows.
    latest: HashMap<(ObjectId, Bytes), i64>,
    /// The changes, oldest first.
    changes: VecDeque<Remembered>,
    bytes: usize,
}

/// A stored key before a change.
struct Past {
    shows_at_ms: i64,
    done: Done,
    image: Option<Bytes>,
}

impl Past {
    fn shows(&self, now: Timestamp) -> bool {
        self.shows_at_ms <= now.millis() && self.done.is_set()
    }
}

/// A change as it is found again to be forgotten.
struct Remembered {
    shows_at_ms: i64,
    done: Done,
    item: (ObjectId, Bytes),
    keys: Vec<Bytes>,
    bytes: usize,
}

impl LagRange {
    fn is_zero(self) -> bool {
        self.to_ms <= 0
    }
}

impl ChangeKind {
    pub(crate) fn of_index(kind: IndexKind) -> ChangeKind {
        match kind {
            IndexKind::Local => ChangeKind::Table,
            IndexKind::Global => ChangeKind::GlobalIndex,
        }
    }
}

impl Lag {
    /// The memory that a configuration needs; none when nothing lags.
    pub(crate) fn new(config: LagConfig) -> Option<Lag> {
        let nothing_lags = config.index.is_zero() && config.read.is_zero();
        (!nothing_lags).then(|| Lag { config, memory_bytes: MEMORY_BYTES, memory: Mutex::default() })
    }

    fn range(&self, kind: ChangeKind) -> LagRange {
        match kind {
            ChangeKind::Table => self.config.read,
            ChangeKind::GlobalIndex => self.config.index,
        }
    }

    /// The lag of a change, in milliseconds.
    fn draw(&self, change: &Change, now: Timestamp) -> i64 {
        let LagRange { from_ms, to_ms } = self.range(change.kind);
        let numbers = [self.config.seed.to_be_bytes(), now.millis().to_be_bytes()].concat();
        let drawn = partition_hash(&[&numbers, &change.object.to_be_bytes()[..], &change.item_key].concat());
        let width = to_ms.abs_diff(from_ms).saturating_add(1);
        from_ms.saturating_add_unsigned(drawn % width)
    }

    /// Remembers changes that are about to join the store's queue. The latches of their items must be held.
    pub(crate) fn remember(&self, now: Timestamp, changes: Vec<Change>, done: &Done) {
        let mut memory = self.memory.lock();
        for change in changes {
            if self.range(change.kind).is_zero() {
                continue;
            }
            let shows_at_ms = now.millis().saturating_add(self.draw(&change, now));
            memory.add(change, shows_at_ms, done);
        }
        memory.forget(now, self.memory_bytes);
    }

    /// A row as a late read sees it; `stored` was read before.
    pub(crate) fn see(&self, now: Timestamp, key: &[u8], stored: Option<Bytes>) -> Option<Bytes> {
        let memory = self.memory.lock();
        let past = memory.past.get(key).and_then(|past| past.iter().find(|past| !past.shows(now)));
        past.map_or(stored, |past| past.image.clone())
    }

    /// What lies over the rows of a range; to be asked for after the snapshot was taken.
    pub(crate) fn overlay(
        &self,
        now: Timestamp,
        (start, end): (Bound<&[u8]>, Bound<&[u8]>),
        direction: Direction,
    ) -> Overlay {
        let memory = self.memory.lock();
        let range = memory.past.range::<[u8], _>((start, end));
        let seen = range.filter_map(|(key, past)| {
            let past = past.iter().find(|past| !past.shows(now))?;
            Some((key.clone(), past.image.clone()))
        });
        let mut images: Vec<_> = seen.collect();
        drop(memory);
        if direction == Direction::Reverse {
            images.reverse();
        }
        Overlay { images: images.into_iter().peekable(), direction }
    }
}

impl Memory {
    fn add(&mut self, change: Change, shows_at_ms: i64, done: &Done) {
        let item = (change.object, change.item_key);
        let latest = self.latest.entry(item.clone()).or_insert(shows_at_ms);
        *latest = shows_at_ms.max(*latest);
        let shows_at_ms = *latest;
        let (mut keys, mut bytes) = (Vec::with_capacity(change.before.len()), 0);
        for (key, image) in change.before {
            bytes += OVERHEAD_BYTES + key.len() + image.as_ref().map_or(0, Bytes::len);
            self.past.entry(key.clone()).or_default().push_back(Past {
                shows_at_ms,
                done: done.clone(),
                image,
            });
            keys.push(key);
        }
        self.bytes += bytes;
        self.changes.push_back(Remembered { shows_at_ms, done: done.clone(), item, keys, bytes });
    }

    /// Forgets the oldest changes, as far as they show, or are too many.
    fn forget(&mut self, now: Timestamp, most_bytes: usize) {
        while let Some(oldest) = self.changes.front() {
            let shows = oldest.shows_at_ms <= now.millis() && oldest.done.is_set();
            if !shows && self.bytes <= most_bytes {
                return;
            }
            let Some(oldest) = self.changes.pop_front() else { return };
            self.bytes -= oldest.bytes;
            for key in oldest.keys {
                // The changes of a key are remembered and forgotten in one order.
                if let Some(past) = self.past.get_mut(&key) {
                    past.pop_front();
                    if past.is_empty() {
                        self.past.remove(&key);
                    }
                }
            }
            if self.latest.get(&oldest.item) == Some(&oldest.shows_at_ms) {
                self.latest.remove(&oldest.item);
            }
        }
    }
}

/// Rows that are to be laid over those of the store, in the order of the walk.
pub(crate) struct Overlay {
    images: Peekable<std::vec::IntoIter<(Bytes, Option<Bytes>)>>,
    direction: Direction,
}

impl Overlay {
    /// Nothing lies over the rows.
    pub(crate) fn none() -> Overlay {
        Overlay { images: Vec::new().into_iter().peekable(), direction: Direction::Forward }
    }

    /// Passes on a row of the store as the read sees it, behind the rows that only the read still sees.
    pub(crate) fn pass(
        &mut self,
        key: &[u8],
        value: &Bytes,
        visit: &mut impl FnMut(&[u8], &Bytes) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        while let Some((over, image)) = self.images.next_if(|(over, _)| match self.direction {
            Direction::Forward => over[..] <= *key,
            Direction::Reverse => over[..] >= *key,
        }) {
            if let Some(image) = &image {
                visit(&over, image)?;
            }
            if over == key {
                return ControlFlow::Continue(());
            }
        }
        visit(key, value)
    }

    /// Passes on what lies behind the last row of the store.
    pub(crate) fn pass_rest(&mut self, visit: &mut impl FnMut(&[u8], &Bytes) -> ControlFlow<()>) {
        for (key, image) in &mut self.images {
            if let Some(image) = &image
                && visit(&key, image).is_break()
            {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: LagRange = LagRange { from_ms: 1_000, to_ms: 1_000 };

    fn lag(read: LagRange) -> Lag {
        Lag::new(LagConfig { read, ..LagConfig::default() }).unwrap()
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn bytes(text: &str) -> Bytes {
        Bytes::copy_from_slice(text.as_bytes())
    }

    /// Remembers that an item was something else, as a change that is durable.
    fn change(lag: &Lag, now: i64, key: &str, before: Option<&str>) {
        let done = Done::default();
        done.set();
        let key = bytes(key);
        let before = vec![(key.clone(), before.map(bytes))];
        let change = Change { object: 1, kind: ChangeKind::Table, item_key: key, before };
        lag.remember(at(now), vec![change], &done);
    }

    fn see(lag: &Lag, now: i64, key: &str, stored: Option<&str>) -> Option<Bytes> {
        lag.see(at(now), key.as_bytes(), stored.map(bytes))
    }

    #[test]
    fn a_change_shows_when_its_lag_is_over() {
        let lag = lag(SECOND);
        change(&lag, 0, "a", None);
        change(&lag, 500, "a", Some("1"));
        for (now, expected) in
            [(0, None), (999, None), (1_000, Some("1")), (1_499, Some("1")), (1_500, Some("2"))]
        {
            assert_eq!(see(&lag, now, "a", Some("2")), expected.map(bytes), "at {now}");
        }
        assert_eq!(see(&lag, 0, "b", Some("1")), Some(bytes("1")), "others do not lag");
    }

    #[test]
    fn what_is_not_durable_does_not_show() {
        let lag = lag(SECOND);
        let done = Done::default();
        let before = vec![(bytes("a"), None)];
        let change = Change { object: 1, kind: ChangeKind::Table, item_key: bytes("a"), before };
        lag.remember(at(0), vec![change], &done);
        assert_eq!(see(&lag, 5_000, "a", None), None);
        done.set();
        assert_eq!(see(&lag, 5_000, "a", Some("1")), Some(bytes("1")));
    }

    #[test]
    fn changes_of_an_item_show_in_order_whatever_they_drew() {
        let range = LagRange { from_ms: 0, to_ms: 10_000 };
        for seed in 0..50 {
            let lag = Lag::new(LagConfig { read: range, seed, ..LagConfig::default() }).unwrap();
            for version in 0..10 {
                let before = (version > 0).then(|| version.to_string());
                change(&lag, version * 100, "a", before.as_deref());
            }
            let seen = (0..120).map(|step| {
                let version = see(&lag, step * 100, "a", Some("10"));
                version.map_or(0, |text| String::from_utf8_lossy(&text).parse::<i64>().unwrap())
            });
            let seen: Vec<i64> = seen.collect();
            assert!(seen.is_sorted(), "{seen:?}");
            assert_eq!(seen.last(), Some(&10));
        }
    }

    #[test]
    fn the_same_seed_draws_the_same_lags() {
        let range = LagRange { from_ms: 50, to_ms: 2_000 };
        let draws = |seed| -> Vec<i64> {
            let lag = Lag::new(LagConfig { read: range, seed, ..LagConfig::default() }).unwrap();
            let one = |n: i64| {
                let item_key = bytes(&n.to_string());
                let change = Change { object: 1, kind: ChangeKind::Table, item_key, before: Vec::new() };
                lag.draw(&change, at(7))
            };
            (0..100).map(one).collect()
        };
        assert_eq!(draws(1), draws(1));
        assert_ne!(draws(1), draws(2));
        assert!(draws(1).iter().all(|lag| (50..=2_000).contains(lag)));
        assert!(draws(1).iter().any(|lag| *lag < 500) && draws(1).iter().any(|lag| *lag > 1_500));
    }

    #[test]
    fn memory_is_bounded_by_time_and_by_bytes() {
        let mut lag = lag(SECOND);
        for n in 0..1_000 {
            change(&lag, n * 10, &n.to_string(), None);
        }
        assert!(lag.memory.lock().changes.len() <= 101, "those of one second are kept");
        lag.memory_bytes = 2_000;
        for n in 0..1_000 {
            change(&lag, 10_000, &n.to_string(), Some("x"));
        }
        let memory = lag.memory.lock();
        assert!(memory.bytes <= 2_000 && !memory.changes.is_empty());
        assert_eq!(memory.past.values().map(VecDeque::len).sum::<usize>(), memory.changes.len());
        assert!(memory.latest.len() <= memory.changes.len());
    }

    #[test]
    fn rows_are_laid_over_those_of_a_range_in_both_directions() {
        // Before: b=1, d=2, f=3. Since: a added, b changed, d deleted, f deleted.
        let stored = [("a", "9"), ("b", "8"), ("c", "5")];
        let lag = lag(SECOND);
        for (key, before) in [("a", None), ("b", Some("1")), ("d", Some("2")), ("f", Some("3"))] {
            change(&lag, 0, key, before);
        }
        for direction in [Direction::Forward, Direction::Reverse] {
            let mut rows = stored.to_vec();
            let mut expected = vec![("b", "1"), ("c", "5"), ("d", "2")];
            if direction == Direction::Reverse {
                rows.reverse();
                expected.reverse();
            }
            let mut seen = Vec::new();
            let mut visit = |key: &[u8], value: &Bytes| {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                seen.push((text(key), text(value)));
                ControlFlow::Continue(())
            };
            let bounds = (Bound::Included(&b"a"[..]), Bound::Excluded(&b"e"[..]));
            let mut overlay = lag.overlay(at(10), bounds, direction);
            for (key, value) in rows {
                let _ = overlay.pass(key.as_bytes(), &bytes(value), &mut visit);
            }
            overlay.pass_rest(&mut visit);
            let seen: Vec<(&str, &str)> = seen.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
            assert_eq!(seen, expected);
        }
    }
}

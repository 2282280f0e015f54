//! The partition keys that get the most units, in bounded memory: the space-saving sketch of Metwally, Agrawal and El
//! Abbadi ("Efficient computation of frequent and top-k elements in data streams", 2005), weighted by units.
//!
//! # Error bound
//! [`TRACKED_KEYS`] keys are kept. Of `W` units in all, every key with more than `W / TRACKED_KEYS` is among them, and the
//! units shown for a key are too many by at most [`HotKey::over_by_units`](super::HotKey), itself never more than
//! `W / TRACKED_KEYS`. They are never too few.

use std::cmp::Reverse;

/// How many keys are kept for each table or index, for reads and for writes.
pub const TRACKED_KEYS: usize = 64;
/// How much of a key is kept to show it by.
const LABEL_BYTES: usize = 64;

/// A partition key that is kept.
#[derive(Clone, Debug)]
pub(crate) struct Tracked {
    /// Half units that may belong to keys which had this place before.
    pub(crate) over_by: u64,
    /// Requests refused.
    pub(crate) refused: u64,
    /// Half units in its busiest second so far.
    pub(crate) busiest: u64,
    second: i64,
    in_second: u64,
    label: [u8; LABEL_BYTES],
    label_length: u8,
}

impl Tracked {
    /// The beginning of the key's stored bytes.
    pub(crate) fn label(&self) -> &[u8] {
        &self.label[..usize::from(self.label_length)]
    }

    fn add(&mut self, halves: u64, second: i64) {
        if self.second != second {
            self.second = second;
            self.in_second = 0;
        }
        self.in_second += halves;
        self.busiest = self.busiest.max(self.in_second);
    }
}

/// The keys of one table or index, for reads or for writes.
#[derive(Clone, Debug)]
pub(crate) struct Hottest {
    /// The low bits of the hashes, apart from the rest: every request looks through them, several at a time.
    tags: [u32; TRACKED_KEYS],
    hashes: [u64; TRACKED_KEYS],
    halves: [u64; TRACKED_KEYS],
    tracked: Vec<Tracked>,
    /// No key has fewer half units than this, and none before `cursor` has as few: units only grow.
    fewest: u64,
    cursor: usize,
}

/// How many tags are compared at a time.
const TAGS_AT_ONCE: usize = 16;

impl Hottest {
    pub(crate) fn new() -> Box<Hottest> {
        Box::new(Hottest {
            tags: [0; TRACKED_KEYS],
            hashes: [0; TRACKED_KEYS],
            halves: [0; TRACKED_KEYS],
            tracked: Vec::with_capacity(TRACKED_KEYS),
            fewest: 0,
            cursor: 0,
        })
    }

    /// Counts units of the key with this hash, of which `key` are the stored bytes.
    pub(crate) fn count(&mut self, hash: u64, key: &[u8], halves: u64, second: i64) {
        let at = match self.position(hash) {
            Some(at) => at,
            None => self.make_room(hash, key),
        };
        self.halves[at] += halves;
        self.tracked[at].add(halves, second);
    }

    /// Counts a refusal of a key, if the key is kept.
    pub(crate) fn refuse(&mut self, hash: u64) {
        if let Some(at) = self.position(hash) {
            self.tracked[at].refused += 1;
        }
    }

    fn position(&self, hash: u64) -> Option<usize> {
        let tag = hash as u32;
        for (at, tags) in self.tags.chunks_exact(TAGS_AT_ONCE).enumerate() {
            // Without leaving early, so that the compiler compares them side by side.
            if !tags.iter().fold(false, |any, known| any | (*known == tag)) {
                continue;
            }
            let from = at * TAGS_AT_ONCE;
            let to = (from + TAGS_AT_ONCE).min(self.tracked.len());
            let found = (from..to).find(|at| self.hashes[*at] == hash);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The place of a key with the fewest units. Each place is passed once until all have more.
    fn find_fewest(&mut self) -> usize {
        loop {
            while self.cursor < TRACKED_KEYS {
                if self.halves[self.cursor] == self.fewest {
                    return self.cursor;
                }
                self.cursor += 1;
            }
            self.fewest = self.halves.iter().copied().min().unwrap_or(0);
            self.cursor = 0;
        }
    }

    /// A place for a new key: a free one, or that of the key with the fewest units, whose units it takes over.
    fn make_room(&mut self, hash: u64, key: &[u8]) -> usize {
        let length = key.len().min(LABEL_BYTES);
        let mut label = [0; LABEL_BYTES];
        label[..length].copy_from_slice(&key[..length]);
        let fresh = |over_by| Tracked {
            over_by,
            refused: 0,
            busiest: 0,
            second: i64::MIN,
            in_second: 0,
            label,
            label_length: length as u8,
        };
        let at = if self.tracked.len() < TRACKED_KEYS {
            self.tracked.push(fresh(0));
            self.tracked.len() - 1
        } else {
            let at = self.find_fewest();
            self.tracked[at] = fresh(self.halves[at]);
            at
        };
        self.hashes[at] = hash;
        self.tags[at] = hash as u32;
        at
    }

    /// The keys with their half units, the hottest first.
    pub(crate) fn ranked(&self) -> Vec<(u64, &Tracked)> {
        let mut ranked: Vec<_> = self.halves.iter().copied().zip(&self.tracked).collect();
        ranked.sort_by_key(|(halves, _)| Reverse(*halves));
        ranked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_holds_for_a_skewed_load() {
        let mut hottest = Hottest::new();
        let mut truth = [0_u64; 5_000];
        let mut random = 1_u64;
        let mut total = 0;
        for at in 0..60_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // One key of five gets half of the load.
            let key = if random >> 63 == 0 { (random >> 40) % 5 } else { (random >> 33) % 5_000 };
            let halves = 1 + key % 3;
            hottest.count(key + 1, format!("k{key}").as_bytes(), halves, at / 100);
            truth[key as usize] += halves;
            total += halves;
        }
        let bound = total / TRACKED_KEYS as u64;
        let ranked = hottest.ranked();
        assert_eq!(ranked.len(), TRACKED_KEYS);
        for (halves, tracked) in &ranked {
            let key: usize = std::str::from_utf8(&tracked.label()[1..]).unwrap().parse().unwrap();
            assert!(*halves >= truth[key], "never too few");
            assert!(halves - tracked.over_by <= truth[key], "too many by no more than it says");
            assert!(tracked.over_by <= bound);
        }
        for (key, halves) in truth.iter().enumerate().filter(|(_, halves)| **halves > bound) {
            let label = format!("k{key}");
            assert!(
                ranked.iter().any(|(_, t)| t.label() == label.as_bytes()),
                "{key} with {halves} is missing"
            );
        }
    }

    #[test]
    fn the_busiest_second_and_refusals_are_kept() {
        let mut hottest = Hottest::new();
        for (second, halves) in [(1, 2), (1, 2), (2, 3), (5, 1)] {
            hottest.count(7, b"a", halves, second);
        }
        hottest.refuse(7);
        hottest.refuse(8);
        let ranked = hottest.ranked();
        assert_eq!((ranked[0].0, ranked[0].1.busiest, ranked[0].1.refused), (8, 4, 1));
    }
}

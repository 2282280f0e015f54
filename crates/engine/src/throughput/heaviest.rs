//! The heaviest keys of a stream in bounded memory: the space-saving sketch of Metwally, Agrawal and El Abbadi
//! ("Efficient computation of frequent and top-k elements in data streams", 2005), weighted.
//!
//! # Error bound
//! `KEYS` keys are kept. Of `W` weight in all, every key with more than `W / KEYS` is among them, and the weight of a key
//! is too large by at most what the key had whose place it took, itself never more than `W / KEYS`. It is never too
//! small.

use std::cmp::Reverse;

/// How many tags are compared at a time.
const TAGS_AT_ONCE: usize = 16;

/// The keys of one stream, each with what the caller keeps beside its weight.
#[derive(Clone, Debug)]
pub(crate) struct Heaviest<T, const KEYS: usize> {
    /// The low bits of the hashes, apart from the rest: every request looks through them, several at a time.
    tags: [u32; KEYS],
    hashes: [u64; KEYS],
    weights: [u64; KEYS],
    kept: Vec<T>,
    /// No key has less weight than this, and none before `cursor` has as little: weights only grow.
    fewest: u64,
    cursor: usize,
}

impl<T, const KEYS: usize> Heaviest<T, KEYS> {
    pub(crate) fn new() -> Box<Heaviest<T, KEYS>> {
        Box::new(Heaviest {
            tags: [0; KEYS],
            hashes: [0; KEYS],
            weights: [0; KEYS],
            kept: Vec::with_capacity(KEYS),
            fewest: 0,
            cursor: 0,
        })
    }

    /// Adds weight to the key with this hash, and answers what is kept of it. A key that is not kept yet takes the
    /// place of the lightest one: `fresh` makes what is kept of it from the weight that it takes over.
    pub(crate) fn add(&mut self, hash: u64, weight: u64, fresh: impl FnOnce(u64) -> T) -> &mut T {
        let at = match self.position(hash) {
            Some(at) => at,
            None => self.make_room(hash, fresh),
        };
        self.weights[at] += weight;
        &mut self.kept[at]
    }

    /// What is kept of a key, if it is kept.
    pub(crate) fn get_mut(&mut self, hash: u64) -> Option<&mut T> {
        self.position(hash).map(|at| &mut self.kept[at])
    }

    fn position(&self, hash: u64) -> Option<usize> {
        let tag = hash as u32;
        for (at, tags) in self.tags.chunks_exact(TAGS_AT_ONCE).enumerate() {
            // Without leaving early, so that the compiler compares them side by side.
            if !tags.iter().fold(false, |any, known| any | (*known == tag)) {
                continue;
            }
            let from = at * TAGS_AT_ONCE;
            let to = (from + TAGS_AT_ONCE).min(self.kept.len());
            let found = (from..to).find(|at| self.hashes[*at] == hash);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The place of a key with the least weight. Each place is passed once until all have more.
    fn find_fewest(&mut self) -> usize {
        loop {
            while self.cursor < KEYS {
                if self.weights[self.cursor] == self.fewest {
                    return self.cursor;
                }
                self.cursor += 1;
            }
            self.fewest = self.weights.iter().copied().min().unwrap_or(0);
            self.cursor = 0;
        }
    }

    /// A place for a new key: a free one, or that of the lightest key, whose weight it takes over.
    fn make_room(&mut self, hash: u64, fresh: impl FnOnce(u64) -> T) -> usize {
        let at = if self.kept.len() < KEYS {
            self.kept.push(fresh(0));
            self.kept.len() - 1
        } else {
            let at = self.find_fewest();
            self.kept[at] = fresh(self.weights[at]);
            at
        };
        self.hashes[at] = hash;
        self.tags[at] = hash as u32;
        at
    }

    /// How many keys are kept.
    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }

    /// The keys with their weights, the heaviest first.
    pub(crate) fn ranked(&self) -> Vec<(u64, &T)> {
        let mut ranked: Vec<_> = self.weights.iter().copied().zip(&self.kept).collect();
        ranked.sort_by_key(|(weight, _)| Reverse(*weight));
        ranked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: usize = 64;

    #[test]
    fn the_bound_holds_for_a_skewed_load() {
        let mut heaviest = Heaviest::<_, KEYS>::new();
        let mut truth = [0_u64; 5_000];
        let mut random = 1_u64;
        let mut total = 0;
        for _ in 0..60_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // One key of five gets half of the load.
            let key = if random >> 63 == 0 { (random >> 40) % 5 } else { (random >> 33) % 5_000 };
            let weight = 1 + key % 3;
            heaviest.add(key + 1, weight, |over_by| (key, over_by));
            truth[key as usize] += weight;
            total += weight;
        }
        let bound = total / KEYS as u64;
        let ranked = heaviest.ranked();
        assert_eq!(ranked.len(), KEYS);
        for (weight, (key, over_by)) in &ranked {
            assert!(*weight >= truth[*key as usize], "never too few");
            assert!(weight - over_by <= truth[*key as usize], "too many by no more than it says");
            assert!(*over_by <= bound);
        }
        for (key, weight) in truth.iter().enumerate().filter(|(_, weight)| **weight > bound) {
            assert!(ranked.iter().any(|(_, kept)| kept.0 == key as u64), "{key} with {weight} is missing");
        }
    }
}

//! Contributor Insights: the keys with the most of something within a minute.
//!
//! Each rule of a table or index that is switched on has a sketch for the open minute: the heaviest keys
//! ([`Heaviest`]), about how many keys there were, and exact statistics of the single events. What is accessed counts
//! three for a write unit and one for a read unit; what is throttled counts one.
//!
//! # Error bound
//! The value told of a key is never too large, and too small by at most a [`KEPT_KEYS`]th of all that the rule counted in
//! the minute; every key with more than that is told. As long as there are no more keys than are kept, it is exact.
//!
//! Counted are reads and writes of items, and a Query as one access of its partition key. Scans, PartiQL and TTL are not.

use std::cmp::Reverse;

use dynamometer_capacity::CapacityUnits;
use dynamometer_capacity::admission::Dimension;
use dynamometer_types::key::partition_hash;

use super::heaviest::Heaviest;
use super::minute::Counted;
use crate::catalog::record::InsightsRecord;

/// What a write unit counts; a read unit counts one. Source: "Contributor Insights for DynamoDB: How it works" (2026).
const WEIGHT_OF_WRITES: u64 = 3;
/// How many keys are kept in a minute.
const KEPT_KEYS: usize = 512;
/// How many of them are told; no report shows more.
const TOLD_KEYS: usize = 100;
/// How much of a key is kept.
const KEY_BYTES: usize = 512;

/// The four rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleKind {
    /// Most accessed partition keys.
    AccessedPartitions,
    /// Most throttled partition keys.
    ThrottledPartitions,
    /// Most accessed partition and sort keys.
    AccessedItems,
    /// Most throttled partition and sort keys.
    ThrottledItems,
}

impl RuleKind {
    /// All, in the order in which DescribeContributorInsights lists them.
    pub(crate) const ALL: [RuleKind; 4] = [
        RuleKind::AccessedPartitions,
        RuleKind::AccessedItems,
        RuleKind::ThrottledPartitions,
        RuleKind::ThrottledItems,
    ];

    /// As it stands in the rule's name.
    pub(crate) fn word(self) -> &'static str {
        match self {
            RuleKind::AccessedPartitions => "PKC",
            RuleKind::ThrottledPartitions => "PKT",
            RuleKind::AccessedItems => "SKC",
            RuleKind::ThrottledItems => "SKT",
        }
    }

    /// Whether throttles are counted, rather than accesses.
    pub(crate) fn is_of_throttles(self) -> bool {
        matches!(self, RuleKind::ThrottledPartitions | RuleKind::ThrottledItems)
    }

    /// Whether keys are partition key and sort key together.
    pub(crate) fn is_of_items(self) -> bool {
        matches!(self, RuleKind::AccessedItems | RuleKind::ThrottledItems)
    }
}

/// A key that is kept.
#[derive(Debug)]
struct Kept {
    /// Weight that may belong to keys which had this place before.
    over_by: u64,
    stored: Box<[u8]>,
}

/// What one rule saw in a minute.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) kind: RuleKind,
    /// The beginnings of the keys' stored bytes, behind table number and hash.
    keys: Option<Box<Heaviest<Kept, KEPT_KEYS>>>,
    distinct: Distinct,
    pub(crate) counted: Counted,
}

impl Seen {
    fn new(kind: RuleKind) -> Seen {
        Seen { kind, keys: None, distinct: Distinct::default(), counted: Counted::default() }
    }

    fn count(&mut self, hash: u64, key: &[u8], weight: u64) {
        let keys = self.keys.get_or_insert_with(Heaviest::new);
        keys.add(hash, weight, |over_by| Kept { over_by, stored: key[..key.len().min(KEY_BYTES)].into() });
        self.distinct.see(hash);
        self.counted.add(weight);
    }

    /// The keys' stored bytes with what is certain of their weights, the heaviest first.
    pub(crate) fn ranked(&self) -> Vec<(u64, &[u8])> {
        let ranked = self.keys.as_ref().map(|keys| keys.ranked()).unwrap_or_default();
        let known = ranked.into_iter().map(|(weight, kept)| (weight - kept.over_by, &*kept.stored));
        let mut known: Vec<(u64, &[u8])> = known.collect();
        known.sort_by_key(|(weight, _)| Reverse(*weight));
        known.truncate(TOLD_KEYS);
        known
    }

    /// About how many keys.
    pub(crate) fn distinct(&self) -> f64 {
        let kept = self.keys.as_ref().map_or(0, |keys| keys.len());
        // As long as all are kept their number is known.
        if kept < KEPT_KEYS { kept as f64 } else { self.distinct.estimate().max(kept as f64) }
    }
}

/// The rules of one table or index in the open minute.
#[derive(Debug, Default)]
pub(crate) struct Contributors(Vec<Seen>);

impl Contributors {
    /// Sees to it that there is a sketch for each rule that is switched on, and for no other.
    pub(crate) fn follow(&mut self, insights: Option<&InsightsRecord>, has_sort_key: bool) {
        let wanted = insights.map(|insights| insights.rules(has_sort_key)).unwrap_or_default();
        self.0.retain(|seen| wanted.contains(&seen.kind));
        for kind in wanted {
            if !self.0.iter().any(|seen| seen.kind == kind) {
                self.0.push(Seen::new(kind));
            }
        }
    }

    /// Takes what was seen in the minute that is over.
    pub(crate) fn take(&mut self) -> Vec<Seen> {
        let fresh = self.0.iter().map(|seen| Seen::new(seen.kind)).collect();
        let mut seen = std::mem::replace(&mut self.0, fresh);
        seen.retain(|seen| seen.keys.is_some());
        seen
    }

    /// Counts an access: `key` is the stored key behind table number and hash; `of_item` tells whether it is that of
    /// an item, rather than a partition key alone.
    pub(crate) fn access(
        &mut self,
        dimension: Dimension,
        hash: u64,
        key: &[u8],
        of_item: bool,
        units: CapacityUnits,
    ) {
        let weight = match dimension {
            Dimension::Read => units.halves(),
            Dimension::Write => WEIGHT_OF_WRITES * units.halves(),
        };
        self.count(false, hash, key, of_item, weight);
    }

    /// Counts a throttle.
    pub(crate) fn throttle(&mut self, hash: u64, key: &[u8], of_item: bool) {
        self.count(true, hash, key, of_item, 1);
    }

    fn count(&mut self, throttles: bool, hash: u64, key: &[u8], of_item: bool, weight: u64) {
        for seen in self.0.iter_mut().filter(|seen| seen.kind.is_of_throttles() == throttles) {
            match seen.kind.is_of_items() {
                true if of_item => seen.count(partition_hash(key), key, weight),
                true => {}
                false => seen.count(hash, key, weight),
            }
        }
    }
}

/// About how many different hashes were seen: HyperLogLog (Flajolet and others, 2007) with 256 registers, whose
/// standard error is 6.5 %.
#[derive(Debug)]
struct Distinct([u8; Distinct::REGISTERS]);

impl Default for Distinct {
    fn default() -> Distinct {
        Distinct([0; Distinct::REGISTERS])
    }
}

impl Distinct {
    const REGISTERS: usize = 256;

    fn see(&mut self, hash: u64) {
        let register = hash as usize % Distinct::REGISTERS;
        let rank = (hash >> 8 | 1 << 56).trailing_zeros() as u8 + 1;
        self.0[register] = self.0[register].max(rank);
    }

    fn estimate(&self) -> f64 {
        let registers = Distinct::REGISTERS as f64;
        let empty = self.0.iter().filter(|rank| **rank == 0).count();
        let sum: f64 = self.0.iter().map(|rank| 0.5_f64.powi(i32::from(*rank))).sum();
        let estimate = 0.7213 / (1.0 + 1.079 / registers) * registers * registers / sum;
        if estimate <= 2.5 * registers && empty > 0 {
            return registers * (registers / empty as f64).ln();
        }
        estimate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_keys_are_estimated() {
        for keys in [100_u64, 1_000, 50_000] {
            let mut distinct = Distinct::default();
            for round in 0..3 * keys {
                distinct.see(partition_hash(&(round % keys).to_be_bytes()));
            }
            let estimate = distinct.estimate();
            assert!((estimate / keys as f64 - 1.0).abs() < 0.2, "{estimate} for {keys}");
        }
    }
}

//! Token buckets that may go into debt.
//!
//! A request passes when there is any token at all: its cost may then lead into debt, which later refills pay back. So
//! large items can be read from small tables, at the right average rate, and the cost need not be known beforehand.
//!
//! Levels are counted in *grains*, thousandths of half a unit, so that a rate of whole units a second refills a
//! whole number of grains each millisecond and no rounding ever happens.

/// Grains in half a unit.
pub(crate) const GRAINS_PER_HALF: i64 = 1_000;

/// `halves` half units in grains.
pub(crate) const fn grains(halves: i64) -> i64 {
    halves.saturating_mul(GRAINS_PER_HALF)
}

/// How fast a bucket fills and how much it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refill {
    /// Grains per millisecond: twice the units a second.
    pub per_ms: i64,
    /// Grains when full.
    pub capacity: i64,
}

impl Refill {
    /// A bucket filled by `units_per_second` that holds what comes in `held_ms`.
    pub(crate) fn new(units_per_second: u64, held_ms: u64) -> Self {
        let per_ms = i64::try_from(units_per_second).unwrap_or(i64::MAX / 4).saturating_mul(2);
        Self { per_ms, capacity: per_ms.saturating_mul(i64::try_from(held_ms).unwrap_or(i64::MAX)) }
    }
}

/// The tokens in hand at one moment.
///
/// A provisioned table has by the book two of these, the second of current capacity and the five minutes of burst
/// that its overflow fills, spent in that order. Taken together they behave as one bucket with the sum of both
/// capacities, which is what is kept here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bucket {
    level: i64,
    filled_at: i64,
}

impl Bucket {
    /// A bucket that holds `level` grains at `now`.
    pub(crate) fn holding(level: i64, now: i64) -> Self {
        Self { level, filled_at: now }
    }

    /// Adds what came in since the last time. A capacity that shrank spills at once.
    pub(crate) fn refill(&mut self, now: i64, refill: Refill) {
        let elapsed = now - self.filled_at;
        if elapsed > 0 {
            self.level = self.level.saturating_add(refill.per_ms.saturating_mul(elapsed));
            self.filled_at = now;
        }
        self.level = self.level.min(refill.capacity);
    }

    /// Whether a request may pass that needs `needed` grains in hand.
    pub(crate) fn passes(&self, needed: i64) -> bool {
        self.level >= needed
    }

    /// How many requests that need `needed` grains in hand and then take `cost` pass one after the other.
    pub(crate) fn passing(&self, needed: i64, cost: i64) -> u64 {
        if self.level < needed {
            return 0;
        }
        if cost <= 0 {
            return u64::MAX;
        }
        ((self.level - needed) / cost).unsigned_abs() + 1
    }

    /// Takes `cost` grains; a negative cost gives back.
    pub(crate) fn take(&mut self, cost: i64) {
        self.level = self.level.saturating_sub(cost);
    }

    /// Grains in hand; negative when in debt.
    pub(crate) fn level(&self) -> i64 {
        self.level
    }

    /// Forgives all debt: a fault that the auditor's test plants.
    #[cfg(test)]
    pub(crate) fn forgive_debt(&mut self) {
        self.level = self.level.max(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_refills_to_its_capacity_and_pays_its_debt_first() {
        let refill = Refill::new(10, 1_000);
        let mut bucket = Bucket::holding(refill.capacity, 0);
        assert_eq!(bucket.level(), grains(20));
        bucket.take(grains(50));
        assert!(!bucket.passes(1));
        bucket.refill(1_500, refill);
        assert_eq!(bucket.level(), 0);
        assert!(!bucket.passes(1));
        bucket.refill(1_501, refill);
        assert!(bucket.passes(1));
        bucket.refill(60_000, refill);
        assert_eq!(bucket.level(), refill.capacity);
    }

    #[test]
    fn passing_counts_as_one_by_one() {
        for level in [-5, 0, 1, 9, 10, 11, 20] {
            for cost in [1, 3, 10, 100] {
                for needed in [1, cost] {
                    let bucket = Bucket::holding(level, 0);
                    let mut one_by_one = bucket;
                    let mut count = 0;
                    while one_by_one.passes(needed) {
                        one_by_one.take(cost);
                        count += 1;
                    }
                    assert_eq!(
                        bucket.passing(needed, cost),
                        count,
                        "level {level}, needed {needed}, cost {cost}"
                    );
                }
            }
        }
    }
}

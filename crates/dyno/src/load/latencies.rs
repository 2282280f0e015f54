//! Latencies in as much memory for a billion calls as for one.
//!
//! A latency is counted in a bucket: below 128 µs each has its own, and from there on every doubling is cut into 128 of them, so
//! that a quantile is told at most 0.8 % too high. The highest latency is kept as it was.

/// Buckets of a doubling: 2^7.
const BITS: u32 = 7;
/// Enough for every number of 64 bits: one doubling from 0, one for each bit above.
const BUCKETS: usize = (64 - BITS as usize + 1) << BITS;

/// Latencies in microseconds.
#[derive(Clone, Debug, Default)]
pub(super) struct Latencies {
    /// Empty until there is one.
    counts: Vec<u64>,
    calls: u64,
    highest_us: u64,
}

impl Latencies {
    pub(super) fn add(&mut self, latency_us: u64) {
        if self.counts.is_empty() {
            self.counts = vec![0; BUCKETS];
        }
        self.counts[bucket(latency_us)] += 1;
        self.calls += 1;
        self.highest_us = self.highest_us.max(latency_us);
    }

    /// The highest, if there is one.
    pub(super) fn highest_us(&self) -> Option<u64> {
        (self.calls > 0).then_some(self.highest_us)
    }

    /// The latency that this share of calls stayed within.
    pub(super) fn quantile_us(&self, share: f64) -> Option<u64> {
        let wanted = ((share * self.calls as f64).ceil() as u64).max(1);
        let mut passed = 0;
        let at = self.counts.iter().position(|count| {
            passed += count;
            passed >= wanted
        })?;
        Some(highest_of(at).min(self.highest_us))
    }
}

/// The bucket of a latency.
fn bucket(latency_us: u64) -> usize {
    let doubling = (64 - latency_us.leading_zeros()).saturating_sub(BITS);
    // The first two doublings have buckets of one microsecond.
    let shift = doubling.saturating_sub(1);
    ((shift as usize) << BITS) + (latency_us >> shift) as usize
}

/// The highest latency of a bucket.
fn highest_of(bucket: usize) -> u64 {
    let shift = (bucket >> BITS).saturating_sub(1) as u32;
    let first = (bucket - ((shift as usize) << BITS)) as u64;
    // In this order, because the last bucket ends where 64 bits do.
    (first << shift) + ((1 << shift) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(latencies: impl IntoIterator<Item = u64>) -> Latencies {
        let mut all = Latencies::default();
        latencies.into_iter().for_each(|latency| all.add(latency));
        all
    }

    #[test]
    fn quantiles_are_at_most_an_hundredth_too_high() {
        let all = of(1..=100_000);
        for (share, exact) in [(0.5, 50_000), (0.99, 99_000), (0.999, 99_900), (1.0, 100_000)] {
            let told = all.quantile_us(share).unwrap();
            assert!((exact..=exact + exact / 125).contains(&told), "{share}: {told}");
        }
        assert_eq!(all.highest_us(), Some(100_000));
    }

    #[test]
    fn short_latencies_are_exact_and_none_are_none() {
        assert_eq!(of(1..=100).quantile_us(0.5), Some(50));
        assert_eq!(of([7]).quantile_us(0.999), Some(7));
        assert_eq!((of([]).quantile_us(0.5), of([]).highest_us()), (None, None));
    }

    #[test]
    fn every_latency_is_in_the_bucket_that_ends_with_it_or_above() {
        let around = (0..64).flat_map(|bit| [(1_u64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
        for latency in around.chain([u64::MAX - 1, u64::MAX]) {
            let at = bucket(latency);
            assert!(at < BUCKETS, "{latency}");
            assert!(highest_of(at) >= latency && (at == 0 || highest_of(at - 1) < latency), "{latency}");
        }
    }
}

//! Consumption minute by minute: what auto scaling looks at and what on-demand tables grow by.

use std::collections::VecDeque;

use super::PerDimension;
use super::dimension::Dimension;

/// Milliseconds in a minute.
pub(crate) const MINUTE_MS: i64 = 60_000;
/// Closed minutes kept; auto scaling looks back 15 and sees them one late.
const KEPT: i64 = 64;

/// The sums of the latest minutes of one dimension, in half units.
#[derive(Clone, Debug)]
pub(crate) struct Minutes {
    first: i64,
    current: i64,
    sums: [u64; KEPT as usize],
}

impl Minutes {
    pub(crate) fn new(now: i64) -> Self {
        let minute = now.div_euclid(MINUTE_MS);
        Self { first: minute, current: minute, sums: [0; KEPT as usize] }
    }

    /// The minute under way, counted from the epoch, as of the last [`Self::roll`].
    pub(crate) fn current(&self) -> i64 {
        self.current
    }

    /// Half units of the minute under way.
    pub(crate) fn current_halves(&self) -> u64 {
        self.sums[slot(self.current)]
    }

    /// Begins the minute of `now`; those in between were idle.
    pub(crate) fn roll(&mut self, now: i64) {
        let minute = now.div_euclid(MINUTE_MS);
        let idle_from = (self.current + 1).max(minute - KEPT + 1);
        for idle in idle_from..=minute {
            self.sums[slot(idle)] = 0;
        }
        self.current = self.current.max(minute);
    }

    /// Adds to the minute under way; negative gives back.
    pub(crate) fn add(&mut self, halves: i64) {
        let sum = &mut self.sums[slot(self.current)];
        *sum = sum.saturating_add_signed(halves);
    }

    /// The sum of a minute, zero if it was idle; `None` if it is before the table's first or no longer kept.
    pub(crate) fn sum(&self, minute: i64) -> Option<u64> {
        match minute {
            _ if minute < self.first || minute <= self.current - KEPT => None,
            _ if minute > self.current => Some(0),
            _ => Some(self.sums[slot(minute)]),
        }
    }
}

fn slot(minute: i64) -> usize {
    minute.rem_euclid(KEPT) as usize
}

/// The previous peak of one dimension: the highest minute, in units per second, that is old enough to count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Peak {
    counted: u64,
    /// Higher minutes that do not count yet: when they will, and how high they were; both ascending.
    waiting: VecDeque<(i64, u64)>,
}

impl Peak {
    pub(crate) fn of(units_per_second: u64) -> Self {
        Self { counted: units_per_second, waiting: VecDeque::new() }
    }

    pub(crate) fn counted(&self) -> u64 {
        self.counted
    }

    /// Takes note of a closed minute that will count from `counts_at` on.
    pub(crate) fn note(&mut self, halves_in_minute: u64, counts_at: i64) {
        let units_per_second = halves_in_minute / 120;
        let highest = self.waiting.back().map_or(self.counted, |(_, peak)| *peak);
        if units_per_second > highest {
            self.waiting.push_back((counts_at, units_per_second));
        }
    }

    /// When the next peak will count.
    pub(crate) fn next(&self) -> Option<i64> {
        self.waiting.front().map(|(counts_at, _)| *counts_at)
    }

    /// Lets the peaks count that are old enough; answers whether there was one.
    pub(crate) fn advance(&mut self, now: i64) -> bool {
        let mut changed = false;
        while let Some((_, peak)) = self.waiting.pop_front_if(|(counts_at, _)| *counts_at <= now) {
            self.counted = peak;
            changed = true;
        }
        changed
    }
}

impl PerDimension<Peak> {
    /// The earliest moment at which a waiting peak counts.
    pub(crate) fn next(&self) -> Option<i64> {
        Dimension::BOTH.iter().filter_map(|dimension| self[*dimension].next()).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_minutes_are_zero_and_old_ones_are_forgotten() {
        let mut minutes = Minutes::new(10 * MINUTE_MS);
        minutes.add(7);
        minutes.roll(12 * MINUTE_MS + 1);
        minutes.add(5);
        minutes.add(-2);
        let sums: Vec<_> = (9..=14).map(|minute| minutes.sum(minute)).collect();
        assert_eq!(sums, [None, Some(7), Some(0), Some(3), Some(0), Some(0)]);
        minutes.roll(500 * MINUTE_MS);
        assert_eq!((minutes.sum(12), minutes.sum(500 - KEPT), minutes.sum(499)), (None, None, Some(0)));
    }

    #[test]
    fn peaks_count_later_and_never_fall() {
        let mut peak = Peak::of(100);
        peak.note(120 * 90, 1);
        assert_eq!(peak.next(), None, "lower than what counts");
        peak.note(120 * 150, 2);
        peak.note(120 * 140, 3);
        peak.note(120 * 200, 4);
        assert!(!peak.advance(1));
        assert!(peak.advance(2));
        assert_eq!((peak.counted(), peak.next()), (150, Some(4)));
        assert!(peak.advance(10));
        assert_eq!((peak.counted(), peak.next()), (200, None));
    }
}

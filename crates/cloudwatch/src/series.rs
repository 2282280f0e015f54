//! One series: what was published, minute by minute, and coarser the older it is.

use dynamometer_types::Timestamp;

use crate::metric::Unit;
use crate::runs::Runs;
use crate::statistics::Datum;

/// A minute in milliseconds.
pub const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

/// The tiers: how long a period is, and how long its data is kept. As AWS: 1 minute for 15 days, 5 minutes for 63
/// days, 1 hour for 455 days.
const TIERS: [(i64, i64); 3] =
    [(MINUTE_MS, 15 * DAY_MS), (5 * MINUTE_MS, 63 * DAY_MS), (60 * MINUTE_MS, 455 * DAY_MS)];

/// The published data of one metric in one unit.
#[derive(Clone, Debug)]
pub struct Series {
    /// The unit that it was published in.
    pub unit: Unit,
    /// One for each tier.
    tiers: [Runs; 3],
    /// The beginning of the newest minute published.
    pub newest_ms: i64,
    /// What is published again and again.
    repeats: Repeats,
}

/// Publishing the same again and again, at one distance.
#[derive(Clone, Debug, Default)]
struct Repeats {
    /// The minute from which on it was the same.
    since_ms: i64,
    /// How far apart; 0 when it was published once.
    step_ms: i64,
    datum: Option<Datum>,
}

/// Where a period of `period_ms` around a time begins.
pub fn begin_of(time_ms: i64, period_ms: i64) -> i64 {
    time_ms - time_ms.rem_euclid(period_ms)
}

/// From when on a query reads: a start is rounded down to what is kept at its age, a minute for 15 days, then 5
/// minutes, then an hour.
pub fn rounded_start(start: Timestamp, now: Timestamp) -> i64 {
    let age = now.millis().saturating_sub(start.millis());
    let (period, _) = TIERS.iter().find(|(_, kept)| age <= *kept).unwrap_or(&TIERS[2]);
    begin_of(start.millis(), *period)
}

impl Series {
    /// A series without data.
    pub fn new(unit: Unit) -> Series {
        Series { unit, tiers: Default::default(), newest_ms: i64::MIN, repeats: Repeats::default() }
    }

    /// Publishes data of the minute around a time.
    pub fn publish(&mut self, at: Timestamp, datum: &Datum) {
        self.publish_often((begin_of(at.millis(), MINUTE_MS), MINUTE_MS, 1), datum);
    }

    /// Publishes the same of several minutes: the first begins at `begin_ms`, the others each `step_ms` later.
    pub fn publish_often(&mut self, (begin_ms, step_ms, count): (i64, i64, i64), datum: &Datum) {
        self.repeats.follow((begin_ms, step_ms, count), self.newest_ms, datum);
        self.newest_ms = self.newest_ms.max(begin_ms + (count - 1) * step_ms);
        self.tiers[0].add((begin_ms, step_ms, count), datum);
    }

    /// Whether nothing but this was published since a time, each `step_ms`, and the last of it was the one before
    /// `next_ms`.
    pub fn repeats(&self, datum: &Datum, step_ms: i64, since_ms: i64, next_ms: i64) -> bool {
        let repeats = &self.repeats;
        repeats.datum.as_ref() == Some(datum)
            && repeats.step_ms == step_ms
            && repeats.since_ms <= since_ms
            && self.newest_ms + step_ms == next_ms
    }

    /// Rolls up what is older than its tier keeps, and drops what is older than all. `shorter` halves each time that
    /// many times.
    pub fn trim(&mut self, now: Timestamp, shorter: u32) {
        for (tier, (_, kept)) in TIERS.iter().enumerate() {
            let oldest = now.millis().saturating_sub(kept >> shorter);
            while let Some(old) = self.tiers[tier].take_before(oldest) {
                if let Some((period, _)) = TIERS.get(tier + 1) {
                    self.tiers[tier + 1].roll_up(old, *period);
                }
            }
        }
    }

    /// How much is kept, counted in points; three buckets of a histogram count as one, and so does a run of equal data.
    pub fn points(&self) -> usize {
        self.tiers.iter().map(Runs::points).sum()
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.tiers.iter().all(Runs::is_empty)
    }

    /// Adds what was published from `start_ms` until before `end_ms` to `into`, in periods that begin with
    /// `start_ms`. Data that is only kept in longer periods counts where its period begins.
    pub fn read(&self, start_ms: i64, end_ms: i64, period_ms: i64, into: &mut Vec<(i64, Datum)>) {
        // Oldest first: hours, then five minutes, then minutes.
        for tier in self.tiers.iter().rev() {
            for (time, datum) in tier.range(start_ms, end_ms) {
                let begin = start_ms + begin_of(time - start_ms, period_ms);
                match into.binary_search_by_key(&begin, |(known, _)| *known) {
                    Ok(at) => into[at].1.merge(datum),
                    Err(at) => into.insert(at, (begin, datum.clone())),
                }
            }
        }
    }
}

impl Repeats {
    /// Takes in what is published; `newest_ms` is the minute before.
    fn follow(&mut self, (begin_ms, step_ms, count): (i64, i64, i64), newest_ms: i64, datum: &Datum) {
        let distance = begin_ms.saturating_sub(newest_ms);
        let is_same = self.datum.as_ref() == Some(datum) && distance > 0;
        let goes_on = is_same && (count == 1 || step_ms == distance);
        if goes_on && self.step_ms == distance {
            return;
        }
        // The second of two that are equal sets the distance.
        let (since_ms, step_ms) = match (goes_on, count) {
            (true, _) => (newest_ms, distance),
            (false, 1) => (begin_ms, 0),
            (false, _) => (begin_ms, step_ms),
        };
        *self = Repeats { since_ms, step_ms, datum: Some(datum.clone()) };
    }
}

/// What data takes, counted in points.
pub(crate) fn points_of(datum: &Datum) -> usize {
    1 + datum.histogram.as_ref().map_or(0, |histogram| histogram.len().div_ceil(3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::StatisticSet;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_millis(minute * MINUTE_MS)
    }

    fn sums(series: &Series, from: i64, to: i64, period: i64) -> Vec<(i64, f64)> {
        let mut read = Vec::new();
        series.read(from * MINUTE_MS, to * MINUTE_MS, period * MINUTE_MS, &mut read);
        read.into_iter().map(|(time, datum)| (time / MINUTE_MS, datum.set.sum)).collect()
    }

    #[test]
    fn minutes_add_up_to_periods_that_begin_with_the_start() {
        let mut series = Series::new(Unit::COUNT);
        for (minute, value) in [(3, 1.0), (1, 2.0), (3, 4.0), (7, 8.0)] {
            series.publish(at(minute), &StatisticSet::of(value, 1.0).into());
        }
        assert_eq!(sums(&series, 0, 10, 1), [(1, 2.0), (3, 5.0), (7, 8.0)]);
        assert_eq!(sums(&series, 1, 10, 3), [(1, 7.0), (7, 8.0)]);
        assert_eq!(sums(&series, 2, 7, 5), [(2, 5.0)], "the end is not in it");
    }

    #[test]
    fn old_minutes_become_five_then_hours_then_nothing() {
        const DAY: i64 = 24 * 60;
        let mut series = Series::new(Unit::COUNT);
        for minute in 0..60 {
            series.publish(at(minute), &StatisticSet::of(1.0, 1.0).into());
        }
        let periods =
            |series: &Series| series.tiers.each_ref().map(|tier| tier.range(i64::MIN, i64::MAX).count());
        assert_eq!(periods(&series), [60, 0, 0]);
        series.trim(at(15 * DAY + 30), 0);
        assert_eq!(periods(&series), [30, 6, 0]);
        assert_eq!(sums(&series, 0, 60, 60), [(0, 60.0)]);
        series.trim(at(64 * DAY), 0);
        assert_eq!((periods(&series), series.points()), ([0, 0, 1], 1));
        series.trim(at(456 * DAY), 0);
        assert!(series.is_empty());
    }

    #[test]
    fn starts_are_rounded_by_age() {
        const DAY: i64 = 24 * 60;
        let now = at(1_000 * DAY);
        let of =
            |minutes: i64| rounded_start(Timestamp::from_millis(minutes * MINUTE_MS + 1), now) / MINUTE_MS;
        assert_eq!(of(999 * DAY + 7), 999 * DAY + 7);
        assert_eq!(of(980 * DAY + 7), 980 * DAY + 5);
        assert_eq!(of(900 * DAY + 67), 900 * DAY + 60);
    }
}

//! All series of one database, in bounded memory.
//!
//! # Bounds
//! At most [`MOST_SERIES`] series; a metric beyond them is refused, or, if it is one of DynamoDB's own, not kept. At
//! most [`MOST_POINTS`] points over all of them, at 64 bytes each about 64 MB: when there are more, every tier is
//! kept for half as long, and so on until they fit; when there are few again, for twice as long. That is looked for
//! every so often, and when an eighth more of them came in by PutMetricData. So a server with few tables keeps as long
//! as AWS does, and one with many keeps less, but the same for all.

use std::collections::{BTreeMap, BTreeSet};

use dynamometer_types::Timestamp;

use crate::metric::{MetricId, Unit};
use crate::series::{MINUTE_MS, Series, begin_of, points_of};
use crate::statistics::Datum;

/// How many series are kept.
pub const MOST_SERIES: usize = 10_000;
/// How many points are kept, over all series.
pub const MOST_POINTS: usize = 1_000_000;
/// Halving more often would leave less than an alarm looks back.
const SHORTEST: u32 = 12;
/// How many points may come in before what is too much is looked for.
const TRIM_AFTER: usize = MOST_POINTS / 8;
/// How often, in minutes that are closed, what is too old is looked for.
const TRIM_EVERY: u32 = 15;

/// The series of a database.
#[derive(Clone, Debug, Default)]
pub struct Shelf {
    series: BTreeMap<MetricId, Vec<Series>>,
    count: usize,
    shorter: u32,
    minutes_untrimmed: u32,
    points_untrimmed: usize,
}

/// What is published of each period as long as nothing changes: settings, quotas, and that nothing was consumed.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The metric.
    pub metric: MetricId,
    /// Its unit.
    pub unit: Unit,
    /// How long its periods are, which begin at whole multiples of it: minutes that fit in an hour, milliseconds.
    pub period_ms: i64,
    /// What is published.
    pub datum: Datum,
}

impl Standing {
    /// Where its first period begins that is not over before `begin_ms`.
    fn next_ms(&self, begin_ms: i64) -> i64 {
        begin_of(begin_ms, self.period_ms)
    }
}

/// There is no room for another series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl Shelf {
    /// Whether there is room for all of some metrics.
    pub fn has_room<'m>(&self, metrics: impl Iterator<Item = (&'m MetricId, Unit)>) -> bool {
        let is_new = |(metric, unit): &(&MetricId, Unit)| {
            let units = self.series.get(*metric).into_iter().flatten();
            !units.into_iter().any(|series| series.unit == *unit)
        };
        let new: BTreeSet<(&MetricId, Unit)> = metrics.filter(is_new).collect();
        self.count + new.len() <= MOST_SERIES
    }

    /// Publishes data of the minute around a time.
    ///
    /// # Errors
    /// When the series would be a new one and there is no room.
    pub fn publish(
        &mut self,
        metric: MetricId,
        unit: Unit,
        at: Timestamp,
        datum: &Datum,
    ) -> Result<(), Full> {
        self.publish_often(metric, unit, (begin_of(at.millis(), MINUTE_MS), MINUTE_MS, 1), datum)
    }

    fn publish_often(
        &mut self,
        metric: MetricId,
        unit: Unit,
        minutes: (i64, i64, i64),
        datum: &Datum,
    ) -> Result<(), Full> {
        let is_full = self.count >= MOST_SERIES;
        let units = match self.series.get_mut(&metric) {
            Some(units) => units,
            None if is_full => return Err(Full),
            None => self.series.entry(metric).or_default(),
        };
        let series = match units.iter().position(|series| series.unit == unit) {
            Some(at) => &mut units[at],
            None if is_full => return Err(Full),
            None => {
                self.count += 1;
                units.push(Series::new(unit));
                units.last_mut().expect("one was just put in")
            }
        };
        series.publish_often(minutes, datum);
        self.points_untrimmed += points_of(datum);
        Ok(())
    }

    /// Whether all that there is since a time, and each period of it up to `begin_ms`, is what stands.
    pub fn only_repeats(&self, standing: &[Standing], since_ms: i64, begin_ms: i64) -> bool {
        let stands: BTreeMap<(&MetricId, Unit), &Standing> =
            standing.iter().map(|standing| ((&standing.metric, standing.unit), standing)).collect();
        let mut there = 0;
        let repeats = |metric, series: &Series, there: &mut usize| match stands.get(&(metric, series.unit)) {
            None => series.newest_ms < since_ms,
            Some(standing) => {
                *there += 1;
                let next_ms = standing.next_ms(begin_ms);
                series.repeats(&standing.datum, standing.period_ms, since_ms, next_ms)
            }
        };
        let mut all = self.series.iter().flat_map(|(metric, units)| units.iter().map(move |s| (metric, s)));
        all.all(|(metric, series)| repeats(metric, series, &mut there)) && there == stands.len()
    }

    /// Publishes what stands, for the minutes from `begin_ms` until `end_ms`, and does what is done as they pass.
    pub fn pass(&mut self, standing: &[Standing], begin_ms: i64, end_ms: i64) {
        for Standing { metric, unit, period_ms, datum } in standing {
            let first = begin_of(begin_ms, *period_ms);
            let count = (end_ms - first) / period_ms;
            if count > 0 {
                // There may be no room for another metric: the others go on.
                let _ = self.publish_often(metric.clone(), *unit, (first, *period_ms, count), datum);
            }
        }
        let passed = i64::from(self.minutes_untrimmed) + (end_ms - begin_ms) / MINUTE_MS;
        let every = i64::from(TRIM_EVERY);
        // Each time one was due may have brought back what was kept for a shorter time.
        for _ in 0..(passed / every).min(i64::from(SHORTEST) + 1) {
            self.trim(Timestamp::from_millis(end_ms - passed % every * MINUTE_MS));
        }
        self.minutes_untrimmed = (passed % every) as u32;
    }

    /// The data of a metric from `start_ms` until before `end_ms`, in periods that begin with `start_ms`, oldest first.
    /// Without a unit that of all units counts.
    pub fn read(
        &self,
        metric: &MetricId,
        unit: Option<Unit>,
        (start_ms, end_ms): (i64, i64),
        period_ms: i64,
    ) -> Vec<(i64, Datum)> {
        let mut read = Vec::new();
        for series in self.series.get(metric).into_iter().flatten() {
            if unit.is_none_or(|unit| unit == series.unit) {
                series.read(start_ms, end_ms, period_ms, &mut read);
            }
        }
        read
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.series.is_empty()
    }

    /// The unit that a metric was published in, when it was one.
    pub fn unit_of(&self, metric: &MetricId) -> Option<Unit> {
        match self.series.get(metric)?.as_slice() {
            [series] => Some(series.unit),
            _ => None,
        }
    }

    /// The metrics, in order, with the beginning of the newest minute of each.
    pub fn metrics(&self) -> impl Iterator<Item = (&MetricId, i64)> {
        let newest =
            |units: &Vec<Series>| units.iter().map(|series| series.newest_ms).max().unwrap_or(i64::MIN);
        self.series.iter().map(move |(metric, units)| (metric, newest(units)))
    }

    /// Called when a client has published: what is too much does not wait for the minutes to pass.
    pub fn client_published(&mut self, now: Timestamp) {
        if self.points_untrimmed >= TRIM_AFTER {
            self.trim(now);
        }
    }

    /// Called once for each minute that is over: from time to time what is too old is rolled up or dropped.
    pub fn minute_is_over(&mut self, now: Timestamp) {
        self.minutes_untrimmed += 1;
        if self.minutes_untrimmed >= TRIM_EVERY {
            self.trim(now);
        }
    }

    /// Rolls up and drops what is too old or too much.
    pub fn trim(&mut self, now: Timestamp) {
        (self.minutes_untrimmed, self.points_untrimmed) = (0, 0);
        loop {
            let mut points = 0;
            self.series.retain(|_, units| {
                units.retain_mut(|series| {
                    series.trim(now, self.shorter);
                    points += series.points();
                    // A series that is as good as new has data still to come.
                    !series.is_empty() || series.newest_ms > now.millis() - MINUTE_MS
                });
                !units.is_empty()
            });
            if points <= MOST_POINTS || self.shorter == SHORTEST {
                if points <= MOST_POINTS / 4 {
                    // There is room again: twice as long is twice as much at most.
                    self.shorter = self.shorter.saturating_sub(1);
                }
                break;
            }
            self.shorter += 1;
        }
        self.count = self.series.values().map(Vec::len).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Histogram, StatisticSet};

    #[test]
    fn memory_is_bounded_and_nothing_of_the_last_days_is_lost() {
        let mut shelf = Shelf::default();
        let (minutes, series) = (2 * 24 * 60, 12);
        let start = 1_780_272_000_000;
        let time = |minute: i64| Timestamp::from_millis(start + minute * MINUTE_MS);
        let mut histogram = Histogram::default();
        (1..=400).for_each(|bucket| histogram.add(1.03_f64.powi(bucket), 1.0));
        let mut datum = Datum { set: StatisticSet::of(1.0, 1.0), histogram: Some(Box::new(histogram)) };
        let metric = |number: i64| MetricId::dynamodb(&format!("m{number}"), &[]);
        for minute in 0..minutes {
            // What is equal minute after minute would take no room.
            datum.set.maximum = minute as f64;
            for number in 0..series {
                shelf.publish(metric(number), Unit::COUNT, time(minute), &datum).unwrap();
            }
        }
        let points = |shelf: &Shelf| shelf.series.values().flatten().map(Series::points).sum::<usize>();
        assert!(points(&shelf) > MOST_POINTS);
        shelf.trim(time(minutes));
        assert!((MOST_POINTS / 4..=MOST_POINTS).contains(&points(&shelf)), "{}", points(&shelf));
        let read = shelf.read(&metric(7), None, (start, time(minutes).millis()), minutes * MINUTE_MS);
        assert_eq!(read[0].1.set.sum, minutes as f64, "rolled up, not lost");
        assert!(shelf.shorter > 0);
        (0..20).for_each(|_| shelf.trim(time(minutes + 15 * 24 * 60)));
        assert_eq!(shelf.shorter, 0, "what was too much is over");
    }

    #[test]
    fn a_client_cannot_publish_more_than_fits_between_two_minutes() {
        let mut shelf = Shelf::default();
        let mut histogram = Histogram::default();
        (0..150).for_each(|value| histogram.add(1.03_f64.powi(value), 1.0));
        let datum = Datum { set: StatisticSet::of(1.0, 1.0), histogram: Some(Box::new(histogram)) };
        let now = 1_780_272_000_000;
        for minute in 0..25_000 {
            let at = Timestamp::from_millis(now - minute % 20_000 * MINUTE_MS);
            let metric = MetricId::dynamodb(&format!("m{}", minute % 7), &[]);
            shelf.publish(metric, Unit::COUNT, at, &datum).unwrap();
            shelf.client_published(Timestamp::from_millis(now));
        }
        let points: usize = shelf.series.values().flatten().map(Series::points).sum();
        assert!(points <= MOST_POINTS + TRIM_AFTER, "{points}");
    }

    #[test]
    fn there_is_an_end_to_new_series() {
        let mut shelf = Shelf::default();
        let datum = Datum::from(StatisticSet::of(1.0, 1.0));
        let now = Timestamp::from_millis(0);
        let mut publish = |number: usize| {
            shelf.publish(MetricId::dynamodb(&format!("m{number}"), &[]), Unit::COUNT, now, &datum)
        };
        assert!((0..MOST_SERIES).all(|number| publish(number).is_ok()));
        assert_eq!(publish(MOST_SERIES), Err(Full));
        assert_eq!(publish(3), Ok(()));
    }
}

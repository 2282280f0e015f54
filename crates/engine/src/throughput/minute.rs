//! What is counted on a table within a minute, for the metrics of CloudWatch.
//!
//! It lies in the table's live state, under its lock. When a request comes in a later minute than the one before it,
//! what was counted is put aside as a [`ClosedMinute`]; the job that closes minutes collects it.

use std::sync::Arc;
use std::time::Duration;

use dynamometer_capacity::CapacityUnits;
use dynamometer_capacity::admission::{Cause, PerDimension};
use dynamometer_cloudwatch::statistics::{Datum, Histogram, StatisticSet, bucket_of};

use super::contributors::Seen;
use super::usage::{OPERATIONS, Operation};
use crate::catalog::IndexKind;

/// Exact statistics of whole numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    samples: u64,
    sum: u64,
    minimum: u64,
    maximum: u64,
}

impl Counted {
    /// Counts a value.
    pub(crate) fn add(&mut self, value: u64) {
        self.minimum = if self.samples == 0 { value } else { self.minimum.min(value) };
        self.maximum = self.maximum.max(value);
        self.samples += 1;
        self.sum += value;
    }

    /// As a statistic set in a unit of which `one` make one; nothing without values.
    pub(crate) fn to_set(self, one: f64) -> Option<StatisticSet> {
        let of = |value: u64| value as f64 / one;
        (self.samples > 0).then(|| StatisticSet {
            samples: self.samples as f64,
            sum: of(self.sum),
            minimum: of(self.minimum),
            maximum: of(self.maximum),
        })
    }
}

/// Buckets of latencies: from a microsecond on, 26 doublings of 32 buckets each, about a minute.
const LATENCY_BUCKETS: usize = 26 * 32;
const SHORTEST_MS: f64 = 0.001;

/// How long requests of one operation took.
#[derive(Clone, Debug)]
pub(crate) struct Latency {
    micros: Counted,
    buckets: [u32; LATENCY_BUCKETS],
}

impl Latency {
    fn new() -> Box<Latency> {
        Box::new(Latency { micros: Counted::default(), buckets: [0; LATENCY_BUCKETS] })
    }

    fn add(&mut self, elapsed: Duration) {
        let micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        self.micros.add(micros);
        let bucket = bucket_of(micros as f64 * SHORTEST_MS) - bucket_of(SHORTEST_MS);
        self.buckets[bucket.clamp(0, LATENCY_BUCKETS as i64 - 1) as usize] += 1;
    }

    /// In milliseconds.
    pub(crate) fn to_datum(&self) -> Option<Datum> {
        let mut histogram = Histogram::default();
        for (at, count) in self.buckets.iter().enumerate().filter(|(_, count)| **count > 0) {
            histogram.add_to(bucket_of(SHORTEST_MS) + at as i64, f64::from(*count));
        }
        Some(Datum { set: self.micros.to_set(1000.0)?, histogram: Some(Box::new(histogram)) })
    }
}

/// What was counted on a table or a global index; a local index counts with its table.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResourceMinute {
    /// Half units of each request.
    pub(crate) consumed: PerDimension<Counted>,
    /// Throttle events by cause.
    pub(crate) throttles: PerDimension<[u32; Cause::ALL.len()]>,
}

/// What was counted on a table by operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct TableMinute {
    /// Requests that were throttled.
    pub(crate) throttled: [u32; OPERATIONS],
    /// How long those took that ran.
    pub(crate) latency: [Option<Box<Latency>>; OPERATIONS],
    /// Items that pages answered.
    pub(crate) returned: [Counted; OPERATIONS],
    /// Conditions that failed.
    pub(crate) failed_conditions: u32,
    /// Items of each request that were refused because of a transaction in progress, of requests that had such items.
    pub(crate) conflicts: Counted,
    /// What was read of the table's streams, by their labels.
    pub(crate) streams: Vec<(String, StreamMinute)>,
}

/// What was read of a stream.
#[derive(Clone, Debug)]
pub(crate) struct StreamMinute {
    pub(crate) latency: Box<Latency>,
    pub(crate) records: Counted,
    pub(crate) bytes: Counted,
}

impl TableMinute {
    /// Counts a request that ran.
    pub(crate) fn succeed(&mut self, operation: Operation, elapsed: Duration, returned: Option<u64>) {
        self.latency[operation as usize].get_or_insert_with(Latency::new).add(elapsed);
        if let Some(items) = returned {
            self.returned[operation as usize].add(items);
        }
    }
}

impl TableMinute {
    /// Counts a GetRecords call.
    pub(crate) fn read_stream(&mut self, label: &str, elapsed: Duration, records: u64, bytes: u64) {
        let at = match self.streams.iter().position(|(known, _)| known == label) {
            Some(at) => at,
            None => {
                let (records, bytes) = Default::default();
                self.streams
                    .push((label.to_owned(), StreamMinute { latency: Latency::new(), records, bytes }));
                self.streams.len() - 1
            }
        };
        let stream = &mut self.streams[at].1;
        stream.latency.add(elapsed);
        stream.records.add(records);
        stream.bytes.add(bytes);
    }
}

impl ResourceMinute {
    /// Counts a throttle event.
    pub(crate) fn throttle(&mut self, operation: Operation, cause: Cause) {
        self.throttles[operation.dimension()][cause as usize] += 1;
    }

    /// Counts the units of a request.
    pub(crate) fn consume(&mut self, operation: Operation, units: CapacityUnits) {
        self.consumed[operation.dimension()].add(units.halves());
    }
}

/// What was counted in a minute that is over.
#[derive(Debug)]
pub(crate) struct ClosedMinute {
    /// Where the minute begins, milliseconds.
    pub(crate) begin_ms: i64,
    pub(crate) table: TableMinute,
    /// The table, then its global indexes.
    pub(crate) resources: Vec<ClosedResource>,
}

/// One table or global index in a minute that is over.
#[derive(Debug)]
pub(crate) struct ClosedResource {
    /// The index; `None` for the table itself.
    pub(crate) index: Option<Arc<str>>,
    pub(crate) counted: ResourceMinute,
    /// What the rules of Contributor Insights saw.
    pub(crate) contributors: Vec<Seen>,
}

/// The name of a global index, or that it is the table itself; nothing for a local index.
pub(crate) fn own_series(index: Option<&(Arc<str>, IndexKind)>) -> Option<Option<Arc<str>>> {
    match index {
        None => Some(None),
        Some((name, IndexKind::Global)) => Some(Some(name.clone())),
        Some((_, IndexKind::Local)) => None,
    }
}

#[cfg(test)]
mod tests {
    use dynamometer_cloudwatch::statistics::Statistic;

    use super::*;

    #[test]
    fn counted_values_become_exact_sets() {
        let mut halves = Counted::default();
        assert_eq!(halves.to_set(2.0), None);
        [4, 1, 2].into_iter().for_each(|value| halves.add(value));
        let set = StatisticSet { samples: 3.0, sum: 3.5, minimum: 0.5, maximum: 2.0 };
        assert_eq!(halves.to_set(2.0), Some(set));
    }

    #[test]
    fn latencies_are_exact_but_for_percentiles_within_a_64th() {
        let mut latency = Latency::new();
        for micros in 1..=5_000 {
            latency.add(Duration::from_micros(micros));
        }
        latency.add(Duration::from_secs(3_600));
        let datum = latency.to_datum().unwrap();
        assert_eq!((datum.set.samples, datum.set.minimum, datum.set.maximum), (5_001.0, 0.001, 3.6e6));
        for percent in [1.0, 50.0, 99.0] {
            let exact = percent * 0.05;
            let value = datum.statistic(Statistic::Percentile(percent)).unwrap();
            assert!((value - exact).abs() <= exact / 64.0 + 0.001, "p{percent}: {value} for {exact}");
        }
    }
}

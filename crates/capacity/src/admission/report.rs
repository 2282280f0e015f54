//! What can be seen of a table's capacity.

use std::sync::Arc;

use dynamometer_types::Timestamp;

use super::bucket::GRAINS_PER_HALF;
use super::minutes::MINUTE_MS;
use super::resource::Resource;
use super::{BillingMode, Cause, Dimension, NoSplit, PerDimension};
use crate::{CapacityUnits, Constants};

/// Sums since the start, of one dimension of a table or index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Half units consumed by admitted requests.
    pub consumed_halves: u64,
    /// Requests admitted; each element of a batch is one.
    pub requests: u64,
    refusals: [u64; 4],
}

impl Counters {
    /// Units consumed by admitted requests.
    pub fn consumed(&self) -> CapacityUnits {
        CapacityUnits::from_halves(self.consumed_halves)
    }

    /// Throttle events by their cause; each element of a batch is one.
    pub fn refusals(&self, cause: Cause) -> u64 {
        self.refusals[cause as usize]
    }

    /// All throttle events.
    pub fn all_refusals(&self) -> u64 {
        self.refusals.iter().sum()
    }

    pub(crate) fn refuse(&mut self, cause: Cause, count: u64) {
        self.refusals[cause as usize] += count;
    }
}

/// What Contributor Insights shows for a key: three for a write unit and one for a read unit, so that a partition used
/// to its limit shows 180,000 a minute either way.
///
/// # Source
/// Developer Guide 2026, "Contributor Insights: how it works".
pub fn contributor_insights_units(consumed: PerDimension<CapacityUnits>) -> u64 {
    (3 * consumed.write.halves() + consumed.read.halves()) / 2
}

/// The capacity of a table or index at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceReport {
    /// The index; `None` for the table.
    pub index: Option<Arc<str>>,
    /// Its mode.
    pub mode: BillingMode,
    /// Provisioned units per second; zero on demand.
    pub provisioned: PerDimension<u64>,
    /// Maximum on-demand throughput, where one is set.
    pub maximum: PerDimension<Option<u64>>,
    /// Units per second served in this mode: what is provisioned, or what on-demand has grown to.
    pub rate: PerDimension<u64>,
    /// Warm throughput in units per second.
    pub warm: PerDimension<u64>,
    /// Whether a raise of warm throughput is under way.
    pub is_warming: bool,
    /// The previous peak in units per second, as far as it counts already.
    pub previous_peak: PerDimension<u64>,
    /// Burst capacity in hand; zero on demand.
    pub burst: PerDimension<CapacityUnits>,
    /// `NumberOfDecreasesToday`.
    pub decreases_today: u64,
    /// `LastDecreaseDateTime`.
    pub last_decrease: Option<Timestamp>,
    /// `LastIncreaseDateTime`.
    pub last_increase: Option<Timestamp>,
    /// Sums since the start.
    pub counters: PerDimension<Counters>,
    /// Its partitions in order of their range.
    pub partitions: Vec<PartitionReport>,
}

/// One partition at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionReport {
    /// The first hash of its range.
    pub start_hash: u64,
    /// The first sort key of its range, if it begins inside an item collection.
    pub start_sort_key: Box<[u8]>,
    /// Bytes stored.
    pub bytes: u64,
    /// How many of the last 64 seconds that it was used in were hot.
    pub hot_seconds: u32,
    /// When the split under way will be done.
    pub split_ready_at: Option<Timestamp>,
    /// Why it was not split when last looked at.
    pub no_split: Option<NoSplit>,
}

impl Resource {
    /// What can be seen of it at `now`.
    pub(crate) fn report(&self, now: Timestamp, constants: &Constants) -> ResourceReport {
        let mut current = self.clone();
        let burst = |resource: &mut Self, dimension| {
            resource.refill(now.millis(), dimension, constants);
            let grains = resource.burst_grains(dimension, constants);
            CapacityUnits::from_halves((grains / GRAINS_PER_HALF).unsigned_abs())
        };
        ResourceReport {
            index: self.name.clone(),
            mode: self.mode,
            provisioned: self.provisioned,
            maximum: self.maximum,
            rate: self.rate(),
            warm: self.warm,
            is_warming: self.warm_pending.is_some(),
            previous_peak: PerDimension::new(self.peaks.read.counted(), self.peaks.write.counted()),
            burst: PerDimension::new(
                burst(&mut current, Dimension::Read),
                burst(&mut current, Dimension::Write),
            ),
            decreases_today: self.decreases.today(now),
            last_decrease: self.decreases.last(),
            last_increase: self.last_increase,
            counters: self.counters,
            partitions: self
                .partitions
                .iter()
                .map(|(_, partition)| PartitionReport {
                    start_hash: partition.start.hash,
                    start_sort_key: partition.start.sort_key.clone(),
                    bytes: partition.bytes,
                    hot_seconds: partition.heat.hot_count(),
                    split_ready_at: partition.split.as_ref().map(|(at, _)| Timestamp::from_millis(*at)),
                    no_split: partition.no_split,
                })
                .collect(),
        }
    }

    /// What was consumed in the minute that began `minutes_ago` whole minutes before the one of `now`.
    pub(crate) fn minute(
        &self,
        now: Timestamp,
        minutes_ago: i64,
        dimension: Dimension,
    ) -> Option<CapacityUnits> {
        let minute = now.millis().div_euclid(MINUTE_MS) - minutes_ago;
        self.minutes[dimension].sum(minute).map(CapacityUnits::from_halves)
    }
}

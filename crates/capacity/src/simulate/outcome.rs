//! What came of a setting.

use std::sync::Arc;

use dynamometer_types::Timestamp;

use super::Setting;
use crate::CapacityUnits;
use crate::admission::{Cause, Dimension, PerDimension};
use crate::money::{Bill, Money};

/// A setting under a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The setting.
    pub setting: Setting,
    /// Requests made.
    pub asked: PerDimension<u64>,
    /// Requests refused. Nobody tries again.
    pub refused: PerDimension<u64>,
    /// Units consumed, of the table and its indexes.
    pub consumed: PerDimension<CapacityUnits>,
    /// Why requests were refused, the most common reason first.
    pub reasons: Vec<Reason>,
    /// The minute in which the largest share of requests was refused; `None` if none was.
    pub worst: Option<WorstMinute>,
    /// The bill of the period; an error names the price that the region lacks.
    pub bill: Result<Bill, String>,
    /// The same for a month of 730 hours, charges that are made once left out.
    pub month: Option<Money>,
    /// Charges that are made once: warming.
    pub once: Money,
    /// Minute by minute.
    pub minutes: Vec<MinutePoint>,
    /// Changes of throughput that auto scaling made.
    pub scalings: u64,
    /// Changes that it wanted and was refused, for there were too many decreases.
    pub scalings_refused: u64,
    /// For a trace: decisions that came out otherwise than recorded, of those that could be compared.
    pub differing: Option<u64>,
}

/// Why requests were refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The index that refused; `None` for the table.
    pub index: Option<Arc<str>>,
    /// Reads or writes.
    pub dimension: Dimension,
    /// The budget.
    pub cause: Cause,
    /// How many.
    pub count: u64,
}

impl Reason {
    /// As in ThrottlingReasons, with the name of the index.
    pub fn text(&self) -> String {
        let (kind, name) = match &self.index {
            Some(name) => ("Index", format!(" ({name})")),
            None => ("Table", String::new()),
        };
        format!("{kind}{}{}{name}", self.dimension.word(), self.cause.word())
    }
}

/// The minute with the most refusals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorstMinute {
    /// When it began.
    pub at: Timestamp,
    /// The share of its requests that were refused, in parts per million.
    pub refused_ppm: u64,
}

/// One minute of one setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MinutePoint {
    /// Requests made.
    pub asked: PerDimension<u64>,
    /// Requests refused.
    pub refused: PerDimension<u64>,
    /// Half units consumed by the table, its global indexes apart.
    pub consumed_halves: PerDimension<u64>,
    /// Units per second that the table served as the minute ended.
    pub allowed: PerDimension<u64>,
    /// Partitions of the table and its indexes as the minute ended.
    pub partitions: u64,
}

impl MinutePoint {
    /// Requests of both kinds.
    pub fn all_asked(&self) -> u64 {
        self.asked.read + self.asked.write
    }

    /// Refusals of both kinds.
    pub fn all_refused(&self) -> u64 {
        self.refused.read + self.refused.write
    }
}

impl Outcome {
    /// The share of requests that were refused, in parts per million.
    pub fn refused_ppm(&self) -> u64 {
        ppm(self.refused.read + self.refused.write, self.asked.read + self.asked.write)
    }

    /// Units consumed, reads and writes together.
    pub fn units(&self) -> CapacityUnits {
        self.consumed.read + self.consumed.write
    }
}

/// One number in parts per million of another; 0 of nothing. Something is never shown as nothing.
pub(crate) fn ppm(part: u64, whole: u64) -> u64 {
    let share = (u128::from(part) * 1_000_000).checked_div(u128::from(whole)).unwrap_or(0) as u64;
    if part > 0 { share.max(1) } else { 0 }
}

/// The minute with the largest refused share; of equal ones the first.
pub(crate) fn worst_minute(start: Timestamp, minutes: &[MinutePoint]) -> Option<WorstMinute> {
    let mut worst: Option<WorstMinute> = None;
    for (minute, point) in minutes.iter().enumerate() {
        let refused_ppm = ppm(point.all_refused(), point.all_asked());
        if refused_ppm > worst.map_or(0, |worst| worst.refused_ppm) {
            worst = Some(WorstMinute { at: start + minute as i64 * 60_000, refused_ppm });
        }
    }
    worst
}

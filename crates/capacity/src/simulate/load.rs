//! A synthetic load: who asks for what, how often, when, and of which keys.

use std::sync::Arc;

use dynamometer_types::Timestamp;
use dynamometer_types::limits::{ITEM_BYTES, PAGE_BYTES};
use thiserror::Error;

use crate::admission::Dimension;
use crate::quantity::minute_text;
use crate::{CapacityUnits, Consistency, meter};

/// A load on one table and its global secondary indexes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// When it begins: a whole minute.
    pub start: Timestamp,
    /// How long it lasts, in minutes.
    pub minutes: u64,
    /// The keys that requests go to.
    pub key_spaces: Vec<KeySpace>,
    /// Global secondary indexes, which every write of the table may change.
    pub indexes: Vec<IndexLoad>,
    /// What is asked.
    pub streams: Vec<Stream>,
    /// Moments at which more is asked.
    pub spikes: Vec<Spike>,
    /// Bytes stored, billing overhead and index entries included.
    pub storage_bytes: u64,
    /// Where chance begins: the same number gives the same load.
    pub seed: u64,
}

/// Requests of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Its name, for people.
    pub name: String,
    /// Reads or writes.
    pub dimension: Dimension,
    /// Thousandths of a request per second, on average over the week of its schedule, spikes apart.
    pub milli_per_second: u64,
    /// What a request reads or writes.
    pub sizes: Vec<Size>,
    /// How consistent reads are; a transactional write costs double too.
    pub consistency: Consistency,
    /// The number of its key space.
    pub keys: usize,
    /// The number of the index that a read asks; `None` for the table.
    pub index: Option<usize>,
    /// The share of reads that want all items of their partition key, in parts per million: should that be divided into
    /// shards, they have to ask each. The others know their item, and so its shard.
    pub gather_ppm: u64,
    /// When it is busy.
    pub schedule: Schedule,
}

/// A size of items, or of pages of a Query, and how common it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Bytes, by the rule of item sizes.
    pub bytes: u64,
    /// Its share relative to the others.
    pub weight: u32,
}

/// A global secondary index under a load of writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexLoad {
    /// Its name.
    pub name: Arc<str>,
    /// The number of its key space; drawn independently of the table's key.
    pub keys: usize,
    /// The size of an entry.
    pub entry_bytes: u64,
    /// The share of writes that change an entry, in parts per million: less than all of them in a sparse index.
    pub write_share_ppm: u64,
}

/// Partition keys and how requests are spread over them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySpace {
    /// Its name, for people.
    pub name: String,
    /// How many partition keys there are.
    pub count: u64,
    /// Items of each key that are asked for evenly. With one, a hot key is a hot item, which no split helps.
    pub items_per_key: u64,
    /// How requests are spread.
    pub skew: Skew,
}

/// How requests are spread over partition keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skew {
    /// Evenly.
    Uniform,
    /// By Zipf's law: the key of rank k gets 1/k^s, s in hundredths.
    Zipf(u64),
    /// One key gets this share in parts per million, the others the rest evenly.
    Hot(u64),
    /// All go to the newest key, at ever larger sort keys; a new one begins every so many minutes.
    Time(u64),
}

/// How busy the hours and weekdays are relative to each other, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// At the beginning of each hour; between them it changes evenly.
    pub hours: [u32; 24],
    /// From Monday to Sunday.
    pub weekdays: [u32; 7],
}

impl Schedule {
    /// Always the same.
    pub const FLAT: Self = Self { hours: [100; 24], weekdays: [100; 7] };
    /// A quiet night, a busy day, the most in the evening.
    pub const DAY: Self = Self {
        hours: [
            47, 36, 31, 29, 29, 33, 46, 67, 93, 114, 124, 129, 134, 129, 124, 122, 124, 129, 144, 165, 175,
            165, 129, 82,
        ],
        weekdays: [100; 7],
    };
    /// As on working days from eight to six, little else.
    pub const OFFICE: Self = Self {
        hours: [
            8, 8, 8, 8, 8, 10, 20, 60, 150, 210, 220, 210, 170, 200, 220, 215, 200, 150, 80, 50, 35, 25, 15,
            10,
        ],
        weekdays: [110, 115, 115, 115, 105, 25, 20],
    };

    /// The rate at a minute, when `mean` is that of the whole week.
    pub fn rate(&self, mean: u64, at: Timestamp) -> u64 {
        let minute = at.millis().div_euclid(60_000);
        let (hour, in_hour) = (minute.div_euclid(60), minute.rem_euclid(60) as u128);
        let this = u128::from(self.hours[hour.rem_euclid(24) as usize]);
        let next = u128::from(self.hours[(hour + 1).rem_euclid(24) as usize]);
        // The first of January 1970 was a Thursday.
        let weekday = u128::from(self.weekdays[(hour.div_euclid(24) + 3).rem_euclid(7) as usize]);
        let level = (this * (60 - in_hour) + next * in_hour) * weekday;
        let sum = |parts: &[u32]| parts.iter().map(|part| u128::from(*part)).sum::<u128>();
        let week = sum(&self.hours) * sum(&self.weekdays);
        (u128::from(mean) * level * 24 * 7).checked_div(60 * week).unwrap_or(0) as u64
    }
}

/// More requests for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spike {
    /// When it begins.
    pub at: Timestamp,
    /// How many times as much, in thousandths.
    pub times_milli: u64,
    /// How long it lasts in seconds.
    pub seconds: u64,
}

impl Spike {
    /// Whether it is on in the second that begins then.
    pub fn covers(&self, at: Timestamp) -> bool {
        let since = at - self.at;
        since >= 0 && since.unsigned_abs() < self.seconds.saturating_mul(1_000)
    }
}

/// A load that cannot be simulated.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct LoadError(pub String);

/// The most partition keys of a key space.
pub const MOST_KEYS: u64 = 100_000;
/// The longest simulation in minutes: a year.
pub const MOST_MINUTES: u64 = 366 * 1_440;
/// The most requests per second of a stream, spikes included.
const MOST_PER_SECOND: u64 = 10_000_000;

impl Load {
    /// Checks that the parts fit together.
    ///
    /// # Errors
    /// A sentence that says what to change.
    pub fn check(&self) -> Result<(), LoadError> {
        let wrong = |sentence: String| Err(LoadError(sentence));
        if self.minutes == 0 || self.minutes > MOST_MINUTES {
            return wrong(format!("a simulation lasts from one minute to {} days", MOST_MINUTES / 1_440));
        }
        if self.streams.iter().all(|stream| stream.milli_per_second == 0) {
            return wrong("there is nothing to simulate: give a rate of reads or of writes".to_owned());
        }
        for space in &self.key_spaces {
            space.check()?;
        }
        let has_keys = |keys: usize| keys < self.key_spaces.len();
        for index in &self.indexes {
            if !has_keys(index.keys) || index.write_share_ppm > 1_000_000 {
                return wrong(format!(
                    "index {} needs known keys, and a share of writes of at most 100 %",
                    index.name
                ));
            }
        }
        let end = self.start + (self.minutes * 60_000) as i64;
        for Spike { at, seconds, .. } in &self.spikes {
            if *at >= end || *at + (seconds.saturating_mul(1_000) as i64) <= self.start {
                return wrong(format!(
                    "the spike of {} is outside of the time that is simulated: {} to {}",
                    minute_text(*at),
                    minute_text(self.start),
                    minute_text(end)
                ));
            }
        }
        let most_times = self.spikes.iter().map(|spike| spike.times_milli).max().unwrap_or(0).max(1_000);
        for stream in &self.streams {
            let name = &stream.name;
            if !has_keys(stream.keys) || stream.index.is_some_and(|index| index >= self.indexes.len()) {
                return wrong(format!("stream {name} names keys or an index that do not exist"));
            }
            if stream.index.is_some() && stream.dimension == Dimension::Write {
                return wrong(format!("stream {name} writes to an index; writes go to the table"));
            }
            if stream.gather_ppm > 1_000_000 {
                return wrong(format!("stream {name}: at most 100 % of reads can want all of a key"));
            }
            if stream.sizes.iter().all(|size| size.weight == 0) {
                return wrong(format!("stream {name} needs an item size"));
            }
            let (largest, holds) = match stream.dimension {
                Dimension::Read => (PAGE_BYTES, "a read answers at most 1 MB"),
                Dimension::Write => (ITEM_BYTES, "an item has at most 400 KB"),
            };
            if let Some(size) = stream.sizes.iter().find(|size| size.bytes > largest) {
                return wrong(format!("stream {name}: {} bytes are too many: {holds}", size.bytes));
            }
            let most = u128::from(self.peak_milli(stream)) * u128::from(most_times) / 1_000_000;
            if most > u128::from(MOST_PER_SECOND) {
                return wrong(format!(
                    "stream {name} would reach {most} requests a second; at most {MOST_PER_SECOND} can be simulated"
                ));
            }
        }
        Ok(())
    }

    /// The highest rate of a stream in its week, spikes apart, in thousandths per second.
    pub fn peak_milli(&self, stream: &Stream) -> u64 {
        let hours = 0..self.minutes.min(7 * 1_440).div_ceil(60);
        let at = |hour: u64| self.start + (hour * 3_600_000) as i64;
        hours.map(|hour| stream.schedule.rate(stream.milli_per_second, at(hour))).max().unwrap_or(0)
    }

    /// How many times the usual is asked at a second, in thousandths.
    pub(crate) fn times_milli(&self, at: Timestamp) -> u64 {
        let on = self.spikes.iter().filter(|spike| spike.covers(at));
        on.map(|spike| spike.times_milli).max().unwrap_or(1_000)
    }
}

impl KeySpace {
    fn check(&self) -> Result<(), LoadError> {
        let name = &self.name;
        let wrong = |sentence: String| Err(LoadError(sentence));
        if self.count == 0 || self.count > MOST_KEYS {
            return wrong(format!("{name}: from 1 to {MOST_KEYS} keys, not {}", self.count));
        }
        if self.items_per_key == 0 {
            return wrong(format!("{name}: at least one item for each key"));
        }
        match self.skew {
            Skew::Zipf(hundredths) if hundredths > 1_000 => {
                wrong(format!("{name}: a Zipf exponent from 0 to 10"))
            }
            Skew::Hot(ppm) if ppm > 1_000_000 => wrong(format!("{name}: a hot key takes at most 100 %")),
            Skew::Time(0) => wrong(format!("{name}: a new key at most every minute")),
            _ => Ok(()),
        }
    }
}

impl Stream {
    /// What a request of that size costs on the table, or on the index that it reads.
    pub fn cost(&self, bytes: u64) -> CapacityUnits {
        match self.dimension {
            Dimension::Read => meter::meter_page_read(bytes, self.consistency),
            Dimension::Write => {
                meter::meter_item_write(None, Some(bytes), self.consistency == Consistency::Transactional)
            }
        }
    }

    /// What a request costs on average, in millionths of half a unit.
    pub fn mean_micro_halves(&self) -> u64 {
        let sum = |of: &dyn Fn(&Size) -> u64| -> u128 {
            self.sizes.iter().map(|size| u128::from(of(size)) * u128::from(size.weight)).sum()
        };
        let weights = sum(&|_| 1);
        (sum(&|size| self.cost(size.bytes).halves()) * 1_000_000).checked_div(weights).unwrap_or(0) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_have_the_mean_that_was_asked_for() {
        // 2026-06-01 is a Monday.
        let monday = Timestamp::from_millis(1_780_272_000_000);
        for schedule in [Schedule::FLAT, Schedule::DAY, Schedule::OFFICE] {
            let minutes = 7 * 1_440;
            let sum: u64 =
                (0..minutes).map(|minute| schedule.rate(1_000_000, monday + minute * 60_000)).sum();
            let mean = sum / minutes as u64;
            assert!(mean.abs_diff(1_000_000) < 2_000, "{mean}");
        }
        let at = |hours: i64| Schedule::OFFICE.rate(1_000_000, monday + hours * 3_600_000);
        assert!(at(10) > 8 * at(5 * 24 + 10) / 2, "Monday at ten against Saturday at ten");
        assert!(at(10) > 20 * at(3));
    }
}

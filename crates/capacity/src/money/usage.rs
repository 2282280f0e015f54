//! What was used in a period.

use dynamometer_types::Timestamp;

use super::TableClass;
use crate::CapacityUnits;
use crate::admission::{BillingMode, PerDimension};

/// Hours in a month, for estimates and for GB-months.
///
/// # Source
/// 365 days × 24 hours / 12; the figure that AWS's own price examples use.
pub const HOURS_PER_MONTH: u64 = 730;

/// What storage billing adds to each item, and to each index entry.
///
/// # Source
/// Documented: Developer Guide 2026, "Understanding billing", "Global secondary indexes", "Local secondary indexes". It
/// counts neither for capacity units nor for the 400 KB limit.
pub const ITEM_STORAGE_OVERHEAD_BYTES: u64 = 100;

/// What a replica of a global table (2019.11.21) adds to each item beside that.
///
/// # Source
/// Documented: Developer Guide 2026, "Understanding billing".
pub const REPLICA_ITEM_STORAGE_OVERHEAD_BYTES: u64 = 48;

/// The bytes that are billed as storage for `items` items (or index entries) of `bytes` in all.
pub const fn billed_storage_bytes(items: u64, bytes: u64) -> u64 {
    bytes.saturating_add(items.saturating_mul(ITEM_STORAGE_OVERHEAD_BYTES))
}

/// What one table or one index used in a period. Sums of usages are made field by field, of equal mode and class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Whether requests or provisioned hours are paid; the other kind is then of no account.
    pub mode: BillingMode,
    /// The class of the table.
    pub class: TableClass,
    /// Consumed units; paid on demand. Those of a transaction count double already.
    pub consumed: PerDimension<CapacityUnits>,
    /// Consumed write units of a global table's replica, paid on demand instead of plain ones.
    pub replicated_writes: CapacityUnits,
    /// Provisioned units times seconds; see [`HourlyPeak`].
    pub provisioned_unit_seconds: PerDimension<u128>,
    /// Provisioned write units of a global table's replica times seconds, instead of plain ones.
    pub replicated_unit_seconds: u128,
    /// Stored bytes, overhead included, times seconds; see [`Integral`].
    pub storage_byte_seconds: u128,
    /// The same under point-in-time recovery. Table and local indexes; global indexes are assumed to be left out.
    pub pitr_byte_seconds: u128,
    /// Bytes of backups times seconds.
    pub backup_byte_seconds: u128,
    /// Bytes restored, indexes included.
    pub restored_bytes: u64,
    /// Bytes exported to S3.
    pub exported_bytes: u64,
    /// Bytes imported from S3.
    pub imported_bytes: u64,
    /// GetRecords calls on the stream, but for those of Lambda triggers, which are free.
    pub stream_reads: u64,
    /// Change data capture units for Kinesis.
    pub cdc_units: u64,
    /// By how much warm throughput was raised, in units per second.
    pub warm_raise: PerDimension<u64>,
    /// Bytes sent out to the internet.
    pub transferred_out_bytes: u64,
}

/// A quantity that changes from time to time, summed over time: stored bytes to byte-seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integral {
    value: u64,
    since: Timestamp,
    /// Value times milliseconds.
    sum: u128,
}

impl Integral {
    /// Starts with `value` at `now`.
    pub const fn new(value: u64, now: Timestamp) -> Self {
        Self { value, since: now, sum: 0 }
    }

    /// The quantity is `value` from `now` on.
    pub fn set(&mut self, value: u64, now: Timestamp) {
        let elapsed = (now - self.since).max(0).unsigned_abs();
        self.sum += u128::from(self.value) * u128::from(elapsed);
        self.value = value;
        self.since = self.since.max(now);
    }

    /// The sum until `now`, in quantity times seconds, rounded down.
    pub fn unit_seconds(mut self, now: Timestamp) -> u128 {
        self.set(self.value, now);
        self.sum / 1_000
    }
}

/// Provisioned throughput as it is billed: by the hour, each begun hour in full, at the highest of the hour.
///
/// # Source
/// Documented that it is billed by the hour whether used or not; that the highest value counts is assumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HourlyPeak {
    value: u64,
    hour: i64,
    highest: u64,
    unit_hours: u128,
}

impl HourlyPeak {
    /// Starts with `value` at `now`.
    pub const fn new(value: u64, now: Timestamp) -> Self {
        Self { value, hour: hour(now), highest: value, unit_hours: 0 }
    }

    /// The throughput is `value` from `now` on.
    pub fn set(&mut self, value: u64, now: Timestamp) {
        let passed = (hour(now) - self.hour).max(0).unsigned_abs();
        if passed > 0 {
            let full_hours = u128::from(self.value) * u128::from(passed - 1);
            self.unit_hours += u128::from(self.highest) + full_hours;
            // What was in force before counts for the new hour only if the hour began with it.
            self.highest = if now.millis().rem_euclid(HOUR_MS) == 0 { 0 } else { self.value };
            self.hour = hour(now);
        }
        self.value = value;
        self.highest = self.highest.max(value);
    }

    /// The sum until `now`, the hour under way included, in units times seconds.
    pub fn unit_seconds(mut self, now: Timestamp) -> u128 {
        self.set(self.value, now);
        (self.unit_hours + u128::from(self.highest)) * 3_600
    }
}

const HOUR_MS: i64 = 3_600_000;

const fn hour(now: Timestamp) -> i64 {
    now.millis().div_euclid(HOUR_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hours_in_tenths: i64) -> Timestamp {
        Timestamp::from_millis(hours_in_tenths * 360_000)
    }

    #[test]
    fn storage_is_summed_to_the_second() {
        let mut bytes = Integral::new(100, at(0));
        bytes.set(300, at(5));
        bytes.set(0, at(10));
        assert_eq!(bytes.unit_seconds(at(999)), (100 + 300) * 1_800);
    }

    #[test]
    fn provisioned_hours_count_in_full_at_their_highest() {
        let mut peak = HourlyPeak::new(5, at(0));
        peak.set(50, at(3));
        peak.set(10, at(6));
        peak.set(20, at(35));
        // Hour 0 at 50; 1 and 2 at 10; 3 at 20; 4 has begun.
        assert_eq!(peak.unit_seconds(at(41)), (50 + 10 + 10 + 20 + 20) * 3_600);
        peak.set(1, at(50));
        // Lowered as the hour began.
        assert_eq!(peak.unit_seconds(at(51)), (50 + 10 + 10 + 20 + 20 + 1) * 3_600);
    }
}

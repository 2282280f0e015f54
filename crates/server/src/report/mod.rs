//! `GET /_dyno/report`: what the traffic since the start of the server consumed, what it costs, where it would be
//! throttled, and what to do about it.
//!
//! [`Report`] is the JSON, member by member; names carry their units and stay. `dyno report` reads it back. Rates are
//! over the time from the first request to the last one, at least a second.

mod advice;
mod build;
mod coverage;
mod metrics;
mod money;

pub use build::build;
pub use coverage::{CoverageReport, PatternReport, UncoveredReport};
pub use metrics::metrics;

use serde::{Deserialize, Serialize};

/// The report of one database.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// `off`, `report` or `enforce`.
    pub throttle: String,
    /// The region whose prices count.
    pub region: String,
    /// The first request, as `2026-06-01T00:00:00.000Z`; absent when there was none.
    pub from: Option<String>,
    /// The last one.
    pub to: Option<String>,
    /// From the first to the last, at least 1 when there was any.
    pub seconds: f64,
    /// The tables that were used, in order of name.
    pub tables: Vec<TableReport>,
    /// What all of it costs; absent when there was nothing, or when a price is missing.
    pub money: Option<MoneyReport>,
    /// Why there is no money: which price is missing.
    pub money_missing: Option<String>,
    /// What to do, the most pressing first.
    pub advice: Vec<Advice>,
    /// The traffic held against the design of `--design`; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<CoverageReport>,
}

/// One table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableReport {
    /// Its name.
    pub table: String,
    /// `PROVISIONED` or `PAY_PER_REQUEST`.
    pub billing_mode: String,
    /// `STANDARD` or `STANDARD_INFREQUENT_ACCESS`.
    pub table_class: String,
    /// The table itself, then its indexes.
    pub resources: Vec<ResourceReport>,
    /// Write units that all indexes took for one of the table; absent without writes or indexes.
    pub index_write_amplification: Option<f64>,
}

/// The table itself or one index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResourceReport {
    /// The index; absent for the table itself.
    pub index: Option<String>,
    /// `table`, `global index` or `local index`. A local index draws from its table: limits and refusals are there.
    pub kind: String,
    /// Requests that read; each element of a batch is one.
    pub reads: u64,
    /// Requests that wrote; on an index, writes that changed its entries.
    pub writes: u64,
    /// Units that they consumed.
    pub read_units: f64,
    /// Units that they consumed.
    pub write_units: f64,
    /// Over the time of the report.
    pub reads_per_second: f64,
    /// Over the time of the report.
    pub writes_per_second: f64,
    /// Over the time of the report.
    pub read_units_per_second: f64,
    /// Over the time of the report.
    pub write_units_per_second: f64,
    /// What is served at once now: what is provisioned, or what on-demand has grown to.
    pub served_read_units_per_second: u64,
    /// What is served at once now.
    pub served_write_units_per_second: u64,
    /// Unused provisioned throughput in hand for bursts.
    pub burst_read_units: f64,
    /// Unused provisioned throughput in hand for bursts.
    pub burst_write_units: f64,
    /// Its partitions in the model.
    pub partitions: usize,
    /// What the model refused, by reason; in report mode these ran.
    pub throttles: Vec<Throttles>,
    /// By operation.
    pub operations: Vec<OperationReport>,
    /// The partition keys with the most read units, hottest first.
    pub hottest_read_keys: Vec<KeyReport>,
    /// The partition keys with the most write units, hottest first.
    pub hottest_write_keys: Vec<KeyReport>,
    /// Items, or entries, stored now.
    pub items: u64,
    /// Their bytes, without the 100 that billing adds to each.
    pub stored_bytes: u64,
    /// Eventually consistent reads of an item, and queries of a partition key, within 100 ms of a write to it: on AWS they
    /// may not see it.
    pub reads_within_100_ms_of_a_write: u64,
    /// Cost so far: throughput and storage.
    pub dollars_so_far: Option<f64>,
    /// Cost of a month of 730 hours at this rate, without free tier.
    pub dollars_a_month: Option<f64>,
}

/// Refusals for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Throttles {
    /// One of AWS's sixteen, such as `TableWriteKeyRangeThroughputExceeded`.
    pub reason: String,
    /// How many events; each element of a batch is one.
    pub events: u64,
}

/// What one operation did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperationReport {
    /// AWS's name.
    pub operation: String,
    /// Requests that ran; each element of a batch is one.
    pub requests: u64,
    /// Units that they consumed.
    pub units: f64,
    /// Units of those that were paid for items which a filter dropped.
    pub filtered_out_units: f64,
    /// Requests that the model refused.
    pub throttled_requests: u64,
    /// Items that were refused because a transaction with them was in progress.
    #[serde(default)]
    pub transaction_conflicts: u64,
    /// Cost of its units so far, as if all had been on demand.
    pub on_demand_dollars_so_far: Option<f64>,
    /// Cost of its units in a month at this rate, on demand.
    pub on_demand_dollars_a_month: Option<f64>,
}

/// A partition key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyReport {
    /// The key.
    pub key: String,
    /// Units, never too few.
    pub units: f64,
    /// By how many these may be too many: 64 keys are kept for each table or index.
    pub units_at_most_too_many: f64,
    /// Its part of all units of the table or index.
    pub share_of_units_percent: f64,
    /// Over the time of the report.
    pub units_per_second: f64,
    /// In its busiest second.
    pub busiest_second_units: f64,
    /// That second against what a partition serves: 3,000 read or 1,000 write units.
    pub busiest_second_share_of_partition_percent: f64,
    /// Its requests that the model refused.
    pub throttled_requests: u64,
}

/// What all of it costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoneyReport {
    /// So far: throughput and storage. Provisioned throughput counts by begun hours.
    pub dollars_so_far: f64,
    /// A month of 730 hours at this rate, at list price.
    pub dollars_a_month: f64,
    /// What of that is storage.
    pub storage_dollars_a_month: f64,
    /// What the free tier takes off a month, for an account that has nothing else.
    pub free_tier_dollars_a_month: f64,
    /// The same month in every mode, the cheapest first, without free tier.
    pub plans: Vec<PlanReport>,
}

/// A month in one mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanReport {
    /// Such as `on-demand` or `provisioned at 70 %, Standard-IA`.
    pub plan: String,
    /// A month at this rate.
    pub dollars_a_month: f64,
}

/// A line of advice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    /// What it is about: `throttles`, `hot-key`, `filter`, `scan`, `read-after-write`, `conflicts`, `index-writes`, `unread-index` or
    /// `billing-mode`.
    pub kind: String,
    /// The table.
    pub table: String,
    /// The index, if it is about one.
    pub index: Option<String>,
    /// What was seen, in a sentence with its figures.
    pub sentence: String,
    /// What to do.
    pub remedy: String,
}

//! Whether a request may run: partitions, provisioned and on-demand throughput, burst, growth, quotas.
//!
//! [`TableCapacity`] is one table with its global secondary indexes. It is a state machine of `(state, now, event) →
//! decision`: whoever drives it, the server with the wall clock or the simulator with a virtual one, gets the same
//! decisions for the same events. The events are [`TableCapacity::admit`], [`TableCapacity::settle`] and its like
//! for requests, and [`TableCapacity::update`] for changes of throughput; what happens of itself (a minute ends, a
//! split is done, a change takes effect) happens at its exact moment whenever the next event comes, however late.
//!
//! # The rules
//!
//! * A partition serves 3,000 read and 1,000 write units a second and holds 10 GB. *Documented.*
//! * A provisioned table or index serves what is provisioned, and keeps up to 300 seconds of unused throughput for
//!   bursts. A partition may take more than its even share of it at once. *Documented.*
//! * An on-demand table or index starts with 12,000 reads and 4,000 writes a second, and serves twice the previous
//!   peak. *Documented.* A peak is the highest minute, and counts 30 minutes later. *Assumed: the strict reading.*
//! * A request passes when its budgets have anything left, and may lead them into debt. *Assumed.* So the cost need
//!   not be known when a request is admitted: [`TableCapacity::admit`] takes a floor, [`TableCapacity::settle`] the rest.
//! * A hot partition is split where that helps ([`NoSplit`]). *Documented that and when; thresholds assumed.*
//! * A write that changes an entry of a global secondary index needs capacity there too, or is refused. *Documented.*
//!
//! All numbers stand in [`crate::constants`] with their sources.

mod bucket;
mod control;
mod decreases;
mod dimension;
mod follow;
mod heat;
mod indexes;
mod minutes;
mod partitions;
mod quotas;
mod refusal;
mod report;
mod resource;
mod run;
mod spec;
mod spread;
mod table;

#[cfg(test)]
mod audit;

pub use control::{AccountUse, ControlError, TargetUpdate, ThroughputUpdate, UpdateOutcome, check_new_table};
pub use decreases::Decreases;
pub use dimension::{Dimension, PerDimension};
pub use heat::{NoSplit, Place};
pub use partitions::exceeds_item_collection_limit;
pub use refusal::{BatchVerdict, Cause, Refusal, ThrottlingException, batch_verdict};
pub use report::{Counters, PartitionReport, ResourceReport, contributor_insights_units};
pub use run::Granted;
pub use spec::{BillingMode, IndexSpec, ResourceSpec, TableSpec};
pub use spread::RunPart;
pub use table::{Admission, Ask, Exact, ResourceId, TableCapacity};

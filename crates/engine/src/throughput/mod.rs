//! Throughput, live: every request of the data plane is metered, held against the capacity model, and counted.
//!
//! Each table has one [`Live`] state behind a small lock of its own: the model of the table with its global indexes
//! ([`TableCapacity`](dynamometer_capacity::admission::TableCapacity)), and what was counted for the report. It is made
//! from the catalog's record when the table is first used, as of the moment that the table was made, and follows
//! every change of the record.
//!
//! # Where a request asks
//! A request asks when its cost is known and nothing has been done yet: a read of one item after it looked the item
//! up, a write under its latch after it worked out what becomes of the item and of its index entries, before anything
//! joins the queue. A page asks for its smallest cost before it walks, and settles the rest afterwards. Since the model
//! admits whatever finds anything left and lets the cost run into debt, both ways decide the same.
//!
//! # Report and enforce
//! Both modes put the same questions in the same order, and the model takes nothing for what it refuses. They
//! differ in what a refusal does: `enforce` answers it, `report` counts it and goes on. With `off` the model is not
//! asked; requests are counted all the same.
//!
//! # Minutes
//! What CloudWatch shows is counted beside it, in the same state under the same lock, minute by minute. A refusal counts
//! as a throttle there in both modes: that is what AWS's metrics would have shown.

mod access;
mod charge;
mod contributors;
mod heaviest;
mod hottest;
mod live;
mod minute;
mod model;
mod note;
mod refusal;
mod report;
mod spec;
mod usage;

pub use access::{Access, AccessObserver, ItemAction};
pub(crate) use charge::{Charged, WriteCharge};
pub(crate) use contributors::RuleKind;
pub use hottest::TRACKED_KEYS;
pub(crate) use live::Live;
pub(crate) use minute::{ClosedMinute, ClosedResource};
pub use model::TraceSink;
pub(crate) use refusal::cancellation_code;
pub(crate) use report::key_values;
pub use report::{HotKey, ResourceUse, StreamUse, TableUse, ThroughputUse};
pub(crate) use spec::spec_of;
pub use usage::{Operation, OperationUse};

/// What becomes of a request that the capacity model refuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThrottleMode {
    /// The model is not asked.
    Off,
    /// It is counted as one that AWS would have refused, and runs.
    #[default]
    Report,
    /// It is refused as AWS would.
    Enforce,
}

impl ThrottleMode {
    /// The word of the flag `--throttle`.
    pub const fn word(self) -> &'static str {
        match self {
            ThrottleMode::Off => "off",
            ThrottleMode::Report => "report",
            ThrottleMode::Enforce => "enforce",
        }
    }
}

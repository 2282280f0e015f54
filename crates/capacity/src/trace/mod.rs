//! Traces: what a table's capacity was asked, in order, so that it can be asked again.
//!
//! `dyno serve --record` writes one, `dyno simulate --trace` reads it. Each line is one event of the state machine
//! ([`TableCapacity`](crate::admission::TableCapacity)) with the answer that it gave, so a replay under the same settings
//! must decide the same ([`Replay`]), and one under other settings shows what they would have changed.
//!
//! # Format
//!
//! UTF-8 text, one event a line, fields separated by one space. The first line is `dyno-trace 1`; a reader refuses other
//! versions. Empty lines and lines that begin with `#` are skipped. `t` is a number that stands for a table, `ms` a moment
//! in milliseconds since 1970, `n` the number of a request; `r/w` are two numbers, for reads and for writes; `-` is none.
//!
//! ```text
//! constant <name> <value>
//! table <t> <ms> <name> on-demand|provisioned lsi|- <seed> was-on-demand|- <ms,ms…|-> <resource> <resource>…
//! drop <t> <ms>
//! add-index <t> <ms> <resource>
//! remove-index <t> <ms> <name>
//! follow <t> <ms> on-demand|provisioned lsi|- <seed> was-on-demand|- <ms,ms…|-> <resource> <resource>…
//! update <t> <ms> on-demand|provisioned|- <elsewhere r/w> ok|refused <target>…
//! admit <t> <ms> <n> ok|<reason>@<index|-> <part>…
//! extend <t> <ms> <n> ok|<reason>@<index|-> <part>…
//! settle <t> <ms> <n> <half units>[@<hash>]…
//! release <t> <ms> <n>
//! resize <t> <ms> <place> <bytes more or less>
//! ```
//!
//! * A *resource* is the table, named `-`, or an index:
//!   `<name>:<provisioned r/w>:<maximum r/w>:<warm r/w>:<previous peak r/w>:<bytes>:<decreases>:<last increase ms>`. Its
//!   decreases are `<day>.<today>.<last ms>.<in hand>.<hour>`, or `-` before the first.
//! * A *target* is `<name>:<provisioned r/w|->:<maximum r/w>:<warm r/w>`, each number of the last two possibly `-`.
//! * A *place* is `<number of the resource>:r|w:<hash>:<sort key>`, hash and sort key in hexadecimal; a *part* has the
//!   half units of its floor behind that. Resources are numbered from 0 (the table) as
//!   [`ResourceId::number`](crate::admission::ResourceId::number) says.
//! * A request whose floor is its whole cost has no `settle`. One that was refused, and run all the same because throttling
//!   is only reported, has a `settle` in any case; the parts of a transaction that was refused have `release`.

mod consumed;
mod line;
mod read;
mod replay;
mod write;

use std::sync::Arc;

use dynamometer_types::Timestamp;

pub use consumed::Consumed;
pub use read::{TraceError, TraceReader};
pub use replay::{Decision, Replay, ReplayError};

use crate::admission::{
    Ask, BillingMode, Dimension, Exact, IndexSpec, PerDimension, Place, Refusal, ResourceId, TableSpec,
    ThroughputUpdate,
};
use crate::{CapacityUnits, Constants};

/// The first line of every trace.
pub const HEADER: &str = "dyno-trace 1";

/// How a trace begins: its first line, and the constants that differ from their defaults.
pub fn opening(constants: &Constants) -> String {
    let mut text = format!("{HEADER}\n");
    for (info, value) in constants.iter().filter(|(info, value)| *value != info.default) {
        let kind = EventKind::Constant { name: info.name.to_owned(), value };
        Event { table: 0, at: Timestamp::default(), kind }.write_to(&mut text);
    }
    text
}

/// One line of a trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The table.
    pub table: u64,
    /// When.
    pub at: Timestamp,
    /// What happened.
    pub kind: EventKind,
}

/// What can happen to the capacity of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// A constant of the model differs from its default. It stands before the first table; table and moment are zero.
    Constant {
        /// Its name.
        name: String,
        /// Its value.
        value: u64,
    },
    /// The table is there from now on.
    Table {
        /// Its name.
        name: String,
        /// As it was set up.
        spec: Box<TableSpec>,
    },
    /// The table is gone.
    Drop,
    /// A global secondary index is there from now on.
    AddIndex(Box<IndexSpec>),
    /// A global secondary index is gone.
    RemoveIndex(Arc<str>),
    /// The settings are these from now on, whoever changed them
    /// ([`TableCapacity::follow`](crate::admission::TableCapacity::follow)).
    Follow(Box<TableSpec>),
    /// Throughput was changed, or the change was refused.
    Update {
        /// What was asked for.
        update: Box<ThroughputUpdate>,
        /// Provisioned units of all other tables in the region.
        elsewhere: PerDimension<u64>,
        /// Whether it was accepted.
        accepted: bool,
    },
    /// A request asked for its floor.
    Admit {
        /// The request.
        request: u64,
        /// Its parts.
        parts: Vec<TracePart>,
        /// The answer.
        outcome: TraceOutcome,
    },
    /// An admitted request asked for further parts.
    Extend {
        /// The request.
        request: u64,
        /// The further parts.
        parts: Vec<TracePart>,
        /// The answer.
        outcome: TraceOutcome,
    },
    /// What a request cost in the end, part by part.
    Settle {
        /// The request.
        request: u64,
        /// The whole cost of each part.
        exact: Vec<Exact>,
    },
    /// An admitted request was not run.
    Release {
        /// The request.
        request: u64,
    },
    /// What is stored at a place grew or shrank.
    Resize {
        /// The table or the index.
        resource: ResourceId,
        /// The hash of the partition key.
        hash: u64,
        /// The sort key in comparable bytes.
        sort_key: Box<[u8]>,
        /// Bytes more, or less.
        bytes_delta: i64,
    },
}

/// An [`Ask`] that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracePart {
    /// The table or the index.
    pub resource: ResourceId,
    /// Reads or writes.
    pub dimension: Dimension,
    /// The hash of the partition key.
    pub hash: u64,
    /// The sort key in comparable bytes.
    pub sort_key: Box<[u8]>,
    /// What the request costs at least.
    pub floor: CapacityUnits,
}

impl TracePart {
    /// As it was asked.
    pub fn ask(&self) -> Ask<'_> {
        Ask {
            resource: self.resource,
            dimension: self.dimension,
            place: Place { hash: self.hash, sort_key: &self.sort_key },
            floor: self.floor,
        }
    }
}

impl From<&Ask<'_>> for TracePart {
    fn from(ask: &Ask<'_>) -> Self {
        Self {
            resource: ask.resource,
            dimension: ask.dimension,
            hash: ask.place.hash,
            sort_key: ask.place.sort_key.into(),
            floor: ask.floor,
        }
    }
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceOutcome {
    /// It may run.
    Admitted,
    /// It was refused.
    Refused {
        /// As in ThrottlingReasons: `TableWriteKeyRangeThroughputExceeded`.
        reason: String,
        /// The index that refused; `None` for the table.
        index: Option<Arc<str>>,
    },
}

impl TraceOutcome {
    /// The answer as a trace keeps it.
    pub fn of<T>(answer: &Result<T, Refusal>) -> Self {
        match answer {
            Ok(_) => Self::Admitted,
            Err(refusal) => Self::Refused { reason: refusal.reason(), index: refusal.index.clone() },
        }
    }
}

/// The word for a mode.
fn mode_word(mode: BillingMode) -> &'static str {
    match mode {
        BillingMode::OnDemand => "on-demand",
        BillingMode::Provisioned => "provisioned",
    }
}

#[cfg(test)]
mod tests;

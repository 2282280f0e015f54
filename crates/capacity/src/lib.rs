//! What a request consumes, whether it may run, and what it costs: the capacity model as pure code.
//!
//! Nothing here reads a clock, a file or a random source. The caller passes `now` and the sizes; the answers
//! are integers, so that the same events give the same decisions on every machine.
//!
//! * [`meter`] counts capacity units: reads, writes, index entries, transactions.
//! * [`admission`] decides which requests run: partitions, throughput, burst, growth, quotas, splits.
//! * [`autoscaling`] decides when provisioned throughput is raised or lowered.
//! * [`money`] prices it: bills, break-even, plans.
//! * [`quantity`] reads and writes rates, sizes, shares and times as people do.
//! * [`simulate`] plays a month of load, made up or recorded, under several settings.
//! * [`trace`] is the record of what a table was asked, and its replay.
//! * [`constants`] holds every number that the model believes in, with its source.

pub mod admission;
pub mod autoscaling;
pub mod constants;
pub mod meter;
pub mod money;
pub mod quantity;
pub mod simulate;
pub mod trace;

pub use constants::Constants;
pub use meter::{CapacityUnits, Consistency, Consumption, IndexEntrySize, IndexUnits};

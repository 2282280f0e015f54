//! What a request consumes, whether it may run, and what it costs: the capacity model as pure code.
//!
//! Nothing here reads a clock, a file or a random source. The caller passes `now` and the sizes; the answers
//! are integers, so that the same events give the same decisions on every machine.
//!
//! * [`meter`] counts capacity units: reads, writes, index entries, transactions.

pub mod meter;

pub use meter::{CapacityUnits, Consistency, Consumption, IndexEntrySize, IndexUnits};

//! Streams: from changes of items to records that consumers read.
//!
//! # The way of a record
//! A write that changes an item appends a record to the stream in the same batch as the item
//! ([`record_of`](record::record_of)), so that neither is there without the other. The store gives the record its
//! place at the commit ([`dynamometer_store::Append`]): records of one item come in the order of its changes, and a
//! reader that goes from place to place misses none. A stream's shards follow the partitions of its table
//! ([`upkeep`]); what a consumer reads, it reads through [`Engine::read_shard`].
//!
//! The rows are those of [`crate::disk::stream`], the shards those of [`crate::catalog::stream`].

mod read;
pub(crate) mod record;
mod sequence_number;
mod settings;
mod upkeep;

pub(crate) use read::shard_ends;
pub use read::{ShardEnds, ShardPage, ShardRead, StreamRecord, after};
pub use sequence_number::SequenceNumber;
pub(crate) use settings::Closes;
pub(crate) use upkeep::Dues;

/// For how long records are kept, in milliseconds.
///
/// # Source
/// Documented: Developer Guide 2026, "Change data capture for DynamoDB Streams".
pub const RETENTION_MS: i64 = 24 * 60 * 60 * 1000;

//! The storage door: the [`Store`] trait and its engines. Bytes only.
//!
//! Everything above works on [`Store`], [`Snapshot`] and [`Batch`]; an engine is one module that passes the
//! [`conformance`] suite. There are three: [`EmbeddedStore`] keeps a folder, [`MemoryStore`] keeps nothing, and
//! [`FaultStore`](fault::FaultStore) fails on purpose.
//!
//! # The way of a write
//!
//! ```text
//! commit(batch)   any thread     pushes the batch into a queue, gets a future
//! writer thread   takes all that waits, up to 256 batches or 8 MB: one group
//!                 each batch: its checks (which see those before it), its puts and deletes, its counters, its appends
//!                 the group: into the log, sync, into memtables
//!                 publishes the new view for readers
//!                 each batch: its on_done calls, then its future
//! flusher thread  writes full memtables to tables, and with that frees the log
//! merger thread   merges tables
//! ```
//!
//! **Why one writer thread.** A sync takes about as long for one batch as for a hundred. Whatever arrives while one
//! sync is under way shares the next one, so throughput grows with the number of clients while one client alone waits
//! for one sync. And with one writer there are no conflicts between writers, nothing to lock, and one order.
//!
//! **What is durable when.** With [`Durability::Sync`] the log has been synced before anybody is told, and before any
//! reader sees the batch. With [`Durability::Os`] the operating system has it: the death of the process loses nothing, a
//! power cut may lose the last seconds, but never a batch in the middle or a part of one. Tables are always synced before
//! the log that they replace is removed.
//!
//! **What happens on failure.** When a write or a sync fails, it is unknown what reached the disk, and a second sync would
//! prove nothing. So every batch of that group gets the error, no later batch is taken, and reads go on. The process
//! should end; opening the folder again finds all that was acknowledged, and of the failed group all or nothing, since
//! a group is one entry of the log. A failure in the background (a table that cannot be written)
//! ends in the same state.
//!
//! **What a start does.** It reads the log that no table holds yet. After [`Store::close`] there is none.

mod batch;
mod commit;
#[doc(hidden)]
pub mod conformance;
mod door;
mod embedded;
mod error;
pub mod fault;
mod folder;
mod line;
mod memory;
mod pair;
mod range;
mod sequence;

pub use batch::{Add, Append, Appended, Batch, Check, MAX_KEY_BYTES, OnDone, Write};
pub use commit::{Commit, Committed};
pub use door::{Direction, Keyspace, Snapshot, Store, StoreInfo};
pub use embedded::{Durability, EmbeddedOptions, EmbeddedStore, engine_files};
pub use error::StoreError;
pub use folder::FORMAT_VERSION;
pub use memory::MemoryStore;
pub use pair::{decode_pair, encode_pair};

//! The storage door: the [`Store`] trait and its engines. Bytes only.

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

pub use batch::{Add, Batch, Check, MAX_KEY_BYTES, OnDone, Write};
pub use commit::{Commit, Committed};
pub use door::{Direction, Keyspace, Snapshot, Store, StoreInfo};
pub use embedded::{Durability, FjallOptions, FjallStore, engine_files};
pub use error::StoreError;
pub use folder::FORMAT_VERSION;
pub use memory::MemoryStore;
pub use pair::{decode_pair, encode_pair};

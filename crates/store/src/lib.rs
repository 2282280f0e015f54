//! The storage door: the Store trait and its engines. Bytes only.

mod batch;
mod commit;
mod door;
mod error;
mod pair;

pub use batch::{Add, Batch, Check, OnDone, Write};
pub use commit::{Commit, Committed};
pub use door::{Direction, Keyspace, Snapshot, Store, StoreInfo};
pub use error::StoreError;
pub use pair::{decode_pair, encode_pair};

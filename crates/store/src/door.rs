//! The door itself: what the rest of the program may ask of a store, and nothing more.
//!
//! Keys and values are bytes here; what they mean is known one layer up.

use std::ops::{Bound, ControlFlow};
use std::path::{Path, PathBuf};

use bytes::Bytes;

use crate::{Batch, Commit, StoreError};

/// The fixed set of keyspaces: independent sorted maps from key to value.
///
/// Tables are key prefixes inside them, so a thousand tables cost nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Keyspace {
    /// Definitions of tables, indexes, tags and settings.
    Catalog,
    /// Items of tables.
    Items,
    /// Rows of local and global secondary indexes.
    IndexEntries,
    /// Pairs of counters (item count, bytes) kept by [`Add`](crate::Add).
    Counters,
    /// Idempotency tokens of transactions.
    Tokens,
    /// Stream records.
    Streams,
    /// Items by the time at which they expire.
    Expiry,
    /// Background work that survives a restart.
    Jobs,
    /// How far deliveries of streams have come.
    Pipes,
    /// Auto scaling: its targets, and what it did.
    Scaling,
    /// The store's own: how far it has given out the sequence of [`Append`](crate::Append)s. Nobody else writes it.
    Sequence,
}

impl Keyspace {
    /// Every keyspace, in the order of its [`index`](Keyspace::index).
    pub const ALL: [Keyspace; 11] = [
        Keyspace::Catalog,
        Keyspace::Items,
        Keyspace::IndexEntries,
        Keyspace::Counters,
        Keyspace::Tokens,
        Keyspace::Streams,
        Keyspace::Expiry,
        Keyspace::Jobs,
        Keyspace::Pipes,
        Keyspace::Scaling,
        Keyspace::Sequence,
    ];

    /// How many keyspaces there are.
    pub const COUNT: usize = Self::ALL.len();

    /// Position in [`ALL`](Keyspace::ALL).
    pub fn index(self) -> usize {
        self as usize
    }

    /// The name on disk. A name, once released, never changes its meaning.
    pub fn name(self) -> &'static str {
        match self {
            Keyspace::Catalog => "catalog",
            Keyspace::Items => "items",
            Keyspace::IndexEntries => "index_entries",
            Keyspace::Counters => "counters",
            Keyspace::Tokens => "tokens",
            Keyspace::Streams => "streams",
            Keyspace::Expiry => "expiry",
            Keyspace::Jobs => "jobs",
            Keyspace::Pipes => "pipes",
            Keyspace::Scaling => "scaling",
            Keyspace::Sequence => "sequence",
        }
    }
}

/// Which end of a range comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Smallest key first.
    Forward,
    /// Largest key first.
    Reverse,
}

/// What a store says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreInfo {
    /// Name of the engine: `lsm-tree`, `memory`, …
    pub engine: &'static str,
    /// Whether a commit that was acknowledged survives a power cut.
    pub durable: bool,
    /// Whether several servers may work on the same data at once.
    pub shared_by_several: bool,
    /// Version of the layout on disk, 0 when there is none.
    pub format_version: u32,
    /// The folder that holds the data, if there is one.
    pub data_dir: Option<PathBuf>,
    /// Bytes that the data takes up, on disk or (memory engine) as keys and values.
    pub disk_bytes: u64,
    /// Why it takes no more batches, as a sentence; `None` as long as it does.
    pub failure: Option<String>,
}

/// A place that keeps keyspaces of bytes and changes them by atomic batches.
///
/// # Guarantees
///
/// - **Order.** Batches take effect in the order of the calls of [`commit`](Store::commit), and are
///   acknowledged in that order.
/// - **Atomicity.** Of one batch everything is there, or nothing, in every keyspace, also after a crash.
/// - **Appends.** The sequence in the key of an [`Append`](crate::Append) rises with the order of commits, also from one
///   opening of the store to the next. Who has seen a row of one sequence number has seen, or can see, all lower ones.
/// - **Durability.** Once a [`Commit`] resolved to `Ok`, the batch survives what [`StoreInfo::durable`] promises.
/// - **Visibility.** Once a [`Commit`] resolved to `Ok`, each later `get` and `snapshot` sees it. Others may see
///   it a moment before that.
/// - **Reads never wait for writes**, nor for each other.
/// - **Failure.** A batch whose check does not hold, or that no store can take, fails alone. After any other failure
///   (a write, a sync, a read that the batch needed) no later batch is acknowledged: the store is poisoned, and the
///   process should leave and recover by opening it again.
pub trait Store: Send + Sync + 'static {
    /// The latest committed value of one key, or `None`. Cheaper than a snapshot.
    ///
    /// # Errors
    /// [`StoreError::Io`] or [`StoreError::Corrupt`] when the engine cannot read.
    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError>;

    /// A consistent view, over all keyspaces, of everything that was committed when it was taken.
    ///
    /// Old versions are kept as long as a snapshot lives: drop it soon.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] when the store is closed.
    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError>;

    /// Queues a batch; it commits after all batches that were queued before it. Never waits for the disk.
    ///
    /// The batch goes ahead also when the returned [`Commit`] is dropped.
    fn commit(&self, batch: Batch) -> Commit;

    /// What this store is, and how large.
    fn info(&self) -> StoreInfo;

    /// Writes the whole store, as of one moment, into `to`: a folder that does not exist yet or is empty.
    /// Writers go on meanwhile. The result is complete and on disk when this returns, and opens as a store.
    ///
    /// # Errors
    /// [`StoreError::Folder`] when `to` holds something already, [`StoreError::Unsupported`] when the engine
    /// keeps nothing on disk that could be opened, [`StoreError::Io`] and [`StoreError::Full`].
    fn checkpoint(&self, to: &Path) -> Result<(), StoreError>;

    /// Finishes what is queued, makes it durable and prepares for a fast start. Every later commit is
    /// answered with [`StoreError::Unavailable`]. A second call does nothing.
    ///
    /// Without it nothing acknowledged is lost; the next start only has more to replay.
    ///
    /// # Errors
    /// [`StoreError::Io`] and [`StoreError::Full`] when the last sync fails, the cause when it was poisoned.
    fn close(&self) -> Result<(), StoreError>;
}

/// A consistent view of a store. Blocks nobody, and is blocked by nobody.
pub trait Snapshot: Send + Sync {
    /// The value of one key in this view, or `None`.
    ///
    /// # Errors
    /// [`StoreError::Io`] or [`StoreError::Corrupt`] when the engine cannot read.
    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError>;

    /// Calls `visit` with each key and value between the bounds, in key order or its reverse, until it
    /// answers [`ControlFlow::Break`]. `start` is the lower bound in both directions; a range whose start
    /// lies behind its end is empty.
    ///
    /// The key is only lent. Cloning the value copies no bytes.
    ///
    /// # Errors
    /// [`StoreError::Io`] or [`StoreError::Corrupt`] when the engine cannot read.
    fn range(
        &self,
        keyspace: Keyspace,
        start: Bound<&[u8]>,
        end: Bound<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &Bytes) -> ControlFlow<()>,
    ) -> Result<(), StoreError>;
}

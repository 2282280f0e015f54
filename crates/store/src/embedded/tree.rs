//! The engine itself: opening it, reading it, waiting for it.

use std::io;
use std::ops::{Bound, ControlFlow};
use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;
use fjall::{AbstractTree, Database, KeyspaceCreateOptions, PersistMode, Readable};

use super::{Durability, FjallOptions};
use crate::range::is_empty_range;
use crate::{Direction, Keyspace, MAX_KEY_BYTES, Snapshot, StoreError};

/// The engine stops writers, for as long as it takes and without noticing that its background threads have
/// died, at 4 memtables that wait to be written out and at 30 unsorted tables. We stop earlier, and look.
const MAX_SEALED_MEMTABLES: usize = 2;
const MAX_UNSORTED_TABLES: usize = 26;

/// An open database and the handles of its keyspaces.
pub(super) struct Tree {
    database: Database,
    keyspaces: [fjall::Keyspace; Keyspace::COUNT],
    durability: Durability,
}

impl Tree {
    pub fn open(path: &Path, options: &FjallOptions) -> Result<Self, StoreError> {
        // At least two, because one of them is kept free for writing out memtables.
        let workers = std::thread::available_parallelism().map_or(1, |_| std::env::var("W").ok().and_then(|w| w.parse().ok()).unwrap_or(1));
        let database = Database::builder(path)
            .cache_size(options.block_cache_bytes)
            .max_journaling_size(options.journal_bytes)
            .journal_compression(fjall::CompressionType::None)
            .manual_journal_persist(true)
            .worker_threads(workers)
            .open()
            .map_err(store_error)?;
        let open = |keyspace: Keyspace| {
            database
                .keyspace(keyspace.name(), || {
                    KeyspaceCreateOptions::default()
                        .max_memtable_size(options.memtable_bytes)
                        .manual_journal_persist(true)
                })
                .map_err(store_error)
        };
        let keyspaces = [
            open(Keyspace::Catalog)?,
            open(Keyspace::Items)?,
            open(Keyspace::IndexEntries)?,
            open(Keyspace::Counters)?,
            open(Keyspace::Tokens)?,
            open(Keyspace::Streams)?,
            open(Keyspace::Expiry)?,
            open(Keyspace::Jobs)?,
        ];
        Ok(Tree { database, keyspaces, durability: options.durability })
    }

    pub fn durability(&self) -> Durability {
        self.durability
    }

    pub fn keyspace(&self, keyspace: Keyspace) -> &fjall::Keyspace {
        &self.keyspaces[keyspace.index()]
    }

    /// A batch of the engine, to be committed with [`commit`](Tree::commit).
    pub fn batch(&self, capacity: usize) -> fjall::OwnedWriteBatch {
        fjall::OwnedWriteBatch::with_capacity(self.database.clone(), capacity)
    }

    /// Log, sync (unless durability is [`Durability::Os`]), memtables, visibility: in this order. Fails
    /// for good when one of them fails.
    pub fn commit(&self, batch: fjall::OwnedWriteBatch) -> Result<(), StoreError> {
        let t0 = Instant::now();
        self.wait_for_room()?;
        let t1 = t0.elapsed();
        let mode = match self.durability {
            Durability::Sync => PersistMode::SyncData,
            Durability::Os => PersistMode::Buffer,
        };
        let n = batch.len();
        let r = batch.durability(Some(mode)).commit().map_err(store_error);
        let t2 = t0.elapsed();
        if t2 > Duration::from_millis(15) {
            let st: Vec<_> = self.keyspaces.iter().map(|k| (k.tree.sealed_memtable_count(), k.tree.l0_run_count(), k.tree.active_memtable().size() >> 20)).collect();
            eprintln!("room {t1:?} total {t2:?} rows {n} {st:?} journals {} compactions {}", self.database.journal_count(), self.database.active_compactions());
        }
        r
    }

    /// The latest committed value.
    ///
    /// The engine's own read of the latest version already sees a batch while it is on its way into the
    /// memtables, of which a snapshot sees nothing yet: a reader could then meet the old value after the
    /// new one. So what is newer than the last whole batch is read again, through a snapshot.
    pub fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        if key.len() > MAX_KEY_BYTES {
            return Ok(None);
        }
        let tree = &self.keyspace(keyspace).tree;
        let entry = tree.get_internal_entry(key, fjall::SeqNo::MAX).map_err(tree_error)?;
        let whole = match &entry {
            Some(entry) => entry.key.seqno < self.database.visible_seqno(),
            // A delete shows no number. Without a batch on its way there is nothing to hide.
            None => self.database.seqno() == self.database.visible_seqno(),
        };
        if whole { Ok(entry.map(|entry| entry.value.into())) } else { self.snapshot().get(keyspace, key) }
    }

    pub fn snapshot(&self) -> TreeSnapshot {
        TreeSnapshot { snapshot: self.database.snapshot(), keyspaces: self.keyspaces.clone() }
    }

    pub fn disk_bytes(&self) -> u64 {
        // Fails only if the size of the log's file cannot be asked for.
        self.database.disk_space().unwrap_or_default()
    }

    /// Holds the writer back while the background threads are behind, and fails when they have died.
    fn wait_for_room(&self) -> Result<(), StoreError> {
        while self.keyspaces.iter().any(|keyspace| {
            keyspace.tree.sealed_memtable_count() > MAX_SEALED_MEMTABLES
                || keyspace.tree.l0_run_count() > MAX_UNSORTED_TABLES
        }) {
            self.check_alive()?;
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Fails when the engine has failed in the background.
    fn check_alive(&self) -> Result<(), StoreError> {
        self.database.persist(PersistMode::Buffer).map_err(store_error)
    }

    /// Makes everything durable, and writes memtables to tables so that the next start has nothing to replay.
    pub fn settle(&self, time: Duration) -> Result<(), StoreError> {
        let deadline = Instant::now() + time;
        self.database.persist(PersistMode::SyncAll).map_err(store_error)?;
        for keyspace in &self.keyspaces {
            keyspace.rotate_memtable().map_err(store_error)?;
        }
        while self.keyspaces.iter().any(|keyspace| keyspace.tree.sealed_memtable_count() > 0) {
            self.check_alive()?;
            if Instant::now() > deadline {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}

/// A snapshot that keeps the database open as long as it lives.
pub(super) struct TreeSnapshot {
    snapshot: fjall::Snapshot,
    keyspaces: [fjall::Keyspace; Keyspace::COUNT],
}

impl Snapshot for TreeSnapshot {
    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        if key.len() > MAX_KEY_BYTES {
            return Ok(None);
        }
        let value = self.snapshot.get(&self.keyspaces[keyspace.index()], key).map_err(store_error)?;
        Ok(value.map(Bytes::from))
    }

    fn range(
        &self,
        keyspace: Keyspace,
        start: Bound<&[u8]>,
        end: Bound<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &Bytes) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        if is_empty_range(start, end) {
            return Ok(());
        }
        let bounds = (shorten(start, Bound::Excluded), shorten(end, Bound::Included));
        let mut rows = self.snapshot.range::<&[u8], _>(&self.keyspaces[keyspace.index()], bounds);
        while let Some(row) = match direction {
            Direction::Forward => rows.next(),
            Direction::Reverse => rows.next_back(),
        } {
            let (key, value) = row.into_inner().map_err(store_error)?;
            if visit(&key, &Bytes::from(value)).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// The engine panics when it is asked for keys that are longer than it can store. No stored key lies
/// between such a bound and its first [`MAX_KEY_BYTES`] bytes, but one may equal these.
fn shorten<'a>(bound: Bound<&'a [u8]>, cut: fn(&'a [u8]) -> Bound<&'a [u8]>) -> Bound<&'a [u8]> {
    match bound {
        Bound::Included(key) | Bound::Excluded(key) if key.len() > MAX_KEY_BYTES => {
            cut(&key[..MAX_KEY_BYTES])
        }
        bound => bound,
    }
}

/// What an error of the engine means to us.
pub(super) fn store_error(error: fjall::Error) -> StoreError {
    match error {
        fjall::Error::Io(error) => error.into(),
        fjall::Error::Storage(error) => tree_error(error),
        fjall::Error::Poisoned => {
            StoreError::Unavailable("writing in the background failed, restart to recover".into())
        }
        fjall::Error::Locked => io::Error::other("the engine's files are locked by another process").into(),
        other => StoreError::Corrupt(format!("{other:?}").into()),
    }
}

fn tree_error(error: fjall::LsmError) -> StoreError {
    match error {
        fjall::LsmError::Io(error) => error.into(),
        other => StoreError::Corrupt(format!("{other:?}").into()),
    }
}

//! The engine itself: opening it, writing to it, and the view of it that readers get.

use std::io;
use std::ops::{Bound, ControlFlow};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use bytes::Bytes;
use fjall::compaction::Leveled;
use fjall::{AbstractTree, Database, KeyspaceCreateOptions, PersistMode, Readable};

use super::log::cut_torn_end;
use super::rows::{RowCache, RowChange};
use super::{Durability, FjallOptions};
use crate::range::is_empty_range;
use crate::{Direction, Keyspace, MAX_KEY_BYTES, Snapshot, StoreError};

/// An open database. One thread at a time writes to it; any number read.
///
/// # What readers see
///
/// The engine numbers its batches, and a snapshot of the engine shows all batches below a number. But it moves
/// that number on also when it has finished a table in the background, past the batch that is being written at
/// that moment: a snapshot taken then would see the batch appear bit by bit. So readers never take a snapshot
/// of the engine. The writer takes one after each batch, when none is on its way, and leaves it here as the
/// [`View`] for everybody until the next one. That is also cheaper for readers than a snapshot of their own.
pub(super) struct Tree {
    database: Database,
    view: ArcSwap<View>,
    /// Items that are read by key.
    items: RowCache,
    /// The same as in the view. A keyspace comes into being with its first row: making one costs some twenty
    /// syncs, and most stores never use all of them.
    keyspaces: [OnceLock<fjall::Keyspace>; Keyspace::COUNT],
    /// Bytes in all memtables, about.
    memtable_bytes: AtomicU64,
    durability: Durability,
    path: PathBuf,
}

impl Tree {
    pub fn open(path: &Path, options: &FjallOptions) -> Result<Self, StoreError> {
        if path.exists() {
            cut_torn_end(path, options.durability)?;
        }
        let database = Database::builder(path)
            .cache_size(options.cache_bytes / 2)
            // Only a second line of defence: all memtables are written together, which frees the log.
            .max_journaling_size(512 << 20)
            .journal_compression(fjall::CompressionType::None)
            .manual_journal_persist(true)
            // It only keeps the log; see `background`.
            .worker_threads(1)
            .open()
            .map_err(store_error)?;
        let keyspaces: [OnceLock<fjall::Keyspace>; Keyspace::COUNT] = Default::default();
        // What was replayed from the log counts too.
        let mut memtable_bytes = 0;
        for keyspace in Keyspace::ALL {
            if database.keyspace_exists(keyspace.name()) {
                let open = open_keyspace(&database, keyspace)?;
                memtable_bytes += open.tree.active_memtable().size();
                keyspaces[keyspace.index()].get_or_init(|| open);
            }
        }
        let view = View { snapshot: database.snapshot(), keyspaces: handles(&keyspaces) };
        Ok(Tree {
            view: ArcSwap::from_pointee(view),
            items: RowCache::new(options.cache_bytes / 2),
            database,
            keyspaces,
            memtable_bytes: AtomicU64::new(memtable_bytes),
            durability: options.durability,
            path: path.to_owned(),
        })
    }

    pub fn durability(&self) -> Durability {
        self.durability
    }

    /// The keyspaces that exist.
    pub fn keyspaces(&self) -> impl Iterator<Item = (Keyspace, &fjall::Keyspace)> {
        Keyspace::ALL
            .into_iter()
            .filter_map(|keyspace| Some((keyspace, self.keyspaces[keyspace.index()].get()?)))
    }

    /// A keyspace to write to, made if need be. For the writer alone.
    pub fn keyspace(&self, keyspace: Keyspace) -> Result<&fjall::Keyspace, StoreError> {
        let place = &self.keyspaces[keyspace.index()];
        match place.get() {
            Some(open) => Ok(open),
            None => {
                let open = open_keyspace(&self.database, keyspace)?;
                Ok(place.get_or_init(|| open))
            }
        }
    }

    /// Bytes in all memtables, about.
    pub fn memtable_bytes(&self) -> u64 {
        self.memtable_bytes.load(Ordering::Relaxed)
    }

    /// Accounts for a row of a batch.
    pub fn count_row(&self, bytes: usize) {
        // What a row takes in the log beside its bytes.
        const ROW: usize = 21;
        self.memtable_bytes.fetch_add((bytes + ROW) as u64, Ordering::Relaxed);
    }

    /// Writes all memtables to tables, on this thread, as far as the time allows.
    pub fn write_memtables(&self, deadline: Option<Instant>) -> Result<(), StoreError> {
        self.memtable_bytes.store(0, Ordering::Relaxed);
        // All of them start anew before the first is written, so that the log up to here is soon needed
        // by none.
        for (_, open) in self.keyspaces() {
            open.rotate_memtable().map_err(store_error)?;
        }
        for (_, open) in self.keyspaces() {
            if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                break;
            }
            // The engine's thread tries the same. Whoever comes second has nothing to do.
            let lock = open.tree.get_flush_lock();
            open.tree.flush(&lock, self.oldest_in_use()).map_err(tree_error)?;
        }
        Ok(())
    }

    /// Whether the log has parts that wait for a memtable to be written.
    pub fn has_old_logs(&self) -> bool {
        self.database.journal_count() > 1
    }

    /// Merges some tables of a keyspace, on this thread. False when none are due.
    pub fn merge_tables(&self, keyspace: Keyspace) -> Result<bool, StoreError> {
        let Some(open) = self.keyspaces[keyspace.index()].get() else { return Ok(false) };
        let before = open.tree.current_version().id();
        // Keys come in no order, so a merge of new tables rewrites all that they meet; and with a stream the memtables of
        // items are written while they are small. Stream records are read once or twice, and trimmed after a day.
        let l0_tables = if keyspace == Keyspace::Streams { 12 } else { 8 };
        // The last table of a merge is synced under a lock that readers need too: keep it small.
        let strategy = Leveled::default().with_table_target_size(16 << 20).with_l0_threshold(l0_tables);
        let strategy = Arc::new(strategy);
        open.tree.compact(strategy, self.oldest_in_use()).map_err(tree_error)?;
        Ok(open.tree.current_version().id() != before)
    }

    /// Below this sequence number no reader needs more than the latest version of a row.
    fn oldest_in_use(&self) -> fjall::SeqNo {
        self.database.supervisor.snapshot_tracker.get_seqno_safe_to_gc()
    }

    /// Makes everything durable and, as far as the time allows, leaves nothing in the log to replay. For
    /// the last one who uses it for more than reading.
    pub fn settle(&self, time: Duration) -> Result<(), StoreError> {
        let deadline = Instant::now() + time;
        self.database.persist(PersistMode::SyncAll).map_err(store_error)?;
        self.write_memtables(Some(deadline))?;
        // The engine removes old logs in the background.
        while self.has_old_logs() {
            if Instant::now() > deadline {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let in_tables =
            |tree: &fjall::AnyTree| tree.active_memtable().is_empty() && tree.sealed_memtable_count() == 0;
        if self.keyspaces().all(|(_, open)| in_tables(&open.tree)) { self.empty_log() } else { Ok(()) }
    }

    /// Cuts the log off, all of which is in tables by now. The engine does the same in effect, by starting a
    /// new one, but only once it has 64 MB, so that a start would read up to that much in vain.
    fn empty_log(&self) -> Result<(), StoreError> {
        for entry in std::fs::read_dir(&self.path)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "jnl") {
                let log = std::fs::OpenOptions::new().write(true).open(path)?;
                log.set_len(0)?;
                log.sync_all()?;
            }
        }
        Ok(())
    }

    /// A batch of the engine, to be committed with [`commit`](Tree::commit).
    pub fn batch(&self, capacity: usize) -> fjall::OwnedWriteBatch {
        fjall::OwnedWriteBatch::with_capacity(self.database.clone(), capacity)
    }

    /// Log, sync (unless durability is [`Durability::Os`]), memtables, then what readers see: in this order. When one
    /// of them fails the engine takes no more batches. `items` is what the batch changes in [`Keyspace::Items`]. For
    /// the writer alone.
    pub fn commit(&self, batch: fjall::OwnedWriteBatch, items: Vec<RowChange>) -> Result<(), StoreError> {
        let mode = match self.durability {
            Durability::Sync => PersistMode::SyncData,
            Durability::Os => PersistMode::Buffer,
        };
        batch.durability(Some(mode)).commit().map_err(store_error)?;
        self.items.publish(items, || self.publish());
        Ok(())
    }

    /// Lets readers see what has been committed.
    fn publish(&self) {
        let last = self.view.load();
        // Keyspaces only ever come into being, so the count tells whether the handles are still right.
        let known = last.keyspaces.iter().flatten().count() == self.keyspaces().count();
        let keyspaces = if known { Arc::clone(&last.keyspaces) } else { handles(&self.keyspaces) };
        self.view.store(Arc::new(View { snapshot: self.database.snapshot(), keyspaces }));
    }

    /// The latest committed value.
    pub fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        let read = || self.view.load().get(keyspace, key);
        if keyspace == Keyspace::Items { self.items.get(key, read) } else { read() }
    }

    /// Everything committed, as of now.
    pub fn view(&self) -> Arc<View> {
        self.view.load_full()
    }

    pub fn disk_bytes(&self) -> u64 {
        // Fails only if the size of the log's file cannot be asked for.
        self.database.disk_space().unwrap_or_default()
    }

    /// Fails when the engine has failed, also in the background.
    pub fn check_alive(&self) -> Result<(), StoreError> {
        self.database.persist(PersistMode::Buffer).map_err(store_error)
    }
}

type Handles = Arc<[Option<fjall::Keyspace>; Keyspace::COUNT]>;

fn handles(keyspaces: &[OnceLock<fjall::Keyspace>; Keyspace::COUNT]) -> Handles {
    Arc::new(std::array::from_fn(|index| keyspaces[index].get().cloned()))
}

fn open_keyspace(database: &Database, keyspace: Keyspace) -> Result<fjall::Keyspace, StoreError> {
    // The engine keeps these options with the data, so what may change later must not be among them: when
    // a memtable is full is for our own flusher to say.
    let options = || {
        KeyspaceCreateOptions::default()
            .max_memtable_size(u64::MAX)
            .manual_journal_persist(true)
            // Never merges: that too is for us to say.
            .compaction_strategy(Arc::new(
                Leveled::default().with_l0_threshold(u8::MAX).with_table_target_size(1 << 40),
            ))
    };
    database.keyspace(keyspace.name(), options).map_err(store_error)
}

/// Everything that was committed at one moment.
pub(super) struct View {
    snapshot: fjall::Snapshot,
    keyspaces: Handles,
}

impl Snapshot for Arc<View> {
    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        View::get(self, keyspace, key)
    }

    fn range(
        &self,
        keyspace: Keyspace,
        start: Bound<&[u8]>,
        end: Bound<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &Bytes) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let Some(open) = &self.keyspaces[keyspace.index()] else { return Ok(()) };
        if is_empty_range(start, end) {
            return Ok(());
        }
        let bounds = (shorten(start, Bound::Excluded), shorten(end, Bound::Included));
        let mut rows = self.snapshot.range::<&[u8], _>(open, bounds);
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

impl View {
    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        let Some(open) = &self.keyspaces[keyspace.index()] else { return Ok(None) };
        if key.len() > MAX_KEY_BYTES {
            return Ok(None);
        }
        Ok(self.snapshot.get(open, key).map_err(store_error)?.map(Bytes::from))
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
        fjall::Error::Locked => io::Error::new(
            io::ErrorKind::ResourceBusy,
            "a snapshot taken before the last close is still being read",
        )
        .into(),
        other => StoreError::Corrupt(format!("{other:?}").into()),
    }
}

/// The same, for the part of the engine that keeps tables.
pub(super) fn tree_error(error: fjall::LsmError) -> StoreError {
    match error {
        fjall::LsmError::Io(error) => error.into(),
        other => StoreError::Corrupt(format!("{other:?}").into()),
    }
}

//! The engine itself: a tree for each keyspace, one log for all, and the view of them that readers get.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use arc_swap::ArcSwap;
use bytes::Bytes;
use lsm_tree::compaction::Leveled;
use lsm_tree::config::{BloomConstructionPolicy, FilterPolicy, FilterPolicyEntry, RestartIntervalPolicy};
use lsm_tree::{AbstractTree, AnyTree, Cache, Config, DescriptorTable, SeqNo, SequenceNumberCounter};
use parking_lot::Mutex;

use super::list;
use super::log::{self, Log, Segment};
use super::rows::RowCache;
use super::view::{View, Views, trees};
use super::{Durability, EmbeddedOptions};
use crate::folder::sync_folder;
use crate::{Keyspace, StoreError, Write};

/// The log's folder.
const LOG: &str = "log";

/// An open database. One thread at a time writes to it; any number read.
///
/// # What readers see
///
/// The engine numbers batches, and can read as of a number. But there is one counter for batches and for finished tables, so
/// the highest number may be past a batch that is being written at that moment, which would be seen to appear bit by
/// bit. So readers never take a number themselves. The writer takes one after each batch, when none is on its way, and
/// leaves it here as the [`View`] for everybody until the next one.
pub(super) struct Database {
    path: PathBuf,
    durability: Durability,
    /// The same as in the view. A keyspace comes into being with its first row, because each costs some syncs, and most
    /// stores never use all of them.
    trees: [OnceLock<AnyTree>; Keyspace::COUNT],
    shared: Shared,
    /// Locked while a batch is written, and while memtables are sealed: a sealed memtable holds whole batches.
    log: Mutex<Log>,
    /// What the log goes to when memtables are sealed the next time, if it is there already.
    next_segment: Mutex<Option<Segment>>,
    view: ArcSwap<View>,
    views: Views,
    /// Items that are read by key.
    items: RowCache,
    /// Bytes in all memtables, about.
    memtable_bytes: AtomicU64,
}

/// What all trees have together.
struct Shared {
    blocks: Arc<Cache>,
    descriptors: Arc<DescriptorTable>,
    /// The next number.
    seqno: SequenceNumberCounter,
    /// All batches and tables below this number are complete, but for a batch that is being written.
    visible: SequenceNumberCounter,
}

impl Database {
    /// Opens a folder, or makes one, and replays what the log holds beyond the tables.
    pub fn open(path: &Path, options: &EmbeddedOptions) -> Result<Self, StoreError> {
        fs::create_dir_all(path)?;
        let shared = Shared {
            blocks: Arc::new(Cache::with_capacity_bytes(options.cache_bytes / 2)),
            descriptors: Arc::new(DescriptorTable::new(options.open_tables)),
            seqno: SequenceNumberCounter::default(),
            visible: SequenceNumberCounter::default(),
        };
        let open: [OnceLock<AnyTree>; Keyspace::COUNT] = Default::default();
        for keyspace in list::read(path)? {
            let tree = shared.open_tree(path, keyspace)?;
            open[keyspace.index()].get_or_init(|| tree);
        }
        let in_tables: [Option<SeqNo>; Keyspace::COUNT] =
            std::array::from_fn(|index| open[index].get()?.get_highest_persisted_seqno());
        let folder = path.join(LOG);
        let mut memtable_bytes = 0;
        let recovered = log::recover(&folder, options.durability, |seqno, writes| {
            for write in writes {
                let keyspace = write.keyspace();
                if in_tables[keyspace.index()] < Some(seqno) {
                    memtable_bytes += write.size_bytes() as u64;
                    insert(shared.tree(path, &open, keyspace)?, write, seqno);
                }
            }
            Ok(())
        })?;
        let last = in_tables.into_iter().flatten().fold(recovered.last, SeqNo::max);
        shared.seqno.fetch_max(last + 1);
        shared.visible.fetch_max(last + 1);
        let log = Log::open(&folder, options.durability, recovered)?;
        let view = Arc::new(View { seqno: shared.visible.get(), trees: trees(&open) });
        let views = Views::default();
        views.push(&view);
        Ok(Database {
            path: path.to_owned(),
            durability: options.durability,
            trees: open,
            shared,
            log: Mutex::new(log),
            next_segment: Mutex::default(),
            view: ArcSwap::new(view),
            views,
            items: RowCache::new(options.cache_bytes / 2),
            memtable_bytes: AtomicU64::new(memtable_bytes),
        })
    }

    pub fn durability(&self) -> Durability {
        self.durability
    }

    /// The trees of the keyspaces that exist.
    pub fn trees(&self) -> impl Iterator<Item = (Keyspace, &AnyTree)> {
        Keyspace::ALL.into_iter().filter_map(|keyspace| Some((keyspace, self.trees[keyspace.index()].get()?)))
    }

    /// The tree of a keyspace to write to, made if need be. For the writer alone.
    pub fn tree(&self, keyspace: Keyspace) -> Result<&AnyTree, StoreError> {
        self.shared.tree(&self.path, &self.trees, keyspace)
    }

    /// Bytes in all memtables, about.
    pub fn memtable_bytes(&self) -> u64 {
        self.memtable_bytes.load(Ordering::Relaxed)
    }

    /// Log, sync (unless durability is [`Durability::Os`]), memtables, then what readers see: in this order. When it
    /// fails, what is on disk is unknown, and nothing may be written any more. For the writer alone.
    pub fn commit(&self, writes: Vec<Write>) -> Result<(), StoreError> {
        let mut bytes = 0;
        let mut items = Vec::with_capacity(writes.len());
        for write in &writes {
            // Before it is in the log, because it may fail.
            self.tree(write.keyspace())?;
            bytes += write.size_bytes() as u64;
            if write.keyspace() == Keyspace::Items {
                items.push((write.key().clone(), write.value().cloned()));
            }
        }
        {
            let mut log = self.log.lock();
            let seqno = self.shared.seqno.next();
            log.append(seqno, &writes)?;
            for write in writes {
                insert(self.tree(write.keyspace())?, write, seqno);
            }
            self.shared.visible.fetch_max(seqno + 1);
            self.memtable_bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        self.items.publish(items, || self.publish());
        Ok(())
    }

    /// Lets readers see what has been committed.
    fn publish(&self) {
        let last = self.view.load();
        // Keyspaces only ever come into being, so the count tells whether the handles are still right.
        let known = last.trees.iter().flatten().count() == self.trees().count();
        let trees = if known { Arc::clone(&last.trees) } else { trees(&self.trees) };
        let view = Arc::new(View { seqno: self.shared.visible.get(), trees });
        self.views.push(&view);
        self.view.store(view);
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

    /// Writes all memtables to tables, on this thread, and frees the log up to here. False when the time was over before
    /// all were written.
    pub fn write_memtables(&self, deadline: Option<Instant>) -> Result<bool, StoreError> {
        let next = self.take_next_segment()?;
        {
            let mut log = self.log.lock();
            for (_, tree) in self.trees() {
                tree.rotate_memtable();
            }
            log.switch(next);
            self.memtable_bytes.store(0, Ordering::Relaxed);
        }
        for (_, tree) in self.trees() {
            if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                return Ok(false);
            }
            let lock = tree.get_flush_lock();
            tree.flush(&lock, self.oldest_in_use()).map_err(store_error)?;
        }
        let full = self.log.lock().take_full();
        self.keep_one(full)?;
        Ok(true)
    }

    fn take_next_segment(&self) -> Result<Segment, StoreError> {
        if let Some(segment) = self.next_segment.lock().take() {
            return Ok(segment);
        }
        let (number, bytes) = self.log.lock().plan_segment();
        Ok(Segment::create(&self.log_folder(), number, bytes)?)
    }

    /// Uses the newest of these segments again, as the next one, and removes the others: oldest first, so that what is
    /// left of the log after a crash never has a gap.
    fn keep_one(&self, mut segments: Vec<Segment>) -> Result<(), StoreError> {
        let Some(newest) = segments.pop() else { return Ok(()) };
        for segment in segments {
            segment.remove()?;
            sync_folder(&self.log_folder())?;
        }
        let (number, _) = self.log.lock().plan_segment();
        *self.next_segment.lock() = Some(newest.reuse(number)?);
        Ok(())
    }

    fn log_folder(&self) -> PathBuf {
        self.path.join(LOG)
    }

    /// Merges some tables of a keyspace, on this thread. False when none are due.
    pub fn merge_tables(&self, keyspace: Keyspace) -> Result<bool, StoreError> {
        let Some(tree) = self.trees[keyspace.index()].get() else { return Ok(false) };
        let before = tree.current_version().id();
        // Keys come in no order, so a merge of new tables rewrites all that they meet; and with a stream the memtables of
        // items are written while they are small. Stream records are read once or twice, and trimmed after a day.
        let l0_tables = if keyspace == Keyspace::Streams { 12 } else { 8 };
        // The last table of a merge is synced under a lock that readers need too: keep it small.
        let strategy = Leveled::default().with_table_target_size(16 << 20).with_l0_threshold(l0_tables);
        tree.compact(Arc::new(strategy), self.oldest_in_use()).map_err(store_error)?;
        Ok(tree.current_version().id() != before)
    }

    /// Below this number no reader needs more than the latest version of a row.
    fn oldest_in_use(&self) -> SeqNo {
        self.views.oldest().saturating_sub(1)
    }

    /// Makes everything durable and, as far as the time allows, leaves no log to replay. For the last one who uses it for
    /// more than reading.
    pub fn settle(&self, deadline: Instant) -> Result<(), StoreError> {
        self.log.lock().sync()?;
        if self.write_memtables(Some(deadline))? {
            self.next_segment.lock().take().map(Segment::remove).transpose()?;
            self.log.lock().give_back_space()?;
        }
        Ok(())
    }

    pub fn disk_bytes(&self) -> u64 {
        let next = self.next_segment.lock().as_ref().map_or(0, Segment::bytes);
        self.log.lock().disk_bytes() + next + self.trees().map(|(_, tree)| tree.disk_space()).sum::<u64>()
    }
}

impl Shared {
    /// The tree of a keyspace, made if need be.
    fn tree<'a>(
        &self,
        path: &Path,
        open: &'a [OnceLock<AnyTree>; Keyspace::COUNT],
        keyspace: Keyspace,
    ) -> Result<&'a AnyTree, StoreError> {
        let place = &open[keyspace.index()];
        match place.get() {
            Some(tree) => Ok(tree),
            None => {
                let tree = self.open_tree(path, keyspace)?;
                let known = Keyspace::ALL.into_iter().filter(|known| open[known.index()].get().is_some());
                list::write(path, known.chain([keyspace]))?;
                Ok(place.get_or_init(|| tree))
            }
        }
    }

    fn open_tree(&self, path: &Path, keyspace: Keyspace) -> Result<AnyTree, StoreError> {
        // A row that is looked for in vain costs a look into every new table whose filter errs.
        let new_tables = BloomConstructionPolicy::FalsePositiveRate(0.0001);
        let merged_tables = BloomConstructionPolicy::BitsPerKey(10.0);
        Config::new(path.join(keyspace.name()), self.seqno.clone(), self.visible.clone())
            .use_cache(Arc::clone(&self.blocks))
            .use_descriptor_table(Some(Arc::clone(&self.descriptors)))
            .data_block_restart_interval_policy(RestartIntervalPolicy::new([10, 16]))
            .filter_policy(FilterPolicy::new([
                FilterPolicyEntry::Bloom(new_tables),
                FilterPolicyEntry::Bloom(merged_tables),
            ]))
            .open()
            .map_err(store_error)
    }
}

fn insert(tree: &AnyTree, write: Write, seqno: SeqNo) {
    match write {
        Write::Put { key, value, .. } => tree.insert(key, value, seqno),
        Write::Delete { key, .. } => tree.remove(key, seqno),
    };
}

/// Finds that a folder has lost its log, without which recent writes are missing, as in a copy that was not finished.
///
/// # Errors
/// [`StoreError::Corrupt`], [`StoreError::Io`].
pub(super) fn check_log(path: &Path) -> Result<(), StoreError> {
    if log::is_missing(&path.join(LOG))? {
        return Err(StoreError::Corrupt(format!("there is no log in {}", path.display()).into()));
    }
    Ok(())
}

/// What an error of the engine means to us.
pub(super) fn store_error(error: lsm_tree::Error) -> StoreError {
    match error {
        lsm_tree::Error::Io(error) => error.into(),
        lsm_tree::Error::ChecksumMismatch { .. } => StoreError::Corrupt("a checksum does not match".into()),
        lsm_tree::Error::Unrecoverable => StoreError::Corrupt("files are missing or cut off".into()),
        other => StoreError::Corrupt(format!("{other:?}").into()),
    }
}

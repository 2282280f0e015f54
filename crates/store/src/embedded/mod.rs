//! The embedded engine: [fjall](https://docs.rs/fjall), a log-structured merge tree, behind a writer thread of ours.

mod checkpoint;
mod counters;
mod flusher;
mod group;
mod log;
mod queue;
mod tree;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::Mutex;

pub(crate) use self::checkpoint::write_checkpoint;
use self::flusher::Flusher;
use self::queue::Queue;
use self::tree::Tree;
use self::writer::Writer;
use crate::folder::{FORMAT_VERSION, Folder};
use crate::{Batch, Commit, Keyspace, Snapshot, Store, StoreError, StoreInfo};

const ENGINE: &str = "fjall";

/// When a commit counts as done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// When the disk has confirmed it (`fdatasync`): it survives a power cut.
    #[default]
    Sync,
    /// When the operating system has it: it survives the death of this process, not that of the machine.
    Os,
}

/// Settings of a [`FjallStore`]. `docs/performance.md` has the measurements behind the defaults.
#[derive(Clone, Debug)]
pub struct FjallOptions {
    /// When a commit counts as done.
    pub durability: Durability,
    /// Bytes of table blocks kept in memory. Filled as data is read, not at the start.
    pub block_cache_bytes: u64,
    /// Bytes of recent writes, of all keyspaces together, that are gathered in memory before they are written to
    /// tables. Writers wait at twice as many. What a start after a crash has to replay is about as much again.
    pub memtable_bytes: u64,
    /// How long [`close`](Store::close) may take to write recent data to tables. What is not done by then
    /// stays in the log, and the next start replays it.
    pub close_time: Duration,
}

impl Default for FjallOptions {
    fn default() -> Self {
        FjallOptions {
            durability: Durability::Sync,
            block_cache_bytes: 64 << 20,
            memtable_bytes: 64 << 20,
            close_time: Duration::from_millis(700),
        }
    }
}

/// The durable store of one process: a folder, a log, sorted tables, and one writer thread.
pub struct FjallStore {
    queue: Arc<Queue>,
    tree: Arc<Tree>,
    closing: Mutex<Closing>,
    close_time: Duration,
    // The last field: unlocked when the engine has let go of its files.
    folder: Folder,
}

enum Closing {
    Open(Threads),
    Closed(Result<(), StoreError>),
}

struct Threads {
    writer: JoinHandle<()>,
    flusher: JoinHandle<()>,
    flusher_state: Arc<Flusher>,
}

impl FjallStore {
    /// Opens a folder, or makes one. Replays what the log holds beyond the tables.
    ///
    /// # Errors
    /// [`StoreError::Folder`] when the folder is in use, foreign or newer, [`StoreError::Corrupt`] when
    /// its data is damaged, [`StoreError::Io`] and [`StoreError::Full`].
    pub fn open(path: impl AsRef<Path>, options: &FjallOptions) -> Result<Self, StoreError> {
        let mut folder = Folder::open(path.as_ref(), ENGINE)?;
        let tree = Arc::new(Tree::open(&folder.data(), options)?);
        if folder.is_new() {
            folder.finish()?;
        }
        let queue = Arc::new(Queue::default());
        let threads = Threads::start(&queue, &tree, options)?;
        let closing = Mutex::new(Closing::Open(threads));
        Ok(FjallStore { queue, tree, closing, close_time: options.close_time, folder })
    }

    /// Ends the threads, once, and then does `last`. Returns the result of the first time.
    fn end(&self, last: impl FnOnce() -> Result<(), StoreError>) -> Result<(), StoreError> {
        let mut closing = self.closing.lock();
        let closed = match std::mem::replace(&mut *closing, Closing::Closed(Ok(()))) {
            Closing::Closed(result) => result,
            Closing::Open(threads) => {
                self.queue.close();
                threads.end().and_then(|()| last())
            }
        };
        *closing = Closing::Closed(closed.clone());
        closed
    }
}

impl Threads {
    fn start(queue: &Arc<Queue>, tree: &Arc<Tree>, options: &FjallOptions) -> Result<Self, StoreError> {
        let spawn = |name: &str, work: Box<dyn FnOnce() + Send>| {
            std::thread::Builder::new().name(name.to_owned()).spawn(work)
        };
        let flusher_state = Arc::new(Flusher::new(Arc::clone(tree), options.memtable_bytes));
        let flusher = spawn("dyno-flusher", {
            let flusher = Arc::clone(&flusher_state);
            Box::new(move || flusher.run())
        })?;
        let writer = Writer::new(Arc::clone(tree), Arc::clone(&flusher_state));
        let writer = spawn("dyno-writer", {
            let queue = Arc::clone(queue);
            Box::new(move || writer.run(&queue))
        });
        match writer {
            Ok(writer) => Ok(Threads { writer, flusher, flusher_state }),
            Err(error) => {
                flusher_state.stop();
                Err(error.into())
            }
        }
    }

    /// Waits until the closed queue is answered, and the flusher with what it is at.
    fn end(self) -> Result<(), StoreError> {
        let writer = self.writer.join();
        self.flusher_state.stop();
        let flusher = self.flusher.join();
        let panicked = |_| StoreError::Unavailable("a thread of the store panicked".into());
        writer.and(flusher).map_err(panicked)
    }
}

impl Store for FjallStore {
    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        self.tree.get(keyspace, key)
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        Ok(Box::new(self.tree.view()))
    }

    fn commit(&self, batch: Batch) -> Commit {
        self.queue.push(batch)
    }

    fn info(&self) -> StoreInfo {
        StoreInfo {
            engine: ENGINE,
            durable: self.tree.durability() == Durability::Sync,
            shared_by_several: false,
            format_version: FORMAT_VERSION,
            data_dir: Some(self.folder.path().to_owned()),
            disk_bytes: self.tree.disk_bytes(),
        }
    }

    /// The result opens as a [`FjallStore`].
    fn checkpoint(&self, to: &Path) -> Result<(), StoreError> {
        write_checkpoint(&self.tree.view(), to)
    }

    fn close(&self) -> Result<(), StoreError> {
        self.end(|| self.tree.settle(self.close_time))
    }
}

impl Drop for FjallStore {
    fn drop(&mut self) {
        // What was queued is answered; whoever wants to know about the last sync calls `close`.
        let _ = self.end(|| Ok(()));
    }
}

/// Where an engine's own files are, for tests that damage them.
#[doc(hidden)]
pub fn engine_files(folder: &Path) -> PathBuf {
    folder.join("data")
}

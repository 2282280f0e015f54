//! The embedded engine: the log-structured merge trees of [fjall](https://docs.rs/lsm-tree), with a log and a writer
//! thread of ours before them.

mod background;
mod checkpoint;
mod counters;
mod database;
mod group;
mod list;
mod log;
mod queue;
mod rows;
mod view;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::Mutex;

use self::background::Background;
pub(crate) use self::checkpoint::write_checkpoint;
use self::database::Database;
use self::queue::Queue;
use self::writer::Writer;
use crate::folder::{FORMAT_VERSION, Folder};
use crate::sequence::{self, Sequence};
use crate::{Batch, Commit, Keyspace, Snapshot, Store, StoreError, StoreInfo};

const ENGINE: &str = "lsm-tree";

/// When a commit counts as done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// When the disk has confirmed it (`fdatasync`): it survives a power cut.
    #[default]
    Sync,
    /// When the operating system has it: it survives the death of this process, not that of the machine.
    Os,
}

/// Settings of an [`EmbeddedStore`]. `docs/performance.md` has the measurements behind the defaults.
#[derive(Clone, Debug)]
pub struct EmbeddedOptions {
    /// When a commit counts as done.
    pub durability: Durability,
    /// Bytes of data kept in memory once it was read: one half for items that are read by key, one for the blocks of
    /// tables that everything else is read from.
    pub cache_bytes: u64,
    /// Bytes of recent writes, of all keyspaces together, that are gathered in memory before they are written to
    /// tables. Writers wait at twice as many. What a start after a crash has to replay is about as much again.
    pub memtable_bytes: u64,
    /// How many files of tables are kept open at a time. A read of another one opens it first.
    pub open_tables: usize,
    /// How long [`close`](Store::close) may take to write recent data to tables. What is not done by then
    /// stays in the log, and the next start replays it.
    pub close_time: Duration,
}

impl Default for EmbeddedOptions {
    fn default() -> Self {
        EmbeddedOptions {
            durability: Durability::Sync,
            cache_bytes: 64 << 20,
            memtable_bytes: 64 << 20,
            open_tables: 400,
            close_time: Duration::from_millis(700),
        }
    }
}

/// The durable store of one process: a folder, a log, sorted tables, and one writer thread.
pub struct EmbeddedStore {
    queue: Arc<Queue>,
    database: Arc<Database>,
    background: Arc<Background>,
    merger: Option<JoinHandle<()>>,
    closing: Mutex<Closing>,
    close_time: Duration,
    // The last field: unlocked when the engine has let go of its files.
    folder: Folder,
}

enum Closing {
    Open(Threads),
    Closed(Result<(), StoreError>),
}

/// The threads that must end before the store is closed.
struct Threads {
    writer: JoinHandle<()>,
    flusher: JoinHandle<()>,
}

impl EmbeddedStore {
    /// Opens a folder, or makes one. Replays what the log holds beyond the tables.
    ///
    /// # Errors
    /// [`StoreError::Folder`] when the folder is in use, foreign or newer, [`StoreError::Corrupt`] when
    /// its data is damaged, [`StoreError::Io`] and [`StoreError::Full`].
    pub fn open(path: impl AsRef<Path>, options: &EmbeddedOptions) -> Result<Self, StoreError> {
        let mut folder = Folder::open(path.as_ref(), ENGINE)?;
        if !folder.is_new() {
            database::check_log(&folder.data())?;
        }
        let database = Arc::new(Database::open(&folder.data(), options)?);
        if folder.is_new() {
            folder.finish()?;
        }
        let queue = Arc::new(Queue::default());
        let background = Arc::new(Background::new(Arc::clone(&database), options.memtable_bytes));
        let closing = Mutex::new(Closing::Closed(Ok(())));
        let close_time = options.close_time;
        // From here on, a failure drops the store, which ends the threads that run by then.
        let mut store =
            EmbeddedStore { queue, database, background, merger: None, closing, close_time, folder };
        store.start()?;
        Ok(store)
    }

    fn start(&mut self) -> Result<(), StoreError> {
        let background = Arc::clone(&self.background);
        self.merger = Some(spawn("dyno-merger", move || background.run_merger())?);
        let background = Arc::clone(&self.background);
        let flusher = spawn("dyno-flusher", move || background.run_flusher())?;
        let sequence = Sequence::open(self.database.get(Keyspace::Sequence, sequence::KEY)?)?;
        let writer = Writer::new(Arc::clone(&self.database), Arc::clone(&self.background), sequence);
        let queue = Arc::clone(&self.queue);
        let writer = spawn("dyno-writer", move || writer.run(&queue))?;
        *self.closing.get_mut() = Closing::Open(Threads { writer, flusher });
        Ok(())
    }

    /// Answers what is queued and ends the threads, but for a merge, which may take a while and can be left to
    /// itself. Then does `last`. Once only: later calls return the result of the first.
    fn end(&self, last: impl FnOnce() -> Result<(), StoreError>) -> Result<(), StoreError> {
        let mut closing = self.closing.lock();
        let closed = match std::mem::replace(&mut *closing, Closing::Closed(Ok(()))) {
            Closing::Closed(result) => result,
            Closing::Open(Threads { writer, flusher }) => {
                self.queue.close();
                let writer = writer.join();
                self.background.stop();
                let panicked = |_| StoreError::Unavailable("a thread of the store panicked".into());
                let ended = writer.and(flusher.join()).map_err(panicked);
                ended.and_then(|()| self.background.failure().map_or_else(last, Err))
            }
        };
        *closing = Closing::Closed(closed.clone());
        closed
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, StoreError> {
    Ok(std::thread::Builder::new().name(name.to_owned()).spawn(work)?)
}

impl Store for EmbeddedStore {
    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        self.database.get(keyspace, key)
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        Ok(Box::new(self.database.view()))
    }

    fn commit(&self, batch: Batch) -> Commit {
        self.queue.push(batch)
    }

    fn info(&self) -> StoreInfo {
        StoreInfo {
            engine: ENGINE,
            durable: self.database.durability() == Durability::Sync,
            shared_by_several: false,
            format_version: FORMAT_VERSION,
            data_dir: Some(self.folder.path().to_owned()),
            disk_bytes: self.database.disk_bytes(),
            failure: self.background.failure().map(|failure| failure.to_string()),
        }
    }

    /// The result opens as an [`EmbeddedStore`].
    fn checkpoint(&self, to: &Path) -> Result<(), StoreError> {
        write_checkpoint(&self.database.view(), to)
    }

    fn close(&self) -> Result<(), StoreError> {
        self.end(|| self.database.settle(Instant::now() + self.close_time))
    }
}

impl Drop for EmbeddedStore {
    fn drop(&mut self) {
        // What was queued is answered; whoever wants to know about the last sync calls `close`.
        let _ = self.end(|| Ok(()));
        self.background.stop();
        let _ = self.merger.take().map(JoinHandle::join);
    }
}

/// Where an engine's own files are, for tests that damage them.
#[doc(hidden)]
pub fn engine_files(folder: &Path) -> PathBuf {
    folder.join("data")
}

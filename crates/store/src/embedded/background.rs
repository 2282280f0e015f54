//! What goes on behind the writer: one thread writes memtables to tables, another merges tables.
//!
//! - A merge can take seconds, and full memtables must not wait for it.
//! - All memtables are written together, once they are full together: a keyspace with few writes then does not hold back
//!   the log of all. That bounds memory, and what a start after a crash has to replay.
//! - Writers [wait](Background::wait_for_room) while the two threads are behind, for a millisecond at a time, and fail when
//!   one of them has ended.
//! - The engine frees a written memtable (tens of thousands of values) and deletes merged tables while it holds
//!   a lock that every reader and writer of the keyspace needs. The thread here holds on to both a little longer,
//!   so that it is here, without a lock, that they are freed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lsm_tree::AbstractTree;
use parking_lot::{Condvar, Mutex};

use super::database::Database;
use crate::{Keyspace, StoreError};

/// With more tables than this that a reader has to look into one after the other, writers wait for a merge.
const MAX_UNSORTED_TABLES: usize = 19;

/// How long writers may write before it is looked at again.
const PAUSE: Duration = Duration::from_millis(10);

/// So long after the last write, memtables are written even if they are not full, so that a server at rest needs
/// little memory, and little time to start after a crash …
const REST: Duration = Duration::from_secs(5);
/// … unless they hold less than this.
const REST_BYTES: u64 = 4 << 20;

/// What the writer and the two threads share.
pub(super) struct Background {
    database: Arc<Database>,
    /// With more bytes than this, memtables are written to tables; with twice as many, writers wait.
    memtable_bytes: u64,
    state: Mutex<State>,
    flush: Condvar,
    merge: Condvar,
    /// Whether writers have to wait until tables are merged, or for good.
    blocked: AtomicBool,
}

#[derive(Default)]
struct State {
    flush_wanted: bool,
    merge_wanted: bool,
    stopped: bool,
    /// Why nobody writes any more.
    failure: Option<StoreError>,
}

impl Background {
    pub fn new(database: Arc<Database>, memtable_bytes: u64) -> Self {
        // Tables that were not merged before the last end are due.
        let state = State { merge_wanted: true, ..State::default() };
        Background {
            database,
            memtable_bytes,
            state: Mutex::new(state),
            flush: Condvar::new(),
            merge: Condvar::new(),
            blocked: AtomicBool::new(false),
        }
    }

    /// To be called by the writer before each group: starts the threads when there is something to do, and holds
    /// the writer back while tables are written or merged too slowly.
    ///
    /// # Errors
    /// What made one of the threads fail.
    pub fn wait_for_room(&self) -> Result<(), StoreError> {
        loop {
            let bytes = self.database.memtable_bytes();
            if bytes > self.memtable_bytes {
                self.wake_flusher();
            }
            if bytes <= 2 * self.memtable_bytes && !self.blocked.load(Ordering::Acquire) {
                return Ok(());
            }
            if let Some(failure) = self.failure() {
                return Err(failure);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn wake_flusher(&self) {
        let mut state = self.state.lock();
        if !std::mem::replace(&mut state.flush_wanted, true) {
            self.flush.notify_one();
        }
    }

    /// Lets the threads end after what they are at.
    pub fn stop(&self) {
        self.state.lock().stopped = true;
        self.flush.notify_one();
        self.merge.notify_one();
    }

    /// The thread that writes memtables.
    pub fn run_flusher(&self) {
        let mut held: [_; Keyspace::COUNT] = std::array::from_fn(|_| Held::default());
        let mut hold = |release: bool| {
            for (keyspace, tree) in self.database.trees() {
                let held = &mut held[keyspace.index()];
                held.hold(tree.active_memtable(), tree.current_version(), |a, b| a.id() == b.id());
                if release {
                    held.release(tree.get_version_history_lock().len() == 1);
                }
            }
        };
        self.guard(|| {
            let mut last = self.database.memtable_bytes();
            while self.wait_for_flush() {
                let bytes = self.database.memtable_bytes();
                let at_rest = bytes > REST_BYTES && bytes == last;
                last = bytes;
                if bytes <= self.memtable_bytes && !at_rest {
                    continue;
                }
                hold(false);
                self.database.write_memtables(None)?;
                hold(true);
                self.brake();
                self.state.lock().merge_wanted = true;
                self.merge.notify_one();
            }
            Ok(())
        });
    }

    /// Waits until there may be something to do, or for a while. False when it is time to end.
    fn wait_for_flush(&self) -> bool {
        let mut state = self.state.lock();
        // Not at once, or it would look at every group.
        let _ = self.flush.wait_while_for(&mut state, |state| !state.stopped, PAUSE);
        let _ = self.flush.wait_while_for(&mut state, |state| !state.stopped && !state.flush_wanted, REST);
        state.flush_wanted = false;
        !state.stopped
    }

    /// The thread that merges tables.
    pub fn run_merger(&self) {
        self.guard(|| {
            while self.wait_for_merge() {
                for (keyspace, _) in self.database.trees() {
                    while !self.state.lock().stopped && self.database.merge_tables(keyspace)? {
                        self.brake();
                    }
                }
            }
            Ok(())
        });
    }

    fn wait_for_merge(&self) -> bool {
        let mut state = self.state.lock();
        self.merge.wait_while(&mut state, |state| !state.stopped && !state.merge_wanted);
        state.merge_wanted = false;
        !state.stopped
    }

    /// Holds writers back while there are too many tables that a reader has to look into.
    fn brake(&self) {
        let unsorted = self.database.trees().map(|(_, tree)| tree.l0_run_count()).max();
        // Under the lock, so that a failure at this moment blocks all the same.
        let state = self.state.lock();
        let blocked = state.failure.is_some() || unsorted > Some(MAX_UNSORTED_TABLES);
        self.blocked.store(blocked, Ordering::Release);
    }

    /// Why nobody writes any more: the first failure of the writer or of a thread here.
    pub fn failure(&self) -> Option<StoreError> {
        self.state.lock().failure.clone()
    }

    /// Says that nobody writes any more, and why.
    pub fn fail(&self, failure: StoreError) {
        let mut state = self.state.lock();
        state.failure.get_or_insert(failure);
        self.blocked.store(true, Ordering::Release);
    }

    /// Runs a thread; when it fails or panics, nobody writes any more.
    fn guard(&self, work: impl FnOnce() -> Result<(), StoreError>) {
        let panicked = || StoreError::Unavailable("a background thread of the store panicked".into());
        let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(panicked()));
        if let Err(failure) = result {
            self.fail(failure);
        }
    }
}

/// Memtables and table lists of one keyspace that the engine may be about to let go of. The engine has no names
/// for their types.
struct Held<Memtable, Version> {
    memtables: Vec<Arc<Memtable>>,
    versions: Vec<Version>,
}

impl<Memtable, Version> Default for Held<Memtable, Version> {
    fn default() -> Self {
        Held { memtables: vec![], versions: vec![] }
    }
}

impl<Memtable, Version> Held<Memtable, Version> {
    /// Holds on to what is current.
    fn hold(&mut self, memtable: Arc<Memtable>, version: Version, same: impl Fn(&Version, &Version) -> bool) {
        if !self.memtables.last().is_some_and(|last| Arc::ptr_eq(last, &memtable)) {
            self.memtables.push(memtable);
        }
        if !self.versions.last().is_some_and(|last| same(last, &version)) {
            self.versions.push(version);
        }
    }

    /// Frees what nobody else holds any more.
    fn release(&mut self, engine_has_one_version: bool) {
        self.memtables.retain(|memtable| Arc::strong_count(memtable) > 1);
        if engine_has_one_version {
            self.versions.drain(..self.versions.len() - 1);
        }
    }
}

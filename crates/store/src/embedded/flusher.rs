//! The thread that writes memtables to tables, all of them once they are full together.
//!
//! The engine would do that itself, on threads that also merge tables, which can take seconds. Four things are
//! better done here:
//!
//! - Full memtables are written at once, whatever else the engine is at, so writers need not wait.
//! - All keyspaces are written together, so that a keyspace with few writes does not hold back the log of all. That
//!   bounds memory, and what a start after a crash has to replay.
//! - The engine's own brake on writers sleeps for 100 ms at a time, and forever when its thread has died. Ours
//!   ([`wait_for_room`](Flusher::wait_for_room)) comes earlier, takes a millisecond, and notices.
//! - The engine frees a written memtable (tens of thousands of values) and deletes merged tables while it holds
//!   a lock that every reader and writer of the keyspace needs. This thread holds on to both a little longer,
//!   so that it is here, without a lock, that they are freed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fjall::AbstractTree;
use parking_lot::{Condvar, Mutex};

use super::tree::Tree;
use crate::{Keyspace, StoreError};

/// The engine brakes at 20 unsorted tables, and for good at 30.
const MAX_UNSORTED_TABLES: usize = 19;

/// How long the thread lets writers write before it looks again.
const PAUSE: Duration = Duration::from_millis(10);

/// What the writer and the thread share.
pub(super) struct Flusher {
    tree: Arc<Tree>,
    /// With more bytes than this, memtables are written to tables; with twice as many, writers wait.
    memtable_bytes: u64,
    state: Mutex<State>,
    wake: Condvar,
    /// Whether writers have to wait until tables are merged, or for good.
    blocked: AtomicBool,
}

#[derive(Default)]
struct State {
    wanted: bool,
    stopped: bool,
    /// Why the thread has ended.
    failure: Option<StoreError>,
}

impl Flusher {
    pub fn new(tree: Arc<Tree>, memtable_bytes: u64) -> Self {
        Flusher {
            tree,
            memtable_bytes,
            state: Mutex::default(),
            wake: Condvar::new(),
            blocked: AtomicBool::new(false),
        }
    }

    /// To be called by the writer before each group: starts the thread when there is something to do, and holds
    /// the writer back while tables are written or merged too slowly.
    ///
    /// # Errors
    /// What made the thread, or the engine in the background, fail.
    pub fn wait_for_room(&self) -> Result<(), StoreError> {
        loop {
            let bytes = self.tree.memtable_bytes();
            let blocked = self.blocked.load(Ordering::Acquire);
            if blocked || bytes > self.memtable_bytes {
                self.wake();
            }
            if !blocked && bytes <= 2 * self.memtable_bytes {
                return Ok(());
            }
            self.check_alive()?;
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn wake(&self) {
        let mut state = self.state.lock();
        if !std::mem::replace(&mut state.wanted, true) {
            self.wake.notify_one();
        }
    }

    fn check_alive(&self) -> Result<(), StoreError> {
        match &self.state.lock().failure {
            Some(failure) => Err(failure.clone()),
            None => self.tree.check_alive(),
        }
    }

    /// Lets the thread end after what it is at.
    pub fn stop(&self) {
        self.state.lock().stopped = true;
        self.wake.notify_one();
    }

    /// The thread.
    pub fn run(&self) {
        let mut held: [_; Keyspace::COUNT] = std::array::from_fn(|_| Held::default());
        while self.wait() {
            let mut round = Ok(());
            if self.tree.memtable_bytes() > self.memtable_bytes {
                for (keyspace, open) in self.tree.keyspaces() {
                    let (memtable, version) = (open.tree.active_memtable(), open.tree.current_version());
                    held[keyspace.index()].hold(memtable, version, |a, b| a.id() == b.id());
                }
                round = self.tree.write_memtables(None);
            }
            for (keyspace, open) in self.tree.keyspaces() {
                let held = &mut held[keyspace.index()];
                held.hold(open.tree.active_memtable(), open.tree.current_version(), |a, b| a.id() == b.id());
                held.release(open.tree.get_version_history_lock().len() == 1);
            }
            let blocked = round.is_err() || self.unsorted_tables() > MAX_UNSORTED_TABLES;
            self.blocked.store(blocked, Ordering::Release);
            if let Err(failure) = round {
                self.state.lock().failure = Some(failure);
                return;
            }
        }
    }

    /// Waits until there may be something to do. False when it is time to end.
    fn wait(&self) -> bool {
        let mut state = self.state.lock();
        // Not at once, or it would look at every group.
        let _ = self.wake.wait_while_for(&mut state, |state| !state.stopped, PAUSE);
        self.wake.wait_while(&mut state, |state| !state.stopped && !state.wanted);
        state.wanted = false;
        !state.stopped
    }

    fn unsorted_tables(&self) -> usize {
        self.tree.keyspaces().map(|(_, open)| open.tree.l0_run_count()).max().unwrap_or_default()
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

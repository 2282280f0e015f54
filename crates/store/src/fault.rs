//! A store that fails on purpose, so that tests can show what the layers above make of it.
//!
//! ```
//! use dynamometer_store::fault::{Fault, FaultStore};
//! use dynamometer_store::{Batch, Keyspace, MemoryStore, Store};
//!
//! let store = FaultStore::new(MemoryStore::new());
//! store.fail_at(2, Fault::Unanswered);
//! let commit = |key: &'static str| {
//!     let mut batch = Batch::new();
//!     batch.put(Keyspace::Items, key, "value");
//!     store.commit(batch).wait()
//! };
//! assert!(commit("first").is_ok());
//! assert!(commit("second").is_err());
//! assert!(commit("third").is_err());
//!
//! let recovered = store.crash();
//! assert!(recovered.get(Keyspace::Items, b"first").unwrap().is_some());
//! // Nobody was told, yet it is there: both is allowed after an error.
//! assert!(recovered.get(Keyspace::Items, b"second").unwrap().is_some());
//! assert!(recovered.get(Keyspace::Items, b"third").unwrap().is_none());
//! ```
//!
//! To fail at every commit of a workload in turn: run it once without a fault, ask for
//! [`commits`](FaultStore::commits), then run it again for each `n` up to that.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::commit::{Outcome, tell};
use crate::{Batch, Commit, Keyspace, MemoryStore, Snapshot, Store, StoreError, StoreInfo};

/// What happens to the chosen commit. After each of them but `Hiccup` the store is poisoned, as a real one is
/// after a failed write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing is applied, and the answer is an I/O error.
    Refused,
    /// Nothing is applied, and the answer is that the disk is full.
    Full,
    /// Everything is applied and durable, and the answer is an I/O error all the same: the caller cannot know.
    Unanswered,
    /// Nothing is applied, the answer is an I/O error, and later commits go on as if nothing had been. No
    /// embedded engine behaves so, a database over a network may.
    Hiccup,
}

impl Fault {
    /// Every kind, for tests that try them all.
    pub const ALL: [Fault; 4] = [Fault::Refused, Fault::Full, Fault::Unanswered, Fault::Hiccup];

    fn error(self) -> StoreError {
        match self {
            Fault::Full => StoreError::Full(Arc::new(io::Error::from(io::ErrorKind::StorageFull))),
            _ => StoreError::Io(Arc::new(io::Error::other("a fault made for a test"))),
        }
    }
}

/// Wraps a store; passes everything on until the fault is due.
pub struct FaultStore<S = MemoryStore> {
    inner: S,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    commits: u64,
    fault: Option<(u64, Fault)>,
    poison: Option<StoreError>,
    paused: bool,
    /// Whether a thread is passing held batches on. It does so without the lock, because the store below
    /// makes `on_done` calls meanwhile, and those may commit.
    passing: bool,
    held: VecDeque<(Batch, oneshot::Sender<Outcome>)>,
}

impl<S: Store> FaultStore<S> {
    /// Wraps `inner`, without any fault yet.
    pub fn new(inner: S) -> Self {
        FaultStore { inner, state: Mutex::default() }
    }

    /// Lets the `n`-th commit fail. The first one since this store was made is number 1.
    pub fn fail_at(&self, n: u64, fault: Fault) {
        self.state.lock().fault = Some((n, fault));
    }

    /// How many commits there have been.
    pub fn commits(&self) -> u64 {
        self.state.lock().commits
    }

    /// From now on batches stay queued, unanswered and invisible, as behind a slow disk.
    pub fn pause(&self) {
        self.state.lock().paused = true;
    }

    /// Lets what is held go through, and what comes after it.
    pub fn resume(&self) {
        self.state.lock().paused = false;
        self.pass_on();
    }

    /// How many batches are held.
    pub fn held(&self) -> usize {
        self.state.lock().held.len()
    }

    /// The store below, past all faults.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    /// Hands held batches to the store below, in their order.
    fn pass_on(&self) {
        let mut state = self.state.lock();
        while !state.paused && !state.passing {
            let Some((batch, reply)) = state.held.pop_front() else { return };
            let batch = state.prepare(batch, reply);
            state.passing = true;
            drop(state);
            drop(self.inner.commit(batch));
            state = self.state.lock();
            state.passing = false;
        }
    }
}

impl State {
    /// What to hand down for a batch, so that it is answered in its turn, with a fault's outcome if one is due.
    fn prepare(&mut self, mut batch: Batch, reply: oneshot::Sender<Outcome>) -> Batch {
        self.commits += 1;
        let fault = self.fault.filter(|(n, _)| *n == self.commits).map(|(_, fault)| fault);
        let failure = self.poison.clone().or_else(|| fault.map(Fault::error));
        let unanswered = self.poison.is_none() && fault == Some(Fault::Unanswered);
        if let Some(fault) = fault.filter(|fault| *fault != Fault::Hiccup) {
            self.poison.get_or_insert(StoreError::poisoned(&fault.error()));
        }
        let on_done = std::mem::take(&mut batch.on_done);
        if failure.is_some() && !unanswered {
            // It keeps its place in the line, and changes nothing.
            batch = Batch::new();
        }
        batch.when_done(move |outcome| {
            let outcome = failure.map_or_else(|| outcome.clone(), Err);
            tell(on_done, &outcome);
            // Nobody has to listen.
            let _ = reply.send(outcome);
        });
        batch
    }
}

impl FaultStore<MemoryStore> {
    /// The process dies, and this is what a restart finds: all that was applied, nothing that was held.
    /// Held batches, and all that come later to this store, are answered with an error.
    pub fn crash(&self) -> MemoryStore {
        let dead = StoreError::Unavailable("the process has died".into());
        let held = {
            let mut state = self.state.lock();
            state.paused = false;
            state.poison = Some(dead.clone());
            std::mem::take(&mut state.held)
        };
        let left = self.inner.fork();
        for (batch, reply) in held {
            let outcome = Err(dead.clone());
            tell(batch.on_done, &outcome);
            // Nobody has to listen.
            let _ = reply.send(outcome);
        }
        left
    }
}

impl<S: Store> Store for FaultStore<S> {
    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        self.inner.get(keyspace, key)
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        self.inner.snapshot()
    }

    fn commit(&self, batch: Batch) -> Commit {
        let (reply, commit) = Commit::pending();
        self.state.lock().held.push_back((batch, reply));
        self.pass_on();
        commit
    }

    fn info(&self) -> StoreInfo {
        let failure = self.state.lock().poison.as_ref().map(StoreError::to_string);
        let info = self.inner.info();
        StoreInfo { failure: failure.or(info.failure), ..info }
    }

    fn checkpoint(&self, to: &Path) -> Result<(), StoreError> {
        self.inner.checkpoint(to)
    }

    fn close(&self) -> Result<(), StoreError> {
        self.resume();
        self.inner.close()
    }
}

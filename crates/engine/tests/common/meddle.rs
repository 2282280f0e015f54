//! A store that lets a test step in while a job is at work.

use std::ops::{Bound, ControlFlow};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

use bytes::Bytes;
use dynamometer_store::{Batch, Commit, Direction, Keyspace, Snapshot, Store, StoreError, StoreInfo};

use super::World;

/// Passes everything on. Whenever the thread in question is about to read a range, it waits for the test.
pub struct Meddled {
    inner: Arc<dyn Store>,
    stop: Arc<Mutex<Option<Stop>>>,
}

struct Stop {
    thread: ThreadId,
    keyspace: Keyspace,
    reached: Sender<()>,
    go_on: Receiver<()>,
}

impl Meddled {
    pub fn new(inner: Arc<dyn Store>) -> Arc<Meddled> {
        Arc::new(Meddled { inner, stop: Arc::default() })
    }

    /// Runs the jobs of a world that is open on this store, on a thread of their own; calls `meddle` each time they
    /// are about to read items, while they wait and hold nothing.
    pub fn run_jobs(&self, world: &World, meddle: impl FnMut()) {
        self.at_reads_of(Keyspace::Items, || world.run_jobs(), meddle);
    }

    /// Does some work on a thread of its own; calls `meddle` each time it is about to read a range of `keyspace`.
    pub fn at_reads_of(&self, keyspace: Keyspace, work: impl FnOnce() + Send, mut meddle: impl FnMut()) {
        let ((reached, told), (go_on, may_go_on)) = (channel(), channel());
        std::thread::scope(|scope| {
            let working = scope.spawn(|| {
                let thread = std::thread::current().id();
                *self.stop.lock().unwrap() = Some(Stop { thread, keyspace, reached, go_on: may_go_on });
                work();
                *self.stop.lock().unwrap() = None;
            });
            while told.recv().is_ok() {
                meddle();
                go_on.send(()).unwrap();
            }
            working.join().unwrap();
        });
    }
}

impl Store for Meddled {
    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        self.inner.get(keyspace, key)
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        Ok(Box::new(MeddledSnapshot { inner: self.inner.snapshot()?, stop: Arc::clone(&self.stop) }))
    }

    fn commit(&self, batch: Batch) -> Commit {
        self.inner.commit(batch)
    }

    fn info(&self) -> StoreInfo {
        self.inner.info()
    }

    fn checkpoint(&self, to: &Path) -> Result<(), StoreError> {
        self.inner.checkpoint(to)
    }

    fn close(&self) -> Result<(), StoreError> {
        self.inner.close()
    }
}

struct MeddledSnapshot {
    inner: Box<dyn Snapshot>,
    stop: Arc<Mutex<Option<Stop>>>,
}

impl Snapshot for MeddledSnapshot {
    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        self.inner.get(keyspace, key)
    }

    fn range(
        &self,
        keyspace: Keyspace,
        start: Bound<&[u8]>,
        end: Bound<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &Bytes) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let mut taken = None;
        {
            let mut stop = self.stop.lock().unwrap();
            let is_meant =
                |stop: &Stop| stop.keyspace == keyspace && stop.thread == std::thread::current().id();
            if stop.as_ref().is_some_and(is_meant) {
                // Taken out, so that the reads of the test itself do not wait for this thread.
                taken = stop.take();
            }
        }
        if let Some(stop) = taken {
            stop.reached.send(()).unwrap();
            stop.go_on.recv().unwrap();
            *self.stop.lock().unwrap() = Some(stop);
        }
        self.inner.range(keyspace, start, end, direction, visit)
    }
}

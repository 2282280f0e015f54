//! Two threads that meet at one particular point.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use dynamometer_store::{
    Batch, Commit, Keyspace, MemoryStore, Snapshot, Store, StoreError, StoreInfo, Write,
};
use dynamometer_types::Item;

use crate::common::agree::check_agreement;
use crate::common::meddle::Meddled;
use crate::common::requests::*;
use crate::common::{World, in_memory, n, s};
use crate::{TABLE, key, world_on};

/// Commits a batch that holds a job, tells so, and only returns when it may.
struct SlowToReturn {
    inner: MemoryStore,
    committed: Mutex<Sender<()>>,
    may_return: Mutex<Receiver<()>>,
    armed: AtomicBool,
}

impl Store for SlowToReturn {
    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        self.inner.get(keyspace, key)
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        self.inner.snapshot()
    }

    fn commit(&self, batch: Batch) -> Commit {
        let adds_job =
            batch.writes.iter().any(|write| matches!(write, Write::Put { keyspace: Keyspace::Jobs, .. }));
        let commit = self.inner.commit(batch);
        if adds_job && self.armed.swap(false, Ordering::AcqRel) {
            self.committed.lock().unwrap().send(()).unwrap();
            self.may_return.lock().unwrap().recv().unwrap();
        }
        commit
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

/// The job that fills an index can be seen in the store a moment before the catalog shows the index. Run in between, it
/// would find no index to fill, and call it filled; and items that are put meanwhile would never be in it.
#[test]
fn a_job_that_is_seen_before_its_change_is_shown_waits_for_it() {
    let ((committed, is_committed), (let_return, may_return)) = (channel(), channel());
    let store = Arc::new(SlowToReturn {
        inner: MemoryStore::new(),
        committed: Mutex::new(committed),
        may_return: Mutex::new(may_return),
        armed: AtomicBool::new(false),
    });
    let world = world_on(Arc::clone(&store) as _);
    let note = |id: &str| item([("id", s(id)), ("n", n(1))]);
    world.put(put(TABLE, note("before"))).unwrap();
    store.armed.store(true, Ordering::Release);
    thread::scope(|scope| {
        let adding = scope.spawn(|| {
            let index = global_index("late", (&["n"], &["id"]), "ALL");
            world.update_table(add_index(TABLE, index, &["n N".into(), "id S".into()])).unwrap();
        });
        is_committed.recv().unwrap();
        let jobs = scope.spawn(|| world.run_jobs());
        // Time for the jobs to go wrong in.
        thread::sleep(Duration::from_millis(50));
        world.put(put(TABLE, note("meanwhile"))).unwrap();
        let_return.send(()).unwrap();
        adding.join().unwrap();
        jobs.join().unwrap();
    });
    world.run_jobs();
    check_agreement(&world, TABLE);
    assert_eq!(world.scan_all(&scan(TABLE, Some("late")), None).len(), 2);
}

/// What a table is at the moment of the copy counts, not what it becomes while rows are being read.
#[test]
fn an_index_that_is_finished_or_goes_while_a_state_is_kept_is_whole_in_it() {
    let store = Meddled::new(in_memory());
    let world = world_on(Arc::clone(&store) as _);
    for at in 0..3 {
        world.put(put(TABLE, item([("id", s(at.to_string())), ("n", n(at))]))).unwrap();
    }
    let index = || global_index("late", (&["n"], &["id"]), "ALL");
    let add = || add_index(TABLE, index(), &["n N".into(), "id S".into()]);
    world.update_table(add()).unwrap();
    // The state is kept in the middle of the filling, and brought back when all is different.
    let mut kept = false;
    store.run_jobs(&world, || {
        if !std::mem::replace(&mut kept, true) {
            world.engine.keep_state("", "kept", world.now()).unwrap();
        }
    });
    world.update_table(remove_index(TABLE, "late")).unwrap();
    world.put(put(TABLE, item([("id", s("new")), ("n", n(9))]))).unwrap();
    world.engine.bring_back("", "kept", world.now()).unwrap();
    world.run_jobs();
    assert_eq!(check_agreement(&world, TABLE).len(), 3);
    assert_eq!(world.scan_all(&scan(TABLE, Some("late")), None).len(), 3);
    crate::common::agree::check_nothing_is_left_over(&world);
}

/// After a state was brought back, a transaction that had been sent before has to be run again.
#[test]
fn bringing_back_a_state_forgets_the_tokens_used_since() {
    let world = world_on(in_memory());
    world.engine.keep_state("", "kept", world.now()).unwrap();
    let send = || world.transact(transaction(vec![action::put(TABLE, key("a"))], Some("token"))).unwrap();
    send();
    world.engine.bring_back("", "kept", world.now()).unwrap();
    assert_eq!(world.get(TABLE, key("a")), None::<Item>);
    send();
    assert!(world.get(TABLE, key("a")).is_some());
    world.engine.reset("", None, world.now()).unwrap();
    let world = World::on(Arc::clone(world.engine.store()));
    world.create(create_table(TABLE, (&["id"], &[]), &["id S".into()]));
    world.transact(transaction(vec![action::put(TABLE, key("a"))], Some("token"))).unwrap();
    assert!(world.get(TABLE, key("a")).is_some());
}

//! Two threads that meet at one particular point.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use dynamometer_engine::api::{DeleteTableRequest, ExecuteStatementRequest, GetItemRequest};
use dynamometer_store::{
    Batch, Commit, Keyspace, MemoryStore, Snapshot, Store, StoreError, StoreInfo, Write,
};
use dynamometer_types::{ApiError, ErrorKind, Item};

use crate::common::agree::{check_agreement, check_nothing_is_left_over};
use crate::common::meddle::Meddled;
use crate::common::requests::*;
use crate::common::{World, in_memory, n, on_disk, s};
use crate::{TABLE, key, world_on};

/// A store with a gate at one place: the first thread that comes there tells so, and waits until it may pass.
struct Gated {
    inner: MemoryStore,
    place: Place,
    closed: AtomicBool,
    reached: Mutex<Sender<()>>,
    may_pass: Mutex<Receiver<()>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// A batch with a job is committed, but the call has not returned yet.
    JobCommitted,
    /// An item is about to be read.
    ItemRead,
    /// A snapshot is about to be taken.
    SnapshotTaken,
}

/// What the test holds of the gate.
struct Gate {
    reached: Receiver<()>,
    open: Sender<()>,
}

impl Gated {
    fn at(place: Place) -> (Arc<Gated>, Gate) {
        let ((reached, told), (open, may_pass)) = (channel(), channel());
        let store = Gated {
            inner: MemoryStore::new(),
            place,
            closed: AtomicBool::new(false),
            reached: Mutex::new(reached),
            may_pass: Mutex::new(may_pass),
        };
        (Arc::new(store), Gate { reached: told, open })
    }

    fn close_gate(&self) {
        self.closed.store(true, Ordering::Release);
    }

    fn pass(&self, place: Place) {
        if place == self.place && self.closed.swap(false, Ordering::AcqRel) {
            self.reached.lock().unwrap().send(()).unwrap();
            self.may_pass.lock().unwrap().recv().unwrap();
        }
    }
}

impl Store for Gated {
    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        if keyspace == Keyspace::Items {
            self.pass(Place::ItemRead);
        }
        self.inner.get(keyspace, key)
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        self.pass(Place::SnapshotTaken);
        self.inner.snapshot()
    }

    fn commit(&self, batch: Batch) -> Commit {
        let adds_job =
            batch.writes.iter().any(|write| matches!(write, Write::Put { keyspace: Keyspace::Jobs, .. }));
        let commit = self.inner.commit(batch);
        if adds_job {
            self.pass(Place::JobCommitted);
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

/// Runs the jobs, and opens the gate when they have had time to go wrong.
fn run_jobs_at_the_gate(world: &World, gate: &Gate, meanwhile: impl FnOnce()) {
    thread::scope(|scope| {
        let jobs = scope.spawn(|| world.run_jobs());
        thread::sleep(Duration::from_millis(50));
        meanwhile();
        gate.open.send(()).unwrap();
        jobs.join().unwrap();
    });
    world.run_jobs();
}

fn note(id: &str) -> Item {
    item([("id", s(id)), ("n", n(1))])
}

fn late_index() -> dynamometer_engine::api::UpdateTableRequest {
    add_index(TABLE, global_index("late", (&["n"], &["id"]), "ALL"), &["n N".into(), "id S".into()])
}

/// The job that fills an index can be seen in the store a moment before the catalog shows the index. Run in between, it
/// would find no index to fill, and call it filled; and items that are put meanwhile would never be in it.
#[test]
fn a_job_that_is_seen_before_its_change_is_shown_waits_for_it() {
    let (store, gate) = Gated::at(Place::JobCommitted);
    let world = world_on(Arc::clone(&store) as _);
    world.put(put(TABLE, note("before"))).unwrap();
    store.close_gate();
    thread::scope(|scope| {
        scope.spawn(|| world.update_table(late_index()).unwrap());
        gate.reached.recv().unwrap();
        run_jobs_at_the_gate(&world, &gate, || drop(world.put(put(TABLE, note("meanwhile"))).unwrap()));
    });
    check_agreement(&world, TABLE);
    assert_eq!(world.scan_all(&scan(TABLE, Some("late")), None).len(), 2);
}

/// A write that was planned before an index was declared, and joins the queue after, knows nothing of the index. The
/// filling must begin behind it.
#[test]
fn an_index_takes_in_a_write_that_was_planned_before_it() {
    let (store, gate) = Gated::at(Place::ItemRead);
    let world = world_on(Arc::clone(&store) as _);
    world.put(put(TABLE, note("before"))).unwrap();
    store.close_gate();
    thread::scope(|scope| {
        scope.spawn(|| world.put(put(TABLE, note("planned before"))).unwrap());
        gate.reached.recv().unwrap();
        world.update_table(late_index()).unwrap();
        run_jobs_at_the_gate(&world, &gate, || {});
    });
    check_agreement(&world, TABLE);
    assert_eq!(world.scan_all(&scan(TABLE, Some("late")), None).len(), 2);
}

/// And one that was planned before its table was deleted must leave nothing behind.
#[test]
fn a_write_that_was_planned_before_its_table_went_is_cleared_away() {
    let (store, gate) = Gated::at(Place::ItemRead);
    let world = world_on(Arc::clone(&store) as _);
    world.put(put(TABLE, note("before"))).unwrap();
    store.close_gate();
    thread::scope(|scope| {
        scope.spawn(|| world.put(put(TABLE, note("planned before"))));
        gate.reached.recv().unwrap();
        let delete = DeleteTableRequest { table_name: Some(TABLE.into()) };
        world.run(async |engine, context| engine.delete_table(context, delete).await).unwrap();
        run_jobs_at_the_gate(&world, &gate, || {});
    });
    check_nothing_is_left_over(&world);
}

/// What a read answers that was planned on a table before it was deleted, and finds its rows while they are cleared away.
fn read_of_a_table_that_goes<T: Send>(place: Place, read: impl Fn(&World) -> T + Sync) -> T {
    let (store, gate) = Gated::at(place);
    let world = world_on(Arc::clone(&store) as _);
    (0..3).for_each(|at| drop(world.put(put(TABLE, note(&at.to_string()))).unwrap()));
    thread::scope(|scope| {
        store.close_gate();
        let reading = scope.spawn(|| read(&world));
        gate.reached.recv().unwrap();
        let delete = DeleteTableRequest { table_name: Some(TABLE.into()) };
        world.run(async |engine, context| engine.delete_table(context, delete).await).unwrap();
        world.run_jobs();
        gate.open.send(()).unwrap();
        reading.join().unwrap()
    })
}

#[test]
fn a_read_that_was_planned_before_its_table_went_does_not_find_it() {
    let kind = |error: ApiError| error.kind;
    let scanned = read_of_a_table_that_goes(Place::SnapshotTaken, |world| world.scan(scan(TABLE, None)));
    assert_eq!(scanned.map_err(kind).unwrap_err(), ErrorKind::ResourceNotFound);
    let selected = read_of_a_table_that_goes(Place::SnapshotTaken, |world| {
        let request = ExecuteStatementRequest {
            statement: Some(format!("SELECT * FROM \"{TABLE}\"")),
            ..Default::default()
        };
        world.run(async |engine, context| engine.execute_statement(context, request).await)
    });
    assert_eq!(selected.map_err(kind).unwrap_err(), ErrorKind::ResourceNotFound);
    let got = read_of_a_table_that_goes(Place::ItemRead, |world| {
        let request =
            GetItemRequest { table_name: Some(TABLE.into()), key: Some(key("1")), ..Default::default() };
        world.run(async |engine, context| engine.get_item(context, request).await)
    });
    assert_eq!(got.map_err(kind).unwrap_err(), ErrorKind::ResourceNotFound);
}

/// A restore puts other tables in the place of those that were read: the read sees all of one or of the other.
#[test]
fn a_scan_that_was_planned_before_a_restore_reads_what_was_restored() {
    let (store, gate) = Gated::at(Place::SnapshotTaken);
    let world = world_on(Arc::clone(&store) as _);
    (0..3).for_each(|at| drop(world.put(put(TABLE, note(&at.to_string()))).unwrap()));
    world.engine.keep_state("", "kept", world.now()).unwrap();
    world.put(put(TABLE, note("later"))).unwrap();
    let found = thread::scope(|scope| {
        store.close_gate();
        let reading = scope.spawn(|| world.scan(scan(TABLE, None)).unwrap());
        gate.reached.recv().unwrap();
        world.engine.bring_back("", "kept", world.now()).unwrap();
        world.run_jobs();
        gate.open.send(()).unwrap();
        reading.join().unwrap()
    });
    assert_eq!(found.count, 3);
}

/// The index of expiry times may say that an item is due when it has just been put off: its deletion looks again, under
/// the latch.
#[test]
fn an_item_that_is_put_off_while_it_is_about_to_be_deleted_stays() {
    let (store, gate) = Gated::at(Place::ItemRead);
    let world = world_on(Arc::clone(&store) as _);
    world.set_time_to_live(TABLE, "n", true);
    world.run_jobs();
    let expiring = |id: &str, later: i64| item([("id", s(id)), ("n", n(world.now().seconds() + later))]);
    world.put(put(TABLE, expiring("put off", 1))).unwrap();
    world.put(put(TABLE, expiring("due", 1))).unwrap();
    world.advance(5_000);
    store.close_gate();
    thread::scope(|scope| {
        let jobs = scope.spawn(|| world.run_jobs());
        gate.reached.recv().unwrap();
        world.put(put(TABLE, expiring("put off", 100))).unwrap();
        gate.open.send(()).unwrap();
        jobs.join().unwrap();
    });
    assert!(world.get(TABLE, key("put off")).is_some() && world.get(TABLE, key("due")).is_none());
    check_agreement(&world, TABLE);
    check_nothing_is_left_over(&world);
}

/// A state that is kept while an index is being filled has the index whole when it is brought back.
#[test]
fn an_index_that_is_being_filled_is_filled_again_in_a_state_kept_meanwhile() {
    let store = Meddled::new(in_memory());
    let world = world_on(Arc::clone(&store) as _);
    for at in 0..3 {
        world.put(put(TABLE, item([("id", s(at.to_string())), ("n", n(at))]))).unwrap();
    }
    world.update_table(late_index()).unwrap();
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
    check_nothing_is_left_over(&world);
}

/// What a table is at the moment of the copy counts, not what it becomes while the copy begins: an index that was half
/// filled in the rows that are copied must not pass for a whole one.
#[test]
fn an_index_that_is_finished_while_a_state_is_kept_is_filled_again_in_it() {
    let store = Meddled::new(in_memory());
    let world = world_on(Arc::clone(&store) as _);
    for at in 0..3 {
        world.put(put(TABLE, item([("id", s(at.to_string())), ("n", n(at))]))).unwrap();
    }
    world.update_table(late_index()).unwrap();
    let mut finished = false;
    let keep = || drop(world.engine.keep_state("", "kept", world.now()).unwrap());
    store.at_reads_of(Keyspace::Catalog, keep, || {
        world.run_jobs();
        finished = true;
    });
    assert!(finished, "the tables are not read at the moment of the copy");
    world.engine.bring_back("", "kept", world.now()).unwrap();
    world.run_jobs();
    assert_eq!(world.scan_all(&scan(TABLE, Some("late")), None).len(), 3);
    check_agreement(&world, TABLE);
}

/// The snapshot behind the cut must not hold a write that only shared a sync with it: it would be counted twice.
#[test]
fn a_write_that_is_queued_behind_the_cut_is_counted_once() {
    let (_folder, store) = on_disk();
    let world = world_on(Arc::clone(&store));
    world.put(put(TABLE, note("before"))).unwrap();
    world.update_table(late_index()).unwrap();
    // The store's writer is held up, so that all that comes now waits together.
    let (release, held_up) = channel::<()>();
    let mut batch = Batch::new();
    batch.when_done(move |_| held_up.recv().unwrap());
    let holding = store.commit(batch);
    thread::scope(|scope| {
        let jobs = scope.spawn(|| world.run_jobs());
        thread::sleep(Duration::from_millis(50));
        scope.spawn(|| world.put(put(TABLE, note("behind"))).unwrap());
        thread::sleep(Duration::from_millis(50));
        release.send(()).unwrap();
        jobs.join().unwrap();
    });
    holding.wait().unwrap();
    check_agreement(&world, TABLE);
    assert_eq!(world.scan_all(&scan(TABLE, Some("late")), None).len(), 2);
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
    world.engine.reset("", world.now()).unwrap();
    let world = World::on(Arc::clone(world.engine.store()));
    world.create(create_table(TABLE, (&["id"], &[]), &["id S".into()]));
    world.transact(transaction(vec![action::put(TABLE, key("a"))], Some("token"))).unwrap();
    assert!(world.get(TABLE, key("a")).is_some());
}

/// A transaction that runs while a state is being brought back is not in it: its token must not say that it ran.
#[test]
fn bringing_back_a_state_forgets_the_tokens_used_meanwhile() {
    let store = Meddled::new(in_memory());
    let world = world_on(Arc::clone(&store) as _);
    world.engine.keep_state("", "kept", world.now()).unwrap();
    let send = || world.transact(transaction(vec![action::put(TABLE, key("a"))], Some("token"))).unwrap();
    let bring_back = || drop(world.engine.bring_back("", "kept", world.now()).unwrap());
    store.at_reads_of(Keyspace::Catalog, bring_back, || drop(send()));
    assert_eq!(world.get(TABLE, key("a")), None::<Item>);
    send();
    assert!(world.get(TABLE, key("a")).is_some());
}

/// The same of one that runs while a database is emptied.
#[test]
fn emptying_a_database_forgets_the_tokens_used_meanwhile() {
    let store = Meddled::new(in_memory());
    let world = world_on(Arc::clone(&store) as _);
    let send = || world.transact(transaction(vec![action::put(TABLE, key("a"))], Some("token"))).unwrap();
    let empty = || drop(world.engine.reset("", world.now()).unwrap());
    let mut sent = false;
    // What goes with the tables is looked for right before they are taken away.
    store.at_reads_of(Keyspace::Scaling, empty, || {
        send();
        sent = true;
    });
    assert!(sent, "nothing is looked for");
    world.create(create_table(TABLE, (&["id"], &[]), &["id S".into()]));
    assert_eq!(world.get(TABLE, key("a")), None::<Item>);
    send();
    assert!(world.get(TABLE, key("a")).is_some());
}

/// A token is good for as long as the table is there that it was used on.
#[test]
fn a_token_counts_for_nothing_on_another_table_of_the_same_name() {
    let world = world_on(in_memory());
    let send = || world.transact(transaction(vec![action::put(TABLE, key("a"))], Some("token"))).unwrap();
    send();
    world.delete(delete(TABLE, key("a"))).unwrap();
    send();
    assert_eq!(world.get(TABLE, key("a")), None::<Item>, "run again");
    world.engine.remove_tables("", &[TABLE.to_owned()], world.now()).unwrap();
    world.create(create_table(TABLE, (&["id"], &[]), &["id S".into()]));
    send();
    assert!(world.get(TABLE, key("a")).is_some());
}

//! The fault-injecting store does what it says, whichever commit it is told to fail.

use std::sync::Arc;

use dynamometer_store::fault::{Fault, FaultStore};
use dynamometer_store::{Batch, Keyspace, MemoryStore, Store, StoreError};

const COMMITS: u64 = 12;

fn put(n: u64) -> Batch {
    let mut batch = Batch::new();
    batch.put(Keyspace::Items, n.to_string(), "v").add(Keyspace::Counters, "count", [1, 0]);
    batch
}

fn is_there(store: &dyn Store, n: u64) -> bool {
    store.get(Keyspace::Items, n.to_string().as_bytes()).expect("a read").is_some()
}

#[test]
fn every_fault_at_every_commit() {
    for fault in Fault::ALL {
        for at in 1..=COMMITS {
            let store = FaultStore::new(MemoryStore::new());
            store.fail_at(at, fault);
            let outcomes: Vec<_> = (1..=COMMITS).map(|n| store.commit(put(n)).wait()).collect();
            assert_eq!(store.commits(), COMMITS);
            let recovered = store.crash();
            for (n, outcome) in (1..=COMMITS).zip(outcomes) {
                let (told, there) = match (fault, n.cmp(&at)) {
                    (_, std::cmp::Ordering::Less) => (outcome.is_ok(), true),
                    (Fault::Full, std::cmp::Ordering::Equal) => {
                        (matches!(outcome, Err(StoreError::Full(_))), false)
                    }
                    (_, std::cmp::Ordering::Equal) => {
                        (matches!(outcome, Err(StoreError::Io(_))), fault == Fault::Unanswered)
                    }
                    (Fault::Hiccup, _) => (outcome.is_ok(), true),
                    _ => (matches!(outcome, Err(StoreError::Unavailable(_))), false),
                };
                assert!(told, "{fault:?} at {at}: commit {n}");
                assert_eq!(is_there(&recovered, n), there, "{fault:?} at {at}: commit {n}");
                assert_eq!(is_there(&store, n), there, "{fault:?} at {at}: commit {n}");
            }
            let late = store.commit(put(99)).wait();
            assert!(matches!(late, Err(StoreError::Unavailable(_))), "after a crash: {late:?}");
        }
    }
}

#[test]
fn a_crash_loses_what_was_held_and_tells_everybody() {
    let store = FaultStore::new(MemoryStore::new());
    store.commit(put(1)).wait().expect("a write");
    store.pause();
    let told = Arc::new(parking_lot::Mutex::new(vec![]));
    let held: Vec<_> = (2..5)
        .map(|n| {
            let mut batch = put(n);
            let told = Arc::clone(&told);
            batch.when_done(move |outcome| told.lock().push((n, outcome.is_ok())));
            store.commit(batch)
        })
        .collect();
    assert_eq!((store.held(), store.commits()), (3, 1));
    assert!(!is_there(&store, 2), "held batches are invisible");
    let recovered = store.crash();
    assert_eq!(*told.lock(), [(2, false), (3, false), (4, false)]);
    for commit in held {
        assert!(matches!(commit.wait(), Err(StoreError::Unavailable(_))));
    }
    assert!(is_there(&recovered, 1) && !is_there(&recovered, 2));
}

#[test]
fn what_was_held_goes_on_in_its_order() {
    let store = FaultStore::new(MemoryStore::new());
    store.fail_at(3, Fault::Hiccup);
    store.pause();
    let held: Vec<_> = (1..=4).map(|n| store.commit(put(n))).collect();
    store.resume();
    let outcomes: Vec<_> = held.into_iter().map(|commit| commit.wait().is_ok()).collect();
    assert_eq!(outcomes, [true, true, false, true]);
    assert_eq!((1..=4).map(|n| is_there(&store, n)).collect::<Vec<_>>(), outcomes);
}

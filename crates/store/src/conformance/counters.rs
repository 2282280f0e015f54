//! Counters: exact, whoever adds.

use std::sync::Arc;

use bytes::Bytes;

use super::{all_succeed, put, read, text};
use crate::{Batch, Commit, Keyspace, Store, StoreError, decode_pair, encode_pair};

fn pair(store: &dyn Store, key: &str) -> Option<[i64; 2]> {
    let row = store.get(Keyspace::Counters, key.as_bytes()).expect("a read");
    row.map(|row| decode_pair(Some(&row)).expect("a pair"))
}

pub(super) fn adds_are_exact_from_many_threads(store: &Arc<dyn Store>) {
    std::thread::scope(|scope| {
        for thread in 0..4_i64 {
            scope.spawn(move || {
                let mut commits = vec![];
                for n in 0..200_i64 {
                    let mut batch = Batch::new();
                    batch.add(Keyspace::Counters, "all", [1, n]);
                    batch.add(Keyspace::Counters, text(&format!("of {thread}")), [-1, 2]);
                    // Up and down again: no row may be left of it.
                    let sign = if n % 2 == 0 { 1 } else { -1 };
                    batch.add(Keyspace::Counters, "nothing", [sign, -sign]);
                    commits.push(store.commit(batch));
                }
                all_succeed(commits);
            });
        }
    });
    assert_eq!(pair(&**store, "all"), Some([800, 4 * 199 * 100]));
    for thread in 0..4 {
        assert_eq!(pair(&**store, &format!("of {thread}")), Some([-200, 400]));
    }
    assert_eq!(pair(&**store, "nothing"), None);
}

pub(super) fn adds_mix_with_writes_and_checks(store: &Arc<dyn Store>) {
    let steps = [
        "absent",
        "add 1 2",
        "holds 1 2",
        "add 2 2",
        "holds 3 4",
        "delete",
        "absent",
        "add 7 7",
        "put 50 50",
        "holds 50 50",
        "add -50 -50",
        "absent",
        "add 9223372036854775807 -9223372036854775808",
        "holds 9223372036854775807 -9223372036854775808",
        // Sums wrap around.
        "add 1 -1",
        "holds -9223372036854775808 9223372036854775807",
        "delete",
    ];
    // Once each step for itself, once all of them queued together.
    for together in [false, true] {
        let mut commits = vec![];
        for step in steps {
            let commit = store.commit(batch_of(step));
            if together { commits.push((step, commit)) } else { succeeds(step, commit) }
        }
        commits.into_iter().for_each(|(step, commit)| succeeds(step, commit));
        assert_eq!(pair(&**store, "c"), None);
    }
}

fn succeeds(step: &str, commit: Commit) {
    let outcome = commit.wait();
    assert!(outcome.is_ok(), "{step}: {outcome:?}");
}

/// A batch with one step on the counter row `c`, such as `add 1 2`.
fn batch_of(step: &str) -> Batch {
    let mut words = step.split(' ');
    let verb = words.next();
    let numbers: Vec<i64> = words.map(|word| word.parse().expect("a number")).collect();
    let row = |numbers: [i64; 2]| Bytes::copy_from_slice(&encode_pair(numbers));
    let mut batch = Batch::new();
    match (verb, numbers.try_into()) {
        (Some("add"), Ok(deltas)) => batch.add(Keyspace::Counters, "c", deltas),
        (Some("put"), Ok(pair)) => batch.put(Keyspace::Counters, "c", row(pair)),
        (Some("holds"), Ok(pair)) => batch.check_holds(Keyspace::Counters, "c", row(pair)),
        (Some("absent"), _) => batch.check_absent(Keyspace::Counters, "c"),
        (Some("delete"), _) => batch.delete(Keyspace::Counters, "c"),
        _ => panic!("no step: {step}"),
    };
    batch
}

pub(super) fn a_row_that_is_no_pair_stops_the_store(store: &Arc<dyn Store>) {
    put(&**store, Keyspace::Counters, "junk", "not a pair");
    let batch = |key: &str| {
        let mut batch = Batch::new();
        batch.put(Keyspace::Items, text(key), "v").add(Keyspace::Counters, text(key), [1, 1]);
        batch
    };
    assert!(store.commit(batch("a")).wait().is_ok());
    // The batches behind it may build on what it would have written.
    let commits = [store.commit(batch("junk")), store.commit(batch("b"))];
    let outcomes = commits.map(|commit| commit.wait());
    assert!(matches!(&outcomes, [Err(StoreError::Corrupt(_)), Err(_)]), "{outcomes:?}");
    assert!(matches!(store.commit(batch("c")).wait(), Err(StoreError::Unavailable(_))));
    assert_eq!(pair(&**store, "a"), Some([1, 1]));
    for key in ["junk", "b", "c"] {
        assert_eq!(read(&**store, Keyspace::Items, key), "-", "{key}");
    }
}

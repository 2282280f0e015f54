//! Batches: order, atomicity, checks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bytes::Bytes;
use parking_lot::Mutex;

use super::{all_succeed, commit, content, put, read, text};
use crate::{Batch, Committed, Keyspace, MAX_KEY_BYTES, Store, StoreError};

pub(super) fn the_last_write_of_a_key_stays(store: &Arc<dyn Store>) {
    // `+x` puts x, `-` deletes; steps between commas are one batch, and all batches are queued at once.
    let cases = [
        ("+a+b", "b"),
        ("+a-", "-"),
        ("-+a", "a"),
        ("+a-+b", "b"),
        ("+a,+b", "b"),
        ("+a,-", "-"),
        ("+a,-,+b", "b"),
        ("+a,-+b-,+c", "c"),
    ];
    for (index, (steps, expected)) in cases.into_iter().enumerate() {
        let key = format!("key {index}");
        let commits: Vec<_> = steps
            .split(',')
            .map(|steps| {
                let mut batch = Batch::new();
                for step in steps.split_inclusive(|c: char| c == '-' || c.is_ascii_alphabetic()) {
                    match step.strip_prefix('+') {
                        Some(value) => batch.put(Keyspace::Items, text(&key), text(value)),
                        None => batch.delete(Keyspace::Items, text(&key)),
                    };
                }
                store.commit(batch)
            })
            .collect();
        all_succeed(commits);
        assert_eq!(read(&**store, Keyspace::Items, &key), expected, "{steps}");
    }
}

pub(super) fn batches_commit_in_the_order_of_the_calls(store: &Arc<dyn Store>) {
    let done = Arc::new(Mutex::new(Vec::<(u32, u64)>::new()));
    let commits = Mutex::new((0, Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    // The number and the call together, so that the number tells the order of the calls.
                    let (number, calls) = &mut *commits.lock();
                    *number += 1;
                    let mut batch = Batch::new();
                    batch.put(Keyspace::Items, text("last"), text(&number.to_string()));
                    let (n, done) = (*number, Arc::clone(&done));
                    batch.when_done(move |outcome| {
                        let sequence = outcome.as_ref().expect("a write").sequence;
                        done.lock().push((n, sequence));
                    });
                    calls.push(store.commit(batch));
                }
            });
        }
    });
    let (count, calls) = commits.into_inner();
    let outcomes: Vec<Committed> = calls.into_iter().map(|commit| commit.wait().expect("a write")).collect();
    let done = done.lock();
    assert_eq!(done.iter().map(|(n, _)| *n).collect::<Vec<_>>(), (1..=count).collect::<Vec<_>>());
    assert!(done.is_sorted_by(|a, b| a.1 < b.1), "sequences must rise");
    assert!(outcomes.iter().zip(&*done).all(|(committed, (_, told))| committed.sequence == *told));
    assert_eq!(read(&**store, Keyspace::Items, "last"), count.to_string());
}

pub(super) fn a_failed_check_applies_nothing(store: &Arc<dyn Store>) {
    put(&**store, Keyspace::Items, "here", "value");
    let before = content(&**store);
    // Keyspace, key and the value that must be there; `-` for none.
    let (items, jobs) = (Keyspace::Items, Keyspace::Jobs);
    type Holds = (Keyspace, &'static str, &'static str);
    let cases: [(&[Holds], Option<usize>); 7] = [
        (&[(items, "here", "-")], Some(0)),
        (&[(items, "here", "other")], Some(0)),
        (&[(items, "absent", "")], Some(0)),
        (&[(jobs, "here", "-"), (items, "here", "value"), (items, "here", "-")], Some(2)),
        (&[(items, "here", "value")], None),
        (&[(items, "absent", "-"), (jobs, "here", "-")], None),
        (&[], None),
    ];
    for (checks, conflict) in cases {
        let outcome = commit(&**store, |batch| {
            for (keyspace, key, value) in checks {
                match *value {
                    "-" => batch.check_absent(*keyspace, *key),
                    value => batch.check_holds(*keyspace, *key, value),
                };
            }
            batch.put(Keyspace::Items, "new", "x").put(Keyspace::Jobs, "new", "x");
            batch.delete(Keyspace::Items, "here").add(Keyspace::Counters, "new", [1, 1]);
        });
        match conflict {
            Some(index) => {
                assert!(matches!(outcome, Err(StoreError::Conflict { check }) if check == index));
                assert_eq!(content(&**store), before);
            }
            None => {
                outcome.expect("a write");
                assert_ne!(content(&**store), before);
                commit(&**store, |batch| {
                    batch.delete(Keyspace::Items, "new").delete(Keyspace::Jobs, "new");
                    batch.put(Keyspace::Items, "here", "value").delete(Keyspace::Counters, "new");
                })
                .expect("putting things back");
                assert_eq!(content(&**store), before);
            }
        }
    }
}

pub(super) fn checks_see_earlier_batches_that_are_still_queued(store: &Arc<dyn Store>) {
    let mut commits = vec![];
    for n in 0..100_u32 {
        let mut batch = Batch::new();
        match n {
            0 => batch.check_absent(Keyspace::Items, "n"),
            _ => batch.check_holds(Keyspace::Items, "n", text(&(n - 1).to_string())),
        };
        batch.put(Keyspace::Items, "n", text(&n.to_string()));
        commits.push((true, store.commit(batch)));
        // The same again must fail, and must not disturb the next.
        let mut batch = Batch::new();
        batch.check_absent(Keyspace::Items, "n").delete(Keyspace::Items, "n");
        commits.push((false, store.commit(batch)));
    }
    let mut batch = Batch::new();
    batch.delete(Keyspace::Items, "n");
    commits.push((true, store.commit(batch)));
    let mut batch = Batch::new();
    batch.check_absent(Keyspace::Items, "n").put(Keyspace::Items, "end", "x");
    commits.push((true, store.commit(batch)));
    for (succeeds, commit) in commits {
        match commit.wait() {
            Ok(_) => assert!(succeeds),
            Err(StoreError::Conflict { check: 0 }) => assert!(!succeeds),
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(read(&**store, Keyspace::Items, "n"), "-");
    assert_eq!(read(&**store, Keyspace::Items, "end"), "x");
}

pub(super) fn checks_let_one_of_many_win(store: &Arc<dyn Store>) {
    let won = AtomicU32::new(0);
    put(&**store, Keyspace::Items, "n", "0");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    let old = read(&**store, Keyspace::Items, "n");
                    let new = old.parse::<u32>().expect("a number") + 1;
                    let outcome = commit(&**store, |batch| {
                        batch.check_holds(Keyspace::Items, "n", text(&old));
                        batch.put(Keyspace::Items, "n", text(&new.to_string()));
                    });
                    match outcome {
                        Ok(_) => won.fetch_add(1, Ordering::Relaxed),
                        Err(StoreError::Conflict { .. }) => 0,
                        Err(error) => panic!("{error}"),
                    };
                }
            });
        }
    });
    let won = won.into_inner();
    assert!(won >= 100, "one of them wins each time, but only {won} did");
    assert_eq!(read(&**store, Keyspace::Items, "n"), won.to_string());
}

pub(super) fn large_batches_pass(store: &Arc<dyn Store>) {
    let value = |n: u8| Bytes::from(vec![n; 400 << 10]);
    let commits: Vec<_> = (0..4_u8)
        .map(|n| {
            let mut batch = Batch::new();
            for row in 0..10_u8 {
                batch.put(Keyspace::Items, vec![n, row], value(n));
            }
            store.commit(batch)
        })
        .collect();
    all_succeed(commits);
    for n in 0..4_u8 {
        assert_eq!(store.get(Keyspace::Items, &[n, 9]).expect("a read"), Some(value(n)));
    }
}

pub(super) fn keys_that_cannot_be_stored_are_refused(store: &Arc<dyn Store>) {
    let too_long = Bytes::from(vec![b'k'; MAX_KEY_BYTES + 1]);
    let before = content(&**store);
    for key in [Bytes::new(), too_long] {
        for change in ["put", "delete", "add"] {
            let outcome = commit(&**store, |batch| {
                batch.put(Keyspace::Items, "good", "v");
                match change {
                    "put" => batch.put(Keyspace::Items, key.clone(), "v"),
                    "delete" => batch.delete(Keyspace::Items, key.clone()),
                    _ => batch.add(Keyspace::Counters, key.clone(), [1, 1]),
                };
            });
            assert!(matches!(outcome, Err(StoreError::Invalid(_))), "{outcome:?}");
        }
        assert_eq!(store.get(Keyspace::Items, &key).expect("a read"), None);
    }
    assert_eq!(content(&**store), before);
    put(&**store, Keyspace::Items, "good", "v");
}

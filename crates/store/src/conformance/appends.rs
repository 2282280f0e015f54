//! Appends: rows whose keys are made at their commit.

use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Rows, commit, rows, text};
use crate::{Appended, Batch, Direction, Keyspace, Snapshot, Store, StoreError};

/// The rows below a prefix, behind a place.
fn below(snapshot: &dyn Snapshot, prefix: &str, after: Appended, limit: usize) -> Rows {
    let start = after.key(prefix.as_bytes());
    let end = [prefix.as_bytes(), &[0xFF; Appended::BYTES]].concat();
    let bounds = (Bound::Excluded(&start[..]), Bound::Included(&end[..]));
    rows(snapshot, Keyspace::Streams, bounds, Direction::Forward, limit)
}

pub(super) fn places_below(store: &dyn Store, prefix: &str) -> Vec<Appended> {
    let snapshot = store.snapshot().expect("a snapshot");
    let found = below(&*snapshot, prefix, Appended::default(), usize::MAX);
    found.iter().map(|(key, _)| Appended::of_key(key).expect("an appended key")).collect()
}

pub(super) fn appended_keys_rise_with_the_order_of_commits(store: &Arc<dyn Store>) {
    let mut commits = vec![];
    for number in 0..50 {
        let mut batch = Batch::new();
        for part in 0..number % 4 {
            batch.append(Keyspace::Streams, text("p:"), text(&format!("{number} {part}")));
        }
        batch.append(Keyspace::Streams, text("other:"), text(&number.to_string()));
        commits.push(store.commit(batch));
    }
    let sequences: Vec<u64> = commits.into_iter().map(|c| c.wait().expect("a write").sequence).collect();
    let snapshot = store.snapshot().expect("a snapshot");
    let found = below(&*snapshot, "p:", Appended::default(), usize::MAX);
    let expected: Vec<(Vec<u8>, String)> = (0..50u32)
        .flat_map(|number| (0..number % 4).map(move |part| (number, part)))
        .map(|(number, place)| {
            let at = Appended { sequence: sequences[number as usize], place };
            (at.key(b"p:"), format!("{number} {place}"))
        })
        .collect();
    let shown = |(key, value): (Vec<u8>, bytes::Bytes)| (key, String::from_utf8_lossy(&value).into_owned());
    assert_eq!(found.into_iter().map(shown).collect::<Vec<_>>(), expected);
    // The place counts all appends of the batch.
    let others = places_below(&**store, "other:");
    assert!(others.iter().zip(0..).all(|(at, number)| at.place == number % 4), "{others:?}");
}

/// Many threads append while one pages from the last key it has seen: in the end it has seen each row once.
pub(super) fn a_reader_that_pages_misses_no_append(store: &Arc<dyn Store>) {
    const THREADS: u32 = 4;
    const EACH: u32 = 200;
    let over = AtomicBool::new(false);
    let seen = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let (mut seen, mut after) = (vec![], Appended::default());
            loop {
                // Asked before the look: what is there by then is seen by it.
                let last = over.load(Ordering::Acquire);
                let snapshot = store.snapshot().expect("a snapshot");
                let page = below(&*snapshot, "p:", after, 7);
                if let Some((key, _)) = page.last() {
                    after = Appended::of_key(key).expect("an appended key");
                } else if last {
                    return seen;
                }
                seen.extend(page.into_iter().map(|(_, value)| value));
            }
        });
        let writers: Vec<_> = (0..THREADS)
            .map(|thread| {
                scope.spawn(move || {
                    for number in 0..EACH {
                        let append = |batch: &mut Batch| {
                            batch.append(Keyspace::Streams, text("p:"), text(&format!("{thread} {number}")));
                        };
                        commit(&**store, append).expect("a write");
                    }
                })
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().expect("a writer"));
        over.store(true, Ordering::Release);
        reader.join().expect("the reader")
    });
    for thread in 0..THREADS {
        let of_thread: Vec<String> = seen
            .iter()
            .map(|value| String::from_utf8_lossy(value).into_owned())
            .filter(|value| value.starts_with(&format!("{thread} ")))
            .collect();
        let expected: Vec<String> = (0..EACH).map(|number| format!("{thread} {number}")).collect();
        assert_eq!(of_thread, expected, "each row once and in order");
    }
}

pub(super) fn a_batch_that_fails_appends_nothing(store: &Arc<dyn Store>) {
    let append = |batch: &mut Batch| {
        batch.append(Keyspace::Streams, text("p:"), text("value"));
    };
    let failed = commit(&**store, |batch| {
        append(batch);
        batch.check_holds(Keyspace::Items, text("key"), text("value"));
    });
    assert!(matches!(failed, Err(StoreError::Conflict { check: 0 })), "{failed:?}");
    let too_long = commit(&**store, |batch| {
        batch.append(Keyspace::Streams, vec![b'p'; 65_524], text("value"));
    });
    assert!(matches!(too_long, Err(StoreError::Invalid(_))), "{too_long:?}");
    commit(&**store, append).expect("a write");
    assert_eq!(places_below(&**store, "p:").len(), 1);
}

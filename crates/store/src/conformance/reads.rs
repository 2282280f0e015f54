//! What readers see.

use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;

use super::{Rows, all, all_succeed, commit, put, read, rows, shown, text};
use crate::range::is_empty_range;
use crate::{Batch, Direction, Keyspace, MAX_KEY_BYTES, Store};

pub(super) fn a_value_is_read_back_replaced_and_removed(store: &Arc<dyn Store>) {
    let long_key = "k".repeat(MAX_KEY_BYTES);
    for key in ["k", "\0", "a\0b", &long_key] {
        assert_eq!(read(&**store, Keyspace::Items, key), "-");
        for value in ["one", "", "another one"] {
            put(&**store, Keyspace::Items, key, value);
            assert_eq!(read(&**store, Keyspace::Items, key), value);
        }
        commit(&**store, |batch| {
            batch.delete(Keyspace::Items, text(key)).delete(Keyspace::Items, text("never there"));
        })
        .expect("a delete");
        assert_eq!(read(&**store, Keyspace::Items, key), "-");
    }
}

pub(super) fn keyspaces_are_separate(store: &Arc<dyn Store>) {
    for keyspace in Keyspace::ALL {
        put(&**store, keyspace, "key", keyspace.name());
        put(&**store, keyspace, keyspace.name(), "value");
    }
    commit(&**store, |batch| {
        batch.delete(Keyspace::Items, text("key"));
    })
    .expect("a delete");
    let snapshot = store.snapshot().expect("a snapshot");
    for keyspace in Keyspace::ALL {
        let expected = if keyspace == Keyspace::Items { "-" } else { keyspace.name() };
        assert_eq!(read(&**store, keyspace, "key"), expected);
        assert_eq!(shown(snapshot.get(keyspace, b"key").expect("a read")), expected);
        assert_eq!(all(&*snapshot, keyspace).len(), if keyspace == Keyspace::Items { 1 } else { 2 });
    }
}

pub(super) fn a_range_visits_what_lies_between_its_bounds(store: &Arc<dyn Store>) {
    let keys: [&[u8]; 7] = [b"\0", b"a", b"a\0", b"ab", b"b", b"\xff", b"\xff\xff"];
    commit(&**store, |batch| {
        for key in keys {
            batch.put(Keyspace::Items, Bytes::from_static(key), Bytes::from_static(key));
        }
        batch.put(Keyspace::Jobs, text("ac"), text("elsewhere"));
    })
    .expect("some puts");
    // Every pair of bounds, over keys that are there and keys that are not.
    let mut bounds = vec![Bound::Unbounded];
    for key in keys.into_iter().chain([&b"aa"[..], b"c", b""]) {
        bounds.extend([Bound::Included(key), Bound::Excluded(key)]);
    }
    let snapshot = store.snapshot().expect("a snapshot");
    for start in &bounds {
        for end in &bounds {
            let mut expected: Rows = keys
                .iter()
                .filter(|key| !is_empty_range(*start, Bound::Included(key)))
                .filter(|key| !is_empty_range(Bound::Included(key), *end))
                .map(|key| (key.to_vec(), Bytes::from_static(key)))
                .collect();
            for direction in [Direction::Forward, Direction::Reverse] {
                let found = rows(&*snapshot, Keyspace::Items, (*start, *end), direction, usize::MAX);
                assert_eq!(found, expected, "{start:?} to {end:?}, {direction:?}");
                expected.reverse();
            }
        }
    }
}

/// A bound may be any bytes, also ones that no key can have.
pub(super) fn a_range_may_have_bounds_that_no_key_can_have(store: &Arc<dyn Store>) {
    let longest = Bytes::from(vec![b'k'; MAX_KEY_BYTES]);
    let longer: &[u8] = &[b'k'; MAX_KEY_BYTES + 1];
    commit(&**store, |batch| {
        for key in ["a", "z"] {
            batch.put(Keyspace::Items, key, "");
        }
        batch.put(Keyspace::Items, longest, "");
    })
    .expect("some puts");
    let snapshot = store.snapshot().expect("a snapshot");
    assert_eq!(snapshot.get(Keyspace::Items, longer).expect("a read"), None);
    assert_eq!(store.get(Keyspace::Items, longer).expect("a read"), None);
    let cases = [
        (Bound::Included(longer), Bound::Unbounded, 1),
        (Bound::Excluded(longer), Bound::Unbounded, 1),
        (Bound::Unbounded, Bound::Included(longer), 2),
        (Bound::Unbounded, Bound::Excluded(longer), 2),
        (Bound::Included(longer), Bound::Included(longer), 0),
    ];
    for (start, end, expected) in cases {
        for direction in [Direction::Forward, Direction::Reverse] {
            let found = rows(&*snapshot, Keyspace::Items, (start, end), direction, usize::MAX);
            assert_eq!(found.len(), expected);
        }
    }
}

pub(super) fn a_range_stops_when_it_is_told(store: &Arc<dyn Store>) {
    for key in ["a", "b", "c", "d"] {
        put(&**store, Keyspace::Items, key, "");
    }
    let snapshot = store.snapshot().expect("a snapshot");
    let everything = (Bound::Unbounded, Bound::Unbounded);
    for (direction, limit, expected) in [
        (Direction::Forward, 1, "a"),
        (Direction::Forward, 3, "abc"),
        (Direction::Reverse, 1, "d"),
        (Direction::Reverse, 3, "dcb"),
    ] {
        let found = rows(&*snapshot, Keyspace::Items, everything, direction, limit);
        let found: Vec<u8> = found.into_iter().flat_map(|(key, _)| key).collect();
        assert_eq!(found, expected.as_bytes());
    }
}

pub(super) fn a_snapshot_does_not_change(store: &Arc<dyn Store>) {
    let write = |n: u32| {
        commit(&**store, |batch| {
            batch.put(Keyspace::Items, text("changed"), text(&n.to_string()));
            batch.put(Keyspace::Items, text(&format!("new {n}")), text("x"));
            batch.delete(Keyspace::Items, text(&format!("new {}", n.wrapping_sub(1))));
            batch.add(Keyspace::Counters, text("count"), [1, 1]);
        })
        .expect("a write");
    };
    let snapshots: Vec<_> = (0..50)
        .map(|n| {
            write(n);
            (n, store.snapshot().expect("a snapshot"))
        })
        .collect();
    write(50);
    for (n, snapshot) in &snapshots {
        let get = |keyspace, key: &str| snapshot.get(keyspace, key.as_bytes()).expect("a read");
        assert_eq!(shown(get(Keyspace::Items, "changed")), n.to_string());
        let items = all(&**snapshot, Keyspace::Items);
        let expected = vec![b"changed".to_vec(), format!("new {n}").into_bytes()];
        assert_eq!(items.keys().cloned().collect::<Vec<_>>(), expected);
        let count = crate::decode_pair(get(Keyspace::Counters, "count").as_deref()).expect("a pair");
        assert_eq!(count, [i64::from(n + 1); 2]);
    }
}

/// A writer writes the same number everywhere; no snapshot may see two of them, and nobody who has seen a
/// number, by whatever read, may later see a smaller one. Every third number is told by absence.
pub(super) fn a_reader_never_sees_half_a_batch_nor_goes_back(store: &Arc<dyn Store>) {
    let stop = AtomicBool::new(false);
    let number = |value: Option<Bytes>| shown(value).parse::<u32>().unwrap_or_default();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut last = 0;
                while !stop.load(Ordering::Relaxed) {
                    let by_get = number(store.get(Keyspace::Jobs, b"n").expect("a read"));
                    let snapshot = store.snapshot().expect("a snapshot");
                    let seen =
                        Keyspace::ALL.map(|keyspace| number(snapshot.get(keyspace, b"n").expect("a read")));
                    let absent = snapshot.get(Keyspace::Items, b"third").expect("a read").is_none();
                    assert!(seen.iter().all(|n| *n == seen[0]), "half a batch: {seen:?}");
                    assert_eq!(absent, seen[0] % 3 == 0, "half a batch at {}", seen[0]);
                    assert!(last <= by_get && by_get <= seen[0], "{last}, then {by_get}, then {}", seen[0]);
                    last = seen[0];
                }
            });
        }
        let mut commits = vec![];
        for n in 1..=1500_u32 {
            let mut batch = Batch::new();
            for keyspace in Keyspace::ALL {
                batch.put(keyspace, text("n"), text(&n.to_string()));
            }
            match n % 3 {
                0 => batch.delete(Keyspace::Items, text("third")),
                _ => batch.put(Keyspace::Items, text("third"), text("x")),
            };
            commits.push(store.commit(batch));
            if n % 20 == 0 {
                all_succeed(commits.drain(..));
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(read(&**store, Keyspace::Streams, "n"), "1500");
}

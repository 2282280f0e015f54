//! Random batches, on the engine and on a plain sorted map.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use bytes::Bytes;

use super::{Random, Rows, content, rows};
use crate::range::is_empty_range;
use crate::{Batch, Check, Direction, Keyspace, Store, StoreError, Write, decode_pair, encode_pair};

type Model = BTreeMap<(Keyspace, Bytes), Bytes>;

/// Applies a batch the plain way.
fn apply(model: &mut Model, batch: &Batch) -> Result<(), usize> {
    for (index, check) in batch.checks.iter().enumerate() {
        let holds = match check {
            Check::KeyAbsent { keyspace, key } => !model.contains_key(&(*keyspace, key.clone())),
            Check::StillHolds { keyspace, key, value } => model.get(&(*keyspace, key.clone())) == Some(value),
        };
        if !holds {
            return Err(index);
        }
    }
    for write in batch.writes.clone() {
        match write {
            Write::Put { keyspace, key, value } => drop(model.insert((keyspace, key), value)),
            Write::Delete { keyspace, key } => drop(model.remove(&(keyspace, key))),
        }
    }
    for add in &batch.adds {
        let key = (add.keyspace, add.key.clone());
        let old = decode_pair(model.get(&key).map(|row| &row[..])).expect("a pair");
        let new = [old[0] + add.deltas[0], old[1] + add.deltas[1]];
        match new {
            [0, 0] => drop(model.remove(&key)),
            _ => drop(model.insert(key, Bytes::copy_from_slice(&encode_pair(new)))),
        }
    }
    Ok(())
}

const KEYSPACES: [Keyspace; 3] = [Keyspace::Items, Keyspace::Streams, Keyspace::Catalog];

fn random_key(random: &mut Random) -> Bytes {
    // Few and short, so that they meet; some are the beginning of others.
    Bytes::from(vec![b'a' + random.below(3) as u8; 1 + random.below(4) as usize])
}

fn random_batch(random: &mut Random, model: &Model) -> Batch {
    let mut batch = Batch::new();
    for _ in 0..random.below(5) {
        let keyspace = KEYSPACES[random.below(3) as usize];
        let key = random_key(random);
        match random.below(3) {
            0 => batch.delete(keyspace, key),
            _ => {
                let value = vec![random.below(250) as u8; random.below(40) as usize];
                batch.put(keyspace, key, value)
            }
        };
    }
    for _ in 0..random.below(3) {
        let deltas = [random.below(5) as i64 - 2, random.below(3) as i64 - 1];
        batch.add(Keyspace::Counters, random_key(random), deltas);
    }
    if random.below(10) == 0 {
        batch.delete(Keyspace::Counters, random_key(random));
        batch.adds.clear();
    }
    if random.below(3) == 0 {
        let keyspace = [Keyspace::Items, Keyspace::Counters][random.below(2) as usize];
        let key = random_key(random);
        match model.get(&(keyspace, key.clone())) {
            Some(value) if random.below(8) > 0 => batch.check_holds(keyspace, key, value.clone()),
            _ => batch.check_absent(keyspace, key),
        };
    }
    batch
}

fn random_bound<'a>(random: &mut Random, key: &'a Bytes) -> Bound<&'a [u8]> {
    match random.below(3) {
        0 => Bound::Included(key),
        1 => Bound::Excluded(key),
        _ => Bound::Unbounded,
    }
}

fn compare_a_range(store: &dyn Store, model: &Model, random: &mut Random) {
    let (low, high) = (random_key(random), random_key(random));
    let bounds = (random_bound(random, &low), random_bound(random, &high));
    let keyspace = KEYSPACES[random.below(3) as usize];
    let mut expected: Rows = model
        .iter()
        .filter(|((found, _), _)| *found == keyspace)
        .filter(|((_, key), _)| !is_empty_range(bounds.0, Bound::Included(key)))
        .filter(|((_, key), _)| !is_empty_range(Bound::Included(key), bounds.1))
        .map(|((_, key), value)| (key.to_vec(), value.clone()))
        .collect();
    let direction = match random.below(2) {
        0 => Direction::Forward,
        _ => {
            expected.reverse();
            Direction::Reverse
        }
    };
    let limit = 1 + random.below(20) as usize;
    expected.truncate(limit);
    let snapshot = store.snapshot().expect("a snapshot");
    assert_eq!(rows(&*snapshot, keyspace, bounds, direction, limit), expected, "{bounds:?} {direction:?}");
}

pub(super) fn random_batches_equal_a_sorted_map(store: &Arc<dyn Store>) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut model = Model::new();
    for _ in 0..60 {
        // Several are queued at once, so that they share a group.
        let mut commits = vec![];
        for _ in 0..=random.below(12) {
            let batch = random_batch(&mut random, &model);
            let expected = apply(&mut model, &batch);
            commits.push((expected, store.commit(batch)));
        }
        for (expected, commit) in commits {
            match (expected, commit.wait()) {
                (Ok(()), Ok(_)) => {}
                (Err(index), Err(StoreError::Conflict { check })) if index == check => {}
                (expected, found) => panic!("expected {expected:?}, got {found:?}"),
            }
        }
        for _ in 0..3 {
            compare_a_range(&**store, &model, &mut random);
        }
        let mut expected = vec![BTreeMap::new(); Keyspace::COUNT - 1];
        for ((keyspace, key), value) in &model {
            expected[keyspace.index()].insert(key.to_vec(), value.clone());
            assert_eq!(store.get(*keyspace, key).expect("a read").as_ref(), Some(value));
        }
        assert_eq!(content(&**store), expected);
    }
}

//! Reads and writes of single items take effect at one moment each, between their beginning and their end.
//!
//! Each write puts a value that no other puts, and is answered with the one that it took the place of: so the writes of an
//! item have one order. What was seen by whom and when must fit it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use dynamometer_engine::api::*;
use dynamometer_store::{Durability, EmbeddedOptions, EmbeddedStore};
use dynamometer_types::{ErrorKind, Item};

use crate::common::requests::*;
use crate::common::{Choices, World, in_memory, item_of, n, number, s};
use crate::{TABLE, key};

const ITEMS: usize = 3;
const WRITERS: usize = 4;
const READERS: usize = 4;
const WRITES: i64 = 150;

/// A call that told of a value of an item, or wrote it, and when. The value 0 is the item before the first write.
#[derive(Clone, Copy, Debug)]
struct Seen {
    value: i64,
    begin: u64,
    end: u64,
}

#[derive(Default)]
struct History {
    /// Each with the value that it took the place of.
    writes: Vec<(Seen, i64)>,
    reads: Vec<Seen>,
}

type Histories = BTreeMap<String, History>;

/// Moments in one order for all threads.
#[derive(Default)]
struct Moments(AtomicU64);

impl Moments {
    fn now(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst)
    }
}

fn value_of(item: Option<&Item>) -> i64 {
    item.map_or(0, |item| number(item, "n"))
}

fn write(world: &World, moments: &Moments, at: usize) -> Histories {
    let mut histories = Histories::new();
    let mut choices = Choices::new(at as u64);
    for round in 0..WRITES {
        let id = choices.below(ITEMS).to_string();
        let value = 1 + at as i64 + round * WRITERS as i64;
        let mut whole = key(id.clone());
        whole.insert("n", n(value));
        whole.insert("text", s("t".repeat(choices.below(3000))));
        let request =
            PutItemRequest { return_values: Some(Given::Known(ReturnValues::AllOld)), ..put(TABLE, whole) };
        let begin = moments.now();
        let answer = world.put(request).unwrap();
        let seen = Seen { value, begin, end: moments.now() };
        let before = value_of(answer.attributes.map(item_of).as_ref());
        histories.entry(id).or_default().writes.push((seen, before));
    }
    histories
}

fn read(world: &World, moments: &Moments, at: usize, over: &impl Fn() -> bool) -> Histories {
    let mut histories = Histories::new();
    let mut choices = Choices::new(1000 + at as u64);
    while !over() {
        let id = choices.below(ITEMS).to_string();
        let begin = moments.now();
        let found: Vec<(String, Option<Item>)> = match choices.below(4) {
            0 => {
                let page = world.scan(scan(TABLE, None)).unwrap();
                let items: Vec<Item> = page.items.into_iter().flatten().map(item_of).collect();
                let of =
                    |id: &String| items.iter().find(|item| item.get("id") == Some(&s(id.clone()))).cloned();
                (0..ITEMS).map(|at| at.to_string()).map(|id| (id.clone(), of(&id))).collect()
            }
            1 => {
                let request = transact_get(TABLE, [key(id.clone())]);
                match world.run(async |engine, context| engine.transact_get_items(context, request).await) {
                    Ok(mut answer) => vec![(id, answer.responses.remove(0).map(item_of))],
                    Err(error) => {
                        assert_eq!(error.kind, ErrorKind::TransactionCanceled, "{error:?}");
                        continue;
                    }
                }
            }
            _ => vec![(id.clone(), world.get(TABLE, key(id)))],
        };
        let end = moments.now();
        for (id, item) in found {
            let seen = Seen { value: value_of(item.as_ref()), begin, end };
            histories.entry(id).or_default().reads.push(seen);
        }
    }
    histories
}

/// Checks that there is an order of all calls in which each sees what the one before it left, and that no call comes in it
/// before one that had ended when it began.
fn check(id: &str, history: &History) {
    let mut after: HashMap<i64, &Seen> = HashMap::new();
    for (seen, before) in &history.writes {
        let other = after.insert(*before, seen);
        assert!(other.is_none(), "two writes of {id} took the place of {before}: {other:?} and {seen:?}");
    }
    let mut places = HashMap::from([(0, 0)]);
    let mut value = 0;
    while let Some(next) = after.get(&value) {
        value = next.value;
        places.insert(value, places.len());
    }
    assert_eq!(places.len(), history.writes.len() + 1, "a write of {id} was lost");
    let begun: HashMap<i64, u64> =
        history.writes.iter().map(|(write, _)| (write.value, write.begin)).collect();
    // A write is at its own place, a read right behind the write that it saw.
    let writes = history.writes.iter().map(|(seen, _)| (2 * places[&seen.value], seen));
    let reads = history.reads.iter().map(|seen| (2 * places[&seen.value] + 1, seen));
    let mut calls: Vec<(usize, &Seen)> = writes.chain(reads).collect();
    calls.sort_by_key(|(_, seen)| seen.end);
    let mut ended = calls.clone().into_iter().peekable();
    calls.sort_by_key(|(_, seen)| seen.begin);
    let mut furthest: Option<(usize, &Seen)> = None;
    for (place, seen) in calls {
        while let Some(before) = ended.next_if(|(_, before)| before.end < seen.begin) {
            furthest = furthest.filter(|(place, _)| *place >= before.0).or(Some(before));
        }
        if let Some((reached, before)) = furthest {
            assert!(place >= reached, "of {id}: {seen:?} goes back behind {before:?}");
        }
        let is_written = begun.get(&seen.value).is_none_or(|begin| *begin < seen.end);
        assert!(is_written, "of {id}: {seen:?} before it was written");
    }
}

fn check_order(world: &World) {
    world.create(create_table(TABLE, (&["id"], &[]), &["id S".into()]));
    let moments = Moments::default();
    let mut all = Histories::new();
    thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|at| {
                let moments = &moments;
                scope.spawn(move || write(world, moments, at))
            })
            .collect();
        let over = || writers.iter().all(|writer| writer.is_finished());
        let histories: Vec<Histories> = thread::scope(|readers| {
            let running: Vec<_> = (0..READERS)
                .map(|at| {
                    let (moments, over) = (&moments, &over);
                    readers.spawn(move || read(world, moments, at, over))
                })
                .collect();
            running.into_iter().map(|reader| reader.join().unwrap()).collect()
        });
        let written = writers.into_iter().map(|writer| writer.join().unwrap());
        for (id, history) in histories.into_iter().flatten().chain(written.flatten()) {
            let into = all.entry(id).or_default();
            into.writes.extend(history.writes);
            into.reads.extend(history.reads);
        }
    });
    all.iter().for_each(|(id, history)| check(id, history));
}

#[test]
fn every_call_takes_effect_at_one_moment_while_it_runs() {
    check_order(&World::on(in_memory()));
    // Memtables are written and tables merged all the time, and items that were read by key are kept for a short while.
    let options = EmbeddedOptions {
        durability: Durability::Os,
        memtable_bytes: 20_000,
        cache_bytes: 8_000,
        ..EmbeddedOptions::default()
    };
    for options in [options, EmbeddedOptions { durability: Durability::Os, ..EmbeddedOptions::default() }] {
        let folder = tempfile::tempdir().unwrap();
        check_order(&World::on(Arc::new(EmbeddedStore::open(folder.path(), &options).unwrap())));
    }
}

//! A database that is emptied, kept and brought back while clients write and read, and jobs run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use dynamometer_engine::api::*;
use dynamometer_types::{ApiError, ErrorKind, Item};

use crate::common::agree::{check_agreement, check_nothing_is_left_over};
use crate::common::requests::*;
use crate::common::streams::stream_specification;
use crate::common::{Choices, World, in_memory, item_of, n, number, on_disk, s};
use crate::{TABLE, THREADS};

/// A table with everything that hangs on items: both kinds of indexes, a stream, and time to live.
fn create(world: &World) {
    let definitions = ["id S".into(), "at S".into(), "n N".into()];
    world.create(CreateTableRequest {
        local_secondary_indexes: Some(vec![local_index("local", (&["id"], &["n"]), "ALL")]),
        global_secondary_indexes: Some(vec![global_index("global", (&["n"], &["id"]), "KEYS_ONLY")]),
        stream_specification: stream_specification(StreamViewType::NewAndOldImages),
        ..create_table(TABLE, (&["id"], &["at"]), &definitions)
    });
    // Somebody may have brought another table back in between.
    let request = crate::common::streams::time_to_live(TABLE, "expires", true);
    let _ = world.run(async |engine, context| engine.update_time_to_live(context, request).await);
}

fn key(id: &str, at: &str) -> Item {
    item([("id", s(id)), ("at", s(at))])
}

/// Both halves of a pair, which are only ever written together.
fn pair(value: i64) -> Vec<TransactWriteItem> {
    let half = |at| item([("id", s("pair")), ("at", s(at)), ("n", n(value))]);
    vec![action::put(TABLE, half("left")), action::put(TABLE, half("right"))]
}

/// The table may be gone at any time, and the others may be at the same items.
fn tolerate<T>(outcome: Result<T, ApiError>) {
    if let Err(error) = outcome {
        let usual = [
            ErrorKind::ResourceNotFound,
            ErrorKind::TransactionCanceled,
            ErrorKind::TransactionConflict,
            ErrorKind::TransactionInProgress,
        ];
        assert!(usual.contains(&error.kind), "{error:?}");
    }
}

fn write(world: &World, choices: &mut Choices, at: usize, round: usize) {
    let (id, sort) = (choices.below(4).to_string(), choices.below(3).to_string());
    let mut whole = key(&id, &sort);
    whole.insert("n", n(choices.below(5) as i64));
    whole.insert("text", s("t".repeat(1 + choices.below(100))));
    if choices.percent(20) {
        whole.insert("expires", n(world.now().seconds() + 1));
    }
    match choices.below(5) {
        0 => tolerate(world.put(put(TABLE, whole))),
        1 => tolerate(world.delete(delete(TABLE, key(&id, &sort)))),
        2 => {
            let one = values([(":one", n(1))]);
            tolerate(world.update(update(TABLE, key(&id, &sort), "ADD n :one", one)));
        }
        3 => {
            let token = format!("{at} {}", round / 2);
            tolerate(world.transact(transaction(pair(round as i64 / 2), Some(&token))));
        }
        _ => {
            let request = WriteRequest { put_request: Some(Some(whole)), delete_request: None };
            let batch = BatchWriteItemRequest {
                request_items: Some(vec![(TABLE.to_owned(), vec![request])]),
                ..Default::default()
            };
            tolerate(world.run(async |engine, context| engine.batch_write_item(context, batch).await));
        }
    }
}

/// Every page is of one moment, and every table is whole.
fn read(world: &World) {
    let Ok(page) = world.scan(scan(TABLE, None)) else { return };
    let items: Vec<Item> = page.items.into_iter().flatten().map(item_of).collect();
    let half = |at: &str| {
        let found =
            items.iter().find(|item| item.get("id") == Some(&s("pair")) && item.get("at") == Some(&s(at)));
        found.map(|item| number(item, "n"))
    };
    assert_eq!(half("left"), half("right"), "half a transaction");
    tolerate(world.scan(scan(TABLE, Some("global"))));
}

fn meddle(world: &World, choices: &mut Choices, kept: &mut bool) {
    world.advance(700);
    match choices.below(4) {
        0 => *kept = !world.engine.keep_state("", "kept", world.now()).unwrap().is_empty(),
        1 if *kept => drop(world.engine.bring_back("", "kept", world.now()).unwrap()),
        2 => {
            world.engine.reset("", world.now()).unwrap();
            create(world);
        }
        3 => {
            world.engine.remove_tables("", &[TABLE.to_owned()], world.now()).unwrap();
            create(world);
        }
        _ => {}
    }
}

#[test]
fn tables_that_come_and_go_under_their_clients_stay_whole() {
    let rounds = 60;
    let test = |world: &World| {
        create(world);
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let jobs = scope.spawn(|| {
                while !over.load(Ordering::Acquire) {
                    world.run_jobs();
                    thread::yield_now();
                }
            });
            let writers: Vec<_> = (0..THREADS)
                .map(|at| {
                    scope.spawn(move || {
                        let mut choices = Choices::new(at as u64);
                        for round in 0..rounds {
                            write(world, &mut choices, at, round);
                            if at % 3 == 0 {
                                read(world);
                            }
                        }
                    })
                })
                .collect();
            let (mut choices, mut kept) = (Choices::new(77), false);
            while writers.iter().any(|writer| !writer.is_finished()) {
                meddle(world, &mut choices, &mut kept);
            }
            let outcomes: Vec<_> = writers.into_iter().map(thread::ScopedJoinHandle::join).collect();
            over.store(true, Ordering::Release);
            jobs.join().unwrap();
            outcomes.into_iter().for_each(|outcome| outcome.unwrap());
        });
        // All that was to be cleared away or filled.
        world.advance(1_000);
        world.run_jobs();
        check_agreement(world, TABLE);
        check_nothing_is_left_over(world);
    };
    test(&World::on(in_memory()));
    let (_folder, store) = on_disk();
    test(&World::on(store));
}

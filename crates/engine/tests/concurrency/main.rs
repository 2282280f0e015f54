//! Many threads on few keys, with an index that comes and goes meanwhile, in memory and on disk.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::disallowed_methods, reason = "threads, waiting and the environment are the test's own")]

mod admin;
#[path = "../common/mod.rs"]
mod common;
mod dropped;
mod order;
mod races;
mod shards;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use common::agree::check_agreement;
use common::requests::*;
use common::{Choices, World, block_on, in_memory, item_of, n, number, on_disk, s};
use dynamometer_engine::api::*;
use dynamometer_store::Store;
use dynamometer_types::error::Detail;
use dynamometer_types::{ApiError, ErrorKind, Item};

const TABLE: &str = "table";
const THREADS: usize = 6;

fn key(id: impl Into<String>) -> Item {
    item([("id", s(id))])
}

/// A table with an index on `group` and `n`.
fn world_on(store: Arc<dyn Store>) -> World {
    let world = World::on(store);
    world.create(CreateTableRequest {
        global_secondary_indexes: Some(vec![global_index("by-group", (&["group"], &["n"]), "ALL")]),
        ..create_table(TABLE, (&["id"], &[]), &["id S".into(), "group S".into(), "n N".into()])
    });
    world
}

/// Runs a test on both stores.
fn on_both(test: impl Fn(&World)) {
    test(&world_on(in_memory()));
    let (_folder, store) = on_disk();
    test(&world_on(store));
}

/// Runs `work` on all threads, each with its number, while another adds an index, has it filled, and removes it, again
/// and again. Afterwards the table, its indexes and its counters must agree.
fn at_once(world: &World, work: impl Fn(usize) + Sync) {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let builder = scope.spawn(|| build_indexes(world, &done));
        let workers: Vec<_> = (0..THREADS)
            .map(|at| {
                scope.spawn({
                    let work = &work;
                    move || work(at)
                })
            })
            .collect();
        let outcomes: Vec<_> = workers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        done.store(true, Ordering::Release);
        outcomes.into_iter().for_each(|outcome| outcome.unwrap());
        assert!(builder.join().unwrap() > 0, "no index was filled meanwhile");
    });
    world.run_jobs();
    check_agreement(world, TABLE);
}

/// Where all threads meet, again and again. Unlike a barrier it does not wait forever for one that has failed.
#[derive(Default)]
struct Meeting {
    arrived: AtomicUsize,
}

impl Meeting {
    /// Waits until all have come as often as this one.
    fn wait(&self) {
        let mine = self.arrived.fetch_add(1, Ordering::AcqRel);
        let all = (mine / THREADS + 1) * THREADS;
        let deadline = Instant::now() + Duration::from_secs(20);
        while self.arrived.load(Ordering::Acquire) < all {
            assert!(Instant::now() < deadline, "another thread does not come");
            thread::yield_now();
        }
    }
}

/// Answers how many indexes were filled.
fn build_indexes(world: &World, done: &AtomicBool) -> usize {
    let mut filled = 0;
    loop {
        let index = global_index("late", (&["n"], &["id"]), "group");
        world.update_table(add_index(TABLE, index, &["n N".into(), "id S".into()])).unwrap();
        world.run_jobs();
        filled += 1;
        if done.load(Ordering::Acquire) {
            return filled;
        }
        world.update_table(remove_index(TABLE, "late")).unwrap();
        world.run_jobs();
    }
}

#[test]
fn every_increment_counts() {
    on_both(|world| {
        let rounds = 60;
        at_once(world, |at| {
            for round in 0..rounds {
                let of = key(["one", "two"][(at + round) % 2]);
                let values = values([(":one", n(1)), (":group", s(format!("group {}", round % 3)))]);
                world
                    .update(UpdateItemRequest {
                        expression_attribute_names: Some(vec![("#group".into(), "group".into())]),
                        ..update(TABLE, of, "SET #group = :group ADD n :one", values)
                    })
                    .unwrap();
            }
        });
        let hits = |of: &str| number(&world.get(TABLE, key(of)).unwrap(), "n");
        assert_eq!(hits("one") + hits("two"), (rounds * THREADS) as i64);
    });
}

/// Items of all sizes, so that a row that is counted twice, or not at all, shows in the counters.
#[test]
fn items_that_come_and_go_are_counted_once() {
    on_both(|world| {
        at_once(world, |at| {
            let mut choices = Choices::new(at as u64);
            for _ in 0..80 {
                let of = key(choices.below(12).to_string());
                if choices.percent(35) {
                    world.delete(delete(TABLE, of)).unwrap();
                    continue;
                }
                let mut item = of;
                item.insert("n", n(choices.below(5) as i64));
                item.insert("group", s("g".repeat(1 + choices.below(200))));
                world.put(put(TABLE, item)).unwrap();
            }
        });
    });
}

#[test]
fn of_all_who_put_an_item_that_must_not_be_there_one_wins() {
    on_both(|world| {
        let rounds = 25;
        let winners: Vec<AtomicUsize> = (0..rounds).map(|_| AtomicUsize::new(0)).collect();
        let together = Meeting::default();
        at_once(world, |at| {
            for (round, winners) in winners.iter().enumerate() {
                together.wait();
                let mine =
                    item([("id", s(format!("item {round}"))), ("n", n(at as i64)), ("group", s("all"))]);
                let request = PutItemRequest {
                    return_values_on_condition_check_failure: Some(Given::Known(
                        ReturnValuesOnConditionCheckFailure::AllOld,
                    )),
                    ..put_if(TABLE, mine, "attribute_not_exists(id)", None)
                };
                match world.put(request) {
                    Ok(_) => drop(winners.fetch_add(1 + at * 1000, Ordering::Relaxed)),
                    Err(error) => {
                        assert_eq!(error.kind, ErrorKind::ConditionalCheckFailed, "{error:?}");
                        let Some(Detail::Item(found)) = error.detail.map(|detail| *detail) else {
                            panic!("no item")
                        };
                        assert_ne!(number(&found, "n"), at as i64, "refused because of its own item");
                        // Who was told of an item can read it.
                        assert_eq!(world.get(TABLE, key(format!("item {round}"))), Some(found));
                    }
                }
            }
        });
        for (round, winners) in winners.iter().enumerate() {
            let sum = winners.load(Ordering::Relaxed);
            assert_eq!(sum % 1000, 1, "winners of round {round}");
            let found = world.get(TABLE, key(format!("item {round}"))).unwrap();
            assert_eq!(number(&found, "n"), (sum / 1000) as i64);
        }
    });
}

#[test]
fn nobody_sees_half_a_transaction() {
    const ACCOUNTS: usize = 3;
    on_both(|world| {
        for at in 0..ACCOUNTS {
            world
                .put(put(TABLE, item([("id", s(at.to_string())), ("n", n(100)), ("group", s("account"))])))
                .unwrap();
        }
        at_once(world, |at| {
            let mut choices = Choices::new(at as u64);
            for _ in 0..50 {
                if at % 2 == 0 {
                    move_amount(world, &mut choices, ACCOUNTS);
                } else {
                    assert_eq!(sum_of_transaction(world, ACCOUNTS), 100 * ACCOUNTS as i64);
                    assert_eq!(sum_of_page(world, scan(TABLE, Some("by-group"))), 100 * ACCOUNTS as i64);
                }
            }
        });
        assert_eq!(sum_of_transaction(world, ACCOUNTS), 100 * ACCOUNTS as i64);
    });
}

/// Moves an amount from one account to another, if it is there.
fn move_amount(world: &World, choices: &mut Choices, accounts: usize) {
    let from = choices.below(accounts);
    let to = (from + 1 + choices.below(accounts - 1)) % accounts;
    let amount = || values([(":amount", n(7))]);
    let take =
        action::update(TABLE, key(from.to_string()), "SET n = n - :amount", Some("n >= :amount"), amount());
    let give = action::update(TABLE, key(to.to_string()), "ADD n :amount", None, amount());
    let actions = if choices.percent(50) { vec![take, give] } else { vec![give, take] };
    if let Err(error) = world.transact(transaction(actions, None)) {
        assert_eq!(error.kind, ErrorKind::TransactionCanceled, "{error:?}");
    }
}

fn sum_of_transaction(world: &World, accounts: usize) -> i64 {
    let request = transact_get(TABLE, (0..accounts).map(|at| key(at.to_string())));
    let read = || {
        let request = request.clone();
        world.run(async |engine, context| engine.transact_get_items(context, request).await)
    };
    let answer = until_no_conflict(read);
    answer.responses.into_iter().map(|item| number(&item_of(item.unwrap()), "n")).sum()
}

/// Tries again while a transaction on the same items, or with the same token, is in progress.
fn until_no_conflict<T>(call: impl Fn() -> Result<T, ApiError>) -> T {
    loop {
        match call() {
            Ok(answer) => return answer,
            Err(error) => match (error.kind, error.detail.map(|detail| *detail)) {
                (ErrorKind::TransactionInProgress, _) => {}
                (ErrorKind::TransactionCanceled, Some(Detail::CancellationReasons(reasons)))
                    if reasons.iter().all(|one| matches!(one.code, "None" | "TransactionConflict")) => {}
                other => panic!("{other:?}"),
            },
        }
        thread::yield_now();
    }
}

/// A page is of one moment too, and the index moves with its table.
fn sum_of_page(world: &World, request: ScanRequest) -> i64 {
    world.scan(request).unwrap().items.into_iter().flatten().map(|item| number(&item_of(item), "n")).sum()
}

#[test]
fn a_token_is_used_once_however_often_it_is_sent_at_once() {
    on_both(|world| {
        let together = Meeting::default();
        at_once(world, |_| {
            for round in 0..20 {
                together.wait();
                let one = values([(":one", n(1))]);
                let add = action::update(TABLE, key("sum"), "ADD n :one", None, one);
                let token = format!("token {round}");
                until_no_conflict(|| world.transact(transaction(vec![add.clone()], Some(&token))));
                // Who has been answered can read the effect.
                assert!(number(&world.get(TABLE, key("sum")).unwrap(), "n") > round);
            }
        });
        assert_eq!(number(&world.get(TABLE, key("sum")).unwrap(), "n"), 20);
    });
}

#[test]
fn a_kept_state_is_of_one_moment_however_busy_the_database_is() {
    on_both(|world| {
        let accounts = 3;
        for at in 0..accounts {
            world
                .put(put(TABLE, item([("id", s(at.to_string())), ("n", n(100)), ("group", s("account"))])))
                .unwrap();
        }
        at_once(world, |at| {
            let mut choices = Choices::new(at as u64);
            for _ in 0..if at == 0 { 6 } else { 60 } {
                match at {
                    0 => drop(world.engine.keep_state("", "kept", world.now()).unwrap()),
                    _ => move_amount(world, &mut choices, accounts),
                }
            }
        });
        world.engine.bring_back("", "kept", world.now()).unwrap();
        world.run_jobs();
        check_agreement(world, TABLE);
        assert_eq!(sum_of_transaction(world, accounts), 100 * accounts as i64);
        common::agree::check_nothing_is_left_over(world);
    });
}

#[test]
fn futures_run_on_any_thread() {
    fn must_be_send<T: Send>(future: T) -> T {
        future
    }
    let world = world_on(in_memory());
    let entropy = || 1;
    let context = dynamometer_engine::Context {
        now: world.now(),
        namespace: "",
        region: "us-east-1",
        account: "000000000000",
        host: None,
        elapsed: &|| std::time::Duration::ZERO,
        entropy: &entropy,
    };
    let request = put(TABLE, key("a"));
    block_on(must_be_send(world.engine.put_item(&context, request))).unwrap();
    let request = transaction(vec![action::put(TABLE, key("b"))], Some("token"));
    block_on(must_be_send(world.engine.transact_write_items(&context, request))).unwrap();
}

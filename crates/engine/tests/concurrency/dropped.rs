//! Clients that go away while their write waits for the disk.

use std::pin::pin;
use std::sync::Arc;
use std::thread;

use dynamometer_store::MemoryStore;
use dynamometer_store::fault::FaultStore;

use crate::common::agree::check_agreement;
use crate::common::requests::*;
use crate::common::{Choices, World, block_on, n, number, on_disk, poll_once};
use crate::{TABLE, key, world_on};

fn add_one(of: &str) -> dynamometer_engine::api::UpdateItemRequest {
    update(TABLE, key(of), "ADD n :one", values([(":one", n(1))]))
}

/// Begins an update and goes away when it has joined the queue.
fn begin_and_go_away(world: &World, of: &str) {
    let request = add_one(of);
    let mut call = pin!(world.call(async |engine, context| engine.update_item(context, request).await));
    assert!(poll_once(call.as_mut()).is_none(), "the disk was not slow");
}

#[test]
fn a_write_that_nobody_waits_for_happens_and_is_built_on() {
    let store = Arc::new(FaultStore::new(MemoryStore::new()));
    let world = world_on(Arc::clone(&store) as _);
    store.pause();
    for _ in 0..5 {
        begin_and_go_away(&world, "hot");
    }
    assert_eq!(world.get(TABLE, key("hot")), None, "seen before it is durable");
    // A transaction that goes away too, on the same key and another.
    {
        let one = || values([(":one", n(1))]);
        let actions = vec![
            action::update(
                TABLE,
                key("hot"),
                "ADD n :one",
                Some("n = :five"),
                values([(":one", n(1)), (":five", n(5))]),
            ),
            action::update(TABLE, key("other"), "ADD n :one", None, one()),
        ];
        let request = transaction(actions, Some("token"));
        let mut call =
            pin!(world.call(async |engine, context| engine.transact_write_items(context, request).await));
        assert!(poll_once(call.as_mut()).is_none());
    }
    store.resume();
    assert_eq!(number(&world.get(TABLE, key("hot")).unwrap(), "n"), 6);
    assert_eq!(number(&world.get(TABLE, key("other")).unwrap(), "n"), 1);
    // The next one sees all of it, waits for nobody, and all latches are free.
    world.update(add_one("hot")).unwrap();
    assert_eq!(number(&world.get(TABLE, key("hot")).unwrap(), "n"), 7);
    world
        .update_table(add_index(TABLE, global_index("late", (&["n"], &[]), "ALL"), &["n N".into()]))
        .unwrap();
    world.run_jobs();
    assert_eq!(check_agreement(&world, TABLE).len(), 2);
}

/// The refusal of one that went away, and what waits behind a write that is still queued.
#[test]
fn a_refusal_that_nobody_waits_for_harms_nobody() {
    let store = Arc::new(FaultStore::new(MemoryStore::new()));
    let world = world_on(Arc::clone(&store) as _);
    store.pause();
    begin_and_go_away(&world, "hot");
    let refused = || put_if(TABLE, key("hot"), "attribute_not_exists(id)", None);
    {
        let mut call = pin!(world.call(async |engine, context| engine.put_item(context, refused()).await));
        assert!(poll_once(call.as_mut()).is_none(), "told of an item that is not durable");
    }
    let mut waiting = pin!(world.call(async |engine, context| engine.put_item(context, refused()).await));
    assert!(poll_once(waiting.as_mut()).is_none());
    let nothing = || delete(TABLE, key("never there"));
    let mut unrelated =
        pin!(world.call(async |engine, context| engine.delete_item(context, nothing()).await));
    assert!(poll_once(unrelated.as_mut()).is_some_and(|answer| answer.is_ok()), "waits for others' writes");
    store.resume();
    assert!(block_on(waiting).is_err());
    assert_eq!(number(&world.get(TABLE, key("hot")).unwrap(), "n"), 1);
    check_agreement(&world, TABLE);
}

/// To delete what is not there needs no write, but when it is not there yet only because of one that is queued, the
/// answer waits for that one.
#[test]
fn an_answer_that_rests_on_a_queued_write_waits_for_it() {
    let store = Arc::new(FaultStore::new(MemoryStore::new()));
    let world = world_on(Arc::clone(&store) as _);
    world.update(add_one("hot")).unwrap();
    let delete_it = || {
        Box::pin(
            world.call(async |engine, context| engine.delete_item(context, delete(TABLE, key("hot"))).await),
        )
    };
    store.pause();
    let (mut first, mut second) = (delete_it(), delete_it());
    assert!(poll_once(first.as_mut()).is_none());
    assert!(poll_once(second.as_mut()).is_none(), "told that it is gone before that is durable");
    let crashed = World::on(Arc::new(store.crash()));
    assert!(block_on(first).is_err() && block_on(second).is_err());
    assert_eq!(check_agreement(&crashed, TABLE).len(), 1);
}

/// A token that was used for something else: that, too, is told only when its first use is durable.
#[test]
fn a_mismatch_of_a_token_waits_for_the_first_use() {
    let store = Arc::new(FaultStore::new(MemoryStore::new()));
    let world = world_on(Arc::clone(&store) as _);
    let begin = |of: &str| {
        let request = transaction(vec![action::put(TABLE, key(of))], Some("token"));
        Box::pin(world.call(async |engine, context| engine.transact_write_items(context, request).await))
    };
    store.pause();
    let (mut first, mut second) = (begin("one"), begin("two"));
    assert!(poll_once(first.as_mut()).is_none());
    assert!(poll_once(second.as_mut()).is_none(), "told of a token that is not durable");
    let crashed = World::on(Arc::new(store.crash()));
    assert!(block_on(first).is_err());
    assert_eq!(block_on(second).unwrap_err().kind, dynamometer_types::ErrorKind::InternalServerError);
    assert_eq!(check_agreement(&crashed, TABLE).len(), 0);
}

#[test]
fn clients_that_come_and_go_on_disk_lose_nothing() {
    let (_folder, store) = on_disk();
    let world = world_on(store);
    let (threads, rounds) = (4, 60);
    thread::scope(|scope| {
        for at in 0..threads {
            let world = &world;
            scope.spawn(move || {
                let mut choices = Choices::new(at);
                for _ in 0..rounds {
                    let of = *choices.pick(&["a", "b", "c"]);
                    let request = add_one(of);
                    let mut call =
                        pin!(world.call(async |engine, context| engine.update_item(context, request).await));
                    if choices.percent(50) {
                        block_on(call).unwrap();
                    } else {
                        // Once looked at, it is on its way.
                        drop(poll_once(call.as_mut()));
                    }
                }
            });
        }
    });
    // What was queued before this is done when it is.
    for of in ["a", "b", "c"] {
        world.update(add_one(of)).unwrap();
    }
    let sum: i64 = check_agreement(&world, TABLE).iter().map(|item| number(item, "n")).sum();
    assert_eq!(sum, (threads * rounds) as i64 + 3);
}

//! What meets a transaction that is on its way to the disk.

use std::pin::{Pin, pin};
use std::sync::Arc;

use dynamometer_engine::api::*;
use dynamometer_store::fault::FaultStore;
use dynamometer_store::{Batch, Keyspace, MemoryStore, Store};
use dynamometer_types::error::Detail;
use dynamometer_types::{ApiError, ErrorKind, Item};

use crate::common::requests::*;
use crate::common::{World, block_on, n, number, poll_once, s};

const TABLE: &str = "table";

fn key(id: &str) -> Item {
    item([("id", s(id))])
}

fn world() -> (World, Arc<FaultStore>) {
    let store = Arc::new(FaultStore::new(MemoryStore::new()));
    let world = World::on(Arc::clone(&store) as _);
    world.create(create_table(TABLE, (&["id"], &[]), &["id S".into()]));
    (world, store)
}

type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, ApiError>> + 'a>>;

/// A transaction that has joined the queue of a store that stands still: it adds to `written` and checks `checked`.
fn begin<'a>(world: &'a World, token: Option<&str>) -> Answer<'a, TransactWriteItemsResponse> {
    let one = || values([(":one", n(1))]);
    let check = TransactAction {
        table_name: Some(TABLE.into()),
        key: Some(key("checked")),
        condition_expression: Some("attribute_not_exists(id)".into()),
        ..Default::default()
    };
    let actions = vec![
        action::update(TABLE, key("written"), "ADD n :one", None, one()),
        TransactWriteItem { condition_check: Some(check), ..Default::default() },
    ];
    let request = transaction(actions, token);
    let mut answer: Answer<'a, _> =
        Box::pin(world.call(async |engine, context| engine.transact_write_items(context, request).await));
    assert!(poll_once(answer.as_mut()).is_none(), "the disk was not slow");
    answer
}

/// The codes of a cancelled transaction.
fn codes<T: std::fmt::Debug>(answer: Result<T, ApiError>) -> Vec<&'static str> {
    let error = answer.unwrap_err();
    assert_eq!(error.kind, ErrorKind::TransactionCanceled);
    match *error.detail.unwrap() {
        Detail::CancellationReasons(reasons) => reasons.iter().map(|reason| reason.code).collect(),
        other => panic!("{other:?}"),
    }
}

fn kind<T: std::fmt::Debug>(answer: Result<T, ApiError>) -> ErrorKind {
    answer.unwrap_err().kind
}

#[test]
fn nobody_waits_for_a_transaction_that_has_the_item() {
    let (world, store) = world();
    store.pause();
    let mut running = begin(&world, None);
    for id in ["written", "checked"] {
        let add = || values([(":one", n(1))]);
        let error = world.update(update(TABLE, key(id), "ADD n :one", add())).unwrap_err();
        assert_eq!(
            (error.kind, &*error.message),
            (ErrorKind::TransactionConflict, "Transaction is ongoing for the item")
        );
        assert_eq!(kind(world.put(put(TABLE, key(id)))), ErrorKind::TransactionConflict);
        assert_eq!(kind(world.delete(delete(TABLE, key(id)))), ErrorKind::TransactionConflict);
        let actions = vec![action::put(TABLE, key("other")), action::put(TABLE, key(id))];
        assert_eq!(codes(world.transact(transaction(actions, None))), ["None", "TransactionConflict"]);
        let reads = transact_get(TABLE, [key(id), key("other")]);
        let answer = world.run(async |engine, context| engine.transact_get_items(context, reads).await);
        assert_eq!(codes(answer), ["TransactionConflict", "None"]);
        assert_eq!(world.get(TABLE, key(id)), None, "a plain read sees what is durable");
    }
    assert!(poll_once(running.as_mut()).is_none());
    store.resume();
    block_on(running).unwrap();
    world.update(update(TABLE, key("written"), "ADD n :one", values([(":one", n(1))]))).unwrap();
    assert_eq!(number(&world.get(TABLE, key("written")).unwrap(), "n"), 2);
    world.put(put(TABLE, key("checked"))).unwrap();
}

#[test]
fn the_rest_of_a_batch_is_written() {
    let (world, store) = world();
    store.pause();
    let running = begin(&world, None);
    let element = |id: &str| WriteRequest { put_request: Some(Some(key(id))), ..Default::default() };
    let batch = |ids: &[&str]| BatchWriteItemRequest {
        request_items: Some(vec![(TABLE.into(), ids.iter().map(|id| element(id)).collect())]),
        ..Default::default()
    };
    let unprocessed = |answer: BatchWriteItemResponse| -> Vec<Item> {
        let requests = answer.unprocessed_items.into_iter().flat_map(|(_, requests)| requests);
        requests.map(|request| request.put_request.unwrap().unwrap()).collect()
    };
    let mut some = pin!(world.call(async |engine, context| {
        engine.batch_write_item(context, batch(&["a", "written", "b"])).await
    }));
    assert!(poll_once(some.as_mut()).is_none(), "a and b are on their way");
    let none = world.run(async |engine, context| engine.batch_write_item(context, batch(&["checked"])).await);
    assert_eq!(unprocessed(none.unwrap()), [key("checked")]);
    store.resume();
    assert_eq!(unprocessed(block_on(some).unwrap()), [key("written")]);
    block_on(running).unwrap();
    assert!(world.get(TABLE, key("a")).is_some() && world.get(TABLE, key("b")).is_some());
    assert_eq!(number(&world.get(TABLE, key("written")).unwrap(), "n"), 1);
}

#[test]
fn a_transaction_does_not_mind_a_single_write_and_a_transaction_of_reads_does() {
    let (world, store) = world();
    store.pause();
    let request = put(TABLE, key("written"));
    let mut single = pin!(world.call(async |engine, context| engine.put_item(context, request).await));
    assert!(poll_once(single.as_mut()).is_none());
    let reads = transact_get(TABLE, [key("written")]);
    let answer = world.run(async |engine, context| engine.transact_get_items(context, reads).await);
    assert_eq!(codes(answer), ["TransactionConflict"]);
    let running = begin(&world, None);
    store.resume();
    block_on(single).unwrap();
    block_on(running).unwrap();
    assert_eq!(number(&world.get(TABLE, key("written")).unwrap(), "n"), 1);
}

#[test]
fn a_token_at_work_is_in_progress_and_then_remembered_for_ten_minutes() {
    let (world, store) = world();
    store.pause();
    let running = begin(&world, Some("token"));
    let again = || {
        let one = values([(":one", n(1))]);
        let add = action::update(TABLE, key("written"), "ADD n :one", None, one);
        let check = TransactAction {
            table_name: Some(TABLE.into()),
            key: Some(key("checked")),
            condition_expression: Some("attribute_not_exists(id)".into()),
            ..Default::default()
        };
        let actions = vec![add, TransactWriteItem { condition_check: Some(check), ..Default::default() }];
        world.transact(transaction(actions, Some("token")))
    };
    assert_eq!(kind(again()), ErrorKind::TransactionInProgress);
    store.resume();
    block_on(running).unwrap();
    again().unwrap();
    assert_eq!(number(&world.get(TABLE, key("written")).unwrap(), "n"), 1);
    world.advance(10 * 60 * 1000 - 1);
    again().unwrap();
    assert_eq!(number(&world.get(TABLE, key("written")).unwrap(), "n"), 1, "remembered");
    world.advance(1);
    again().unwrap();
    assert_eq!(number(&world.get(TABLE, key("written")).unwrap(), "n"), 2, "forgotten");
}

#[test]
fn conflicts_are_counted_and_cost_nothing() {
    let (world, store) = world();
    store.pause();
    let running = begin(&world, None);
    let _ = world.put(put(TABLE, key("written")));
    let _ = world.transact(transaction(vec![action::put(TABLE, key("checked"))], None));
    store.resume();
    block_on(running).unwrap();
    let used = world.engine.throughput_use("", world.now());
    let operations = &used.tables[0].resources[0].operations;
    let counted: Vec<(&str, u64, u64, u64)> =
        operations.iter().map(|(op, used)| (op.name(), used.requests, used.halves, used.conflicts)).collect();
    // The transaction itself: 2 writes of 2 units each.
    assert_eq!(counted, [("PutItem", 0, 0, 1), ("TransactWriteItems", 2, 8, 1)]);
}

/// A client that goes away lets go of its items when the transaction is durable.
#[test]
fn a_transaction_that_nobody_waits_for_ends() {
    let (world, store) = world();
    store.pause();
    drop(begin(&world, None));
    assert_eq!(kind(world.put(put(TABLE, key("checked")))), ErrorKind::TransactionConflict);
    store.resume();
    world.put(put(TABLE, key("checked"))).unwrap();
}

#[test]
fn a_token_that_cannot_be_read_is_cleared_away() {
    let (world, store) = world();
    let broken = b"TransactWriteItems\0\0broken".to_vec();
    let mut batch = Batch::new();
    batch.put(Keyspace::Tokens, broken.clone(), b"no row".to_vec());
    store.commit(batch).wait().unwrap();
    block_on(world.call(async |engine, context| {
        let actions = vec![action::put(TABLE, key("a"))];
        engine.transact_write_items(context, transaction(actions, Some("kept"))).await
    }))
    .unwrap();
    world.engine.sweep_tokens(world.now()).unwrap();
    assert!(store.get(Keyspace::Tokens, &broken).unwrap().is_none());
    assert!(store.get(Keyspace::Tokens, b"TransactWriteItems\0\0kept").unwrap().is_some());
}

/// Time to live deletes together what is due, and leaves for later what a transaction has.
#[test]
fn an_item_in_a_transaction_puts_off_no_other_that_has_expired() {
    let (world, store) = world();
    world.set_time_to_live(TABLE, "expires", true);
    let expiring = |id: &str| item([("id", s(id)), ("expires", n(world.now().seconds() + 1))]);
    for id in ["due", "written"] {
        world.put(put(TABLE, expiring(id))).unwrap();
    }
    world.run_jobs();
    world.advance(5_000);
    store.pause();
    let mut running = begin(&world, None);
    std::thread::scope(|scope| {
        let jobs = scope.spawn(|| world.run_jobs());
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while store.held() < 2 && std::time::Instant::now() < deadline {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let held = store.held();
        store.resume();
        jobs.join().unwrap();
        assert_eq!(held, 2, "the deletion of the other stands behind the transaction");
    });
    block_on(running.as_mut()).unwrap();
    assert_eq!(world.scan(scan(TABLE, None)).unwrap().count, 0);
}

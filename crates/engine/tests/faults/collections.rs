//! Item collections are bounded also while what fills them is still on its way to the disk.

use std::pin::pin;
use std::sync::Arc;

use dynamometer_engine::api::{BatchWriteItemRequest, WriteRequest};
use dynamometer_engine::disk::keys::partition_prefix;
use dynamometer_store::fault::FaultStore;
use dynamometer_store::{Batch, Keyspace, MemoryStore, Store};
use dynamometer_types::limits::ITEM_COLLECTION_BYTES;
use dynamometer_types::{ErrorKind, Item};

use crate::common::requests::*;
use crate::common::{World, block_on, poll_once, s};

const TABLE: &str = "table";

/// An item of about a kilobyte, which counts twice: for itself and for its entry in the local index.
fn kilobyte(sk: &str) -> Item {
    item([("pk", s("p")), ("sk", s(sk)), ("a", s("x".repeat(1000)))])
}

/// A table whose collection of `p` has room for one such item and not for two.
fn nearly_full() -> (Arc<FaultStore>, World) {
    let store = Arc::new(FaultStore::new(MemoryStore::new()));
    let world = World::on(Arc::clone(&store) as _);
    let mut request = create_table(TABLE, (&["pk"], &["sk"]), &["pk S".into(), "sk S".into(), "a S".into()]);
    request.local_secondary_indexes = Some(vec![local_index("by-a", (&["pk"], &["a"]), "ALL")]);
    world.create(request);
    let id = world.engine.catalog().table("", TABLE).unwrap().id();
    let key = partition_prefix(id, [kilobyte("a").get("pk")].into_iter()).unwrap();
    let mut batch = Batch::new();
    batch.add(Keyspace::Counters, key, [1, ITEM_COLLECTION_BYTES as i64 - 3000]);
    store.commit(batch).wait().unwrap();
    (store, world)
}

#[test]
fn growth_that_is_queued_counts() {
    let (store, world) = nearly_full();
    store.pause();
    let send = |sk: &'static str| {
        world.call(async move |engine, context| engine.put_item(context, put(TABLE, kilobyte(sk))).await)
    };
    let (mut first, mut second) = (pin!(send("1")), pin!(send("2")));
    assert!(poll_once(first.as_mut()).is_none());
    // Its refusal rests on the first, so it waits for it.
    assert!(poll_once(second.as_mut()).is_none());
    store.resume();
    assert!(block_on(first).is_ok());
    let refused = block_on(second).unwrap_err();
    assert_eq!(refused.kind, ErrorKind::ItemCollectionSizeLimitExceeded);
}

#[test]
fn the_actions_of_one_transaction_count_together() {
    let (_, world) = nearly_full();
    let send = |sks: &[&str]| {
        let actions = sks.iter().map(|sk| action::put(TABLE, kilobyte(sk))).collect();
        world.transact(transaction(actions, None))
    };
    assert_eq!(send(&["1", "2"]).unwrap_err().kind, ErrorKind::TransactionCanceled);
    send(&["1"]).unwrap();
    assert_eq!(send(&["2"]).unwrap_err().kind, ErrorKind::TransactionCanceled);
    // What is deleted makes room.
    world.delete(delete(TABLE, item([("pk", s("p")), ("sk", s("1"))]))).unwrap();
    send(&["2"]).unwrap();
}

#[test]
fn a_batch_that_a_full_collection_refuses_writes_and_counts_nothing() {
    let (_, world) = nearly_full();
    let send = |sks: &[&str]| {
        let put = |sk: &&str| WriteRequest { put_request: Some(Some(kilobyte(sk))), ..Default::default() };
        let request = BatchWriteItemRequest {
            request_items: Some(vec![(TABLE.into(), sks.iter().map(put).collect())]),
            ..Default::default()
        };
        world.run(async |engine, context| engine.batch_write_item(context, request).await)
    };
    assert_eq!(send(&["1", "2"]).unwrap_err().kind, ErrorKind::ItemCollectionSizeLimitExceeded);
    let counted = || {
        let used = world.engine.throughput_use("", world.now());
        let resources = used.tables.into_iter().flat_map(|table| table.resources);
        resources.flat_map(|resource| resource.operations).map(|(_, used)| used.halves).sum::<u64>()
    };
    assert_eq!(counted(), 0);
    send(&["1"]).unwrap();
    assert!(counted() > 0);
}

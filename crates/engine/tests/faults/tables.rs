//! What clients are told of tables while a change of them is on its way to the disk, and when it does not come there.

use std::pin::pin;
use std::sync::Arc;

use dynamometer_engine::api::{DeleteTableRequest, DescribeTableRequest, ListTablesRequest};
use dynamometer_engine::{Context, Engine};
use dynamometer_store::MemoryStore;
use dynamometer_store::fault::FaultStore;
use dynamometer_types::{ApiError, ErrorKind};

use crate::LAST;
use crate::common::requests::*;
use crate::common::{World, block_on, poll_once, s};

const TABLE: &str = "table";

fn world() -> (Arc<FaultStore>, World) {
    let store = Arc::new(FaultStore::new(MemoryStore::new()));
    let world = World::on(Arc::clone(&store) as _);
    (store, world)
}

fn new_table() -> dynamometer_engine::api::CreateTableRequest {
    create_table(TABLE, (&["pk"], &[]), &["pk S".into()])
}

async fn describe(engine: &Engine, context: &Context<'_>) -> Result<(), ApiError> {
    let request = DescribeTableRequest { table_name: Some(TABLE.into()) };
    engine.durably(engine.describe_table(context, request)).await.map(drop)
}

async fn list(engine: &Engine, context: &Context<'_>) -> Result<Vec<String>, ApiError> {
    let listed = engine.durably(engine.list_tables(context, ListTablesRequest::default())).await?;
    Ok(listed.table_names)
}

async fn get(engine: &Engine, context: &Context<'_>) -> Result<(), ApiError> {
    let request = dynamometer_engine::api::GetItemRequest {
        table_name: Some(TABLE.into()),
        key: Some(item([("pk", s("a"))])),
        ..Default::default()
    };
    engine.durably(engine.get_item(context, request)).await.map(drop)
}

#[test]
fn nobody_is_told_of_a_table_before_it_is_durable() {
    let (store, world) = world();
    store.pause();
    let mut creating =
        pin!(world.call(async |engine, context| engine.create_table(context, new_table()).await));
    assert!(poll_once(creating.as_mut()).is_none());
    let mut described = pin!(world.call(describe));
    let mut listed = pin!(world.call(list));
    let mut read = pin!(world.call(get));
    assert!(poll_once(described.as_mut()).is_none());
    assert!(poll_once(listed.as_mut()).is_none());
    assert!(poll_once(read.as_mut()).is_none());
    store.resume();
    assert!(block_on(creating).is_ok());
    assert!(block_on(described).is_ok() && block_on(read).is_ok());
    assert_eq!(block_on(listed).unwrap(), [TABLE]);
}

#[test]
fn nobody_is_told_that_a_table_is_gone_before_its_deletion_is_durable() {
    let (store, world) = world();
    world.create(new_table());
    store.pause();
    let request = DeleteTableRequest { table_name: Some(TABLE.into()) };
    let mut deleting = pin!(world.call(async |engine, context| engine.delete_table(context, request).await));
    assert!(poll_once(deleting.as_mut()).is_none());
    let mut described = pin!(world.call(describe));
    assert!(poll_once(described.as_mut()).is_none());
    // The process dies: who asked is not told anything, and the table is there again.
    let recovered = World::on(Arc::new(store.crash()));
    assert_eq!(block_on(described).unwrap_err().kind, ErrorKind::InternalServerError);
    assert!(recovered.run(describe).is_ok());
}

#[test]
fn a_table_that_could_not_be_kept_is_not_shown_and_the_others_still_are() {
    for fault in LAST {
        let (store, world) = world();
        world.create(create_table("before", (&["pk"], &[]), &["pk S".into()]));
        store.fail_at(store.commits() + 1, fault);
        store.pause();
        let mut creating =
            pin!(world.call(async |engine, context| engine.create_table(context, new_table()).await));
        assert!(poll_once(creating.as_mut()).is_none());
        let mut described = pin!(world.call(describe));
        assert!(poll_once(described.as_mut()).is_none());
        store.resume();
        assert!(block_on(creating).is_err(), "{fault:?}");
        assert_eq!(block_on(described).unwrap_err().kind, ErrorKind::InternalServerError, "{fault:?}");
        // The store is out of service for writes; what is durable is still shown.
        assert_eq!(world.run(list).unwrap(), ["before"], "{fault:?}");
        assert_eq!(world.run(describe).unwrap_err().kind, ErrorKind::ResourceNotFound, "{fault:?}");
    }
}

/// The same when the store answers at once, before the change is shown.
#[test]
fn a_table_whose_loss_is_known_at_once_is_not_shown() {
    let (store, world) = world();
    store.fail_at(store.commits() + 1, dynamometer_store::fault::Fault::Refused);
    assert!(world.run(async |engine, context| engine.create_table(context, new_table()).await).is_err());
    assert_eq!(world.run(list).unwrap(), Vec::<String>::new());
}

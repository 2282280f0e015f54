//! Streams and time to live with time: shards are replaced, split and trimmed, iterators age, items expire.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::disallowed_methods, reason = "threads, waiting and the environment are the test's own")]

mod common;

use std::pin::pin;
use std::sync::Arc;

use common::agree::{check_agreement, check_nothing_is_left_over};
use common::requests::*;
use common::streams::*;
use common::{World, block_on, in_memory, n, on_disk, poll_once, s};
use dynamometer_engine::api::*;
use dynamometer_engine::disk::stream::Event;
use dynamometer_engine::streams::ShardRead;
use dynamometer_store::fault::FaultStore;
use dynamometer_store::{Appended, Keyspace, MemoryStore};
use dynamometer_types::{AttributeValue, ErrorKind, Item, Timestamp};

const TABLE: &str = "table";
const HOUR_MS: i64 = 3_600_000;

fn key(id: &str) -> Item {
    item([("id", s(id))])
}

fn noted(id: &str, value: i64) -> Item {
    item([("id", s(id)), ("n", n(value))])
}

/// A table of one partition with a stream of this view; the ARN of the stream.
fn with_stream(world: &World, view_type: StreamViewType) -> String {
    world.create(CreateTableRequest {
        billing_mode: Some(Given::Known(BillingMode::Provisioned)),
        provisioned_throughput: Some(ProvisionedThroughput {
            read_capacity_units: Some(5),
            write_capacity_units: Some(5),
        }),
        stream_specification: stream_specification(view_type),
        ..create_table(TABLE, (&["id"], &[]), &["id S".into()])
    });
    world.describe(TABLE).latest_stream_arn.unwrap()
}

fn world() -> World {
    World::on(in_memory())
}

/// The shards of a stream.
fn shards(world: &World, arn: &str) -> Vec<ShardDescription> {
    world.describe_stream(arn).unwrap().shards
}

fn set_stream(world: &World, view_type: Option<StreamViewType>) {
    let stream_specification = Some(StreamSpecification {
        stream_enabled: Some(view_type.is_some()),
        stream_view_type: view_type.map(Given::Known),
    });
    let request =
        UpdateTableRequest { table_name: Some(TABLE.into()), stream_specification, ..Default::default() };
    world.update_table(request).unwrap();
}

#[test]
fn each_view_shows_what_it_says() {
    use StreamViewType::*;
    for (view, shows_old, shows_new) in [
        (KeysOnly, false, false),
        (NewImage, false, true),
        (OldImage, true, false),
        (NewAndOldImages, true, true),
    ] {
        let world = world();
        let arn = with_stream(&world, view);
        world.put(put(TABLE, noted("a", 1))).unwrap();
        world.put(put(TABLE, noted("a", 1))).unwrap();
        let more = values([(":one", n(1))]);
        world.update(update(TABLE, key("a"), "SET n = n + :one", more)).unwrap();
        world.update(update(TABLE, key("a"), "REMOVE nothing", None)).unwrap();
        world.delete(delete(TABLE, key("a"))).unwrap();
        world.delete(delete(TABLE, key("a"))).unwrap();
        let (old, new) = (|item| shows_old.then_some(item), |item| shows_new.then_some(item));
        let change = |event, old, new| Change { keys: key("a"), event, old, new, by_service: false };
        let expected = vec![
            change(Event::Insert, None, new(noted("a", 1))),
            change(Event::Modify, old(noted("a", 1)), new(noted("a", 2))),
            change(Event::Remove, old(noted("a", 2)), None),
        ];
        assert_eq!(world.read_stream(&arn, 1), expected, "{view:?}");
    }
}

#[test]
fn an_old_shard_is_replaced_and_a_day_later_gone() {
    let world = world();
    let arn = with_stream(&world, StreamViewType::NewAndOldImages);
    world.put(put(TABLE, noted("a", 1))).unwrap();
    let first = shards(&world, &arn)[0].clone();
    assert_eq!(first.sequence_number_range.ending_sequence_number, None);
    world.advance(4 * HOUR_MS);
    world.run_jobs();
    world.put(put(TABLE, noted("a", 2))).unwrap();
    let after = shards(&world, &arn);
    assert_eq!(after.len(), 2);
    assert!(after[0].sequence_number_range.ending_sequence_number.is_some());
    assert_eq!(after[1].parent_shard_id.as_deref(), Some(&*first.shard_id));
    check_agreement(&world, TABLE);

    // The record is a day old, then the shard was closed a day ago.
    world.advance(20 * HOUR_MS - 1);
    world.run_jobs();
    assert_eq!(world.read_shard_whole(&arn, &first.shard_id, 10).len(), 1);
    world.advance(1);
    world.run_jobs();
    assert_eq!(world.read_shard_whole(&arn, &first.shard_id, 10).len(), 0);
    world.advance(4 * HOUR_MS);
    world.run_jobs();
    let left = shards(&world, &arn);
    assert!(left.iter().all(|shard| shard.shard_id != first.shard_id));
    let gone = world.shard_iterator(&arn, &first.shard_id, ShardIteratorType::TrimHorizon, None).unwrap_err();
    assert_eq!(gone.kind, ErrorKind::ResourceNotFound);
    check_nothing_is_left_over(&world);
}

#[test]
fn what_was_trimmed_cannot_be_asked_for() {
    let world = world();
    let arn = with_stream(&world, StreamViewType::KeysOnly);
    let shard = shards(&world, &arn)[0].shard_id.clone();
    let iterator = |kind, number| world.shard_iterator(&arn, &shard, kind, number);
    let latest = iterator(ShardIteratorType::Latest, None).unwrap();
    world.put(put(TABLE, noted("a", 1))).unwrap();
    world.put(put(TABLE, noted("b", 1))).unwrap();
    let numbers: Vec<String> =
        world.read_shard_whole(&arn, &shard, 10).into_iter().map(|(number, _)| number).collect();
    // An iterator behind the newest record sees what comes later, whenever it is used.
    assert_eq!(world.get_records(&latest, 10).unwrap().records.len(), 2);
    let at_second = iterator(ShardIteratorType::AtSequenceNumber, Some(numbers[1].clone())).unwrap();
    assert_eq!(world.get_records(&at_second, 10).unwrap().records.len(), 1);
    let behind = iterator(ShardIteratorType::AfterSequenceNumber, Some(numbers[1].clone())).unwrap();
    assert_eq!(world.get_records(&behind, 10).unwrap().records.len(), 0);

    world.advance(24 * HOUR_MS - 60_000);
    world.put(put(TABLE, noted("c", 1))).unwrap();
    // Made a minute before the records are trimmed, used after.
    let first = iterator(ShardIteratorType::AtSequenceNumber, Some(numbers[0].clone())).unwrap();
    world.advance(60_000);
    world.run_jobs();
    assert_eq!(world.get_records(&first, 10).unwrap_err().kind, ErrorKind::TrimmedDataAccess);
    for (kind, number) in [
        (ShardIteratorType::AtSequenceNumber, &numbers[0]),
        (ShardIteratorType::AfterSequenceNumber, &numbers[0]),
        (ShardIteratorType::AtSequenceNumber, &numbers[1]),
    ] {
        let error = iterator(kind, Some(number.clone())).unwrap_err();
        assert_eq!(error.kind, ErrorKind::TrimmedDataAccess, "{kind:?}");
    }
    // Right behind the last that was trimmed begins what is there.
    let next = iterator(ShardIteratorType::AfterSequenceNumber, Some(numbers[1].clone())).unwrap();
    assert_eq!(world.get_records(&next, 10).unwrap().records.len(), 1);
    let horizon = iterator(ShardIteratorType::TrimHorizon, None).unwrap();
    assert_eq!(world.get_records(&horizon, 10).unwrap().records.len(), 1);
}

#[test]
fn an_iterator_is_good_for_fifteen_minutes() {
    let world = world();
    let arn = with_stream(&world, StreamViewType::KeysOnly);
    let shard = shards(&world, &arn)[0].shard_id.clone();
    let iterator = world.shard_iterator(&arn, &shard, ShardIteratorType::TrimHorizon, None).unwrap();
    world.advance(15 * 60_000);
    let next = world.get_records(&iterator, 10).unwrap().next_shard_iterator.unwrap();
    world.advance(1);
    assert_eq!(world.get_records(&iterator, 10).unwrap_err().kind, ErrorKind::ExpiredIterator);
    assert!(world.get_records(&next, 10).is_ok());
}

#[test]
fn a_disabled_stream_is_readable_for_a_day_and_the_next_one_is_another() {
    let world = world();
    let arn = with_stream(&world, StreamViewType::NewAndOldImages);
    world.put(put(TABLE, noted("a", 1))).unwrap();
    set_stream(&world, None);
    world.put(put(TABLE, noted("b", 1))).unwrap();
    let description = world.describe_stream(&arn).unwrap();
    assert_eq!(description.stream_status, "DISABLED");
    assert_eq!(world.read_stream(&arn, 10).len(), 1);
    // At the end of a closed shard there is nothing to go on with.
    let shard = &description.shards[0].shard_id;
    let iterator = world.shard_iterator(&arn, shard, ShardIteratorType::TrimHorizon, None).unwrap();
    let page = world.get_records(&iterator, 10).unwrap();
    assert_eq!((page.records.len(), page.next_shard_iterator), (1, None));

    let behind = world.shard_iterator(&arn, shard, ShardIteratorType::Latest, None).unwrap();
    let page = world.get_records(&behind, 10).unwrap();
    assert_eq!((page.records.len(), page.next_shard_iterator), (0, None));

    set_stream(&world, Some(StreamViewType::KeysOnly));
    let second = world.describe(TABLE).latest_stream_arn.unwrap();
    assert_ne!(second, arn, "also in the same millisecond");
    world.put(put(TABLE, noted("c", 1))).unwrap();
    assert_eq!(world.read_stream(&second, 10).len(), 1);
    let list = |world: &World| {
        let request = ListStreamsRequest::default();
        let answer = world.run(async |engine, context| engine.list_streams(context, request).await).unwrap();
        answer.streams.into_iter().map(|stream| stream.stream_arn).collect::<Vec<_>>()
    };
    assert_eq!(list(&world), [arn.clone(), second.clone()]);
    world.advance(24 * HOUR_MS);
    world.run_jobs();
    assert_eq!(list(&world), std::slice::from_ref(&second));
    assert_eq!(world.describe_stream(&arn).unwrap_err().kind, ErrorKind::ResourceNotFound);

    // A deleted table's stream stays for a day too.
    world.put(put(TABLE, noted("d", 1))).unwrap();
    let delete = DeleteTableRequest { table_name: Some(TABLE.into()) };
    world.run(async |engine, context| engine.delete_table(context, delete).await).unwrap();
    world.run_jobs();
    assert_eq!(world.read_stream(&second, 10).len(), 1);
    world.advance(24 * HOUR_MS);
    world.run_jobs();
    assert_eq!(list(&world), Vec::<String>::new());
    check_nothing_is_left_over(&world);
}

/// On-demand tables begin with four partitions. Writing to one key alone makes its partition split.
#[test]
fn shards_split_with_their_partitions() {
    let world = world();
    world.create(CreateTableRequest {
        stream_specification: stream_specification(StreamViewType::NewAndOldImages),
        ..create_table(TABLE, (&["id"], &[]), &["id S".into()])
    });
    let arn = world.describe(TABLE).latest_stream_arn.unwrap();
    let before = shards(&world, &arn);
    assert_eq!(before.len(), 4);
    for at in 0..40 {
        world.put(put(TABLE, noted(&format!("key-{at}"), at))).unwrap();
    }
    // More throughput than four partitions serve.
    let warm = WarmThroughput { read_units_per_second: None, write_units_per_second: Some(16_000) };
    let request = UpdateTableRequest {
        table_name: Some(TABLE.into()),
        warm_throughput: Some(warm),
        ..Default::default()
    };
    world.update_table(request).unwrap();
    world.advance(1000);
    for at in 0..40 {
        world.put(put(TABLE, noted(&format!("key-{at}"), at + 100))).unwrap();
    }
    world.run_jobs();
    for at in 0..40 {
        world.put(put(TABLE, noted(&format!("key-{at}"), at + 200))).unwrap();
    }
    let after = shards(&world, &arn);
    let open = after.iter().filter(|shard| shard.sequence_number_range.ending_sequence_number.is_none());
    assert_eq!(open.count(), 16);
    let children_of = |parent: &ShardDescription| {
        let request = DescribeStreamRequest {
            stream_arn: Some(arn.clone()),
            shard_filter: Some(ShardFilter {
                filter_type: Some(Given::Known(ShardFilterType::ChildShards)),
                shard_id: Some(parent.shard_id.clone()),
            }),
            ..Default::default()
        };
        let answer = world.run(async |engine, context| engine.describe_stream(context, request).await);
        answer.unwrap().stream_description.shards
    };
    for parent in &before {
        let children = children_of(parent);
        assert_eq!(children.len(), 4);
        assert!(children.iter().all(|child| child.parent_shard_id.as_ref() == Some(&parent.shard_id)));
    }
    let ids: Vec<&String> = after.iter().map(|shard| &shard.shard_id).collect();
    assert!(ids.is_sorted(), "consumers order shards by their ids");
    check_agreement(&world, TABLE);
}

#[test]
fn reading_begins_at_a_time() {
    let world = world();
    let arn = with_stream(&world, StreamViewType::KeysOnly);
    let shard = shards(&world, &arn)[0].shard_id.clone();
    let begun = world.now();
    for at in 0..300 {
        world.put(put(TABLE, noted(&at.to_string(), at))).unwrap();
        // Several were made at once.
        world.advance(if at % 3 == 0 { 10_000 } else { 0 });
    }
    let end = world.now();
    for millis in (-20_000..=end.millis() - begun.millis()).step_by(7_000) {
        let at = Timestamp::from_millis(begun.millis() + millis);
        let request = GetShardIteratorRequest {
            stream_arn: Some(arn.clone()),
            shard_id: Some(shard.clone()),
            shard_iterator_type: Some(Given::Known(ShardIteratorType::AtTimestamp)),
            sequence_number: None,
            timestamp: Some(at.millis() as f64 / 1000.0),
        };
        let answer = world.run(async |engine, context| engine.get_shard_iterator(context, request).await);
        let found = world.get_records(&answer.unwrap().shard_iterator, 1000).unwrap().records;
        let made = |number: i64| begun.millis() + 10_000 * ((number + 2) / 3);
        let expected = (0..300).filter(|number| made(*number) >= at.millis()).count();
        assert_eq!(found.len(), expected, "{millis} ms after the beginning");
    }
}

#[test]
fn a_page_ends_at_a_thousand_records_or_a_megabyte() {
    let world = world();
    let arn = with_stream(&world, StreamViewType::NewImage);
    for at in 0..5 {
        let big = item([("id", s(at.to_string())), ("t", s("x".repeat(300_000)))]);
        world.put(put(TABLE, big)).unwrap();
    }
    let shard = shards(&world, &arn)[0].shard_id.clone();
    let iterator = world.shard_iterator(&arn, &shard, ShardIteratorType::TrimHorizon, None).unwrap();
    let page = world.get_records(&iterator, 1000).unwrap();
    assert_eq!(page.records.len(), 3);
    let page = world.get_records(&page.next_shard_iterator.unwrap(), 1000).unwrap();
    assert_eq!(page.records.len(), 2);

    for at in 0..1001 {
        world.put(put(TABLE, key(&format!("small-{at}")))).unwrap();
    }
    let request = GetRecordsRequest { shard_iterator: page.next_shard_iterator, limit: None };
    let page = world.run(async |engine, context| engine.get_records(context, request).await).unwrap();
    assert_eq!(page.records.len(), 1000);
    assert_eq!(world.get_records(&page.next_shard_iterator.unwrap(), 1000).unwrap().records.len(), 1);
}

#[test]
fn a_state_that_is_brought_back_has_its_streams() {
    let world = world();
    let arn = with_stream(&world, StreamViewType::NewAndOldImages);
    world.put(put(TABLE, noted("a", 1))).unwrap();
    let shard = shards(&world, &arn)[0].shard_id.clone();
    let iterator = world.shard_iterator(&arn, &shard, ShardIteratorType::Latest, None).unwrap();
    world.engine.keep_state("", "kept", world.now()).unwrap();
    world.put(put(TABLE, noted("a", 2))).unwrap();
    world.engine.bring_back("", "kept", world.now()).unwrap();
    world.run_jobs();
    assert_eq!(world.read_stream(&arn, 10).len(), 1);
    assert_eq!(world.get_records(&iterator, 10).unwrap_err().kind, ErrorKind::ExpiredIterator);
    world.put(put(TABLE, noted("a", 3))).unwrap();
    check_agreement(&world, TABLE);
    world.engine.reset("", world.now()).unwrap();
    world.run_jobs();
    assert!(world.describe_stream(&arn).is_err());
}

fn seconds(at: Timestamp, later: i64) -> AttributeValue {
    n(at.seconds() + later)
}

fn expiring(id: &str, at: AttributeValue) -> Item {
    item([("id", s(id)), ("ttl", at), ("owner", s("o"))])
}

fn is_there(world: &World, id: &str) -> bool {
    world.get(TABLE, key(id)).is_some()
}

/// A table with an index and a stream, and time to live on `ttl`.
fn with_time_to_live(world: &World) -> String {
    world.create(CreateTableRequest {
        global_secondary_indexes: Some(vec![global_index("by-owner", (&["owner"], &["id"]), "ALL")]),
        stream_specification: stream_specification(StreamViewType::NewAndOldImages),
        ..create_table(TABLE, (&["id"], &[]), &["id S".into(), "owner S".into()])
    });
    world.set_time_to_live(TABLE, "ttl", true);
    world.describe(TABLE).latest_stream_arn.unwrap()
}

#[test]
fn an_item_is_deleted_when_it_has_expired_by_the_service_and_for_nothing() {
    let world = world();
    let arn = with_time_to_live(&world);
    let now = world.now();
    world.put(put(TABLE, expiring("soon", seconds(now, 10)))).unwrap();
    world.put(put(TABLE, expiring("later", seconds(now, 100)))).unwrap();
    world.put(put(TABLE, expiring("put off", seconds(now, 10)))).unwrap();
    let later = values([(":later", seconds(now, 200))]);
    world.update(update(TABLE, key("put off"), "SET ttl2 = :later", later.clone())).unwrap();
    world.put(put(TABLE, expiring("put off", seconds(now, 200)))).unwrap();
    for (id, value) in [
        ("text", s("1")),
        ("fraction", AttributeValue::N("1780308000.5".parse().unwrap())),
        ("ancient", n(1)),
        ("milliseconds", n(now.millis())),
    ] {
        world.put(put(TABLE, expiring(id, value))).unwrap();
    }
    world.run_jobs();
    let due = world.next_due("deletion of expired items");
    assert_eq!(due, Some(Timestamp::from_millis((now.seconds() + 10) * 1000)));
    world.advance(9_999);
    world.run_jobs();
    assert!(is_there(&world, "soon"), "expired items are deleted, not others");
    let used = world.engine.throughput_use("", world.now());
    world.advance(1);
    assert!(is_there(&world, "soon"), "expired, and not deleted yet");
    world.run_jobs();
    assert!(!is_there(&world, "soon"));
    for id in ["later", "put off", "text", "fraction", "ancient", "milliseconds"] {
        assert!(is_there(&world, id), "{id}");
    }
    check_agreement(&world, TABLE);
    check_nothing_is_left_over(&world);
    let changes = world.read_stream(&arn, 100);
    let removed: Vec<&Change> = changes.iter().filter(|change| change.event == Event::Remove).collect();
    let [removed] = removed[..] else { panic!("{removed:?}") };
    assert!(removed.by_service && removed.keys == key("soon"));
    // Nothing but the look at the items was charged.
    let writes = |used: &dynamometer_engine::throughput::ThroughputUse| {
        let resources = used.tables[0].resources.iter();
        resources.map(|resource| resource.on_demand_units.write).collect::<Vec<_>>()
    };
    let after = world.engine.throughput_use("", world.now());
    assert_eq!(writes(&after), writes(&used));
    assert_eq!(after.tables[0].expired_items, 1);
    // The next one in its time.
    world.advance(90_000);
    world.run_jobs();
    assert!(!is_there(&world, "later") && is_there(&world, "put off"));
}

#[test]
fn items_that_were_there_before_time_to_live_expire_too_and_none_after_it_is_disabled() {
    let (_folder, durable) = on_disk();
    for store in [in_memory(), durable] {
        let world = World::on(store);
        with_time_to_live(&world);
        world.set_time_to_live(TABLE, "ttl", false);
        world.run_jobs();
        let now = world.now();
        for at in 0..1200 {
            world.put(put(TABLE, expiring(&at.to_string(), seconds(now, 1 + at % 3)))).unwrap();
        }
        world.set_time_to_live(TABLE, "ttl", true);
        world.run_jobs();
        check_nothing_is_left_over(&world);
        world.advance(2_000);
        world.run_jobs();
        let left = check_agreement(&world, TABLE);
        assert_eq!(left.len(), 400);
        world.set_time_to_live(TABLE, "ttl", false);
        world.advance(100_000);
        world.run_jobs();
        assert_eq!(check_agreement(&world, TABLE).len(), 400);
        check_nothing_is_left_over(&world);
    }
}

/// A row that belongs to no item, as only a fault could leave it, must not be due for ever.
#[test]
fn a_stray_row_of_the_index_of_expiry_times_is_dropped() {
    let world = world();
    with_time_to_live(&world);
    world.put(put(TABLE, expiring("a", seconds(world.now(), 10)))).unwrap();
    world.run_jobs();
    let expiry_id = world.engine.catalog().table("", TABLE).unwrap().record.expiry_id.unwrap();
    let mut batch = dynamometer_store::Batch::new();
    for at in [b"nobody", b"no one"] {
        let second = world.now().seconds() as u64 - 5;
        let key = dynamometer_engine::disk::keys::expiry_key(expiry_id, second, &[&[0; 4], &at[..]].concat());
        batch.put(Keyspace::Expiry, key, &b""[..]);
    }
    world.engine.store().commit(batch).wait().unwrap();
    world.run_jobs();
    check_nothing_is_left_over(&world);
    assert!(is_there(&world, "a"));
}

#[test]
fn time_to_live_can_be_changed_again_after_a_while() {
    let config = dynamometer_engine::EngineConfig { ttl_cooldown_ms: 1_860_000, ..Default::default() };
    let world = World::with(in_memory(), config);
    world.create(create_table(TABLE, (&["id"], &[]), &["id S".into()]));
    world.set_time_to_live(TABLE, "ttl", true);
    let change = |attribute, enabled| {
        let request = time_to_live(TABLE, attribute, enabled);
        world.run(async |engine, context| engine.update_time_to_live(context, request).await)
    };
    // What is wrong with the request comes first.
    assert!(change("ttl", true).unwrap_err().message.contains("already enabled"));
    assert!(change("ttl", false).unwrap_err().message.contains("multiple times within a fixed interval"));
    world.advance(1_860_000);
    assert!(change("ttl", false).is_ok());
}

/// The catalog shows a stream a moment before it is durable. A reader who comes then must not take its shards for ones that
/// are gone: what is written to them later would be missed.
#[test]
fn a_shard_that_is_not_durable_yet_has_no_records_yet() {
    let store = Arc::new(FaultStore::new(MemoryStore::new()));
    let world = World::on(Arc::clone(&store) as _);
    store.pause();
    let request = CreateTableRequest {
        stream_specification: stream_specification(StreamViewType::KeysOnly),
        ..create_table(TABLE, (&["id"], &[]), &["id S".into()])
    };
    let mut creating =
        Box::pin(world.call(async |engine, context| engine.create_table(context, request).await));
    assert!(poll_once(creating.as_mut()).is_none(), "the disk was not slow");
    let version = world.engine.catalog().version();
    let stream = version.streams("").next().unwrap();
    let shard = stream.row.shards[0].number;
    let read = || world.engine.read_shard(stream, shard, Appended::default(), 10, 1_000).unwrap();
    match read() {
        ShardRead::Page(page) => assert_eq!((page.records, page.is_end), (Vec::new(), false)),
        other => panic!("{other:?}"),
    }
    store.resume();
    block_on(creating).unwrap();
    assert!(matches!(read(), ShardRead::Page(_)));
    world.engine.reset("", world.now()).unwrap();
    world.run_jobs();
    assert!(matches!(read(), ShardRead::Gone));
}

#[test]
fn a_shard_that_is_shown_and_not_on_disk_yet_is_waited_for() {
    let store = Arc::new(FaultStore::new(MemoryStore::new()));
    let world = World::on(Arc::clone(&store) as _);
    let arn = with_stream(&world, StreamViewType::NewImage);
    world.run_jobs();
    store.pause();
    let disable = UpdateTableRequest {
        table_name: Some(TABLE.into()),
        stream_specification: Some(StreamSpecification {
            stream_enabled: Some(false),
            stream_view_type: None,
        }),
        ..Default::default()
    };
    let mut disabling =
        pin!(world.call(async move |engine, context| engine.update_table(context, disable).await));
    assert!(poll_once(disabling.as_mut()).is_none());
    let enable = UpdateTableRequest {
        table_name: Some(TABLE.into()),
        stream_specification: stream_specification(StreamViewType::NewImage),
        ..Default::default()
    };
    world.advance(1);
    let mut enabling =
        pin!(world.call(async move |engine, context| engine.update_table(context, enable).await));
    assert!(poll_once(enabling.as_mut()).is_none());
    let version = world.engine.catalog().version();
    let stream = version.all_streams().find(|stream| stream.row.arn != arn).unwrap();
    let shard = stream.row.shards[0].id();
    let request = GetShardIteratorRequest {
        stream_arn: Some(stream.row.arn.clone()),
        shard_id: Some(shard),
        shard_iterator_type: Some(Given::Known(ShardIteratorType::TrimHorizon)),
        ..Default::default()
    };
    let mut asking =
        pin!(world.call(async move |engine, context| engine.get_shard_iterator(context, request).await));
    assert!(poll_once(asking.as_mut()).is_none(), "it waits");
    store.resume();
    block_on(asking).unwrap();
    block_on(disabling).unwrap();
    block_on(enabling).unwrap();
}

//! The data plane: recording, reading by key, publisher and ancestor, expiry, batches.

use std::collections::BTreeSet;
use std::num::NonZeroU16;
use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use dynamometer_planes::{
    Decimal, Error, Event, Id, Kind, Once, Placed, Reference, ResourceKey, Sharding, Shards, Take,
};
use serde::{Deserialize, Serialize};

use crate::stage::{Stage, after, n, s};

const OBSERVATION: Kind = Kind::literal("observation");
const SESSION: Kind = Kind::literal("chat_session");
const MESSAGE: Kind = Kind::literal("chat_message");

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Observation {
    key: String,
    value: Decimal,
    #[serde(default)]
    category: Option<String>,
}

fn observation(value: &str) -> Observation {
    Observation { key: "USDJPY".into(), value: value.parse().unwrap(), category: Some("forex".into()) }
}

fn publisher() -> ResourceKey {
    "observations#user01".parse().unwrap()
}

fn event(number: i64) -> Event {
    Event::new(&OBSERVATION, &number).unwrap().at(after(number))
}

fn placed(number: i64) -> Placed {
    event(number).published_by(&publisher())
}

#[tokio::test]
async fn an_event_is_recorded_once_and_read_by_its_key() {
    let stage = Stage::new();
    let data = stage.planes().data().consistent();
    let id = Id::new("obs_20260601_abc12345").unwrap();
    let event = || Event::new(&OBSERVATION, &observation("149.3")).unwrap().id(id.clone());
    let key = data.record(event().published_by(&publisher())).await.unwrap();
    assert_eq!(key.as_str(), "observation$0#obs_20260601_abc12345");
    let read = data.get::<Observation>(&key).await.unwrap().unwrap();
    assert_eq!(read.value, observation("149.3"));
    assert_eq!((read.at, read.expires, read.ancestor), (Some(after(0)), None, None));
    assert_eq!(read.publisher, Some(Reference::from(&publisher())));
    let error = data.record(event().published_by(&publisher())).await.unwrap_err();
    assert_eq!(error.to_string(), "observation$0#obs_20260601_abc12345 is there already");
    data.delete(&key).await.unwrap();
    assert_eq!(data.get::<Observation>(&key).await.unwrap(), None);
}

#[tokio::test]
async fn what_another_program_recorded_is_read_the_same_way() {
    let stage = Stage::new();
    let value = AttributeValue::M([("key".into(), s("WTI")), ("value".into(), n("82.5"))].into());
    let item = [
        ("event_key_sharded", s("observation$0#obs_1")),
        ("data_type_indexed", s("value$0")),
        ("publisher_resource_key", s("observations#user01")),
        ("timeline", s("2026-06-01T00:00:01.250000+00:00")),
        ("value", value),
    ];
    stage.put_by_another_program("DataPlaneTable", &item).await;
    let page =
        stage.planes().data().by_publisher::<Observation>(&publisher(), &Take::newest(50)).await.unwrap();
    assert_eq!(page.items[0].at, Some(after(1250)));
    assert_eq!(
        page.items[0].value,
        Observation { key: "WTI".into(), value: "82.5".parse().unwrap(), category: None }
    );
}

#[tokio::test]
async fn a_publishers_events_come_newest_first_and_no_one_elses() {
    let stage = Stage::new();
    let data = stage.planes().data();
    let other: ResourceKey = "observations#user02".parse().unwrap();
    for number in 0..10 {
        data.record(placed(number)).await.unwrap();
        data.record(event(number + 100).published_by(&other)).await.unwrap();
    }
    let first = data.by_publisher::<i64>(&publisher(), &Take::newest(4)).await.unwrap();
    let second =
        data.by_publisher::<i64>(&publisher(), &Take::newest(10).after(first.next.unwrap())).await.unwrap();
    let values: Vec<i64> = first.items.into_iter().chain(second.items).map(|event| event.value).collect();
    assert_eq!(values, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    assert_eq!(second.next, None);
}

#[tokio::test]
async fn a_thread_is_read_as_a_list_and_as_a_timeline() {
    let stage = Stage::new();
    let data = stage.planes().data();
    let sessions: ResourceKey = "chat_sessions#user01".parse().unwrap();
    let session = Event::new(&SESSION, "session").unwrap().id(Id::new("s1").unwrap());
    let session = data.record(session.published_by(&sessions)).await.unwrap();
    let (ancestor, own): (Reference, ResourceKey) = ((&session).into(), "chat_session#s1".parse().unwrap());
    let mut messages = BTreeSet::new();
    for number in [2, 0, 1] {
        let message = Event::new(&MESSAGE, &number).unwrap().at(after(number));
        messages.insert(data.record(message.published_by(&own).under(&ancestor)).await.unwrap());
    }
    let note = Event::new(&OBSERVATION, &7).unwrap();
    let note = data.record(note.published_by(&own).under(&ancestor)).await.unwrap();

    let timeline = data.by_ancestor_as_timeline::<i64>(&ancestor, &Take::oldest(3)).await.unwrap();
    assert_eq!(timeline.items.iter().map(|event| event.value).sum::<i64>(), 8);
    let newest = data.by_ancestor_as_timeline::<i64>(&ancestor, &Take::newest(2)).await.unwrap();
    assert_eq!(newest.items.iter().map(|event| event.value).collect::<Vec<_>>(), [2, 1]);

    let list = data.by_ancestor(&ancestor, Some(&MESSAGE), &Take::oldest(10)).await.unwrap().items;
    let keys: Vec<_> = list.into_iter().map(|member| member.key).collect();
    assert_eq!(keys, messages.into_iter().collect::<Vec<_>>(), "by key");
    let all = data.by_ancestor(&ancestor, None, &Take::oldest(10)).await.unwrap().items;
    assert_eq!((all.len(), &all[3].key), (4, &note));
    let loaded = data.load::<i64>(&keys).await.unwrap();
    assert_eq!(loaded.iter().map(|event| event.value).sum::<i64>(), 3);
}

#[tokio::test]
async fn what_has_expired_is_read_nowhere_though_it_is_not_deleted_yet() {
    let stage = Stage::new();
    let data = stage.planes().data();
    let ancestor: Reference = (&"chat_session#s1".parse::<ResourceKey>().unwrap()).into();
    let id = Id::new("short").unwrap();
    let short = || event(0).id(id.clone()).keep_for(Duration::from_millis(1500)).published_by(&publisher());
    let key = data.record(short().under(&ancestor)).await.unwrap();
    for number in 1..=3 {
        data.record(placed(number).under(&ancestor)).await.unwrap();
    }
    stage.world.pass(Duration::from_millis(1999));
    assert_eq!(data.get::<i64>(&key).await.unwrap().unwrap().expires, Some(after(2000).seconds()));
    assert!(matches!(data.record(short()).await, Err(Error::AlreadyExists { .. })));

    stage.world.pass(Duration::from_millis(1));
    assert_eq!(stage.items_of_the_data_plane().await.len(), 4, "it is still there");
    assert_eq!(data.get::<i64>(&key).await.unwrap(), None);
    assert_eq!(data.find::<i64>(&OBSERVATION, &id).await.unwrap(), None);
    let take = Take::oldest(2);
    let expected = [1, 2];
    let values = |items: Vec<dynamometer_planes::Recorded<i64>>| {
        items.into_iter().map(|e| e.value).collect::<Vec<_>>()
    };
    assert_eq!(values(data.by_publisher(&publisher(), &take).await.unwrap().items), expected);
    assert_eq!(values(data.by_ancestor_as_timeline(&ancestor, &take).await.unwrap().items), expected);
    assert_eq!(values(data.timeline(dynamometer_planes::Span::ALL, &take).await.unwrap().items), expected);
    let list = data.by_ancestor(&ancestor, None, &Take::oldest(9)).await.unwrap().items;
    assert_eq!(list.len(), 3);
    // Its place is free again.
    data.record(short()).await.unwrap();
}

#[tokio::test]
async fn a_page_is_full_even_when_most_of_what_it_passes_has_expired() {
    let stage = Stage::new();
    let data = stage.planes().data();
    let expired = (0..150).map(|number| event(number).keep_for(Duration::ZERO).published_by(&publisher()));
    data.record_all(expired.collect()).await.unwrap();
    data.record_all((150..160).map(placed).collect()).await.unwrap();
    stage.world.pass(Duration::from_secs(2));
    let (mut seen, mut take) = (Vec::new(), Take::oldest(4));
    loop {
        let page = data.by_publisher::<i64>(&publisher(), &take).await.unwrap();
        assert!(page.next.is_none() || page.items.len() == 4);
        seen.extend(page.items.into_iter().map(|event| event.value));
        match page.next {
            Some(cursor) => take = take.after(cursor),
            None => break,
        }
    }
    assert_eq!(seen, (150..160).collect::<Vec<_>>());
}

#[tokio::test]
async fn an_event_with_a_token_is_recorded_once_for_each_publisher() {
    let stage = Stage::new();
    let data = stage.planes().data();
    let hour = Duration::from_secs(3600);
    let Once::Recorded(key) = data.record_once("order-7", hour, placed(1)).await.unwrap() else {
        panic!("the first time");
    };
    let again = data.record_once("order-7", hour, placed(2)).await.unwrap();
    assert_eq!(again, Once::Already(key.clone()));
    assert_eq!(data.get::<i64>(&key).await.unwrap().unwrap().value, 1);
    let other: ResourceKey = "observations#user02".parse().unwrap();
    let others = data.record_once("order-7", hour, event(3).published_by(&other)).await.unwrap();
    assert!(matches!(others, Once::Recorded(_)), "another publisher's token is another");
    assert_eq!(data.by_publisher::<i64>(&publisher(), &Take::newest(9)).await.unwrap().items.len(), 1);

    let taken = event(4).id(key.id()).published_by(&publisher());
    let error = data.record_once("order-8", hour, taken).await.unwrap_err();
    assert_eq!(error.to_string(), format!("{key} is there already"));

    stage.world.pass(hour);
    let later = data.record_once("order-7", hour, placed(5)).await.unwrap();
    assert!(matches!(later, Once::Recorded(_)), "the token was remembered for an hour");
}

#[tokio::test]
async fn an_id_is_found_in_whatever_shard_it_was_put() {
    let stage = Stage::new();
    let hash = |count| Sharding::new(Shards::Hash(NonZeroU16::new(count).unwrap()));
    let ids: Vec<Id> = (0..20).map(|number| Id::new(format!("evt-{number}")).unwrap()).collect();
    for (number, id) in ids.iter().enumerate() {
        let count = [1, 3, 8][number % 3];
        let data = stage.builder().sharding(hash(count)).build().data();
        data.record(event(number as i64).id(id.clone()).published_by(&publisher())).await.unwrap();
    }
    let data = stage.builder().sharding(hash(16)).build().data();
    for (number, id) in ids.iter().enumerate() {
        assert_eq!(data.find::<i64>(&OBSERVATION, id).await.unwrap().unwrap().value, number as i64);
    }
    let by_day = stage.builder().sharding(Sharding::new(Shards::Day(NonZeroU16::MIN))).build().data();
    let error = by_day.find::<i64>(&OBSERVATION, &ids[0]).await.unwrap_err();
    assert!(error.to_string().contains("keep the key"), "{error}");
}

#[tokio::test]
async fn a_batch_of_any_size_is_written_and_its_keys_come_in_order() {
    let stage = Stage::new();
    let data = stage.planes().data();
    let keys = data.record_all((0..60).map(placed).collect()).await.unwrap();
    assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), 60);
    let loaded = data.load::<i64>(&keys).await.unwrap();
    assert_eq!(loaded.into_iter().map(|event| event.value).collect::<Vec<_>>(), (0..60).collect::<Vec<_>>());
    assert_eq!(data.record_all(vec![]).await.unwrap(), []);

    let twice = || event(1).id(Id::new("twice").unwrap()).published_by(&publisher());
    let error = data.record_all(vec![twice(), twice()]).await.unwrap_err();
    assert!(error.to_string().contains("observation$0#twice"), "{error}");
}

#[tokio::test]
async fn what_a_batch_leaves_unprocessed_is_tried_again_with_growing_waits() {
    // A publisher's partition of its index takes 1,000 units a second; each event costs it 100.
    let stage = Stage::with(&["--throttle", "enforce", "--clock", "manual"]);
    stage.waits_move_the_servers_clock();
    let data = stage.planes().data();
    let large = "x".repeat(100_000);
    let events = |count: i64| -> Vec<Placed> {
        let event =
            |number| Event::new(&OBSERVATION, &large).unwrap().at(after(number)).published_by(&publisher());
        (0..count).map(event).collect()
    };
    let keys = data.record_all(events(20)).await.unwrap();
    assert_eq!(data.load::<String>(&keys).await.unwrap().len(), 20);
    let waits = stage.world.waits();
    assert!(!waits.is_empty(), "twenty events are more than a second's throughput");

    let error = data.record_all(events(400)).await.unwrap_err();
    let Error::Unprocessed(left) = &error else { panic!("{error}") };
    assert!(!left.is_empty() && left.iter().all(|(_, key)| key.kind() == OBSERVATION));
    let written = data.by_publisher::<String>(&publisher(), &Take::newest(500)).await.unwrap().items.len();
    assert_eq!(written + left.len(), 420, "what is not named is written");
}

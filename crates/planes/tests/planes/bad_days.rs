//! What DynamoDB does on a bad day, and what becomes of it here.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use dynamometer_planes::{Error, Event, Id, Kind, Latest, Placed, Reason, ResourceKey, Take};
use serde_json::json;

use crate::stage::{PREFIX, Stage};

const KIND: Kind = Kind::literal("event");

fn publisher() -> ResourceKey {
    "events#user01".parse().unwrap()
}

fn event() -> Event {
    Event::new(&KIND, "x").unwrap()
}

fn latest() -> Latest {
    Latest::new(&"theme#01".parse().unwrap(), "a").unwrap()
}

#[tokio::test]
async fn an_event_whose_first_answer_was_lost_is_recorded_once_and_is_no_failure() {
    let stage = Stage::new();
    let config = stage.client.config().to_builder().retry_config(RetryConfig::standard());
    let planes = dynamometer_planes::Planes::new(Client::from_conf(config.build()), PREFIX);
    stage.inject(&json!({"fault": "internal-error", "operations": ["PutItem"], "after": true, "count": 1}));
    let key = planes.data().record(event().published_by(&publisher())).await.unwrap();
    let recorded = planes.data().by_publisher::<String>(&publisher(), &Take::newest(9)).await.unwrap().items;
    assert_eq!(recorded.into_iter().map(|event| event.key).collect::<Vec<_>>(), [key]);

    // With an id of the caller's own it cannot be told from another's event.
    stage.inject(&json!({"fault": "internal-error", "operations": ["PutItem"], "after": true, "count": 1}));
    let named = event().id(Id::new("mine").unwrap()).published_by(&publisher());
    assert!(matches!(planes.data().record(named).await, Err(Error::AlreadyExists { .. })));
}

#[tokio::test]
async fn a_transaction_that_meets_another_is_tried_again_and_then_given_up() {
    let stage = Stage::new();
    let planes = stage.planes();
    for fault in ["conflict", "in-progress", "throttle"] {
        let before = stage.world.waits().len();
        stage.inject(&json!({"fault": fault, "operations": ["TransactWriteItems"], "count": 3}));
        planes.transaction().step(latest()).commit().await.unwrap();
        assert_eq!(stage.world.waits().len() - before, 3, "{fault}");
    }
    let revision =
        planes.control().latest::<String>(&"theme#01".parse().unwrap()).await.unwrap().unwrap().revision;
    assert_eq!(revision.get(), 3);

    stage.inject(&json!({"fault": "conflict", "operations": ["TransactWriteItems"]}));
    let error = planes.transaction().step(latest()).commit().await.unwrap_err();
    let Error::Cancelled(steps) = error else { panic!("{error}") };
    assert_eq!(steps[0].reason, Reason::Conflict);
}

#[tokio::test]
async fn a_batch_goes_on_through_throttling_and_names_what_it_gave_up() {
    let stage = Stage::new();
    let data = stage.planes().data();
    let events =
        |count: usize| -> Vec<Placed> { (0..count).map(|_| event().published_by(&publisher())).collect() };
    stage.inject(&json!({"fault": "throttle", "operations": ["BatchWriteItem", "BatchGetItem"], "count": 3}));
    let keys = data.record_all(events(30)).await.unwrap();
    stage.inject(&json!({"fault": "throttle", "operations": ["BatchGetItem"], "count": 3}));
    assert_eq!(data.load::<String>(&keys).await.unwrap().len(), 30);
    stage.inject(&json!({"fault": "throttle", "operations": ["BatchWriteItem"]}));
    let error = data.record_all(events(30)).await.unwrap_err();
    let Error::Unprocessed(left) = &error else { panic!("{error}") };
    let positions: Vec<usize> = left.iter().map(|(position, _)| *position).collect();
    assert_eq!(positions, (0..30).collect::<Vec<_>>(), "what was not even tried is named too");
}

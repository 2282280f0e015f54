//! The metrics of CloudWatch, minute by minute, on a clock that the test moves.

use std::sync::Arc;

use dynamometer_cloudwatch::ops::Operation;
use dynamometer_cloudwatch::{Answer, Value};
use dynamometer_engine::EngineConfig;
use dynamometer_engine::api::*;
use dynamometer_engine::throughput::ThrottleMode;
use dynamometer_store::Store;
use dynamometer_types::Item;

use crate::common::requests::{create_table, global_index, item, local_index};
use crate::common::{World, in_memory, on_disk, open_folder, s};

const MINUTE: i64 = 60_000;

fn world(throttle: ThrottleMode) -> World {
    open(in_memory(), throttle)
}

/// A world whose minutes are closed from the next one on.
fn open(store: Arc<dyn Store>, throttle: ThrottleMode) -> World {
    let world = World::with(store, EngineConfig { throttle, ..EngineConfig::default() });
    world.engine.close_minutes(world.now()).unwrap();
    world
}

fn next_minute(world: &World) {
    world.advance(MINUTE);
    world.engine.close_minutes(world.now()).unwrap();
}

fn cloudwatch(world: &World, operation: &str, request: Answer) -> Value {
    let operation = Operation::find(operation).unwrap();
    let request = Value::from(request);
    world.run(async |engine, context| engine.cloudwatch(context, operation, &request).await).unwrap()
}

fn member<'v>(value: &'v Value, name: &str) -> &'v Value {
    let Value::Structure(members) = value else { panic!("{value:?} is no structure") };
    &members.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("no {name} in {value:?}")).1
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    let Value::List(list) = member(value, name) else { panic!("{name} is no list") };
    list
}

fn dimensions(of: &str) -> Vec<Answer> {
    let pairs = of.split(' ').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap();
            Answer::new().with("Name", name).with("Value", value)
        })
        .collect()
}

/// SampleCount, Sum, Minimum and Maximum of a metric in the last minute that is over; nothing without data.
fn last_minute(world: &World, metric: &str, of: &str) -> Option<[f64; 4]> {
    const STATISTICS: [&str; 4] = ["SampleCount", "Sum", "Minimum", "Maximum"];
    let end = world.now();
    let request = Answer::new()
        .with("Namespace", "AWS/DynamoDB")
        .with("MetricName", metric)
        .with("Dimensions", dimensions(of))
        .with("StartTime", end + -MINUTE)
        .with("EndTime", end)
        .with("Period", 60_i64)
        .with("Statistics", STATISTICS.to_vec());
    let answer = cloudwatch(world, "GetMetricStatistics", request);
    let point = list(&answer, "Datapoints").first()?.clone();
    Some(STATISTICS.map(|name| match member(&point, name) {
        Value::Double(number) => *number,
        other => panic!("{name} is {other:?}"),
    }))
}

fn sized(pk: &str, bytes: usize) -> Item {
    item([("pk", s(pk)), ("sk", s("1")), ("v", s("x".repeat(bytes)))])
}

fn put(world: &World, item: Item) -> Result<WriteItemResponse, dynamometer_types::ApiError> {
    world.put(PutItemRequest { table_name: Some("Tab".into()), item: Some(item), ..Default::default() })
}

fn plain_table() -> CreateTableRequest {
    create_table("Tab", (&["pk"], &["sk"]), &["pk S".into(), "sk S".into()])
}

fn provisioned(read: i64, write: i64) -> CreateTableRequest {
    CreateTableRequest {
        billing_mode: Some(Given::Known(BillingMode::Provisioned)),
        provisioned_throughput: Some(ProvisionedThroughput {
            read_capacity_units: Some(read),
            write_capacity_units: Some(write),
        }),
        ..plain_table()
    }
}

#[test]
fn consumed_units_are_exact_sets_of_single_requests_whatever_becomes_of_throttling() {
    for throttle in [ThrottleMode::Off, ThrottleMode::Report, ThrottleMode::Enforce] {
        let world = world(throttle);
        world.create(plain_table());
        for (pk, bytes) in [("a", 10), ("b", 1_500), ("c", 4_000)] {
            put(&world, sized(pk, bytes)).unwrap();
        }
        assert!(world.get("Tab", item([("pk", s("a")), ("sk", s("1"))])).is_some());
        assert!(world.get("Tab", item([("pk", s("nobody")), ("sk", s("1"))])).is_none());
        next_minute(&world);
        let writes = last_minute(&world, "ConsumedWriteCapacityUnits", "TableName=Tab");
        assert_eq!(writes, Some([3.0, 7.0, 1.0, 4.0]), "{throttle:?}");
        let reads = last_minute(&world, "ConsumedReadCapacityUnits", "TableName=Tab");
        assert_eq!(reads, Some([2.0, 1.0, 0.5, 0.5]));
        let latency = last_minute(&world, "SuccessfulRequestLatency", "TableName=Tab Operation=PutItem");
        assert_eq!(latency.map(|set| set[0]), Some(3.0));
        next_minute(&world);
        assert_eq!(
            last_minute(&world, "ConsumedWriteCapacityUnits", "TableName=Tab"),
            None,
            "nothing is not zero"
        );
    }
}

#[test]
fn local_indexes_count_with_their_table_and_global_ones_for_themselves() {
    let world = world(ThrottleMode::Report);
    let defined = ["pk S", "sk S", "l S", "g S"].map(str::to_owned);
    world.create(CreateTableRequest {
        local_secondary_indexes: Some(vec![local_index("lsi", (&["pk"], &["l"]), "ALL")]),
        global_secondary_indexes: Some(vec![global_index("gsi", (&["g"], &[]), "ALL")]),
        ..create_table("Tab", (&["pk"], &["sk"]), &defined)
    });
    put(&world, item([("pk", s("a")), ("sk", s("1")), ("l", s("l")), ("g", s("g"))])).unwrap();
    let query = |index: &str, key: &str| QueryRequest {
        table_name: Some("Tab".into()),
        index_name: Some(index.into()),
        key_condition_expression: Some(format!("{key} = :k")),
        expression_attribute_values: crate::common::requests::values([(
            ":k",
            s(if key == "pk" { "a" } else { "g" }),
        )]),
        ..Default::default()
    };
    world.query(query("lsi", "pk")).unwrap();
    world.query(query("gsi", "g")).unwrap();
    next_minute(&world);
    let index = "TableName=Tab GlobalSecondaryIndexName=gsi";
    assert_eq!(
        last_minute(&world, "ConsumedWriteCapacityUnits", "TableName=Tab"),
        Some([1.0, 2.0, 2.0, 2.0])
    );
    assert_eq!(last_minute(&world, "ConsumedWriteCapacityUnits", index), Some([1.0, 1.0, 1.0, 1.0]));
    assert_eq!(last_minute(&world, "ConsumedReadCapacityUnits", "TableName=Tab"), Some([1.0, 0.5, 0.5, 0.5]));
    assert_eq!(last_minute(&world, "ConsumedReadCapacityUnits", index), Some([1.0, 0.5, 0.5, 0.5]));
    assert_eq!(
        last_minute(&world, "ReturnedItemCount", "TableName=Tab Operation=Query"),
        Some([2.0, 2.0, 1.0, 1.0])
    );
}

#[test]
fn throttles_count_by_event_by_reason_and_by_request() {
    for throttle in [ThrottleMode::Report, ThrottleMode::Enforce] {
        let world = world(throttle);
        // What is saved up for bursts would let much through: the table is new, and has nothing saved up.
        world.create(provisioned(1, 1));
        let refused = (0..4).filter(|at| put(&world, sized(&at.to_string(), 1_500)).is_err()).count();
        next_minute(&world);
        let events = last_minute(&world, "WriteThrottleEvents", "TableName=Tab").unwrap()[1];
        assert_eq!(
            last_minute(&world, "WriteProvisionedThroughputThrottleEvents", "TableName=Tab").unwrap()[1],
            events
        );
        let requests = last_minute(&world, "ThrottledRequests", "TableName=Tab Operation=PutItem");
        assert_eq!(requests.unwrap()[1], events);
        assert_eq!(last_minute(&world, "WriteKeyRangeThroughputThrottleEvents", "TableName=Tab"), None);
        let consumed = last_minute(&world, "ConsumedWriteCapacityUnits", "TableName=Tab").unwrap();
        match throttle {
            // What is refused consumes nothing; what only would be runs, and does.
            ThrottleMode::Enforce => {
                assert_eq!(refused as f64, events);
                assert_eq!(consumed[0], 4.0 - events);
            }
            _ => assert_eq!((refused, consumed[0], consumed[1]), (0, 4.0, 8.0)),
        }
        assert!(events >= 2.0, "{events}");
    }
}

#[test]
fn a_batch_is_a_throttled_request_only_when_all_of_it_is() {
    let world = world(ThrottleMode::Report);
    world.create(provisioned(1, 1));
    let batch = |names: [&str; 2]| {
        let put = |name: &&str| WriteRequest {
            put_request: Some(Some(sized(name, 5_000))),
            ..WriteRequest::default()
        };
        let request = BatchWriteItemRequest {
            request_items: Some(vec![("Tab".into(), names.iter().map(put).collect())]),
            ..Default::default()
        };
        world.run(async |engine, context| engine.batch_write_item(context, request).await).unwrap();
    };
    // Of the first, one gets what there is; of the second, none gets anything.
    batch(["a", "b"]);
    batch(["c", "d"]);
    next_minute(&world);
    assert_eq!(last_minute(&world, "WriteThrottleEvents", "TableName=Tab").map(|set| set[1]), Some(3.0));
    let throttled = last_minute(&world, "ThrottledRequests", "TableName=Tab Operation=BatchWriteItem");
    assert_eq!(throttled.map(|set| set[1]), Some(1.0));
}

#[test]
fn failed_conditions_are_not_errors_of_the_user() {
    let world = world(ThrottleMode::Report);
    world.create(plain_table());
    put(&world, sized("a", 1)).unwrap();
    let again = PutItemRequest {
        table_name: Some("Tab".into()),
        item: Some(sized("a", 1)),
        condition_expression: Some("attribute_not_exists(pk)".into()),
        ..Default::default()
    };
    let error = world.put(again).unwrap_err();
    let wrong = put(&world, item([("pk", s("a"))])).unwrap_err();
    for error in [&error, &wrong] {
        world.run(async |engine, context| engine.note_error(context, "PutItem", None, error));
    }
    next_minute(&world);
    let failed = last_minute(&world, "ConditionalCheckFailedRequests", "TableName=Tab");
    assert_eq!(failed.map(|set| set[1]), Some(1.0));
    assert_eq!(last_minute(&world, "UserErrors", "").map(|set| set[1]), Some(1.0));
}

#[test]
fn what_a_table_counted_before_it_was_deleted_is_published() {
    let world = world(ThrottleMode::Report);
    world.create(plain_table());
    put(&world, sized("a", 1)).unwrap();
    world.engine.remove_tables("", &["Tab".to_owned()], world.now()).unwrap();
    next_minute(&world);
    assert_eq!(
        last_minute(&world, "ConsumedWriteCapacityUnits", "TableName=Tab").map(|set| set[1]),
        Some(1.0)
    );
}

#[test]
fn an_emptied_database_has_no_metrics_and_no_alarms_also_after_a_restart() {
    let (folder, store) = on_disk();
    let world = open(store, ThrottleMode::Report);
    world.create(plain_table());
    cloudwatch(&world, "PutMetricAlarm", alarm("busy"));
    put(&world, sized("a", 1)).unwrap();
    next_minute(&world);
    // What is not published yet when the database is emptied, and an error, which is counted beside the tables.
    let wrong = put(&world, item([("pk", s("a"))])).unwrap_err();
    world.run(async |engine, context| engine.note_error(context, "PutItem", None, &wrong));
    put(&world, sized("b", 1)).unwrap();
    world.engine.reset("", world.now()).unwrap();
    next_minute(&world);
    assert_eq!(*list(&cloudwatch(&world, "ListMetrics", Answer::new()), "Metrics"), []);
    assert_eq!(states(&world), []);
    world.engine.store().close().unwrap();
    drop(world);
    assert_eq!(states(&open(open_folder(&folder), ThrottleMode::Report)), []);
}

#[test]
fn settings_and_quotas_are_published_every_five_minutes() {
    let world = world(ThrottleMode::Report);
    world.create(provisioned(8_000, 400));
    for _ in 0..5 {
        next_minute(&world);
    }
    let value = |metric: &str, of: &str| {
        let request = Answer::new()
            .with("Namespace", "AWS/DynamoDB")
            .with("MetricName", metric)
            .with("Dimensions", dimensions(of))
            .with("StartTime", world.now() + -5 * MINUTE)
            .with("EndTime", world.now())
            .with("Period", 300_i64)
            .with("Statistics", vec!["Maximum"]);
        member(&list(&cloudwatch(&world, "GetMetricStatistics", request), "Datapoints")[0], "Maximum").clone()
    };
    assert_eq!(value("ProvisionedReadCapacityUnits", "TableName=Tab"), Value::Double(8_000.0));
    assert_eq!(value("AccountMaxReads", ""), Value::Double(80_000.0));
    assert_eq!(value("AccountProvisionedReadCapacityUtilization", ""), Value::Double(10.0));
    assert_eq!(value("MaxProvisionedTableWriteCapacityUtilization", ""), Value::Double(1.0));
}

fn alarm(name: &str) -> Answer {
    Answer::new()
        .with("AlarmName", name)
        .with("Namespace", "AWS/DynamoDB")
        .with("MetricName", "ConsumedWriteCapacityUnits")
        .with("Dimensions", dimensions("TableName=Tab"))
        .with("Statistic", "Sum")
        .with("Period", 60_i64)
        .with("EvaluationPeriods", 1_i64)
        .with("Threshold", 2.0)
        .with("ComparisonOperator", "GreaterThanThreshold")
        .with("TreatMissingData", "notBreaching")
}

fn states(world: &World) -> Vec<(String, String)> {
    let described = cloudwatch(world, "DescribeAlarms", Answer::new());
    let text = |value: &Value| match value {
        Value::Text(text) => text.clone(),
        other => panic!("{other:?}"),
    };
    let alarms = list(&described, "MetricAlarms").iter();
    alarms.map(|alarm| (text(member(alarm, "AlarmName")), text(member(alarm, "StateValue")))).collect()
}

#[test]
fn alarms_are_kept_with_their_states() {
    let (folder, store) = on_disk();
    let world = open(store, ThrottleMode::Report);
    world.create(plain_table());
    cloudwatch(&world, "PutMetricAlarm", alarm("busy"));
    cloudwatch(&world, "PutMetricAlarm", alarm("gone"));
    cloudwatch(&world, "DeleteAlarms", Answer::new().with("AlarmNames", vec!["gone"]));
    put(&world, sized("a", 5_000)).unwrap();
    next_minute(&world);
    let busy = vec![("busy".to_owned(), "ALARM".to_owned())];
    assert_eq!(states(&world), busy);
    world.engine.store().close().unwrap();
    drop(world);
    let world = open(open_folder(&folder), ThrottleMode::Report);
    assert_eq!(states(&world), busy);
    next_minute(&world);
    assert_eq!(states(&world), [("busy".to_owned(), "OK".to_owned())], "metrics are not kept");
}

/// A key at a partition's full use for a minute counts 180,000, by writes as by reads: the guide's figure.
#[test]
fn contributor_insights_weighs_writes_three_times() {
    let world = world(ThrottleMode::Off);
    world.create(plain_table());
    let enable = UpdateContributorInsightsRequest {
        table_name: Some("Tab".into()),
        contributor_insights_action: Some(Given::Known(ContributorInsightsAction::Enable)),
        ..Default::default()
    };
    world.run(async |engine, context| engine.update_contributor_insights(context, enable).await).unwrap();
    // 1,000 units a second for 60 seconds, 200 units at a time.
    let unit = 1_024;
    for _ in 0..300 {
        put(&world, sized("hot", 200 * unit - 20)).unwrap();
    }
    put(&world, sized("cold", 10)).unwrap();
    next_minute(&world);
    let describe =
        DescribeContributorInsightsRequest { table_name: Some("Tab".into()), ..Default::default() };
    let described =
        world.run(async |engine, context| engine.describe_contributor_insights(context, describe).await);
    let rules = described.unwrap().contributor_insights_rule_list.unwrap();
    assert_eq!(rules.len(), 4);
    let report = |rule: &str| {
        let request = Answer::new()
            .with("RuleName", rule)
            .with("StartTime", world.now() + -MINUTE)
            .with("EndTime", world.now())
            .with("Period", 60_i64);
        cloudwatch(&world, "GetInsightRuleReport", request)
    };
    let accessed = report(rules.iter().find(|rule| rule.contains("-PKC-")).unwrap());
    let contributors = list(&accessed, "Contributors");
    assert_eq!(*member(&contributors[0], "Keys"), Value::List(vec!["hot".into()]));
    assert_eq!(*member(&contributors[0], "ApproximateAggregateValue"), Value::Double(180_000.0));
    assert_eq!(*member(&contributors[1], "ApproximateAggregateValue"), Value::Double(3.0));
    assert_eq!(*member(&accessed, "ApproximateUniqueCount"), Value::Integer(2));
    let items = report(rules.iter().find(|rule| rule.contains("-SKC-")).unwrap());
    assert_eq!(*member(&items, "KeyLabels"), Value::List(vec!["pk".into(), "sk".into()]));
    assert_eq!(
        *member(&list(&items, "Contributors")[0], "Keys"),
        Value::List(vec!["hot".into(), "1".into()])
    );
}

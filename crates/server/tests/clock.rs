//! Moves of the clock: far ones end, and leave behind what the same time minute by minute would have.

#![allow(clippy::unwrap_used)]

mod live_support;

use std::sync::Arc;
use std::time::{Duration, Instant};

use dynamometer_engine::EngineConfig;
use dynamometer_engine::throughput::ThrottleMode;
use dynamometer_server::clock::{Clock, Move};
use dynamometer_store::MemoryStore;
use dynamometer_types::Timestamp;
use live_support::{BEGINNING_MS, Server};
use serde_json::{Value, json};

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;
/// 9999-12-31T23:59:59Z.
const LAST_MS: i64 = 253_402_300_799_000;

/// A table that does all that time works on, used for a moment.
fn used() -> Server {
    let server = Server::new(ThrottleMode::Report);
    server.create("Tab", Some([20, 20]), Some([5, 5]));
    let stream = json!({"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"});
    server.call("UpdateTable", &json!({"TableName": "Tab", "StreamSpecification": stream})).unwrap();
    let ttl =
        json!({"TableName": "Tab", "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "at"}});
    server.call("UpdateTimeToLive", &ttl).unwrap();
    for (resource, dimension) in
        [("table/Tab", "table:WriteCapacityUnits"), ("table/Gone", "table:ReadCapacityUnits")]
    {
        let mut target = json!({"ServiceNamespace": "dynamodb", "ResourceId": resource,
            "ScalableDimension": format!("dynamodb:{dimension}"), "MinCapacity": 2, "MaxCapacity": 40});
        if resource == "table/Gone" {
            server.create("Gone", Some([9, 9]), None);
        }
        scale(&server, "RegisterScalableTarget", &target);
        let metric = if resource == "table/Tab" {
            "DynamoDBWriteCapacityUtilization"
        } else {
            "DynamoDBReadCapacityUtilization"
        };
        for limit in ["MinCapacity", "MaxCapacity"] {
            target.as_object_mut().unwrap().remove(limit);
        }
        target["PolicyName"] = json!("half");
        target["PolicyType"] = json!("TargetTrackingScaling");
        target["TargetTrackingScalingPolicyConfiguration"] = json!({"TargetValue": 50.0,
            "PredefinedMetricSpecification": {"PredefinedMetricType": metric}});
        scale(&server, "PutScalingPolicy", &target);
    }
    server.call("DeleteTable", &json!({"TableName": "Gone"})).unwrap();
    alarm(
        &server,
        "writes",
        "ConsumedWriteCapacityUnits",
        &json!({"Threshold": 3.0, "TreatMissingData": "notBreaching"}),
    );
    alarm(
        &server,
        "quiet",
        "SuccessfulRequestLatency",
        &json!({"Threshold": 1e6, "EvaluationPeriods": 2, "Period": HOUR_MS / 1000}),
    );
    server.cloudwatch(
        "PutMetricData",
        &json!({"Namespace": "Mine", "MetricData": [
        {"MetricName": "m", "Value": 0.1, "Timestamp": BEGINNING_MS / 1000 + 3_600}]}),
    );
    server.move_clock(30_000);
    for at in 0..12 {
        let expires = (BEGINNING_MS + at * 7 * HOUR_MS + 1_000) / 1000;
        let item = json!({"pk": {"S": format!("k{at}")}, "g": {"S": "g"}, "at": {"N": expires.to_string()}});
        server.call("PutItem", &json!({"TableName": "Tab", "Item": item})).unwrap();
        server.move_clock(20_000);
    }
    server
}

fn scale(server: &Server, operation: &str, body: &Value) -> Value {
    let answer = server.answer_to(&format!("AnyScaleFrontendService.{operation}"), body);
    let body: Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!(answer.status, 200, "{body}");
    body
}

/// An alarm on the table's metric, above the threshold in three minutes unless `more` says otherwise.
fn alarm(server: &Server, name: &str, metric: &str, more: &Value) {
    let mut alarm = json!({"AlarmName": name, "Namespace": "AWS/DynamoDB", "MetricName": metric, "Statistic": "Sum",
        "Dimensions": [{"Name": "TableName", "Value": "Tab"}], "Period": 60, "EvaluationPeriods": 3,
        "ComparisonOperator": "GreaterThanThreshold"});
    alarm.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    server.cloudwatch("PutMetricAlarm", &alarm);
}

/// All that can be seen of what time did.
fn seen(server: &Server) -> Vec<(String, Value)> {
    let now = server.now().millis() / 1000;
    let mut seen = Vec::new();
    let mut see = |what: String, answer: Value| seen.push((what, answer));
    let metrics = server.cloudwatch("ListMetrics", &json!({}));
    for metric in metrics["Metrics"].as_array().unwrap() {
        for (days, period) in [(14, 60), (60, 300), (460, 3_600)] {
            let query = json!({"Id": "m", "MetricStat": {"Metric": metric, "Period": period, "Stat": "Sum"}});
            let request =
                json!({"StartTime": now - days * 86_400, "EndTime": now, "MetricDataQueries": [query]});
            let answer = server.cloudwatch("GetMetricData", &request);
            see(format!("{metric} each {period} s"), answer["MetricDataResults"].clone());
        }
    }
    see("metrics".into(), metrics);
    for operation in ["DescribeAlarms", "DescribeAlarmHistory"] {
        see(operation.into(), server.cloudwatch(operation, &json!({"MaxRecords": 100})));
    }
    let activities = json!({"ServiceNamespace": "dynamodb"});
    see("activities".into(), scale(server, "DescribeScalingActivities", &activities));
    let table = server.call("DescribeTable", &json!({"TableName": "Tab"})).unwrap();
    let stream = json!({"StreamArn": table["Table"]["LatestStreamArn"]});
    see("table".into(), table);
    let answer = server.answer_to("DynamoDBStreams_20120810.DescribeStream", &stream);
    let mut stream: Value = serde_json::from_slice(&answer.body).unwrap();
    // Sequence numbers go with the places of the commits, of which a leap makes fewer.
    for shard in stream["StreamDescription"]["Shards"].as_array_mut().unwrap() {
        shard["SequenceNumberRange"].take();
    }
    see("stream".into(), stream);
    see("items".into(), server.call("Scan", &json!({"TableName": "Tab"})).unwrap());
    seen
}

#[test]
fn the_clock_goes_on_after_a_restart_where_it_was_moved_to() {
    let server = Server::with(EngineConfig::default());
    assert_eq!(server.kept_time(), None);
    server.move_clock(LAST_MS - BEGINNING_MS);
    let kept = server.kept_time();
    assert_eq!(kept, Some(server.now()));
    assert_eq!(Clock::manual(kept).now(), server.now());
    // A time that is over is none to go back to.
    let wall = Clock::manual(None).now();
    assert!(Clock::manual(Some(Timestamp::from_millis(0))).now() >= wall);
}

/// Consumers walk shards in the order of their ids.
#[test]
fn a_shard_comes_behind_its_parent_also_when_the_clock_was_set_back() {
    let store = Arc::new(MemoryStore::new());
    let server = Server::on(store.clone(), EngineConfig::default());
    server.create("Tab", Some([5, 5]), None);
    let stream = json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
    server.call("UpdateTable", &json!({"TableName": "Tab", "StreamSpecification": stream})).unwrap();
    server.move_clock(5 * HOUR_MS);

    let server = Server::on(store, EngineConfig::default());
    let more = json!({"ReadCapacityUnits": 5, "WriteCapacityUnits": 5_000});
    server.call("UpdateTable", &json!({"TableName": "Tab", "ProvisionedThroughput": more})).unwrap();
    server.call("PutItem", &json!({"TableName": "Tab", "Item": {"pk": {"S": "a"}}})).unwrap();
    server.move_clock(MINUTE_MS);
    let table = server.call("DescribeTable", &json!({"TableName": "Tab"})).unwrap();
    let arn = json!({"StreamArn": table["Table"]["LatestStreamArn"]});
    let stream = server.answer_to("DynamoDBStreams_20120810.DescribeStream", &arn);
    let stream: Value = serde_json::from_slice(&stream.body).unwrap();
    let shards = stream["StreamDescription"]["Shards"].as_array().unwrap();
    assert!(shards.len() > 3, "{shards:?}");
    for shard in shards {
        let parent = shard["ParentShardId"].as_str().unwrap_or_default();
        assert!(shard["ShardId"].as_str().unwrap() > parent, "{shards:?}");
    }
}

/// What is seen after a time is the same whether the clock is moved at once or minute by minute.
fn leaves_the_same(days: i64, prepare: impl Fn(&Server)) -> Server {
    let (leapt, walked) = (used(), used());
    prepare(&leapt);
    prepare(&walked);
    leapt.move_clock(days * DAY_MS + 90_000);
    (0..days * 24 * 60).for_each(|_| walked.move_clock(MINUTE_MS));
    walked.move_clock(90_000);
    for (at_once, walked) in seen(&leapt).into_iter().zip(seen(&walked)) {
        assert_eq!(at_once, walked);
    }
    leapt
}

#[test]
fn a_leap_leaves_behind_what_a_walk_does() {
    leaves_the_same(17, |_| ());
}

#[test]
fn an_alarm_that_goes_off_and_on_has_the_same_history_after_a_leap() {
    // Settings are published every five minutes, which is seen in one minute of five.
    let server = leaves_the_same(18, |server| {
        alarm(server, "settings", "ProvisionedReadCapacityUnits", &json!({"Threshold": 1.0}));
    });
    let history =
        server.cloudwatch("DescribeAlarmHistory", &json!({"AlarmName": "settings", "MaxRecords": 100}));
    assert_eq!(
        history["AlarmHistoryItems"].as_array().unwrap().len(),
        100,
        "it goes off and on all the time"
    );
}

#[test]
fn the_end_of_time_is_near() {
    let server = used();
    let began = Instant::now();
    assert_eq!(server.try_move(Move::Set(Timestamp::from_millis(LAST_MS))).unwrap().millis(), LAST_MS);
    let took = began.elapsed();
    // Minute by minute it would take weeks.
    assert!(took < Duration::from_secs(60), "{took:?}");
    let seen = seen(&server);
    let of = |what: &str| seen.iter().find(|(known, _)| known == what).unwrap().1.clone();
    assert_eq!(of("items")["Count"], 0);
    assert_eq!(of("table")["Table"]["ProvisionedThroughput"]["WriteCapacityUnits"], 2);
    let shards = of("stream")["StreamDescription"]["Shards"].as_array().unwrap().len();
    assert_eq!(shards, 7, "one that is open, and those of a day");
    // What is used then is counted as ever.
    server.call("PutItem", &json!({"TableName": "Tab", "Item": {"pk": {"S": "late"}}})).unwrap();
}

#[test]
fn nothing_is_counted_when_nothing_is_known_of_consumption_and_the_clock_still_leaps() {
    let server = Server::with(EngineConfig { throttle: ThrottleMode::Off, ..EngineConfig::default() });
    server.create("Tab", Some([20, 20]), None);
    let target = json!({"ServiceNamespace": "dynamodb", "ResourceId": "table/Tab",
        "ScalableDimension": "dynamodb:table:ReadCapacityUnits"});
    let mut bounds = target.clone();
    (bounds["MinCapacity"], bounds["MaxCapacity"]) = (json!(5), json!(40));
    scale(&server, "RegisterScalableTarget", &bounds);
    let mut policy = target;
    policy["PolicyName"] = json!("half");
    policy["PolicyType"] = json!("TargetTrackingScaling");
    policy["TargetTrackingScalingPolicyConfiguration"] = json!({"TargetValue": 50.0,
        "PredefinedMetricSpecification": {"PredefinedMetricType": "DynamoDBReadCapacityUtilization"}});
    scale(&server, "PutScalingPolicy", &policy);
    server.try_move(Move::Set(Timestamp::from_millis(LAST_MS))).unwrap();
}

#[test]
fn schedules_that_fall_due_too_often_are_told_before_the_clock_moves() {
    let server = used();
    let action = json!({"ServiceNamespace": "dynamodb", "ResourceId": "table/Tab",
        "ScalableDimension": "dynamodb:table:WriteCapacityUnits", "ScheduledActionName": "often",
        "Schedule": "rate(1 minute)", "ScalableTargetAction": {"MinCapacity": 3}});
    scale(&server, "PutScheduledAction", &action);
    let before = server.now();
    let error = server.try_move(Move::Advance(365 * DAY_MS)).unwrap_err().to_string();
    assert!(error.contains("auto scaling falls due by its schedules more than 100000 times"), "{error}");
    assert!(error.contains("in smaller steps"), "{error}");
    assert_eq!(server.now(), before);
    server.move_clock(HOUR_MS);
}

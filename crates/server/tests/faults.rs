//! Injected faults: AWS's answers, and only where they were asked for.

#![allow(clippy::unwrap_used)]

mod live_support;

use std::time::{Duration, Instant};

use dynamometer_engine::throughput::ThrottleMode;
use live_support::Server;
use serde_json::{Value, json};

/// A server with a provisioned table and one on demand.
fn server() -> Server {
    let server = Server::new(ThrottleMode::Report);
    server.create("Provisioned", Some([5, 5]), None);
    server.create("OnDemand", None, None);
    server
}

fn inject(server: &Server, fault: Value) {
    server.faults.add("", serde_json::from_value(fault).unwrap()).unwrap();
}

fn put(table: &str) -> Value {
    json!({"TableName": table, "Item": {"pk": {"S": "a"}}})
}

fn get(table: &str) -> Value {
    json!({"TableName": table, "Key": {"pk": {"S": "a"}}})
}

fn two_puts(first: &str, second: &str) -> Value {
    json!({"TransactItems": [{"Put": put(first)}, {"Put": put(second)}]})
}

#[test]
fn answers_are_those_of_aws() {
    let provisioned = "The level of configured provisioned throughput for the table was exceeded. Consider increasing \
                       your provisioning level with the UpdateTable API.";
    let arn = |table: &str| format!("arn:aws:dynamodb:us-east-1:000000000000:table/{table}");
    let ours = "com.amazonaws.dynamodb.v20120810#";
    let cases = [
        (
            json!({"fault": "conflict"}),
            ("PutItem", put("OnDemand")),
            400,
            json!({"__type": format!("{ours}TransactionConflictException"), "message": "Transaction is ongoing for the item"}),
        ),
        (
            json!({"fault": "conflict", "tables": ["Provisioned"]}),
            ("TransactWriteItems", two_puts("OnDemand", "Provisioned")),
            400,
            json!({
                "__type": format!("{ours}TransactionCanceledException"),
                "CancellationReasons": [
                    {"Code": "None"},
                    {"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"},
                ],
                "Message": "Transaction cancelled, please refer cancellation reasons for specific reasons [None, \
                            TransactionConflict]",
            }),
        ),
        (
            json!({"fault": "in-progress"}),
            ("TransactWriteItems", two_puts("OnDemand", "Provisioned")),
            400,
            json!({
                "__type": format!("{ours}TransactionInProgressException"),
                "Message": "Transaction from previous request is still in progress",
            }),
        ),
        (
            json!({"fault": "throttle"}),
            ("PutItem", put("Provisioned")),
            400,
            json!({
                "__type": format!("{ours}ProvisionedThroughputExceededException"),
                "message": provisioned,
                "ThrottlingReasons": [
                    {"reason": "TableWriteProvisionedThroughputExceeded", "resource": arn("Provisioned")},
                ],
            }),
        ),
        (
            json!({"fault": "throttle", "reason": "MaxOnDemandThroughputExceeded"}),
            ("GetItem", get("OnDemand")),
            400,
            json!({
                "__type": format!("{ours}ThrottlingException"),
                "message": "Throughput exceeds the maximum OnDemandThroughput configured on table or index",
                "throttlingReasons": [
                    {"reason": "TableReadMaxOnDemandThroughputExceeded", "resource": arn("OnDemand")},
                ],
            }),
        ),
        (
            json!({"fault": "throttle"}),
            ("TransactWriteItems", two_puts("Provisioned", "OnDemand")),
            400,
            json!({
                "__type": format!("{ours}TransactionCanceledException"),
                "CancellationReasons": [
                    {"Code": "ProvisionedThroughputExceeded", "Message": provisioned},
                    {"Code": "None"},
                ],
                "Message": "Transaction cancelled, please refer cancellation reasons for specific reasons \
                            [ProvisionedThroughputExceeded, None]",
            }),
        ),
        (
            json!({"fault": "internal-error", "operations": ["ListTables"]}),
            ("ListTables", json!({})),
            500,
            json!({"__type": format!("{ours}InternalServerError"), "message": "Internal server error"}),
        ),
        (
            json!({"fault": "unavailable"}),
            ("GetItem", get("OnDemand")),
            503,
            json!({
                "__type": "com.amazon.coral.service#ServiceUnavailableException",
                "message": "Service is temporarily unavailable. Please try again later.",
            }),
        ),
    ];
    for (fault, (operation, request), status, expected) in cases {
        let server = server();
        inject(&server, fault.clone());
        let answer = server.answer(operation, &request);
        let body: Value = serde_json::from_slice(&answer.body).unwrap();
        assert_eq!((answer.status, body), (status, expected), "{fault}");
    }
}

#[test]
fn only_what_was_named_is_struck() {
    let server = server();
    inject(
        &server,
        json!({"fault": "internal-error", "operations": ["PutItem"], "tables": ["OnDemand"], "count": 2}),
    );
    server.call("PutItem", &put("Provisioned")).unwrap();
    server.call("GetItem", &get("OnDemand")).unwrap();
    server.call("DescribeTable", &json!({"TableName": "OnDemand"})).unwrap();
    let by_arn = put("arn:aws:dynamodb:us-east-1:000000000000:table/OnDemand");
    assert!(server.call("PutItem", &by_arn).is_err());
    assert!(server.call("PutItem", &put("OnDemand")).is_err());
    server.call("PutItem", &put("OnDemand")).unwrap();
    let shown = &server.faults.list("")[0];
    assert_eq!((shown.seen, shown.struck, shown.count), (3, 2, Some(0)));
    assert!(server.faults.list("another database").is_empty());
    assert_eq!(server.faults.remove("another database", None), 0);
    assert_eq!(server.faults.remove("", Some(shown.id)), 1);
}

#[test]
fn an_answer_can_be_lost_after_the_request_ran() {
    let server = server();
    inject(&server, json!({"fault": "drop", "operations": ["PutItem"], "after": true}));
    let answer = server.answer("PutItem", &put("OnDemand"));
    assert!(answer.hang_up && answer.body.is_empty());
    assert!(server.call("GetItem", &get("OnDemand")).unwrap().get("Item").is_some());
    server.faults.remove("", None);
    inject(&server, json!({"fault": "unavailable", "operations": ["PutItem"]}));
    assert!(server.call("PutItem", &put("Provisioned")).is_err());
    assert!(server.call("GetItem", &get("Provisioned")).unwrap().get("Item").is_none());
}

#[test]
fn delays_add_up_and_the_request_runs() {
    let server = server();
    inject(&server, json!({"fault": "delay", "delay": "20ms"}));
    inject(&server, json!({"fault": "delay", "delay": "10ms..30ms", "operations": ["PutItem"]}));
    let begun = Instant::now();
    server.call("PutItem", &put("OnDemand")).unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(30), "{:?}", begun.elapsed());
}

/// A request that is held up is one that comes later: what is written meanwhile was written before it.
#[test]
fn a_request_that_waited_runs_at_the_time_at_which_its_delay_is_over() {
    let server = server();
    let stream = json!({"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"});
    server.call("UpdateTable", &json!({"TableName": "OnDemand", "StreamSpecification": stream})).unwrap();
    inject(&server, json!({"fault": "delay", "delay": "300ms", "operations": ["PutItem"], "count": 1}));
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| server.call("PutItem", &put("OnDemand")).unwrap());
        while server.faults.list("")[0].struck == 0 {
            std::thread::yield_now();
        }
        server.move_clock(3_600_000);
        waiting.join().unwrap();
    });
    assert_eq!(made_at(&server, "OnDemand"), [server.now().seconds()]);
}

/// When the records of a stream were made, in seconds.
fn made_at(server: &Server, table: &str) -> Vec<i64> {
    let table = server.call("DescribeTable", &json!({"TableName": table})).unwrap();
    let arn = &table["Table"]["LatestStreamArn"];
    let call = |operation: &str, body: Value| {
        let answer = server.answer_to(&format!("DynamoDBStreams_20120810.{operation}"), &body);
        serde_json::from_slice::<Value>(&answer.body).unwrap()
    };
    let stream = call("DescribeStream", json!({"StreamArn": arn}));
    let shards = stream["StreamDescription"]["Shards"].as_array().unwrap().iter();
    let records = shards.flat_map(|shard| {
        let from =
            json!({"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"});
        let iterator = call("GetShardIterator", from);
        let page = call("GetRecords", json!({"ShardIterator": iterator["ShardIterator"]}));
        page["Records"].as_array().unwrap().clone()
    });
    records.map(|record| record["dynamodb"]["ApproximateCreationDateTime"].as_i64().unwrap()).collect()
}

#[test]
fn there_is_an_end_to_them() {
    let server = server();
    let fault = || serde_json::from_value(json!({"fault": "drop"})).unwrap();
    for _ in 0..100 {
        server.faults.add("", fault()).unwrap();
    }
    let sentence = server.faults.add("", fault()).unwrap_err();
    assert!(sentence.contains("DELETE /_dyno/faults"), "{sentence}");
}

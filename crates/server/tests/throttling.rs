//! The documented outcomes of the capacity model, through the whole service on a clock that the test moves: what is
//! served each second, what refuses the rest, and that reporting decides as enforcing does.

#![allow(clippy::unwrap_used)]

mod live_support;

use dynamometer_engine::EngineConfig;
use dynamometer_engine::throughput::ThrottleMode;
use live_support::Server;
use serde_json::json;

fn is_near(served: i64, expected: i64) -> bool {
    (served - expected).abs() * 50 <= expected
}

const TABLE_ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/Orders";

#[test]
fn a1_one_hot_item_of_20_kb_is_read_600_times_a_second() {
    let server = Server::new(ThrottleMode::Enforce);
    server.create("Orders", None, None);
    let item =
        json!({"TableName": "Orders", "Item": {"pk": {"S": "a"}, "v": {"S": "x".repeat(20 * 1024 - 4)}}});
    server.call("PutItem", &item).unwrap();
    let get = json!({
        "TableName": "Orders", "Key": {"pk": {"S": "a"}}, "ConsistentRead": true, "ProjectionExpression": "pk"
    });
    let (served, refusal) = server.drive(5, 1_000, "GetItem", |_| get.clone());
    assert!(served[2..].iter().all(|count| is_near(*count, 600)), "{served:?}");
    assert_eq!(refusal.unwrap(), ("TableReadKeyRangeThroughputExceeded".into(), TABLE_ARN.into()));
}

#[test]
fn a3_one_key_is_written_1000_times_a_second() {
    let server = Server::new(ThrottleMode::Enforce);
    server.create("Orders", None, None);
    let put = |_| json!({"TableName": "Orders", "Item": {"pk": {"S": "a"}}});
    let (served, refusal) = server.drive(5, 2_000, "PutItem", put);
    assert!(served[2..].iter().all(|count| is_near(*count, 1_000)), "{served:?}");
    assert_eq!(refusal.unwrap(), ("TableWriteKeyRangeThroughputExceeded".into(), TABLE_ARN.into()));
    let report = server.report();
    let throttles = &report.tables[0].resources[0].throttles;
    assert_eq!(throttles[0].reason, "TableWriteKeyRangeThroughputExceeded");
    assert!(report.advice[0].remedy.contains("spread a over several partition keys"), "{:?}", report.advice);
}

#[test]
fn a7_unused_throughput_of_five_minutes_is_kept_for_bursts() {
    let server = Server::new(ThrottleMode::Enforce);
    server.create("Orders", Some([100, 10_000]), None);
    // An item of 50 blocks: four reads a second are 200 units.
    let item =
        json!({"TableName": "Orders", "Item": {"pk": {"S": "a"}, "v": {"S": "x".repeat(50 * 4096 - 4)}}});
    server.call("PutItem", &item).unwrap();
    // As A8 says, more than five minutes are not kept.
    server.advance(3_600_000);
    let get = json!({
        "TableName": "Orders", "Key": {"pk": {"S": "a"}}, "ConsistentRead": true, "ProjectionExpression": "pk"
    });
    let (served, refusal) = server.drive(320, 4, "GetItem", |_| get.clone());
    let first_refused = served.iter().position(|count| *count < 4).unwrap();
    assert!((300..=302).contains(&first_refused), "all are served for 300 s, not {first_refused}");
    let later: i64 = served[304..].iter().sum();
    assert!(is_near(later, 2 * (320 - 304)), "then 100 units a second: {:?}", &served[300..]);
    assert_eq!(refusal.unwrap(), ("TableReadProvisionedThroughputExceeded".into(), TABLE_ARN.into()));
}

#[test]
fn a15_an_index_that_is_too_small_limits_its_table() {
    let server = Server::new(ThrottleMode::Enforce);
    server.create("Orders", Some([10, 1_000]), Some([10, 100]));
    let put = |number: i64| json!({"TableName": "Orders", "Item": {"pk": {"S": format!("p{number}")}, "g": {"S": format!("g{number}")}}});
    let (served, refusal) = server.drive(6, 500, "PutItem", put);
    assert!(served[2..].iter().all(|count| is_near(*count, 100)), "{served:?}");
    let index_arn = format!("{TABLE_ARN}/index/by-g");
    assert_eq!(refusal.unwrap(), ("IndexWriteProvisionedThroughputExceeded".into(), index_arn));
    // What was refused consumed nothing of the table either.
    let report = server.report();
    let units: Vec<f64> = report.tables[0].resources.iter().map(|resource| resource.write_units).collect();
    assert_eq!(units, [served.iter().sum::<i64>() as f64; 2]);
}

#[test]
fn a_change_of_throughput_is_in_force_at_once() {
    let server = Server::new(ThrottleMode::Enforce);
    server.create("Orders", Some([1, 1]), None);
    let put = |number: i64| json!({"TableName": "Orders", "Item": {"pk": {"S": format!("p{number}")}}});
    let (served, _) = server.drive(4, 100, "PutItem", put);
    assert_eq!(served[2..], [1, 1]);
    let throughput = json!({"ReadCapacityUnits": 1, "WriteCapacityUnits": 50});
    server.call("UpdateTable", &json!({"TableName": "Orders", "ProvisionedThroughput": throughput})).unwrap();
    let (served, _) = server.drive(4, 100, "PutItem", put);
    assert_eq!(served[2..], [50, 50], "{served:?}");
    server.call("UpdateTable", &json!({"TableName": "Orders", "BillingMode": "PAY_PER_REQUEST"})).unwrap();
    // The moment of the switch has nothing in hand yet.
    let (served, _) = server.drive(2, 500, "PutItem", put);
    assert!(served[0] > 490 && served[1] == 500, "{served:?}");
}

#[test]
fn a_change_with_a_delay_is_in_force_when_the_table_is_active_again() {
    let throttle = ThrottleMode::Enforce;
    let server = Server::with(EngineConfig { throttle, table_delay_ms: 3_000, ..EngineConfig::default() });
    server.create("Orders", Some([1, 10]), None);
    server.advance(3_000);
    let put = |number: i64| json!({"TableName": "Orders", "Item": {"pk": {"S": format!("p{number}")}}});
    let (served, _) = server.drive(6, 100, "PutItem", put);
    assert_eq!(served[4..], [10, 10], "{served:?}");
    let throughput = json!({"ReadCapacityUnits": 1, "WriteCapacityUnits": 50});
    server.call("UpdateTable", &json!({"TableName": "Orders", "ProvisionedThroughput": throughput})).unwrap();
    let (served, _) = server.drive(6, 100, "PutItem", put);
    assert_eq!((&served[..3], &served[4..]), (&[10, 10, 10][..], &[50, 50][..]), "{served:?}");
}

#[test]
fn indexes_that_come_and_go_are_followed() {
    let server = Server::new(ThrottleMode::Enforce);
    server.create("Orders", Some([10, 100]), None);
    let put = |number: i64| json!({"TableName": "Orders", "Item": {"pk": {"S": format!("p{number}")}, "g": {"S": format!("g{number}")}}});
    assert_eq!(server.drive(4, 50, "PutItem", put).0, [50; 4]);
    let change = |update| {
        let definitions = json!([
            {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "g", "AttributeType": "S"}
        ]);
        let request = json!({
            "TableName": "Orders", "AttributeDefinitions": definitions, "GlobalSecondaryIndexUpdates": [update]
        });
        server.call("UpdateTable", &request).unwrap();
        server.advance(1);
        server.run_jobs();
    };
    change(json!({"Create": {
        "IndexName": "late", "Projection": {"ProjectionType": "KEYS_ONLY"},
        "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
        "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 5},
    }}));
    let new = |number: i64| put(number + 1_000);
    let (served, refusal) = server.drive(5, 50, "PutItem", new);
    assert_eq!(served[2..], [5, 5, 5], "{served:?}");
    assert_eq!(refusal.unwrap().0, "IndexWriteProvisionedThroughputExceeded");
    let report = server.report();
    let late = &report.tables[0].resources[1];
    // What the backfill writes is not a request's.
    assert_eq!((late.index.as_deref(), late.writes), (Some("late"), served.iter().sum::<i64>() as u64));
    assert_eq!(late.items, 200 + late.writes);

    change(json!({"Delete": {"IndexName": "late"}}));
    let newest = |number: i64| put(number + 9_000);
    assert_eq!(server.drive(3, 50, "PutItem", newest).0, [50; 3]);
    assert_eq!(server.report().tables[0].resources.len(), 1);
}

/// The same requests at the same times: what enforcing refuses is what reporting counts. No request's cost depends on
/// what was written before, for in one of the two servers it was not written.
#[test]
fn reporting_decides_as_enforcing_does() {
    let servers = [Server::new(ThrottleMode::Enforce), Server::new(ThrottleMode::Report)];
    for server in &servers {
        server.create("Orders", Some([20, 30]), Some([10, 10]));
    }
    let mut random = 1_u64;
    let mut refused = 0;
    for number in 0..2_000 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let key = json!({"S": format!("k{}", (random >> 33) % 40)});
        let indexed =
            json!({"pk": {"S": format!("n{number}")}, "g": {"S": format!("g{}", (random >> 50) % 9)}});
        let (operation, body) = match (random >> 40) % 6 {
            0 => ("GetItem", json!({"TableName": "Orders", "Key": {"pk": key}})),
            1 => ("Scan", json!({"TableName": "Orders", "Limit": 5})),
            2 => ("DeleteItem", json!({"TableName": "Orders", "Key": {"pk": key}})),
            3 => (
                "TransactWriteItems",
                json!({"TransactItems": [
                    {"Put": {"TableName": "Orders", "Item": indexed}},
                    {"Put": {"TableName": "Orders", "Item": {"pk": key}}},
                ]}),
            ),
            4 => (
                "Query",
                json!({
                    "TableName": "Orders", "IndexName": "by-g", "KeyConditionExpression": "g = :g", "Limit": 9,
                    "ExpressionAttributeValues": {":g": {"S": "g1"}},
                }),
            ),
            _ => ("PutItem", json!({"TableName": "Orders", "Item": indexed})),
        };
        refused += u64::from(servers[0].call(operation, &body).is_err());
        servers[1].call(operation, &body).unwrap();
        for server in &servers {
            server.advance(7);
        }
    }
    let throttles = |server: &Server| -> Vec<(String, u64)> {
        let report = server.report();
        let resources = report.tables.iter().flat_map(|table| &table.resources);
        let throttles = resources.flat_map(|resource| &resource.throttles);
        throttles.map(|throttles| (throttles.reason.clone(), throttles.events)).collect()
    };
    let [enforced, reported] = [throttles(&servers[0]), throttles(&servers[1])];
    assert_eq!(enforced, reported);
    assert_eq!(enforced.iter().map(|(_, events)| events).sum::<u64>(), refused);
    assert!(enforced.len() >= 2 && refused > 100, "{enforced:?}");
}

#[test]
fn with_throttling_off_requests_are_counted_and_none_would_be_throttled() {
    let server = Server::new(ThrottleMode::Off);
    server.create("Orders", Some([1, 1]), None);
    let put = |number: i64| json!({"TableName": "Orders", "Item": {"pk": {"S": format!("p{number}")}}});
    let (served, refusal) = server.drive(1, 100, "PutItem", put);
    assert_eq!((served, refusal), (vec![100], None));
    let report = server.report();
    let table = &report.tables[0].resources[0];
    assert_eq!((report.throttle.as_str(), table.writes, table.write_units), ("off", 100, 100.0));
    assert!(table.throttles.is_empty(), "{:?}", table.throttles);
}

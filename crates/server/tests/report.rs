//! The report: what it counts, what it costs, and what it advises, from traffic through the whole service.

#![allow(clippy::unwrap_used)]

mod live_support;

use dynamometer_capacity::money::PriceTable;
use dynamometer_engine::throughput::ThrottleMode;
use dynamometer_server::report::{Report, build, metrics};
use live_support::Server;
use serde_json::json;

/// A table with an index that is read and one that is not, ten seconds of writes, filtered queries and scans.
fn busy_server() -> Server {
    let server = Server::new(ThrottleMode::Report);
    let index = |name: &str, key: &str| {
        json!({
            "IndexName": name, "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": key, "KeyType": "HASH"}],
        })
    };
    let definition = |name: &str| json!({"AttributeName": name, "AttributeType": "S"});
    let request = json!({
        "TableName": "Orders", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [definition("pk"), definition("status"), definition("unread")],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "GlobalSecondaryIndexes": [index("by-status", "status"), index("unread", "unread")],
    });
    server.call("CreateTable", &request).unwrap();
    for number in 0..100 {
        let text = |text: String| json!({"S": text});
        let item = json!({
            "pk": text(format!("p{number}")), "status": {"S": "PENDING"}, "unread": text(format!("u{number}")),
            "amount": {"N": number.to_string()}, "filling": text("x".repeat(900)),
        });
        server.call("PutItem", &json!({"TableName": "Orders", "Item": item})).unwrap();
        server.advance(100);
    }
    let query = json!({
        "TableName": "Orders", "IndexName": "by-status", "KeyConditionExpression": "#s = :s",
        "FilterExpression": "amount >= :least", "ExpressionAttributeNames": {"#s": "status"},
        "ExpressionAttributeValues": {":s": {"S": "PENDING"}, ":least": {"N": "90"}},
    });
    for _ in 0..4 {
        server.call("Query", &query).unwrap();
        server.call("Scan", &json!({"TableName": "Orders"})).unwrap();
        server.advance(25);
    }
    server
}

#[test]
fn units_keys_filters_and_late_indexes_are_counted() {
    let report = busy_server().report();
    assert_eq!(report.from.as_deref(), Some("2026-06-01T00:00:00.000Z"));
    assert_eq!((report.seconds, report.tables.len()), (10.075, 1));
    let table = &report.tables[0];
    let of = |name: Option<&str>| table.resources.iter().find(|one| one.index.as_deref() == name).unwrap();
    let units: Vec<(f64, f64)> = [None, Some("by-status"), Some("unread")]
        .map(|name| (of(name).read_units, of(name).write_units))
        .to_vec();
    // 100 items of about 940 bytes are 23 blocks of 4 KB: 11.5 units for an eventually consistent page.
    assert_eq!(units, [(46.0, 100.0), (46.0, 100.0), (0.0, 100.0)]);
    assert_eq!(table.index_write_amplification, Some(2.0));

    let by_status = of(Some("by-status"));
    let hottest = &by_status.hottest_write_keys[0];
    assert_eq!(
        (hottest.key.as_str(), hottest.units, hottest.share_of_units_percent),
        ("PENDING", 100.0, 100.0)
    );
    assert_eq!((hottest.units_at_most_too_many, hottest.busiest_second_units), (0.0, 10.0));
    let query = by_status.operations.iter().find(|one| one.operation == "Query").unwrap();
    // 90 of 100 items are dropped, of 11.5 units each time; rounded down to half units.
    assert_eq!((query.units, query.filtered_out_units), (46.0, 40.0));
    // The writes ended 100 ms before the first query, which is still soon.
    assert_eq!(by_status.reads_within_100_ms_of_a_write, 1);

    // Of 100 keys the table keeps 64; what is shown of the others may be too much, never too few.
    let hottest = &of(None).hottest_write_keys[0];
    assert!(hottest.units >= 1.0 && hottest.units - hottest.units_at_most_too_many <= 1.0, "{hottest:?}");
}

#[test]
fn each_rule_says_its_sentence() {
    let report = busy_server().report();
    let kinds: Vec<(&str, Option<&str>)> =
        report.advice.iter().map(|advice| (advice.kind.as_str(), advice.index.as_deref())).collect();
    #[rustfmt::skip]
    let expected = [
        ("hot-key", Some("by-status")), ("hot-key", Some("by-status")), ("filter", Some("by-status")),
        ("read-after-write", Some("by-status")), ("scan", None), ("index-writes", None), ("unread-index", Some("unread")),
        ("billing-mode", None),
    ];
    assert_eq!(kinds, expected, "{:#?}", report.advice);
    let filter = &report.advice[2].sentence;
    assert!(
        filter.starts_with("Orders/by-status: the filters of Query drop 87 % of what it pays for ($"),
        "{filter}"
    );
}

#[test]
fn money_is_that_of_the_price_table() {
    let report = busy_server().report();
    let money = report.money.as_ref().unwrap();
    // 300 write units at $0.625 and 92 read units at $0.125 for a million.
    let throughput = 300.0 * 0.625e-6 + 92.0 * 0.125e-6;
    assert!((money.dollars_so_far - throughput).abs() < 2e-6, "{money:?}");
    let month = throughput * 730.0 * 3_600.0 / report.seconds;
    let storage = money.storage_dollars_a_month;
    assert!((money.dollars_a_month - storage - month).abs() < 0.01, "{money:?} and not {month}");
    assert!(money.free_tier_dollars_a_month - storage < 1e-9 && storage > 0.0);
    let parts: f64 = report.tables[0].resources.iter().map(|one| one.dollars_a_month.unwrap()).sum();
    assert!((parts - money.dollars_a_month).abs() < 1e-4);
    let names: Vec<&str> = money.plans.iter().map(|plan| plan.plan.as_str()).collect();
    assert!(names.contains(&"on-demand") && names.contains(&"provisioned at 70 %"), "{names:?}");
    assert!(money.plans.is_sorted_by(|one, next| one.dollars_a_month <= next.dollars_a_month));
}

#[test]
fn a_region_without_prices_is_told_and_nothing_guessed() {
    let server = busy_server();
    let used = server.used();
    let report = build(&used, &PriceTable::builtin(), "mars-north-1", None);
    assert_eq!(report.money, None);
    assert!(report.money_missing.unwrap().contains("no prices for region 'mars-north-1'"));
    assert_eq!(report.tables[0].resources[0].dollars_a_month, None);
}

#[test]
fn provisioned_hours_are_paid_whether_used_or_not() {
    let server = Server::new(ThrottleMode::Report);
    server.create("Idle", Some([100, 100]), None);
    server.call("GetItem", &json!({"TableName": "Idle", "Key": {"pk": {"S": "a"}}})).unwrap();
    server.advance(90 * 60_000);
    server.call("GetItem", &json!({"TableName": "Idle", "Key": {"pk": {"S": "a"}}})).unwrap();
    let report = server.report();
    let money = report.money.unwrap();
    // Two begun hours of 100 units each.
    assert!((money.dollars_so_far - 2.0 * 100.0 * (0.00065 + 0.00013)).abs() < 1e-5, "{money:?}");
    assert!((money.dollars_a_month - 730.0 * 100.0 * (0.00065 + 0.00013)).abs() < 1e-3, "{money:?}");
    assert!((money.free_tier_dollars_a_month - 730.0 * 25.0 * (0.00065 + 0.00013)).abs() < 1e-3, "{money:?}");
    assert_eq!(report.advice.iter().map(|advice| advice.kind.as_str()).collect::<Vec<_>>(), ["billing-mode"]);
}

/// What is provisioned is paid for whatever a filter drops, and a local index has no throughput of its own.
#[test]
fn advice_on_a_provisioned_table_names_no_money_that_nobody_pays() {
    let server = Server::new(ThrottleMode::Report);
    let definition = |name: &str| json!({"AttributeName": name, "AttributeType": "S"});
    let key = |sort: &str| json!([{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]);
    let request = json!({
        "TableName": "Orders",
        "ProvisionedThroughput": {"ReadCapacityUnits": 100, "WriteCapacityUnits": 100},
        "AttributeDefinitions": [definition("pk"), definition("sk"), definition("day")],
        "KeySchema": key("sk"),
        "LocalSecondaryIndexes": [
            {"IndexName": "by-day", "KeySchema": key("day"), "Projection": {"ProjectionType": "KEYS_ONLY"}},
        ],
    });
    server.call("CreateTable", &request).unwrap();
    for number in 0..40 {
        let item = json!({
            "pk": {"S": "p"}, "sk": {"S": number.to_string()}, "day": {"S": "2026-06-01"},
            "filling": {"S": "x".repeat(900)},
        });
        server.call("PutItem", &json!({"TableName": "Orders", "Item": item})).unwrap();
    }
    let query = json!({
        "TableName": "Orders", "KeyConditionExpression": "pk = :p", "FilterExpression": "filling = :none",
        "ExpressionAttributeValues": {":p": {"S": "p"}, ":none": {"S": "none"}},
    });
    for _ in 0..4 {
        server.call("Query", &query).unwrap();
    }
    let report = server.report();
    let sentence = |kind: &str| {
        let advice = report.advice.iter().find(|advice| advice.kind == kind);
        advice.map(|advice| advice.sentence.as_str())
    };
    assert_eq!(sentence("filter"), Some("Orders: the filters of Query drop 100 % of what it pays for."));
    assert_eq!(sentence("unread-index"), Some("Orders/by-day: written 40 times and never read."));
}

#[test]
fn json_is_read_back_as_it_was() {
    let report = busy_server().report();
    let text = serde_json::to_string(&report).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&text).unwrap(), report);
}

#[test]
fn metrics_hold_each_series_once() {
    let text = metrics(&busy_server().used());
    let series: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let mut names: Vec<&str> = series.iter().map(|line| line.rsplit_once(' ').unwrap().0).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!((names.len(), count > 20), (count, true));
    assert!(series.contains(
        &r#"dyno_filtered_capacity_units_total{table="Orders",index="by-status",operation="Query"} 40.0"#
    ));
    assert!(
        text.lines().all(|line| line.starts_with("# HELP")
            || line.starts_with("# TYPE")
            || line.starts_with("dyno_"))
    );
}

#[test]
fn a_transaction_that_is_answered_from_its_token_reads() {
    let server = Server::new(ThrottleMode::Report);
    server.create("Orders", None, None);
    let put =
        json!({"Put": {"TableName": "Orders", "Item": {"pk": {"S": "a"}, "v": {"S": "x".repeat(9_000)}}}});
    let transaction = json!({"TransactItems": [put], "ClientRequestToken": "once"});
    for _ in 0..2 {
        server.call("TransactWriteItems", &transaction).unwrap();
    }
    let table = &server.report().tables[0].resources[0];
    let operations: Vec<(&str, u64, f64)> =
        table.operations.iter().map(|one| (one.operation.as_str(), one.requests, one.units)).collect();
    // 9 blocks written and 3 read, each twice.
    assert_eq!(operations, [("TransactWriteItemsReplay", 1, 6.0), ("TransactWriteItems", 1, 18.0)]);
}

#[test]
fn reads_that_aws_might_answer_late_are_counted() {
    let server = Server::new(ThrottleMode::Report);
    server.create("Orders", None, None);
    let put = |key: &str| {
        server.call("PutItem", &json!({"TableName": "Orders", "Item": {"pk": {"S": key}}})).unwrap()
    };
    let get = |key: &str, consistent: bool| {
        let key = json!({"pk": {"S": key}});
        server
            .call("GetItem", &json!({"TableName": "Orders", "Key": key, "ConsistentRead": consistent}))
            .unwrap()
    };
    put("a");
    get("a", false);
    get("a", true);
    get("b", false);
    server.advance(101);
    get("a", false);
    let report = server.report();
    assert_eq!(report.tables[0].resources[0].reads_within_100_ms_of_a_write, 1);
    let advice = report.advice.iter().find(|advice| advice.kind == "read-after-write").unwrap();
    assert!(advice.sentence.starts_with("Orders: 1 read came within 100 ms"), "{advice:?}");
    assert!(advice.remedy.contains("--read-lag"), "{advice:?}");
}

//! What reading requests and writing answers costs: `cargo run --release -p dynamometer-server --example wire_cost`.
//!
//! Arguments: a part of the name of what to measure, and how many rounds of 50 calls (2000).

#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use dynamometer_engine::api::{
    GetItemRequest, GetItemResponse, ItemOut, PageResponse, PutItemRequest, UpdateItemRequest,
};
use dynamometer_engine::disk::row::Row;
use dynamometer_server::wire::{Encode, decode};
use dynamometer_types::{AttributeValue, Item, Layer};

fn main() {
    let item = item_of_1_kb();
    let mut json = Vec::new();
    item.encode(&mut json).expect("an item is no row");
    let json = String::from_utf8_lossy(&json).into_owned();
    println!("item: {} bytes as JSON", json.len());

    let put = format!(r#"{{"TableName":"Orders","Item":{json},"ReturnConsumedCapacity":"TOTAL"}}"#);
    let get = r#"{"TableName":"Orders","Key":{"pk":{"S":"USER#000123"},"sk":{"S":"ORDER#000456"}},"ConsistentRead":true}"#;
    let update = r##"{"TableName":"Orders","Key":{"pk":{"S":"USER#000123"},"sk":{"S":"ORDER#000456"}},
        "UpdateExpression":"SET #s = :s, n = n + :one","ConditionExpression":"attribute_exists(pk) AND n < :max",
        "ExpressionAttributeNames":{"#s":"status"},
        "ExpressionAttributeValues":{":s":{"S":"SHIPPED"},":one":{"N":"1"},":max":{"N":"1000000"}}}"##;
    measure("decode GetItem", || {
        black_box(decode::<GetItemRequest>(black_box(get.as_bytes()), Layer::Current)).is_ok()
    });
    measure("decode UpdateItem", || {
        black_box(decode::<UpdateItemRequest>(black_box(update.as_bytes()), Layer::Current)).is_ok()
    });
    measure("decode PutItem of 1 KB", || {
        black_box(decode::<PutItemRequest>(black_box(put.as_bytes()), Layer::Current)).is_ok()
    });
    let faulty = put.replace("\"BOOL\":true", "\"BOOL\":\"true\"");
    measure("decode PutItem of 1 KB, second reader", || {
        black_box(decode::<PutItemRequest>(black_box(faulty.as_bytes()), Layer::Current)).is_ok()
    });

    let row = Row::encode(&item);
    let answer = GetItemResponse { item: Some(ItemOut::Row(row.clone())), consumed_capacity: None };
    measure("encode GetItem of 1 KB from its row", || encoded(&answer));
    let answer = GetItemResponse { item: Some(ItemOut::Item(item)), consumed_capacity: None };
    measure("encode GetItem of 1 KB from an item", || encoded(&answer));
    let page = PageResponse {
        items: Some((0..10).map(|_| ItemOut::Row(row.clone())).collect()),
        count: 10,
        scanned_count: 10,
        last_evaluated_key: None,
        consumed_capacity: None,
    };
    measure("encode Query of 10 x 1 KB from rows", || encoded(&page));
}

fn encoded(answer: &impl Encode) -> bool {
    let mut out = Vec::with_capacity(1024);
    black_box(answer).encode(&mut out).is_ok_and(|()| !black_box(out).is_empty())
}

/// An order: keys, some short attributes of several types, a nested list, and a text.
fn item_of_1_kb() -> Item {
    let number = |text: &str| AttributeValue::N(text.parse().expect("a number"));
    let line = |sku: &str| {
        AttributeValue::M(Item::from_iter([
            ("sku", AttributeValue::s(sku)),
            ("quantity", number("2")),
            ("price", number("19.99")),
        ]))
    };
    Item::from_iter([
        ("pk", AttributeValue::s("USER#000123")),
        ("sk", AttributeValue::s("ORDER#000456")),
        ("status", AttributeValue::s("PENDING")),
        ("created", number("1719273600")),
        ("total", number("119.94")),
        ("paid", AttributeValue::Bool(true)),
        ("tags", AttributeValue::Ss(vec!["express".into(), "gift".into()])),
        ("lines", AttributeValue::L(vec![line("A-1000"), line("B-2000"), line("C-3000")])),
        ("note", AttributeValue::s("x".repeat(640))),
    ])
}

/// Prints the best of many short rounds: on a busy machine some of them run undisturbed.
fn measure(name: &str, mut work: impl FnMut() -> bool) {
    const CALLS: u32 = 50;
    let mut arguments = std::env::args().skip(1);
    if !name.contains(&arguments.next().unwrap_or_default()) {
        return;
    }
    let rounds = arguments.next().and_then(|rounds| rounds.parse().ok()).unwrap_or(2000);
    let mut best = f64::MAX;
    for _ in 0..rounds {
        let start = Instant::now();
        for _ in 0..CALLS {
            assert!(work(), "{name}");
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS));
    }
    println!("{name}: {best:.0} ns");
}

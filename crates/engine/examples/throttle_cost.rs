//! What throttling adds to a GetItem and to a PutItem: nothing with `off`, and how much with `report`.
//!
//! `cargo run --release -p dynamometer-engine --example throttle_cost` prints nanoseconds. On a busy machine count
//! instructions instead: run the built example with a mode, an operation and a number of requests, such as `report get
//! 20000`, under `valgrind --tool=callgrind`, and again with twice as many; the difference is what they cost.

// An example may look at the clock and print; the library does neither.
#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::Instant;

use dynamometer_engine::api::{
    AttributeDefinition, BillingMode, CreateTableRequest, GetItemRequest, Given, KeySchemaElement, KeyType,
    PutItemRequest, ScalarAttributeType,
};
use dynamometer_engine::throughput::ThrottleMode;
use dynamometer_engine::{Context, Engine, EngineConfig};
use dynamometer_store::MemoryStore;
use dynamometer_types::{AttributeValue, Item, Timestamp};

/// Different keys, more than the report keeps: each request has to look for one and often displaces another.
const KEYS: u64 = 1_000;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match &args[..] {
        [mode, operation, count] => {
            let mode = match mode.as_str() {
                "off" => ThrottleMode::Off,
                "enforce" => ThrottleMode::Enforce,
                _ => ThrottleMode::Report,
            };
            let count = count.parse().expect("the last argument is a number of requests");
            run(&engine(mode), operation, count);
        }
        _ => {
            for operation in ["get", "put"] {
                for mode in [ThrottleMode::Off, ThrottleMode::Report, ThrottleMode::Enforce] {
                    println!("{operation} {:<8} {:>6} ns", mode.word(), nanoseconds(mode, operation));
                }
            }
        }
    }
}

/// The quickest of several rounds, for each request.
fn nanoseconds(mode: ThrottleMode, operation: &str) -> u128 {
    const COUNT: u64 = 50_000;
    let engine = engine(mode);
    let round = |_| {
        let start = Instant::now();
        run(&engine, operation, COUNT);
        start.elapsed().as_nanos() / u128::from(COUNT)
    };
    (0..7).map(round).min().unwrap_or(0)
}

fn engine(throttle: ThrottleMode) -> Engine {
    let config = EngineConfig { throttle, ..EngineConfig::default() };
    let engine = Engine::open(Arc::new(MemoryStore::new()), config).expect("an empty store opens");
    let request = CreateTableRequest {
        table_name: Some("Orders".into()),
        billing_mode: Some(Given::Known(BillingMode::PayPerRequest)),
        attribute_definitions: Some(vec![AttributeDefinition {
            attribute_name: Some("pk".into()),
            attribute_type: Some(Given::Known(ScalarAttributeType::S)),
        }]),
        key_schema: Some(vec![KeySchemaElement {
            attribute_name: Some("pk".into()),
            key_type: Some(Given::Known(KeyType::Hash)),
        }]),
        ..CreateTableRequest::default()
    };
    finish(engine.create_table(&context(0), request)).expect("the table is made");
    run(&engine, "put", KEYS);
    engine
}

fn context(millis: i64) -> Context<'static> {
    Context {
        now: Timestamp::from_millis(1_780_272_000_000 + millis),
        namespace: "",
        region: "us-east-1",
        account: "000000000000",
        host: None,
        elapsed: &|| std::time::Duration::ZERO,
        entropy: &|| 7,
    }
}

/// One request each millisecond.
fn run(engine: &Engine, operation: &str, count: u64) {
    for number in 0..count {
        let context = context(number as i64);
        let key = AttributeValue::s(format!("USER#{}", number * 7 % KEYS).as_str());
        let item: Item = [("pk", key)].into_iter().collect();
        if operation == "put" {
            let request = PutItemRequest {
                table_name: Some("Orders".into()),
                item: Some(item),
                ..PutItemRequest::default()
            };
            let _ = std::hint::black_box(finish(engine.put_item(&context, request)));
        } else {
            let request = GetItemRequest {
                table_name: Some("Orders".into()),
                key: Some(item),
                ..GetItemRequest::default()
            };
            let _ = std::hint::black_box(finish(engine.get_item(&context, request)));
        }
    }
}

/// Runs a future that never waits: the memory store commits at once.
fn finish<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut TaskContext::from_waker(Waker::noop())) {
            return output;
        }
    }
}

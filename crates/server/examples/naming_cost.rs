//! What `--design` adds to a request: nothing without it, and how much to name it after its pattern.
//!
//! `cargo run --release -p dynamometer-server --example naming_cost` prints nanoseconds. On a busy machine count instructions
//! instead: run the built example with `off` or `design`, an operation and a number of requests, such as `design query
//! 20000`, under `valgrind --tool=callgrind`, and again with twice as many; the difference is what they cost.

// An example may look at the clock and print; the library does neither.
#![allow(clippy::print_stdout, clippy::disallowed_methods, clippy::unwrap_used)]

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::{Duration, Instant};

use dynamometer_design::source::Source;
use dynamometer_engine::throughput::AccessObserver;
use dynamometer_engine::{Context, Engine, EngineConfig};
use dynamometer_server::coverage::Coverage;
use dynamometer_server::service::dispatch;
use dynamometer_store::MemoryStore;
use dynamometer_types::Timestamp;

/// Nine patterns on a table with three indexes.
const DESIGN: &str = include_str!("../../../examples/orders.yaml");
const TABLE: &str = r#"{
    "TableName": "MyAppTable", "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [
        {"AttributeName": "PK", "AttributeType": "S"}, {"AttributeName": "SK", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}]
}"#;
const OPERATIONS: [&str; 4] = ["get", "query", "put", "stray"];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match &args[..] {
        [mode, operation, count] => run(&engine(mode), operation, count.parse().unwrap()),
        _ => {
            for operation in OPERATIONS {
                for mode in ["off", "design"] {
                    println!("{operation:<6} {mode:<7} {:>7} ns", nanoseconds(mode, operation));
                }
            }
        }
    }
}

/// The quickest of several rounds, for each request.
fn nanoseconds(mode: &str, operation: &str) -> u128 {
    const COUNT: u64 = 20_000;
    let engine = engine(mode);
    let round = |_| {
        let start = Instant::now();
        run(&engine, operation, COUNT);
        start.elapsed().as_nanos() / u128::from(COUNT)
    };
    (0..7).map(round).min().unwrap()
}

fn engine(mode: &str) -> Engine {
    let observer = (mode == "design").then(|| {
        let design = dynamometer_design::read(&Source::new("orders.yaml", DESIGN)).unwrap();
        let coverage = Coverage::new(design, "orders.yaml".into());
        coverage.begin();
        Arc::new(coverage) as Arc<dyn AccessObserver>
    });
    let config = EngineConfig { observer, ..EngineConfig::default() };
    let engine = Engine::open(Arc::new(MemoryStore::new()), config).unwrap();
    ask(&engine, 0, "CreateTable", TABLE);
    run(&engine, "put", 1_000);
    engine
}

/// One request each millisecond.
fn run(engine: &Engine, operation: &str, count: u64) {
    for number in 0..count {
        let user = number * 7 % 1_000;
        let key = |kind: &str| format!(r#"{{"PK": {{"S": "{kind}#{user}"}}, "SK": {{"S": "PROFILE"}}}}"#);
        let (name, body) = match operation {
            "get" => ("GetItem", format!(r#"{{"TableName": "MyAppTable", "Key": {}}}"#, key("USER"))),
            // No pattern covers it.
            "stray" => ("GetItem", format!(r#"{{"TableName": "MyAppTable", "Key": {}}}"#, key("CART"))),
            "put" => ("PutItem", format!(r#"{{"TableName": "MyAppTable", "Item": {}}}"#, key("USER"))),
            _ => (
                "Query",
                format!(
                    r#"{{"TableName": "MyAppTable", "KeyConditionExpression": "PK = :p AND begins_with(SK, :s)",
                    "ExpressionAttributeValues": {{":p": {{"S": "USER#{user}"}}, ":s": {{"S": "ORDER#"}}}}}}"#
                ),
            ),
        };
        ask(engine, number, name, &body);
    }
}

fn ask(engine: &Engine, millis: u64, operation: &str, body: &str) {
    let context = Context {
        now: Timestamp::from_millis(1_780_272_000_000 + millis as i64),
        namespace: "",
        region: "us-east-1",
        account: "000000000000",
        host: None,
        elapsed: &|| Duration::ZERO,
        entropy: &|| 7,
    };
    let target = format!("DynamoDB_20120810.{operation}");
    let answer = finish(dispatch(engine, &context, &target, body.as_bytes()));
    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
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

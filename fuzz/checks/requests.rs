//! Requests to an engine in memory, several in a row.
//!
//! An input is text as in the golden scenarios: a line `> Operation`, then the body on one line. There is a table with
//! indexes already. Whatever is asked, the engine must not fail inside, must answer JSON, and must afterwards hold as
//! many items as it says, in the table and in the indexes.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Waker};

use dynamometer_engine::{Context, Engine, EngineConfig};
use dynamometer_server::service::dispatch;
use dynamometer_store::MemoryStore;
use dynamometer_types::Timestamp;
use serde_json::Value;

const TABLE: &str = r#"{"TableName":"table","BillingMode":"PAY_PER_REQUEST",
    "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"N"},
        {"AttributeName":"a","AttributeType":"S"},{"AttributeName":"b","AttributeType":"B"}],
    "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
    "LocalSecondaryIndexes":[{"IndexName":"local","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},
        {"AttributeName":"a","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}],
    "GlobalSecondaryIndexes":[{"IndexName":"global","KeySchema":[{"AttributeName":"a","KeyType":"HASH"},
        {"AttributeName":"b","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
        "Projection":{"ProjectionType":"ALL"}}]}"#;

/// Sends the requests.
pub fn check(data: &[u8]) {
    let world = World::new();
    world.send("CreateTable", TABLE.as_bytes());
    let mut lines = data.split(|byte| *byte == b'\n');
    while let Some(line) = lines.next() {
        if let Some(operation) = line.strip_prefix(b"> ") {
            let body = lines.next().unwrap_or_default();
            world.send(&String::from_utf8_lossy(operation), body);
            world.engine.run_jobs(NOW).expect("jobs run");
        }
    }
    world.check_counts();
}

// 2026-06-01T10:00:00Z
const NOW: Timestamp = Timestamp::from_millis(1_780_308_000_000);

struct World {
    engine: Engine,
}

impl World {
    fn new() -> World {
        let store = Arc::new(MemoryStore::new());
        World { engine: Engine::open(store, EngineConfig::default()).expect("an empty store opens") }
    }

    /// Sends one request; answers its status and the body.
    fn send(&self, operation: &str, body: &[u8]) -> (u16, Value) {
        let context = Context {
            now: NOW,
            namespace: "",
            region: "us-east-1",
            account: "000000000000",
            host: None,
            elapsed: &|| std::time::Duration::ZERO,
            entropy: &|| 7,
        };
        let target = format!("DynamoDB_20120810.{operation}");
        let answer = ready(dispatch(&self.engine, &context, &target, body));
        assert_eq!(answer.incident, None, "{operation} failed inside");
        if answer.body.is_empty() {
            return (answer.status, Value::Null);
        }
        let json: Value = serde_json::from_slice(&answer.body).expect("the answer is JSON");
        assert!(answer.status == 200 || json["__type"].is_string(), "an error without its type: {json}");
        (answer.status, json)
    }

    /// Compares what DescribeTable counts with what a Scan finds.
    fn check_counts(&self) {
        let (_, tables) = self.send("ListTables", b"{}");
        for name in tables["TableNames"].as_array().expect("a list of tables") {
            let (_, described) = self.send("DescribeTable", format!(r#"{{"TableName":{name}}}"#).as_bytes());
            let table = &described["Table"];
            let lists = ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"];
            let indexes = lists.iter().filter_map(|list| table[list].as_array()).flatten();
            for object in std::iter::once(table).chain(indexes) {
                let index = match &object["IndexName"] {
                    Value::Null => String::new(),
                    index => format!(r#","IndexName":{index}"#),
                };
                let counted = self.count(&format!(r#""TableName":{name}{index}"#));
                assert_eq!(object["ItemCount"].as_u64(), Some(counted), "{name}{index}");
            }
        }
    }

    fn count(&self, of: &str) -> u64 {
        let (mut count, mut start) = (0, String::new());
        loop {
            let (status, page) = self.send("Scan", format!(r#"{{"Select":"COUNT",{of}{start}}}"#).as_bytes());
            assert_eq!(status, 200, "{page}");
            count += page["Count"].as_u64().expect("a count");
            match &page["LastEvaluatedKey"] {
                Value::Null => return count,
                key => start = format!(r#","ExclusiveStartKey":{key}"#),
            }
        }
    }
}

fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut TaskContext::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer,
        Poll::Pending => panic!("an operation waits, though the memory store answers at once"),
    }
}

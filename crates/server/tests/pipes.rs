//! Pipes over a crash, and what time does to their records. What they deliver to whom is tried with real clients in `e2e`.

#![allow(clippy::unwrap_used)]

mod live_support;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use dynamometer_engine::EngineConfig;
use dynamometer_server::pipes::SETTLE;
use dynamometer_store::{Durability, FjallOptions, FjallStore, Store};
use live_support::{BEGINNING_MS, Server};
use serde_json::{Value, json};

/// A function over HTTP that notes the keys of each event, and fails while it is told to.
struct Function {
    address: String,
    seen: Arc<Mutex<Vec<Vec<String>>>>,
    fails: Arc<AtomicBool>,
}

impl Function {
    fn start() -> Function {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let function = Function { address, seen: Arc::default(), fails: Arc::default() };
        let (seen, fails) = (function.seen.clone(), function.fails.clone());
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let mut socket = socket.unwrap();
                let event = read_body(&mut socket);
                let keys = event["Records"].as_array().unwrap().iter();
                let keys =
                    keys.map(|record| record["dynamodb"]["Keys"]["sk"]["S"].as_str().unwrap().to_owned());
                seen.lock().unwrap().push(keys.collect());
                let status = if fails.load(Ordering::Relaxed) { "500 Broken" } else { "200 OK" };
                let _ = write!(socket, "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            }
        });
        function
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().concat()
    }
}

fn read_body(socket: &mut std::net::TcpStream) -> Value {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = socket.read(&mut buffer).unwrap();
        assert!(count > 0, "cut off");
        bytes.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head
            .lines()
            .find_map(|line| line.to_lowercase().strip_prefix("content-length: ").map(str::to_owned));
        if body.len() >= length.unwrap().trim().parse::<usize>().unwrap() {
            return serde_json::from_str(body).unwrap();
        }
    }
}

fn open(folder: &Path) -> (Arc<dyn Store>, Server) {
    let options = FjallOptions { durability: Durability::Os, ..FjallOptions::default() };
    let store: Arc<dyn Store> = Arc::new(FjallStore::open(folder, &options).unwrap());
    (store.clone(), Server::on(store, EngineConfig::default()))
}

fn create(server: &Server) {
    let table = json!({
        "TableName": "Orders",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"},
        ],
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        "BillingMode": "PAY_PER_REQUEST",
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"},
    });
    server.call("CreateTable", &table).unwrap();
}

/// Puts an item of one partition key: the records are in one shard, and so in one order.
fn put(server: &Server, key: &str) {
    let item = json!({"pk": {"S": "p"}, "sk": {"S": key}});
    server.call("PutItem", &json!({"TableName": "Orders", "Item": item})).unwrap();
}

fn start(server: &Server, target: &str, members: Value) {
    let mut pipe = json!({
        "Name": "pipe", "EventSourceArn": "Orders", "Endpoint": target, "StartingPosition": "TRIM_HORIZON",
    });
    pipe.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    server.pipes.start("", serde_json::from_value(pipe).unwrap()).unwrap();
}

fn wait_until(what: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !what() {
        assert!(Instant::now() < deadline, "it never came");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_position_is_durable_and_what_is_not_delivered_is_not_lost() {
    let folder = tempfile::tempdir().unwrap();
    let (store, server) = open(&folder.path().join("first"));
    create(&server);
    let function = Function::start();
    start(&server, &function.address, json!({}));
    put(&server, "a");
    put(&server, "b");
    wait_until(|| function.seen() == ["a", "b"]);
    server.pipes.settle(SETTLE);
    // From here on nobody is there to take them.
    start(&server, "http://127.0.0.1:1", json!({}));
    put(&server, "c");
    put(&server, "d");
    wait_until(|| json!(server.pipes.list(""))[0]["LastResult"].as_str().unwrap().starts_with("PROBLEM"));
    // What a kill at this moment would leave behind.
    store.checkpoint(&folder.path().join("killed")).unwrap();
    server.pipes.stop();

    let (_store, server) = open(&folder.path().join("killed"));
    let back = Function::start();
    start(&server, &back.address, json!({}));
    wait_until(|| back.seen() == ["c", "d"]);
    server.pipes.stop();
    assert_eq!(function.seen(), ["a", "b"]);
}

#[test]
fn records_that_became_too_old_are_told_and_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let letters = folder.path().join("letters.jsonl");
    let server = Server::with(EngineConfig::default());
    create(&server);
    let function = Function::start();
    function.fails.store(true, Ordering::Relaxed);
    let destination = json!({"OnFailure": {"Destination": format!("file:{}", letters.display())}});
    start(
        &server,
        &function.address,
        json!({"MaximumRecordAgeInSeconds": 60, "DestinationConfig": destination}),
    );
    put(&server, "old");
    wait_until(|| !function.seen().is_empty());
    assert!(!letters.exists());
    server.advance(61_000);
    put(&server, "new");
    wait_until(|| letters.exists());
    function.fails.store(false, Ordering::Relaxed);
    wait_until(|| function.seen().last().is_some_and(|key| key == "new"));
    server.pipes.stop();
    let letter: Value = serde_json::from_str(std::fs::read_to_string(&letters).unwrap().trim()).unwrap();
    assert_eq!(letter["requestContext"]["condition"], "RecordAgeExceeded");
    assert_eq!(letter["DDBStreamBatchInfo"]["batchSize"], 1);
    let payload: Value = serde_json::from_str(letter["payload"].as_str().unwrap()).unwrap();
    assert_eq!(payload["Records"][0]["dynamodb"]["Keys"]["sk"]["S"], "old");
}

/// A month passes in one move: what expires on the second day is trimmed from the stream on the third, and delivered before.
#[test]
fn what_happens_while_the_clock_is_moved_is_delivered_before_it_is_trimmed() {
    let server = Server::with(EngineConfig::default());
    create(&server);
    let ttl = json!({"AttributeName": "ttl", "Enabled": true});
    server.call("UpdateTimeToLive", &json!({"TableName": "Orders", "TimeToLiveSpecification": ttl})).unwrap();
    let function = Function::start();
    start(&server, &function.address, json!({"MaximumRecordAgeInSeconds": 60}));
    let day_ms = 86_400_000;
    let expires = (BEGINNING_MS + 2 * day_ms) / 1000;
    let item = json!({"pk": {"S": "p"}, "sk": {"S": "a"}, "ttl": {"N": expires.to_string()}});
    server.call("PutItem", &json!({"TableName": "Orders", "Item": item})).unwrap();
    server.move_clock(30 * day_ms);
    assert_eq!(function.seen(), ["a", "a"], "made, and expired");
    server.pipes.stop();
}

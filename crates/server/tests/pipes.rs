//! Pipes over a crash, and what time does to their records. What they deliver to whom is tried with real clients in `e2e`.

#![allow(clippy::unwrap_used)]

mod live_support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use dynamometer_engine::EngineConfig;
use dynamometer_harness::Request;
use dynamometer_server::pipes::{Asked, SETTLE};
use dynamometer_store::{Durability, EmbeddedOptions, EmbeddedStore, Store};
use live_support::{BEGINNING_MS, CERTIFICATE, Server};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};

/// A function over HTTP that notes the items of each event, and fails while it is told to.
struct Function {
    address: String,
    told: Arc<Told>,
}

#[derive(Default)]
struct Told {
    /// The sort key of each record, with the attribute `v` behind it where there is one.
    seen: Mutex<Vec<Vec<String>>>,
    fails: AtomicBool,
    /// How long it takes, in milliseconds.
    takes_ms: AtomicU64,
    running: AtomicU64,
    /// How many invocations ran at once.
    most_running: AtomicU64,
}

impl Function {
    fn start() -> Function {
        Function::start_behind("http", |socket| Box::new(socket))
    }

    /// The same over TLS.
    fn start_encrypted() -> Function {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/http_tls_files");
        let certificate = CertificateDer::from_pem_file(CERTIFICATE).unwrap();
        let key = PrivateKeyDer::from_pem_file(format!("{folder}/key.pem")).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        let config = Arc::new(config);
        Function::start_behind("https", move |socket| {
            let tls = rustls::ServerConnection::new(config.clone()).unwrap();
            Box::new(rustls::StreamOwned::new(tls, socket))
        })
    }

    fn start_behind(scheme: &str, open: impl Fn(TcpStream) -> Box<dyn Socket> + Send + 'static) -> Function {
        let listener = TcpListener::bind("0.0.0.0:0").unwrap();
        let address = format!("{scheme}://localhost:{}", listener.local_addr().unwrap().port());
        let function = Function { address, told: Arc::default() };
        let told = function.told.clone();
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let (mut socket, told) = (open(socket.unwrap()), told.clone());
                // What is cut off is sent again.
                std::thread::spawn(move || told.run(&mut *socket));
            }
        });
        function
    }

    fn seen(&self) -> Vec<String> {
        self.told.seen.lock().unwrap().concat()
    }

    fn fails(&self, fails: bool) {
        self.told.fails.store(fails, Ordering::Relaxed);
    }
}

/// A connection, encrypted or not.
trait Socket: Read + Write + Send {}
impl<S: Read + Write + Send> Socket for S {}

impl Told {
    fn run(&self, socket: &mut dyn Socket) -> std::io::Result<()> {
        let event = read_event(socket)?;
        let running = self.running.fetch_add(1, Ordering::Relaxed) + 1;
        self.most_running.fetch_max(running, Ordering::Relaxed);
        let name = |record: &Value| {
            let text = |value: &Value| value["S"].as_str().unwrap_or_default().to_owned();
            let change = &record["dynamodb"];
            text(&change["Keys"]["sk"]) + &text(&change["NewImage"]["v"])
        };
        self.seen.lock().unwrap().push(event["Records"].as_array().unwrap().iter().map(name).collect());
        std::thread::sleep(Duration::from_millis(self.takes_ms.load(Ordering::Relaxed)));
        self.running.fetch_sub(1, Ordering::Relaxed);
        let status = if self.fails.load(Ordering::Relaxed) { "500 Broken" } else { "200 OK" };
        write!(socket, "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")?;
        socket.flush()
    }
}

fn open(folder: &Path) -> (Arc<dyn Store>, Server) {
    let options = EmbeddedOptions { durability: Durability::Os, ..EmbeddedOptions::default() };
    let store: Arc<dyn Store> = Arc::new(EmbeddedStore::open(folder, &options).unwrap());
    (store.clone(), Server::on(store, EngineConfig::default()))
}

fn create(server: &Server) {
    create_table(server, "Orders");
}

fn create_table(server: &Server, name: &str) {
    let table = json!({
        "TableName": name,
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "sk", "AttributeType": "S"},
        ],
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        "BillingMode": "PAY_PER_REQUEST",
        "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "NEW_IMAGE"},
    });
    server.call("CreateTable", &table).unwrap();
}

/// Puts an item of one partition key: the records are in one shard, and so in one order.
fn put(server: &Server, key: &str) {
    put_into(server, "Orders", json!({"pk": {"S": "p"}, "sk": {"S": key}}));
}

fn put_into(server: &Server, table: &str, item: Value) {
    server.call("PutItem", &json!({"TableName": table, "Item": item})).unwrap();
}

fn start(server: &Server, target: &str, members: Value) {
    server.pipes.start("", asked(target, members)).unwrap();
}

fn asked(target: &str, members: Value) -> Asked {
    let mut pipe = json!({
        "Name": "pipe", "EventSourceArn": "Orders", "Endpoint": target, "StartingPosition": "TRIM_HORIZON",
    });
    pipe.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    serde_json::from_value(pipe).unwrap()
}

fn wait_until(what: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !what() {
        assert!(Instant::now() < deadline, "it never came");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn read_event(socket: &mut dyn Socket) -> std::io::Result<Value> {
    Ok(serde_json::from_slice(&Request::read(socket)?.body)?)
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
    function.fails(true);
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
    function.fails(false);
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

#[test]
fn pipes_that_were_posted_come_back_with_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let (store, server) = open(&folder.path().join("first"));
    create(&server);
    let function = Function::start();
    server.pipes.start_and_keep("", asked(&function.address, json!({"BatchSize": 7}))).unwrap();
    put(&server, "a");
    wait_until(|| function.seen() == ["a"]);
    server.pipes.settle(SETTLE);
    store.checkpoint(&folder.path().join("killed")).unwrap();
    server.pipes.stop();

    let (store, server) = open(&folder.path().join("killed"));
    put(&server, "b");
    server
        .pipes
        .resume(|line| assert!(line.starts_with("the pipe `pipe` goes on, to http://localhost:"), "{line}"));
    assert_eq!(json!(server.pipes.list(""))[0]["Definition"]["BatchSize"], 7);
    wait_until(|| function.seen() == ["a", "b"]);
    // One of a file of the same name has the say, and ends with the server.
    start(&server, &function.address, json!({"BatchSize": 8}));
    server.pipes.resume(|line| panic!("{line}"));
    assert_eq!(json!(server.pipes.list(""))[0]["Definition"]["BatchSize"], 8);
    server.pipes.settle(SETTLE);
    store.checkpoint(&folder.path().join("again")).unwrap();
    server.pipes.stop();

    let (_store, server) = open(&folder.path().join("again"));
    server.pipes.resume(|line| panic!("{line}"));
    assert!(server.pipes.list("").is_empty());
}

#[test]
fn a_pipe_of_an_earlier_run_can_be_taken_away_though_it_does_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let (store, server) = open(&folder.path().join("first"));
    create(&server);
    server.pipes.start_and_keep("", asked("http://localhost:9", json!({}))).unwrap();
    server.pipes.stop();
    store.checkpoint(&folder.path().join("again")).unwrap();

    let (_store, server) = open(&folder.path().join("again"));
    assert!(server.pipes.remove("", "pipe").unwrap());
    server.pipes.resume(|line| panic!("{line}"));
    assert!(!server.pipes.remove("", "pipe").unwrap());
}

/// A state that is brought back takes its pipes back to where they were when it was kept.
#[test]
fn a_restored_state_is_delivered_from_where_its_pipes_were() {
    let server = Server::with(EngineConfig::default());
    create(&server);
    let (first, second) = (Function::start(), Function::start());
    put(&server, "before");
    start(&server, &first.address, json!({"StartingPosition": "LATEST"}));
    put(&server, "a");
    wait_until(|| first.seen() == ["a"]);
    first.fails(true);
    put(&server, "waits");
    wait_until(|| first.seen().len() > 1);
    server.pipes.settle(SETTLE);
    server.keep_state("s");
    first.fails(false);
    wait_until(|| json!(server.pipes.list(""))[0]["LastResult"] == "OK");
    // One that begins when the state is kept already has nothing to do with what is in it.
    start(&server, &second.address, json!({"Name": "later"}));
    wait_until(|| second.seen() == ["before", "a", "waits"]);
    for time in 0..2 {
        let before = (first.seen().len(), second.seen().len());
        server.bring_back("s");
        put(&server, &format!("b{time}"));
        wait_until(|| second.seen().len() > before.1);
        server.pipes.settle(SETTLE);
        assert_eq!(first.seen()[before.0..], ["waits".to_owned(), format!("b{time}")]);
        assert_eq!(second.seen()[before.1..], [format!("b{time}")]);
    }
    server.pipes.stop();
}

#[test]
fn what_was_not_delivered_before_its_shard_went_is_told() {
    let server = Server::with(EngineConfig::default());
    create(&server);
    let function = Function::start();
    function.fails(true);
    start(&server, &function.address, json!({}));
    put(&server, "a");
    wait_until(|| !function.seen().is_empty());
    server.move_clock(30 * 3_600_000);
    let shown = || json!(server.pipes.list(""))[0].clone();
    wait_until(|| shown()["GivenUpRecords"] == 1);
    assert_eq!(
        shown()["LastResult"],
        "PROBLEM: at least 1 records went with their shard before they were delivered"
    );
    server.pipes.stop();
}

#[test]
fn a_pipe_without_a_stream_says_so() {
    let server = Server::with(EngineConfig::default());
    let function = Function::start();
    start(&server, &function.address, json!({}));
    let result = || json!(server.pipes.list(""))[0]["LastResult"].clone();
    wait_until(|| result() == "PROBLEM: Orders is not there, or has no stream");
    create(&server);
    wait_until(|| result() == "No records processed");
    put(&server, "a");
    wait_until(|| result() == "OK");
    server.pipes.stop();
}

#[test]
fn a_pipe_of_another_source_begins_anew() {
    let server = Server::with(EngineConfig::default());
    create(&server);
    create_table(&server, "Others");
    let function = Function::start();
    let item = |key: &str| json!({"pk": {"S": "p"}, "sk": {"S": key}});
    put_into(&server, "Orders", item("order"));
    put_into(&server, "Others", item("before"));
    start(&server, &function.address, json!({}));
    wait_until(|| function.seen() == ["order"]);
    start(&server, &function.address, json!({"EventSourceArn": "Others", "StartingPosition": "LATEST"}));
    put_into(&server, "Others", item("after"));
    wait_until(|| function.seen() == ["order", "after"]);
    // And back: nothing is known of the first source any more.
    start(&server, &function.address, json!({}));
    wait_until(|| function.seen() == ["order", "after", "order"]);
    server.pipes.stop();
}

#[test]
fn batches_side_by_side_keep_the_order_of_each_item() {
    let server = Server::with(EngineConfig::default());
    create(&server);
    let function = Function::start();
    function.told.takes_ms.store(5, Ordering::Relaxed);
    for version in 0..20 {
        for item in 0..10 {
            let item = json!({"pk": {"S": "p"}, "sk": {"S": format!("{item}:")}, "v": {"S": format!("{version:02}")}});
            put_into(&server, "Orders", item);
        }
    }
    start(&server, &function.address, json!({"ParallelizationFactor": 4, "BatchSize": 3}));
    server.pipes.settle(SETTLE);
    server.pipes.stop();
    let seen = function.seen();
    assert_eq!(seen.len(), 200);
    for item in 0..10 {
        let versions: Vec<&String> = seen.iter().filter(|one| one.starts_with(&format!("{item}:"))).collect();
        assert!(versions.len() == 20 && versions.is_sorted(), "{versions:?}");
    }
    let most = function.told.most_running.load(Ordering::Relaxed);
    assert!((2..=4).contains(&most), "{most} at once");
}

#[test]
fn a_function_may_be_behind_https() {
    let server = Server::with(EngineConfig::default());
    create(&server);
    let function = Function::start_encrypted();
    start(&server, &function.address, json!({}));
    put(&server, "a");
    wait_until(|| function.seen() == ["a"]);
    // A host that the certificate does not name is not told anything.
    let other = function.address.replace("localhost", "127.0.0.2");
    start(&server, &other, json!({}));
    put(&server, "b");
    wait_until(|| json!(server.pipes.list(""))[0]["LastResult"].as_str().unwrap().starts_with("PROBLEM"));
    assert_eq!(function.seen(), ["a"]);
    server.pipes.stop();
}

#[test]
fn a_pipe_that_is_not_enabled_waits() {
    let server = Server::with(EngineConfig::default());
    create(&server);
    let function = Function::start();
    start(&server, &function.address, json!({"Enabled": false, "StartingPosition": "LATEST"}));
    put(&server, "a");
    server.pipes.settle(SETTLE);
    assert!(function.seen().is_empty());
    start(&server, &function.address, json!({}));
    wait_until(|| function.seen() == ["a"]);
    server.pipes.stop();
}

/// The state of a window is written with the position: after a kill the function gets the state that belongs to what it
/// has seen.
#[test]
fn a_window_goes_on_after_a_kill_with_its_state() {
    let folder = tempfile::tempdir().unwrap();
    let (store, server) = open(&folder.path().join("first"));
    create(&server);
    let counter = Counter::start();
    start(&server, &counter.address, json!({"TumblingWindowInSeconds": 60}));
    put(&server, "a");
    put(&server, "b");
    server.pipes.settle(SETTLE);
    store.checkpoint(&folder.path().join("killed")).unwrap();
    server.pipes.stop();

    let (_store, server) = open(&folder.path().join("killed"));
    start(&server, &counter.address, json!({"TumblingWindowInSeconds": 60}));
    put(&server, "c");
    server.pipes.settle(SETTLE);
    server.move_clock(60_000);
    wait_until(|| !counter.finals.lock().unwrap().is_empty());
    server.pipes.stop();
    assert_eq!(*counter.finals.lock().unwrap(), [3]);
}

/// A function that counts the records of its windows.
struct Counter {
    address: String,
    /// How many each window had that ended.
    finals: Arc<Mutex<Vec<u64>>>,
}

impl Counter {
    fn start() -> Counter {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let counter =
            Counter { address: format!("http://{}", listener.local_addr().unwrap()), finals: Arc::default() };
        let finals = counter.finals.clone();
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                let mut socket = socket.unwrap();
                let Ok(event) = read_event(&mut socket) else { continue };
                let records = event["Records"].as_array().unwrap().len() as u64;
                let count = event["state"]["count"].as_u64().unwrap_or(0) + records;
                if event["isFinalInvokeForWindow"] == true {
                    finals.lock().unwrap().push(count);
                }
                let answer = json!({"state": {"count": count}}).to_string();
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", answer.len());
                let _ = socket.write_all((head + &answer).as_bytes());
            }
        });
        counter
    }
}

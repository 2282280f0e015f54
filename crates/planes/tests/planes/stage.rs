//! A server with the two tables, and time and chance that stand still until a test moves them.

use std::collections::HashMap;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::types::AttributeValue;
use dynamometer_harness::{Launch, Server};
use dynamometer_planes::schema::{DATA_PLANE, Protection, TABLES, create_table_request};
use dynamometer_planes::{EventKey, Planes, PlanesBuilder, Retry, Runtime, Timestamp};
use serde_json::json;

pub const PREFIX: &str = "test";

/// 2026-06-01T00:00:00Z.
pub const BEGINNING: i64 = 1_780_272_000_000;

/// A running server, the tables, and a clock.
pub struct Stage {
    server: Server,
    pub client: Client,
    pub world: World,
    _folder: tempfile::TempDir,
}

/// The program under test: `DYNO_BIN`, or the one that Cargo built into the folder where this test lies.
fn dyno() -> PathBuf {
    if let Some(named) = std::env::var_os("DYNO_BIN") {
        return named.into();
    }
    let test = std::env::current_exe().unwrap();
    let built = test.parent().and_then(|deps| deps.parent()).unwrap().join("dyno");
    assert!(
        built.is_file(),
        "{} is not there: `cargo build -p dyno` first, or set DYNO_BIN",
        built.display()
    );
    built
}

impl Stage {
    /// A server in memory.
    pub fn new() -> Stage {
        Stage::with(&[])
    }

    /// A server in memory with more arguments.
    pub fn with(args: &[&str]) -> Stage {
        let folder = tempfile::tempdir().unwrap();
        let server = Launch::announcing(dyno(), folder.path().join("dyno.log"))
            .args(["--in-memory", "--port", "0"])
            .args(args.iter().copied())
            .start()
            .unwrap();
        let mut setup = dynamometer_harness::Client::connect(server.address()).unwrap();
        for table in TABLES {
            setup.call("CreateTable", &create_table_request(table, PREFIX, Protection::Disposable)).unwrap();
        }
        let config = aws_sdk_dynamodb::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("us-east-1"))
            .credentials_provider(Credentials::new("test", "test", None, None, "test"))
            .endpoint_url(server.endpoint())
            .retry_config(RetryConfig::disabled())
            .http_client(aws_smithy_http_client::Builder::new().build_http())
            .build();
        let world = World::default();
        Stage { client: Client::from_conf(config), world, server, _folder: folder }
    }

    /// The two tables, with this stage's clock.
    pub fn planes(&self) -> Planes {
        self.builder().build()
    }

    /// The same, to be told more.
    pub fn builder(&self) -> PlanesBuilder {
        let retry = Retry { attempts: 5, first: Duration::from_millis(400), longest: Duration::from_secs(2) };
        Planes::builder(self.client.clone(), PREFIX).runtime(self.world.clone()).retry(retry)
    }

    /// Lets the server's clock (`--clock manual`) follow the waits of the library.
    pub fn waits_move_the_servers_clock(&self) {
        *self.world.0.server.lock().unwrap() = Some(self.server.address());
    }

    /// Makes the server fail on purpose.
    pub fn inject(&self, fault: &serde_json::Value) {
        post(self.server.address(), "/_dyno/faults", &fault.to_string());
    }

    /// Puts an item as another program would.
    pub async fn put_by_another_program(&self, table: &str, item: &[(&str, AttributeValue)]) {
        let item: HashMap<String, AttributeValue> =
            item.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        let table = format!("{PREFIX}-{table}");
        self.client.put_item().table_name(table).set_item(Some(item)).send().await.unwrap();
    }

    /// Deletes an event as the service deletes what has expired: without a word to the library.
    pub async fn delete_unnoticed(&self, key: &EventKey) {
        let table = DATA_PLANE.full_name(PREFIX);
        let delete = self.client.delete_item().table_name(table);
        let delete = delete.key(DATA_PLANE.partition_key, s(key.as_str()));
        delete.key(DATA_PLANE.sort_key, s("value$0")).send().await.unwrap();
    }

    /// Every item of the data plane, as the table has it.
    pub async fn items_of_the_data_plane(&self) -> Vec<HashMap<String, AttributeValue>> {
        let table = DATA_PLANE.full_name(PREFIX);
        self.client.scan().table_name(table).send().await.unwrap().items.unwrap_or_default()
    }
}

/// Time that stands still, chance that counts, and waits that are only noted.
#[derive(Clone, Default)]
pub struct World(Arc<Inner>);

#[derive(Default)]
struct Inner {
    later: Mutex<i64>,
    drawn: Mutex<u128>,
    waits: Mutex<Vec<Duration>>,
    server: Mutex<Option<std::net::SocketAddr>>,
}

impl World {
    /// Moves the clock on.
    pub fn pass(&self, span: Duration) {
        *self.0.later.lock().unwrap() += i64::try_from(span.as_millis()).unwrap();
    }

    /// The waits so far.
    pub fn waits(&self) -> Vec<Duration> {
        self.0.waits.lock().unwrap().clone()
    }
}

impl Runtime for World {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(BEGINNING + *self.0.later.lock().unwrap())
    }

    fn random(&self) -> u128 {
        let mut drawn = self.0.drawn.lock().unwrap();
        *drawn += 1;
        // Spread over all bits, as chance would be.
        drawn.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835)
    }

    fn sleep(&self, span: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.0.waits.lock().unwrap().push(span);
        if let Some(address) = *self.0.server.lock().unwrap() {
            let body = json!({ "advance": format!("{}ms", span.as_millis()) }).to_string();
            post(address, "/_dyno/clock", &body);
        }
        Box::pin(std::future::ready(()))
    }
}

/// Posts to one of the server's own paths.
fn post(address: std::net::SocketAddr, path: &str, body: &str) {
    let length = body.len();
    let request =
        format!("POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {length}\r\n\r\n{body}");
    let mut client = dynamometer_harness::Client::connect(address).unwrap();
    let reply = client.send(request.as_bytes()).unwrap();
    assert!(reply.status < 300, "{path}: {}", String::from_utf8_lossy(&reply.body));
}

/// A time in milliseconds after the beginning.
pub fn after(millis: i64) -> Timestamp {
    Timestamp::from_millis(BEGINNING + millis)
}

pub fn s(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

pub fn n(digits: &str) -> AttributeValue {
    AttributeValue::N(digits.to_owned())
}

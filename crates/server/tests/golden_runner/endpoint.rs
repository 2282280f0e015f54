//! Where scenarios are sent.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use dynamometer_capacity::money::PriceTable;
use dynamometer_engine::throughput::ThrottleMode;
use dynamometer_engine::{Engine, EngineConfig};
use dynamometer_server::auth::Caller;
use dynamometer_server::clock::{Clock, Move};
use dynamometer_server::faults::Faults;
use dynamometer_server::http::{JSON_1_0, JSON_1_1, Request, Service};
use dynamometer_server::pipes::{Pipes, SETTLE};
use dynamometer_server::runner::Jobs;
use dynamometer_server::service::{Api, ApiConfig};
use dynamometer_store::{Durability, EmbeddedOptions, EmbeddedStore, MemoryStore, Store};
use http::{HeaderMap, Method};
use serde_json::Value;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

use super::scenario;

/// 2026-06-01T00:00:00Z, the time at which every scenario begins.
const BEGINNING_MS: i64 = 1_780_272_000_000;

const REGION: &str = "us-east-1";

/// A server, in process or not.
pub enum Endpoint {
    InProcess(InProcess),
    Http(Http),
}

impl Endpoint {
    /// Sends a request: an operation, or `METHOD /_dyno/…` to the server itself. Answers status and body; status 0 when the
    /// connection closes without an answer.
    pub fn send(&mut self, operation: &str, body: &str) -> (u16, String) {
        let own = operation.split_once(' ');
        match (self, own) {
            (Endpoint::InProcess(server), None) => server.send(operation, body),
            (Endpoint::InProcess(server), Some((method, path))) => server.send_own(method, path, body),
            (Endpoint::Http(server), None) => {
                let headers = [("x-amz-target", target(operation))];
                server.request("POST", "/", content_type(operation), &headers, body)
            }
            (Endpoint::Http(server), Some((method, path))) => server.own(method, path, body),
        }
    }

    /// Waits until pipes have delivered what there is.
    pub fn settle(&mut self) {
        self.send("POST /_dyno/clock", r#"{"advance":"0ms"}"#);
    }

    /// Moves the clock. Answers whether it could: a server on the wall clock does not.
    pub fn advance(&mut self, seconds: i64) -> bool {
        match self {
            Endpoint::InProcess(server) => {
                server.advance(seconds);
                true
            }
            Endpoint::Http(server) => {
                let (status, _) =
                    server.own("POST", "/_dyno/clock", &format!(r#"{{"advance":"{seconds}s"}}"#));
                status == 200
            }
        }
    }

    /// Whether the time is that of the scenarios.
    pub fn has_scenario_time(&self) -> bool {
        matches!(self, Endpoint::InProcess(_))
    }
}

/// The operation's name behind that of its service, which may be left out where it is DynamoDB's own.
fn target(operation: &str) -> String {
    match operation {
        _ if operation.contains('.') => operation.to_owned(),
        "ListStreams" | "DescribeStream" | "GetShardIterator" | "GetRecords" => {
            format!("DynamoDBStreams_20120810.{operation}")
        }
        _ => format!("DynamoDB_20120810.{operation}"),
    }
}

/// The content type that clients send an operation in.
fn content_type(operation: &str) -> &'static str {
    if scenario::is_plain(operation) { JSON_1_1 } else { JSON_1_0 }
}

/// A database of its own, on an engine in this process.
pub struct InProcess {
    engine: Shared,
    caller: Caller,
}

/// An engine and what keeps it alive.
#[derive(Clone)]
pub struct Shared {
    api: Arc<Api>,
    runtime: Arc<Runtime>,
    jobs: Arc<Jobs>,
    pipes: Arc<Pipes>,
    clock: Arc<Clock>,
    // The last field: removed when the store has let go of it.
    _folder: Option<Arc<TempDir>>,
}

impl Shared {
    /// An engine that keeps nothing.
    pub fn in_memory(throttle: ThrottleMode) -> Shared {
        Shared::in_memory_with(EngineConfig { throttle, ..EngineConfig::default() })
    }

    /// An engine in a folder that goes away with it.
    pub fn on_disk(throttle: ThrottleMode) -> Shared {
        Shared::on_disk_with(EngineConfig { throttle, ..EngineConfig::default() })
    }

    /// An engine that keeps nothing and behaves in some other way.
    pub fn in_memory_with(config: EngineConfig) -> Shared {
        Shared::on(Arc::new(MemoryStore::new()), None, config)
    }

    /// The same in a folder.
    pub fn on_disk_with(config: EngineConfig) -> Shared {
        let folder = tempfile::tempdir().unwrap();
        // What is tested is what is stored, not whether it outlives the machine.
        let options = EmbeddedOptions { durability: Durability::Os, ..EmbeddedOptions::default() };
        let store = EmbeddedStore::open(folder.path().join("data"), &options).unwrap();
        Shared::on(Arc::new(store), Some(Arc::new(folder)), config)
    }

    fn on(store: Arc<dyn Store>, folder: Option<Arc<TempDir>>, engine_config: EngineConfig) -> Shared {
        let clock = Arc::new(Clock::Manual(AtomicI64::new(BEGINNING_MS)));
        let engine = Arc::new(Engine::open(store, engine_config).unwrap());
        let jobs = Arc::new(Jobs::new(&engine, clock.clone()));
        let pipes = Arc::new(Pipes::new(engine.clone(), clock.clone()));
        let config = ApiConfig {
            region: REGION.into(),
            account: "000000000000".into(),
            isolate: true,
            jobs: jobs.clone(),
            faults: Arc::new(Faults::new(7)),
            pipes: pipes.clone(),
            prices: Arc::new(PriceTable::builtin()),
            coverage: None,
            seed: 7,
            log: Arc::new(|line| eprintln!("{line}")),
        };
        let runtime = Arc::new(Builder::new_current_thread().enable_time().build().unwrap());
        Shared { api: Arc::new(Api::new(engine, config)), runtime, jobs, pipes, clock, _folder: folder }
    }

    /// The database of an access key, at the beginning of time.
    pub fn database(&self, access_key_id: &str) -> InProcess {
        // Those of the scenario before are not to see the time go back.
        self.pipes.stop();
        self.now_ms().store(BEGINNING_MS, Ordering::Relaxed);
        let caller = Caller { access_key_id: Some(access_key_id.into()), ..Caller::anonymous(REGION) };
        InProcess { engine: self.clone(), caller }
    }

    fn now_ms(&self) -> &AtomicI64 {
        let Clock::Manual(now_ms) = &*self.clock else { unreachable!("the clock was made manual") };
        now_ms
    }
}

impl InProcess {
    fn advance(&self, seconds: i64) {
        let Shared { jobs, pipes, .. } = &self.engine;
        jobs.move_clock(Move::Advance(seconds * 1000), &|| pipes.settle(SETTLE)).unwrap();
    }

    fn send(&self, operation: &str, body: &str) -> (u16, String) {
        let Shared { api, runtime, jobs, clock, .. } = &self.engine;
        let target = target(operation);
        let answer = runtime.block_on(api.answer(&self.caller, clock.now(), &target, body.as_bytes()));
        jobs.run_due().unwrap();
        if let Some(incident) = &answer.incident {
            eprintln!("{incident}");
        }
        let status = if answer.hang_up { 0 } else { answer.status };
        (status, String::from_utf8(answer.body).unwrap())
    }

    fn send_own(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        let request = Request {
            method: Method::from_bytes(method.as_bytes()).unwrap(),
            uri: path.parse().unwrap(),
            headers: HeaderMap::new(),
            body: body.to_owned().into(),
            content_type: JSON_1_0,
            caller: Arc::new(self.caller.clone()),
            peer: ([127, 0, 0, 1], 0).into(),
            received_at_ms: 0,
        };
        let answer = self.engine.runtime.block_on(self.engine.api.call(request));
        (answer.status.as_u16(), String::from_utf8(answer.body.to_vec()).unwrap())
    }
}

/// A running server.
pub struct Http {
    /// `host:port`.
    address: String,
}

impl Http {
    /// A server at `http://host:port`, emptied.
    pub fn emptied(endpoint: &str) -> Http {
        let address = endpoint.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let server = Http { address };
        let (status, body) = server.own("POST", "/_dyno/reset", "{}");
        assert_eq!(status, 200, "{endpoint}/_dyno/reset: {body}");
        server.own("DELETE", "/_dyno/faults", "{}");
        let pipes: Value = serde_json::from_str(&server.own("GET", "/_dyno/pipes", "").1).unwrap();
        for pipe in pipes["Pipes"].as_array().into_iter().flatten() {
            server.own("DELETE", "/_dyno/pipes", &format!(r#"{{"Name":{}}}"#, pipe["Name"]));
        }
        server
    }

    fn own(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        self.request(method, path, JSON_1_0, &[], body)
    }

    fn request(
        &self,
        method: &str,
        path: &str,
        content_type: &str,
        headers: &[(&str, String)],
        body: &str,
    ) -> (u16, String) {
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: {content_type}\r\n\
             Content-Length: {}\r\nConnection: close\r\n{headers}\r\n",
            self.address,
            body.len()
        );
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let Some((head, body)) = answer.split_once("\r\n\r\n") else { return (0, String::new()) };
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, body.to_owned())
    }
}

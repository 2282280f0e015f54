//! Where scenarios are sent.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use dynamometer_engine::{Engine, EngineConfig};
use dynamometer_server::service::{Api, ApiConfig};
use dynamometer_store::{Durability, FjallOptions, FjallStore, MemoryStore, Store};
use dynamometer_types::Timestamp;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// 2026-06-01T00:00:00Z, the time at which every scenario begins.
const BEGINNING_MS: i64 = 1_780_272_000_000;

/// A server, in process or not.
pub enum Endpoint {
    InProcess(InProcess),
    Http(Http),
}

impl Endpoint {
    /// Sends a request; answers status and body.
    pub fn send(&mut self, operation: &str, body: &str) -> (u16, String) {
        match self {
            Endpoint::InProcess(server) => server.send(operation, body),
            Endpoint::Http(server) => server.post("/", &[("x-amz-target", &target(operation))], body),
        }
    }

    /// Moves the clock.
    pub fn advance(&mut self, seconds: i64) {
        match self {
            Endpoint::InProcess(server) => {
                server.now_ms.fetch_add(seconds * 1000, Ordering::Relaxed);
            }
            Endpoint::Http(server) => {
                let (status, body) =
                    server.post("/_dyno/clock", &[], &format!(r#"{{"advance":"{seconds}s"}}"#));
                assert_eq!(status, 200, "the server must run with --clock manual: {body}");
            }
        }
    }
}

fn target(operation: &str) -> String {
    match operation {
        "ListStreams" | "DescribeStream" | "GetShardIterator" | "GetRecords" => {
            format!("DynamoDBStreams_20120810.{operation}")
        }
        _ => format!("DynamoDB_20120810.{operation}"),
    }
}

/// An engine of its own.
pub struct InProcess {
    api: Api,
    runtime: Runtime,
    now_ms: Arc<AtomicI64>,
    // The last field: removed when the store has let go of it.
    _folder: Option<TempDir>,
}

impl InProcess {
    /// An empty engine that keeps nothing.
    pub fn in_memory() -> InProcess {
        InProcess::on(Arc::new(MemoryStore::new()), None)
    }

    /// An empty engine in a folder that goes away with it.
    pub fn on_disk() -> InProcess {
        let folder = tempfile::tempdir().unwrap();
        // What is tested is what is stored, not whether it outlives the machine.
        let options = FjallOptions { durability: Durability::Os, ..FjallOptions::default() };
        let store = FjallStore::open(folder.path().join("data"), &options).unwrap();
        InProcess::on(Arc::new(store), Some(folder))
    }

    fn on(store: Arc<dyn Store>, folder: Option<TempDir>) -> InProcess {
        let now_ms = Arc::new(AtomicI64::new(BEGINNING_MS));
        let clock = now_ms.clone();
        let config = ApiConfig {
            account: "000000000000".into(),
            isolate: false,
            clock: Arc::new(move || Timestamp::from_millis(clock.load(Ordering::Relaxed))),
            seed: 7,
            log: Arc::new(|line| eprintln!("{line}")),
        };
        let engine = Engine::open(store, EngineConfig::default()).unwrap();
        let runtime = Builder::new_current_thread().build().unwrap();
        InProcess { api: Api::new(Arc::new(engine), config), runtime, now_ms, _folder: folder }
    }

    fn send(&self, operation: &str, body: &str) -> (u16, String) {
        let answer = self.api.answer("us-east-1", None, &target(operation), body.as_bytes());
        let answer = self.runtime.block_on(answer);
        if let Some(incident) = &answer.incident {
            eprintln!("{incident}");
        }
        (answer.status, String::from_utf8(answer.body).unwrap())
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
        let (status, body) = server.post("/_dyno/reset", &[], "{}");
        assert_eq!(status, 200, "{endpoint}/_dyno/reset: {body}");
        server
    }

    fn post(&self, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/x-amz-json-1.0\r\n\
             Content-Length: {}\r\nConnection: close\r\n{headers}\r\n",
            self.address,
            body.len()
        );
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, body.to_owned())
    }
}

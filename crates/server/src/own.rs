//! The server's own endpoints under `/_dyno/`: health, and what tests want.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use dynamometer_capacity::money::PriceTable;
use dynamometer_engine::{AdminError, Engine};
use dynamometer_types::{Timestamp, parse_duration_ms};
use http::{Method, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::clock::Move;
use crate::coverage::Coverage;
use crate::faults::{Faults, list_body};
use crate::http::Response;
use crate::pipes::{Pipes, SETTLE};
use crate::report::{build, metrics};
use crate::runner::{Jobs, MoveError};

const JSON: &str = "application/json";

/// What an own endpoint works on.
pub(crate) struct Own {
    pub(crate) engine: Arc<Engine>,
    pub(crate) jobs: Arc<Jobs>,
    pub(crate) faults: Arc<Faults>,
    pub(crate) pipes: Arc<Pipes>,
    pub(crate) prices: Arc<PriceTable>,
    pub(crate) coverage: Option<Arc<Coverage>>,
    pub(crate) region: String,
    pub(crate) namespace: String,
    pub(crate) now: Timestamp,
}

/// A request that cannot be served: the status and a sentence that says what to do.
struct Refusal(StatusCode, String);

impl From<AdminError> for Refusal {
    fn from(error: AdminError) -> Refusal {
        match error {
            AdminError::Store(error) => Refusal(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
            other => Refusal(StatusCode::NOT_FOUND, other.to_string()),
        }
    }
}

impl From<MoveError> for Refusal {
    fn from(error: MoveError) -> Refusal {
        let status = match error {
            MoveError::Refused(_) => StatusCode::CONFLICT,
            MoveError::NotKept(_) | MoveError::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Refusal(status, error.to_string())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
enum ClockRequest {
    Advance(String),
    Set(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RemoveFaults {
    id: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "PascalCase")]
struct RemovePipe {
    name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reset {
    tables: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
enum SnapshotRequest {
    Save(String),
    Restore(String),
}

impl Own {
    /// Answers a request to an own path. May block on the store.
    pub(crate) fn answer(&self, method: &Method, path: &str, body: &Bytes) -> Response {
        let answer = match (method.as_str(), path) {
            ("GET", "/_dyno/health") => return self.health(),
            ("POST", "/_dyno/reset") => self.reset(body),
            ("POST", "/_dyno/snapshot") => self.snapshot(body),
            ("DELETE", "/_dyno/coverage") => self.forget_coverage(),
            ("GET", "/_dyno/report") => self.report(),
            ("GET", "/metrics") => return self.metrics(),
            ("GET", "/_dyno/clock") => Ok(time(self.now)),
            ("POST", "/_dyno/clock") => self.move_clock(body),
            ("GET", "/_dyno/faults") => Ok(list_body(&self.faults.list(&self.namespace))),
            ("POST", "/_dyno/faults") => self.add_fault(body),
            ("DELETE", "/_dyno/faults") => self.remove_faults(body),
            ("GET", "/_dyno/pipes") => Ok(json!({ "Pipes": self.pipes.list(&self.namespace) })),
            ("POST", "/_dyno/pipes") => self.start_pipe(body),
            ("DELETE", "/_dyno/pipes") => self.remove_pipe(body),
            (
                _,
                "/_dyno/health" | "/_dyno/reset" | "/_dyno/snapshot" | "/_dyno/clock" | "/_dyno/faults"
                | "/_dyno/pipes" | "/_dyno/report" | "/_dyno/coverage" | "/metrics",
            ) => Err(Refusal(StatusCode::METHOD_NOT_ALLOWED, format!("{path} is not for {method}"))),
            _ => Err(Refusal(
                StatusCode::NOT_FOUND,
                format!(
                    "there is no {path}; there are GET /_dyno/health, GET /_dyno/report, GET /metrics, GET and POST \
                     /_dyno/clock, GET, POST and DELETE /_dyno/faults and /_dyno/pipes, DELETE /_dyno/coverage, POST /_dyno/reset, \
                     POST /_dyno/snapshot"
                ),
            )),
        };
        let (status, body) = match answer {
            Ok(body) => (StatusCode::OK, body),
            Err(Refusal(status, sentence)) => (status, json!({ "error": sentence })),
        };
        Response::new(status, JSON, format!("{body}\n"))
    }

    /// A server whose store takes no more writes still reads, and is not well.
    fn health(&self) -> Response {
        let store = self.engine.store().info();
        let mut health = json!({
            "status": "ok",
            "version": env!("CARGO_PKG_VERSION"),
            "store": store.engine,
            "durable": store.durable,
            "tables": self.engine.catalog().version().tables(&self.namespace).count(),
        });
        let mut status = StatusCode::OK;
        if let Some(failure) = store.failure {
            status = StatusCode::SERVICE_UNAVAILABLE;
            health["status"] = "read-only".into();
            health["error"] = format!("{failure}: start the server again").into();
        }
        Response::new(status, JSON, format!("{health}\n"))
    }

    fn report(&self) -> Result<Value, Refusal> {
        let used = self.engine.throughput_use(&self.namespace, self.now);
        let report = build(&used, &self.prices, &self.region, self.coverage.as_deref());
        serde_json::to_value(report).map_err(|e| Refusal(StatusCode::INTERNAL_SERVER_ERROR, e.to_string()))
    }

    /// What was counted of a design's patterns begins anew.
    fn forget_coverage(&self) -> Result<Value, Refusal> {
        let started_without =
            || "the server was started without a design: dyno serve --design FILE".to_owned();
        let coverage =
            self.coverage.as_ref().ok_or_else(|| Refusal(StatusCode::NOT_FOUND, started_without()))?;
        coverage.forget();
        Ok(json!({ "design": coverage.title() }))
    }

    fn metrics(&self) -> Response {
        let used = self.engine.throughput_use(&self.namespace, self.now);
        Response::new(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", metrics(&used))
    }

    /// Moves the clock, and runs all jobs that fall due by it before it answers.
    fn move_clock(&self, body: &Bytes) -> Result<Value, Refusal> {
        let expected = r#"{"advance": "25h"} or {"set": "2026-06-01T00:00:00Z"}"#;
        let wrong = |error: &dyn std::fmt::Display| {
            Refusal(StatusCode::BAD_REQUEST, format!("expected {expected}: {error}"))
        };
        let by = match read(body, expected)? {
            ClockRequest::Advance(by) => Move::Advance(parse_duration_ms(&by).map_err(|e| wrong(&e))?),
            ClockRequest::Set(to) => Move::Set(to.parse().map_err(|e| wrong(&e))?),
        };
        let left = Cell::new(SETTLE);
        let deliver = || {
            let begun = Instant::now();
            self.pipes.settle(left.get());
            left.set(left.get().saturating_sub(begun.elapsed()));
        };
        let now = self.jobs.move_clock(by, &deliver)?;
        Ok(time(now))
    }

    fn add_fault(&self, body: &Bytes) -> Result<Value, Refusal> {
        let asked = read(
            body,
            r#"{"fault": "throttle", "operations": ["PutItem"], "tables": ["Orders"], "share": 0.2}"#,
        )?;
        let shown = self.faults.add(&self.namespace, asked);
        shown.map(|shown| json!(shown)).map_err(|sentence| Refusal(StatusCode::BAD_REQUEST, sentence))
    }

    fn remove_faults(&self, body: &Bytes) -> Result<Value, Refusal> {
        let request: RemoveFaults = read(body, r#"{} or {"id": 1}"#)?;
        match (self.faults.remove(&self.namespace, request.id), request.id) {
            (0, Some(id)) => Err(Refusal(StatusCode::NOT_FOUND, format!("no fault has the number {id}"))),
            (removed, _) => Ok(json!({ "removed": removed })),
        }
    }

    fn start_pipe(&self, body: &Bytes) -> Result<Value, Refusal> {
        let shown = self.pipes.start_and_keep(&self.namespace, read(body, Pipes::example())?);
        shown.map(|shown| json!(shown)).map_err(|sentence| Refusal(StatusCode::BAD_REQUEST, sentence))
    }

    fn remove_pipe(&self, body: &Bytes) -> Result<Value, Refusal> {
        let RemovePipe { name } = read(body, r#"{"Name": "processor"}"#)?;
        match self.pipes.remove(&self.namespace, &name) {
            Ok(true) => Ok(json!({ "removed": name })),
            Ok(false) => Err(Refusal(StatusCode::NOT_FOUND, format!("no pipe is called `{name}`"))),
            Err(error) => Err(Refusal(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())),
        }
    }

    fn reset(&self, body: &Bytes) -> Result<Value, Refusal> {
        let request: Reset = read(body, r#"{} or {"tables": ["Orders"]}"#)?;
        let names = match request.tables {
            None => self.engine.reset(&self.namespace, self.now)?,
            Some(tables) => self.engine.remove_tables(&self.namespace, &tables, self.now)?,
        };
        Ok(json!({ "deleted": names }))
    }

    fn snapshot(&self, body: &Bytes) -> Result<Value, Refusal> {
        match read(body, r#"{"save": "name"} or {"restore": "name"}"#)? {
            SnapshotRequest::Save(name) => {
                let tables = self.engine.keep_state(&self.namespace, check_name(&name)?, self.now)?;
                Ok(json!({ "saved": name, "tables": tables }))
            }
            SnapshotRequest::Restore(name) => {
                let tables = self.engine.bring_back(&self.namespace, check_name(&name)?, self.now)?;
                Ok(json!({ "restored": name, "tables": tables }))
            }
        }
    }
}

/// `{"now":"2026-06-01T00:00:00Z"}`; milliseconds only when there are some.
fn time(now: Timestamp) -> Value {
    json!({ "now": now.to_string().replace(".000Z", "Z") })
}

fn read<'a, T: Deserialize<'a>>(body: &'a Bytes, expected: &str) -> Result<T, Refusal> {
    let body: &[u8] = if body.is_empty() { b"{}" } else { body };
    let wrong = |what: &dyn std::fmt::Display| {
        Refusal(StatusCode::BAD_REQUEST, format!("expected {expected}: {what}"))
    };
    // The decoder would take a list for the members of an object in their order.
    if !body.trim_ascii_start().starts_with(b"{") {
        return Err(wrong(&"the body is one JSON object"));
    }
    serde_json::from_slice(body).map_err(|error| wrong(&error))
}

fn check_name(name: &str) -> Result<&str, Refusal> {
    if !name.is_empty() && name.len() <= 255 && dynamometer_types::name::has_name_characters(name) {
        return Ok(name);
    }
    let sentence = "a snapshot's name has 1 to 255 of a-z, A-Z, 0-9, `_`, `.` and `-`";
    Err(Refusal(StatusCode::BAD_REQUEST, sentence.into()))
}

#[cfg(test)]
mod tests {
    use dynamometer_engine::EngineConfig;
    use dynamometer_store::fault::{Fault, FaultStore};
    use dynamometer_store::{Batch, MemoryStore, Store};

    use super::*;
    use crate::clock::Clock;

    #[test]
    fn a_server_whose_store_failed_is_not_well_and_says_why() {
        let store = Arc::new(FaultStore::new(MemoryStore::new()));
        let engine = Arc::new(Engine::open(store.clone(), EngineConfig::default()).unwrap());
        let clock = Arc::new(Clock::Wall);
        let own = Own {
            jobs: Arc::new(Jobs::new(&engine, clock.clone())),
            faults: Arc::new(Faults::new(0)),
            pipes: Arc::new(Pipes::new(engine.clone(), clock)),
            engine,
            prices: Arc::new(PriceTable::builtin()),
            coverage: None,
            region: "us-east-1".into(),
            namespace: String::new(),
            now: Timestamp::default(),
        };
        let health = || {
            let response = own.answer(&Method::GET, "/_dyno/health", &Bytes::new());
            let body: Value = serde_json::from_slice(&response.body).unwrap();
            (response.status, body["status"].clone(), body["error"].clone())
        };
        assert_eq!(health(), (StatusCode::OK, json!("ok"), Value::Null));
        store.fail_at(1, Fault::Full);
        store.commit(Batch::new()).wait().unwrap_err();
        let (status, word, error) = health();
        assert_eq!((status, word), (StatusCode::SERVICE_UNAVAILABLE, json!("read-only")));
        assert!(error.as_str().is_some_and(|error| error.contains("no space is left")), "{error}");
    }
}

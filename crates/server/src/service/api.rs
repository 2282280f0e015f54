//! The service behind the sockets.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use dynamometer_capacity::money::PriceTable;
use dynamometer_engine::{Context, Engine};
use dynamometer_types::{ApiError, ErrorKind, Timestamp};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::dispatch::{Answer, dispatch, find};
use crate::auth::Caller;
use crate::clock::Clock;
use crate::http::{NO_CONTENT_TYPE, Request, Response, Service};
use crate::own::Own;

/// How the service behaves.
#[derive(Clone)]
pub struct ApiConfig {
    /// The region in ARNs; the caller's own when databases are isolated.
    pub region: String,
    /// The account in ARNs: 12 digits.
    pub account: String,
    /// One database for each access key and region, rather than one for all.
    pub isolate: bool,
    /// The time.
    pub clock: Arc<Clock>,
    /// What things cost.
    pub prices: Arc<PriceTable>,
    /// Wakes whoever runs the engine's jobs.
    pub wake_jobs: Arc<dyn Fn() + Send + Sync>,
    /// 128 random bits drawn at start; what is random in answers is drawn from them.
    pub seed: u128,
    /// Told, in one line each, what failed inside.
    pub log: Arc<dyn Fn(&str) + Send + Sync>,
}

/// The API of DynamoDB and DynamoDB Streams on an engine.
pub struct Api {
    engine: Arc<Engine>,
    config: ApiConfig,
    drawn: AtomicU64,
}

impl Api {
    /// The service of an engine.
    pub fn new(engine: Arc<Engine>, config: ApiConfig) -> Api {
        Api { engine, config, drawn: AtomicU64::new(0) }
    }

    /// The engine.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Answers one call.
    pub async fn answer(&self, caller: &Caller, now: Timestamp, target: &str, body: &[u8]) -> Answer {
        self.answer_at(None, caller, now, target, body).await
    }

    /// Answers one call of a client that has addressed `host`.
    async fn answer_at(
        &self,
        host: Option<&str>,
        caller: &Caller,
        now: Timestamp,
        target: &str,
        body: &[u8],
    ) -> Answer {
        let namespace = self.namespace(caller);
        let context = Context {
            now,
            namespace: &namespace,
            region: self.region(caller),
            account: &self.config.account,
            host,
            entropy: &|| self.draw(),
        };
        let answer = dispatch(&self.engine, &context, target, body).await;
        // CreateTable, UpdateTable and DeleteTable are what leaves jobs behind.
        if target.ends_with("Table") {
            (self.config.wake_jobs)();
        }
        answer
    }

    /// Runs an operation for the server itself, in the database of callers without a key, and gives the body of its answer.
    /// `target` is what clients send as `X-Amz-Target`.
    ///
    /// # Errors
    /// The body of the error.
    pub async fn answer_local(&self, target: &str, body: String) -> Result<String, String> {
        let caller = Caller::anonymous(&self.config.region);
        let answer = self.answer(&caller, self.config.clock.now(), target, body.as_bytes()).await;
        let body = String::from_utf8_lossy(&answer.body).into_owned();
        if answer.status == 200 { Ok(body) } else { Err(body) }
    }

    /// Answers a request to an own path, which may block on the store.
    async fn answer_own(&self, request: Request) -> Response {
        let own = Own {
            engine: Arc::clone(&self.engine),
            clock: Arc::clone(&self.config.clock),
            prices: Arc::clone(&self.config.prices),
            region: self.region(&request.caller).to_owned(),
            namespace: self.namespace(&request.caller),
            now: self.config.clock.of_request(request.received_at_ms),
        };
        let work = move || own.answer(&request.method, request.path(), &request.body);
        let response = tokio::task::spawn_blocking(work).await;
        (self.config.wake_jobs)();
        response.unwrap_or_else(|_| {
            Response::new(StatusCode::INTERNAL_SERVER_ERROR, NO_CONTENT_TYPE, Bytes::new())
        })
    }

    /// The region of a caller's tables.
    fn region<'a>(&'a self, caller: &'a Caller) -> &'a str {
        if self.config.isolate { &caller.region } else { &self.config.region }
    }

    /// The database of a caller.
    fn namespace(&self, caller: &Caller) -> String {
        match &caller.access_key_id {
            Some(key) if self.config.isolate => format!("{key}/{}", caller.region),
            _ => String::new(),
        }
    }

    /// Random bits: a counter, mixed with the seed.
    fn draw(&self) -> u128 {
        let count = self.drawn.fetch_add(1, Ordering::Relaxed);
        let (high, low) = ((self.config.seed >> 64) as u64, self.config.seed as u64);
        let first = mix(low ^ mix(count));
        let second = mix(high ^ first);
        u128::from(first) << 64 | u128::from(second)
    }
}

/// The finaliser of SplitMix64.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

fn target(headers: &HeaderMap) -> &str {
    headers.get("x-amz-target").and_then(|value| value.to_str().ok()).unwrap_or("")
}

fn is_json(body: &[u8]) -> bool {
    let mut json = serde_json::Deserializer::from_slice(body);
    IgnoredAny::deserialize(&mut json).is_ok() && json.end().is_ok()
}

/// An answer as the socket layer takes it.
fn response(answer: Answer, content_type: &'static str) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let content_type = if answer.body.is_empty() { NO_CONTENT_TYPE } else { content_type };
    Response::new(status, content_type, answer.body)
}

impl Service for Api {
    async fn call(&self, request: Request) -> Response {
        if self.is_own_path(request.path()) {
            return self.answer_own(request).await;
        }
        let target = target(&request.headers);
        // A body that is no JSON is refused before its target is looked at; with a target that is known, the
        // operation's own decoder refuses it with the same words.
        if find(target).is_err() && !request.body.is_empty() && !is_json(&request.body) {
            return response(Answer::error(&no_json()), request.content_type);
        }
        let now = self.config.clock.of_request(request.received_at_ms);
        let host = request.headers.get(http::header::HOST).and_then(|host| host.to_str().ok());
        let answer = self.answer_at(host, &request.caller, now, target, &request.body).await;
        if let Some(incident) = &answer.incident {
            (self.config.log)(incident);
        }
        response(answer, request.content_type)
    }

    fn precheck(&self, headers: &HeaderMap, body: &Bytes, content_type: &'static str) -> Option<Response> {
        let error = if !body.is_empty() && !is_json(body) {
            Err(no_json())
        } else {
            find(target(headers)).map(|_| ())
        };
        error.err().map(|error| response(Answer::error(&error), content_type))
    }
}

fn no_json() -> ApiError {
    ApiError::new(ErrorKind::Serialization, "")
}

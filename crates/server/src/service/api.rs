//! The service behind the sockets.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use dynamometer_capacity::money::PriceTable;
use dynamometer_cloudwatch::FaultKind;
use dynamometer_engine::{Context, Engine};
use dynamometer_types::{ApiError, ErrorKind, Timestamp};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::dispatch::{Answer, dispatch, find};
use crate::auth::{AuthError, Caller};
use crate::cloudwatch::{self, Incoming};
use crate::coverage::Coverage;
use crate::faults::{Blow, Faults, Strike};
use crate::http::{
    JSON_1_0, JSON_1_1, NO_CONTENT_TYPE, Request, Response, Service, not_an_operation, too_large,
};
use crate::own::Own;
use crate::pipes::Pipes;
use crate::runner::Jobs;

/// What the targets of Application Auto Scaling begin with.
const SCALING_TARGETS: &str = "AnyScaleFrontendService.";

/// How the service behaves.
#[derive(Clone)]
pub struct ApiConfig {
    /// The region in ARNs; the caller's own when databases are isolated.
    pub region: String,
    /// The account in ARNs: 12 digits.
    pub account: String,
    /// One database for each access key and region, rather than one for all.
    pub isolate: bool,
    /// The background work, and the clock that it and all requests follow.
    pub jobs: Arc<Jobs>,
    /// Faults on purpose.
    pub faults: Arc<Faults>,
    /// Deliveries of streams.
    pub pipes: Arc<Pipes>,
    /// What things cost.
    pub prices: Arc<PriceTable>,
    /// What was seen of a design, if there is one.
    pub coverage: Option<Arc<Coverage>>,
    /// 128 random bits drawn at start; what is random in answers is drawn from them.
    pub seed: u128,
    /// Told, in one line each, what failed inside.
    pub log: Arc<dyn Fn(&str) + Send + Sync>,
}

/// The API of DynamoDB, DynamoDB Streams and Application Auto Scaling on an engine.
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
        let started = Instant::now();
        let context = Context {
            now,
            namespace: &namespace,
            region: self.region(caller),
            account: &self.config.account,
            host,
            elapsed: &|| started.elapsed(),
            entropy: &|| self.draw(),
        };
        let operation = target.rsplit_once('.').map_or(target, |(_, operation)| operation);
        let is_scaling = target.starts_with(SCALING_TARGETS);
        let answer = match self.strike(&context, target, body) {
            None => dispatch(&self.engine, &context, target, body).await,
            Some(strike) => self.answer_struck(strike, &context, target, body).await,
        };
        // CreateTable, UpdateTable, DeleteTable and UpdateTimeToLive leave jobs behind, and what is put into auto scaling
        // may be due at once.
        let leaves_jobs = operation.ends_with("Table") || operation == "UpdateTimeToLive";
        if leaves_jobs || is_scaling {
            self.config.jobs.wake();
        }
        answer
    }

    /// Answers a call of CloudWatch.
    async fn answer_cloudwatch(&self, call: &Incoming, request: &Request) -> Response {
        let caller = &request.caller;
        let namespace = self.namespace(caller);
        let now = self.config.jobs.clock().of_request(request.received_at_ms);
        self.close_minutes(now).await;
        let context = Context {
            now,
            namespace: &namespace,
            region: self.region(caller),
            account: &self.config.account,
            host: None,
            elapsed: &|| Duration::ZERO,
            entropy: &|| self.draw(),
        };
        let request_id = self.request_id();
        if request.body.len() > cloudwatch::BODY_BYTES {
            return too_large();
        }
        let answered = match call.read(&request.body) {
            Ok((operation, value)) => {
                self.engine.cloudwatch(&context, operation, &value).await.map(|answer| (operation, answer))
            }
            Err(fault) => Err(fault),
        };
        match answered {
            Ok((operation, answer)) => call.answer(operation, &answer, &request_id),
            Err(fault) => {
                if fault.kind == FaultKind::InternalService {
                    (self.config.log)(&format!("CloudWatch: {}", fault.message));
                }
                call.fault(&fault, &request_id)
            }
        }
    }

    /// Closes the minutes that are over: whoever asks sees all that is.
    async fn close_minutes(&self, now: Timestamp) {
        let engine = Arc::clone(&self.engine);
        let closed = tokio::task::spawn_blocking(move || engine.close_minutes(now)).await;
        if let Ok(Err(error)) = closed {
            (self.config.log)(&format!("closing minutes failed, and is tried again: {error}"));
        }
    }

    /// A random UUID.
    fn request_id(&self) -> String {
        let hex = format!("{:032x}", self.draw());
        let (a, b, c, d, e) = (&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]);
        format!("{a}-{b}-{c}-{d}-{e}")
    }

    /// What befalls a call. Faults are DynamoDB's: auto scaling has operations of the same names, and a target that is
    /// none of ours is refused as it is.
    fn strike(&self, context: &Context<'_>, target: &str, body: &[u8]) -> Option<Strike> {
        if self.config.faults.is_empty() || target.starts_with(SCALING_TARGETS) {
            return None;
        }
        let operation = find(target).ok()?;
        self.config.faults.strike(&self.engine, context, operation.name, body)
    }

    /// Answers a call that a fault strikes.
    async fn answer_struck(
        &self,
        strike: Strike,
        context: &Context<'_>,
        target: &str,
        body: &[u8],
    ) -> Answer {
        let later;
        let context = if strike.delay_ms > 0 {
            tokio::time::sleep(Duration::from_millis(strike.delay_ms)).await;
            // It runs when the delay is over: what was written meanwhile was written before it.
            later = Context { now: self.config.jobs.clock().now(), ..*context };
            &later
        } else {
            context
        };
        let Some(ending) = strike.ending else {
            return dispatch(&self.engine, context, target, body).await;
        };
        if ending.after {
            // It runs, and nobody hears how it went.
            dispatch(&self.engine, context, target, body).await;
        }
        match ending.blow {
            Blow::Error(error) => Answer::error(&error),
            Blow::HangUp => Answer::none(),
            Blow::Part(part) => {
                let rest = match part.rest() {
                    Some(rest) => dispatch(&self.engine, context, target, rest).await,
                    None => Answer::ok(b"{}".to_vec()),
                };
                if rest.status == 200 { Answer::ok(part.complete(&rest.body)) } else { rest }
            }
        }
    }

    /// Runs an operation for the server itself, in the database of callers without a key, and gives the body of its answer.
    /// `target` is what clients send as `X-Amz-Target`.
    ///
    /// # Errors
    /// The body of the error.
    pub async fn answer_local(&self, target: &str, body: String) -> Result<String, String> {
        let caller = Caller::anonymous(&self.config.region);
        let answer = self.answer(&caller, self.config.jobs.clock().now(), target, body.as_bytes()).await;
        let body = String::from_utf8_lossy(&answer.body).into_owned();
        if answer.status == 200 { Ok(body) } else { Err(body) }
    }

    /// Answers a request to an own path, which may block on the store.
    async fn answer_own(&self, request: Request) -> Response {
        let own = Own {
            engine: Arc::clone(&self.engine),
            jobs: Arc::clone(&self.config.jobs),
            faults: Arc::clone(&self.config.faults),
            pipes: Arc::clone(&self.config.pipes),
            prices: Arc::clone(&self.config.prices),
            coverage: self.config.coverage.clone(),
            region: self.region(&request.caller).to_owned(),
            namespace: self.namespace(&request.caller),
            now: self.config.jobs.clock().of_request(request.received_at_ms),
        };
        let work = move || own.answer(&request.method, request.path(), &request.body);
        let response = tokio::task::spawn_blocking(work).await;
        self.config.jobs.wake();
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
    Response { hang_up: answer.hang_up, ..Response::new(status, content_type, answer.body) }
}

impl Service for Api {
    async fn call(&self, request: Request) -> Response {
        if self.is_own_path(request.path()) {
            return self.answer_own(request).await;
        }
        if let Some(call) = cloudwatch::incoming(request.path(), &request.headers, &request.body) {
            return self.answer_cloudwatch(&call, &request).await;
        }
        if !is_json_type(&request.headers) {
            return not_an_operation();
        }
        let target = target(&request.headers);
        // DynamoDB does not take what it was not asked in.
        if request.content_type == JSON_1_1 && !target.starts_with(SCALING_TARGETS) {
            return not_an_operation();
        }
        // A body that is no JSON is refused before its target is looked at; with a target that is known, the
        // operation's own decoder refuses it with the same words.
        if find(target).is_err() && !request.body.is_empty() && !is_json(&request.body) {
            return response(Answer::error(&no_json()), request.content_type);
        }
        let now = self.config.jobs.clock().of_request(request.received_at_ms);
        let host = request.headers.get(http::header::HOST).and_then(|host| host.to_str().ok());
        let answer = self.answer_at(host, &request.caller, now, target, &request.body).await;
        if let Some(incident) = &answer.incident {
            (self.config.log)(incident);
        }
        response(answer, request.content_type)
    }

    fn content_types(&self) -> &'static [&'static str] {
        &[JSON_1_0, JSON_1_1, "application/json", cloudwatch::CBOR, cloudwatch::FORM]
    }

    fn refuse_caller(
        &self,
        path: &str,
        headers: &HeaderMap,
        body: &Bytes,
        problem: &AuthError,
    ) -> Option<Response> {
        let call = cloudwatch::incoming(path, headers, body)?;
        Some(call.other_fault(problem.kind, &problem.message, &self.request_id()))
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

/// Whether a request of DynamoDB's may look so: JSON, or nothing at all.
fn is_json_type(headers: &HeaderMap) -> bool {
    let is_usual = headers.get(http::header::CONTENT_TYPE).is_some_and(|value| value == JSON_1_0);
    is_usual || !(cloudwatch::is_form(headers) || cloudwatch::is_cbor(headers))
}

fn no_json() -> ApiError {
    ApiError::new(ErrorKind::Serialization, "")
}

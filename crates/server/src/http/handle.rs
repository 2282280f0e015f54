//! One request, check by check, in AWS's order.

use super::answers;
use super::body::{BodyError, Reservation, read_body, skip_body};
use super::browser::{Cors, check_browser, preflight};
use super::config::Limits;
use super::connection::{Connection, Order};
use super::encoding::{Encoding, content_encoding, decode, encode, preferred_encoding};
use super::message::{JSON_1_0, JSON_1_1, NO_CONTENT_TYPE, Request, Response, Service};
use super::watch::Phase;
use crate::auth::{AuthError, Caller, RawRequest};
use crate::panics::text_of;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Version, header};
use http_body_util::Full;
use hyper::body::Incoming;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, PoisonError};
use std::task::Poll;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const X_AMZN_REQUESTID: HeaderName = HeaderName::from_static("x-amzn-requestid");
const X_AMZ_CRC32: HeaderName = HeaderName::from_static("x-amz-crc32");
const SERVER: HeaderValue = HeaderValue::from_static("Server");
/// Between two looks for a client to cut off, while there is no room for answers.
const ROOM_PAUSE: Duration = Duration::from_millis(20);
/// A client that has taken nothing of its answer for this long is cut off when there is no room for others.
const STALLED_MS: u64 = 1_000;
const KEEP_ALIVE: HeaderValue = HeaderValue::from_static("keep-alive");

/// Which of the headers that matter here are there, found in one pass; most requests have none of them.
#[derive(Default)]
struct Seen {
    /// A mark of a browser.
    browser: bool,
    accept_encoding: bool,
    content_encoding: bool,
    connection: bool,
    expect: bool,
    /// The sum of names and values.
    bytes: usize,
}

/// What the head of a request decides about the answer, whatever that will be.
struct Manner {
    encoding: Option<Encoding>,
    keep_alive: bool,
}

/// Answers one request; with nothing when the service wants the connection closed.
pub(super) async fn handle<S: Service>(
    connection: &Connection<S>,
    request: hyper::Request<Incoming>,
) -> Option<hyper::Response<Full<Bytes>>> {
    let watch = &connection.control.watch;
    watch.enter(Phase::Working);
    let (parts, body) = request.into_parts();
    let seen = Seen::of(&parts.headers);
    let manner = Manner {
        encoding: if seen.accept_encoding { preferred_encoding(&parts.headers) } else { None },
        keep_alive: parts.version == Version::HTTP_11 && !(seen.connection && asks_to_close(&parts.headers)),
    };
    let mut cors = None;
    let response = match answer(connection, parts, body, seen, &mut cors).await {
        Ok(response) | Err(response) => response,
    };
    if response.hang_up {
        return None;
    }
    let response = finish(connection, response, manner, cors).await;
    watch.enter(Phase::Writing);
    Some(response)
}

/// The order of checks. An `Err` is an answer as well: that of the check that failed.
async fn answer<S: Service>(
    connection: &Connection<S>,
    parts: Parts,
    body: Incoming,
    seen: Seen,
    cors: &mut Option<Cors>,
) -> Result<Response, Response> {
    let config = &*connection.shared.config;
    let service = &*connection.shared.service;
    let received_at_ms = now_ms();
    check_head(&parts, &seen, &config.limits)?;
    if seen.browser {
        *cors = check_browser(&parts.method, &parts.headers, connection.entrance, config)?;
    }

    let is_post = parts.method == Method::POST;
    let is_own = (is_post || matches!(parts.method, Method::GET | Method::HEAD | Method::DELETE))
        && service.is_own_path(parts.uri.path());
    if !is_post && !is_own {
        skip_body(body, config, &connection.control.watch).await;
        return Ok(answer_without_service(&parts, &config.region));
    }

    let media_type = media_type(&parts.headers);
    let content_type = json_type(media_type);
    let is_accepted =
        is_own || service.content_types().iter().any(|one| one.eq_ignore_ascii_case(media_type));
    let encoding = if seen.content_encoding { content_encoding(&parts.headers) } else { Ok(None) };
    let (raw, mut reservation) =
        receive(connection, body, matches!(encoding, Ok(Some(_))), seen.expect, content_type).await?;
    if !is_accepted && !raw.is_empty() {
        return Err(answers::not_an_operation());
    }

    let caller = if is_own {
        own_caller(connection, &parts, &raw, received_at_ms, content_type)?
    } else {
        aws_caller(connection, &parts, &raw, received_at_ms).map_err(|problem| {
            let is_plain = matches!(encoding, Ok(None));
            let earlier = || is_plain.then(|| service.precheck(&parts.headers, &raw, content_type)).flatten();
            let own_form = service.refuse_caller(parts.uri.path(), &parts.headers, &raw, &problem);
            own_form.or_else(earlier).unwrap_or_else(|| answers::not_authenticated(&problem, content_type))
        })?
    };

    let body = match encoding {
        Ok(None) => raw,
        Ok(Some(encoding)) => {
            let decoded = decode(&raw, encoding, config.limits.body_bytes, content_type).await?;
            drop(raw);
            reservation.shrink_to(decoded.len());
            decoded
        }
        Err(name) => return Err(answers::unknown_encoding(&name, content_type)),
    };
    if !connection.shared.unsent.has_room() {
        // On the heap, where the usual request need not carry it.
        Box::pin(wait_for_room(connection, content_type)).await?;
    }
    let request = Request {
        // The head of what a GET answers; of the rest hyper sends nothing.
        method: if parts.method == Method::HEAD { Method::GET } else { parts.method },
        uri: parts.uri,
        headers: parts.headers,
        body,
        content_type,
        caller,
        peer: connection.peer,
        received_at_ms,
    };
    Ok(call(connection, request).await)
}

/// Waits until one more answer may come into being. While too many are unsent, clients that do not take theirs are cut off,
/// so that others need not wait for them.
async fn wait_for_room<S>(connection: &Connection<S>, content_type: &'static str) -> Result<(), Response> {
    let shared = &connection.shared;
    let watch = &connection.control.watch;
    let begun_ms = watch.now_ms();
    while !shared.unsent.room(ROOM_PAUSE).await {
        let now_ms = watch.now_ms();
        if u128::from(now_ms - begun_ms) > shared.config.timeouts.budget.as_millis() {
            return Err(answers::crowded(content_type));
        }
        shared.registry.cut_longest_stalled(now_ms, STALLED_MS);
    }
    Ok(())
}

/// Calls the service; a panic in it becomes a 500.
async fn call<S: Service>(connection: &Connection<S>, request: Request) -> Response {
    let content_type = request.content_type;
    let mut answer = pin!(connection.shared.service.call(request));
    // The future is not polled again after a panic, so nothing half-done in it is seen.
    let caught =
        std::future::poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(cx))) {
            Ok(polled) => polled.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        });
    caught.await.unwrap_or_else(|panic| {
        let text = text_of(&*panic);
        (connection.shared.config.log)(&format!("a request from {} panicked: {text}", connection.peer));
        answers::internal_error(content_type)
    })
}

/// Neither `POST` nor one of the service's own paths.
fn answer_without_service(parts: &Parts, region: &str) -> Response {
    if matches!(parts.method, Method::GET | Method::HEAD) && parts.uri.path() == "/" {
        return answers::healthy(region);
    }
    if parts.method == Method::OPTIONS && parts.headers.contains_key(header::ORIGIN) {
        return preflight(&parts.headers);
    }
    answers::not_an_operation()
}

async fn receive<'a, S>(
    connection: &'a Connection<S>,
    body: Incoming,
    is_encoded: bool,
    is_held_back: bool,
    content_type: &'static str,
) -> Result<(Bytes, Reservation<'a>), Response> {
    let shared = &connection.shared;
    let watch = &connection.control.watch;
    let read = read_body(body, is_encoded, is_held_back, &shared.config, &shared.budget, watch).await;
    read.map_err(|problem| match problem {
        BodyError::TooLarge => answers::too_large(),
        BodyError::Busy => answers::busy(content_type),
        // Nobody is there to read it.
        BodyError::Broken => answers::internal_error(content_type),
    })
}

fn aws_caller<S>(
    connection: &Connection<S>,
    parts: &Parts,
    raw: &Bytes,
    now_ms: i64,
) -> Result<Arc<Caller>, AuthError> {
    let request = RawRequest {
        method: &parts.method,
        path: parts.uri.path(),
        query: parts.uri.query(),
        headers: &parts.headers,
        body: raw,
        now_ms,
    };
    let mut callers = connection.callers.lock().unwrap_or_else(PoisonError::into_inner);
    connection.shared.config.auth.caller(&request, &mut callers)
}

/// The caller of an own path: signed as AWS requests are, or by HTTP Basic, or not at all where that is allowed.
fn own_caller<S: Service>(
    connection: &Connection<S>,
    parts: &Parts,
    raw: &Bytes,
    now_ms: i64,
    content_type: &'static str,
) -> Result<Arc<Caller>, Response> {
    let config = &connection.shared.config;
    if config.auth.is_required() && connection.shared.service.is_open_path(parts.uri.path()) {
        return Ok(Arc::new(Caller::anonymous(&config.region)));
    }
    if let Some(caller) = config.auth.basic_caller(&parts.headers, now_ms) {
        return Ok(Arc::new(caller));
    }
    aws_caller(connection, parts, raw, now_ms).map_err(|problem| match problem.kind {
        "MissingAuthenticationTokenException" => answers::asks_for_credentials(),
        _ => answers::not_authenticated(&problem, content_type),
    })
}

/// Adds what every answer carries.
async fn finish<S>(
    connection: &Connection<S>,
    response: Response,
    manner: Manner,
    cors: Option<Cors>,
) -> hyper::Response<Full<Bytes>> {
    let Response { status, content_type, mut body, headers: further, hang_up: _ } = response;
    let mut headers = HeaderMap::with_capacity(8 + further.len());
    for (name, value) in further {
        headers.append(name, value);
    }
    if let Some(encoding) = manner.encoding
        && body.len() > connection.shared.config.limits.compress_above_bytes
        && !headers.contains_key(header::CONTENT_ENCODING)
    {
        body = encode(&body, encoding).await;
        headers.insert(header::CONTENT_ENCODING, encoding.header_value());
    }
    if content_type != NO_CONTENT_TYPE {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    }
    headers.insert(header::SERVER, SERVER);
    headers.insert(X_AMZN_REQUESTID, connection.ids.next());
    headers.insert(X_AMZ_CRC32, HeaderValue::from(crc32fast::hash(&body)));
    if manner.keep_alive && connection.control.current_order() == Order::Serve {
        headers.insert(header::CONNECTION, KEEP_ALIVE);
    }
    if let Some(cors) = cors {
        cors.add_to(&mut headers);
    }
    if body.len() > connection.shared.config.limits.free_body_bytes {
        body = connection.shared.unsent.count(body);
    }
    let mut response = hyper::Response::new(Full::new(body));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    response
}

impl Seen {
    fn of(headers: &HeaderMap) -> Seen {
        let mut seen = Seen::default();
        for (name, value) in headers {
            let name = name.as_str();
            seen.bytes += name.len() + value.len();
            match name {
                "origin" | "sec-fetch-site" | "accept-language" => seen.browser = true,
                "accept-encoding" => seen.accept_encoding = true,
                "content-encoding" => seen.content_encoding = true,
                "connection" => seen.connection = true,
                "expect" => seen.expect = true,
                _ => {}
            }
        }
        seen
    }
}

fn check_head(parts: &Parts, seen: &Seen, limits: &Limits) -> Result<(), Response> {
    let target = parts.uri.path_and_query().map_or(0, |target| target.as_str().len());
    if target + parts.method.as_str().len() > limits.request_line_bytes {
        return Err(answers::head_too_large("request line", limits.request_line_bytes));
    }
    if seen.bytes > limits.header_bytes {
        return Err(answers::head_too_large("headers", limits.header_bytes));
    }
    Ok(())
}

fn asks_to_close(headers: &HeaderMap) -> bool {
    headers.get(header::CONNECTION).is_some_and(|value| {
        value.to_str().is_ok_and(|text| text.split(',').any(|word| word.trim().eq_ignore_ascii_case("close")))
    })
}

/// The media type of the request, without parameters.
fn media_type(headers: &HeaderMap) -> &str {
    match headers.get(header::CONTENT_TYPE) {
        Some(value) if value == JSON_1_0 => JSON_1_0,
        Some(value) => value.to_str().unwrap_or("").split(';').next().unwrap_or("").trim(),
        None => "",
    }
}

/// The type of a JSON answer: that of the question, where it is one.
fn json_type(media_type: &str) -> &'static str {
    let known =
        ["application/json", JSON_1_1].into_iter().find(|known| media_type.eq_ignore_ascii_case(known));
    known.unwrap_or(JSON_1_0)
}

fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
}

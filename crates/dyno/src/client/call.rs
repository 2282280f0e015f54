//! Calls: a signed request, its answer, and the errors that AWS gives.

use std::fmt;
use std::io;
use std::time::Duration;

use bytes::Bytes;
use dynamometer_server::auth::{Signer, sign};
use http::header::{CONTENT_TYPE, HOST, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use http_body_util::Full;
use serde_json::Value;

use super::connection::{Answer, Connection, Request, SendError};
use super::endpoint::bracketed;
use super::{Client, now_s};
use crate::files::system_words;

/// How often a call is sent before its failure counts.
const ATTEMPTS: u32 = 5;
/// How often a server on this machine is looked for: over 1.4 s.
const ATTEMPTS_TO_CONNECT: u32 = 4;

/// A service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// DynamoDB.
    DynamoDb,
    /// Application Auto Scaling.
    AutoScaling,
}

impl Service {
    /// The name in credential scopes and host names.
    pub(super) fn signing_name(self) -> &'static str {
        match self {
            Service::DynamoDb => "dynamodb",
            Service::AutoScaling => "application-autoscaling",
        }
    }

    fn target(self) -> &'static str {
        match self {
            Service::DynamoDb => "DynamoDB_20120810",
            Service::AutoScaling => "AnyScaleFrontendService",
        }
    }

    fn content_type(self) -> &'static str {
        match self {
            Service::DynamoDb => "application/x-amz-json-1.0",
            Service::AutoScaling => "application/x-amz-json-1.1",
        }
    }
}

/// Why a call gave no result.
#[derive(Debug)]
pub enum CallError {
    /// Nothing came back: whether the call was carried out is not known.
    Silent {
        /// Where it was sent.
        endpoint: String,
        /// What happened.
        error: io::Error,
    },
    /// The server refused.
    Refused {
        /// HTTP status.
        status: u16,
        /// AWS's error type without its namespace.
        kind: String,
        /// AWS's words.
        message: String,
    },
}

impl CallError {
    /// Whether the server answered with this error type.
    pub fn is(&self, wanted: &str) -> bool {
        matches!(self, CallError::Refused { kind, .. } if kind == wanted)
    }

    /// Whether the server does not have the operation, or not even the service.
    pub fn is_lacking(&self) -> bool {
        self.is("UnknownOperationException")
            || matches!(self, CallError::Refused { status: 404 | 405 | 501, .. })
    }

    /// Whether the same call may succeed a little later.
    pub fn is_passing(&self) -> bool {
        match self {
            CallError::Silent { .. } => true,
            CallError::Refused { status, kind, .. } => {
                *status >= 500
                    || matches!(
                        kind.as_str(),
                        "ThrottlingException"
                            | "ProvisionedThroughputExceededException"
                            | "RequestLimitExceeded"
                            | "ConcurrentUpdateException"
                    )
            }
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::Silent { endpoint, error } => {
                write!(f, "{endpoint} does not answer: {}", system_words(error))
            }
            CallError::Refused { kind, message, .. } if message.is_empty() => f.write_str(kind),
            CallError::Refused { kind, message, .. } => write!(f, "{kind}: {message}"),
        }
    }
}

impl Client {
    /// Calls an operation once.
    ///
    /// # Errors
    /// What the server refuses, or why it does not answer.
    pub async fn call_once(
        &self,
        service: Service,
        operation: &str,
        body: &Value,
    ) -> Result<Value, CallError> {
        let body = Bytes::from(body.to_string());
        let target = format!("{}.{operation}", service.target());
        let headers = [
            (CONTENT_TYPE, HeaderValue::from_static(service.content_type())),
            (HeaderName::from_static("x-amz-target"), HeaderValue::try_from(target).map_err(silent_header)?),
        ];
        let answer = self.exchange(service, Method::POST, "/", headers.into_iter().collect(), body).await?;
        let parsed = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
        if answer.status == 200 { Ok(parsed) } else { Err(refusal(answer.status, &answer.body, &parsed)) }
    }

    /// Calls an operation, again after a while when it was throttled or failed on the server's side, or when a server on this
    /// machine does not listen yet.
    ///
    /// # Errors
    /// As [`Client::call_once`], of the last attempt.
    pub async fn call(&self, service: Service, operation: &str, body: &Value) -> Result<Value, CallError> {
        let mut attempt = 1;
        loop {
            match self.call_once(service, operation, body).await {
                // What did not answer may have been carried out; asking again is for what was refused.
                Err(error @ CallError::Refused { .. }) if error.is_passing() && attempt < ATTEMPTS => {
                    tokio::time::sleep(Duration::from_millis(100 << attempt)).await;
                    attempt += 1;
                }
                // Nothing was sent: a server that the line before started in the background needs a moment.
                Err(CallError::Silent { error, .. })
                    if error.kind() == io::ErrorKind::ConnectionRefused
                        && self.endpoint.is_loopback()
                        && attempt < ATTEMPTS_TO_CONNECT =>
                {
                    tokio::time::sleep(Duration::from_millis(100 << attempt)).await;
                    attempt += 1;
                }
                done => return done,
            }
        }
    }

    /// The body of one of a `dyno`'s own paths, such as `/_dyno/report`.
    ///
    /// # Errors
    /// As [`Client::call_once`].
    pub async fn get(&self, path: &str) -> Result<String, CallError> {
        self.ask(Method::GET, path).await
    }

    /// Asks a server of one's own to take something away.
    ///
    /// # Errors
    /// As [`Client::call_once`].
    pub async fn delete(&self, path: &str) -> Result<String, CallError> {
        self.ask(Method::DELETE, path).await
    }

    async fn ask(&self, method: Method, path: &str) -> Result<String, CallError> {
        let answer = self.exchange(Service::DynamoDb, method, path, HeaderMap::new(), Bytes::new()).await?;
        if answer.status == 200 {
            return Ok(String::from_utf8_lossy(&answer.body).into_owned());
        }
        let parsed = serde_json::from_slice(&answer.body).unwrap_or(Value::Null);
        Err(refusal(answer.status, &answer.body, &parsed))
    }

    async fn exchange(
        &self,
        service: Service,
        method: Method,
        path: &str,
        mut headers: HeaderMap,
        body: Bytes,
    ) -> Result<Answer, CallError> {
        let (host, port) = self.endpoint.address(service, &self.region);
        let is_usual_port = port == if self.endpoint.is_tls() { 443 } else { 80 };
        let authority = if is_usual_port { bracketed(&host) } else { format!("{}:{port}", bracketed(&host)) };
        headers.insert(HOST, HeaderValue::try_from(authority).map_err(silent_header)?);
        headers.insert(USER_AGENT, HeaderValue::from_static(concat!("dyno/", env!("CARGO_PKG_VERSION"))));
        let signer = Signer {
            credential: &self.credential,
            region: &self.region,
            service: service.signing_name(),
            now_s: now_s(),
        };
        sign(&signer, &method, path, &mut headers, &body).map_err(silent_header)?;
        let mut request = http::Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = path.parse().unwrap_or_default();
        *request.headers_mut() = headers;
        self.send(&host, port, request)
            .await
            .map_err(|error| CallError::Silent { endpoint: self.endpoint.to_string(), error })
    }

    /// Sends on an idle connection, or on a new one when there is none, or when the idle one turns out to be closed
    /// before the request was on its way.
    async fn send(&self, host: &str, port: u16, mut request: Request) -> io::Result<Answer> {
        if let Some(mut connection) = self.take_idle(host) {
            match connection.send(request).await {
                Ok(answer) => {
                    self.keep(connection);
                    return Ok(answer);
                }
                Err(SendError { unsent: Some(unsent), .. }) => request = *unsent,
                Err(SendError { error, .. }) => return Err(error),
            }
        }
        let mut connection = Connection::open(host, port, self.tls.as_ref()).await?;
        let answer = connection.send(request).await.map_err(|failed| failed.error)?;
        self.keep(connection);
        Ok(answer)
    }

    fn take_idle(&self, host: &str) -> Option<Connection> {
        let mut idle = self.idle.lock().ok()?;
        idle.retain(Connection::is_open);
        let at = idle.iter().rposition(|connection| connection.host == host)?;
        Some(idle.swap_remove(at))
    }

    fn keep(&self, connection: Connection) {
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(connection);
        }
    }
}

fn silent_header(error: http::header::InvalidHeaderValue) -> CallError {
    CallError::Silent { endpoint: "this call".into(), error: io::Error::other(error) }
}

fn refusal(status: u16, body: &[u8], parsed: &Value) -> CallError {
    let text = |name: &str| parsed[name].as_str();
    let kind = text("__type").map(|kind| kind.rsplit('#').next().unwrap_or(kind).to_owned());
    let message = text("message").or_else(|| text("Message")).map(str::to_owned);
    CallError::Refused {
        status,
        kind: kind.unwrap_or_else(|| format!("HTTP {status}")),
        message: message.unwrap_or_else(|| String::from_utf8_lossy(body).trim().to_owned()),
    }
}

//! What the socket layer and the service say to each other.

use crate::auth::{AuthError, Caller};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use std::net::SocketAddr;
use std::sync::Arc;

/// The content type of AWS JSON 1.0, DynamoDB's own.
pub const JSON_1_0: &str = "application/x-amz-json-1.0";

/// The content type of AWS JSON 1.1, Application Auto Scaling's.
pub const JSON_1_1: &str = "application/x-amz-json-1.1";

/// A [`Response::content_type`] that sends no such header.
pub const NO_CONTENT_TYPE: &str = "";

/// One whole request: bounded, authenticated and with its content decoded.
#[derive(Debug)]
pub struct Request {
    /// `POST`, or `GET` and `DELETE` on the server's own paths; a `HEAD` is a `GET` here.
    pub method: Method,
    /// Path and query as sent.
    pub uri: Uri,
    /// All headers as received.
    pub headers: HeaderMap,
    /// The body after `Content-Encoding` was undone, at most [`Limits::body_bytes`](super::Limits::body_bytes). It may
    /// be a slice of the connection's read buffer: copy what is kept for longer than the request.
    pub body: Bytes,
    /// The content type that a JSON answer should carry: that of the request when it is a JSON one, else
    /// [`JSON_1_0`].
    pub content_type: &'static str,
    /// Whose request it is, verified when credentials are configured. Requests of one connection share it.
    pub caller: Arc<Caller>,
    /// The other end of the connection.
    pub peer: SocketAddr,
    /// When the head of the request had arrived, in milliseconds since 1970 by the wall clock.
    pub received_at_ms: i64,
}

impl Request {
    /// The path without its query, such as `/` or `/_dyno/report`.
    pub fn path(&self) -> &str {
        self.uri.path()
    }
}

/// What the service answers. The socket layer adds `x-amzn-requestid`, `x-amz-crc32`, `Server`, `Date`,
/// `Content-Length`, compression and CORS.
#[derive(Debug)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// Sent as `Content-Type`; [`NO_CONTENT_TYPE`] sends none.
    pub content_type: &'static str,
    /// The body, not compressed.
    pub body: Bytes,
    /// Further headers.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// Whether nothing of this is sent and the connection closes instead.
    pub hang_up: bool,
}

impl Response {
    /// A response without further headers.
    pub fn new(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Response {
        Response { status, content_type, body: body.into(), headers: Vec::new(), hang_up: false }
    }
}

/// What stands behind the sockets.
///
/// A request on the AWS paths passes the checks in this order: size → method and content type → *body parses as JSON*
/// → *target known* → authentication → *empty body* → *everything else*. Those in italics are the service's own, in
/// [`Service::call`]; so that a request that fails authentication still hears of the two before it,
/// [`Service::precheck`] is asked then, and only then.
pub trait Service: Send + Sync + 'static {
    /// Answers a request. The future is dropped at any await when the client goes away or the server must stop, so
    /// what must not stop half-way belongs into a task of its own. A panic inside costs this one request (500).
    fn call(&self, request: Request) -> impl Future<Output = Response> + Send;

    /// Asked about a `POST` on the AWS paths that failed authentication: the answer to the checks that come before
    /// authentication (body parses, target known), or `None` when they hold. `body` is as sent; it is not asked about
    /// encoded bodies. `content_type` is as in [`Request::content_type`].
    fn precheck(&self, headers: &HeaderMap, body: &Bytes, content_type: &'static str) -> Option<Response> {
        let _ = (headers, body, content_type);
        None
    }

    /// Asked about a `POST` on the AWS paths that failed authentication: the error in the form of the service that was
    /// called, or `None` where it has DynamoDB's.
    fn refuse_caller(
        &self,
        path: &str,
        headers: &HeaderMap,
        body: &Bytes,
        problem: &AuthError,
    ) -> Option<Response> {
        let _ = (path, headers, body, problem);
        None
    }

    /// The media types, without parameters, that a `POST` with a body may have on the AWS paths. Others are answered
    /// with AWS's 404 page.
    fn content_types(&self) -> &'static [&'static str] {
        &[JSON_1_0, "application/json"]
    }

    /// Whether this `GET`, `POST` or `DELETE` path is the server's own (`/_dyno/…`, `/metrics`) rather than an AWS endpoint:
    /// such a request is handed to [`Service::call`] whatever its content type.
    fn is_own_path(&self, path: &str) -> bool {
        path.starts_with("/_dyno/") || path == "/metrics"
    }

    /// Whether an own path is answered without authentication even when credentials are configured.
    fn is_open_path(&self, path: &str) -> bool {
        path == "/_dyno/health"
    }
}

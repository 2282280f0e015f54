//! Sends a JSON body to an address and waits for the answer.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, Method, StatusCode, Uri, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// How much of an answer is read: Lambda's own limit.
const MOST_ANSWER_BYTES: usize = 6 << 20;
/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(5);

/// What came back.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// Why nothing came back.
#[derive(Debug)]
pub(super) enum Silence {
    /// Nobody took the request, with a word about why.
    Unreachable(String),
    /// It was taken, and not answered in time or not to the end.
    Unanswered(String),
}

/// A connection, encrypted or not.
trait Socket: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Socket for S {}

async fn connect(uri: &Uri, tls: Option<&TlsConnector>) -> std::io::Result<Box<dyn Socket>> {
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let is_https = uri.scheme_str() == Some("https");
    let port = uri.port_u16().unwrap_or(if is_https { 443 } else { 80 });
    let socket = TcpStream::connect((host, port)).await?;
    if !is_https {
        return Ok(Box::new(socket));
    }
    let tls = tls.ok_or_else(|| std::io::Error::other("the pipe was started without TLS"))?;
    let name = ServerName::try_from(host.to_owned()).map_err(std::io::Error::other)?;
    Ok(Box::new(tls.connect(name, socket).await?))
}

/// Posts a body on a connection of its own. An address with `https` needs `tls`.
pub(super) async fn post(
    uri: &Uri,
    tls: Option<&TlsConnector>,
    headers: &[(HeaderName, String)],
    body: Vec<u8>,
    timeout: Duration,
) -> Result<Answered, Silence> {
    let unreachable = |error: &dyn std::fmt::Display| Silence::Unreachable(format!("{uri}: {error}"));
    let unanswered = |error: &dyn std::fmt::Display| Silence::Unanswered(format!("{uri}: {error}"));
    let authority = uri.authority().map(ToString::to_string).unwrap_or_default();
    let connecting = tokio::time::timeout(CONNECT, connect(uri, tls));
    let socket = connecting.await.map_err(|_| unreachable(&"no connection in 5 s"))?;
    let socket = socket.map_err(|error| unreachable(&error))?;
    let (mut sender, connection) =
        http1::handshake(TokioIo::new(socket)).await.map_err(|error| unreachable(&error))?;
    let driver = tokio::spawn(connection);
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let mut request = hyper::Request::builder()
        .method(Method::POST)
        .uri(path)
        .header(header::HOST, authority)
        .header(header::CONNECTION, "close");
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let request = request.body(Full::new(Bytes::from(body))).map_err(|error| unreachable(&error))?;
    let exchange = async {
        let answer = sender.send_request(request).await.map_err(|error| unanswered(&error))?;
        let (parts, body) = answer.into_parts();
        let body =
            Limited::new(body, MOST_ANSWER_BYTES).collect().await.map_err(|error| unanswered(&error))?;
        Ok(Answered { status: parts.status, headers: parts.headers, body: body.to_bytes() })
    };
    let answered = tokio::time::timeout(timeout, exchange).await;
    driver.abort();
    answered.unwrap_or_else(|_| Err(unanswered(&format_args!("no answer in {} s", timeout.as_secs()))))
}

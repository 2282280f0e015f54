//! A connection that is kept.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// How long a server may take to connect.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a server may take to answer.
const ANSWER: Duration = Duration::from_secs(60);
/// The largest answer: a page of 1 MB is less than this as JSON, and a report is far less.
const LARGEST: usize = 64 << 20;

/// A request with its whole body.
pub(super) type Request = http::Request<Full<Bytes>>;

/// Why a request has no answer.
pub(super) struct SendError {
    pub(super) error: io::Error,
    /// The request, when it is certain that the server did not get it.
    pub(super) unsent: Option<Box<Request>>,
}

/// An open connection, and the host that it leads to.
pub(super) struct Connection {
    pub(super) host: String,
    sender: SendRequest<Full<Bytes>>,
}

/// An answer.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Bytes,
}

impl Connection {
    pub(super) async fn open(host: &str, port: u16, tls: Option<&TlsConnector>) -> io::Result<Connection> {
        tokio::time::timeout(CONNECT, connect(host, port, tls)).await.unwrap_or_else(|_| {
            Err(io::Error::new(io::ErrorKind::TimedOut, "it takes longer than 10 s to connect"))
        })
    }

    /// Whether the connection can still be used, as far as this side knows.
    pub(super) fn is_open(&self) -> bool {
        !self.sender.is_closed()
    }

    /// Sends a request and gives the whole answer.
    pub(super) async fn send(&mut self, request: Request) -> Result<Answer, SendError> {
        tokio::time::timeout(ANSWER, self.exchange(request)).await.unwrap_or_else(|_| {
            let error = io::Error::new(io::ErrorKind::TimedOut, "it takes longer than 60 s to answer");
            Err(SendError { error, unsent: None })
        })
    }

    async fn exchange(&mut self, request: Request) -> Result<Answer, SendError> {
        if let Err(error) = self.sender.ready().await {
            return Err(SendError { error: io::Error::other(error), unsent: Some(Box::new(request)) });
        }
        let response = self.sender.try_send_request(request).await.map_err(|mut error| {
            let unsent = error.take_message().map(Box::new);
            SendError { error: io::Error::other(error.into_error()), unsent }
        })?;
        let status = response.status().as_u16();
        let body = Limited::new(response.into_body(), LARGEST).collect().await;
        let body = body.map_err(|error| SendError { error: io::Error::other(error), unsent: None })?;
        Ok(Answer { status, body: body.to_bytes() })
    }
}

async fn connect(host: &str, port: u16, tls: Option<&TlsConnector>) -> io::Result<Connection> {
    let stream = TcpStream::connect((host, port)).await?;
    stream.set_nodelay(true)?;
    match tls {
        None => open_http(host, stream).await,
        Some(tls) => {
            let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
            let stream = tls.connect(name, stream).await.map_err(without_tls)?;
            open_http(host, stream).await
        }
    }
}

/// In plain words what comes of https:// where http:// is spoken.
fn without_tls(error: io::Error) -> io::Error {
    let tls = error.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
    match tls {
        Some(rustls::Error::InvalidMessage(_)) => {
            io::Error::other("it does not speak TLS; write http:// if it is a server without --tls-cert")
        }
        _ => error,
    }
}

async fn open_http<S>(host: &str, stream: S) -> io::Result<Connection>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (sender, driver) = handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    // It ends when the sender is dropped or the server hangs up; both are seen at the next request.
    tokio::spawn(driver);
    Ok(Connection { host: host.to_owned(), sender })
}

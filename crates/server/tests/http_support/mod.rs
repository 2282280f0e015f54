//! A server in this process, a service whose answers tell what it was asked, and a client that sends raw bytes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(dead_code, reason = "each test file uses its part")]

use bytes::Bytes;
use dynamometer_server::http::{
    HttpConfig, JSON_1_0, Request, Response, Service, Timeouts, bind, error_body, serve,
};
use http::{HeaderMap, StatusCode};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Does what the header `x-test` says: `sleep:<ms>`, `panic`, `big:<bytes>`; otherwise echoes what it was given.
#[derive(Default)]
pub struct Probe {
    pub calls: AtomicUsize,
}

impl Service for Probe {
    async fn call(&self, request: Request) -> Response {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let order =
            request.headers.get("x-test").and_then(|value| value.to_str().ok()).unwrap_or("").to_owned();
        match order.split_once(':').unwrap_or((&order, "")) {
            ("sleep", ms) => tokio::time::sleep(Duration::from_millis(ms.parse().unwrap())).await,
            ("panic", _) => panic!("as ordered"),
            ("big", bytes) => {
                let body = b"0123456789".repeat(bytes.parse::<usize>().unwrap() / 10);
                return Response::new(StatusCode::OK, request.content_type, body);
            }
            _ => {}
        }
        if let Some(refusal) = self.precheck(&request.headers, &request.body, request.content_type)
            && request.path() == "/"
        {
            return refusal;
        }
        let answer = serde_json::json!({
            "path": request.path(),
            "key_id": request.caller.access_key_id,
            "region": request.caller.region,
            "service": request.caller.service,
            "verified": request.caller.verified,
            "body_bytes": request.body.len(),
            "body_crc": crc32fast::hash(&request.body),
        });
        Response::new(StatusCode::OK, request.content_type, answer.to_string())
    }

    /// Errors of AWS's checks that come before authentication, in the least form.
    fn precheck(&self, headers: &HeaderMap, body: &Bytes, content_type: &'static str) -> Option<Response> {
        let error = |kind: &str| {
            Some(Response::new(StatusCode::BAD_REQUEST, content_type, error_body(kind, "m", "")))
        };
        if !body.is_empty() && serde_json::from_slice::<serde_json::Value>(body).is_err() {
            return error("SerializationException");
        }
        if !headers.contains_key("x-amz-target") {
            return error("UnknownOperationException");
        }
        None
    }
}

/// A running server.
pub struct Server {
    pub address: SocketAddr,
    pub probe: Arc<Probe>,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Server {
    /// Starts with the defaults, changed by `change`; complaints of the server are dropped.
    pub fn start(change: impl FnOnce(&mut HttpConfig)) -> Server {
        let mut config = HttpConfig::new("us-east-1");
        config.log = Arc::new(|_| ());
        change(&mut config);
        let listeners = bind("127.0.0.1", 0).unwrap();
        let address = listeners[0].local_addr().unwrap();
        let probe = Arc::new(Probe::default());
        let (stop, stopped) = oneshot::channel::<()>();
        let service = probe.clone();
        let task = tokio::spawn(async move {
            let shutdown = async { drop(stopped.await) };
            serve(listeners, Arc::new(config), service, shutdown).await.unwrap();
        });
        Server { address, probe, stop: Some(stop), task }
    }

    /// A new connection.
    pub async fn connect(&self) -> Client<TcpStream> {
        Client::new(TcpStream::connect(self.address).await.unwrap())
    }

    /// Sends one request on a connection of its own.
    pub async fn send(&self, request: impl AsRef<[u8]>) -> Answer {
        let mut client = self.connect().await;
        client.send(request).await;
        client.answer().await
    }

    /// Orders the server to stop, without waiting.
    pub fn order_stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    /// Waits until it has stopped, and tells how long that took.
    pub async fn stopped(self) -> Duration {
        let begin = std::time::Instant::now();
        self.task.await.unwrap();
        begin.elapsed()
    }
}

/// Timeouts short enough to be waited for.
pub fn impatient() -> Timeouts {
    Timeouts {
        header: Duration::from_millis(150),
        body_idle: Duration::from_millis(150),
        body: Duration::from_millis(400),
        keep_alive: Duration::from_millis(300),
        write_idle: Duration::from_millis(300),
        budget: Duration::from_millis(150),
        shutdown: Duration::from_millis(300),
    }
}

/// One end of a connection, byte by byte.
pub struct Client<T> {
    pub stream: T,
    buffer: Vec<u8>,
}

/// One answer.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: HashMap<String, String>,
    pub body: Vec<u8>,
}

impl<T: AsyncRead + AsyncWrite + Unpin> Client<T> {
    pub fn new(stream: T) -> Client<T> {
        Client { stream, buffer: Vec::new() }
    }

    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.unwrap();
    }

    /// The next answer; panics when the connection ends before it, or after ten seconds.
    pub async fn answer(&mut self) -> Answer {
        self.try_answer().await.expect("an answer before the end of the connection")
    }

    /// The next answer, or `None` when the connection ends before it.
    pub async fn try_answer(&mut self) -> Option<Answer> {
        let head_end = loop {
            if let Some(at) = self.buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            if !self.fill().await {
                return None;
            }
        };
        let head = String::from_utf8(self.buffer.drain(..head_end).collect()).unwrap();
        let mut lines = head.trim_end().split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: HashMap<String, String> = lines
            .map(|line| line.split_once(": ").unwrap())
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
        while self.buffer.len() < length {
            if !self.fill().await {
                return None;
            }
        }
        let body = self.buffer.drain(..length).collect();
        Some(Answer { status, headers, body })
    }

    /// Reads more; false at the end of the connection.
    async fn fill(&mut self) -> bool {
        let mut piece = [0; 65536];
        let read = tokio::time::timeout(Duration::from_secs(10), self.stream.read(&mut piece));
        match read.await.expect("something within ten seconds") {
            Ok(0) | Err(_) => false,
            Ok(read) => {
                self.buffer.extend_from_slice(&piece[..read]);
                true
            }
        }
    }

    /// How long the server keeps the connection open without sending anything more.
    pub async fn until_closed(&mut self) -> Duration {
        let begin = std::time::Instant::now();
        assert!(!self.fill().await, "unexpected: {}", String::from_utf8_lossy(&self.buffer));
        begin.elapsed()
    }
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// What every answer of this layer carries.
    pub fn check_envelope(&self, context: &str) {
        let id = self.header("x-amzn-requestid").unwrap_or("");
        assert_eq!(id.len(), 52, "{context}: request id {id:?}");
        assert!(id.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()), "{context}: {id}");
        let crc = crc32fast::hash(&self.body).to_string();
        assert_eq!(self.header("x-amz-crc32"), Some(&*crc), "{context}");
        assert_eq!(self.header("server"), Some("Server"), "{context}");
        assert!(self.header("date").is_some_and(|date| date.ends_with(" GMT")), "{context}");
        assert_eq!(self.header("content-length"), Some(&*self.body.len().to_string()), "{context}");
    }
}

/// A `POST /` of an operation with further header lines, each ended by `\r\n`.
pub fn post(further: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut request = format!(
        "POST / HTTP/1.1\r\nHost: localhost:8000\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\n\
         Content-Type: {JSON_1_0}\r\n{further}Content-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    request.extend_from_slice(body);
    request
}

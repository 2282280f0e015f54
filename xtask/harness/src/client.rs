//! A blocking client: one keep-alive connection, DynamoDB's JSON 1.0 protocol, no retries.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;
use thiserror::Error;

/// A header that any server which does not verify signatures accepts: its shape is right, its
/// signature is not.
const AUTHORIZATION: &str = "AWS4-HMAC-SHA256 \
    Credential=harness/20260601/us-east-1/dynamodb/aws4_request, \
    SignedHeaders=content-type;host;x-amz-date;x-amz-target, \
    Signature=0000000000000000000000000000000000000000000000000000000000000000";

/// Why a call gave no result.
#[derive(Debug, Error)]
pub enum CallError {
    /// The connection broke or timed out: whether the server acted on the request is unknown.
    #[error("no answer: {0}")]
    Broken(#[from] io::Error),
    /// The server answered with an error.
    #[error("{status} {kind}: {message}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// AWS's error type without its namespace, such as `ConditionalCheckFailedException`.
        kind: String,
        /// AWS's message, empty when there is none.
        message: String,
        /// The whole body.
        body: Box<Value>,
    },
}

impl CallError {
    /// True when the server answered with this error type.
    pub fn is(&self, wanted: &str) -> bool {
        matches!(self, CallError::Refused { kind, .. } if kind == wanted)
    }
}

/// A raw answer.
#[derive(Debug)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Status line and headers, as sent.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
}

/// One connection to a server.
#[derive(Debug)]
pub struct Client {
    address: SocketAddr,
    stream: TcpStream,
    /// Bytes received and not yet used.
    pending: Vec<u8>,
}

impl Client {
    /// Connects.
    ///
    /// # Errors
    /// When nothing listens there.
    pub fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, Duration::from_secs(5))?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Client { address, stream, pending: Vec::new() })
    }

    /// Calls an operation and gives its parsed answer.
    ///
    /// # Errors
    /// [`CallError::Refused`] for any status but 200; [`CallError::Broken`] when the answer did not
    /// come or was no JSON.
    pub fn call(&mut self, operation: &str, request: &Value) -> Result<Value, CallError> {
        self.call_target(&format!("DynamoDB_20120810.{operation}"), request)
    }

    /// The same for an operation of DynamoDB Streams.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub fn call_streams(&mut self, operation: &str, request: &Value) -> Result<Value, CallError> {
        self.call_target(&format!("DynamoDBStreams_20120810.{operation}"), request)
    }

    fn call_target(&mut self, target: &str, request: &Value) -> Result<Value, CallError> {
        let reply = self.post_target(target, request.to_string().as_bytes())?;
        let body: Value = if reply.body.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(&reply.body).map_err(io::Error::from)?
        };
        if reply.status == 200 { Ok(body) } else { Err(refusal(reply.status, body)) }
    }

    /// Sends a body to an operation and gives the raw answer.
    ///
    /// # Errors
    /// When the connection breaks or the answer is not HTTP/1.1 with a content length.
    pub fn post(&mut self, operation: &str, body: &[u8]) -> io::Result<Reply> {
        self.post_target(&format!("DynamoDB_20120810.{operation}"), body)
    }

    fn post_target(&mut self, target: &str, body: &[u8]) -> io::Result<Reply> {
        let head = format!(
            "POST / HTTP/1.1\r\nhost: {}\r\ncontent-type: application/x-amz-json-1.0\r\n\
             x-amz-target: {target}\r\nx-amz-date: 20260601T000000Z\r\n\
             authorization: {AUTHORIZATION}\r\ncontent-length: {}\r\n\r\n",
            self.address,
            body.len(),
        );
        let mut message = head.into_bytes();
        message.extend_from_slice(body);
        self.send(&message)
    }

    /// Sends a whole HTTP request as it is and gives the raw answer.
    ///
    /// # Errors
    /// As [`Client::post`].
    pub fn send(&mut self, request: &[u8]) -> io::Result<Reply> {
        self.stream.write_all(request)?;
        self.read_reply()
    }

    fn read_reply(&mut self) -> io::Result<Reply> {
        let head_end = loop {
            if let Some(at) = self.pending.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            self.receive()?;
        };
        let head = String::from_utf8_lossy(&self.pending[..head_end]).into_owned();
        let status = head
            .split_ascii_whitespace()
            .nth(1)
            .and_then(|status| status.parse().ok())
            .ok_or_else(|| bad_answer("no status", &head))?;
        let length = content_length(&head).ok_or_else(|| bad_answer("no content-length", &head))?;
        while self.pending.len() < head_end + length {
            self.receive()?;
        }
        let body = self.pending[head_end..head_end + length].to_vec();
        self.pending.drain(..head_end + length);
        Ok(Reply { status, head, body })
    }

    fn receive(&mut self) -> io::Result<()> {
        let mut chunk = [0; 16 * 1024];
        match self.stream.read(&mut chunk)? {
            0 => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection")),
            count => {
                self.pending.extend_from_slice(&chunk[..count]);
                Ok(())
            }
        }
    }
}

fn bad_answer(what: &str, head: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{what} in the answer {head:?}"))
}

fn content_length(head: &str) -> Option<usize> {
    head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    })
}

fn refusal(status: u16, body: Value) -> CallError {
    let text = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default();
    let kind = text("__type");
    let kind = kind.rsplit('#').next().unwrap_or(kind).to_owned();
    let message = if text("message").is_empty() { text("Message") } else { text("message") }.to_owned();
    CallError::Refused { status, kind, message, body: Box::new(body) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_refusal_drops_the_namespace_and_finds_either_spelling_of_message() {
        for name in ["message", "Message"] {
            let error = refusal(400, json!({ "__type": "com.amazonaws.dynamodb.v20120810#X", name: "no" }));
            assert!(error.is("X"));
            assert_eq!(error.to_string(), "400 X: no");
        }
    }

    #[test]
    fn the_content_length_is_found_in_any_case() {
        assert_eq!(content_length("HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n"), Some(12));
        assert_eq!(content_length("HTTP/1.1 200 OK\r\n\r\n"), None);
    }
}

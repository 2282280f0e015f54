//! Requests over plain HTTP/1.1: all that the command line needs of a client.

use std::fmt;
use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use serde_json::Value;

/// How long a server may take to connect, and between two pieces of its answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where a server is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Endpoint {
    /// Host and port.
    authority: String,
}

/// Why there is no answer, and what to do.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FetchError {
    pub(super) sentence: String,
    pub(super) hint: Option<String>,
}

/// Why an operation gave no result.
#[derive(Debug)]
pub(crate) enum CallError {
    /// Nobody answers.
    Silent { authority: String, error: std::io::Error },
    /// The server refused: AWS's error type and words.
    Refused { kind: String, message: String },
}

impl CallError {
    /// Whether the server answered with this error type.
    pub(crate) fn is(&self, wanted: &str) -> bool {
        matches!(self, CallError::Refused { kind, .. } if kind == wanted)
    }

    /// What to do about it.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        match self {
            CallError::Silent { .. } => {
                Some("start one with dyno, or name another with --endpoint http://host:port")
            }
            CallError::Refused { .. } => None,
        }
    }
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::Silent { authority, error } => {
                write!(f, "no server answers at http://{authority}: {error}")
            }
            CallError::Refused { kind, message } => write!(f, "{kind}: {message}"),
        }
    }
}

impl FetchError {
    fn new(sentence: impl fmt::Display) -> FetchError {
        FetchError { sentence: sentence.to_string(), hint: None }
    }
}

impl Endpoint {
    /// Reads `http://host:port`, with or without the scheme; port 8000 when there is none.
    pub(crate) fn read(text: &str) -> Result<Endpoint, String> {
        let rest = match text.split_once("://") {
            Some(("http", rest)) => rest,
            Some((scheme, _)) => {
                return Err(format!(
                    "`{text}`: this command speaks http, not {scheme}; name the server's http port"
                ));
            }
            None => text,
        };
        let authority = rest.trim_end_matches('/');
        let has_port = authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let is_host = !authority.is_empty() && !authority.contains(['/', ' ', '?']);
        match (is_host, has_port) {
            (true, true) => Ok(Endpoint { authority: authority.to_owned() }),
            (true, false) => Ok(Endpoint { authority: format!("{authority}:8000") }),
            (false, _) => Err(format!("`{text}` is no endpoint: write it as http://127.0.0.1:8000")),
        }
    }

    /// The body that a path answers with status 200.
    pub(super) fn get(&self, path: &str) -> Result<String, FetchError> {
        let answer = self.exchange(&format!("GET {path}"), "", "").map_err(|error| FetchError {
            sentence: format!("no server answers at http://{}: {error}", self.authority),
            hint: Some("start one with dyno, or name another with --endpoint http://host:port".into()),
        })?;
        let (head, body) = answer
            .split_once("\r\n\r\n")
            .ok_or_else(|| FetchError::new(format!("http://{} does not speak HTTP", self.authority)))?;
        let status = head.split(' ').nth(1).unwrap_or_default();
        if status == "200" {
            return Ok(body.to_owned());
        }
        let sentence = format!("http://{}{path} answers {status}: {}", self.authority, body.trim());
        let hint = match status {
            "400" | "403" => {
                Some("with --auth the report needs a signature, which dyno report does not make".to_owned())
            }
            "404" => Some("that is another server, or an older dyno".to_owned()),
            _ => None,
        };
        Err(FetchError { sentence, hint })
    }

    /// Calls an operation of DynamoDB, without a signature.
    pub(crate) fn call(&self, operation: &str, request: &Value) -> Result<Value, CallError> {
        let silent = |error| CallError::Silent { authority: self.authority.clone(), error };
        let headers = format!(
            "Content-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n"
        );
        let answer = self.exchange("POST /", &headers, &request.to_string()).map_err(silent)?;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let body: Value = serde_json::from_str(body).unwrap_or_default();
        if head.split(' ').nth(1) == Some("200") {
            return Ok(body);
        }
        let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        let kind = text("__type");
        let message = if body["message"].is_string() { text("message") } else { text("Message") };
        Err(CallError::Refused { kind: kind.rsplit('#').next().unwrap_or_default().to_owned(), message })
    }

    fn exchange(&self, line: &str, headers: &str, body: &str) -> std::io::Result<String> {
        let mut refused = std::io::Error::other("the name has no address");
        for address in self.authority.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, PATIENCE) {
                Ok(stream) => return self.speak(stream, line, headers, body),
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }

    fn speak(&self, mut stream: TcpStream, line: &str, headers: &str, body: &str) -> std::io::Result<String> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let (host, length) = (&self.authority, body.len());
        write!(
            stream,
            "{line} HTTP/1.1\r\nHost: {host}\r\nAccept: application/json\r\nConnection: close\r\n\
             Content-Length: {length}\r\n{headers}\r\n{body}"
        )?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        String::from_utf8(answer).map_err(std::io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_read_or_explained() {
        for (text, authority) in [
            ("http://127.0.0.1:8000", "127.0.0.1:8000"),
            ("http://127.0.0.1:8000/", "127.0.0.1:8000"),
            ("localhost", "localhost:8000"),
            ("http://[::1]:9000", "[::1]:9000"),
        ] {
            assert_eq!(Endpoint::read(text), Ok(Endpoint { authority: authority.into() }));
        }
        for text in ["", "http://", "https://x:1", "http://a/b", "not an endpoint"] {
            assert!(Endpoint::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_server_that_is_not_there_is_named() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        drop(listener);
        let error = Endpoint::read(&address).unwrap().get("/").unwrap_err();
        assert!(error.sentence.contains(&address) && error.hint.is_some(), "{error:?}");
    }
}

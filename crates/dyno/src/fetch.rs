//! GET and POST over plain HTTP/1.1: all that the command line needs of a client.

use std::fmt;
use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use serde_json::Value;

use crate::problem::Problem;

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
pub(crate) struct FetchError {
    pub(crate) sentence: String,
    pub(crate) hint: Option<String>,
}

impl FetchError {
    fn new(sentence: impl fmt::Display) -> FetchError {
        FetchError { sentence: sentence.to_string(), hint: None }
    }
}

impl From<FetchError> for Problem {
    fn from(error: FetchError) -> Problem {
        let problem = Problem::failed(&error.sentence);
        match error.hint {
            Some(hint) => problem.hint(hint),
            None => problem,
        }
    }
}

impl Endpoint {
    /// Reads `http://host:port`, with or without the scheme; port 8000 when there is none.
    pub(crate) fn read(text: &str) -> Result<Endpoint, String> {
        let rest = match text.split_once("://") {
            Some(("http", rest)) => rest,
            Some((scheme, _)) => {
                return Err(format!("`{text}`: dyno speaks http, not {scheme}; name the server's http port"));
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
    pub(crate) fn get(&self, path: &str) -> Result<String, FetchError> {
        let (status, body) = self.ask(&format!("GET {path} HTTP/1.1\r\nAccept: application/json\r\n"), "")?;
        if status == "200" {
            return Ok(body);
        }
        let sentence = format!("http://{}{path} answers {status}: {}", self.authority, body.trim());
        let hint = match status.as_str() {
            "400" | "403" => {
                Some("with --auth the report needs a signature, which dyno report does not make".to_owned())
            }
            "404" => Some("that is another server, or an older dyno".to_owned()),
            _ => None,
        };
        Err(FetchError { sentence, hint })
    }

    /// What a DynamoDB operation answers. The request is signed with nobody's key: servers for tests take any.
    pub(crate) fn call(&self, operation: &str, request: &Value) -> Result<Value, FetchError> {
        let body = request.to_string();
        let head = format!(
            "POST / HTTP/1.1\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810.{operation}\r\n\
             X-Amz-Date: 20260101T000000Z\r\nAuthorization: AWS4-HMAC-SHA256 \
             Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature={:064}\r\n\
             Content-Length: {}\r\n",
            0,
            body.len()
        );
        let (status, answer) = self.ask(&head, &body)?;
        let value: Value = serde_json::from_str(&answer).unwrap_or_default();
        if status == "200" && !value.is_null() {
            return Ok(value);
        }
        let message =
            ["message", "Message"].iter().find_map(|name| value[*name].as_str()).unwrap_or(answer.trim());
        let sentence = format!("http://{} answers {operation} with {status}: {message}", self.authority);
        let hint = matches!(status.as_str(), "400" | "403").then(|| {
            "a server that verifies signatures cannot be asked so; name one that does not".to_owned()
        });
        Err(FetchError { sentence, hint })
    }

    /// Status and body of an answer.
    fn ask(&self, head: &str, body: &str) -> Result<(String, String), FetchError> {
        let answer = self.exchange(head, body).map_err(|error| FetchError {
            sentence: format!("no server answers at http://{}: {error}", self.authority),
            hint: Some("start one with dyno, or name another with --endpoint http://host:port".into()),
        })?;
        let (head, body) = answer
            .split_once("\r\n\r\n")
            .ok_or_else(|| FetchError::new(format!("http://{} does not speak HTTP", self.authority)))?;
        let status = head.split(' ').nth(1).unwrap_or_default();
        if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
            return Err(FetchError::new(format!(
                "http://{} answers in chunks, which dyno does not read",
                self.authority
            )));
        }
        Ok((status.to_owned(), body.to_owned()))
    }

    fn exchange(&self, head: &str, body: &str) -> std::io::Result<String> {
        let mut refused = std::io::Error::other("the name has no address");
        for address in self.authority.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, PATIENCE) {
                Ok(stream) => return self.speak(stream, head, body),
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }

    fn speak(&self, mut stream: TcpStream, head: &str, body: &str) -> std::io::Result<String> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let host = &self.authority;
        write!(stream, "{head}Host: {host}\r\nConnection: close\r\n\r\n{body}")?;
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

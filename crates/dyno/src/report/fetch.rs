//! One GET over plain HTTP/1.1: all that the command line needs of a client.

use std::fmt;
use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// How long a server may take to connect, and between two pieces of its answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where a server is.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Endpoint {
    /// Host and port.
    authority: String,
}

/// Why there is no answer, and what to do.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FetchError {
    pub(super) sentence: String,
    pub(super) hint: Option<String>,
}

impl FetchError {
    fn new(sentence: impl fmt::Display) -> FetchError {
        FetchError { sentence: sentence.to_string(), hint: None }
    }
}

impl Endpoint {
    /// Reads `http://host:port`, with or without the scheme; port 8000 when there is none.
    pub(super) fn read(text: &str) -> Result<Endpoint, String> {
        let rest = match text.split_once("://") {
            Some(("http", rest)) => rest,
            Some((scheme, _)) => {
                return Err(format!(
                    "`{text}`: dyno report speaks http, not {scheme}; name the server's http port"
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
        let answer = self.exchange(path).map_err(|error| FetchError {
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

    fn exchange(&self, path: &str) -> std::io::Result<String> {
        let mut refused = std::io::Error::other("the name has no address");
        for address in self.authority.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, PATIENCE) {
                Ok(stream) => return self.speak(stream, path),
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }

    fn speak(&self, mut stream: TcpStream, path: &str) -> std::io::Result<String> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let host = &self.authority;
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept: application/json\r\nConnection: close\r\n\r\n"
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

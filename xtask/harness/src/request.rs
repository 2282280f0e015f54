//! The other side of HTTP: what a function reads that a server delivers to.

use std::io::{self, Read};

/// A request that was received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Path and query.
    pub path: String,
    /// The body, whose length was declared.
    pub body: Vec<u8>,
}

impl Request {
    /// Reads one from a connection that carries no other.
    ///
    /// # Errors
    /// When it is cut off, or declares no length.
    pub fn read(socket: &mut (impl Read + ?Sized)) -> io::Result<Request> {
        const END_OF_HEAD: &[u8] = b"\r\n\r\n";
        let mut bytes = Vec::new();
        let mut chunk = [0; 16 * 1024];
        loop {
            let count = socket.read(&mut chunk)?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            bytes.extend_from_slice(&chunk[..count]);
            let Some(end) = bytes.windows(END_OF_HEAD.len()).position(|at| at == END_OF_HEAD) else {
                continue;
            };
            let head = String::from_utf8_lossy(&bytes[..end]);
            let length = head.lines().filter_map(|line| line.split_once(':')).find_map(|(name, value)| {
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
            });
            let length = length.ok_or(io::ErrorKind::InvalidData)?;
            let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
            let begin = end + END_OF_HEAD.len();
            if bytes.len() >= begin + length {
                return Ok(Request { path, body: bytes.split_off(begin) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_read_however_it_is_cut() {
        struct Slowly<'a>(&'a [u8]);
        impl Read for Slowly<'_> {
            fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
                let count = self.0.len().min(3);
                out[..count].copy_from_slice(&self.0[..count]);
                self.0 = &self.0[count..];
                Ok(count)
            }
        }
        let sent = "POST /f?x=1 HTTP/1.1\r\nhost: a\r\nContent-Length: 6\r\n\r\nä\r\n\r\n";
        let read = Request::read(&mut Slowly(sent.as_bytes())).unwrap();
        assert_eq!((read.path.as_str(), read.body.as_slice()), ("/f?x=1", "ä\r\n\r\n".as_bytes()));
        assert!(Request::read(&mut Slowly(&sent.as_bytes()[..sent.len() - 1])).is_err(), "cut off");
        assert!(Request::read(&mut Slowly(b"GET / HTTP/1.1\r\n\r\n")).is_err(), "no length");
    }
}

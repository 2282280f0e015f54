//! The load: one thread, one event loop, keep-alive connections that each send the next request as
//! soon as the last was answered. Every answer's status is checked.

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

/// What a load sends.
pub trait Source {
    /// Writes the next request of a connection into `out` (cleared first) and gives its kind, an
    /// index that its latency is filed under.
    fn next(&mut self, connection: usize, out: &mut Vec<u8>) -> usize;
}

/// How much load.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Where to.
    pub address: SocketAddr,
    /// How many connections.
    pub connections: usize,
    /// How long; requests that are under way at the end are still awaited.
    pub time: Duration,
    /// Sent at most.
    pub most: u64,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Nanoseconds of each answer, by kind.
    pub latencies: Vec<Vec<u64>>,
    /// Answers whose status was not 200, but for conflicts while they are few.
    pub errors: u64,
    /// The first of them.
    pub first_error: String,
    /// Transactions and writes that met a transaction on their item.
    conflicts: u64,
    /// From the first request to the last answer.
    pub took: Duration,
}

impl Outcome {
    /// Answers of all kinds.
    pub fn requests(&self) -> u64 {
        self.latencies.iter().map(|kind| kind.len() as u64).sum()
    }

    /// Counts an answer whose status was not 200.
    fn refuse(&mut self, status: u16, body: &str) {
        if status == 400 && body.contains("TransactionConflict") {
            self.conflicts += 1;
        } else {
            self.error(1, || format!("{status} {body}"));
        }
    }

    fn error(&mut self, count: u64, what: impl Fn() -> String) {
        if self.errors == 0 {
            self.first_error = what();
        }
        self.errors += count;
    }

    /// A run in which much was refused measures refusals: beyond a few in a hundred, conflicts are errors too.
    fn judge_conflicts(&mut self) {
        let conflicts = self.conflicts;
        if conflicts * 100 > self.requests() * MOST_CONFLICTS_PERCENT {
            self.error(conflicts, || format!("{conflicts} transactions conflicted"));
        }
    }
}

/// So many of a hundred answers may be conflicts: the load draws its items at random, so that some transactions meet.
const MOST_CONFLICTS_PERCENT: u64 = 3;
/// An answer that takes longer fails the run.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs a load to its end.
///
/// # Errors
/// When a connection breaks, an answer is no HTTP, or one does not come.
pub fn run(load: Load, kinds: usize, source: &mut dyn Source) -> io::Result<Outcome> {
    let mut poll = Poll::new()?;
    let mut events = Events::with_capacity(load.connections.max(16));
    let mut connections = Vec::with_capacity(load.connections);
    for index in 0..load.connections {
        let stream = std::net::TcpStream::connect(load.address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        let mut stream = TcpStream::from_std(stream);
        poll.registry().register(&mut stream, Token(index), Interest::READABLE | Interest::WRITABLE)?;
        connections.push(Connection::new(stream));
    }
    let mut outcome = Outcome { latencies: vec![Vec::new(); kinds], ..Outcome::default() };
    let mut sent = 0;
    let began = Instant::now();
    for (index, connection) in connections.iter_mut().enumerate() {
        sent += 1;
        connection.send_next(index, source)?;
    }
    let mut chunk = vec![0; 64 * 1024];
    let mut busy = connections.len();
    let mut last_answer = began;
    while busy > 0 {
        poll.poll(&mut events, Some(Duration::from_millis(100)))?;
        for event in &events {
            let index = event.token().0;
            let connection = &mut connections[index];
            if event.is_writable() && connection.is_busy {
                connection.flush()?;
            }
            if !event.is_readable() || !connection.is_busy || !connection.receive(&mut chunk)? {
                continue;
            }
            last_answer = Instant::now();
            outcome.latencies[connection.kind].push((last_answer - connection.sent_at).as_nanos() as u64);
            if connection.status != 200 {
                outcome.refuse(connection.status, &connection.body_start());
            }
            if last_answer - began < load.time && sent < load.most {
                sent += 1;
                connection.send_next(index, source)?;
            } else {
                connection.is_busy = false;
                busy -= 1;
            }
        }
        if last_answer.elapsed() > PATIENCE {
            return Err(io::Error::new(io::ErrorKind::TimedOut, format!("no answer for {PATIENCE:?}")));
        }
    }
    outcome.took = last_answer - began;
    outcome.judge_conflicts();
    Ok(outcome)
}

struct Connection {
    stream: TcpStream,
    out: Vec<u8>,
    written: usize,
    /// The head and what came with it; a body is counted, not kept.
    head: Vec<u8>,
    head_end: usize,
    /// Body bytes still to come, once the head is known.
    missing: Option<usize>,
    status: u16,
    kind: usize,
    sent_at: Instant,
    is_busy: bool,
}

impl Connection {
    fn new(stream: TcpStream) -> Connection {
        Connection {
            stream,
            out: Vec::new(),
            written: 0,
            head: Vec::new(),
            head_end: 0,
            missing: None,
            status: 0,
            kind: 0,
            sent_at: Instant::now(),
            is_busy: false,
        }
    }

    fn send_next(&mut self, index: usize, source: &mut dyn Source) -> io::Result<()> {
        self.kind = source.next(index, &mut self.out);
        self.written = 0;
        self.head.clear();
        self.missing = None;
        self.is_busy = true;
        self.sent_at = Instant::now();
        self.flush()
    }

    /// Writes what the socket takes; the rest goes when it is writable again.
    fn flush(&mut self) -> io::Result<()> {
        while self.written < self.out.len() {
            match self.stream.write(&self.out[self.written..]) {
                Ok(count) => self.written += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads what is there; true when the answer is complete.
    ///
    /// The event loop is edge-triggered: a read that does not fill the buffer has emptied the
    /// socket, and more bytes make a new event.
    fn receive(&mut self, chunk: &mut [u8]) -> io::Result<bool> {
        loop {
            let count = match self.stream.read(chunk) {
                Ok(0) => {
                    return Err(io::Error::new(
                        io::ErrorKind::UnexpectedEof,
                        "the server closed a connection",
                    ));
                }
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            };
            if self.take(&chunk[..count])? {
                return Ok(true);
            }
            if count < chunk.len() {
                return Ok(false);
            }
        }
    }

    /// Accounts for received bytes; true when the answer is complete.
    fn take(&mut self, received: &[u8]) -> io::Result<bool> {
        if let Some(missing) = &mut self.missing {
            *missing = missing.saturating_sub(received.len());
            return Ok(*missing == 0);
        }
        self.head.extend_from_slice(received);
        let Some(end) = self.head.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(false) };
        self.head_end = end + 4;
        let (status, length) = parse_head(&self.head[..end])?;
        self.status = status;
        let missing = (self.head_end + length).saturating_sub(self.head.len());
        self.missing = Some(missing);
        Ok(missing == 0)
    }

    /// The beginning of the body, as far as it came with the head.
    fn body_start(&self) -> String {
        let body = &self.head[self.head_end.min(self.head.len())..];
        String::from_utf8_lossy(&body[..body.len().min(300)]).into_owned()
    }
}

/// Status and content length of an answer's head.
fn parse_head(head: &[u8]) -> io::Result<(u16, usize)> {
    let bad = || {
        let shown = String::from_utf8_lossy(&head[..head.len().min(200)]).into_owned();
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("the server answered no HTTP with a length: {shown:?}"),
        )
    };
    let status =
        head.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok()).ok_or_else(bad)?;
    for line in head.split(|&byte| byte == b'\n').skip(1) {
        const NAME: &[u8] = b"content-length:";
        if line.len() > NAME.len() && line[..NAME.len()].eq_ignore_ascii_case(NAME) {
            let value =
                std::str::from_utf8(&line[NAME.len()..]).ok().and_then(|text| text.trim().parse().ok());
            return value.map(|length| (status, length)).ok_or_else(bad);
        }
    }
    Err(bad())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::thread;

    /// Answers each request of two connections: 200, but every tenth 400.
    fn serve(listener: TcpListener) {
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().unwrap();
            thread::spawn(move || {
                let mut buffer = [0; 1024];
                let mut answered = 0;
                while stream.read(&mut buffer).unwrap_or(0) > 0 {
                    answered += 1;
                    let status = if answered % 10 == 0 { "400 Bad Request" } else { "200 OK" };
                    // In two pieces, so that the reader must put them together.
                    stream.write_all(format!("HTTP/1.1 {status}\r\nContent-Le").as_bytes()).unwrap();
                    thread::sleep(Duration::from_micros(200));
                    stream.write_all(b"ngth: 5\r\n\r\nhello").unwrap();
                }
            });
        }
    }

    struct Pings;
    impl Source for Pings {
        fn next(&mut self, connection: usize, out: &mut Vec<u8>) -> usize {
            out.clear();
            out.extend_from_slice(b"POST / HTTP/1.1\r\ncontent-length: 0\r\n\r\n");
            connection
        }
    }

    #[test]
    fn answers_are_counted_by_kind_and_errors_are_kept() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || serve(listener));
        let load = Load { address, connections: 2, time: Duration::from_secs(10), most: 100 };
        let outcome = run(load, 2, &mut Pings).unwrap();
        assert_eq!(outcome.requests(), 100);
        assert!(outcome.latencies.iter().all(|kind| !kind.is_empty()));
        assert!((8..=10).contains(&outcome.errors), "{}", outcome.errors);
        assert!(outcome.first_error.starts_with("400"), "{}", outcome.first_error);
    }

    #[test]
    fn a_few_conflicts_are_no_errors_and_many_are() {
        for (conflicts, errors) in [(0, 0), (3, 0), (4, 4)] {
            let mut outcome = Outcome { latencies: vec![vec![1; 60], vec![1; 40]], ..Outcome::default() };
            (0..conflicts).for_each(|_| outcome.refuse(400, "…#TransactionConflictException"));
            outcome.judge_conflicts();
            assert_eq!(outcome.errors, errors, "{conflicts}");
        }
    }

    #[test]
    fn heads_are_read_in_any_case_and_refused_without_a_length() {
        assert_eq!(parse_head(b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\nx: y").unwrap(), (200, 12));
        assert_eq!(parse_head(b"HTTP/1.1 400 Bad Request\r\ncontent-length:0").unwrap(), (400, 0));
        assert!(parse_head(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked").is_err());
    }
}

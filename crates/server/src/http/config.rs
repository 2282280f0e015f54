//! Every limit of the socket layer, with its default.

use super::tls::TlsConfig;
use crate::auth::Auth;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How the socket layer behaves.
#[derive(Clone)]
pub struct HttpConfig {
    /// Named in the health answer, and the region of requests that name none.
    pub region: String,
    /// Who may call.
    pub auth: Auth,
    /// Sizes and counts.
    pub limits: Limits,
    /// How long a client may leave the server waiting.
    pub timeouts: Timeouts,
    /// Serve TLS rather than plain HTTP.
    pub tls: Option<TlsConfig>,
    /// Web origins, such as `https://app.example:3000`, whose pages may call the server; `*` allows every page.
    /// Without it only pages that the server itself served may. See [`parse_origin`](super::parse_origin).
    pub allow_origins: Vec<String>,
    /// Host names besides `localhost` and IP addresses under which a browser may reach a connection on the loopback
    /// interface. Other names may be a foreign web site that resolves to this machine. Clients other than browsers
    /// may use any name.
    pub allow_hosts: Vec<String>,
    /// Makes request ids unpredictable; 128 random bits drawn at start.
    pub request_id_seed: u128,
    /// Told, in one line each, what goes wrong outside of any answer (accepting, TLS, a panic).
    pub log: Arc<dyn Fn(&str) + Send + Sync>,
}

/// Sizes and counts. Sources: AWS's 16 MB request limit and 16 KB header limit; the others are our choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The largest body, before and after content decoding.
    pub body_bytes: usize,
    /// The largest sum of header names and values.
    pub header_bytes: usize,
    /// The longest request line.
    pub request_line_bytes: usize,
    /// Connections at a time. When they are all taken, the one that is idle for longest makes room; when none is
    /// idle, new ones wait in the system's queue.
    pub connections: usize,
    /// Bodies of up to this size are read without asking the budget of `in_flight_bytes`, as the number of connections
    /// bounds them already.
    pub free_body_bytes: usize,
    /// The sum of all larger bodies in memory at a time, reserved before they are read.
    pub in_flight_bytes: usize,
    /// The sum of all answers larger than `free_body_bytes` that clients have not taken yet. With more, requests wait, and
    /// clients that have taken nothing for a second are cut off.
    pub unsent_bytes: usize,
    /// Answers larger than this are compressed for clients that ask for it.
    pub compress_above_bytes: usize,
}

/// How long a client may leave the server waiting before its connection is closed. All are our choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeouts {
    /// From the first byte of a request to the end of its headers; also for the TLS handshake, and for the first
    /// byte on a new connection.
    pub header: Duration,
    /// Between two pieces of a body.
    pub body_idle: Duration,
    /// For a whole body.
    pub body: Duration,
    /// Between two requests.
    pub keep_alive: Duration,
    /// Without taking any byte of an answer.
    pub write_idle: Duration,
    /// A large body's wait for its share of [`Limits::in_flight_bytes`], and a request's wait for room below
    /// [`Limits::unsent_bytes`]; then it is answered with 503.
    pub budget: Duration,
    /// From the order to stop until running requests are cut off.
    pub shutdown: Duration,
}

impl HttpConfig {
    /// Accepts everybody over plain HTTP, with the default limits.
    pub fn new(region: &str) -> HttpConfig {
        HttpConfig {
            region: region.into(),
            auth: Auth::anonymous(region),
            limits: Limits::default(),
            timeouts: Timeouts::default(),
            tls: None,
            allow_origins: Vec::new(),
            allow_hosts: Vec::new(),
            request_id_seed: 0,
            log: Arc::new(|line| eprintln!("{line}")),
        }
    }
}

impl fmt::Debug for HttpConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpConfig")
            .field("region", &self.region)
            .field("auth_required", &self.auth.is_required())
            .field("limits", &self.limits)
            .field("timeouts", &self.timeouts)
            .field("tls", &self.tls.is_some())
            .field("allow_origins", &self.allow_origins)
            .field("allow_hosts", &self.allow_hosts)
            .finish_non_exhaustive()
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            body_bytes: 16 << 20,
            header_bytes: 16 << 10,
            request_line_bytes: 16 << 10,
            connections: 4096,
            free_body_bytes: 16 << 10,
            in_flight_bytes: 256 << 20,
            unsent_bytes: 256 << 20,
            compress_above_bytes: 4 << 10,
        }
    }
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts {
            header: Duration::from_secs(10),
            body_idle: Duration::from_secs(20),
            body: Duration::from_secs(300),
            keep_alive: Duration::from_secs(300),
            write_idle: Duration::from_secs(30),
            budget: Duration::from_secs(10),
            shutdown: Duration::from_millis(700),
        }
    }
}

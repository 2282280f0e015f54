//! The socket layer: from a listening socket to one whole request in memory, and back.
//!
//! ```text
//! accept ─ TLS ─ head ─ browser guard ─ body (bounded) ─ method, content type ─ caller ─ decode ─ Service::call
//!                                                                                                      │
//!          write ◀─ crc32, request id, CORS ◀─ compress ◀──────────────────────────────────────────────┘
//! ```
//! The checks stand in the order in which AWS answers them ([`Service`] tells where its own come in); `handle.rs` is
//! that order on one screen. This layer knows nothing of DynamoDB's operations: it hands a [`Request`] to a
//! [`Service`] and sends its [`Response`].
//!
//! Bounded on purpose: header and body sizes, connections, bytes of bodies and of answers in memory, and the time that a client may
//! leave us waiting in every state of a connection ([`Limits`], [`Timeouts`]). A browser on another origin gets
//! nowhere near the service, see [`HttpConfig::allow_origins`].
//!
//! Absent on purpose: HTTP/2 (no DynamoDB client needs it), `Range`, trailers, upgrades.

mod answers;
mod bind;
mod body;
mod browser;
mod config;
mod connection;
mod encoding;
mod handle;
mod message;
mod port_holder;
mod request_id;
mod serve;
mod tls;
mod unsent;
mod watch;

pub use answers::error_body;
pub(crate) use answers::{not_an_operation, too_large};
pub use bind::{BindError, bind};
pub use browser::parse_origin;
pub use config::{HttpConfig, Limits, Timeouts};
pub use message::{JSON_1_0, JSON_1_1, NO_CONTENT_TYPE, Request, Response, Service};
pub use port_holder::PortHolder;
pub use serve::{ServeError, serve};
pub use tls::{TlsConfig, TlsError};

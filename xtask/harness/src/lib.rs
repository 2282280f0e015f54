//! What the end-to-end checks, the crash test and the benchmark share: a server process under
//! test ([`Server`]), a small blocking client that speaks DynamoDB's JSON to it ([`Client`]), and what it takes to be
//! delivered to ([`Request`]).
//!
//! Nothing here knows the server's code: it is met as a user meets it, as a binary and a port.

mod client;
mod process;
mod request;

pub use client::{CallError, Client, Reply};
pub use process::{Launch, Server, StartError};
pub use request::Request;

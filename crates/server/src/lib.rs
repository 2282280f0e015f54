//! Sockets, wire protocols, authentication and the job runner.

pub mod auth;
pub mod http;
pub mod wire;

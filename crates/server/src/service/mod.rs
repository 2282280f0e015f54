//! What answers on `POST /`: an operation's name and a body in, a status and a body out.
//!
//! [`registry`] lists every operation of DynamoDB, DynamoDB Streams and Application Auto Scaling, each with what answers it or with the
//! statement that it is not there yet. [`dispatch`] runs one; [`Api`] stands between it and the sockets.

mod api;
mod dispatch;
pub mod registry;

pub use api::{Api, ApiConfig};
pub use dispatch::{Answer, dispatch};

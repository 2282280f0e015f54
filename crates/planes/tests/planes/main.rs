//! The library against a running server.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bad_days;
mod control;
mod data;
mod large;
#[cfg(feature = "s3")]
mod s3;
mod stage;
mod timeline;
mod transaction;
mod user;

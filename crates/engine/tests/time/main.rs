//! What depends on time, on a clock that the test moves: reads that lag behind, and transactions that meet.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::disallowed_methods, reason = "the environment is the test's own")]

#[path = "../common/mod.rs"]
mod common;

mod conflicts;
mod lag;
mod metrics;

//! What a DynamoDB operation means.
//!
//! The engine knows tables, items, indexes and transactions. It has no clock, no sockets and no threads: the time
//! and whatever is random come with each call in a [`Context`], bytes go through the
//! [`Store`](dynamometer_store::Store) door.
//!
//! A request's way: the server decodes it into a struct of [`api`]; the operation's file in [`ops`] checks it in
//! the order that AWS checks, plans it on one version of the [`catalog`], and runs it through the one write path
//! or the one read path.

mod admin;
pub mod api;
pub mod catalog;
pub mod context;
pub mod disk;
mod engine;
pub mod jobs;
mod kept_time;
pub mod lag;
mod metrics;
mod ops;
pub mod pipes;
mod read_path;
mod scaling;
pub mod streams;
pub mod throughput;
mod ttl;
mod validate;
mod write_path;

pub use admin::AdminError;
pub use context::Context;
pub use engine::{Engine, EngineConfig};
pub use scaling::alarms::{AlarmState, TrackingAlarm};
pub use validate::wording::layer_of;

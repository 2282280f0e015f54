//! Sockets, wire protocols, authentication and the job runner.

pub mod auth;
pub mod clock;
pub mod cloudwatch;
pub mod coverage;
pub mod faults;
pub mod http;
mod own;
mod panics;
pub mod pipes;
pub mod report;
pub mod runner;
pub mod service;
pub mod trust;
pub mod wire;

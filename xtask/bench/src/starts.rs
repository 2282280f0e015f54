//! How long an empty server takes to its first answer, and what it costs to idle.

use std::time::{Duration, Instant};

use dynamometer_harness::Client;
use serde_json::json;

use crate::stats::median;
use crate::{BenchError, Options, targets};

/// What was found, in milliseconds and (decimal) megabytes.
#[derive(Debug)]
pub struct Starts {
    pub first_answer_ms: f64,
    pub idle_mb: f64,
    pub binary_mb: f64,
}

/// Starts the product ten times on an empty folder.
///
/// # Errors
/// When it does not start or answer.
pub fn run(options: &Options) -> Result<Starts, BenchError> {
    let mut times = Vec::new();
    let mut idle_mb = 0.0;
    for round in 0..10 {
        let server = targets::start_ours(options)?;
        let up = Instant::now();
        Client::connect(server.address())?
            .call("ListTables", &json!({}))
            .map_err(|error| BenchError::wrong(targets::OURS, &error))?;
        times.push((server.started_in() + up.elapsed()).as_secs_f64() * 1000.0);
        if round == 9 {
            std::thread::sleep(Duration::from_secs(1));
            idle_mb = server.resident_bytes()? as f64 / 1e6;
        }
    }
    let binary_mb = std::fs::metadata(&options.dyno)?.len() as f64 / 1e6;
    Ok(Starts { first_answer_ms: median(&times), idle_mb, binary_mb })
}

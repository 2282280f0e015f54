//! A mixed run: all kinds of requests at once on 32 connections, for a minute.

use std::time::Duration;

use crate::BenchError;
use crate::driver::{self, Load, Source};
use crate::random::Random;
use crate::stats::percentile;
use crate::targets::Target;
use crate::workload::{ROWS, Requests, Row};

/// How often each row comes, in a hundred requests. What is not listed does not come.
const SHARES: &[(&str, u64)] = &[
    ("get", 45),
    ("query-10", 6),
    ("query-10-gsi", 5),
    ("put", 12),
    ("put-gsi", 8),
    ("update-if", 12),
    ("update-if-gsi", 8),
    ("batch-25", 1),
    ("batch-25-gsi", 1),
    ("transact-4", 1),
    ("transact-4-gsi", 1),
];

const CONNECTIONS: usize = 32;

/// What came of it.
#[derive(Debug)]
pub struct Mixed {
    pub target: String,
    pub kinds: Vec<Kind>,
    pub per_second: f64,
    pub cpu_us: f64,
    pub errors: u64,
    pub first_error: String,
    pub resident_mb: f64,
}

/// One kind of request in it.
#[derive(Debug)]
pub struct Kind {
    pub name: &'static str,
    pub requests: u64,
    pub p50_us: f64,
    pub p99_us: f64,
    pub p999_us: f64,
    pub longest_us: f64,
}

impl Mixed {
    /// The longest answer of all, in microseconds.
    pub fn longest_us(&self) -> f64 {
        self.kinds.iter().map(|kind| kind.longest_us).fold(0.0, f64::max)
    }
}

/// Runs the mix against one server.
///
/// # Errors
/// When a connection breaks.
pub fn run(target: &Target, seconds: f64) -> Result<Mixed, BenchError> {
    let load = Load {
        address: target.server.address(),
        connections: CONNECTIONS,
        time: Duration::from_secs_f64(seconds),
        most: 20_000_000,
    };
    let mut mix = Mix::new(target.items);
    let before = target.server.cpu_us()?;
    let outcome =
        driver::run(load, SHARES.len(), &mut mix).map_err(|error| BenchError::wrong(&target.name, &error))?;
    let cpu = target.server.cpu_us()? - before;
    let requests = outcome.requests();
    let kinds = SHARES.iter().zip(outcome.latencies).map(|((name, _), mut latencies)| {
        let mut at = |share| percentile(&mut latencies, share) as f64 / 1000.0;
        Kind {
            name,
            p50_us: at(0.5),
            p99_us: at(0.99),
            p999_us: at(0.999),
            longest_us: at(1.0),
            requests: latencies.len() as u64,
        }
    });
    Ok(Mixed {
        target: target.name.clone(),
        kinds: kinds.collect(),
        per_second: requests as f64 / outcome.took.as_secs_f64(),
        cpu_us: cpu as f64 / requests.max(1) as f64,
        errors: outcome.errors,
        first_error: outcome.first_error,
        resident_mb: target.server.resident_bytes()? as f64 / 1e6,
    })
}

struct Mix {
    sources: Vec<Requests>,
    /// For each of a hundred draws, the kind.
    draws: Vec<usize>,
    random: Random,
}

impl Mix {
    fn new(items: u64) -> Mix {
        let rows: Vec<Row> = SHARES
            .iter()
            .filter_map(|(name, _)| ROWS.iter().find(|row| row.name == *name).copied())
            .collect();
        let draws =
            SHARES.iter().enumerate().flat_map(|(kind, (_, share))| (0..*share).map(move |_| kind)).collect();
        let sources = rows.iter().map(|row| Requests::new(*row, items, CONNECTIONS)).collect();
        Mix { sources, draws, random: Random::new(42) }
    }
}

impl Source for Mix {
    fn next(&mut self, connection: usize, out: &mut Vec<u8>) -> usize {
        let kind = self.draws[self.random.below(self.draws.len() as u64) as usize];
        self.sources[kind].next(connection, out);
        kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_are_of_a_hundred_and_name_rows() {
        assert_eq!(SHARES.iter().map(|(_, share)| share).sum::<u64>(), 100);
        let mix = Mix::new(1000);
        assert_eq!(mix.sources.len(), SHARES.len());
        assert_eq!(mix.draws.len(), 100);
    }
}

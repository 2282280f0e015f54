//! One row of the comparison: every server in turn, several short rounds of each.
//!
//! The rounds are interleaved (A B C A B C …), so that what else the machine does meets all alike,
//! and medians over the rounds are reported. A server's CPU is counted from the row's beginning
//! until it has settled after it, its work between its rounds included: what a write leaves to a
//! later compaction is the write's cost.

use std::time::Duration;

use dynamometer_harness::Server;

use crate::driver::{self, Load, Outcome};
use crate::stats::{median, percentile};
use crate::targets::{self, BARE, OURS_PLAIN, Target};
use crate::workload::{Requests, Row, Table};
use crate::{BenchError, Options};

/// What one server did in one row.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The server.
    pub target: String,
    /// Answers, all rounds together.
    pub requests: u64,
    /// Answers that were no success, and the first of them.
    pub errors: u64,
    pub first_error: String,
    /// Median over the rounds.
    pub per_second: f64,
    /// Latencies in microseconds, median over the rounds.
    pub p50_us: f64,
    pub p99_us: f64,
    pub p999_us: f64,
    /// Server CPU microseconds a request, the work that it did between its rounds included.
    pub cpu_us: f64,
    /// How much of it was done between rounds.
    pub later_us: f64,
}

/// A row at one number of connections.
#[derive(Clone, Debug)]
pub struct Measured {
    pub row: Row,
    pub connections: usize,
    pub cells: Vec<Cell>,
}

impl Measured {
    /// A server's cell.
    pub fn cell(&self, target: &str) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.target == target)
    }
}

/// Rounds of one server.
struct Series<'a> {
    name: &'a str,
    server: &'a Server,
    row: Row,
    items: u64,
    rounds: Vec<Outcome>,
    cpu_in_rounds: u64,
    cpu_at_start: u64,
}

/// Measures a row. A peer that does not know the operation is left out of it.
///
/// # Errors
/// When our server answers wrongly before the measurement, or any breaks a connection during it.
/// Answers with an error status are counted and reported.
pub fn measure(
    targets: &[Target],
    row: Row,
    connections: usize,
    options: &Options,
) -> Result<Measured, BenchError> {
    let answer = targets::capture(&targets[0], row)?;
    let bare = targets::start_bare(options, &answer)?;
    let ours = &targets[0];
    let mut series = vec![Series::new(&ours.name, &ours.server, row, ours.items)];
    // The rate of writes is compared in one run: the disk has good and bad minutes.
    if row.table == Table::Streamed {
        series.push(Series::new(OURS_PLAIN, &ours.server, row.on_plain_table(), ours.items));
    }
    series.push(Series::new(BARE, &bare, row, options.items));
    for target in &targets[1..] {
        match targets::capture(target, row) {
            Ok(_) => series.push(Series::new(&target.name, &target.server, row, target.items)),
            Err(error) => eprintln!("not measured: {error}"),
        }
    }
    settle(&series)?;
    for each in &mut series {
        each.cpu_at_start = each.server.cpu_us()?;
    }
    // A first round warms up and is not reported.
    for round in 0..=options.rounds {
        let seconds = if round == 0 { options.seconds.min(0.3) } else { options.seconds };
        for each in &mut series {
            each.run(connections, seconds)?;
        }
    }
    settle(&series)?;
    let in_rounds = |server: &Server| {
        let same = series.iter().filter(|each| each.server.address() == server.address());
        same.map(|each| each.cpu_in_rounds).sum::<u64>()
    };
    // What the same server did for another column is not this one's.
    let for_others: Vec<u64> =
        series.iter().map(|each| in_rounds(each.server) - each.cpu_in_rounds).collect();
    let cells = series.into_iter().zip(for_others).map(|(each, others)| each.finish(others));
    let cells = cells.collect::<Result<_, _>>()?;
    Ok(Measured { row, connections, cells })
}

fn settle(series: &[Series]) -> Result<(), BenchError> {
    let servers: Vec<&Server> = series.iter().map(|each| each.server).collect();
    Ok(targets::settle(&servers)?)
}

impl<'a> Series<'a> {
    fn new(name: &'a str, server: &'a Server, row: Row, items: u64) -> Series<'a> {
        Series { name, server, row, items, rounds: Vec::new(), cpu_in_rounds: 0, cpu_at_start: 0 }
    }

    fn run(&mut self, connections: usize, seconds: f64) -> Result<(), BenchError> {
        let load = Load {
            address: self.server.address(),
            connections,
            time: Duration::from_secs_f64(seconds),
            most: 5_000_000,
        };
        let mut requests = Requests::new(self.row, self.items, connections);
        let before = self.server.cpu_us()?;
        let outcome =
            driver::run(load, 1, &mut requests).map_err(|error| BenchError::wrong(self.name, &error))?;
        self.cpu_in_rounds += self.server.cpu_us()? - before;
        self.rounds.push(outcome);
        Ok(())
    }

    fn finish(mut self, cpu_for_others: u64) -> Result<Cell, BenchError> {
        let requests: u64 = self.rounds.iter().map(Outcome::requests).sum();
        let all_cpu = self.server.cpu_us()? - self.cpu_at_start - cpu_for_others;
        let errors = self.rounds.iter().map(|round| round.errors).sum();
        let first_error =
            self.rounds.iter().find(|round| round.errors > 0).map(|round| round.first_error.clone());
        self.rounds.remove(0);
        let mut per_second = Vec::new();
        let mut latencies = [Vec::new(), Vec::new(), Vec::new()];
        for round in &mut self.rounds {
            per_second.push(round.requests() as f64 / round.took.as_secs_f64());
            for (share, found) in [0.5, 0.99, 0.999].into_iter().zip(&mut latencies) {
                found.push(percentile(&mut round.latencies[0], share) as f64 / 1000.0);
            }
        }
        let each = |cpu: u64| cpu as f64 / requests.max(1) as f64;
        Ok(Cell {
            target: self.name.to_owned(),
            requests,
            errors,
            first_error: first_error.unwrap_or_default(),
            per_second: median(&per_second),
            p50_us: median(&latencies[0]),
            p99_us: median(&latencies[1]),
            p999_us: median(&latencies[2]),
            cpu_us: each(all_cpu),
            later_us: each(all_cpu - self.cpu_in_rounds),
        })
    }
}

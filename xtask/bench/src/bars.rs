//! The bars that the product must stay under, and whether it does.

use crate::measure::Measured;
use crate::mixed::Mixed;
use crate::starts::Starts;
use crate::targets::{BARE, OURS, OURS_PLAIN};
use crate::workload::{ROWS, Row};

/// How often less CPU than `dynoxide` in memory every operation must use.
const LESS_CPU_THAN_DYNOXIDE: f64 = 3.0;
/// How often more durable writes a second than `dynoxide` on a file, with 64 connections.
const MORE_WRITES_THAN_DYNOXIDE: f64 = 8.0;
/// Of the write rate of a table without a stream, what one with a stream must keep.
const SHARE_WITH_A_STREAM: f64 = 0.85;
/// The 99th percentile of a single-item operation with 32 connections.
const P99_US: f64 = 5_000.0;
/// The longest answer of a mixed run.
const LONGEST_US: f64 = 100_000.0;

/// One bar.
#[derive(Clone, Debug)]
pub struct Bar {
    /// What is asked.
    pub what: String,
    /// What was measured, in the same unit as the limit.
    pub measured: f64,
    /// The limit.
    pub limit: f64,
    /// Whether more is better.
    pub at_least: bool,
}

impl Bar {
    /// True when the bar is kept.
    pub fn is_kept(&self) -> bool {
        if self.at_least { self.measured >= self.limit } else { self.measured <= self.limit }
    }

    fn at_most(what: impl Into<String>, measured: f64, limit: f64) -> Bar {
        Bar { what: what.into(), measured, limit, at_least: false }
    }

    fn at_least(what: impl Into<String>, measured: f64, limit: f64) -> Bar {
        Bar { what: what.into(), measured, limit, at_least: true }
    }
}

/// The bars of a comparison, at its largest number of connections.
pub fn of_rows(rows: &[Measured]) -> Vec<Bar> {
    let most = rows.iter().map(|measured| measured.connections).max().unwrap_or(0);
    let mut bars = Vec::new();
    for measured in rows.iter().filter(|measured| measured.connections == most) {
        let Row { name, bar, .. } = measured.row;
        let Some(ours) = measured.cell(OURS) else { continue };
        if let (Some(limit), Some(bare)) = (bar, measured.cell(BARE)) {
            bars.push(Bar::at_most(
                format!("{name}: server CPU as a multiple of the bare server's"),
                ours.cpu_us / bare.cpu_us,
                limit,
            ));
        }
        if let Some(plain) = measured.cell(OURS_PLAIN) {
            bars.push(Bar::at_least(
                format!("{name}: share of the writes a second that the plain table takes"),
                ours.per_second / plain.per_second,
                SHARE_WITH_A_STREAM,
            ));
        }
        if let Some(peer) = measured.cell("dynoxide-mem") {
            bars.push(Bar::at_least(
                format!("{name}: times less CPU than dynoxide in memory"),
                peer.cpu_us / ours.cpu_us,
                LESS_CPU_THAN_DYNOXIDE,
            ));
        }
        if let (true, 64, Some(peer)) = (measured.row.writes(), most, measured.cell("dynoxide-file")) {
            bars.push(Bar::at_least(
                format!("{name}: times more durable writes a second than dynoxide on a file"),
                ours.per_second / peer.per_second,
                MORE_WRITES_THAN_DYNOXIDE,
            ));
        }
    }
    for measured in rows.iter().filter(|measured| measured.connections == 32 && measured.row.is_single_item())
    {
        if let Some(ours) = measured.cell(OURS) {
            bars.push(Bar::at_most(
                format!("{}: p99 with 32 connections, µs", measured.row.name),
                ours.p99_us,
                P99_US,
            ));
        }
    }
    bars
}

/// The bars of a mixed run.
pub fn of_mixed(mixed: &Mixed) -> Vec<Bar> {
    let mut bars: Vec<Bar> = mixed
        .kinds
        .iter()
        .filter(|kind| ROWS.iter().any(|row| row.name == kind.name && row.is_single_item()))
        .map(|kind| Bar::at_most(format!("mixed {}: p99, µs", kind.name), kind.p99_us, P99_US))
        .collect();
    bars.push(Bar::at_most("mixed: the longest answer, µs", mixed.longest_us(), LONGEST_US));
    bars
}

/// The bars of starting and idling.
pub fn of_starts(starts: &Starts) -> Vec<Bar> {
    vec![
        Bar::at_most("start of an empty server to its first answer, ms", starts.first_answer_ms, 50.0),
        Bar::at_most("resident memory when idle, MB", starts.idle_mb, 30.0),
        Bar::at_most("binary, MB", starts.binary_mb, 20.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Cell;

    fn cell(target: &str, cpu_us: f64, per_second: f64) -> Cell {
        Cell {
            target: target.to_owned(),
            requests: 1,
            errors: 0,
            first_error: String::new(),
            per_second,
            p50_us: 1.0,
            p99_us: 4000.0,
            p999_us: 1.0,
            cpu_us,
            later_us: 0.0,
        }
    }

    #[test]
    fn ratios_are_taken_at_the_largest_number_of_connections() {
        let put = ROWS[4];
        let cells = |ours| {
            vec![
                cell(OURS, ours, 9000.0),
                cell(BARE, 10.0, 1.0),
                cell("dynoxide-mem", 150.0, 1.0),
                cell("dynoxide-file", 1.0, 1000.0),
            ]
        };
        let rows = [
            Measured { row: put, connections: 32, cells: cells(1000.0) },
            Measured { row: put, connections: 64, cells: cells(40.0) },
        ];
        let kept: Vec<(f64, bool)> = of_rows(&rows).iter().map(|bar| (bar.measured, bar.is_kept())).collect();
        assert_eq!(kept, [(4.0, true), (3.75, true), (9.0, true), (4000.0, true)]);
    }

    #[test]
    fn a_bar_is_kept_at_its_limit_and_not_beyond() {
        assert!(Bar::at_most("x", 5.0, 5.0).is_kept());
        assert!(!Bar::at_most("x", 5.1, 5.0).is_kept());
        assert!(Bar::at_least("x", 3.0, 3.0).is_kept());
        assert!(!Bar::at_least("x", 2.9, 3.0).is_kept());
    }
}

//! What is printed: tables for people, JSON for programs.

use serde_json::{Value, json};

use crate::bars::Bar;
use crate::measure::{Cell, Measured};
use crate::mixed::Mixed;
use crate::starts::Starts;
use crate::targets::{BARE, Loaded, Target};

/// All that was measured.
#[derive(Default)]
pub struct Report {
    pub machine: String,
    pub loads: Vec<Loaded>,
    pub starts: Option<Starts>,
    pub rows: Vec<Measured>,
    /// Rows that could not be measured.
    pub failed_rows: u32,
    pub mixed: Vec<Mixed>,
    pub bars: Vec<Bar>,
}

impl Report {
    /// An empty report about this machine.
    pub fn new() -> Report {
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let load: Vec<&str> = load.split_whitespace().take(3).collect();
        Report {
            machine: format!("{cores} cores, load {} at the start", load.join(" ")),
            ..Report::default()
        }
    }

    /// Remembers what loading cost.
    pub fn add_loads(&mut self, targets: &[Target]) {
        self.loads = targets.iter().flat_map(|target| target.loaded.clone()).collect();
    }

    /// Answers with an error status, anywhere.
    pub fn errors(&self) -> u64 {
        let in_rows = self.rows.iter().flat_map(|measured| &measured.cells).map(|cell| cell.errors);
        in_rows.chain(self.mixed.iter().map(|mixed| mixed.errors)).sum()
    }
}

/// Prints one measured row as soon as it is there.
#[allow(clippy::print_stdout, reason = "the table is this program's output")]
pub fn print_row(measured: &Measured, is_first: bool) {
    if is_first {
        println!(
            "{:<15} {:>4} {:<14} {:>9} {:>9} {:>9} {:>9} {:>8} {:>7} {:>7}",
            "OPERATION",
            "CONN",
            "SERVER",
            "REQ/s",
            "p50 µs",
            "p99 µs",
            "p99.9 µs",
            "CPU µs",
            "LATER",
            "x BARE"
        );
    }
    let bare = measured.cell(BARE).map_or(0.0, |cell| cell.cpu_us);
    for cell in &measured.cells {
        let ratio =
            if bare > 0.0 && cell.target != BARE { format!("{:.2}", cell.cpu_us / bare) } else { "-".into() };
        println!(
            "{:<15} {:>4} {:<14} {:>9.0} {:>9.0} {:>9.0} {:>9.0} {:>8.1} {:>7.1} {:>7}{}",
            measured.row.name,
            measured.connections,
            cell.target,
            cell.per_second,
            cell.p50_us,
            cell.p99_us,
            cell.p999_us,
            cell.cpu_us,
            cell.later_us,
            ratio,
            errors(cell.errors, &cell.first_error),
        );
    }
}

/// Prints a mixed run.
#[allow(clippy::print_stdout, reason = "the table is this program's output")]
pub fn print_mixed(mixed: &Mixed) {
    println!(
        "{}: {:.0} requests/s, {:.1} CPU µs a request, {:.0} MB resident{}",
        mixed.target,
        mixed.per_second,
        mixed.cpu_us,
        mixed.resident_mb,
        errors(mixed.errors, &mixed.first_error)
    );
    println!(
        "{:<15} {:>9} {:>9} {:>9} {:>9} {:>11}",
        "OPERATION", "REQUESTS", "p50 µs", "p99 µs", "p99.9 µs", "longest µs"
    );
    for kind in &mixed.kinds {
        println!(
            "{:<15} {:>9} {:>9.0} {:>9.0} {:>9.0} {:>11.0}",
            kind.name, kind.requests, kind.p50_us, kind.p99_us, kind.p999_us, kind.longest_us
        );
    }
}

/// Prints what loading cost.
#[allow(clippy::print_stdout, reason = "the table is this program's output")]
pub fn print_loads(loads: &[Loaded]) {
    for Loaded { target, table, per_second, cpu_us } in loads {
        let with = table.with();
        println!("loading {target}{with}: {per_second:.0} items/s, {cpu_us:.1} CPU µs an item");
    }
}

/// Prints the bars and whether each is kept.
#[allow(clippy::print_stdout, reason = "the table is this program's output")]
pub fn print_bars(bars: &[Bar]) {
    for bar in bars {
        println!(
            "{:<7} {:>9.2} {} {:<7} {}",
            if bar.is_kept() { "kept" } else { "MISSED" },
            bar.measured,
            if bar.at_least { "of at least" } else { "of at most " },
            bar.limit,
            bar.what
        );
    }
}

fn errors(count: u64, first: &str) -> String {
    if count == 0 { String::new() } else { format!("   FAILED: {count} errors, the first: {first}") }
}

/// The whole report as JSON.
pub fn to_json(report: &Report) -> Value {
    let cell = |cell: &Cell| {
        json!({
            "server": cell.target, "requests": cell.requests, "errors": cell.errors, "first_error": cell.first_error,
            "requests_per_second": cell.per_second, "p50_us": cell.p50_us, "p99_us": cell.p99_us,
            "p999_us": cell.p999_us, "cpu_us": cell.cpu_us, "of_it_between_rounds_us": cell.later_us,
        })
    };
    let rows: Vec<Value> = report
        .rows
        .iter()
        .map(|measured| {
            json!({
                "operation": measured.row.name, "connections": measured.connections,
                "servers": measured.cells.iter().map(cell).collect::<Vec<_>>(),
            })
        })
        .collect();
    let mixed: Vec<Value> = report.mixed.iter().map(mixed_to_json).collect();
    let bars: Vec<Value> = report
        .bars
        .iter()
        .map(|bar| {
            json!({ "what": bar.what, "measured": bar.measured, "limit": bar.limit, "at_least": bar.at_least, "kept": bar.is_kept() })
        })
        .collect();
    let loads: Vec<Value> = report
        .loads
        .iter()
        .map(|load| {
            json!({
                "server": load.target, "table": load.table.name(), "items_per_second": load.per_second,
                "cpu_us": load.cpu_us,
            })
        })
        .collect();
    let starts = report.starts.as_ref().map(|starts| {
        json!({ "first_answer_ms": starts.first_answer_ms, "idle_mb": starts.idle_mb, "binary_mb": starts.binary_mb })
    });
    json!({ "machine": report.machine, "loads": loads, "starts": starts, "rows": rows, "failed_rows": report.failed_rows, "mixed": mixed, "bars": bars })
}

fn mixed_to_json(mixed: &Mixed) -> Value {
    let kinds: Vec<Value> = mixed
        .kinds
        .iter()
        .map(|kind| {
            json!({
                "operation": kind.name, "requests": kind.requests, "p50_us": kind.p50_us, "p99_us": kind.p99_us,
                "p999_us": kind.p999_us, "longest_us": kind.longest_us,
            })
        })
        .collect();
    json!({
        "server": mixed.target, "requests_per_second": mixed.per_second, "cpu_us": mixed.cpu_us,
        "errors": mixed.errors, "resident_mb": mixed.resident_mb, "operations": kinds,
    })
}

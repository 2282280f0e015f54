//! The benchmark: the release binary under load over loopback, beside a bare HTTP server that
//! answers the same bytes and beside other servers, in interleaved rounds.

mod bars;
mod driver;
mod measure;
mod mixed;
mod random;
mod report;
mod starts;
mod stats;
mod targets;
mod template;
mod workload;

use std::fmt::Display;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use dynamometer_harness::StartError;

use report::Report;
use workload::{ROWS, Row};

/// Measures the release binary beside a bare HTTP server and beside other servers
#[derive(Parser, Debug)]
#[command(bin_name = "cargo xtask bench")]
pub struct Options {
    /// What to measure
    #[arg(value_enum, default_values = ["start", "rows"])]
    parts: Vec<Part>,
    /// Only these operations
    #[arg(long, value_delimiter = ',', value_parser = row)]
    only: Vec<Row>,
    /// Numbers of connections; the ratios are judged at the largest
    #[arg(long, value_delimiter = ',', default_value = "1,8,32,64")]
    connections: Vec<usize>,
    /// Items in each table, 1 KB each; a multiple of 1,000
    #[arg(long, default_value_t = 100_000)]
    items: u64,
    /// Items in each table of the other servers, at most: some load slowly, and fewer favour them
    #[arg(long, default_value_t = 20_000)]
    peer_items: u64,
    /// Rounds of each server in each row, after a short one to warm up
    #[arg(long, default_value_t = 3)]
    rounds: u32,
    /// Seconds of each round
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Seconds of the mixed run
    #[arg(long, default_value_t = 60.0)]
    mixed_seconds: f64,
    /// Keep our data in memory instead of on disk
    #[arg(long)]
    in_memory: bool,
    /// Our server's block cache. With fewer MB than the items take (two tables, 1 KB an item), reads
    /// go past it: `--cache-mb 64 --items 1000000`
    #[arg(long, value_name = "MB", default_value_t = 512)]
    cache_mb: u64,
    /// One more argument for our server; may be repeated
    #[arg(long = "server-arg", value_name = "ARG", allow_hyphen_values = true)]
    server_args: Vec<String>,
    /// Another server's program, `dynoxide=PATH` or `dynalite=PATH`; found in PATH without it
    #[arg(long = "peer", value_name = "NAME=PATH", value_parser = peer)]
    peers: Vec<(String, PathBuf)>,
    /// Do not look for other servers in PATH
    #[arg(long)]
    no_peers: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    /// Fail when a bar is missed
    #[arg(long)]
    check: bool,
    /// Our server's program
    #[arg(
        long,
        env = "DYNO_BENCH_BINARY",
        value_name = "PATH",
        default_value = "target/release/dyno",
        hide = true
    )]
    dyno: PathBuf,
    /// Where data and logs go
    #[arg(long, env = "DYNO_BENCH_FOLDER", value_name = "PATH", default_value = "target/bench", hide = true)]
    folder: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Time to the first answer, idle memory, size of the binary
    Start,
    /// Each operation by itself
    Rows,
    /// All operations at once on 32 connections: the longest answer
    Mixed,
}

fn row(name: &str) -> Result<Row, String> {
    let names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
    ROWS.iter()
        .find(|row| row.name == name)
        .copied()
        .ok_or_else(|| format!("the operations are {}", names.join(", ")))
}

fn peer(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name @ ("dynoxide" | "dynalite"), path)) => Ok((name.to_owned(), PathBuf::from(path))),
        _ => Err("write dynoxide=PATH or dynalite=PATH".to_owned()),
    }
}

/// Why there is no measurement.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A server did not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A file or a connection.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A server did not do what it should.
    #[error("{server}: {what}")]
    Wrong {
        /// Which.
        server: String,
        /// What it did.
        what: String,
    },
    /// The arguments make no sense.
    #[error("{0}")]
    Arguments(String),
}

impl BenchError {
    /// A server did not do what it should.
    pub fn wrong(server: &str, what: &dyn Display) -> BenchError {
        BenchError::Wrong { server: server.to_owned(), what: what.to_string() }
    }
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(is_well) if is_well => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Measures what was asked for; false when a row failed, answers had errors, or a bar was missed
/// under `--check`.
fn run(options: &Options) -> Result<bool, BenchError> {
    if [options.items, options.peer_items].iter().any(|&items| items == 0 || !items.is_multiple_of(1000)) {
        return Err(BenchError::Arguments("--items and --peer-items must be multiples of 1,000".to_owned()));
    }
    std::fs::create_dir_all(&options.folder)?;
    let mut report = Report::new();
    eprintln!("{}; {} items a table, cache {} MB", report.machine, options.items, options.cache_mb);
    if options.parts.contains(&Part::Start) {
        let starts = starts::run(options)?;
        report.bars.extend(bars::of_starts(&starts));
        report.starts = Some(starts);
    }
    if options.parts.contains(&Part::Rows) || options.parts.contains(&Part::Mixed) {
        let targets = targets::start_all(options)?;
        report.add_loads(&targets);
        if !options.json {
            report::print_loads(&report.loads);
        }
        if options.parts.contains(&Part::Rows) {
            run_rows(options, &targets, &mut report)?;
            report.bars.extend(bars::of_rows(&report.rows));
        }
        if options.parts.contains(&Part::Mixed) {
            run_mixed(options, &targets[0], &mut report)?;
        }
    }
    print(options, &report);
    let _ = std::fs::remove_dir_all(options.folder.join("data"));
    let is_kept = report.bars.iter().all(bars::Bar::is_kept);
    Ok(report.errors() == 0 && report.failed_rows == 0 && (is_kept || !options.check))
}

fn run_rows(options: &Options, targets: &[targets::Target], report: &mut Report) -> Result<(), BenchError> {
    for row in ROWS.into_iter().filter(|row| options.only.is_empty() || options.only.contains(row)) {
        for &connections in &options.connections {
            let measured = match measure::measure(targets, row, connections, options) {
                Ok(measured) => measured,
                Err(error) => {
                    eprintln!("{} with {connections} connections FAILED: {error}", row.name);
                    report.failed_rows += 1;
                    continue;
                }
            };
            if options.json {
                eprintln!("{} with {connections} connections", row.name);
            } else {
                report::print_row(&measured, report.rows.is_empty());
            }
            report.rows.push(measured);
        }
    }
    Ok(())
}

fn run_mixed(options: &Options, target: &targets::Target, report: &mut Report) -> Result<(), BenchError> {
    eprintln!("mixed run of {} s", options.mixed_seconds);
    let mixed = mixed::run(target, options.mixed_seconds)?;
    if !options.json {
        report::print_mixed(&mixed);
    }
    report.bars.extend(bars::of_mixed(&mixed));
    report.mixed.push(mixed);
    Ok(())
}

#[allow(clippy::print_stdout, reason = "the report is this program's output")]
fn print(options: &Options, report: &Report) {
    if options.json {
        println!("{:#}", report::to_json(report));
    } else {
        report::print_bars(&report.bars);
    }
}

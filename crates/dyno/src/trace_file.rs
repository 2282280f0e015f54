//! Traces in files.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use dynamometer_capacity::trace::{Event, TraceReader};

use crate::problem::Problem;

/// Reads a trace event by event; `take` gets each with the number of its line.
pub fn read_trace(file: &Path, mut take: impl FnMut(Event, u64)) -> Result<(), Problem> {
    let name = file.display().to_string();
    let open = File::open(file).map_err(|error| Problem::wrong(format!("{name}: {error}")))?;
    let mut reader = TraceReader::new(&name);
    for line in BufReader::new(open).lines() {
        let line = line.map_err(|error| Problem::wrong(format!("{name}:{}: {error}", reader.line() + 1)))?;
        if let Some(event) = reader.read(&line).map_err(Problem::wrong)? {
            take(event, reader.line());
        }
    }
    reader.end().map_err(Problem::wrong)
}

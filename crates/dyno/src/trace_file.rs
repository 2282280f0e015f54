//! Traces in files.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use dynamometer_capacity::trace::{Event, TraceReader};

use crate::files::{unreadable, why_not_read};
use crate::problem::Problem;

/// Reads a trace event by event; `take` gets each with the number of its line. A last line that was cut off, because the
/// disk was full or the server was killed, is left out, which is said.
pub fn read_trace(file: &Path, mut take: impl FnMut(Event, u64)) -> Result<(), Problem> {
    let name = file.display().to_string();
    let open = File::open(file).map_err(|error| unreadable(file, &error))?;
    let (mut reader, mut text) = (TraceReader::new(&name), BufReader::new(open));
    let mut line = String::new();
    while text
        .read_line(&mut line)
        .map_err(|error| Problem::wrong(format!("{name}:{}: {}", reader.line() + 1, why_not_read(&error))))?
        > 0
    {
        // What is left of it may read like a whole line.
        if reader.line() > 0 && !line.ends_with('\n') {
            eprintln!("note: the last line of {name} is cut off and left out");
            break;
        }
        if let Some(event) = reader.read(&line).map_err(Problem::wrong)? {
            take(event, reader.line());
        }
        line.clear();
    }
    reader.end().map_err(Problem::wrong)
}

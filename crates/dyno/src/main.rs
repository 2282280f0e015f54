//! `dyno`: the command line.

mod args;
mod client;
mod cost;
mod deploy;
mod design;
mod files;
mod fixtures;
mod greeting;
mod invocation;
mod load;
mod open_files;
mod planes;
mod problem;
mod record;
mod report;
mod serve;
mod simulate;
mod trace_file;

use std::io::Write;
use std::process::ExitCode;

use args::Command;
use dynamometer_capacity::quantity;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let command_line = invocation::read(std::env::args_os()).unwrap_or_else(|error| error.exit());
    let done = match command_line.command() {
        Command::Serve(args) => serve::serve(*args).map(|()| ExitCode::SUCCESS),
        Command::Report(args) => report::report(&args).map(print),
        Command::Cost(args) => cost::cost(&args).map(print),
        Command::Planes(command) => planes::planes(command).map(print),
        Command::Simulate(args) => simulate::simulate(&args).map(print),
        Command::Deploy(args) => deploy::deploy(&args).map(print),
        Command::Load(args) => load::load(&args).map(|(text, code)| {
            print(text);
            code
        }),
        Command::Design(args) => design::design(&args).map(|(text, code)| {
            print(text);
            code
        }),
    };
    match done {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("error: {problem}");
            if let Some(hint) = problem.hint {
                eprintln!("hint: {hint}");
            }
            ExitCode::from(problem.exit_code)
        }
    }
}

/// Prints to stdout. A reader that left early, as `head` does, is no failure.
fn print(text: String) -> ExitCode {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
    ExitCode::SUCCESS
}

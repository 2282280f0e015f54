//! `dyno`: the command line.

mod args;
mod fixtures;
mod report;
mod serve;

use std::process::ExitCode;

use args::Task;
use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let command_line = args::CommandLine::parse_from(args::understand_local_flags(std::env::args_os()));
    let outcome = match command_line.task() {
        Task::Serve(args) => serve::serve(*args),
        Task::Report(args) => report::report(&args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            if let Some(hint) = problem.hint {
                eprintln!("hint: {hint}");
            }
            ExitCode::from(problem.exit_code)
        }
    }
}

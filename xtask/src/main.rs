//! `cargo xtask`: one entry point for people and CI, with the same names in both places.

mod ci;
mod conformance;
mod crash;
mod e2e;
mod layers;
mod project;
mod run;
mod stages;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use project::Project;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Checks, tests and measurements of this project")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Test or measure this program instead of building the release binary
    #[arg(long, global = true, value_name = "PATH")]
    binary: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Everything that a change must pass: format, clippy, layers, and all of `test`
    Ci,
    /// Sets up what is needed (Python and Node environments included) and runs every test
    Test,
    /// Compares the crate graph with the allowed edges
    Layers,
    /// Everyday work of real clients against the running release binary
    E2e {
        /// Only these clients
        #[arg(long, value_enum, value_delimiter = ',')]
        only: Vec<e2e::Suite>,
        /// Use this running server (it is expected to be empty); the restart check is then left out
        #[arg(long, value_name = "URL")]
        endpoint: Option<String>,
    },
    /// Kills a loaded server again and again and checks that nothing acknowledged is lost
    Crash(crash::Options),
    /// Measures the release binary beside a bare HTTP server and beside other servers
    #[command(disable_help_flag = true)]
    Bench {
        /// Passed on; `cargo xtask bench --help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Runs a checked-out public conformance suite (npm, vitest), prints counts per tier, and fails when a test fails that
    /// is not listed in xtask/conformance-expected.txt
    Conformance {
        /// The suite's folder
        directory: PathBuf,
        /// Use this running server instead of a fresh one
        #[arg(long, value_name = "URL")]
        endpoint: Option<String>,
        /// Only test files whose path contains this
        #[arg(long)]
        filter: Option<String>,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = Project::find().map(|found| Project { binary: arguments.binary, ..found });
    let outcome = outcome.and_then(|project| match arguments.command {
        Command::Ci => ci::run(&project),
        Command::Test => ci::test(&project),
        Command::Layers => layers::check(&project),
        Command::E2e { only, endpoint } => e2e::run(&project, &only, endpoint.as_deref()),
        Command::Crash(options) => crash::run(&project, &options),
        Command::Bench { arguments } => ci::bench(&project, &arguments),
        Command::Conformance { directory, endpoint, filter } => {
            conformance::run(&project, &directory, endpoint.as_deref(), filter.as_deref())
        }
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

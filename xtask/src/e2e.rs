//! Real clients at their everyday work, against the release binary.
//!
//! Each suite is first run whole against an empty in-memory server (the widest, boto3, on a durable
//! folder too, and then on a server that enforces throttling on a manual clock). Then comes its restart check: a server on a durable folder is written to, killed as
//! by a power cut, started again on the same folder, and read. The suites know nothing of
//! processes: they get an endpoint, and for the restart check which half they are (`DYNO_RESTART`
//! = `before` or `after`).

mod examples;
mod s3;
mod suites;

use std::path::Path;
use std::time::Duration;

use clap::ValueEnum;
use dynamometer_harness::{Launch, Server};

use crate::project::Project;
use crate::run::Failure;
use crate::stages::Stages;
use suites::Part;

/// A client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Suite {
    /// The AWS SDK for Python: client and resource interfaces
    Boto3,
    /// The AWS command line
    Cli,
    /// The AWS SDK for JavaScript v3, with its document client
    Js,
    /// PynamoDB, an object mapper for Python
    Pynamodb,
    /// `ElectroDB`, an object mapper for TypeScript and JavaScript
    Electrodb,
    /// The AWS SDK for Rust
    Rust,
    /// The programs in `examples/`
    Examples,
    /// What `dyno design` writes, before the tools that it is written for
    Design,
    /// Large values of the two-table library in S3
    S3,
    /// Terraform with its AWS provider, where they are installed
    Terraform,
}

impl Suite {
    /// All of them, the quickest to prepare first.
    pub const ALL: [Suite; 10] = [
        Suite::Boto3,
        Suite::Pynamodb,
        Suite::Cli,
        Suite::Js,
        Suite::Electrodb,
        Suite::Design,
        Suite::Terraform,
        Suite::Rust,
        Suite::Examples,
        Suite::S3,
    ];

    /// What its stage is called.
    pub fn stage(self) -> &'static str {
        match self {
            Suite::Boto3 => "e2e boto3",
            Suite::Cli => "e2e cli",
            Suite::Js => "e2e js",
            Suite::Pynamodb => "e2e pynamodb",
            Suite::Electrodb => "e2e electrodb",
            Suite::Rust => "e2e rust",
            Suite::Examples => "e2e examples",
            Suite::Design => "e2e design",
            Suite::S3 => "e2e s3",
            Suite::Terraform => "e2e terraform",
        }
    }
}

/// Runs the chosen suites (all when none is named), building the release binary unless an
/// endpoint is given.
///
/// # Errors
/// Names the suites that did not pass.
pub fn run(project: &Project, only: &[Suite], endpoint: Option<&str>) -> Result<(), Failure> {
    let mut stages = Stages::new();
    if endpoint.is_none() {
        stages.run("release build", || project.build_release());
    }
    for suite in Suite::ALL {
        if !only.is_empty() && !only.contains(&suite) {
            continue;
        }
        match endpoint {
            Some(_) => stages.run(suite.stage(), || run_suite(project, suite, endpoint)),
            None => stages.run_after("release build", suite.stage(), || run_suite(project, suite, None)),
        }
    }
    stages.finish()
}

/// Prepares one suite's environment and runs it.
///
/// # Errors
/// When it cannot be prepared, a server does not start, or a test fails.
pub fn run_suite(project: &Project, suite: Suite, endpoint: Option<&str>) -> Result<(), Failure> {
    if suite == Suite::Examples {
        return examples::run(project, endpoint);
    }
    if suite == Suite::S3 {
        return s3::run(project);
    }
    let environment = suites::prepare(project, suite)?;
    if let Some(endpoint) = endpoint {
        eprintln!("  the restart check is left out: the server at {endpoint} is not ours to kill");
        return environment.run(endpoint, Part::Whole);
    }
    let folder = project.scratch("e2e/servers")?;
    let name = suite.stage().replace(' ', "-");

    let server = start(project, &["--in-memory"], &folder.join(format!("{name}-memory.log")))?;
    let result = environment.run(&server.endpoint(), Part::Whole);
    check_end(server, result)?;
    if matches!(suite, Suite::Design | Suite::Terraform) {
        // They keep nothing in the server.
        return Ok(());
    }

    let data = folder.join(format!("{name}-data"));
    let _ = std::fs::remove_dir_all(&data);
    let data_flag = data.display().to_string();
    let durable = ["--data", data_flag.as_str()];
    let mut server = start(project, &durable, &folder.join(format!("{name}-before.log")))?;
    if suite == Suite::Boto3 {
        throttling(project, &environment, &folder)?;
        time(project, &environment, &folder)?;
        // The widest suite is run whole on the durable store too.
        environment.run(&server.endpoint(), Part::Whole)?;
    }
    environment.run(&server.endpoint(), Part::BeforeRestart)?;
    server.kill();
    let server = start(project, &durable, &folder.join(format!("{name}-after.log")))?;
    eprintln!("  restarted after a kill in {:.0?}", server.started_in());
    let result = environment.run(&server.endpoint(), Part::AfterRestart);
    check_end(server, result)?;
    let _ = std::fs::remove_dir_all(&data);
    Ok(())
}

/// The checks of throttling: they move the clock.
fn throttling(project: &Project, environment: &suites::Environment, folder: &Path) -> Result<(), Failure> {
    let args = ["--in-memory", "--clock", "manual", "--throttle", "enforce"];
    let server = start(project, &args, &folder.join("throttling.log"))?;
    let result = environment.run(&server.endpoint(), Part::Throttling);
    check_end(server, result)
}

/// The checks of what becomes of things with time, and of reads that lag: they move the clock.
fn time(project: &Project, environment: &suites::Environment, folder: &Path) -> Result<(), Failure> {
    let server = start(project, &["--in-memory", "--clock", "manual"], &folder.join("time.log"))?;
    let result = environment.run(&server.endpoint(), Part::Time);
    check_end(server, result)?;
    let args = ["--in-memory", "--clock", "manual", "--index-lag", "2s", "--read-lag", "1s"];
    let server = start(project, &args, &folder.join("lag.log"))?;
    let result = environment.run(&server.endpoint(), Part::Lag);
    check_end(server, result)
}

fn start(project: &Project, args: &[&str], log: &Path) -> Result<Server, Failure> {
    Launch::announcing(project.dyno(), log)
        .args(["--port", "0"])
        .args(args.iter().copied())
        .start()
        .map_err(|error| Failure::new(error.to_string()))
}

/// Shows the server's output when its suite failed; ends it gently, and insists that it obeys.
fn check_end(server: Server, result: Result<(), Failure>) -> Result<(), Failure> {
    if result.is_err() {
        eprintln!("  the server's output ends with:\n{}", server.output());
    }
    result?;
    server.terminate(Duration::from_secs(5)).map(|_| ()).map_err(Failure::new)
}

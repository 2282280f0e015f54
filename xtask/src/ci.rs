//! What CI runs and what the README's test command runs: lists of stages.

use crate::crash;
use crate::e2e;
use crate::layers;
use crate::project::Project;
use crate::run::{Failure, Run};
use crate::stages::Stages;

/// Format, clippy, layers, then every test.
///
/// # Errors
/// Names the stages that did not pass.
pub fn run(project: &Project) -> Result<(), Failure> {
    let mut stages = Stages::new();
    stages.run("format", || format(project));
    stages.run("layers", || layers::check(project));
    stages.run("clippy", || {
        // With the feature that nothing turns on by itself, or nothing would compile it.
        let s3 = "--features=dynamometer-planes/s3";
        project
            .cargo(["clippy", "--workspace", "--all-targets", s3, "--locked", "--", "--deny", "warnings"])
            .minutes(15)
            .go()
    });
    add_tests(project, &mut stages);
    stages.finish()
}

/// Every test.
///
/// # Errors
/// Names the stages that did not pass.
pub fn test(project: &Project) -> Result<(), Failure> {
    let mut stages = Stages::new();
    add_tests(project, &mut stages);
    stages.finish()
}

fn add_tests(project: &Project, stages: &mut Stages) {
    stages.run("tests", || cargo_tests(project));
    stages.run("doc tests", || project.cargo(["test", "--doc", "--workspace", "--locked", "--quiet"]).go());
    stages.run("release build", || project.build_release());
    stages.run_after("release build", "crash", || crash::run(project, &crash::Options::default()));
    for suite in e2e::Suite::ALL {
        stages.run_after("release build", suite.stage(), || e2e::run_suite(project, suite, None));
    }
}

fn format(project: &Project) -> Result<(), Failure> {
    project.cargo(["fmt", "--all", "--check"]).go()
}

/// All tests but documentation's and those that need a server of their own (they are stages for themselves): with nextest when it is installed, because it also bounds each test in time.
fn cargo_tests(project: &Project) -> Result<(), Failure> {
    let has_nextest = Run::new("cargo").args(["nextest", "--version"]).in_folder(&project.root).succeeds();
    let command = if has_nextest {
        project.cargo([
            "nextest",
            "run",
            "--workspace",
            "--exclude",
            "dynamometer-e2e",
            "--locked",
            "--no-fail-fast",
            "--status-level",
            "fail",
        ])
    } else {
        project.cargo([
            "test",
            "--workspace",
            "--exclude",
            "dynamometer-e2e",
            "--all-targets",
            "--locked",
            "--no-fail-fast",
            "--quiet",
        ])
    };
    command.minutes(20).go()
}

/// Builds the release binary and the benchmark, and runs the benchmark with the user's arguments.
///
/// # Errors
/// When a build fails, or the benchmark says so.
pub fn bench(project: &Project, arguments: &[String]) -> Result<(), Failure> {
    project.build_release()?;
    project.cargo(["build", "--release", "--locked", "--package", "dynamometer-bench"]).go()?;
    let folder = project.scratch("bench")?;
    let dyno = project.dyno();
    Run::new(project.target.join("release/dynamometer-bench"))
        .args(arguments)
        .env("DYNO_BENCH_BINARY", dyno)
        .env("DYNO_BENCH_FOLDER", folder)
        .minutes(120)
        .go()
}

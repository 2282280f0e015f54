//! Large values of the two-table library in S3, against moto's server: the same test that a person runs against S3 itself.

use dynamometer_harness::Launch;

use super::{check_end, suites};
use crate::project::Project;
use crate::run::Failure;

/// Starts a server that speaks S3, and runs the ignored test of `crates/planes` against it.
///
/// # Errors
/// When the server cannot be installed or started, or the test does not pass.
pub(super) fn run(project: &Project) -> Result<(), Failure> {
    let python = suites::python_environment(project, &project.root.join("e2e"), "s3")?;
    let port = Launch::free_port().map_err(|error| Failure::new(format!("no free port: {error}")))?;
    let log = project.scratch("e2e/servers")?.join("s3.log");
    let server = Launch::on_port(python.join("bin/moto_server"), port, log)
        .args(["-H".to_owned(), "127.0.0.1".to_owned(), "-p".to_owned(), port.to_string()])
        .start()
        .map_err(|error| Failure::new(error.to_string()))?;
    // Of the whole workspace, so that the AWS SDK has the features that the other tests built it with.
    let s3 = "--features=dynamometer-planes/s3";
    let result = project
        .cargo([
            "test",
            "--workspace",
            "--locked",
            "--quiet",
            s3,
            "--test",
            "planes",
            "--",
            "--ignored",
            "s3::",
        ])
        .env("S3_ENDPOINT", server.endpoint())
        .env("DYNO_BIN", project.dyno())
        .env("NO_PROXY", "127.0.0.1,localhost")
        .minutes(15)
        .go();
    check_end(server, result)
}

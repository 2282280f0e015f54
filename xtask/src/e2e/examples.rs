//! The programs in `examples/`, as a person would run them: a fresh server, the tables deployed, one program after another.
//! Each checks itself and fails by its exit code; that they understand each other's items is checked here.

use std::path::Path;

use super::suites::{self, Part};
use super::{check_end, start};
use crate::project::Project;
use crate::run::{Failure, Run};

/// The Rust programs.
const RUST: [&str; 2] = ["first-steps", "stock-research"];

/// Runs all of them, against a server of their own unless there is one.
///
/// # Errors
/// When one cannot be prepared or does not pass.
pub(super) fn run(project: &Project, endpoint: Option<&str>) -> Result<(), Failure> {
    let node = suites::node_environment(project, &project.root.join("examples"), "examples")?;
    let python = suites::python_environment(project, &project.root.join("e2e"), "python")?;
    // The whole workspace's features, so that the AWS SDK is not built a second time.
    let examples = RUST.into_iter().flat_map(|name| ["--example", name]);
    project.cargo(["build", "--workspace", "--locked"].into_iter().chain(examples)).minutes(15).go()?;
    let tools = Tools { project, node: &node, python: &python };
    if let Some(endpoint) = endpoint {
        return tools.run(endpoint);
    }
    let folder = project.scratch("e2e/servers")?;
    let table = project.root.join("examples/orders/table.json").display().to_string();
    let server = start(project, &["--in-memory", "--fixtures", &table], &folder.join("examples.log"))?;
    let result = tools.run(&server.endpoint());
    check_end(server, result)
}

struct Tools<'a> {
    project: &'a Project,
    node: &'a Path,
    python: &'a Path,
}

impl Tools<'_> {
    fn run(&self, endpoint: &str) -> Result<(), Failure> {
        let settings = |command: Run| suites::with_client_settings(command, endpoint, Part::Whole);
        let bin = self.node.join("node_modules/.bin");
        let tsx = |file: &str| settings(Run::new(bin.join("tsx")).args([file]).in_folder(self.node));
        let rust = |name: &str| settings(Run::new(self.project.target.join("debug/examples").join(name)));

        Run::new(bin.join("tsc")).args(["--noEmit"]).in_folder(self.node).go()?;
        settings(Run::new(self.project.dyno()).args(["planes", "deploy", "--prefix", "my-app"])).go()?;
        let example = self.project.root.join("examples/first-steps/example.py");
        settings(Run::new(self.python.join("bin/python")).args([example])).go()?;
        tsx("first-steps/example.ts").go()?;
        let said = rust("first-steps").output()?;
        for language in ["Python", "TypeScript", "Rust"] {
            if !said.contains(&format!("149.3, written by {language}")) {
                return Err(Failure::new(format!("Rust does not see what {language} wrote:\n{said}")));
            }
        }
        rust("stock-research").go()?;
        tsx("orders/orders.ts").go()
    }
}

//! How each suite is prepared and run. Everything it installs goes under the target folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Suite;
use crate::project::Project;
use crate::run::{Failure, Run};

/// Which part of a suite is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All but the restart check.
    Whole,
    /// The checks of throttling, on a server with a manual clock; boto3 alone has them.
    Throttling,
    /// The checks of what becomes of things with time, on a server with a manual clock; boto3 alone has them.
    Time,
    /// The checks of reads that lag, likewise.
    Lag,
    /// The half of the restart check that writes.
    BeforeRestart,
    /// The half that reads, after the server was killed and started again.
    AfterRestart,
}

/// A prepared suite: the command that runs each part.
pub struct Environment {
    suite: Suite,
    root: PathBuf,
    /// The Python environment, or the folder with `node_modules`, or Cargo's target folder.
    home: PathBuf,
    /// The folder with `node_modules` that a suite in Python needs too.
    node: Option<PathBuf>,
    /// The program under test, for what its command line shows.
    dyno: PathBuf,
}

/// Installs what the suite needs, unless it is already there.
///
/// # Errors
/// When an installation fails.
pub fn prepare(project: &Project, suite: Suite) -> Result<Environment, Failure> {
    let root = project.root.join("e2e");
    let home = match suite {
        Suite::Boto3 | Suite::Pynamodb | Suite::Cli | Suite::Terraform => {
            python_environment(project, &root, "python")?
        }
        Suite::Js | Suite::Electrodb => node_environment(project, &root.join("js"), "js")?,
        Suite::Rust | Suite::Examples | Suite::S3 => project.target.clone(),
        Suite::Design => python_environment(project, &root, "design")?,
    };
    let node = match suite {
        Suite::Design => Some(node_environment(project, &root.join("design"), "design-node")?),
        _ => None,
    };
    Ok(Environment { suite, root, home, node, dyno: project.dyno() })
}

impl Environment {
    /// Runs a part against a server.
    ///
    /// # Errors
    /// When a test fails.
    pub fn run(&self, endpoint: &str, part: Part) -> Result<(), Failure> {
        let command = match self.suite {
            Suite::Boto3 => self.pytest("test_boto3", part),
            Suite::Pynamodb => self.pytest("test_pynamodb", part),
            Suite::Cli => self.pytest("test_cli", part),
            Suite::Js => self.node("sdk", part)?,
            Suite::Electrodb => self.node("electrodb", part)?,
            Suite::Rust | Suite::Examples | Suite::S3 => self.cargo(part),
            Suite::Design => self.design(),
            // It says why it is skipped, if it is.
            Suite::Terraform => self.pytest("test_terraform", part).args(["-rs"]).minutes(15),
        };
        with_client_settings(command, endpoint, part).go()
    }

    fn pytest(&self, folder: &str, part: Part) -> Run {
        let restart = format!("{folder}/test_restart.py");
        let tests = match part {
            Part::Whole => vec![folder.to_owned(), format!("--ignore={restart}")],
            Part::Throttling => vec!["test_throttling".to_owned()],
            Part::Time => vec!["test_time".to_owned()],
            Part::Lag => vec!["test_lag".to_owned()],
            Part::BeforeRestart | Part::AfterRestart => vec![restart],
        };
        let path = self.home.join("bin");
        Run::new(path.join("python"))
            .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
            .args(tests)
            .in_folder(&self.root.join("python"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("DYNO_E2E_BIN", path)
            .env("DYNO_BIN", &self.dyno)
    }

    fn design(&self) -> Run {
        let command = Run::new(self.home.join("bin/python"))
            .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
            .in_folder(&self.root.join("design"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("DYNO_BIN", &self.dyno)
            .minutes(15);
        match &self.node {
            Some(node) => command.env("DYNO_E2E_NODE", node),
            None => command,
        }
    }

    /// Names each test file, because Node.js 20 knows no patterns.
    fn node(&self, folder: &str, part: Part) -> Result<Run, Failure> {
        let is_wanted = |name: &str| match part {
            Part::Whole | Part::Throttling | Part::Time | Part::Lag => {
                name.ends_with(".test.js") && name != RESTART_JS
            }
            Part::BeforeRestart | Part::AfterRestart => name == RESTART_JS,
        };
        let entries = fs::read_dir(self.home.join(folder))
            .map_err(|error| Failure::new(format!("cannot read the tests in {folder}: {error}")))?;
        let mut files: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| is_wanted(name))
            .map(|name| format!("{folder}/{name}"))
            .collect();
        files.sort();
        Ok(Run::new("node")
            .args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
            .args(files)
            .in_folder(&self.home))
    }

    /// Of the whole workspace, because features are chosen for all selected packages together: the AWS SDK is then the
    /// one that the other tests were built with, and not built again.
    fn cargo(&self, part: Part) -> Run {
        let target = if part == Part::Whole { "everyday" } else { "restart" };
        Run::new("cargo")
            .args(["test", "--workspace", "--locked", "--quiet", "--test", target])
            .in_folder(&self.root)
            .env("CARGO_TARGET_DIR", &self.home)
            .minutes(15)
    }
}

/// Settings that every AWS client reads: credentials that mean nothing, no configuration files of
/// the person's own, and no retries, so that an answer that a retry would hide fails the test.
pub(super) fn with_client_settings(command: Run, endpoint: &str, part: Part) -> Run {
    let command = command
        .env("DYNO_ENDPOINT", endpoint)
        .env("AWS_ENDPOINT_URL_DYNAMODB", endpoint)
        .env("AWS_ENDPOINT_URL_DYNAMODB_STREAMS", endpoint)
        .env("AWS_ACCESS_KEY_ID", "e2e")
        .env("AWS_SECRET_ACCESS_KEY", "e2e")
        .env("AWS_REGION", "us-east-1")
        .env("AWS_DEFAULT_REGION", "us-east-1")
        .env("AWS_CONFIG_FILE", "/dev/null")
        .env("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .env("AWS_MAX_ATTEMPTS", "1")
        .env("AWS_PAGER", "")
        .env("AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED", "true")
        .env("NO_PROXY", "127.0.0.1,localhost")
        .without_env("AWS_PROFILE")
        .without_env("AWS_SESSION_TOKEN")
        .without_env("AWS_ENDPOINT_URL");
    match part {
        Part::Whole | Part::Throttling | Part::Time | Part::Lag => command.without_env("DYNO_RESTART"),
        Part::BeforeRestart => command.env("DYNO_RESTART", "before"),
        Part::AfterRestart => command.env("DYNO_RESTART", "after"),
    }
}

/// A virtual environment with the pinned packages of a folder; made again when the pins change.
pub(super) fn python_environment(project: &Project, root: &Path, name: &str) -> Result<PathBuf, Failure> {
    let home = project.scratch("e2e")?.join(name);
    let pins = root.join(name).join("requirements.txt");
    if is_installed(&home, &pins) {
        return Ok(home);
    }
    let _ = fs::remove_dir_all(&home);
    Run::new("python3").args(["-m", "venv"]).args([&home]).go()?;
    Run::new(home.join("bin/python"))
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--requirement",
        ])
        .args([&pins])
        .go()?;
    mark_installed(&home, &pins)?;
    Ok(home)
}

/// A copy of JavaScript programs under the target folder, beside their `node_modules`, because Node.js looks for packages
/// only in the folders above a file. The packages are installed again when the lock file changes.
pub(super) fn node_environment(project: &Project, source: &Path, name: &str) -> Result<PathBuf, Failure> {
    let home = project.scratch("e2e")?.join(name);
    copy_tree(source, &home).map_err(|error| cannot_write(&home, &error))?;
    let lock = source.join("package-lock.json");
    if is_installed(&home, &lock) {
        return Ok(home);
    }
    Run::new("npm").args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]).in_folder(&home).go()?;
    mark_installed(&home, &lock)?;
    Ok(home)
}

const RESTART_JS: &str = "restart.test.js";

const STAMP: &str = ".installed";

/// True when the folder was installed from exactly these pins.
fn is_installed(home: &Path, pins: &Path) -> bool {
    match (fs::read(home.join(STAMP)), fs::read(pins)) {
        (Ok(installed), Ok(wanted)) => installed == wanted,
        _ => false,
    }
}

fn mark_installed(home: &Path, pins: &Path) -> Result<(), Failure> {
    fs::copy(pins, home.join(STAMP)).map(|_| ()).map_err(|error| cannot_write(home, &error))
}

fn cannot_write(folder: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("cannot write to {}: {error}", folder.display()))
}

/// Copies a folder's files, leaving out what npm makes and removing tests that are no longer there.
fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), target)?;
        } else if entry.file_name() != "node_modules" {
            let _ = fs::remove_dir_all(&target);
            copy_tree(&entry.path(), &target)?;
        }
    }
    Ok(())
}

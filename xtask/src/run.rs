//! Running commands: printed, bounded in time, failing with a sentence.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Why something failed, as a sentence for the person who ran it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Failure(String);

impl Failure {
    /// A failure with this sentence.
    pub fn new(sentence: impl Into<String>) -> Failure {
        Failure(sentence.into())
    }
}

/// A command to run. It is printed first unless quiet, and killed when its time is over.
pub struct Run {
    program: OsString,
    args: Vec<OsString>,
    folder: Option<PathBuf>,
    env: Vec<(String, OsString)>,
    unset: Vec<String>,
    limit: Duration,
    quiet: bool,
}

impl Run {
    /// A command without arguments.
    pub fn new(program: impl Into<OsString>) -> Run {
        Run {
            program: program.into(),
            args: Vec::new(),
            folder: None,
            env: Vec::new(),
            unset: Vec::new(),
            limit: Duration::from_secs(10 * 60),
            quiet: false,
        }
    }

    /// Adds arguments.
    pub fn args<S: Into<OsString>>(mut self, args: impl IntoIterator<Item = S>) -> Run {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Runs it in this folder.
    pub fn in_folder(mut self, folder: &Path) -> Run {
        self.folder = Some(folder.to_owned());
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Run {
        self.env.push((name.to_owned(), value.into()));
        self
    }

    /// Hides an environment variable.
    pub fn without_env(mut self, name: &str) -> Run {
        self.unset.push(name.to_owned());
        self
    }

    /// Kills it after so many minutes (10 unless said).
    pub fn minutes(mut self, minutes: u64) -> Run {
        self.limit = Duration::from_secs(minutes * 60);
        self
    }

    /// Does not print the command.
    pub fn quiet(mut self) -> Run {
        self.quiet = true;
        self
    }

    /// Runs it to its end with our output.
    ///
    /// # Errors
    /// When it cannot be run, fails, or takes too long.
    pub fn go(self) -> Result<(), Failure> {
        let status = self.status()?;
        if status.success() { Ok(()) } else { Err(Failure(format!("`{self}` failed ({status})"))) }
    }

    /// Runs it to its end with our output and gives its exit status.
    ///
    /// # Errors
    /// When it cannot be run or takes too long.
    pub fn status(&self) -> Result<ExitStatus, Failure> {
        let child = self.command().spawn().map_err(|error| self.cannot_run(&error))?;
        self.wait(child)
    }

    /// Runs it and gives what it printed on stdout.
    ///
    /// # Errors
    /// When it cannot be run or fails.
    pub fn output(self) -> Result<String, Failure> {
        let output = self
            .command()
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .output()
            .map_err(|error| self.cannot_run(&error))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(Failure(format!("`{self}` failed ({}): {}", output.status, said.trim())));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// True when the command can be run and succeeds; prints nothing.
    pub fn succeeds(self) -> bool {
        self.quiet().command().stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
    }

    fn command(&self) -> Command {
        if !self.quiet {
            eprintln!("  $ {self}");
        }
        let mut command = Command::new(&self.program);
        command.args(&self.args).envs(self.env.iter().map(|(name, value)| (name, value)));
        for name in &self.unset {
            command.env_remove(name);
        }
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
    }

    fn wait(&self, mut child: Child) -> Result<ExitStatus, Failure> {
        let began = Instant::now();
        loop {
            match child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) if began.elapsed() > self.limit => {
                    let _ = child.kill();
                    let _ = child.wait();
                    let minutes = self.limit.as_secs() / 60;
                    return Err(Failure(format!(
                        "`{self}` was stopped: it ran longer than {minutes} minutes"
                    )));
                }
                Ok(None) => std::thread::sleep(Duration::from_millis(20)),
                Err(error) => return Err(Failure(format!("`{self}` could not be waited for: {error}"))),
            }
        }
    }

    fn cannot_run(&self, error: &std::io::Error) -> Failure {
        let program = self.program.to_string_lossy();
        let hint = match (&*program, error.kind()) {
            ("npm" | "node", std::io::ErrorKind::NotFound) => ": install Node.js 20 or newer, with npm",
            ("python3", std::io::ErrorKind::NotFound) => ": install Python 3.10 or newer, with venv",
            _ => "",
        };
        Failure(format!("cannot run `{program}`: {error}{hint}"))
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.program.to_string_lossy())?;
        for arg in &self.args {
            let arg = arg.to_string_lossy();
            if arg.is_empty() || arg.contains(' ') { write!(f, " '{arg}'")? } else { write!(f, " {arg}")? }
        }
        Ok(())
    }
}

//! A server process: started, found, measured, killed.

use std::fs::{self, File};
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use thiserror::Error;

/// How often a starting server is looked at. Short, because its start time is reported.
const POLL: Duration = Duration::from_millis(1);

/// The kernel's clock ticks a second, in which `/proc/PID/stat` counts CPU time. It is 100 on
/// every Linux that Rust runs on; asking for it would need a C call.
const TICKS_PER_SECOND: u64 = 100;

/// Why a server did not come up.
#[derive(Debug, Error)]
pub enum StartError {
    /// The program could not be run at all.
    #[error("cannot run {program}: {source}")]
    Spawn {
        /// The program's path.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// The log file could not be made.
    #[error("cannot write the server's log {path}: {source}")]
    Log {
        /// The log's path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The process ended before it answered.
    #[error("{program} ended with {status} before it answered; its output was:\n{output}")]
    Ended {
        /// The program's path.
        program: String,
        /// How it ended.
        status: String,
        /// What it had printed.
        output: String,
    },
    /// It runs, but did not answer in time.
    #[error("{program} did not answer within {waited:?}; its output was:\n{output}")]
    Silent {
        /// The program's path.
        program: String,
        /// How long it was waited for.
        waited: Duration,
        /// What it had printed.
        output: String,
    },
}

/// How a server is started and how its address is learned.
#[derive(Clone, Debug)]
pub struct Launch {
    program: PathBuf,
    args: Vec<String>,
    port: Option<u16>,
    log: PathBuf,
    patience: Duration,
}

impl Launch {
    /// A server that picks its own port and prints `http://127.0.0.1:PORT` when it answers.
    /// What it prints goes to the file `log`.
    pub fn announcing(program: impl Into<PathBuf>, log: impl Into<PathBuf>) -> Self {
        Launch {
            program: program.into(),
            args: Vec::new(),
            port: None,
            log: log.into(),
            patience: Duration::from_secs(30),
        }
    }

    /// A server that is told its port and says nothing reliable: it is up when the port takes a
    /// connection. The port must also stand in the arguments.
    pub fn on_port(program: impl Into<PathBuf>, port: u16, log: impl Into<PathBuf>) -> Self {
        Launch { port: Some(port), ..Launch::announcing(program, log) }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Starts the server and waits until it takes connections.
    ///
    /// # Errors
    /// [`StartError`], with what the server printed.
    pub fn start(&self) -> Result<Server, StartError> {
        let began = Instant::now();
        let mut child = self.spawn()?;
        loop {
            if let Some(address) = self.address_if_up() {
                return Ok(Server { child, address, started_in: began.elapsed(), log: self.log.clone() });
            }
            if let Ok(Some(status)) = child.try_wait() {
                return Err(StartError::Ended {
                    program: self.program.display().to_string(),
                    status: status.to_string(),
                    output: tail(&self.log),
                });
            }
            if began.elapsed() > self.patience {
                stop(&mut child);
                return Err(StartError::Silent {
                    program: self.program.display().to_string(),
                    waited: self.patience,
                    output: tail(&self.log),
                });
            }
            std::thread::sleep(POLL);
        }
    }

    /// Starts the server and kills it after a while, whether it is up by then or not.
    ///
    /// # Errors
    /// When it cannot be run.
    pub fn start_and_kill(&self, after: Duration) -> Result<(), StartError> {
        let mut child = self.spawn()?;
        std::thread::sleep(after);
        stop(&mut child);
        Ok(())
    }

    fn spawn(&self) -> Result<Child, StartError> {
        let (out, err) =
            self.open_log().map_err(|source| StartError::Log { path: self.log.clone(), source })?;
        let mut command = Command::new(&self.program);
        command.args(&self.args).stdin(Stdio::null()).stdout(out).stderr(err);
        command
            .spawn()
            .map_err(|source| StartError::Spawn { program: self.program.display().to_string(), source })
    }

    /// A port that is free now, for [`Launch::on_port`]. Another process may take it in between;
    /// two calls in a row name different ones.
    ///
    /// # Errors
    /// When no socket can be opened.
    pub fn free_port() -> io::Result<u16> {
        static LAST: AtomicU16 = AtomicU16::new(0);
        loop {
            let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
            if LAST.swap(port, Ordering::Relaxed) != port {
                return Ok(port);
            }
        }
    }

    fn open_log(&self) -> io::Result<(File, File)> {
        if let Some(folder) = self.log.parent() {
            fs::create_dir_all(folder)?;
        }
        let file = File::create(&self.log)?;
        Ok((file.try_clone()?, file))
    }

    fn address_if_up(&self) -> Option<SocketAddr> {
        let port = match self.port {
            Some(port) => port,
            None => announced_port(&fs::read_to_string(&self.log).ok()?)?,
        };
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        TcpStream::connect_timeout(&address, Duration::from_millis(200)).ok()?;
        Some(address)
    }
}

/// The port in the first `http://127.0.0.1:PORT` of a whole line that a server printed.
fn announced_port(output: &str) -> Option<u16> {
    const MARK: &str = "DynamoDB on http://127.0.0.1:";
    let whole_lines = &output[..output.rfind('\n')?];
    let rest = &whole_lines[whole_lines.find(MARK)? + MARK.len()..];
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

/// A running server. It is killed when this is dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
    address: SocketAddr,
    started_in: Duration,
    log: PathBuf,
}

impl Server {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its endpoint URL, `http://127.0.0.1:PORT`.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Time from starting the process until its port took a connection.
    pub fn started_in(&self) -> Duration {
        self.started_in
    }

    /// The end of what it printed so far.
    pub fn output(&self) -> String {
        tail(&self.log)
    }

    /// User and system time of the whole process so far, all threads, in microseconds.
    /// Accurate to a clock tick (10 ms).
    ///
    /// # Errors
    /// When `/proc` cannot be read: the process is gone, or this is not Linux.
    pub fn cpu_us(&self) -> io::Result<u64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        cpu_ticks(&stat)
            .map(|ticks| ticks * 1_000_000 / TICKS_PER_SECOND)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "unreadable /proc/PID/stat"))
    }

    /// Resident memory in bytes.
    ///
    /// # Errors
    /// When `/proc` cannot be read.
    pub fn resident_bytes(&self) -> io::Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        status
            .lines()
            .find_map(|line| {
                line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()
            })
            .map(|kib| kib * 1024)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no VmRSS in /proc/PID/status"))
    }

    /// Kills the server as a power cut would: SIGKILL, nothing is flushed by the process.
    pub fn kill(&mut self) {
        stop(&mut self.child);
    }

    /// Asks the server to end (SIGTERM) and waits.
    ///
    /// # Errors
    /// A sentence, when it has not ended after `patience` (it is then killed) or ended badly.
    pub fn terminate(mut self, patience: Duration) -> Result<Duration, String> {
        let asked = Instant::now();
        let sent = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        if !sent.is_ok_and(|status| status.success()) {
            return Err("the signal SIGTERM could not be sent with `kill`".to_owned());
        }
        while asked.elapsed() < patience {
            match self.child.try_wait() {
                Ok(Some(status)) if status.success() => return Ok(asked.elapsed()),
                Ok(Some(status)) => return Err(format!("after SIGTERM the server ended with {status}")),
                Ok(None) => std::thread::sleep(POLL),
                Err(error) => return Err(format!("the server could not be waited for: {error}")),
            }
        }
        Err(format!("the server still ran {patience:?} after SIGTERM"))
    }

    /// True while the process runs.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        stop(&mut self.child);
    }
}

/// Kills and reaps. Both fail only for a process that has already ended, which is what is wanted.
fn stop(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// utime + stime of a `/proc/PID/stat` line, in clock ticks. The command name in it may hold
/// spaces and brackets, so fields are counted from its last bracket.
fn cpu_ticks(stat: &str) -> Option<u64> {
    let after_name = &stat[stat.rfind(')')? + 1..];
    let mut fields = after_name.split_ascii_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

/// The last 4,000 bytes or so of a log.
fn tail(log: &Path) -> String {
    let text = fs::read(log).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let mut from = text.len().saturating_sub(4_000);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text[from..].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_announced_port_is_read_only_from_whole_lines() {
        let line = "dyno 0.1.0   DynamoDB on http://127.0.0.1:34567   data ./dyno-data\n";
        assert_eq!(announced_port(line), Some(34567));
        assert_eq!(announced_port("dyno 0.1.0   DynamoDB on http://127.0.0.1:345"), None, "half a line");
        assert_eq!(announced_port("starting\n"), None);
    }

    #[test]
    fn cpu_time_survives_brackets_in_the_command_name() {
        let stat = "42 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0 3 0";
        assert_eq!(cpu_ticks(stat), Some(200));
    }

    #[test]
    fn a_program_that_ends_at_once_is_reported_with_its_output() {
        let log = std::env::temp_dir().join(format!("harness-{}.log", std::process::id()));
        let failure =
            Launch::announcing("sh", &log).args(["-c", "echo no room; exit 3"]).start().unwrap_err();
        let said = failure.to_string();
        assert!(said.contains("exit status: 3") && said.contains("no room"), "{said}");
        let _ = fs::remove_file(log);
    }
}

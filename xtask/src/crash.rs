//! The crash test: a loaded server is killed at random, again and again, and nothing that it
//! acknowledged may be missing, no transaction may be half there, and the table, its indexes and its
//! stream must agree.
//!
//! The release binary runs on a data folder. Several workers write to it at once, each remembering
//! what was acknowledged and what was under way ([`model`]). After a random time the server gets
//! SIGKILL; it is started again (at times killed while it recovers), the table and both indexes
//! are read whole ([`survey`]), and compared with what the workers know; a consumer of the stream
//! ([`consumer`]) goes on from where it was, and must come to the same table; and a function ([`pipe`]) must have been sent
//! every record of the stream by a pipe of the server. The killed process's
//! buffers are lost but the kernel's are not: this tests recovery, not the disk.

mod consumer;
mod model;
mod pipe;
mod random;
mod survey;
mod workload;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use clap::Args;
use dynamometer_harness::{Client, Launch, Server};

use crate::project::Project;
use crate::run::Failure;
use consumer::Consumer;
use model::Model;
use pipe::Function;
use random::Random;
use workload::Worker;

/// How much crashing.
#[derive(Args, Debug, Clone)]
pub struct Options {
    /// How often the server is killed under load
    #[arg(long, default_value_t = 24)]
    kills: u32,
    /// How many connections write at once
    #[arg(long, default_value_t = 8)]
    workers: u32,
    /// Repeats the random choices of an earlier run (the timing of threads stays random)
    #[arg(long)]
    seed: Option<u64>,
    /// Another server to crash: a command line in which {port} and the folder {data} are filled in
    #[arg(long, value_name = "COMMAND")]
    server: Option<String>,
}

impl Default for Options {
    fn default() -> Options {
        Options { kills: 24, workers: 8, seed: None, server: None }
    }
}

/// The whole test stops with a failure when it takes longer than this.
const LIMIT: Duration = Duration::from_secs(300);

/// Runs the crash test.
///
/// # Errors
/// The first thing found wrong, with the seed that repeats it.
pub fn run(project: &Project, options: &Options) -> Result<(), Failure> {
    if options.server.is_none() {
        project.build_release()?;
    }
    let seed = options.seed.unwrap_or_else(seed_from_clock);
    let folder = project.scratch("crash")?;
    let data = folder.join("data");
    let _ = std::fs::remove_dir_all(&data);
    if options.server.is_some() {
        std::fs::create_dir_all(&data)
            .map_err(|error| Failure::new(format!("cannot make the folder {}: {error}", data.display())))?;
    }
    eprintln!("  {} kills, {} workers, seed {seed}", options.kills, options.workers);
    let mut test = CrashTest {
        project,
        options,
        data: &data,
        log: &folder.join("server.log"),
        random: Random::new(seed),
    };
    test.run().map_err(|failure| {
        Failure::new(format!(
            "{failure}\n  repeat with: cargo xtask crash --seed {seed}\n  the data folder is kept: {}",
            data.display()
        ))
    })?;
    let _ = std::fs::remove_dir_all(&data);
    Ok(())
}

fn seed_from_clock() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(1, |since| since.as_millis() as u64)
}

struct CrashTest<'a> {
    project: &'a Project,
    options: &'a Options,
    data: &'a Path,
    log: &'a Path,
    random: Random,
}

impl CrashTest<'_> {
    fn run(&mut self) -> Result<(), Failure> {
        let began = Instant::now();
        let mut model = Model::new(self.options.workers);
        let mut server = self.start()?;
        workload::create_table(&mut connect(&server)?)?;
        let mut consumer = Consumer::of_table(&mut connect(&server)?)?;
        let mut function = Function::behind_a_pipe(&mut connect(&server)?)?;
        workload::load(&mut connect(&server)?)?;
        let mut starts = Vec::new();
        for kill in 1..=self.options.kills {
            self.load_and_kill(&mut server, &mut model, kill)?;
            if self.random.below(4) == 0 {
                self.kill_while_recovering()?;
            }
            server = self.start()?;
            starts.push(server.started_in());
            let when = format!("after kill {kill}");
            self.verify(&mut server, &mut model, &mut consumer, function.as_mut(), &when)?;
            if began.elapsed() > LIMIT {
                return Err(Failure::new(format!("the test took longer than {LIMIT:?}; {kill} kills done")));
            }
        }
        let ended = server.terminate(Duration::from_secs(10)).map_err(Failure::new)?;
        let mut server = self.start()?;
        self.verify(&mut server, &mut model, &mut consumer, function.as_mut(), "after a clean shutdown")?;
        starts.sort_unstable();
        let slowest = starts.last().copied().unwrap_or_default();
        let median = starts.get(starts.len() / 2).copied().unwrap_or_default();
        eprintln!("  {}, {} stream records", model.summary(), consumer.records().len());
        if let Some(function) = function {
            eprintln!("  {}", function.summary());
        }
        eprintln!(
            "  start after a kill: median {median:.0?}, slowest {slowest:.0?}; clean shutdown {ended:.0?}, start after it {:.0?}",
            server.started_in()
        );
        Ok(())
    }

    fn start(&self) -> Result<Server, Failure> {
        self.launch()?.start().map_err(|error| Failure::new(error.to_string()))
    }

    fn launch(&self) -> Result<Launch, Failure> {
        let data = self.data.display().to_string();
        let Some(command) = &self.options.server else {
            return Ok(
                Launch::announcing(self.project.dyno(), self.log).args(["--port", "0", "--data", &data])
            );
        };
        let port = Launch::free_port().map_err(|error| Failure::new(format!("no free port: {error}")))?;
        let filled = command.replace("{port}", &port.to_string()).replace("{data}", &data);
        let mut words = filled.split_whitespace().map(str::to_owned);
        let program = words.next().ok_or_else(|| Failure::new("--server is empty"))?;
        Ok(Launch::on_port(program, port, self.log).args(words))
    }

    /// Kills a server that has only just been started, so that recovery itself is interrupted.
    fn kill_while_recovering(&mut self) -> Result<(), Failure> {
        let after = Duration::from_micros(self.random.below(30_000));
        self.launch()?.start_and_kill(after).map_err(|error| Failure::new(error.to_string()))
    }

    /// Lets the workers write for a random time, kills the server under them, and adds what they
    /// know to the model.
    fn load_and_kill(&mut self, server: &mut Server, model: &mut Model, kill: u32) -> Result<(), Failure> {
        let time = Duration::from_millis(100 + self.random.below(900));
        let over = AtomicBool::new(false);
        let mut workers = Vec::new();
        for id in 0..self.options.workers {
            let client = connect(server)?;
            workers.push(Worker::new(id, kill, client, self.random.split(), model.take_part(id)));
        }
        let results: Vec<_> = std::thread::scope(|scope| {
            let running: Vec<_> =
                workers.into_iter().map(|worker| scope.spawn(|| worker.run_until_broken(&over))).collect();
            std::thread::sleep(time);
            // Told first, so that a connection that breaks before the kill counts as a finding.
            over.store(true, Ordering::SeqCst);
            server.kill();
            running.into_iter().map(std::thread::ScopedJoinHandle::join).collect()
        });
        for result in results {
            let part = result.map_err(|_| Failure::new("a worker panicked"))??;
            model.put_back(part);
        }
        Ok(())
    }

    fn verify(
        &self,
        server: &mut Server,
        model: &mut Model,
        consumer: &mut Consumer,
        function: Option<&mut Function>,
        when: &str,
    ) -> Result<(), Failure> {
        let mut client = connect(server)?;
        let found = survey::read_all(&mut client).and_then(|survey| {
            survey.indexes_agree()?;
            consumer.catch_up(&mut client)?;
            consumer.agrees_with(&survey)?;
            if let Some(function) = function {
                function.agrees_with(&mut client, consumer.records(), consumer.begun_shards())?;
            }
            model.agrees_with(&survey)
        });
        found.map_err(|failure| {
            Failure::new(format!("{when}: {failure}\n  the server's output ends with:\n{}", server.output()))
        })
    }
}

fn connect(server: &Server) -> Result<Client, Failure> {
    Client::connect(server.address())
        .map_err(|error| Failure::new(format!("cannot connect to the server: {error}")))
}

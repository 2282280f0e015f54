//! Pipes: a table's stream, delivered to a function over HTTP as Lambda's event source mappings and EventBridge Pipes do.
//!
//! A pipe is asked for in the words of `CreateEventSourceMapping` ([`definition`]), by `dyno serve --pipe` or by
//! `POST /_dyno/pipes`. It has a thread of its own ([`worker`]); what may be sent of a shard at a time is decided in
//! [`lane`] and [`window`], what becomes of a batch after an invocation in [`batch`], what goes through in [`filter`]. How
//! far it is stands in the store under its name, so a pipe of that name goes on there after a restart; so does what was
//! posted.

mod batch;
mod definition;
pub mod filter;
mod function;
mod lane;
mod post;
mod target;
mod window;
mod worker;

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use dynamometer_engine::Engine;
use dynamometer_engine::pipes::KeptPipe;
use serde::Serialize;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;

pub use definition::Asked;
use definition::{Definition, EXAMPLE};
use worker::Worker;

use crate::clock::Clock;
use crate::trust;

/// How many pipes there may be.
const MOST_PIPES: usize = 100;
/// How long a moved clock waits in all for what is delivered because of it.
pub const SETTLE: Duration = Duration::from_secs(10);

/// The last result of a pipe that has done nothing yet, in Lambda's words.
const NOTHING_YET: &str = "No records processed";

/// The pipes of a server.
pub struct Pipes {
    around: Arc<Surroundings>,
    /// Certificates that are trusted beside Mozilla's.
    ca_bundle: Option<PathBuf>,
    running: Mutex<Vec<Running>>,
}

/// What pipes work on.
pub(super) struct Surroundings {
    pub(super) engine: Arc<Engine>,
    pub(super) clock: Arc<Clock>,
}

struct Running {
    pipe: Arc<Pipe>,
    thread: Option<JoinHandle<()>>,
}

/// One pipe.
pub(super) struct Pipe {
    pub(super) namespace: String,
    pub(super) definition: Definition,
    asked: Asked,
    /// For addresses with https; absent when there is none.
    pub(super) tls: Option<TlsConnector>,
    pub(super) signal: Signal,
    stats: Mutex<Stats>,
}

/// What a pipe did since it was started.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Stats {
    /// Invocations, failed ones included.
    invocations: u64,
    failed_invocations: u64,
    /// Records that no filter let through.
    filtered_records: u64,
    /// Records that were given up.
    given_up_records: u64,
    /// `OK`, or `PROBLEM: …` with what it was.
    last_result: String,
}

/// A pipe as it is shown.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Shown {
    name: String,
    target: String,
    #[serde(flatten)]
    stats: Stats,
    definition: Asked,
}

/// What the rest of the server tells the thread of a pipe, and the other way round.
#[derive(Default)]
pub(super) struct Signal {
    state: Mutex<SignalState>,
    /// Told to those who wait until all is delivered.
    changed: Condvar,
    /// Told to the thread of the pipe.
    wake: Notify,
}

#[derive(Default)]
struct SignalState {
    is_stopped: bool,
    /// How often somebody wanted to know whether all is delivered, and the last time to which that was so.
    asked: u64,
    settled: u64,
}

impl Pipes {
    /// No pipes.
    pub fn new(engine: Arc<Engine>, clock: Arc<Clock>) -> Pipes {
        let around = Surroundings { engine, clock };
        Pipes { around: Arc::new(around), ca_bundle: None, running: Mutex::default() }
    }

    /// Trusts the certificates of a PEM file, beside Mozilla's, where pipes deliver over https.
    #[must_use]
    pub fn trusting(self, ca_bundle: Option<PathBuf>) -> Pipes {
        Pipes { ca_bundle, ..self }
    }

    /// Starts a pipe in a database, in place of one of the same name. It ends with the server. Answers it as it stands. May
    /// block.
    ///
    /// # Errors
    /// A sentence that says what was expected.
    pub fn start(&self, namespace: &str, asked: Asked) -> Result<Shown, String> {
        self.begin(namespace, asked, None)
    }

    /// Starts a pipe in the same way; what was asked is kept, so [`Pipes::resume`] starts it again. May block.
    ///
    /// # Errors
    /// A sentence that says what was expected.
    pub fn start_and_keep(&self, namespace: &str, asked: Asked) -> Result<Shown, String> {
        let kept = serde_json::to_string(&asked).map_err(|error| error.to_string())?;
        self.begin(namespace, asked, Some(kept))
    }

    /// Starts the pipes again that were kept and whose names are not taken. `log` is told of each in a line: that it goes
    /// on, or why it cannot. May block.
    pub fn resume(&self, log: impl Fn(&str)) {
        let kept = match self.around.engine.kept_pipes() {
            Ok(kept) => kept,
            Err(error) => return log(&format!("the pipes of an earlier run cannot be read: {error}")),
        };
        for KeptPipe { namespace, name, definition } in kept {
            if position(&lock(&self.running), &namespace, &name).is_some() {
                continue;
            }
            let asked = serde_json::from_str(&definition).map_err(|error| error.to_string());
            match asked.and_then(|asked| self.start_and_keep(&namespace, asked)) {
                Ok(shown) => log(&format!("the pipe `{name}` goes on, to {}", shown.target)),
                Err(problem) => {
                    log(&format!("the pipe `{name}` of an earlier run cannot be started: {problem}"))
                }
            }
        }
    }

    fn begin(&self, namespace: &str, asked: Asked, kept: Option<String>) -> Result<Shown, String> {
        let definition = asked.check()?;
        let failed = |error: &dyn std::fmt::Display| format!("the pipe cannot be started: {error}");
        let tls = definition.is_encrypted().then(|| trust::connector(self.ca_bundle.as_deref()));
        let tls = tls.transpose().map_err(|error| failed(&error))?;
        let mut running = lock(&self.running);
        if let Some(at) = position(&running, namespace, &definition.name) {
            let source = running[at].pipe.definition.source.text();
            if !asked.is_named() && source != definition.source.text() {
                return Err(format!(
                    "the pipe `{}` reads {source} already: give this one a `Name` of its own, or DELETE that one first",
                    definition.name
                ));
            }
            running.remove(at).stop();
        }
        if running.len() >= MOST_PIPES {
            return Err(format!("there are {MOST_PIPES} pipes already: DELETE one of /_dyno/pipes first"));
        }
        let pipe = Arc::new(Pipe {
            namespace: namespace.to_owned(),
            definition,
            asked,
            tls,
            signal: Signal::default(),
            stats: Mutex::new(Stats { last_result: NOTHING_YET.into(), ..Stats::default() }),
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| failed(&error))?;
        let lanes = worker::begin(&self.around.engine, &pipe, kept).map_err(|error| failed(&error))?;
        let (around, shown) = (self.around.clone(), pipe.show());
        let worker = Worker {
            pipe: pipe.clone(),
            around,
            runtime,
            lanes,
            tasks: JoinSet::new(),
            has_source: true,
            is_saving: false,
        };
        let work = move || worker.run_guarded();
        let thread = std::thread::Builder::new().name("dyno-pipe".into()).spawn(work);
        running.push(Running { pipe, thread: Some(thread.map_err(|error| failed(&error))?) });
        Ok(shown)
    }

    /// The pipes of a database.
    pub fn list(&self, namespace: &str) -> Vec<Shown> {
        let running = lock(&self.running);
        running.iter().filter(|one| one.pipe.namespace == namespace).map(|one| one.pipe.show()).collect()
    }

    /// Stops a pipe and forgets how far it was. Answers whether there was one. May block.
    ///
    /// # Errors
    /// When the store fails.
    pub fn remove(&self, namespace: &str, name: &str) -> Result<bool, dynamometer_store::StoreError> {
        let mut running = lock(&self.running);
        match position(&running, namespace, name) {
            Some(at) => running.remove(at).stop(),
            // One of an earlier run that could not be started again can be taken away all the same.
            None if self.around.engine.begun_pipe(namespace, name)?.is_none() => return Ok(false),
            None => {}
        }
        self.around.engine.forget_pipe(namespace, name)?;
        Ok(true)
    }

    /// Waits until every pipe has delivered what there was to deliver, or waits for its target; so long at most.
    pub fn settle(&self, longest: Duration) {
        let pipes: Vec<Arc<Pipe>> = lock(&self.running).iter().map(|one| one.pipe.clone()).collect();
        let deadline = Instant::now() + longest;
        for pipe in pipes {
            pipe.signal.wait_settled(deadline);
        }
    }

    /// Stops all pipes. What is on its way is cut off, and sent again after the next start. May block.
    pub fn stop(&self) {
        for running in lock(&self.running).drain(..) {
            running.stop();
        }
    }

    /// A pipe as it has to be written.
    pub fn example() -> &'static str {
        EXAMPLE
    }
}

fn position(running: &[Running], namespace: &str, name: &str) -> Option<usize> {
    running.iter().position(|one| one.pipe.namespace == namespace && one.pipe.definition.name == name)
}

impl Running {
    fn stop(mut self) {
        self.pipe.signal.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Pipe {
    fn show(&self) -> Shown {
        Shown {
            name: self.definition.name.clone(),
            target: self.definition.target.to_string(),
            stats: lock(&self.stats).clone(),
            definition: self.asked.clone(),
        }
    }

    pub(super) fn note(&self, what: impl FnOnce(&mut Stats)) {
        what(&mut lock(&self.stats));
    }
}

impl Signal {
    fn stop(&self) {
        lock(&self.state).is_stopped = true;
        self.changed.notify_all();
        self.wake.notify_one();
    }

    pub(super) fn is_stopped(&self) -> bool {
        lock(&self.state).is_stopped
    }

    /// Done when the pipe is stopped, or when somebody wants to know whether all is delivered.
    pub(super) async fn woken(&self) {
        self.wake.notified().await;
    }

    /// What was asked for when a round begins; `None` when the pipe is stopped.
    pub(super) fn asked(&self) -> Option<u64> {
        let state = lock(&self.state);
        (!state.is_stopped).then_some(state.asked)
    }

    /// Says that there was nothing to do in a round that began at `asked`.
    pub(super) fn settle(&self, asked: u64) {
        let mut state = lock(&self.state);
        state.settled = state.settled.max(asked);
        self.changed.notify_all();
    }

    fn wait_settled(&self, deadline: Instant) {
        let mut state = lock(&self.state);
        state.asked += 1;
        let wanted = state.asked;
        self.wake.notify_one();
        let left = deadline.saturating_duration_since(Instant::now());
        let is_behind = |state: &mut SignalState| !state.is_stopped && state.settled < wanted;
        let _ = self.changed.wait_timeout_while(state, left, is_behind);
    }
}

/// What a thread that panicked left behind is whole: each change is made at once.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use bytes::Bytes;
    use dynamometer_engine::EngineConfig;
    use dynamometer_store::{Batch, Commit, Keyspace, MemoryStore, Snapshot, Store, StoreError, StoreInfo};

    use super::*;

    /// A store that panics when the thread of a pipe begins to save how far it is.
    struct Defective(MemoryStore);

    impl Store for Defective {
        fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
            self.0.get(keyspace, key)
        }

        fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
            self.0.snapshot()
        }

        fn commit(&self, batch: Batch) -> Commit {
            assert_ne!(std::thread::current().name(), Some("dyno-pipe"), "a defect");
            self.0.commit(batch)
        }

        fn info(&self) -> StoreInfo {
            self.0.info()
        }

        fn checkpoint(&self, to: &Path) -> Result<(), StoreError> {
            self.0.checkpoint(to)
        }

        fn close(&self) -> Result<(), StoreError> {
            self.0.close()
        }
    }

    #[test]
    fn a_pipe_that_panicked_says_so_and_keeps_nobody_waiting() {
        let store = Arc::new(Defective(MemoryStore::new()));
        let engine = Arc::new(Engine::open(store, EngineConfig::default()).unwrap());
        let pipes = Pipes::new(engine.clone(), Arc::new(Clock::Wall));
        // It was in a shard that is gone by now: the first thing to write down.
        let asked = || Asked::read_all(EXAMPLE).unwrap().remove(0);
        let source = asked().check().unwrap().source.text().to_owned();
        let position = dynamometer_engine::pipes::Position::default();
        let positions = std::iter::once(((1, 0), position)).collect();
        engine.begin_pipe("", "processor", &source, None, &positions).unwrap();
        pipes.start("", asked()).unwrap();
        let begun = Instant::now();
        pipes.settle(Duration::from_secs(60));
        assert!(begun.elapsed() < Duration::from_secs(30));
        let shown = pipes.list("").remove(0).stats.last_result;
        assert!(shown.starts_with("PROBLEM: ") && shown.contains("a defect"), "{shown}");
        assert!(pipes.remove("", "processor").unwrap());
    }
}

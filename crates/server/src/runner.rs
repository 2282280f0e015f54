//! The job runner: a thread that does the engine's background work when it falls due.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use dynamometer_engine::Engine;

use crate::clock::Clock;

/// How often the runner looks without being woken: work that falls due by time alone may be late by as much.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How many looks pass between two sweeps of expired transaction tokens.
const LOOKS_PER_SWEEP: u32 = 60;

/// Wakes the runner, and ends it when dropped.
#[derive(Debug)]
pub struct Runner {
    wake: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Tells the runner that there is work.
#[derive(Clone, Debug)]
pub struct Waker(Arc<Mutex<Sender<()>>>);

impl Waker {
    /// Wakes the runner.
    pub fn wake(&self) {
        if let Ok(wake) = self.0.lock() {
            // A runner that has ended has nothing more to do.
            let _ = wake.send(());
        }
    }
}

impl Runner {
    /// Starts the runner; it looks for work at once.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(
        engine: Arc<Engine>,
        clock: Arc<Clock>,
        log: impl Fn(&str) + Send + 'static,
    ) -> std::io::Result<Runner> {
        let (wake, woken) = channel();
        let thread = std::thread::Builder::new()
            .name("dyno-jobs".into())
            .spawn(move || run(&engine, &clock, &woken, &log))?;
        Ok(Runner { wake: Some(wake), thread: Some(thread) })
    }

    /// What wakes this runner.
    pub fn waker(&self) -> Option<Waker> {
        self.wake.clone().map(|wake| Waker(Arc::new(Mutex::new(wake))))
    }

    /// Ends the runner once the job in hand is done. Wakers may live on.
    pub fn stop(mut self, engine: &Engine) {
        engine.stop_jobs();
        drop(self.wake.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(engine: &Engine, clock: &Clock, woken: &Receiver<()>, log: &dyn Fn(&str)) {
    let mut looks = 0u32;
    loop {
        if engine.jobs_are_stopped() {
            return;
        }
        if let Err(error) = engine.run_jobs(clock.now()) {
            log(&format!("background work failed, and is tried again: {error}"));
        }
        if let Err(error) = engine.close_minutes(clock.now()) {
            log(&format!("what became of an alarm could not be kept, and is tried again: {error}"));
        }
        looks = looks.wrapping_add(1);
        if looks.is_multiple_of(LOOKS_PER_SWEEP)
            && let Err(error) = engine.sweep_tokens(clock.now())
        {
            log(&format!("clearing expired transaction tokens failed, and is tried again: {error}"));
        }
        match woken.recv_timeout(LOOK_EVERY) {
            Ok(()) => while woken.try_recv().is_ok() {},
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

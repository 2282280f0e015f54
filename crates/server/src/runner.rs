//! The job runner: background work, done when it falls due.
//!
//! Every [`TimedJob`] says when it is next due. On the wall's clock a thread runs them as time passes. A manual clock
//! that is moved stops at each time at which something is due, in order, and the job sees that time: so a month that is
//! skipped leaves behind what a month that passed would have. One loop, [`Jobs::run_until`], does both.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::Duration;

use dynamometer_engine::Engine;
use dynamometer_engine::jobs::{JobError, TimedJob, timed_jobs};
use dynamometer_store::StoreError;
use dynamometer_types::Timestamp;

use crate::clock::{Clock, ClockError, Move};
use crate::panics::text_of;

/// How long the runner sleeps at most: what fell due without a call to [`Jobs::wake`] may be late by as much, and what
/// failed is tried again after it.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How many times a job may fall due by its calendar on one move of the clock: as much as is done in a minute or so.
const MOST_DUE: u64 = 100_000;

/// The jobs of a server and the clock that they follow.
pub struct Jobs {
    engine: Arc<Engine>,
    clock: Arc<Clock>,
    jobs: RwLock<Vec<Arc<dyn TimedJob>>>,
    /// Held while jobs run and the clock moves: one after the other, in the order of time.
    running: Mutex<()>,
    is_woken: Mutex<bool>,
    woken: Condvar,
    is_stopped: AtomicBool,
}

/// A job that failed.
#[derive(Debug, thiserror::Error)]
#[error("{job} failed, and is tried again: {cause}")]
pub struct JobFailure {
    /// Its name.
    pub job: &'static str,
    /// Why.
    pub cause: JobError,
}

/// Why the clock was not moved, or what did not go well when it was.
#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    /// The clock stands where it was.
    #[error("{}", .0.0)]
    Refused(ClockError),
    /// The clock stands where it was, as the store failed.
    #[error("the clock was not moved: {0}")]
    NotKept(StoreError),
    /// The clock was moved; the first job that failed.
    #[error(transparent)]
    Failed(#[from] JobFailure),
}

impl Jobs {
    /// The jobs of an engine.
    pub fn new(engine: &Arc<Engine>, clock: Arc<Clock>) -> Jobs {
        Jobs {
            engine: Arc::clone(engine),
            clock,
            jobs: RwLock::new(timed_jobs(engine)),
            running: Mutex::default(),
            is_woken: Mutex::default(),
            woken: Condvar::new(),
            is_stopped: AtomicBool::new(false),
        }
    }

    /// Adds a job behind the others.
    pub fn add(&self, job: Arc<dyn TimedJob>) {
        self.jobs.write().unwrap_or_else(PoisonError::into_inner).push(job);
        self.wake();
    }

    /// The clock.
    pub fn clock(&self) -> &Arc<Clock> {
        &self.clock
    }

    /// Tells the runner that something may be due earlier than it knows.
    pub fn wake(&self) {
        *lock(&self.is_woken) = true;
        self.woken.notify_one();
    }

    /// Runs what is due by now. May block.
    ///
    /// # Errors
    /// The first job that failed; the others have run.
    pub fn run_due(&self) -> Result<(), JobFailure> {
        let _one_at_a_time = lock(&self.running);
        self.run_until(self.clock.now(), &|| ()).0.map_or(Ok(()), Err)
    }

    /// Moves a manual clock, and runs all that falls due on the way before it answers the new time. `deliver` is called
    /// before the clock goes on from a time at which items may have changed, and at the end. May block.
    ///
    /// # Errors
    /// When the clock cannot be moved so, and when a job failed.
    pub fn move_clock(&self, by: Move, deliver: &dyn Fn()) -> Result<Timestamp, MoveError> {
        let _one_at_a_time = lock(&self.running);
        let end = self.clock.end_of(by).map_err(MoveError::Refused)?;
        self.check_calendar(end).map_err(MoveError::Refused)?;
        // Before any time on the way is seen: after a restart the clock stands at none that is earlier.
        self.engine.keep_time(end).map_err(MoveError::NotKept)?;
        deliver();
        let (failure, _) = self.run_until(end, deliver);
        let now = self.clock.reach(end);
        deliver();
        failure.map_or(Ok(now), |failure| Err(failure.into()))
    }

    /// Refuses a move on which jobs fall due so often by their calendar that it would not end in good time.
    fn check_calendar(&self, end: Timestamp) -> Result<(), ClockError> {
        let jobs = self.jobs.read().unwrap_or_else(PoisonError::into_inner);
        match jobs.iter().find(|job| job.due_until(end, MOST_DUE + 1) > MOST_DUE) {
            None => Ok(()),
            Some(job) => Err(ClockError(format!(
                "{} falls due by its schedules more than {MOST_DUE} times until {end}: move the clock in smaller steps, \
                 or take out schedules that are not needed",
                job.name()
            ))),
        }
    }

    /// Runs jobs in the order in which they fall due, until none is due at `end` or before; a manual clock follows. A
    /// job that fails is left out from there on. `deliver` is called after jobs that change items. Answers the first
    /// failure, and when the next job is due.
    fn run_until(&self, end: Timestamp, deliver: &dyn Fn()) -> (Option<JobFailure>, Option<Timestamp>) {
        let mut jobs = self.jobs.read().unwrap_or_else(PoisonError::into_inner).clone();
        let mut failure = None;
        loop {
            let failed = match Next::of(&jobs) {
                Err(failed) => Some(failed),
                Ok(next) => match next.up_to(end) {
                    Some((time, at)) if !self.is_stopped() => {
                        let now = self.clock.reach(time);
                        let ran = caught(|| jobs[at].run(now));
                        if jobs[at].changes_items() {
                            deliver();
                        }
                        ran.err().map(|cause| (at, cause))
                    }
                    _ => return (failure, next.due()),
                },
            };
            if let Some((at, cause)) = failed {
                let job = jobs.remove(at).name();
                failure.get_or_insert(JobFailure { job, cause });
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Acquire)
    }

    /// Runs jobs as time passes, until [`Runner::stop`].
    fn run_on(&self, log: &dyn Fn(&str)) {
        while !self.is_stopped() {
            let (failure, next) = {
                let _one_at_a_time = lock(&self.running);
                self.run_until(self.clock.now(), &|| ())
            };
            if let Some(failure) = &failure {
                log(&failure.to_string());
            }
            let wait = match (next, &*self.clock) {
                (Some(next), Clock::Wall) if failure.is_none() => {
                    let millis = next.millis().saturating_sub(self.clock.now().millis()).max(0);
                    LOOK_EVERY.min(Duration::from_millis(millis.unsigned_abs()))
                }
                _ => LOOK_EVERY,
            };
            let is_woken = lock(&self.is_woken);
            let woken = self.woken.wait_timeout_while(is_woken, wait, |is_woken| !*is_woken);
            *woken.unwrap_or_else(PoisonError::into_inner).0 = false;
        }
    }
}

/// A time, and the job that it is the time for.
type Due = Option<(Timestamp, usize)>;

/// What falls due next.
struct Next {
    /// Of jobs that have to see the time at which they are due.
    prompt: Due,
    /// Of those that may wait.
    waiting: Due,
}

impl Next {
    /// # Errors
    /// The job that does not know when it is due, and why.
    fn of(jobs: &[Arc<dyn TimedJob>]) -> Result<Next, (usize, JobError)> {
        let mut next = Next { prompt: None, waiting: None };
        for (at, job) in jobs.iter().enumerate() {
            let slot = if job.may_wait() { &mut next.waiting } else { &mut next.prompt };
            match caught(|| job.next_due()).map_err(|cause| (at, cause))? {
                Some(due) if slot.is_none_or(|(earliest, _)| due < earliest) => *slot = Some((due, at)),
                _ => {}
            }
        }
        Ok(next)
    }

    /// The job to run next of those due at `end` or before, and the time that it is run at: one that may wait is run
    /// right before another, and at the end.
    fn up_to(&self, end: Timestamp) -> Due {
        let prompt = self.prompt.filter(|(due, _)| *due <= end);
        let last = prompt.map_or(end, |(due, _)| Timestamp::from_millis(due.millis().saturating_sub(1)));
        let waiting = self.waiting.filter(|(due, _)| *due <= last);
        waiting.map(|(_, at)| (last, at)).or(prompt)
    }

    fn due(&self) -> Option<Timestamp> {
        self.prompt.into_iter().chain(self.waiting).map(|(due, _)| due).min()
    }
}

/// Does a part of a job. A panic in it is a failure of this job: whoever runs jobs has others to run.
fn caught<T>(work: impl FnOnce() -> Result<T, JobError>) -> Result<T, JobError> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(format!("it panicked: {}", text_of(&*panic)).into()))
}

/// What a panicking job leaves behind is in the store, not in here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The thread that runs jobs as time passes.
#[derive(Debug)]
pub struct Runner(JoinHandle<()>);

impl Runner {
    /// Starts the runner; it looks for work at once.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(jobs: Arc<Jobs>, log: impl Fn(&str) + Send + 'static) -> std::io::Result<Runner> {
        let work = move || jobs.run_on(&log);
        Ok(Runner(std::thread::Builder::new().name("dyno-jobs".into()).spawn(work)?))
    }

    /// Ends the runner once the job in hand is done.
    pub fn stop(self, jobs: &Jobs, engine: &Engine) {
        engine.stop_jobs();
        jobs.is_stopped.store(true, Ordering::Release);
        jobs.wake();
        let _ = self.0.join();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicI64;

    use dynamometer_engine::EngineConfig;
    use dynamometer_store::MemoryStore;

    use super::*;

    /// Due at each of some times; notes when it ran.
    struct Noting {
        name: &'static str,
        due_ms: Mutex<Vec<i64>>,
        fails: bool,
        waits: bool,
        panics: bool,
        ran: Arc<Mutex<Vec<(&'static str, i64)>>>,
    }

    impl TimedJob for Noting {
        fn name(&self) -> &'static str {
            self.name
        }

        fn next_due(&self) -> Result<Option<Timestamp>, JobError> {
            Ok(lock(&self.due_ms).first().copied().map(Timestamp::from_millis))
        }

        fn may_wait(&self) -> bool {
            self.waits
        }

        fn run(&self, now: Timestamp) -> Result<(), JobError> {
            lock(&self.ran).push((self.name, now.millis()));
            assert!(!self.panics, "a defect");
            if self.fails {
                return Err("no luck".into());
            }
            if self.waits {
                lock(&self.due_ms).retain(|due| *due > now.millis());
                return Ok(());
            }
            lock(&self.due_ms).remove(0);
            Ok(())
        }
    }

    type Ran = Arc<Mutex<Vec<(&'static str, i64)>>>;

    fn jobs(noting: &[(&'static str, &[i64], bool)]) -> (Jobs, Ran) {
        let clock = Arc::new(Clock::Manual(AtomicI64::new(1_000)));
        let engine = Engine::open(Arc::new(MemoryStore::new()), EngineConfig::default()).unwrap();
        let (jobs, ran) = (Jobs::new(&Arc::new(engine), clock), Ran::default());
        for (name, due_ms, fails) in noting {
            let (due_ms, ran) = (Mutex::new(due_ms.to_vec()), ran.clone());
            let (waits, panics) = (name.starts_with("waits"), name.starts_with("panics"));
            jobs.add(Arc::new(Noting { name, due_ms, fails: *fails, waits, panics, ran }));
        }
        (jobs, ran)
    }

    #[test]
    fn a_moved_clock_stops_at_each_time_in_order() {
        let (jobs, ran) = jobs(&[("a", &[500, 1_500, 3_000, 9_000], false), ("b", &[1_200, 3_000], false)]);
        assert_eq!(jobs.move_clock(Move::Advance(4_000), &|| ()).unwrap(), Timestamp::from_millis(5_000));
        let expected = [("a", 1_000), ("b", 1_200), ("a", 1_500), ("a", 3_000), ("b", 3_000)];
        assert_eq!(*lock(&ran), expected);
        assert_eq!(jobs.clock().now(), Timestamp::from_millis(5_000));
    }

    #[test]
    fn a_job_that_may_wait_runs_right_before_another_and_at_the_end() {
        let often: Vec<i64> = (1..=100).map(|at| 1_000 + at * 10).collect();
        let (jobs, ran) = jobs(&[("waits", &often, false), ("a", &[1_500, 1_505], false)]);
        jobs.move_clock(Move::Advance(1_000), &|| ()).unwrap();
        let expected = [("waits", 1_499), ("a", 1_500), ("waits", 1_504), ("a", 1_505), ("waits", 2_000)];
        assert_eq!(*lock(&ran), expected);
    }

    #[test]
    fn a_job_that_fails_holds_up_no_other_and_is_tried_again() {
        let (jobs, ran) = jobs(&[("broken", &[1_100], true), ("b", &[1_200], false)]);
        let error = jobs.move_clock(Move::Advance(1_000), &|| ()).unwrap_err();
        assert_eq!(error.to_string(), "broken failed, and is tried again: no luck");
        assert_eq!(jobs.clock().now(), Timestamp::from_millis(2_000));
        assert!(jobs.run_due().is_err());
        assert_eq!(*lock(&ran), [("broken", 1_100), ("b", 1_200), ("broken", 2_000)]);
    }

    #[test]
    fn a_job_that_panics_has_failed_and_is_tried_again() {
        let (jobs, ran) = jobs(&[("panics", &[1_100], false), ("b", &[1_200], false)]);
        let error = jobs.move_clock(Move::Advance(1_000), &|| ()).unwrap_err();
        assert_eq!(error.to_string(), "panics failed, and is tried again: it panicked: a defect");
        assert!(jobs.run_due().is_err());
        assert_eq!(*lock(&ran), [("panics", 1_100), ("b", 1_200), ("panics", 2_000)]);
    }

    #[test]
    fn a_clock_that_is_not_moved_stays() {
        let (jobs, ran) = jobs(&[("a", &[1_500], false)]);
        assert!(matches!(
            jobs.move_clock(Move::Set(Timestamp::from_millis(999)), &|| ()),
            Err(MoveError::Refused(_))
        ));
        jobs.run_due().unwrap();
        assert_eq!(*lock(&ran), []);
    }
}

//! What one connection waits for, and since when: the ground of every timeout, without a timer for each request.
//!
//! The reader, the writer and the handler of a connection note their steps here; they all run in the connection's own
//! task. After each poll that task looks at [`Watch::deadline_ms`] and moves its one timer only when the deadline has
//! come nearer; while requests flow, it never has.

use super::config::Timeouts;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What a connection waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// The first byte of the next request.
    Idle = 0,
    /// The end of the headers.
    Head = 1,
    /// The next piece of a body.
    Body = 2,
    /// The service.
    Working = 3,
    /// The client, who must take the answer.
    Writing = 4,
}

const PHASE_BITS: u64 = 3;
const NEVER: u64 = u64::MAX;

/// The phase of one connection and its beginning.
#[derive(Debug)]
pub(super) struct Watch {
    epoch: Instant,
    timeouts: Timeouts,
    /// The phase in the lowest bits, above them the milliseconds from the epoch to its beginning.
    state: AtomicU64,
    /// When the body that is being read began, in milliseconds from the epoch.
    body_since_ms: AtomicU64,
}

impl Watch {
    /// Starts in [`Phase::Head`], as a new connection is expected to speak. `epoch` is the start of the server.
    pub(super) fn new(epoch: Instant, timeouts: Timeouts) -> Watch {
        let watch = Watch { epoch, timeouts, state: AtomicU64::new(0), body_since_ms: AtomicU64::new(NEVER) };
        watch.enter(Phase::Head);
        watch
    }

    pub(super) fn phase(&self) -> Phase {
        match self.state.load(Ordering::Relaxed) & ((1 << PHASE_BITS) - 1) {
            0 => Phase::Idle,
            1 => Phase::Head,
            2 => Phase::Body,
            3 => Phase::Working,
            _ => Phase::Writing,
        }
    }

    /// When the phase began, in milliseconds from the epoch.
    pub(super) fn since_ms(&self) -> u64 {
        self.state.load(Ordering::Relaxed) >> PHASE_BITS
    }

    pub(super) fn now_ms(&self) -> u64 {
        self.epoch.elapsed().as_millis() as u64
    }

    /// Begins a phase now; beginning the same one again extends its deadline.
    pub(super) fn enter(&self, phase: Phase) {
        // The service may take as long as it likes, so its beginning is never asked for.
        let since = if phase == Phase::Working { 0 } else { self.now_ms() };
        self.state.store(since << PHASE_BITS | phase as u64, Ordering::Relaxed);
    }

    /// A body begins to be waited for.
    pub(super) fn enter_body(&self) {
        self.enter(Phase::Body);
        self.body_since_ms.store(self.since_ms(), Ordering::Relaxed);
    }

    /// Bytes came in (or the end of the stream).
    pub(super) fn was_read(&self) {
        match self.phase() {
            Phase::Idle => self.enter(Phase::Head),
            Phase::Body => self.enter(Phase::Body),
            Phase::Head | Phase::Working | Phase::Writing => {}
        }
    }

    /// All that was to be written is out.
    pub(super) fn was_flushed(&self) {
        if self.phase() == Phase::Writing {
            self.enter(Phase::Idle);
        }
    }

    /// When the connection is to be closed unless something happens, in milliseconds from the epoch.
    pub(super) fn deadline_ms(&self) -> Option<u64> {
        let after = |timeout: Duration| self.since_ms().saturating_add(timeout.as_millis() as u64);
        match self.phase() {
            Phase::Idle => Some(after(self.timeouts.keep_alive)),
            Phase::Head => Some(after(self.timeouts.header)),
            Phase::Body => {
                let whole = self.body_since_ms.load(Ordering::Relaxed);
                let whole = whole.saturating_add(self.timeouts.body.as_millis() as u64);
                Some(after(self.timeouts.body_idle).min(whole))
            }
            Phase::Working => None,
            Phase::Writing => Some(after(self.timeouts.write_idle)),
        }
    }

    /// The instant of a time in milliseconds from the epoch.
    pub(super) fn instant(&self, at_ms: u64) -> Instant {
        self.epoch + Duration::from_millis(at_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch() -> Watch {
        let timeouts = Timeouts {
            header: Duration::from_millis(100),
            body_idle: Duration::from_millis(200),
            body: Duration::from_millis(250),
            keep_alive: Duration::from_millis(300),
            write_idle: Duration::from_millis(400),
            ..Timeouts::default()
        };
        let epoch = Instant::now().checked_sub(Duration::from_millis(5000)).unwrap();
        Watch::new(epoch, timeouts)
    }

    /// How long the watch allows from the beginning of the phase.
    fn allowed(watch: &Watch) -> Option<u64> {
        watch.deadline_ms().map(|at| at - watch.since_ms())
    }

    #[test]
    fn each_phase_has_its_own_patience() {
        let watch = watch();
        assert_eq!((watch.phase(), allowed(&watch)), (Phase::Head, Some(100)));
        watch.enter_body();
        assert_eq!(allowed(&watch), Some(200));
        watch.enter(Phase::Working);
        assert_eq!(allowed(&watch), None);
        watch.enter(Phase::Writing);
        assert_eq!(allowed(&watch), Some(400));
        watch.was_flushed();
        assert_eq!((watch.phase(), allowed(&watch)), (Phase::Idle, Some(300)));
        watch.was_read();
        assert_eq!((watch.phase(), allowed(&watch)), (Phase::Head, Some(100)));
    }

    #[test]
    fn reading_ahead_changes_nothing_while_the_service_works() {
        let watch = watch();
        for phase in [Phase::Working, Phase::Writing] {
            watch.enter(phase);
            watch.was_read();
            assert_eq!(watch.phase(), phase);
        }
        watch.enter(Phase::Working);
        watch.was_flushed();
        assert_eq!(watch.phase(), Phase::Working);
    }

    #[test]
    fn a_body_that_drips_still_ends() {
        let watch = watch();
        watch.enter_body();
        watch.body_since_ms.store(watch.since_ms() - 240, Ordering::Relaxed);
        watch.was_read();
        let allowed = allowed(&watch).unwrap();
        assert!(allowed <= 10, "{allowed} ms");
    }
}

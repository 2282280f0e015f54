//! What one connection waits for, and since when: the ground of every timeout, without a timer for each request.
//!
//! The reader, the writer and the handler of a connection note their steps here; they all run in the connection's own
//! task. After each poll that task asks for [`Watch::deadline_ms`], which is when a new phase gets its beginning: one
//! reading of the clock for a poll, however many phases it went through. The task moves its one timer only when the
//! deadline has come nearer; while requests flow, it never has.

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
/// The beginning of a phase that was entered since the last look at the deadline: now, as far as others can tell.
const JUST_NOW: u64 = u64::MAX >> PHASE_BITS;

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
        let watch =
            Watch { epoch, timeouts, state: AtomicU64::new(0), body_since_ms: AtomicU64::new(JUST_NOW) };
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

    /// When the phase began, in milliseconds from the epoch; later than everything when it began just now.
    pub(super) fn since_ms(&self) -> u64 {
        self.state.load(Ordering::Relaxed) >> PHASE_BITS
    }

    pub(super) fn now_ms(&self) -> u64 {
        self.epoch.elapsed().as_millis() as u64
    }

    /// Begins a phase; beginning the same one again extends its deadline.
    pub(super) fn enter(&self, phase: Phase) {
        self.state.store(JUST_NOW << PHASE_BITS | phase as u64, Ordering::Relaxed);
    }

    /// A body begins to be waited for.
    pub(super) fn enter_body(&self) {
        self.enter(Phase::Body);
        self.body_since_ms.store(JUST_NOW, Ordering::Relaxed);
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

    /// When the connection is to be closed unless something happens, in milliseconds from the epoch, given that it is
    /// `now_ms`. A phase that was entered since the last call begins now.
    pub(super) fn deadline_ms(&self, now_ms: u64) -> Option<u64> {
        let phase = self.phase();
        if phase == Phase::Working {
            // The service may take as long as it likes.
            return None;
        }
        let since = begin(&self.state, PHASE_BITS, now_ms);
        let after = |since: u64, timeout: Duration| since.saturating_add(timeout.as_millis() as u64);
        Some(match phase {
            Phase::Idle => after(since, self.timeouts.keep_alive),
            Phase::Head => after(since, self.timeouts.header),
            Phase::Writing => after(since, self.timeouts.write_idle),
            Phase::Body | Phase::Working => {
                let whole = begin(&self.body_since_ms, 0, now_ms);
                after(since, self.timeouts.body_idle).min(after(whole, self.timeouts.body))
            }
        })
    }

    /// The instant of a time in milliseconds from the epoch.
    pub(super) fn instant(&self, at_ms: u64) -> Instant {
        self.epoch + Duration::from_millis(at_ms)
    }
}

/// The beginning in `state` above its lowest `shift` bits, set to `now_ms` when it was just now.
fn begin(state: &AtomicU64, shift: u64, now_ms: u64) -> u64 {
    let value = state.load(Ordering::Relaxed);
    if value >> shift != JUST_NOW {
        return value >> shift;
    }
    state.store(now_ms << shift | value & ((1 << shift) - 1), Ordering::Relaxed);
    now_ms
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUTS: Timeouts = Timeouts {
        header: Duration::from_millis(100),
        body_idle: Duration::from_millis(200),
        body: Duration::from_millis(250),
        keep_alive: Duration::from_millis(300),
        write_idle: Duration::from_millis(400),
        budget: Duration::ZERO,
        shutdown: Duration::ZERO,
    };

    #[test]
    fn each_phase_has_its_own_patience() {
        let watch = Watch::new(Instant::now(), TIMEOUTS);
        assert_eq!((watch.phase(), watch.deadline_ms(1000)), (Phase::Head, Some(1100)));
        assert_eq!(watch.deadline_ms(1050), Some(1100), "it began at the first look");
        watch.enter_body();
        assert_eq!(watch.deadline_ms(2000), Some(2200));
        watch.enter(Phase::Working);
        assert_eq!(watch.deadline_ms(3000), None);
        watch.enter(Phase::Writing);
        assert_eq!(watch.deadline_ms(4000), Some(4400));
        watch.was_flushed();
        assert_eq!((watch.phase(), watch.deadline_ms(5000)), (Phase::Idle, Some(5300)));
        assert_eq!(watch.since_ms(), 5000);
        watch.was_read();
        assert_eq!((watch.phase(), watch.deadline_ms(6000)), (Phase::Head, Some(6100)));
    }

    #[test]
    fn reading_ahead_changes_nothing_while_the_service_works() {
        let watch = Watch::new(Instant::now(), TIMEOUTS);
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
        let watch = Watch::new(Instant::now(), TIMEOUTS);
        watch.enter_body();
        for (now, expected) in [(1000, 1200), (1030, 1230), (1060, 1250), (1200, 1250)] {
            watch.was_read();
            assert_eq!(watch.deadline_ms(now), Some(expected));
        }
        watch.enter(Phase::Working);
        watch.enter_body();
        assert_eq!(watch.deadline_ms(9000), Some(9200), "the next body begins anew");
    }
}

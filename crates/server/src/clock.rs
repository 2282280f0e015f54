//! The server's clock: the wall's, or one that moves only when told.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use dynamometer_types::Timestamp;

/// Where the time of requests and jobs comes from.
#[derive(Debug)]
pub enum Clock {
    /// The system's time.
    Wall,
    /// Milliseconds since the epoch, moved by `POST /_dyno/clock`.
    Manual(AtomicI64),
}

impl Clock {
    /// A manual clock that stands at the system's time.
    pub fn manual() -> Clock {
        Clock::Manual(AtomicI64::new(wall_millis()))
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        self.at(wall_millis)
    }

    /// The time of a request that arrived at a time of the wall clock.
    pub fn of_request(&self, received_at_ms: i64) -> Timestamp {
        self.at(|| received_at_ms)
    }

    fn at(&self, wall_millis: impl Fn() -> i64) -> Timestamp {
        Timestamp::from_millis(match self {
            Clock::Wall => wall_millis(),
            Clock::Manual(millis) => millis.load(Ordering::Acquire),
        })
    }
}

/// Why a clock was not moved: a sentence that says what to do.
#[derive(Debug, PartialEq, Eq)]
pub struct ClockError(pub String);

impl Clock {
    /// Moves a manual clock forward to `to`. Answers the time that it then shows.
    ///
    /// # Errors
    /// When it is the wall's clock, and when `to` lies before the time: throttling, expiry and jobs rely on time that
    /// does not run backwards.
    pub fn set(&self, to: Timestamp) -> Result<Timestamp, ClockError> {
        let millis = self.as_manual()?;
        let before = millis.fetch_max(to.millis(), Ordering::AcqRel);
        if to.millis() < before {
            let now = Timestamp::from_millis(before);
            return Err(ClockError(format!(
                "the clock does not run backwards: it is {now}, and {to} is over"
            )));
        }
        Ok(to)
    }

    /// Moves a manual clock forward by some milliseconds. Answers the time that it then shows.
    ///
    /// # Errors
    /// When it is the wall's clock, and beyond the year 9999.
    pub fn advance(&self, by_ms: i64) -> Result<Timestamp, ClockError> {
        let millis = self.as_manual()?;
        let later = |now: i64| now.checked_add(by_ms).filter(|later| *later <= LAST_MS);
        match millis.fetch_update(Ordering::AcqRel, Ordering::Acquire, later) {
            Ok(before) => Ok(Timestamp::from_millis(before + by_ms)),
            Err(_) => Err(ClockError("the clock ends with the year 9999: advance it by less".into())),
        }
    }

    fn as_manual(&self) -> Result<&AtomicI64, ClockError> {
        match self {
            Clock::Manual(millis) => Ok(millis),
            Clock::Wall => Err(ClockError(
                "the clock is the wall's: start the server with --clock manual to move it".into(),
            )),
        }
    }
}

/// 9999-12-31T23:59:59.999Z.
const LAST_MS: i64 = 253_402_300_799_999;

fn wall_millis() -> i64 {
    // A clock before 1970 is a broken one; it then stands still at 0.
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_moves_forward_only() {
        let clock = Clock::Manual(AtomicI64::new(1_000));
        assert_eq!(clock.advance(500), Ok(Timestamp::from_millis(1_500)));
        assert_eq!(clock.set(Timestamp::from_millis(1_500)), Ok(Timestamp::from_millis(1_500)));
        let ClockError(sentence) = clock.set(Timestamp::from_millis(1_499)).unwrap_err();
        assert!(sentence.contains("does not run backwards"), "{sentence}");
        assert!(clock.advance(i64::MAX).is_err());
        assert_eq!(clock.now(), Timestamp::from_millis(1_500));
    }

    #[test]
    fn the_walls_clock_is_not_moved() {
        let ClockError(sentence) = Clock::Wall.advance(1).unwrap_err();
        assert!(sentence.contains("--clock manual"), "{sentence}");
    }
}

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
    /// A manual clock that stands at the system's time, or where it was moved to before, if that is later.
    pub fn manual(moved_to: Option<Timestamp>) -> Clock {
        let wall = wall_millis();
        Clock::Manual(AtomicI64::new(moved_to.map_or(wall, |moved_to| moved_to.millis().max(wall))))
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

/// How a manual clock is to be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// Forward to a time.
    Set(Timestamp),
    /// Forward by so many milliseconds.
    Advance(i64),
}

impl Clock {
    /// The time that a move ends at. The clock stays where it is until [`Clock::reach`].
    ///
    /// # Errors
    /// When it is the wall's clock, when the time lies before the clock's (throttling, expiry and jobs rely on time that
    /// does not run backwards), and beyond the year 9999.
    pub fn end_of(&self, by: Move) -> Result<Timestamp, ClockError> {
        let Clock::Manual(millis) = self else {
            let words = "the clock is the wall's: start the server with --clock manual to move it";
            return Err(ClockError(words.into()));
        };
        let now = Timestamp::from_millis(millis.load(Ordering::Acquire));
        match by {
            Move::Set(to) if to < now => {
                let words = format!("the clock does not run backwards: it is {now}, and {to} is over");
                Err(ClockError(words))
            }
            Move::Set(to) => Ok(to),
            Move::Advance(by_ms) => {
                let end =
                    now.millis().checked_add(by_ms).filter(|end| (now.millis()..=LAST_MS).contains(end));
                let words = "the clock ends with the year 9999: advance it by less";
                end.map(Timestamp::from_millis).ok_or_else(|| ClockError(words.into()))
            }
        }
    }

    /// Moves a manual clock forward to a time, unless it is there already. Answers the time; the wall's clock answers
    /// its own.
    pub fn reach(&self, time: Timestamp) -> Timestamp {
        match self {
            Clock::Manual(millis) => {
                let before = millis.fetch_max(time.millis(), Ordering::AcqRel);
                Timestamp::from_millis(before.max(time.millis()))
            }
            Clock::Wall => self.now(),
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
        let at = Timestamp::from_millis;
        assert_eq!(clock.end_of(Move::Advance(500)), Ok(at(1_500)));
        assert_eq!(clock.now(), at(1_000), "asking does not move it");
        assert_eq!(clock.reach(at(1_500)), at(1_500));
        assert_eq!(clock.reach(at(1_200)), at(1_500), "it never goes back");
        assert_eq!(clock.end_of(Move::Set(at(1_500))), Ok(at(1_500)));
        let ClockError(sentence) = clock.end_of(Move::Set(at(1_499))).unwrap_err();
        assert!(sentence.contains("does not run backwards"), "{sentence}");
        assert!(clock.end_of(Move::Advance(i64::MAX)).is_err());
    }

    #[test]
    fn the_walls_clock_is_not_moved() {
        let ClockError(sentence) = Clock::Wall.end_of(Move::Advance(1)).unwrap_err();
        assert!(sentence.contains("--clock manual"), "{sentence}");
    }
}

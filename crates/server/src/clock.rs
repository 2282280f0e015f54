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

fn wall_millis() -> i64 {
    // A clock before 1970 is a broken one; it then stands still at 0.
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
}

//! How often provisioned throughput may be lowered.
//!
//! Measured: four times in a UTC day without waiting, then once more whenever an hour has passed since the last one;
//! at midnight the four are back. The guide words it as a stock of four that regains one each hour. Both allow 27 in
//! a day. A table and each of its indexes count for themselves, and lowering reads and writes in one call counts once.

use std::fmt;

use dynamometer_types::Timestamp;

use crate::Constants;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// The decreases that a table or index has behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decreases {
    day: i64,
    today: u64,
    last: Option<Timestamp>,
    /// By the guide's rule: decreases in hand, as of `hour`.
    in_hand: u64,
    hour: i64,
}

impl Decreases {
    /// `NumberOfDecreasesToday` at `now`.
    pub fn today(&self, now: Timestamp) -> u64 {
        if day(now) == self.day { self.today } else { 0 }
    }

    /// `LastDecreaseDateTime`, if there was one.
    pub fn last(&self) -> Option<Timestamp> {
        self.last
    }

    /// Until when a decrease at `now` would have to wait; `None` if it need not.
    pub fn wait_until(&self, now: Timestamp, constants: &Constants) -> Option<Timestamp> {
        let midnight = Timestamp::from_millis((day(now) + 1) * DAY_MS);
        if constants.decrease_by_guide == 1 {
            let next_hour = Timestamp::from_millis((now.millis().div_euclid(HOUR_MS) + 1) * HOUR_MS);
            return (self.in_hand_at(now, constants) == 0).then_some(next_hour.min(midnight));
        }
        if self.today(now) < constants.decreases_per_day {
            return None;
        }
        let last = self.last?;
        let next = last + i64::try_from(constants.decrease_interval_ms).unwrap_or(i64::MAX);
        (now < next).then_some(next.min(midnight))
    }

    /// Counts a decrease that was made at `now`.
    pub(crate) fn record(&mut self, now: Timestamp, constants: &Constants) {
        self.in_hand = self.in_hand_at(now, constants).saturating_sub(1);
        self.hour = now.millis().div_euclid(HOUR_MS);
        self.today = self.today(now) + 1;
        self.day = day(now);
        self.last = Some(now);
    }

    /// `day.today.last.in-hand.hour`, as traces keep it; `None` before the first decrease.
    pub(crate) fn to_text(self) -> Option<String> {
        let last = self.last?.millis();
        Some(format!("{}.{}.{last}.{}.{}", self.day, self.today, self.in_hand, self.hour))
    }

    /// Reads what [`Self::to_text`] wrote.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        let fields: Vec<i64> = text.split('.').map(str::parse).collect::<Result<_, _>>().ok()?;
        let [day, today, last, in_hand, hour] = fields[..] else { return None };
        let last = Some(Timestamp::from_millis(last));
        Some(Self { day, today: today.try_into().ok()?, last, in_hand: in_hand.try_into().ok()?, hour })
    }

    fn in_hand_at(&self, now: Timestamp, constants: &Constants) -> u64 {
        if self.last.is_none() || day(now) != self.day {
            let hours_into_day = now.millis().rem_euclid(DAY_MS) / HOUR_MS;
            return (constants.decreases_per_day + hours_into_day.unsigned_abs())
                .min(constants.decreases_per_day);
        }
        let hours = now.millis().div_euclid(HOUR_MS) - self.hour;
        (self.in_hand + hours.unsigned_abs()).min(constants.decreases_per_day)
    }
}

fn day(now: Timestamp) -> i64 {
    now.millis().div_euclid(DAY_MS)
}

/// A moment as the service words it in its limit messages: `Friday, October 9, 2026 at 12:21:34 AM Coordinated
/// Universal Time`.
pub(crate) struct LongForm(pub Timestamp);

impl fmt::Display for LongForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const WEEKDAYS: [&str; 7] =
            ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];
        const MONTHS: [&str; 12] = [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ];
        let (year, month, day_of_month, hour, minute, second, _) = self.0.civil();
        let weekday = WEEKDAYS[day(self.0).rem_euclid(7) as usize];
        let month = MONTHS[month as usize - 1];
        let half = if hour < 12 { "AM" } else { "PM" };
        let hour = if hour % 12 == 0 { 12 } else { hour % 12 };
        write!(
            f,
            "{weekday}, {month} {day_of_month}, {year} at {hour}:{minute:02}:{second:02} {half} Coordinated Universal Time"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-10-09T00:00:00Z.
    const MIDNIGHT: i64 = 1_791_504_000_000;

    fn at(hour: i64, minute: i64, second: i64) -> Timestamp {
        Timestamp::from_millis(MIDNIGHT + (hour * 3_600 + minute * 60 + second) * 1_000)
    }

    fn try_all(tries: &[(Timestamp, bool)], constants: &Constants) {
        let mut decreases = Decreases::default();
        for (now, expected) in tries {
            let allowed = decreases.wait_until(*now, constants).is_none();
            assert_eq!(allowed, *expected, "at {now}");
            if allowed {
                decreases.record(*now, constants);
            }
        }
    }

    #[test]
    fn the_fifth_waits_an_hour_after_the_fourth() {
        let tries = [
            (at(0, 21, 0), true),
            (at(0, 21, 10), true),
            (at(0, 21, 20), true),
            (at(0, 21, 34), true),
            (at(0, 22, 0), false),
            (at(1, 0, 20), false),
            (at(1, 21, 34), true),
            (at(1, 21, 35), false),
            (at(2, 21, 33), false),
            (at(2, 21, 34), true),
        ];
        try_all(&tries, &Constants::default());
    }

    #[test]
    fn midnight_brings_the_four_back() {
        let tries = [
            (at(-1, 20, 0), true),
            (at(-1, 20, 1), true),
            (at(-1, 20, 2), true),
            (at(-1, 20, 3), true),
            (at(-1, 59, 59), false),
            (at(0, 0, 46), true),
            (at(0, 0, 48), true),
            (at(0, 0, 50), true),
        ];
        try_all(&tries, &Constants::default());
    }

    #[test]
    fn a_day_holds_27_by_either_rule() {
        for decrease_by_guide in [0, 1] {
            let constants = Constants { decrease_by_guide, ..Constants::default() };
            let mut decreases = Decreases::default();
            for second in 0..86_400 {
                if decreases.wait_until(at(0, 0, second), &constants).is_none() {
                    decreases.record(at(0, 0, second), &constants);
                }
            }
            assert_eq!(decreases.today(at(23, 59, 59)), 27, "by guide: {decrease_by_guide}");
            assert_eq!(decreases.today(at(24, 0, 0)), 0);
            assert!(decreases.last().is_some());
        }
    }

    #[test]
    fn moments_are_worded_as_the_service_does() {
        for (moment, text) in [
            (at(0, 21, 34), "Friday, October 9, 2026 at 12:21:34 AM Coordinated Universal Time"),
            (at(36, 5, 6), "Saturday, October 10, 2026 at 12:05:06 PM Coordinated Universal Time"),
            (at(13, 0, 0), "Friday, October 9, 2026 at 1:00:00 PM Coordinated Universal Time"),
        ] {
            assert_eq!(LongForm(moment).to_string(), text);
        }
    }
}

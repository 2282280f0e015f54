//! Points in time and spans, in milliseconds.

use std::fmt;
use std::ops::{Add, Sub};

/// A point in time: milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    millis: i64,
}

impl Timestamp {
    /// From milliseconds since the epoch.
    pub const fn from_millis(millis: i64) -> Timestamp {
        Timestamp { millis }
    }

    /// Milliseconds since the epoch.
    pub const fn millis(self) -> i64 {
        self.millis
    }

    /// Whole seconds since the epoch, rounded down.
    pub const fn seconds(self) -> i64 {
        self.millis.div_euclid(1000)
    }

    /// The calendar form in UTC: year, month (1..=12), day (1..=31), hour, minute, second, millisecond.
    pub fn civil(self) -> (i64, u32, u32, u32, u32, u32, u32) {
        let days = self.millis.div_euclid(86_400_000);
        let in_day = self.millis.rem_euclid(86_400_000);
        let (year, month, day) = civil_from_days(days);
        let part = |unit: i64, modulus: i64| (in_day / unit % modulus) as u32;
        (year, month, day, part(3_600_000, 24), part(60_000, 60), part(1000, 60), part(1, 1000))
    }
}

/// Days since the epoch to year, month, day in the proleptic Gregorian calendar.
fn civil_from_days(days: i64) -> (i64, u32, u32) {
    // Counted from 0000-03-01, so that the leap day is the last of its year.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u32;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 } as u32;
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

impl Add<i64> for Timestamp {
    type Output = Timestamp;

    /// Adds milliseconds.
    fn add(self, millis: i64) -> Timestamp {
        Timestamp { millis: self.millis.saturating_add(millis) }
    }
}

impl Sub for Timestamp {
    type Output = i64;

    /// The milliseconds between two points.
    fn sub(self, earlier: Timestamp) -> i64 {
        self.millis.saturating_sub(earlier.millis)
    }
}

/// `2026-11-30T15:35:53.120Z`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day, hour, minute, second, milli) = self.civil();
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_utc() {
        let cases = [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_796_052_953_120, "2026-11-30T15:35:53.120Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
        ];
        for (millis, text) in cases {
            assert_eq!(Timestamp::from_millis(millis).to_string(), text);
        }
    }
}

//! Points in time and spans, in milliseconds.

use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;

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

/// A text that is no point in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimestampError(String);

impl fmt::Display for TimestampError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is no time in UTC: write it as 2026-06-01T00:00:00Z, with milliseconds if need be",
            self.0
        )
    }
}

impl std::error::Error for TimestampError {}

impl FromStr for Timestamp {
    type Err = TimestampError;

    /// Reads `2026-06-01T00:00:00Z` or `2026-06-01T00:00:00.120Z`; years 1970 to 9999.
    fn from_str(text: &str) -> Result<Timestamp, TimestampError> {
        parse(text).ok_or_else(|| TimestampError(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<Timestamp> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let (time, millis) = match time.split_once('.') {
        Some((time, fraction)) => (time, digits(fraction, 3)?),
        None => (time, 0),
    };
    let [year, month, day] = fields(date, '-', [4, 2, 2])?;
    let [hour, minute, second] = fields(time, ':', [2, 2, 2])?;
    let days = days_from_civil(year, month, day);
    let is_date = civil_from_days(days) == (year, month as u32, day as u32);
    if year < 1970 || !is_date || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some(Timestamp::from_millis((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + millis))
}

fn fields(text: &str, separator: char, widths: [usize; 3]) -> Option<[i64; 3]> {
    let mut parts = text.split(separator);
    let mut out = [0; 3];
    for (field, width) in out.iter_mut().zip(widths) {
        *field = digits(parts.next()?, width)?;
    }
    parts.next().is_none().then_some(out)
}

fn digits(text: &str, width: usize) -> Option<i64> {
    let all_digits = text.len() == width && text.bytes().all(|byte| byte.is_ascii_digit());
    all_digits.then(|| text.parse().ok()).flatten()
}

/// Year, month, day in the proleptic Gregorian calendar to days since the epoch. What is no date comes out as another.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    // Counted in years that begin on 1 March, so that the leap day is the last of its year.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The units of durations and their milliseconds.
const UNITS: [(&str, i64); 6] =
    [("w", 7 * 86_400_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];

/// Reads a span: numbers with units, the larger unit first, such as `500ms`, `2s`, `9m59s`, `1.5h`, `25h` or `1w3d`. A
/// space between them does not matter, `0` needs no unit, and `min` is a minute too. Answers whole milliseconds.
///
/// # Errors
/// A sentence that says how to write one.
pub fn parse_duration_ms(text: &str) -> Result<i64, String> {
    read_duration(text.trim()).ok_or_else(|| {
        format!(
            "`{text}` is no duration of whole milliseconds: write numbers with ms, s, m, h, d or w, the larger unit \
             first, such as 500ms, 9m59s or 1.5h"
        )
    })
}

fn read_duration(text: &str) -> Option<i64> {
    if text == "0" {
        return Some(0);
    }
    let (mut rest, mut sum, mut units) = (text, 0_i64, &UNITS[..]);
    while !rest.is_empty() || sum == 0 && units.len() == UNITS.len() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(end);
        let end = after.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let unit = if unit == "min" { "m" } else { unit };
        let at = units.iter().position(|(name, _)| *name == unit)?;
        sum = sum.checked_add(of_unit(number, units[at].1)?)?;
        (rest, units) = (after.trim_start(), &units[at + 1..]);
    }
    Some(sum)
}

/// A number such as `1.5`, times a unit, when that is whole.
fn of_unit(number: &str, unit: i64) -> Option<i64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    let scale = 10_i64.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let parts = if fraction.is_empty() { 0 } else { fraction.parse::<i64>().ok()? }.checked_mul(unit)?;
    if parts % scale != 0 {
        return None;
    }
    whole.parse::<i64>().ok()?.checked_mul(unit)?.checked_add(parts / scale)
}

/// Reads a duration, or two joined by `..`, as the shortest and the longest milliseconds: `200ms`, `50ms..2s`.
///
/// # Errors
/// A sentence that says what was expected.
pub fn parse_duration_range_ms(text: &str) -> Result<(i64, i64), String> {
    let Some((from, to)) = text.split_once("..") else {
        let millis = parse_duration_ms(text)?;
        return Ok((millis, millis));
    };
    let (from, to) = (parse_duration_ms(from)?, parse_duration_ms(to)?);
    if from > to {
        return Err(format!("`{text}` is no range: write the shorter duration first, such as 50ms..2s"));
    }
    Ok((from, to))
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

    #[test]
    fn durations_are_numbers_with_units() {
        let cases = [
            ("0", 0),
            ("0s", 0),
            ("500ms", 500),
            ("2s", 2_000),
            ("9m59s", 599_000),
            ("1h30m", 5_400_000),
            ("1h 30m", 5_400_000),
            ("1.5h", 5_400_000),
            ("0.001s", 1),
            ("1.50s", 1_500),
            ("25h", 90_000_000),
            ("20min", 1_200_000),
            ("1w3d", 10 * 86_400_000),
            ("1d0h0m0s7ms", 86_400_007),
        ];
        for (text, millis) in cases {
            assert_eq!(parse_duration_ms(text), Ok(millis), "{text}");
        }
        for text in [
            "",
            " ",
            "1",
            "s",
            "1 s",
            "1S",
            "1y",
            "-1s",
            "+1s",
            "1.s",
            ".5s",
            "1..5s",
            "1.5",
            "0.5ms",
            "1s1m",
            "1m1m",
            "1ms2",
            "1,5h",
            "1e3s",
            "99999999999999999999s",
            "9223372036854775807w",
            "0.0000000000000000000001h",
        ] {
            let sentence = parse_duration_ms(text).unwrap_err();
            assert!(sentence.contains("such as 500ms"), "{text}: {sentence}");
        }
        assert_eq!(parse_duration_range_ms("50ms..1.5s"), Ok((50, 1_500)));
        assert!(parse_duration_range_ms("1.5s..1s").is_err());
    }

    #[test]
    fn reads_what_it_prints() {
        for millis in [0, 951_782_400_000, 1_796_052_953_120, 4_102_444_800_000] {
            let timestamp = Timestamp::from_millis(millis);
            assert_eq!(timestamp.to_string().parse(), Ok(timestamp));
        }
        assert_eq!("2026-06-01T00:00:00Z".parse(), Ok(Timestamp::from_millis(1_780_272_000_000)));
        for text in [
            "",
            "2026-06-01",
            "2026-02-29T00:00:00Z",
            "2026-06-01T24:00:00Z",
            "2026-06-01T00:00:00",
            "1969-12-31T23:59:59Z",
            "2026-6-1T0:0:0Z",
            "2026-06-01T00:00:00.1Z",
            "2026-13-01T00:00:00Z",
        ] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
    }
}

//! The three forms in which times reach authentication, all as seconds since 1970 in UTC.
//!
//! `20260601T120000Z` (ISO 8601 basic, `X-Amz-Date`), `Mon, 01 Jun 2026 12:00:00 GMT` (`Date`) and
//! `2026-06-01T12:00:00Z` or with an offset (expirations in a credentials file).

const SECONDS_PER_DAY: i64 = 86_400;
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Parses `YYYYMMDDTHHMMSSZ`; `None` for anything else, an impossible date included.
pub(super) fn parse_basic(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    if bytes.len() != 16 || bytes[8] != b'T' || bytes[15] != b'Z' {
        return None;
    }
    let part = |from: usize, to: usize| number(&bytes[from..to]);
    seconds(part(0, 4)?, part(4, 6)?, part(6, 8)?, part(9, 11)?, part(11, 13)?, part(13, 15)?)
}

/// Prints seconds since 1970 as `YYYYMMDDTHHMMSSZ`.
pub(super) fn format_basic(at: i64) -> String {
    let (days, second) = (at.div_euclid(SECONDS_PER_DAY), at.rem_euclid(SECONDS_PER_DAY));
    let (year, month, day) = civil_from_days(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

/// Parses the fixed form of HTTP dates, `Sun, 06 Nov 1994 08:49:37 GMT`.
pub(super) fn parse_http(text: &str) -> Option<i64> {
    let (_weekday, rest) = text.split_once(", ")?;
    let mut words = rest.split(' ');
    let (day, month, year) = (words.next()?, words.next()?, words.next()?);
    let (time, zone) = (words.next()?, words.next()?);
    if zone != "GMT" || words.next().is_some() {
        return None;
    }
    let month = MONTHS.iter().position(|name| *name == month)? as i64 + 1;
    let mut clock = time.split(':').map(|part| number(part.as_bytes()));
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    seconds(number(year.as_bytes())?, month, number(day.as_bytes())?, hour, minute, second)
}

/// Parses `2026-06-01T12:00:00Z`, with an optional fraction, and `+hh:mm` or `-hh:mm` in place of `Z`.
pub(super) fn parse_extended(text: &str) -> Option<i64> {
    let (date, time) = text.trim().split_once(['T', ' '])?;
    let mut date = date.split('-').map(|part| number(part.as_bytes()));
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let zone_at = time.find(['Z', '+', '-'])?;
    let (clock, zone) = time.split_at(zone_at);
    let clock = clock.split('.').next()?;
    let mut clock = clock.split(':').map(|part| number(part.as_bytes()));
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let local = seconds(year, month, day, hour, minute, second)?;
    if zone == "Z" {
        return Some(local);
    }
    let (hours, minutes) = zone[1..].split_once(':')?;
    let offset = number(hours.as_bytes())? * 3600 + number(minutes.as_bytes())? * 60;
    Some(if zone.starts_with('-') { local + offset } else { local - offset })
}

/// A run of ASCII digits, at most nine of them, as a number.
fn number(digits: &[u8]) -> Option<i64> {
    if digits.is_empty() || digits.len() > 9 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(digits.iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
}

fn seconds(year: i64, month: i64, day: i64, hour: i64, minute: i64, second: i64) -> Option<i64> {
    let in_range = (1..=12).contains(&month) && hour < 24 && minute < 60 && second < 61;
    if !in_range || day < 1 || year > 9999 {
        return None;
    }
    let days = days_from_civil(year, month, day);
    // A day that the month does not have would come back as one of the next month.
    if civil_from_days(days) != (year, month, day) {
        return None;
    }
    Some(days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second)
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar; years are counted from March, so that the leap day is last.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_forms_agree() {
        let cases = [
            (0, "19700101T000000Z", "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z"),
            (784_111_777, "19941106T084937Z", "Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T10:49:37+02:00"),
            (951_782_399, "20000228T235959Z", "Mon, 28 Feb 2000 23:59:59 GMT", "2000-02-28T23:59:59.125Z"),
            (1_709_164_800, "20240229T000000Z", "Thu, 29 Feb 2024 00:00:00 GMT", "2024-02-28T19:00:00-05:00"),
            (253_402_300_799, "99991231T235959Z", "Fri, 31 Dec 9999 23:59:59 GMT", "9999-12-31 23:59:59Z"),
        ];
        for (at, basic, http, extended) in cases {
            assert_eq!(parse_basic(basic), Some(at), "{basic}");
            assert_eq!(format_basic(at), basic);
            assert_eq!(parse_http(http), Some(at), "{http}");
            assert_eq!(parse_extended(extended), Some(at), "{extended}");
        }
    }

    #[test]
    fn what_is_not_a_date_is_refused() {
        for text in [
            "",
            "20260601",
            "20260601T000000",
            "2026-06-01T00:00:00Z",
            "20260631T000000Z",
            "20260229T000000Z",
            "20261301T000000Z",
            "20260601T240000Z",
            "2026060１T00000Z",
            "+0260601T000000Z",
        ] {
            assert_eq!(parse_basic(text), None, "{text}");
        }
        for text in
            ["06 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT"]
        {
            assert_eq!(parse_http(text), None, "{text}");
        }
        for text in ["2026-06-01", "2026-06-01T00:00:00", "x", "2026-06-01T00:00:00+0200"] {
            assert_eq!(parse_extended(text), None, "{text}");
        }
    }
}

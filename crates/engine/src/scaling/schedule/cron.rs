//! Cron expressions of six fields: minutes, hours, day of month, month, day of week, year.
//!
//! `*` any, `,` several, `-` a range (it may run over the end: `FRI-MON`), `/` steps; `?` in one of the two day
//! fields, which cannot both be asked for; `L` the last day, `15W` the working day nearest to the 15th, `LW` the last
//! working day, `6L` the last Friday, `6#3` the third Friday. Sunday is 1.

use dynamometer_types::Timestamp;

use super::zone::Zone;

/// A parsed expression.
#[derive(Debug)]
pub(crate) struct Cron {
    minutes: Set,
    hours: Set,
    days: Days,
    months: Set,
    /// `None` is any year.
    years: Option<Vec<(i64, i64, i64)>>,
}

/// Numbers from 0 to 63 as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Set(u64);

/// Which days of a month match.
#[derive(Debug)]
enum Days {
    OfMonth(Set),
    Last,
    /// The working day nearest to this day of the month.
    WorkingNear(u32),
    LastWorking,
    /// Days of the week, Sunday being 1.
    OfWeek(Set),
    /// The last such day of the week.
    LastOfWeek(u32),
    /// The n-th such day of the week.
    NthOfWeek(u32, u32),
}

const YEARS: (i64, i64) = (1970, 2199);
const MONTHS: [&str; 12] =
    ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

impl Set {
    fn has(self, number: u32) -> bool {
        self.0 >> number & 1 == 1
    }
}

impl Cron {
    /// Reads the six fields; `None` when they are not.
    pub(super) fn parse(text: &str) -> Option<Cron> {
        let fields: Vec<String> = text.split_whitespace().map(str::to_ascii_uppercase).collect();
        let [minutes, hours, day_of_month, month, day_of_week, year] = fields.as_slice() else { return None };
        Some(Cron {
            minutes: set(minutes, 0, 59, &[])?,
            hours: set(hours, 0, 23, &[])?,
            days: Days::parse(day_of_month, day_of_week)?,
            months: set(month, 1, 12, &MONTHS)?,
            years: match year.as_str() {
                "*" => None,
                listed => Some(
                    listed
                        .split(',')
                        .map(|part| range(part, YEARS.0, YEARS.1, &[]))
                        .collect::<Option<_>>()?,
                ),
            },
        })
    }

    /// The first matching minute after a moment; `None` when there is none before the year 2200.
    pub(super) fn next_after(&self, after: Timestamp, zone: &Zone) -> Option<Timestamp> {
        let (mut year, mut month, mut day) = zone.date(after)?;
        while year <= YEARS.1 {
            if !self.has_year(year) {
                (year, month, day) = (year + 1, 1, 1);
            } else if !self.months.has(month) {
                (year, month, day) = after_month(year, month);
            } else {
                let on_day = self.days.has(year, month, day);
                if on_day && let Some(due) = self.on_day((year, month, day), after, zone) {
                    return Some(due);
                }
                day += 1;
                if day > days_in(year, month) {
                    (year, month, day) = after_month(year, month);
                }
            }
        }
        None
    }

    fn has_year(&self, year: i64) -> bool {
        let within =
            |(from, to, step): &(i64, i64, i64)| (*from..=*to).contains(&year) && (year - from) % step == 0;
        self.years.as_ref().is_none_or(|years| years.iter().any(within))
    }

    /// The first matching minute of a day that lies after a moment.
    fn on_day(
        &self,
        (year, month, day): (i64, u32, u32),
        after: Timestamp,
        zone: &Zone,
    ) -> Option<Timestamp> {
        let hours = (0..24).filter(|hour| self.hours.has(*hour));
        let minutes = |hour| (0..60).filter(|minute| self.minutes.has(*minute)).map(move |m| (hour, m));
        hours
            .flat_map(minutes)
            .filter_map(|(hour, minute)| zone.instant(year, month, day, hour, minute, 0))
            .find(|due| *due > after)
    }
}

impl Days {
    fn parse(of_month: &str, of_week: &str) -> Option<Days> {
        match (of_month, of_week) {
            ("?", "?") => None,
            ("L", "?") => Some(Days::Last),
            ("LW" | "WL", "?") => Some(Days::LastWorking),
            (near, "?") if near.ends_with('W') => {
                number(near.strip_suffix('W')?, 1, 31, &[]).map(|day| Days::WorkingNear(day as u32))
            }
            (listed, "?") => set(listed, 1, 31, &[]).map(Days::OfMonth),
            ("?", "L") => Some(Days::OfWeek(Set(1 << 7))),
            ("?", nth) if nth.contains('#') => {
                let (weekday, count) = nth.split_once('#')?;
                let weekday = number(weekday, 1, 7, &WEEKDAYS)? as u32;
                Some(Days::NthOfWeek(weekday, number(count, 1, 5, &[])? as u32))
            }
            ("?", last) if last.ends_with('L') => {
                number(last.strip_suffix('L')?, 1, 7, &WEEKDAYS).map(|day| Days::LastOfWeek(day as u32))
            }
            ("?", listed) => set(listed, 1, 7, &WEEKDAYS).map(Days::OfWeek),
            _ => None,
        }
    }

    fn has(&self, year: i64, month: u32, day: u32) -> bool {
        let last = days_in(year, month);
        let weekday = weekday(year, month, day);
        match *self {
            Days::OfMonth(days) => days.has(day),
            Days::Last => day == last,
            Days::WorkingNear(near) => near <= last && day == working_day_near(year, month, near),
            Days::LastWorking => day == working_day_near(year, month, last),
            Days::OfWeek(days) => days.has(weekday),
            Days::LastOfWeek(wanted) => weekday == wanted && day + 7 > last,
            Days::NthOfWeek(wanted, count) => weekday == wanted && day.div_ceil(7) == count,
        }
    }
}

/// The day from Monday to Friday of the same month that is nearest to `day`.
fn working_day_near(year: i64, month: u32, day: u32) -> u32 {
    let last = days_in(year, month);
    match weekday(year, month, day) {
        1 if day == last => day - 2,
        1 => day + 1,
        7 if day == 1 => day + 2,
        7 => day - 1,
        _ => day,
    }
}

fn after_month(year: i64, month: u32) -> (i64, u32, u32) {
    if month == 12 { (year + 1, 1, 1) } else { (year, month + 1, 1) }
}

fn days_in(year: i64, month: u32) -> u32 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The day of the week in the Gregorian calendar, Sunday being 1 (after Zeller).
fn weekday(year: i64, month: u32, day: u32) -> u32 {
    let (year, month) = if month <= 2 { (year - 1, i64::from(month) + 12) } else { (year, i64::from(month)) };
    let from_saturday = i64::from(day) + 13 * (month + 1) / 5 + year + year / 4 - year / 100 + year / 400;
    (from_saturday + 6).rem_euclid(7) as u32 + 1
}

/// Reads a list of ranges into a set.
fn set(text: &str, least: i64, most: i64, names: &[&str]) -> Option<Set> {
    let mut bits = 0u64;
    for part in text.split(',') {
        let (from, to, step) = range(part, least, most, names)?;
        // A range may run over the end.
        let length = if from <= to { to - from } else { to - from + most - least + 1 };
        for at in (0..=length).step_by(usize::try_from(step).ok()?) {
            bits |= 1 << ((from - least + at) % (most - least + 1) + least);
        }
    }
    Some(Set(bits))
}

/// Reads `*`, `5`, `5-9`, and each of them with `/step`: from, to, and step.
fn range(text: &str, least: i64, most: i64, names: &[&str]) -> Option<(i64, i64, i64)> {
    let (span, step) = match text.split_once('/') {
        None => (text, None),
        Some((span, step)) => (span, Some(number(step, 1, most, &[])?)),
    };
    let (from, to) = match span.split_once('-') {
        _ if span == "*" => (least, most),
        Some((from, to)) => (number(from, least, most, names)?, number(to, least, most, names)?),
        None => {
            let from = number(span, least, most, names)?;
            (from, if step.is_some() { most } else { from })
        }
    };
    Some((from, to, step.unwrap_or(1)))
}

/// Reads a number within bounds, or one of the names, the first of which stands for `least`.
fn number(text: &str, least: i64, most: i64, names: &[&str]) -> Option<i64> {
    if let Some(at) = names.iter().position(|name| *name == text) {
        return Some(least + at as i64);
    }
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number: i64 = is_number.then(|| text.parse().ok()).flatten()?;
    (least..=most).contains(&number).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first occurrences after 2026-11-30T00:00:00Z, a Monday, in UTC.
    fn occurrences(text: &str, count: usize) -> Vec<String> {
        let cron = Cron::parse(text).unwrap_or_else(|| panic!("{text}"));
        let mut at: Timestamp = "2026-11-30T00:00:00Z".parse().unwrap();
        let mut found = Vec::new();
        while found.len() < count
            && let Some(next) = cron.next_after(at, &Zone::utc())
        {
            found.push(next.to_string().replace(":00.000Z", ""));
            at = next;
        }
        found
    }

    #[test]
    fn fields_match_as_documented() {
        let cases: &[(&str, &[&str])] = &[
            (
                "0/15 * * * ? *",
                &["2026-11-30T00:15", "2026-11-30T00:30", "2026-11-30T00:45", "2026-11-30T01:00"],
            ),
            ("*/40 1 * * ? *", &["2026-11-30T01:00", "2026-11-30T01:40", "2026-12-01T01:00"]),
            (
                "5 9-17/4 ? * FRI-MON *",
                &["2026-11-30T09:05", "2026-11-30T13:05", "2026-11-30T17:05", "2026-12-04T09:05"],
            ),
            (
                "0 22-1 1 * ? *",
                &["2026-12-01T00:00", "2026-12-01T01:00", "2026-12-01T22:00", "2026-12-01T23:00"],
            ),
            ("30 6 ? * 2 *", &["2026-11-30T06:30", "2026-12-07T06:30"]),
            ("0 0 31 * ? *", &["2026-12-31T00:00", "2027-01-31T00:00", "2027-03-31T00:00"]),
            ("0 0 29 feb ? *", &["2028-02-29T00:00", "2032-02-29T00:00"]),
            ("0 0 L * ? *", &["2026-12-31T00:00", "2027-01-31T00:00", "2027-02-28T00:00"]),
            ("0 0 LW 1-2 ? 2027", &["2027-01-29T00:00", "2027-02-26T00:00"]),
            ("0 0 1W 5,8 ? 2027", &["2027-05-03T00:00", "2027-08-02T00:00"]),
            ("0 0 ? * 6L *", &["2026-12-25T00:00", "2027-01-29T00:00"]),
            ("0 0 ? * 6#3 *", &["2026-12-18T00:00", "2027-01-15T00:00"]),
            ("0 0 ? * L *", &["2026-12-05T00:00", "2026-12-12T00:00"]),
            ("0 0 1 1 ? 2028/2", &["2028-01-01T00:00", "2030-01-01T00:00"]),
            ("0 0 1 1 ? 2026", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(occurrences(text, expected.len().max(1)), *expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for text in [
            "0 9 * * ?",
            "0 9 * * * *",
            "0 9 ? * ? *",
            "0 9 * * MON *",
            "60 9 * * ? *",
            "0 24 * * ? *",
            "0 9 0 * ? *",
            "0 9 * 13 ? *",
            "0 9 ? * 0 *",
            "0 9 * * ? 1969",
            "0 9 * * ? 2200",
            "/ 5-6 ? * * *",
            "0/0 * * * ? *",
            "+1 * * * ? *",
            "1,, * * * ? *",
            "0 9 32W * ? *",
            "0 9 ? * 6#6 *",
        ] {
            assert!(Cron::parse(text).is_none(), "{text}");
        }
    }
}

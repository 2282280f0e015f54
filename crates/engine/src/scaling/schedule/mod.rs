//! When a scheduled action falls due: `at(…)`, `rate(…)` and `cron(…)`, in a time zone.
//!
//! # Source
//! Application Auto Scaling API Reference, PutScheduledAction; its user guide, "Schedule recurring scaling actions";
//! the cron fields are those of the EventBridge User Guide, "Cron expressions reference" (2026).
//!
//! Assumed: a `rate` falls due for the first time one interval after it was put; a local time that a time zone leaves
//! out is left out, and one that it has twice counts the first time.

mod cron;
mod zone;

use dynamometer_types::Timestamp;

use cron::Cron;
pub(crate) use zone::Zone;

/// A parsed schedule.
#[derive(Debug)]
pub(crate) enum Schedule {
    /// Once.
    At(Timestamp),
    /// Every so many milliseconds.
    Rate(i64),
    /// Whenever a clock on the wall of the zone shows a matching minute.
    Cron(Box<Cron>, Zone),
}

impl Schedule {
    /// Reads an expression; without a zone it is in UTC. `None` when it is not one.
    pub(crate) fn parse(expression: &str, zone: Option<&str>) -> Option<Schedule> {
        let zone = match zone {
            None => Zone::utc(),
            Some(name) => Zone::of_name(name)?,
        };
        let (kind, rest) = expression.split_once('(')?;
        let inside = rest.strip_suffix(')')?;
        match kind {
            "at" => parse_at(inside, &zone).map(Schedule::At),
            "rate" => parse_rate(inside).map(Schedule::Rate),
            "cron" => Cron::parse(inside).map(|cron| Schedule::Cron(Box::new(cron), zone)),
            _ => None,
        }
    }

    /// When it falls due first, put at `now`; `start` and `end` are the bounds of the action, both included.
    ///
    /// A start is itself an occurrence of what recurs.
    pub(crate) fn first(
        &self,
        now: Timestamp,
        start: Option<Timestamp>,
        end: Option<Timestamp>,
    ) -> Option<Timestamp> {
        let due = match (self, start) {
            (Schedule::At(at), start) => Some(*at).filter(|at| *at >= now && start.is_none_or(|s| *at >= s)),
            (_, Some(start)) if start >= now => Some(start),
            (Schedule::Rate(every), Some(start)) => next_beat(start, *every, now),
            _ => self.next(now, now),
        };
        due.filter(|due| end.is_none_or(|end| *due <= end))
    }

    /// When it falls due after `due`, which was done at `now`; occurrences that are over by then are left out.
    pub(crate) fn next(&self, due: Timestamp, now: Timestamp) -> Option<Timestamp> {
        match self {
            Schedule::At(_) => None,
            Schedule::Rate(every) => next_beat(due, *every, now),
            Schedule::Cron(cron, zone) => cron.next_after(due.max(now), zone),
        }
    }
}

/// The first time after `now` that is a whole number of intervals after `from`.
fn next_beat(from: Timestamp, every_ms: i64, now: Timestamp) -> Option<Timestamp> {
    let beats = (now - from).max(0) / every_ms + 1;
    Some(from + every_ms.checked_mul(beats)?)
}

/// `2026-12-01T08:00:00`, on the clock of the zone.
fn parse_at(text: &str, zone: &Zone) -> Option<Timestamp> {
    let as_utc: Timestamp = format!("{text}Z").parse().ok().filter(|_| text.len() == 19)?;
    let (year, month, day, hour, minute, second, _) = as_utc.civil();
    zone.instant(year, month, day, hour, minute, second)
}

/// `5 minutes`: a positive whole number and a unit, in milliseconds.
fn parse_rate(text: &str) -> Option<i64> {
    let (value, unit) = text.split_once(' ')?;
    let value: i64 = value.bytes().all(|byte| byte.is_ascii_digit()).then(|| value.parse().ok()).flatten()?;
    let unit_ms = match unit.trim() {
        "minute" | "minutes" => 60_000,
        "hour" | "hours" => 3_600_000,
        "day" | "days" => 86_400_000,
        _ => return None,
    };
    value.checked_mul(unit_ms).filter(|every| *every > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn first(expression: &str, zone: Option<&str>, now: &str) -> Option<String> {
        let schedule = Schedule::parse(expression, zone).unwrap_or_else(|| panic!("{expression}"));
        schedule.first(at(now), None, None).map(|due| due.to_string())
    }

    #[test]
    fn occurrences_are_those_of_the_zones_wall_clock() {
        let brisbane = Some("Australia/Brisbane");
        let new_york = Some("America/New_York");
        let cases = [
            ("at(2026-12-01T08:00:00)", None, "2026-11-30T00:00:00Z", "2026-12-01T08:00:00.000Z"),
            ("at(2026-12-01T08:00:00)", brisbane, "2026-11-30T00:00:00Z", "2026-11-30T22:00:00.000Z"),
            ("rate(5 minutes)", None, "2026-11-30T00:01:10Z", "2026-11-30T00:06:10.000Z"),
            ("rate(1 day)", None, "2026-11-30T00:00:00Z", "2026-12-01T00:00:00.000Z"),
            // The example of AWS's guide: 08:45 on working days in Brisbane, which is 22:45 the day before in UTC.
            ("cron(45 8 ? * MON-FRI *)", brisbane, "2026-11-27T12:00:00Z", "2026-11-29T22:45:00.000Z"),
            ("cron(0 9 * * ? *)", new_york, "2026-07-01T00:00:00Z", "2026-07-01T13:00:00.000Z"),
            ("cron(0 9 * * ? *)", new_york, "2026-12-01T00:00:00Z", "2026-12-01T14:00:00.000Z"),
            // 02:30 is left out on 8 March 2026, and 01:30 comes twice on 1 November.
            ("cron(30 2 * * ? *)", new_york, "2026-03-07T08:00:00Z", "2026-03-09T06:30:00.000Z"),
            ("cron(30 1 * * ? *)", new_york, "2026-11-01T00:00:00Z", "2026-11-01T05:30:00.000Z"),
            ("cron(30 1 * * ? *)", new_york, "2026-11-01T05:30:00Z", "2026-11-02T06:30:00.000Z"),
        ];
        for (expression, zone, now, due) in cases {
            assert_eq!(first(expression, zone, now).as_deref(), Some(due), "{expression} {zone:?} at {now}");
        }
        assert_eq!(first("at(2026-12-01T08:00:00)", None, "2026-12-02T00:00:00Z"), None);
    }

    #[test]
    fn a_start_is_an_occurrence_and_nothing_comes_after_the_end() {
        let (now, start) = (at("2026-12-01T00:00:00Z"), at("2026-12-01T10:07:00Z"));
        let hourly = Schedule::parse("cron(0 * * * ? *)", None).unwrap();
        assert_eq!(hourly.first(now, Some(start), None), Some(start));
        assert_eq!(hourly.first(start + 1, Some(start), None), Some(at("2026-12-01T11:00:00Z")));
        assert_eq!(hourly.first(start + 1, Some(start), Some(at("2026-12-01T10:59:59Z"))), None);
        let rate = Schedule::parse("rate(1 hour)", None).unwrap();
        assert_eq!(
            rate.first(at("2026-12-01T12:00:00Z"), Some(start), None),
            Some(at("2026-12-01T12:07:00Z"))
        );
        assert_eq!(rate.next(start, at("2026-12-01T15:00:00Z")), Some(at("2026-12-01T15:07:00Z")));
    }

    #[test]
    fn what_is_no_schedule_is_refused() {
        for (expression, zone) in [
            ("", None),
            ("at()", None),
            ("at(2026-02-30T00:00:00)", None),
            ("at(2026-02-20T00:00:00Z)", None),
            ("at(2026-02-20T00:00:00.000)", None),
            ("at(2026-02-20)", None),
            ("rate(0 minutes)", None),
            ("rate(-1 minutes)", None),
            ("rate(1 week)", None),
            ("rate(99999999999999 days)", None),
            ("cron(0 9 * * ? *", None),
            ("every(5 minutes)", None),
            ("30 3 * * *", None),
            ("rate(5 minutes)", Some("Mars/Olympus")),
            ("rate(5 minutes)", Some("america/new_york")),
            ("rate(5 minutes)", Some("")),
            // A time that the zone leaves out.
            ("at(2026-03-08T02:30:00)", Some("America/New_York")),
        ] {
            assert!(Schedule::parse(expression, zone).is_none(), "{expression} {zone:?}");
        }
    }
}

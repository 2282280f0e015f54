//! Whether an alarm changes its state.
//!
//! # The rule
//! An alarm looks at its last N periods, and two more behind them in case some are missing. If there are N points or
//! more, the newest N decide and missing ones do not matter. If there are fewer, each missing one counts as
//! `TreatMissingData` says. ALARM when M of them are outside the threshold, else OK.
//!
//! # Source
//! "Configuring how CloudWatch alarms treat missing data" (guide, 2026) with its two tables, which are tests here. How
//! far AWS looks back is told there only for three periods (five); two more for any number is assumed.

use super::alarm::{Source, State, Watched};
use super::reason::{Seen, reason};
use crate::query::run;
use crate::shelf::Shelf;

/// How many periods are looked at beyond those that decide.
const MORE: i64 = 2;

/// What an alarm becomes.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The new state.
    pub state: State,
    /// Why.
    pub reason: String,
    /// Why, as JSON.
    pub reason_data: String,
}

/// How far back an alarm looks, milliseconds.
pub fn looks_back_ms(watched: &Watched) -> i64 {
    (watched.evaluation_periods + MORE) * watched.period_s() * 1000
}

/// Evaluates an alarm at the end of a minute. `state` is the one that it has; `None` when it keeps that.
pub fn evaluate(watched: &Watched, state: State, shelf: &Shelf, now_ms: i64) -> Option<Verdict> {
    let period_ms = watched.period_s() * 1000;
    let looked_at = watched.evaluation_periods + MORE;
    let start = now_ms - looks_back_ms(watched);
    let points = points_of(&watched.source, shelf, (start, now_ms));
    let mut values = vec![None; looked_at as usize];
    for (time, value) in points {
        let at = usize::try_from((time - start) / period_ms).ok();
        if let Some(slot) = at.and_then(|at| values.get_mut(at)) {
            *slot = Some((time, value));
        }
    }
    let next = decide(watched, state, &values);
    if next == state {
        return None;
    }
    let period_s = watched.period_s();
    let seen = Seen { watched, values: &values, now_ms, period_s, before: state, after: next };
    let (reason, reason_data) = reason(&seen);
    Some(Verdict { state: next, reason, reason_data })
}

/// The points of what an alarm looks at; none when its expression does not work out.
fn points_of(source: &Source, shelf: &Shelf, range: (i64, i64)) -> Vec<(i64, f64)> {
    match source {
        Source::Metric(stat) => stat.line(shelf, range).points,
        Source::Queries(queries) => {
            let results = run(queries, shelf, range).unwrap_or_default();
            results.into_iter().next().map(|result| result.line.points).unwrap_or_default()
        }
    }
}

/// The state after periods of which some may be missing, oldest first.
fn decide(watched: &Watched, state: State, values: &[Option<(i64, f64)>]) -> State {
    let (n, m) = (watched.evaluation_periods as usize, watched.datapoints_to_alarm());
    let known: Vec<bool> = values
        .iter()
        .flatten()
        .map(|(_, value)| watched.comparison.is_breaching(*value, watched.threshold))
        .collect();
    let newest = &known[known.len().saturating_sub(n)..];
    let breaching = newest.iter().filter(|breaching| **breaching).count();
    let missing = n - newest.len();
    let alarm = |goes_off: bool| if goes_off { State::Alarm } else { State::Ok };
    if missing == 0 || breaching >= m {
        return alarm(breaching >= m);
    }
    match watched.treat_missing_data.as_deref() {
        Some("breaching") => alarm(breaching + missing >= m),
        Some("notBreaching") => State::Ok,
        // All that is known is outside, but too little is known.
        Some("ignore") if breaching == newest.len() => state,
        Some("ignore") => State::Ok,
        _ if newest.is_empty() => State::InsufficientData,
        _ => alarm(breaching == newest.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::alarm::Comparison;
    use super::*;
    use crate::metric::MetricId;
    use crate::query::MetricStat;

    fn watched(n: i64, m: i64, treatment: Option<&str>) -> Watched {
        Watched {
            source: Source::Metric(MetricStat {
                metric: MetricId::dynamodb("ThrottledRequests", &[]),
                period_s: 60,
                stat: "Sum".into(),
                unit: None,
            }),
            evaluation_periods: n,
            datapoints_to_alarm: Some(m),
            threshold: 0.0,
            comparison: Comparison::GreaterThanThreshold,
            treat_missing_data: treatment.map(str::to_owned),
            evaluate_low_sample_count_percentile: None,
        }
    }

    /// The guide's two tables: the last five periods (0 within, X outside, - missing), then what becomes of the alarm
    /// under missing, ignore, breaching and notBreaching (O, A, I for the states, R when it stays as it is).
    #[test]
    fn the_tables_of_the_guide() {
        let cases = [
            (3, "0-X-X", "OOOO"),
            (3, "----0", "OOOO"),
            (3, "-----", "IRAO"),
            (3, "0XX-X", "AAAA"),
            (3, "--X--", "ARAO"),
            (2, "0-X-X", "AAAA"),
            (2, "00X0X", "AAAA"),
            (2, "0-X--", "OOAO"),
            (2, "----0", "OOAO"),
            (2, "---X-", "ARAO"),
        ];
        for (m, periods, expected) in cases {
            let values: Vec<Option<(i64, f64)>> = periods
                .bytes()
                .map(|period| match period {
                    b'-' => None,
                    b'X' => Some((0, 1.0)),
                    _ => Some((0, 0.0)),
                })
                .collect();
            let treatments = [None, Some("ignore"), Some("breaching"), Some("notBreaching")];
            for (treatment, expected) in treatments.into_iter().zip(expected.chars()) {
                for before in [State::Ok, State::Alarm] {
                    let expected = match expected {
                        'O' => State::Ok,
                        'A' => State::Alarm,
                        'I' => State::InsufficientData,
                        _ => before,
                    };
                    let got = decide(&watched(3, m, treatment), before, &values);
                    assert_eq!(got, expected, "{m} of 3, {periods}, {treatment:?}, {before:?}");
                }
            }
        }
    }
}

//! Why an alarm is in its state, in AWS's words.

use std::fmt::Write;

use dynamometer_types::Timestamp;

use super::alarm::{Source, State, Watched};

/// What an evaluation saw and decided.
pub(super) struct Seen<'a> {
    pub(super) watched: &'a Watched,
    /// The periods looked at, oldest first.
    pub(super) values: &'a [Option<(i64, f64)>],
    pub(super) now_ms: i64,
    pub(super) period_s: i64,
    pub(super) before: State,
    pub(super) after: State,
}

/// The reason, and its JSON.
pub(super) fn reason(seen: &Seen<'_>) -> (String, String) {
    let n = seen.watched.evaluation_periods as usize;
    let known: Vec<(i64, f64)> = seen.values.iter().flatten().copied().collect();
    let newest = &known[known.len().saturating_sub(n)..];
    (words(seen, newest), data(seen, newest))
}

fn words(seen: &Seen<'_>, newest: &[(i64, f64)]) -> String {
    let watched = seen.watched;
    let datapoints =
        |count: usize| if count == 1 { "1 datapoint".to_owned() } else { format!("{count} datapoints") };
    if newest.is_empty() {
        let n = watched.evaluation_periods as usize;
        let were = if n == 1 { "was" } else { "were" };
        return match watched.treat_missing_data.as_deref() {
            Some(treatment @ ("breaching" | "notBreaching")) => {
                let as_ = if treatment == "breaching" { "Breaching" } else { "NonBreaching" };
                format!(
                    "Threshold Crossed: no datapoints were received for {n} period{} and {n} missing {} {were} \
                     treated as [{as_}].",
                    if n == 1 { "" } else { "s" },
                    if n == 1 { "datapoint" } else { "datapoints" },
                )
            }
            _ => format!("Insufficient Data: {} {were} unknown.", datapoints(n)),
        };
    }
    let outside =
        newest.iter().filter(|(_, value)| watched.comparison.is_breaching(*value, watched.threshold)).count();
    let is_alarm = seen.after == State::Alarm;
    let counted = if is_alarm { outside } else { newest.len() - outside };
    let mut listed = String::new();
    for (time, value) in newest.iter().rev().take(counted.max(1)) {
        let (year, month, day, hour, minute, second, _) = Timestamp::from_millis(*time).civil();
        let separator = if listed.is_empty() { "" } else { ", " };
        let _ = write!(
            listed,
            "{separator}{value:?} ({day:02}/{month:02}/{:02} {hour:02}:{minute:02}:{second:02})",
            year % 100
        );
    }
    let were = if counted == 1 { "was" } else { "were" };
    let not = if is_alarm { "" } else { "not " };
    let (least, transition) = if is_alarm {
        (watched.datapoints_to_alarm(), "OK -> ALARM")
    } else {
        (watched.evaluation_periods as usize + 1 - watched.datapoints_to_alarm(), "ALARM -> OK")
    };
    format!(
        "Threshold Crossed: {counted} out of the last {} [{listed}] {were} {not}{} the threshold ({:?}) (minimum {} for \
         {transition} transition).",
        datapoints(newest.len()),
        watched.comparison.words(),
        watched.threshold,
        datapoints(least.max(1)),
    )
}

fn data(seen: &Seen<'_>, newest: &[(i64, f64)]) -> String {
    let time = |millis: i64| Timestamp::from_millis(millis).to_string().replace('Z', "+0000");
    let values: Vec<String> = newest.iter().map(|(_, value)| format!("{value:?}")).collect();
    let statistic = match &seen.watched.source {
        Source::Metric(stat) => format!("\"statistic\":\"{}\",", stat.stat),
        Source::Queries(_) => String::new(),
    };
    let start = newest.first().map(|(time_ms, _)| format!("\"startDate\":\"{}\",", time(*time_ms)));
    format!(
        "{{\"version\":\"1.0\",\"queryDate\":\"{}\",{}{statistic}\"period\":{},\"recentDatapoints\":[{}],\
         \"threshold\":{:?},\"previousState\":\"{}\"}}",
        time(seen.now_ms),
        start.unwrap_or_default(),
        seen.period_s,
        values.join(","),
        seen.watched.threshold,
        seen.before.name(),
    )
}

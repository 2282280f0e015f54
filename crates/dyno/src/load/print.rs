//! What `dyno load` prints: a row for each pattern, and the errors in their own words.

use std::fmt::Write;

use dynamometer_design::model::Pattern;
use dynamometer_design::source::{padded, width};
use serde_json::{Value, json};

use super::LoadArgs;
use super::run::Outcome;
use crate::client::Client;

/// A pattern, its rate in millionths a second, and what came of it.
type Row<'d> = (&'d Pattern, u64, Outcome);

pub(super) fn outcome(args: &LoadArgs, client: &Client, rows: Vec<Row<'_>>, notes: &[String]) -> String {
    let seconds = args.duration.as_secs_f64();
    if args.json {
        return as_json(args, client, &rows, notes);
    }
    let kind = if args.peak { "peaks" } else { "averages" };
    let mut text =
        format!("{seconds} s at {} times the declared {kind} on {}\n\n", args.scale, client.endpoint());
    let names = rows.iter().map(|(pattern, ..)| width(&pattern.name.value)).max().unwrap_or(0).max(7);
    let _ = writeln!(
        text,
        "{}   ASKED/s    DONE/s   UNITS/s    p50 ms    p99 ms  p99.9 ms   THROTTLED   ERRORS",
        padded("PATTERN", names)
    );
    for (pattern, _, outcome) in &rows {
        let rate = |count: u64| format!("{:.1}", count as f64 / seconds);
        let ms = |share: f64| {
            let quantile = outcome.latencies.quantile_us(share);
            quantile.map_or("-".into(), |us| format!("{:.2}", us as f64 / 1e3))
        };
        let _ = writeln!(
            text,
            "{} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>11} {:>8}",
            padded(&pattern.name.value, names),
            rate(outcome.asked),
            rate(outcome.done),
            format!("{:.1}", outcome.halves as f64 / 2.0 / seconds),
            ms(0.5),
            ms(0.99),
            ms(0.999),
            outcome.throttled,
            outcome.errors.values().sum::<u64>(),
        );
    }
    for (pattern, _, outcome) in &rows {
        for (words, count) in &outcome.errors {
            let _ = writeln!(text, "\nerror in {}, {count} times: {words}", pattern.name.value);
        }
    }
    if !notes.is_empty() {
        let _ = writeln!(text, "\nnot called: {}", notes.join("\n            "));
    }
    text
}

fn as_json(args: &LoadArgs, client: &Client, rows: &[Row<'_>], notes: &[String]) -> String {
    let seconds = args.duration.as_secs_f64();
    let patterns: Vec<Value> = rows
        .iter()
        .map(|(pattern, rate_micro, outcome)| {
            json!({
                "pattern": pattern.name.value,
                "ratePerSecond": *rate_micro as f64 / 1e6,
                "asked": outcome.asked,
                "done": outcome.done,
                "throttled": outcome.throttled,
                "errors": outcome.errors,
                "units": outcome.halves as f64 / 2.0,
                "latencyUs": {
                    "p50": outcome.latencies.quantile_us(0.5),
                    "p99": outcome.latencies.quantile_us(0.99),
                    "p999": outcome.latencies.quantile_us(0.999),
                    "max": outcome.latencies.highest_us(),
                },
            })
        })
        .collect();
    let all = json!({
        "endpoint": client.endpoint().to_string(),
        "seconds": seconds,
        "scale": args.scale,
        "rates": if args.peak { "peak" } else { "average" },
        "seed": args.seed,
        "patterns": patterns,
        "notCalled": notes,
    });
    format!("{all:#}\n")
}

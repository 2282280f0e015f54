//! Coverage as text: every pattern in a line, then what no pattern covers, then what to do about it.

use std::fmt::Write;

use dynamometer_design::output::columns;
use dynamometer_server::report::{CoverageReport, PatternReport};

use super::exercised;
use super::judge::Finding;
use crate::report::{money, span};

pub(super) const PATTERN_HEADS: [&str; 8] =
    ["PATTERN", "CALLS", "CALLS/s", "DECLARED", "UNITS A CALL", "DECLARED", "DROPPED", "HOTTEST KEY"];
pub(super) const UNCOVERED_HEADS: [&str; 4] = ["NO PATTERN COVERS", "REQUESTS", "UNITS", "DROPPED"];

pub(super) fn text(coverage: &CoverageReport, findings: &[Finding], failures: &[String]) -> String {
    let mut out = format!("{}\n\n{}", headline(coverage), pattern_table(coverage));
    if !coverage.uncovered.is_empty() {
        let rows = uncovered_rows(coverage);
        let rows: Vec<[&str; 4]> = rows.iter().map(|row| row.each_ref().map(String::as_str)).collect();
        let _ = write!(out, "\n{}", columns(&UNCOVERED_HEADS, &rows, &[1, 2, 3]));
    }
    for (at, finding) in findings.iter().enumerate() {
        let _ = write!(out, "{}", if at == 0 { "\n" } else { "" });
        let _ = writeln!(out, "{:<3}{}\n   → {}", at + 1, finding.sentence, finding.remedy);
    }
    let _ = writeln!(out, "\n{}", month(coverage));
    if !failures.is_empty() {
        let _ = writeln!(out, "failed: {}", failures.join(", "));
    }
    out
}

/// `my app   12 s of traffic   8 of 9 patterns exercised   2 kinds of requests without a pattern`
pub(super) fn headline(coverage: &CoverageReport) -> String {
    let uncovered = match coverage.uncovered.len() {
        0 => "no request without a pattern".to_owned(),
        1 => "1 kind of request without a pattern".to_owned(),
        kinds => format!("{kinds} kinds of requests without a pattern"),
    };
    let traffic = match coverage.seconds {
        seconds if seconds > 0.0 => format!("{} of traffic", span(seconds)),
        _ => "no traffic yet".to_owned(),
    };
    let (done, all) = (exercised(coverage), coverage.patterns.len());
    format!("{}   {traffic}   {done} of {all} patterns exercised   {uncovered}", coverage.design)
}

/// The patterns with what was measured and what is declared.
pub(crate) fn pattern_table(coverage: &CoverageReport) -> String {
    let rows: Vec<[String; 8]> = coverage.patterns.iter().map(pattern_row).collect();
    let rows: Vec<[&str; 8]> = rows.iter().map(|row| row.each_ref().map(String::as_str)).collect();
    columns(&PATTERN_HEADS, &rows, &[1, 2, 3, 4, 5, 6, 7])
}

pub(super) fn pattern_row(pattern: &PatternReport) -> [String; 8] {
    let is_used = pattern.requests > 0;
    let declared = pattern.declared_units_per_call.map(|units| {
        let least = if pattern.declared_is_least { "≥ " } else { "" };
        format!("{least}{}", short(units))
    });
    [
        pattern.pattern.clone(),
        if is_used { short(pattern.calls) } else { "-".into() },
        if is_used { short(pattern.calls_per_second) } else { "-".into() },
        pattern.declared_calls_per_second.map_or("-".into(), short),
        pattern.units_per_call.map_or("-".into(), short),
        declared.unwrap_or_else(|| "not servable".into()),
        share(pattern.filtered_out_percent),
        pattern.hottest_key_percent.filter(|_| is_used).map_or("-".into(), share),
    ]
}

pub(super) fn uncovered_rows(coverage: &CoverageReport) -> Vec<[String; 4]> {
    let row = |kind: &dynamometer_server::report::UncoveredReport| {
        [kind.example.clone(), kind.requests.to_string(), short(kind.units), share(kind.filtered_out_percent)]
    };
    coverage.uncovered.iter().map(row).collect()
}

pub(super) fn month(coverage: &CoverageReport) -> String {
    match (coverage.dollars_a_month_as_declared, coverage.dollars_a_month_as_measured) {
        (Some(declared), Some(measured)) => format!(
            "a month on demand at the declared rates: {} as declared, {} with the units that were measured",
            money(declared),
            money(measured)
        ),
        _ => format!("no money: {}", coverage.money_missing.as_deref().unwrap_or("no price is known")),
    }
}

fn share(percent: f64) -> String {
    if percent > 0.0 { format!("{} %", short(percent)) } else { "-".into() }
}

/// At most three decimals of a small number, two of a middling one, none of a large one.
fn short(value: f64) -> String {
    let decimals: i32 = match value.abs() {
        v if v < 1.0 => 3,
        v if v < 1_000.0 => 2,
        _ => 0,
    };
    let unit = 10_f64.powi(decimals);
    ((value * unit).round() / unit).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let texts = [0.0278, 0.5, 1.0, 33.333, 1_234.56].map(short);
        assert_eq!(texts, ["0.028", "0.5", "1", "33.33", "1235"]);
    }
}

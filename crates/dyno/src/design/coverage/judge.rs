//! What of a coverage is worth a sentence, and what fails the command.

use dynamometer_server::report::CoverageReport;
use serde_json::{Value, json};

use super::{Budget, FailOn};
use crate::report::money;

/// From which share on a filter's waste is told, unless `--fail-on` says another one.
pub(super) const FILTER_WASTE_PPM: u64 = 500_000;
/// From which share on more units than declared are told, unless `--fail-on` says another one.
pub(super) const UNIT_DRIFT_PPM: u64 = 100_000;

/// What was found.
pub(super) struct Finding {
    /// `uncovered`, `unexercised`, `scan`, `filter-waste`, `unit-drift` or `index-read-after-write`.
    pub(super) kind: &'static str,
    /// In a sentence with its figures.
    pub(super) sentence: String,
    /// What to do.
    pub(super) remedy: &'static str,
}

impl Finding {
    pub(super) fn json(&self) -> Value {
        json!({ "kind": self.kind, "sentence": self.sentence, "remedy": self.remedy })
    }
}

/// All findings, what fails checks most often first.
pub(super) fn findings(coverage: &CoverageReport, fail_on: &[FailOn]) -> Vec<Finding> {
    let waste = fail_on.iter().find_map(|on| match on {
        FailOn::FilterWaste(ppm) => Some(*ppm),
        _ => None,
    });
    let drift = fail_on.iter().find_map(|on| match on {
        FailOn::UnitDrift(ppm) => Some(*ppm),
        _ => None,
    });
    let mut findings = uncovered(coverage);
    findings.extend(unexercised(coverage));
    findings.extend(scans(coverage));
    findings.extend(filters(coverage, percent(waste.unwrap_or(FILTER_WASTE_PPM))));
    findings.extend(drifts(coverage, percent(drift.unwrap_or(UNIT_DRIFT_PPM))));
    findings.extend(late_reads(coverage));
    findings
}

/// What fails, in the words of `--fail-on` and `--budget`; nothing when all is well.
pub(super) fn failures(
    coverage: &CoverageReport,
    findings: &[Finding],
    fail_on: &[FailOn],
    budget: Option<Budget>,
) -> Vec<String> {
    let mut failures = Vec::new();
    for on in fail_on {
        let (kind, word) = match on {
            FailOn::Uncovered => ("uncovered", "uncovered".to_owned()),
            FailOn::Unexercised => ("unexercised", "unexercised".to_owned()),
            FailOn::Scan => ("scan", "scan".to_owned()),
            FailOn::FilterWaste(ppm) => ("filter-waste", format!("filter-waste={}%", percent(*ppm))),
            FailOn::UnitDrift(ppm) => ("unit-drift", format!("unit-drift={}%", percent(*ppm))),
        };
        let count = findings.iter().filter(|finding| finding.kind == kind).count();
        if count > 0 {
            failures.push(format!("{word} ({count})"));
        }
    }
    if let (Some(Budget(most)), Some(month)) = (budget, coverage.dollars_a_month_as_measured)
        && month > most
    {
        failures.push(format!("budget ({} a month, {} allowed)", money(month), money(most)));
    }
    failures
}

fn percent(ppm: u64) -> f64 {
    ppm as f64 / 10_000.0
}

fn uncovered(coverage: &CoverageReport) -> Vec<Finding> {
    let sentence = |example: &str, requests: u64| Finding {
        kind: "uncovered",
        sentence: format!("{example}: {} that no pattern covers", plural(requests, "request")),
        remedy: "add it to the design as a pattern, or take it out of the application",
    };
    let mut findings: Vec<Finding> =
        coverage.uncovered.iter().map(|kind| sentence(&kind.example, kind.requests)).collect();
    if coverage.uncovered_requests_not_listed > 0 {
        findings.push(sentence("of more kinds than are told apart", coverage.uncovered_requests_not_listed));
    }
    findings
}

fn unexercised(coverage: &CoverageReport) -> Option<Finding> {
    let names: Vec<&str> = coverage
        .patterns
        .iter()
        .filter(|pattern| pattern.requests == 0)
        .map(|pattern| pattern.pattern.as_str())
        .collect();
    (!names.is_empty()).then(|| Finding {
        kind: "unexercised",
        sentence: format!(
            "{} not exercised: {}",
            if names.len() == 1 {
                "1 pattern was".to_owned()
            } else {
                format!("{} patterns were", names.len())
            },
            names.join(", ")
        ),
        remedy: "test them, or drop them: an index is paid for whether it is asked or not",
    })
}

fn scans(coverage: &CoverageReport) -> Option<Finding> {
    (coverage.scans > 0).then(|| Finding {
        kind: "scan",
        sentence: format!("{} ran", plural(coverage.scans, "page of a Scan")),
        remedy: "query a key instead; a Scan pays for every item there is (dyno design explain R01)",
    })
}

fn filters(coverage: &CoverageReport, limit: f64) -> Vec<Finding> {
    let patterns = coverage.patterns.iter().map(|pattern| (&pattern.pattern, pattern.filtered_out_percent));
    let kinds = coverage.uncovered.iter().map(|kind| (&kind.example, kind.filtered_out_percent));
    let is_waste = |(_, share): &(&String, f64)| *share > limit;
    let finding = |(name, share)| Finding {
        kind: "filter-waste",
        sentence: format!("{name}: the filter drops {share} % of the items that are read and paid for"),
        remedy: "move what is filtered into a key (dyno design explain R02)",
    };
    patterns.chain(kinds).filter(is_waste).map(finding).collect()
}

/// Only more than declared is told: small data in a test consumes less, and harms nobody.
fn drifts(coverage: &CoverageReport, limit: f64) -> Vec<Finding> {
    let mut findings = Vec::new();
    for pattern in coverage.patterns.iter().filter(|pattern| !pattern.declared_is_least) {
        let units = pattern.units_per_call.zip(pattern.declared_units_per_call);
        let (Some(drift), Some((measured, declared))) = (pattern.unit_drift_percent, units) else { continue };
        if drift > limit {
            findings.push(Finding {
                kind: "unit-drift",
                sentence: format!(
                    "{}: {measured} units a call, {drift} % more than the {declared} that are declared",
                    pattern.pattern
                ),
                remedy: "correct sizes and item counts in the design, or look for what grew",
            });
        }
    }
    findings
}

fn late_reads(coverage: &CoverageReport) -> Vec<Finding> {
    let patterns = coverage
        .patterns
        .iter()
        .filter(|pattern| pattern.reads_index)
        .map(|pattern| (&pattern.pattern, pattern.reads_within_100_ms_of_a_write));
    let kinds = coverage
        .uncovered
        .iter()
        .filter(|kind| kind.index.is_some())
        .map(|kind| (&kind.example, kind.reads_within_100_ms_of_a_write));
    let finding = |(name, reads)| Finding {
        kind: "index-read-after-write",
        sentence: format!(
            "{name}: {} of an index came within 100 ms of a write to the same key, and may be stale on AWS",
            plural(reads, "read")
        ),
        remedy: "rehearse it with dyno serve --index-lag 50ms..2s (dyno design explain R06)",
    };
    patterns.chain(kinds).filter(|(_, reads)| *reads > 0).map(finding).collect()
}

fn plural(count: u64, word: &str) -> String {
    match (count, word.split_once(' ')) {
        (1, _) => format!("1 {word}"),
        (_, None) => format!("{count} {word}s"),
        (_, Some((first, rest))) => format!("{count} {first}s {rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coverage() -> CoverageReport {
        let pattern = |name: &str| {
            json!({
                "pattern": name, "served_by": "", "is_servable": true, "reads_index": true, "requests": 2,
                "calls": 2.0, "calls_per_second": 1.0, "units": 4.0, "units_per_call": 2.0,
                "declared_units_per_call": 1.6, "declared_is_least": false, "unit_drift_percent": 25.0,
                "items_read": 9, "items_answered": 3, "filtered_out_units": 2.4, "filtered_out_percent": 60.0,
                "throttled_requests": 0, "reads_within_100_ms_of_a_write": 1,
            })
        };
        let mut idle = pattern("idle");
        for (member, value) in [
            ("requests", json!(0)),
            ("unit_drift_percent", Value::Null),
            ("filtered_out_percent", json!(0.0)),
            ("reads_within_100_ms_of_a_write", json!(0)),
        ] {
            idle[member] = value;
        }
        serde_json::from_value(json!({
            "design": "app", "seconds": 2.0, "patterns": [pattern("busy"), idle],
            "uncovered": [{
                "example": "GetItem App \"CART#…\"", "operation": "GetItem", "table": "App", "requests": 3,
                "units": 1.5, "filtered_out_percent": 0.0, "throttled_requests": 0,
                "reads_within_100_ms_of_a_write": 0,
            }],
            "uncovered_requests_not_listed": 0, "scans": 2, "dollars_a_month_as_measured": 100.5,
        }))
        .unwrap()
    }

    #[test]
    fn every_kind_is_found() {
        let found: Vec<_> = findings(&coverage(), &[]).into_iter().map(|finding| finding.kind).collect();
        let kinds =
            ["uncovered", "unexercised", "scan", "filter-waste", "unit-drift", "index-read-after-write"];
        assert_eq!(found, kinds);
    }

    #[test]
    fn only_what_was_asked_for_fails() {
        let coverage = coverage();
        let fails = |on: &[FailOn], budget: Option<f64>| {
            failures(&coverage, &findings(&coverage, on), on, budget.map(Budget))
        };
        assert!(fails(&[], None).is_empty());
        assert_eq!(fails(&[FailOn::Uncovered, FailOn::Scan], None), ["uncovered (1)", "scan (1)"]);
        assert_eq!(fails(&[FailOn::FilterWaste(500_000)], None), ["filter-waste=50% (1)"]);
        assert!(fails(&[FailOn::FilterWaste(600_000), FailOn::UnitDrift(250_000)], None).is_empty());
        assert_eq!(fails(&[], Some(100.0)), ["budget ($100.50 a month, $100.00 allowed)"]);
        assert!(fails(&[], Some(100.5)).is_empty());
    }
}

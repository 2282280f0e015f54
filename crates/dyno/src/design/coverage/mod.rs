//! `dyno design coverage`: a running server's traffic, held against the design that it serves.

mod judge;
mod markdown;
mod text;

use std::process::ExitCode;

use dynamometer_capacity::quantity;
use dynamometer_server::report::CoverageReport;
use serde_json::json;

use super::check::pretty;
use super::{CoverageArgs, CoverageFormat, Done, load};
use crate::client::Client;
use crate::problem::Problem;
use crate::report;
pub(crate) use text::pattern_table;

/// What makes the command fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailOn {
    /// A request that no pattern covers.
    Uncovered,
    /// A pattern that nothing exercised.
    Unexercised,
    /// A Scan, with a pattern or without.
    Scan,
    /// Reads whose filter dropped more than this of what they paid for, in parts per million.
    FilterWaste(u64),
    /// A pattern whose calls consume this much more than declared, in parts per million.
    UnitDrift(u64),
}

/// Dollars a month.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Budget(f64);

/// Asks the server and prints what it saw; the exit code is 1 when that is what `--fail-on` or `--budget` is about.
pub(super) fn coverage(args: &CoverageArgs) -> Done {
    let own = args.file.as_ref().map(|file| load(file)).transpose()?;
    let client = Client::new(&args.client)?;
    let coverage = report::parse(&client, &report::fetch(&client)?)?.coverage.ok_or_else(|| {
        Problem::wrong(format!("the server at {} was started without a design", client.endpoint()))
            .hint("dyno serve --design FILE")
    })?;
    if let Some(own) = own {
        let names = own.design.patterns.iter().map(|pattern| pattern.name.value.as_str());
        if !names.eq(coverage.patterns.iter().map(|pattern| pattern.pattern.as_str())) {
            let (name, endpoint) = (&own.source.name, client.endpoint());
            return Err(Problem::wrong(format!(
                "{name} is not the design that the server at {endpoint} serves"
            ))
            .hint("start the server with --design and this file"));
        }
    }
    if args.budget.is_some() && coverage.dollars_a_month_as_measured.is_none() {
        let missing = coverage.money_missing.as_deref().unwrap_or("the server answers no money");
        return Err(Problem::failed(format!("the budget cannot be held against anything: {missing}"))
            .hint("start the server with --region or --prices"));
    }
    let findings = judge::findings(&coverage, &args.fail_on);
    let failures = judge::failures(&coverage, &findings, &args.fail_on, args.budget);
    let text = match if args.json { CoverageFormat::Json } else { args.format } {
        CoverageFormat::Text => text::text(&coverage, &findings, &failures),
        CoverageFormat::Markdown => markdown::markdown(&coverage, &findings, &failures),
        CoverageFormat::Json => pretty(&json!({
            "coverage": coverage,
            "findings": findings.iter().map(judge::Finding::json).collect::<Vec<_>>(),
            "failed": failures,
        })),
    };
    Ok((text, if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }))
}

/// Reads `uncovered`, `scan`, `filter-waste=50%`.
pub(super) fn fail_on(text: &str) -> Result<FailOn, String> {
    let (word, share) = text.split_once('=').map_or((text, None), |(word, share)| (word, Some(share)));
    let ppm = |default: u64| share.map_or(Ok(default), quantity::percent);
    match (word, share) {
        ("uncovered", None) => Ok(FailOn::Uncovered),
        ("unexercised", None) => Ok(FailOn::Unexercised),
        ("scan", None) => Ok(FailOn::Scan),
        ("filter-waste", _) => ppm(judge::FILTER_WASTE_PPM).map(FailOn::FilterWaste),
        ("unit-drift", _) => ppm(judge::UNIT_DRIFT_PPM).map(FailOn::UnitDrift),
        ("uncovered" | "unexercised" | "scan", Some(_)) => Err(format!("`{word}` takes no share")),
        _ => Err("write uncovered, unexercised, scan, filter-waste=50% or unit-drift=10%".into()),
    }
}

/// Reads `100USD/month` or `$100/month`.
pub(super) fn budget(text: &str) -> Result<Budget, String> {
    let wrong = || format!("`{text}` is no budget: write it as 100USD/month");
    let amount = text.strip_suffix("/month").ok_or_else(wrong)?;
    let amount = amount.strip_suffix("USD").or_else(|| amount.strip_prefix('$')).ok_or_else(wrong)?;
    let cents = quantity::decimal(amount.trim(), 2).ok_or_else(wrong)?;
    Ok(Budget(cents as f64 / 100.0))
}

/// Patterns that were exercised.
fn exercised(coverage: &CoverageReport) -> usize {
    coverage.patterns.iter().filter(|pattern| pattern.requests > 0).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fails_is_read_or_explained() {
        for (text, expected) in [
            ("uncovered", FailOn::Uncovered),
            ("unexercised", FailOn::Unexercised),
            ("scan", FailOn::Scan),
            ("filter-waste", FailOn::FilterWaste(500_000)),
            ("filter-waste=25%", FailOn::FilterWaste(250_000)),
            ("unit-drift=12.5%", FailOn::UnitDrift(125_000)),
        ] {
            assert_eq!(fail_on(text), Ok(expected));
        }
        for text in ["", "scans", "scan=1%", "filter-waste=", "unit-drift=x"] {
            assert!(fail_on(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_budget_is_dollars_a_month() {
        assert_eq!(budget("100USD/month"), Ok(Budget(100.0)));
        assert_eq!(budget("$12.50/month"), Ok(Budget(12.5)));
        for text in ["100", "100USD", "100EUR/month", "USD/month", "-1USD/month"] {
            assert!(budget(text).unwrap_err().contains("100USD/month"), "{text}");
        }
    }
}

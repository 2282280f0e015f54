//! The check as JSON: everything that the other forms show, as numbers where they are numbers.

use dynamometer_capacity::admission::Dimension;
use dynamometer_capacity::money::RegionPrices;
use serde_json::{Value, json as object};

use crate::check::{Checked, Severity};
use crate::cost::pattern_cost;
use crate::plan::{Items, Service};
use crate::source::Source;

/// The check as JSON.
pub fn json(checked: &Checked<'_>, source: &Source, prices: &RegionPrices<'_>) -> Value {
    let findings: Vec<Value> = checked
        .findings
        .iter()
        .map(|finding| {
            let labels = finding.labels.iter().map(|label| {
                object!({
                    "line": label.span.start.line,
                    "column": label.span.start.column,
                    "endLine": label.span.end.line,
                    "endColumn": label.span.end.column,
                    "text": label.text,
                })
            });
            let numbers =
                finding.numbers.iter().map(|(name, value)| ((*name).to_owned(), Value::from(value.clone())));
            let patterns =
                finding.patterns.iter().map(|at| checked.derived.design.patterns[*at].name.value.clone());
            object!({
                "rule": finding.rule.id,
                "name": finding.rule.name,
                "severity": finding.severity.word(),
                "message": finding.message,
                "places": labels.collect::<Vec<_>>(),
                "numbers": numbers.collect::<serde_json::Map<_, _>>(),
                "fix": finding.fix,
                "patterns": patterns.collect::<Vec<_>>(),
            })
        })
        .collect();
    let patterns: Vec<Value> = (0..checked.services.len()).map(|at| pattern(checked, prices, at)).collect();
    object!({
        "file": source.name,
        "design": checked.derived.design.name,
        "patterns": patterns,
        "findings": findings,
        "errors": checked.count(Severity::Error),
        "warnings": checked.count(Severity::Warning),
        "infos": checked.count(Severity::Info),
    })
}

fn pattern(checked: &Checked<'_>, prices: &RegionPrices<'_>, at: usize) -> Value {
    let design = checked.derived.design;
    let pattern = &design.patterns[at];
    let rate = pattern.rate.as_ref().map(|rate| {
        object!({
            "averagePerSecond": rate.average_micro as f64 / 1e6,
            "peakPerSecond": rate.peak_micro as f64 / 1e6,
            "word": rate.word,
        })
    });
    let service = match &checked.services[at] {
        Service::NotServable(lack) => object!({
            "served": false,
            "because": lack.because,
            "wouldServe": lack.remedy,
            "rule": lack.rule,
        }),
        Service::Served(served) => {
            let arms = served.arms.iter().map(|arm| {
                object!({
                    "table": *design.tables[arm.target.table].name,
                    "index": design.index(arm.target).map(|index| index.name.value.clone()),
                    "kind": match arm.dimension { Dimension::Read => "read", Dimension::Write => "write" },
                    "units": arm.milli_halves as f64 / 2e3,
                })
            });
            let month = pattern_cost(design, at, &checked.services[at], prices)
                .ok()
                .map(|cost| cost.month.to_string());
            object!({
                "served": true,
                "operation": served.operation,
                "words": served.words,
                "table": *design.tables[served.target.table].name,
                "index": design.index(served.target).map(|index| index.name.value.clone()),
                "entities": served.entities.iter().map(|at| design.entities[*at].name.value.clone()).collect::<Vec<_>>(),
                "items": served.items.count(),
                "itemsKnown": served.items != Items::Unknown,
                "bytes": served.bytes,
                "requests": served.requests,
                "units": served.milli_halves() as f64 / 2e3,
                "arms": arms.collect::<Vec<_>>(),
                "monthUsd": month,
            })
        }
    };
    object!({
        "name": pattern.name.value,
        "line": pattern.name.span.start.line,
        "rate": rate,
        "service": service,
        "rules": checked.rules_of(at),
    })
}

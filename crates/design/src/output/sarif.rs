//! SARIF 2.1.0, which code hosts show beside the lines of a change.

use serde_json::{Value, json as object};

use crate::check::{Checked, Severity};
use crate::rules::RULES;
use crate::source::{Label, Source};

/// The check as SARIF.
pub fn sarif(checked: &Checked<'_>, source: &Source, version: &str) -> Value {
    let rules: Vec<Value> = RULES
        .iter()
        .map(|rule| {
            object!({
                "id": rule.id,
                "name": rule.name,
                "shortDescription": { "text": rule.summary() },
                "help": { "text": rule.manual(), "markdown": rule.manual() },
            })
        })
        .collect();
    let results: Vec<Value> = checked
        .findings
        .iter()
        .map(|finding| {
            let level = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "note",
            };
            let index = RULES.iter().position(|rule| **rule == *finding.rule);
            let text = match finding.fix.is_empty() {
                true => finding.message.clone(),
                false => format!("{} Fix: {}", sentence(&finding.message), finding.fix),
            };
            let mut result = object!({
                "ruleId": finding.rule.id,
                "ruleIndex": index,
                "level": level,
                "message": { "text": text },
                "locations": [location(source, &finding.labels[0])],
            });
            let related: Vec<Value> =
                finding.labels.iter().skip(1).map(|label| location(source, label)).collect();
            if !related.is_empty() {
                result["relatedLocations"] = Value::from(related);
            }
            result
        })
        .collect();
    object!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "dyno design check", "version": version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn sentence(text: &str) -> String {
    if text.ends_with('.') { text.to_owned() } else { format!("{text}.") }
}

fn location(source: &Source, label: &Label) -> Value {
    let (start, end) = (label.span.start, label.span.end);
    let mut location = object!({
        "physicalLocation": {
            "artifactLocation": { "uri": source.name.replace('\\', "/") },
            "region": {
                "startLine": start.line,
                "startColumn": start.column,
                "endLine": end.line.max(start.line),
                "endColumn": end.column.max(1),
            },
        },
    });
    if !label.text.is_empty() {
        location["message"] = object!({ "text": label.text });
    }
    location
}

//! What `dyno deploy` prints: refusals with their places, the plan, the outputs; as text and as JSON.

use std::fmt::Write;

use dynamometer_cloudformation::plan::Action;
use dynamometer_cloudformation::{Finding, Resource, Wanted};
use serde_json::{Value, json};

use super::{Output, Planned};
use crate::client::Client;
use crate::problem::Problem;

/// Everything that is wrong with a template, as a compiler would say it.
pub(super) fn refused(file: &str, findings: &[Finding]) -> Problem {
    let mut text = String::new();
    for (number, finding) in findings.iter().enumerate() {
        let (line, column) = (finding.at.line, finding.at.column);
        let before = if number == 0 { "" } else { "\nerror: " };
        let _ = write!(text, "{before}{}\n  --> {file}:{line}:{column}", finding.message);
        if let Some(hint) = &finding.hint {
            let _ = write!(text, "      {hint}");
        }
    }
    Problem::wrong(text)
}

/// Something that is left out, with its place.
pub(super) fn note(file: &str, note: &Finding) -> String {
    format!("{file}:{}: {}", note.at.line, note.message)
}

/// `+ Orders   my-app-orders`: the mark says what becomes of it.
pub(super) fn heading(resource: &Resource, action: Action) -> String {
    let mark = match action {
        Action::Create => '+',
        Action::Update => '~',
        Action::Replace => '!',
        Action::Keep => '=',
    };
    format!("{mark} {}   {}", resource.logical_id, resource.physical_name())
}

/// What would be done.
pub(super) fn plan(planned: &[Planned], notes: &[String], client: &Client, as_json: bool) -> String {
    if as_json {
        return to_json(planned, notes, None, client);
    }
    let mut text = String::new();
    for note in notes {
        let _ = writeln!(text, "note: {note}");
    }
    for Planned { resource, change } in planned {
        let _ = writeln!(text, "{}", heading(resource, change.action));
        for note in &change.notes {
            let _ = writeln!(text, "    note: {note}");
        }
        for step in &change.steps {
            let _ = writeln!(text, "    {}", step.says);
        }
    }
    let _ = writeln!(text, "\n{} on {}; nothing was done (--dry-run)", counts(planned), place(client));
    text
}

/// What was done, and the outputs.
pub(super) fn done(
    planned: &[Planned],
    notes: &[String],
    outputs: &[Output],
    client: &Client,
    as_json: bool,
) -> String {
    if as_json {
        return to_json(planned, notes, Some(outputs), client);
    }
    let mut text = format!("{} on {}\n", counts(planned), place(client));
    if outputs.is_empty() {
        return text;
    }
    let value = |output: &Output| match &output.value {
        Ok(value) => value.clone(),
        Err(why) => format!("(none: {why})"),
    };
    let width = |texts: &mut dyn Iterator<Item = usize>| texts.max().unwrap_or_default();
    let names = width(&mut outputs.iter().map(|output| output.name.chars().count())).max(6);
    let values = width(&mut outputs.iter().map(|output| value(output).chars().count())).max(5);
    let has_exports = outputs.iter().any(|output| output.export.is_some());
    let heading = if has_exports { "EXPORTED AS" } else { "" };
    let _ =
        writeln!(text, "\n{}", format!("{:names$}   {:values$}   {heading}", "OUTPUT", "VALUE").trim_end());
    for output in outputs {
        let export = output.export.as_deref().unwrap_or_default();
        let line = format!("{:names$}   {:values$}   {export}", output.name, value(output));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn place(client: &Client) -> String {
    format!("{}, {}", client.endpoint(), client.region())
}

/// `2 tables: 1 created, 1 as it should be`.
fn counts(planned: &[Planned]) -> String {
    let tables = planned.iter().filter(|planned| matches!(planned.resource.wanted, Wanted::Table(_))).count();
    let scaling = planned.len() - tables;
    let mut what = vec![plural(tables, "table", "tables")];
    if scaling > 0 {
        what.push(plural(scaling, "scaling resource", "scaling resources"));
    }
    let count = |action: Action| planned.iter().filter(|planned| planned.change.action == action).count();
    let parts = [
        (count(Action::Create), "new"),
        (count(Action::Update), "changed"),
        (count(Action::Replace), "replaced"),
        (count(Action::Keep), "unchanged"),
    ];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, word)| format!("{count} {word}")).collect();
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    format!("{}{parts}", what.join(" and "))
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn to_json(planned: &[Planned], notes: &[String], outputs: Option<&[Output]>, client: &Client) -> String {
    let changes: Vec<Value> = planned
        .iter()
        .map(|Planned { resource, change }| {
            let steps: Vec<Value> = change
                .steps
                .iter()
                .map(|step| json!({ "does": step.says, "operation": step.operation, "request": step.body }))
                .collect();
            json!({
                "resource": resource.logical_id,
                "type": resource.kind,
                "name": resource.physical_name(),
                "action": change.action.word(),
                "steps": steps,
                "notes": change.notes,
            })
        })
        .collect();
    let mut all = json!({
        "endpoint": client.endpoint().to_string(),
        "region": client.region(),
        "done": outputs.is_some(),
        "changes": changes,
        "notes": notes,
    });
    if let Some(outputs) = outputs {
        let outputs = outputs.iter().map(|output| {
            let value = json!({ "value": output.value.as_ref().ok(), "export": output.export });
            (output.name.clone(), value)
        });
        all["outputs"] = Value::Object(outputs.collect());
    }
    format!("{all:#}\n")
}

//! `dyno design check`.

use std::process::ExitCode;

use dynamometer_design::generate::check_names;
use dynamometer_design::{Severity, check as check_design, output};
use serde_json::Value;

use super::{CheckArgs, Done, FailOn, Format, load, use_colour};
use crate::problem::Problem;

/// Checks the files; the exit code is 1 when something is as bad as `--fail-on` says.
pub(super) fn check(args: &CheckArgs) -> Done {
    let format = if args.json { Format::Json } else { args.format };
    let colour = use_colour(&std::io::stdout());
    let (mut texts, mut values, mut fails) = (Vec::new(), Vec::new(), false);
    for file in &args.files {
        let loaded = load(file)?;
        let table = args.prices.table()?;
        let prices = table.region(args.prices.region_of(&loaded.design)).map_err(Problem::wrong)?;
        let checked = check_design(&loaded.design, &prices);
        if let Err(refused) = check_names(&loaded.design) {
            eprintln!("note: {refused}; rename it before dyno design generate or dyno deploy");
        }
        let worst = checked.findings.iter().map(|finding| finding.severity).min();
        fails |= worst.is_some_and(|worst| args.fail_on.fails_on(worst));
        match format {
            Format::Text => texts.push(output::terminal(&checked, &loaded.source, &prices, colour)),
            Format::Markdown => texts.push(output::markdown(&checked, &loaded.source, &prices)),
            Format::Json => values.push(output::json(&checked, &loaded.source, &prices)),
            Format::Sarif => {
                values.push(output::sarif(&checked, &loaded.source, env!("CARGO_PKG_VERSION")));
            }
        }
    }
    let text = match format {
        Format::Text | Format::Markdown => texts.join("\n"),
        Format::Json => pretty(&one_or_all(values)),
        Format::Sarif => pretty(&one_log(values)),
    };
    Ok((text, if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS }))
}

impl FailOn {
    fn fails_on(self, severity: Severity) -> bool {
        match self {
            FailOn::Error => severity <= Severity::Error,
            FailOn::Warning => severity <= Severity::Warning,
            FailOn::Info => severity <= Severity::Info,
            FailOn::Never => false,
        }
    }
}

/// One file is an object, several are a list of them.
fn one_or_all(mut values: Vec<Value>) -> Value {
    if values.len() == 1 { values.swap_remove(0) } else { Value::from(values) }
}

/// Several files are several runs of one log.
fn one_log(values: Vec<Value>) -> Value {
    let mut logs = values.into_iter();
    let mut first = logs.next().unwrap_or_default();
    for log in logs {
        if let (Some(runs), Some(more)) = (first["runs"].as_array_mut(), log["runs"].as_array()) {
            runs.extend(more.iter().cloned());
        }
    }
    first
}

/// JSON with a line end.
pub(super) fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

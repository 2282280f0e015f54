//! `dyno design explain`.

use std::process::ExitCode;

use dynamometer_design::output::columns;
use dynamometer_design::rules::{Input, RULES, nearest_rule, rule};

use super::{Done, ExplainArgs};
use crate::problem::Problem;

/// A rule's manual page, or all rules in a line each.
pub(super) fn explain(args: &ExplainArgs) -> Done {
    let Some(name) = &args.rule else { return Ok((list(), ExitCode::SUCCESS)) };
    match rule(name) {
        Some(rule) => Ok((rule.manual(), ExitCode::SUCCESS)),
        None => {
            let hint = match nearest_rule(name) {
                Some(near) => format!("did you mean {near}? dyno design explain lists all rules"),
                None => "dyno design explain lists all rules".to_owned(),
            };
            Err(Problem::wrong(format!("there is no rule `{name}`")).hint(hint))
        }
    }
}

fn list() -> String {
    let rows: Vec<[String; 3]> = RULES
        .iter()
        .map(|rule| {
            let needs = match rule.input {
                Input::Design => String::new(),
                other => format!(" (needs {})", other.words()),
            };
            [rule.id.to_owned(), rule.name.to_owned(), format!("{}{needs}", rule.summary())]
        })
        .collect();
    let cells: Vec<[&str; 3]> = rows.iter().map(|row| std::array::from_fn(|at| row[at].as_str())).collect();
    columns(&["RULE", "NAME", "WHAT IT FINDS"], &cells, &[])
}

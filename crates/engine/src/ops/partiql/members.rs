//! Member checks that the three operations share. All are those of AWS's older layer.

use dynamometer_types::AttributeValue;

use crate::api::{Given, ReturnValuesOnConditionCheckFailure};
use crate::validate::members::{Findings, Rule, Seen};

/// The longest statement, in characters.
///
/// # Source
/// The number documented; that it counts code points was measured by others (2026).
const STATEMENT_CHARACTERS: u64 = 8192;

/// Checks the text of a statement.
pub(super) fn check_text(members: &mut Findings, path: &str, text: &Option<String>) {
    let echo = || text.clone().unwrap_or_default();
    let seen = text.as_ref().map_or(Seen::Null, |text| Seen::Many(text.chars().count(), &echo));
    members.member(path, seen, &[Rule::NotNull, Rule::MinLength(1), Rule::MaxLength(STATEMENT_CHARACTERS)]);
}

/// Checks that a list of parameters, when it is there, has one at least.
pub(super) fn check_parameters(members: &mut Findings, path: &str, parameters: &Option<Vec<AttributeValue>>) {
    if let Some(parameters) = parameters {
        members.member(path, Seen::Many(parameters.len(), &|| "[]".into()), &[Rule::MinLength(1)]);
    }
}

/// Checks a statement of a list, in AWS's order. `path` leads to it.
pub(super) fn check_statement(
    members: &mut Findings,
    path: &str,
    mode: &Option<Given<ReturnValuesOnConditionCheckFailure>>,
    text: &Option<String>,
    parameters: &Option<Vec<AttributeValue>>,
) {
    members.one_of(format!("{path}.returnValuesOnConditionCheckFailure"), mode);
    check_text(members, &format!("{path}.statement"), text);
    check_parameters(members, &format!("{path}.parameters"), parameters);
}

/// Checks how many statements there are.
pub(super) fn check_count(members: &mut Findings, path: &str, count: Option<usize>, most: u64) {
    let echo = || match count {
        None | Some(0) => "[]".to_owned(),
        Some(count) => format!("[{count} statements]"),
    };
    let seen = count.map_or(Seen::Null, |count| Seen::Many(count, &echo));
    members.member(path, seen, &[Rule::NotNull, Rule::MinLength(1), Rule::MaxLength(most)]);
}

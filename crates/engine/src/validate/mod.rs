//! Checks that operations share. Each is a stage; an operation's file lists its stages in AWS's order.

pub(crate) mod expressions;
pub(crate) mod keys;
pub(crate) mod members;
pub(crate) mod values;
pub(crate) mod wording;

use dynamometer_types::{ApiError, ValueFault};

use crate::api::{ConditionalOperator, Given, ReturnValues};
use crate::engine::internal_error;
use members::{Findings, Rule, Seen};
use wording::Wording;

/// A member that the member checks have found to be there.
pub(crate) fn required<T>(value: &Option<T>) -> Result<&T, ApiError> {
    value.as_ref().ok_or_else(|| internal_error("a required member was not checked"))
}

/// Checks that a member of any shape is there.
pub(crate) fn require<T>(members: &mut Findings, path: &str, value: &Option<T>) {
    let seen = if value.is_some() { Seen::Struct } else { Seen::Null };
    members.member(path, seen, &[Rule::NotNull]);
}

/// Checks `ReturnValues`. The current layer names neither the member nor what was sent.
pub(crate) fn check_return_values(
    members: &mut Findings,
    value: &Option<Given<ReturnValues>>,
    wording: Wording,
) {
    if wording.is_older() {
        members.one_of("returnValues", value);
    } else if matches!(value, Some(Given::Unknown(_))) {
        // `UPDATE_NEW` is AWS's slip; `UPDATED_NEW` is what it takes.
        members.add(
            "Failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, \
             UPDATE_NEW, NONE]",
        );
    }
}

/// Checks that `ConditionalOperator`, when it is there, is one of its set and has legacy conditions to join. The older
/// layer has checked the set with the other members.
pub(crate) fn check_conditional_operator(
    operator: &Option<Given<ConditionalOperator>>,
    conditions: Option<usize>,
    wording: Wording,
) -> Result<(), ApiError> {
    match operator {
        None => Ok(()),
        // The set is as AWS prints it.
        Some(Given::Unknown(_)) => {
            Err(wording.error("Failed to satisfy constraint: Member must satisfy enum value set: [ALL, OR]"))
        }
        Some(Given::Known(_)) => dynamometer_expr::legacy::ConditionalOperator::check_count(conditions)
            .map_err(|error| wording.error(error.message)),
    }
}

/// Checks names of attributes, which are not empty and not too long.
pub(crate) fn check_attribute_names<'a>(
    names: impl IntoIterator<Item = &'a String>,
    wording: Wording,
) -> Result<(), ApiError> {
    match names.into_iter().find_map(|name| ValueFault::of_name(name)) {
        Some(fault) => Err(wording.error(fault.message(wording.layer))),
        None => Ok(()),
    }
}

/// Checks that a legacy list of attributes, when it is there, names one at least.
pub(crate) fn check_attributes_to_get(members: &mut Findings, names: &Option<Vec<String>>) {
    if let Some(names) = names {
        members.member("attributesToGet", Seen::Many(names.len(), &|| "[]".into()), &[Rule::MinLength(1)]);
    }
}

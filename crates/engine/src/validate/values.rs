//! The stage that reports faulty values: found while decoding, worded here.

use dynamometer_types::fault::{FaultAt, Faults, Step};
use dynamometer_types::{ApiError, Layer, ValueFault};

use super::wording::Wording;

/// Refuses faults below `path`: faulty attribute names first, then the others in the order of the request's text.
pub(crate) fn check_values(faults: &Faults, path: &[Step], wording: Wording) -> Result<(), ApiError> {
    check_names(faults, path, wording)?;
    match faults.under(path).next() {
        Some(at) => Err(value_error(&at.fault, wording)),
        None => Ok(()),
    }
}

/// Refuses faulty attribute names below `path`.
pub(crate) fn check_names(faults: &Faults, path: &[Step], wording: Wording) -> Result<(), ApiError> {
    match faults.under(path).find(|at| at.fault.is_of_name()) {
        Some(at) => Err(value_error(&at.fault, wording)),
        None => Ok(()),
    }
}

/// Refuses faulty `ExpressionAttributeValues`; the older layer names the placeholder.
pub(crate) fn check_expression_values(
    faults: &Faults,
    path: &[Step],
    wording: Wording,
) -> Result<(), ApiError> {
    let member: Vec<Step> = [path, &[Step::Member("ExpressionAttributeValues")]].concat();
    let Some(at) = faults.under(&member).next() else { return Ok(()) };
    // Reads tell of nesting without the placeholder, on either layer.
    let told_bare = wording.reads && at.fault == ValueFault::TooDeep;
    Err(match (wording.layer, placeholder_of(at, member.len())) {
        (Layer::Older, Some(placeholder)) if !told_bare => {
            let message = at.fault.message(wording.layer);
            wording.error(format!(
                "ExpressionAttributeValues contains invalid value: {message} for key {placeholder}"
            ))
        }
        _ => value_error(&at.fault, wording),
    })
}

fn placeholder_of(at: &FaultAt, depth: usize) -> Option<&str> {
    match at.path.get(depth) {
        Some(Step::Key(placeholder)) => Some(placeholder),
        _ => None,
    }
}

/// The error for one fault.
pub(crate) fn value_error(fault: &ValueFault, wording: Wording) -> ApiError {
    let message = fault.message(wording.layer);
    if fault.is_enveloped_on_writes() { wording.error(message) } else { ApiError::validation(message) }
}

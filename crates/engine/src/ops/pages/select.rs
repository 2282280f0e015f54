//! `Select`: which attributes a page answers, and what that asks of an index.

use dynamometer_expr::{Condition, Projection};
use dynamometer_types::ApiError;

use crate::api::{Given, Select};
use crate::catalog::Projection as IndexProjection;
use crate::catalog::{Index, IndexKind, Table};
use crate::ops::tables::hash_set;
use crate::read_path::Output;
use crate::validate::keys::invalid;

/// Checks `Select` against the other members; answers AWS's text.
pub(super) fn check_select(
    select: &Option<Given<Select>>,
    projection_expression: bool,
    attributes_to_get: bool,
    on_index: bool,
) -> Result<(), String> {
    let Some(select) = select.as_ref().and_then(Given::known) else { return Ok(()) };
    let list = match (projection_expression, attributes_to_get) {
        (true, _) => Some("ProjectionExpression"),
        (_, true) => Some("AttributesToGet"),
        _ => None,
    };
    let chosen = match select {
        Select::SpecificAttributes => {
            return match list {
                Some(_) => Ok(()),
                None => Err("Must specify the AttributesToGet or ProjectionExpression when choosing to get \
                             SPECIFIC_ATTRIBUTES"
                    .into()),
            };
        }
        Select::AllProjectedAttributes if !on_index => {
            return Err("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName".into());
        }
        Select::Count => "only the Count",
        other => other.name(),
    };
    match list {
        Some(list) => Err(format!("Cannot specify the {list} when choosing to get {chosen}")),
        None => Ok(()),
    }
}

/// What a page answers; refuses what a global index does not hold.
pub(crate) fn plan_output<'a>(
    table: &Table,
    index: Option<&Index>,
    select: &Option<Given<Select>>,
    projection: Option<&'a Projection>,
) -> Result<Output<'a>, ApiError> {
    let select = select.as_ref().and_then(Given::known);
    if select == Some(Select::Count) {
        return Ok(Output::Count);
    }
    let plain = projection.map_or(Output::Everything, Output::Part);
    let Some(index) = index else { return Ok(plain) };
    if select == Some(Select::AllAttributes) && index.projection != IndexProjection::All {
        return match index.kind {
            IndexKind::Local => Ok(Output::Fetched(None)),
            IndexKind::Global => Err(invalid(format!(
                "Select type ALL_ATTRIBUTES is not supported for global secondary index {} because its projection \
                 type is not ALL",
                index.name
            ))),
        };
    }
    let names = projection.into_iter().flat_map(Projection::top_level_names);
    let missing: Vec<&str> = names.filter(|name| !index.projects(name, &table.key)).collect();
    match (missing.is_empty(), index.kind) {
        (true, _) => Ok(plain),
        (false, IndexKind::Local) => Ok(Output::Fetched(projection)),
        (false, IndexKind::Global) => Err(invalid(format!(
            "Global secondary index {} does not project [{}]",
            index.name,
            missing.join(", ")
        ))),
    }
}

/// Refuses a Query's filter that reads what the index does not hold, be it local or global. A Scan's finds it missing.
pub(super) fn check_filter_is_projected(
    table: &Table,
    index: &Index,
    filter: &Condition,
) -> Result<(), ApiError> {
    let paths = filter.paths();
    let names = paths.iter().map(|path| path.name());
    let missing: Vec<&str> = names.filter(|name| !index.projects(name, &table.key)).collect();
    if missing.is_empty() { Ok(()) } else { Err(unprojected_filter(index, &missing)) }
}

/// What AWS says of a keyed read that filters by attributes that the index does not hold.
pub(crate) fn unprojected_filter(index: &Index, missing: &[&str]) -> ApiError {
    invalid(format!(
        "Secondary index {} does not project one or more filter attributes: {}",
        index.name,
        hash_set(missing, 16)
    ))
}

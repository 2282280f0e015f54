//! Scan.

use dynamometer_expr::legacy;
use dynamometer_expr::{Condition, ExpressionKind, Projection, parse_condition};
use dynamometer_store::Direction;
use dynamometer_types::fault::Step;
use dynamometer_types::limits::PAGE_BYTES;
use dynamometer_types::{ApiError, Item, ValueFault};

use super::select::{check_select, plan_output};
use super::{consistency, is_start_key_shape, legacy_operator, page_response, readable_index};
use crate::Context;
use crate::api::{PageResponse, ScanRequest};
use crate::catalog::{Index, Table};
use crate::engine::{Engine, internal_error};
use crate::ops::items::parse_projection_members;
use crate::read_path::{PagePlan, Stop, scan_bounds, start_key_bytes};
use crate::throughput::Operation;
use crate::validate::expressions::{ExpressionParameters, check_not_mixed};
use crate::validate::keys::{KEY_MISMATCH, check_key_values, check_scalar_paths_of};
use crate::validate::members::{Findings, INDEX_NAME, Rule};
use crate::validate::values::{check_names, check_values, value_error};
use crate::validate::wording::SCAN;
use crate::validate::{check_attribute_names, check_attributes_to_get, check_conditional_operator, required};

/// A request that passed the checks that need the request only.
struct Checked<'a> {
    table_name: &'a str,
    filter: Option<Condition>,
    projection: Option<Projection>,
}

impl Engine {
    /// Scan.
    ///
    /// # Errors
    /// As AWS's; `InternalServerError` when the store fails.
    pub async fn scan(&self, context: &Context<'_>, request: ScanRequest) -> Result<PageResponse, ApiError> {
        let checked = check(&request)?;
        self.read_until_stable(|| self.scan_once(context, &request, &checked))
    }

    fn scan_once(
        &self,
        context: &Context<'_>,
        request: &ScanRequest,
        checked: &Checked<'_>,
    ) -> Result<PageResponse, Stop> {
        let table = self.table(context, checked.table_name)?;
        let consistent_read = request.consistent_read == Some(true);
        let index = readable_index(&table, request.index_name.as_deref(), consistent_read)?;
        let output = plan_output(&table, index, &request.select, checked.projection.as_ref())?;
        let segment = request.segment.unwrap_or(0) as u32;
        let total_segments = request.total_segments.unwrap_or(1) as u32;
        let bounds = scan_bounds(index.map_or(table.id(), |index| index.id), segment, total_segments);
        let bounds = match &request.exclusive_start_key {
            Some(start) => {
                check_start_key(&table, index, start)?;
                let key = start_key_bytes(&table, index, start)
                    .ok_or_else(|| internal_error("a checked start key has no bytes"))?;
                if !bounds.contains(&key) {
                    return Err(ApiError::validation(format!(
                        "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use ExclusiveStartKey \
                         with correct Segment. TotalSegments: {total_segments} Segment: {segment}"
                    ))
                    .into());
                }
                bounds.after(key.to_vec(), Direction::Forward)
            }
            None => bounds,
        };
        check_scalar_paths_of(&table, checked.filter.as_ref(), checked.projection.as_ref())?;
        let plan = PagePlan {
            table: &table,
            index,
            bounds,
            direction: Direction::Forward,
            limit: request.limit.map(|limit| limit as u64),
            room_bytes: PAGE_BYTES,
            consistency: consistency(consistent_read),
            filter: checked.filter.as_ref(),
            output,
        };
        let page = self.read_page(context.now, Operation::Scan, &plan)?;
        self.note_success(context, &table, Operation::Scan, Some(page.count));
        Ok(page_response(page, checked.table_name, &request.select, &request.return_consumed_capacity))
    }
}

fn check(request: &ScanRequest) -> Result<Checked<'_>, ApiError> {
    check_members(request)?;
    check_names(&request.faults, &[], SCAN)?;
    check_attribute_names(request.attributes_to_get.iter().flatten(), SCAN)?;
    check_not_mixed(
        &[
            ("AttributesToGet", request.attributes_to_get.is_some()),
            ("ScanFilter", request.scan_filter.is_some()),
            ("ConditionalOperator", request.conditional_operator.is_some()),
        ],
        &[
            ("ProjectionExpression", request.projection_expression.is_some()),
            ("FilterExpression", request.filter_expression.is_some()),
        ],
        SCAN,
    )?;
    check_values(&request.faults, &[Step::Member("ScanFilter")], SCAN)?;
    let conditions = request.scan_filter.as_ref().map(Vec::len);
    check_conditional_operator(&request.conditional_operator, conditions, SCAN)?;
    check_start_key_values(request)?;
    check_segments(request)?;
    let checked = check_expressions(request)?;
    check_select(
        &request.select,
        request.projection_expression.is_some(),
        request.attributes_to_get.is_some(),
        request.index_name.is_some(),
    )
    .map_err(|message| SCAN.error(message))?;
    Ok(checked)
}

fn check_members(request: &ScanRequest) -> Result<(), ApiError> {
    let mut members = Findings::new();
    members.one_of("select", &request.select);
    members.member("totalSegments", request.total_segments, &[Rule::MinValue(1), Rule::MaxValue(1_000_000)]);
    members.one_of("returnConsumedCapacity", &request.return_consumed_capacity);
    members.table_name("tableName", &request.table_name);
    if request.index_name.is_some() {
        members.member("indexName", &request.index_name, INDEX_NAME);
    }
    for (name, condition) in request.scan_filter.iter().flatten() {
        if condition.comparison_operator.is_none() {
            let path = format!("scanFilter.{name}.member.comparisonOperator");
            members.member(path, &condition.comparison_operator, &[Rule::NotNull]);
        }
    }
    members.member("segment", request.segment, &[Rule::MinValue(0), Rule::MaxValue(999_999)]);
    members.member("limit", request.limit, &[Rule::MinValue(1)]);
    members.one_of("conditionalOperator", &request.conditional_operator);
    check_attributes_to_get(&mut members, &request.attributes_to_get);
    members.finish()
}

/// Faulty values in a start key: all but numbers and sets are told as faults of the start key.
fn check_start_key_values(request: &ScanRequest) -> Result<(), ApiError> {
    let Some(at) = request.faults.under(&[Step::Member("ExclusiveStartKey")]).next() else { return Ok(()) };
    let error = value_error(&at.fault, SCAN);
    Err(match at.fault {
        ValueFault::Number { .. } | ValueFault::Duplicate { .. } => error,
        _ => ApiError::validation(format!("The provided starting key is invalid: {}", error.message)),
    })
}

fn check_segments(request: &ScanRequest) -> Result<(), ApiError> {
    let message = match (request.segment, request.total_segments) {
        (Some(_), None) => {
            "The TotalSegments parameter is required but was not present in the request when Segment parameter is \
             present"
                .to_string()
        }
        (None, Some(_)) => {
            "The Segment parameter is required but was not present in the request when parameter TotalSegments is \
             present"
                .to_string()
        }
        (Some(segment), Some(total)) if segment >= total => format!(
            "The Segment parameter is zero-based and must be less than parameter TotalSegments: Segment: {segment} is \
             not less than TotalSegments: {total}"
        ),
        _ => return Ok(()),
    };
    Err(SCAN.error(message))
}

fn check_expressions(request: &ScanRequest) -> Result<Checked<'_>, ApiError> {
    let parameters = ExpressionParameters {
        wording: SCAN,
        names: request.expression_attribute_names.as_ref(),
        values: request.expression_attribute_values.as_ref(),
        faults: &request.faults,
        path: &[],
        expressions: &[
            (ExpressionKind::Filter, request.filter_expression.as_deref()),
            (ExpressionKind::Projection, request.projection_expression.as_deref()),
        ],
    };
    let placeholders = parameters.open()?;
    let filter = match (&request.filter_expression, &request.scan_filter) {
        (Some(text), _) => Some(
            parse_condition(ExpressionKind::Filter, text, &placeholders)
                .map_err(|error| error.with_size(text)),
        ),
        (None, Some(conditions)) => {
            Some(legacy::filter("scanFilter", conditions, legacy_operator(&request.conditional_operator)))
        }
        (None, None) => None,
    }
    .transpose()
    .map_err(|e| parameters.error(e))?;
    let projection = parse_projection_members(
        request.projection_expression.as_deref(),
        request.attributes_to_get.as_deref(),
        &parameters,
        &placeholders,
    )?;
    parameters.close(&placeholders)?;
    Ok(Checked { table_name: required(&request.table_name)?, filter, projection })
}

fn check_start_key(table: &Table, index: Option<&Index>, start: &Item) -> Result<(), ApiError> {
    if !is_start_key_shape(table, index, start) {
        let message = "The provided starting key is invalid";
        return Err(ApiError::validation(match index {
            None => format!("{message}: {KEY_MISMATCH}"),
            Some(_) => message.to_string(),
        }));
    }
    check_key_values(&table.key, start)?;
    index.map_or(Ok(()), |index| check_key_values(&index.key, start))
}

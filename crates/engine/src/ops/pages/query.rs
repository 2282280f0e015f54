//! Query.

use dynamometer_expr::legacy;
use dynamometer_expr::{
    Condition, ExpressionKind, FilterSource, KeyCondition, KeyRange, Projection, check_filter,
    parse_condition, parse_key_condition,
};
use dynamometer_store::Direction;
use dynamometer_types::fault::Step;
use dynamometer_types::limits::PAGE_BYTES;
use dynamometer_types::{ApiError, Item, Layer};

use super::select::{check_filter_is_projected, check_select, plan_output};
use super::{consistency, is_start_key_shape, legacy_operator, page_response, readable_index};
use crate::Context;
use crate::api::{PageResponse, QueryRequest};
use crate::catalog::{Index, Table};
use crate::engine::{Engine, internal_error};
use crate::ops::items::parse_projection_members;
use crate::read_path::{KeyBounds, PagePlan, Stop, start_key_bytes};
use crate::throughput::Operation;
use crate::validate::expressions::{ExpressionParameters, check_not_mixed};
use crate::validate::keys::{check_key_values, check_scalar_paths_of};
use crate::validate::members::{Findings, INDEX_NAME, Rule};
use crate::validate::values::{check_names, check_values};
use crate::validate::wording::{QUERY, Wording, enveloped};
use crate::validate::{check_attribute_names, check_attributes_to_get, check_conditional_operator, required};

/// A request that passed the checks that need the request only.
struct Checked<'a> {
    table_name: &'a str,
    key_condition: KeyCondition,
    filter: Option<Condition>,
    projection: Option<Projection>,
}

impl Engine {
    /// Query.
    ///
    /// # Errors
    /// As AWS's; `InternalServerError` when the store fails.
    pub async fn query(
        &self,
        context: &Context<'_>,
        request: QueryRequest,
    ) -> Result<PageResponse, ApiError> {
        let checked = check(&request)?;
        self.read_until_stable(|| self.query_once(context, &request, &checked))
    }

    fn query_once(
        &self,
        context: &Context<'_>,
        request: &QueryRequest,
        checked: &Checked<'_>,
    ) -> Result<PageResponse, Stop> {
        let table = self.table(context, checked.table_name)?;
        let consistent_read = request.consistent_read == Some(true);
        let index = readable_index(&table, request.index_name.as_deref(), consistent_read)?;
        let key = index.map_or(&table.key, |index| &index.key);
        let range = checked.key_condition.bind(key).map_err(|e| ApiError::validation(e.message))?;
        let bounds = KeyBounds::of_query(&table, index, &range)
            .ok_or_else(|| internal_error("a bound key condition selects no keys"))?;
        let forward = request.scan_index_forward != Some(false);
        let direction = if forward { Direction::Forward } else { Direction::Reverse };
        let bounds = match &request.exclusive_start_key {
            Some(start) => {
                check_start_key(&table, index, &range, start)?;
                let key = start_key_bytes(&table, index, start)
                    .ok_or_else(|| internal_error("a checked start key has no bytes"))?;
                bounds.after(key.to_vec(), direction)
            }
            None => bounds,
        };
        check_scalar_paths_of(&table, None, checked.projection.as_ref())?;
        if let Some(filter) = &checked.filter {
            let legacy = request.query_filter.is_some();
            let source = if legacy { FilterSource::Legacy } else { FilterSource::Expression };
            check_filter(&filter.paths(), key, source).map_err(|e| ApiError::validation(e.message))?;
            check_scalar_paths_of(&table, Some(filter), None)?;
            index.map_or(Ok(()), |index| check_filter_is_projected(&table, index, filter))?;
        }
        let plan = PagePlan {
            table: &table,
            index,
            bounds,
            direction,
            limit: request.limit.map(|limit| limit as u64),
            room_bytes: PAGE_BYTES,
            consistency: consistency(consistent_read),
            filter: checked.filter.as_ref(),
            output: plan_output(&table, index, &request.select, checked.projection.as_ref())?,
        };
        let page = self.read_page(context.now, Operation::Query, &plan)?;
        self.note_success(context, &table, Operation::Query, Some(page.count));
        Ok(page_response(page, checked.table_name, &request.select, &request.return_consumed_capacity))
    }
}

fn check(request: &QueryRequest) -> Result<Checked<'_>, ApiError> {
    let wording = QUERY.of_request(&request.faults);
    check_members(request, wording)?;
    check_names(&request.faults, &[], wording)?;
    check_attribute_names(request.attributes_to_get.iter().flatten(), wording)?;
    check_not_mixed(
        &[
            ("AttributesToGet", request.attributes_to_get.is_some()),
            ("QueryFilter", request.query_filter.is_some()),
            ("ConditionalOperator", request.conditional_operator.is_some()),
            // KeyConditions go with the other expressions.
            ("KeyConditions", request.key_conditions.is_some() && request.key_condition_expression.is_some()),
        ],
        &[
            ("ProjectionExpression", request.projection_expression.is_some()),
            ("FilterExpression", request.filter_expression.is_some()),
            ("KeyConditionExpression", request.key_condition_expression.is_some()),
        ],
        wording,
    )?;
    let conditions = request.query_filter.as_ref().map(Vec::len);
    check_conditional_operator(&request.conditional_operator, conditions, wording)?;
    let mut select = Findings::new();
    select.one_of("select", &request.select);
    select.finish()?;
    for member in ["QueryFilter", "ExclusiveStartKey", "KeyConditions"] {
        check_values(&request.faults, &[Step::Member(member)], wording)?;
    }
    if request.key_condition_expression.is_none() && request.key_conditions.is_none() {
        return Err(wording.error(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.",
        ));
    }
    let checked = check_expressions(request, wording)?;
    check_select(
        &request.select,
        request.projection_expression.is_some(),
        request.attributes_to_get.is_some(),
        request.index_name.is_some(),
    )
    .map_err(|message| ApiError::validation(enveloped(&message)))?;
    Ok(checked)
}

fn check_members(request: &QueryRequest, wording: Wording) -> Result<(), ApiError> {
    let mut first = Findings::new();
    if request.table_name.is_none() || wording.is_older() {
        first.one_of("select", &request.select);
        first.one_of("returnConsumedCapacity", &request.return_consumed_capacity);
        first.table_name("tableName", &request.table_name);
        first.member("limit", request.limit, &[Rule::MinValue(1)]);
        return first.finish();
    }
    first.member_of(Layer::Current, "Limit", request.limit, &[Rule::MinValue(1)]);
    first.member_of(Layer::Current, "TableName", &request.table_name, &[Rule::MinLength(1)]);
    first.finish()?;
    let mut members = Findings::new();
    members.table_name("tableName", &request.table_name);
    if request.index_name.is_some() {
        members.member("indexName", &request.index_name, INDEX_NAME);
    }
    members.one_of("returnConsumedCapacity", &request.return_consumed_capacity);
    check_attributes_to_get(&mut members, &request.attributes_to_get);
    members.finish()
}

fn check_expressions(request: &QueryRequest, wording: Wording) -> Result<Checked<'_>, ApiError> {
    let parameters = ExpressionParameters {
        wording,
        names: request.expression_attribute_names.as_ref(),
        values: request.expression_attribute_values.as_ref(),
        faults: &request.faults,
        path: &[],
        expressions: &[
            (ExpressionKind::KeyCondition, request.key_condition_expression.as_deref()),
            (ExpressionKind::Filter, request.filter_expression.as_deref()),
            (ExpressionKind::Projection, request.projection_expression.as_deref()),
        ],
    };
    let placeholders = parameters.open()?;
    let key_condition = match (&request.key_condition_expression, &request.key_conditions) {
        (Some(text), _) => parse_key_condition(text, &placeholders),
        (None, conditions) => legacy::key_conditions(conditions.as_deref().unwrap_or_default()),
    }
    .map_err(|e| parameters.error(e))?;
    let filter = match (&request.filter_expression, &request.query_filter) {
        (Some(text), _) => Some(parse_condition(ExpressionKind::Filter, text, &placeholders)),
        (None, Some(conditions)) => {
            Some(legacy::filter("queryFilter", conditions, legacy_operator(&request.conditional_operator)))
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
    Ok(Checked { table_name: required(&request.table_name)?, key_condition, filter, projection })
}

/// A start key must be a key of what is read, and lie where the key condition reads.
fn check_start_key(
    table: &Table,
    index: Option<&Index>,
    range: &KeyRange,
    start: &Item,
) -> Result<(), ApiError> {
    let refuse = |message: &str| Err(ApiError::validation(message));
    if !is_start_key_shape(table, index, start) {
        return refuse("The provided starting key is invalid");
    }
    let key = index.map_or(&table.key, |index| &index.key);
    check_key_values(&table.key, start)?;
    check_key_values(key, start)?;
    let differs =
        key.partition.iter().zip(&range.partition).position(|(a, value)| start.get(&a.name) != Some(value));
    let has_sort_condition = range.sort.is_some() || !range.sort_prefix.is_empty();
    match differs {
        Some(at) if at + 1 < key.partition.len() || has_sort_condition => {
            return refuse("The query can return at most one row and cannot be restarted");
        }
        Some(_) if key.sort.is_empty() => return refuse("The provided exclusive start key is invalid"),
        Some(_) => {
            return refuse(
                "The provided starting key is outside query boundaries based on provided conditions",
            );
        }
        None => {}
    }
    let sort_values: Vec<_> = key.sort.iter().map(|a| start.get(&a.name)).collect();
    let equal = range.sort_prefix.iter().zip(&sort_values).all(|(wanted, given)| *given == Some(wanted));
    let next = sort_values.get(range.sort_prefix.len()).copied().flatten();
    let admitted = range.sort.as_ref().is_none_or(|test| next.is_some_and(|value| test.admits(value)));
    if equal && admitted {
        Ok(())
    } else {
        refuse("The provided starting key does not match the range key predicate")
    }
}

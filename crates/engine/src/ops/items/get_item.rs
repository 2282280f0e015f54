//! GetItem.

use dynamometer_capacity::meter::{Consistency, Consumption, meter_item_read};
use dynamometer_expr::legacy::attributes_to_get;
use dynamometer_expr::{ExpressionKind, Placeholders, Projection, parse_projection};
use dynamometer_types::fault::Step;
use dynamometer_types::{ApiError, Item};

use crate::Context;
use crate::api::{GetItemRequest, GetItemResponse, ItemOut};
use crate::disk::row::Row;
use crate::engine::{Engine, internal_error};
use crate::ops::answer::consumed_capacity;
use crate::throughput::Operation;
use crate::validate::expressions::{ExpressionParameters, check_not_mixed};
use crate::validate::keys::{check_key, check_scalar_paths_of};
use crate::validate::members::{Findings, refuse_empty_table_name};
use crate::validate::values::check_values;
use crate::validate::wording::GET_ITEM;
use crate::validate::{check_attribute_names, check_attributes_to_get, require, required};

/// A request that passed the checks that need the request only.
struct Checked<'a> {
    table_name: &'a str,
    key: &'a Item,
    projection: Option<Projection>,
}

impl Engine {
    /// GetItem.
    ///
    /// # Errors
    /// As AWS's; `InternalServerError` when the store fails.
    pub async fn get_item(
        &self,
        context: &Context<'_>,
        request: GetItemRequest,
    ) -> Result<GetItemResponse, ApiError> {
        let checked = check(&request)?;
        let consistency =
            if request.consistent_read == Some(true) { Consistency::Strong } else { Consistency::Eventual };
        let (table, key, row) = self.read_until_stable(|| {
            let table = self.table(context, checked.table_name)?;
            check_scalar_paths_of(&table, None, checked.projection.as_ref())?;
            let key = check_key(&table, checked.key)?;
            let row = self.read_item(context.now, &table, &key, consistency)?;
            Ok((table, key, row))
        })?;
        let size = row.as_ref().map(Row::item_size).transpose().map_err(internal_error)?;
        let units = meter_item_read(size, consistency);
        self.charge_read(context.now, &table, Operation::GetItem, &key, (units, consistency))?;
        let consumption = Consumption::of_table(units);
        let item = row.map(|row| project_row(row, checked.projection.as_ref())).transpose()?;
        self.note_success(context, &table, Operation::GetItem, None);
        Ok(GetItemResponse {
            item,
            consumed_capacity: consumed_capacity(
                &request.return_consumed_capacity,
                checked.table_name,
                &consumption,
                None,
            ),
        })
    }
}

/// The part of a row that a projection asks for.
pub(crate) fn project_row(row: Row, projection: Option<&Projection>) -> Result<ItemOut, ApiError> {
    Ok(match projection {
        None => ItemOut::Row(row),
        Some(projection) => ItemOut::Item(projection.project(&row.decode().map_err(internal_error)?)),
    })
}

fn check(request: &GetItemRequest) -> Result<Checked<'_>, ApiError> {
    let wording = GET_ITEM.of_request(&request.faults);
    refuse_empty_table_name(&request.table_name)?;
    let mut members = Findings::new();
    members.table_name("tableName", &request.table_name);
    members.one_of("returnConsumedCapacity", &request.return_consumed_capacity);
    require(&mut members, "key", &request.key);
    check_attributes_to_get(&mut members, &request.attributes_to_get);
    members.finish()?;
    check_values(&request.faults, &[Step::Member("Key")], wording)?;
    check_attribute_names(request.attributes_to_get.iter().flatten(), wording)?;
    check_not_mixed(
        &[("AttributesToGet", request.attributes_to_get.is_some())],
        &[("ProjectionExpression", request.projection_expression.is_some())],
        wording,
    )?;
    let parameters = ExpressionParameters {
        wording,
        names: request.expression_attribute_names.as_ref(),
        values: None,
        faults: &request.faults,
        path: &[],
        expressions: &[(ExpressionKind::Projection, request.projection_expression.as_deref())],
    };
    let placeholders = parameters.open()?;
    let projection = parse_projection_members(
        request.projection_expression.as_deref(),
        request.attributes_to_get.as_deref(),
        &parameters,
        &placeholders,
    )?;
    parameters.close(&placeholders)?;
    Ok(Checked { table_name: required(&request.table_name)?, key: required(&request.key)?, projection })
}

/// Reads a projection from its expression or from its legacy form.
pub(crate) fn parse_projection_members(
    expression: Option<&str>,
    legacy_names: Option<&[String]>,
    parameters: &ExpressionParameters<'_>,
    placeholders: &Placeholders<'_>,
) -> Result<Option<Projection>, ApiError> {
    match (expression, legacy_names) {
        (Some(text), _) => parse_projection(text, placeholders).map(Some).map_err(|e| parameters.error(e)),
        (None, Some(names)) => attributes_to_get(names).map(Some).map_err(|e| parameters.error(e)),
        (None, None) => Ok(None),
    }
}

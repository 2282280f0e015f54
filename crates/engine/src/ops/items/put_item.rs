//! PutItem.

use std::borrow::Cow;

use dynamometer_expr::{Condition, ExpressionKind};
use dynamometer_types::fault::Step;
use dynamometer_types::limits::ITEM_BYTES;
use dynamometer_types::size::item_size;
use dynamometer_types::{ApiError, Item};

use super::condition::{OnFailure, check_condition, parse_write_condition};
use crate::Context;
use crate::api::{Given, ItemOut, PutItemRequest, ReturnValues, WriteItemResponse, known_or};
use crate::catalog::Table;
use crate::engine::Engine;
use crate::ops::answer::{collection_metrics, consumed_capacity};
use crate::throughput::{ItemAction, Operation};
use crate::validate::expressions::{ExpressionParameters, check_not_mixed};
use crate::validate::keys::{
    check_index_keys, check_item_has_key, check_key_values, check_scalar_paths_of, stored_key,
};
use crate::validate::members::{Findings, refuse_empty_table_name};
use crate::validate::values::check_values;
use crate::validate::wording::PUT_ITEM;
use crate::validate::{check_conditional_operator, check_return_values, require, required};
use crate::write_path::{Effect, OldImage, PlannedWrite, WriteOperation};

/// An item takes the place of what is there.
pub(crate) struct PutOperation<'a> {
    pub(crate) item: &'a Item,
    pub(crate) condition: Option<Condition>,
    pub(crate) on_failure: OnFailure,
    pub(crate) transactional: bool,
}

impl WriteOperation for PutOperation<'_> {
    fn effects(&self, _table: &Table, old: &OldImage) -> Result<Effect<'_>, ApiError> {
        check_condition(self.condition.as_ref(), old, self.on_failure)?;
        Ok(Effect::Put(Cow::Borrowed(self.item)))
    }

    fn action(&self) -> ItemAction {
        ItemAction::Put
    }

    fn is_transactional(&self) -> bool {
        self.transactional
    }
}

impl Engine {
    /// PutItem.
    ///
    /// # Errors
    /// As AWS's; `InternalServerError` when the store fails.
    pub async fn put_item(
        &self,
        context: &Context<'_>,
        request: PutItemRequest,
    ) -> Result<WriteItemResponse, ApiError> {
        let (table_name, put) = check(&request)?;
        let (table, written) = self
            .write_one(context, Operation::PutItem, table_name, |table| {
                check_put_item(table, put.item)?;
                check_scalar_paths_of(table, put.condition.as_ref(), None)?;
                check_item_size(put.item)?;
                Ok(PlannedWrite {
                    table: table.clone(),
                    key: stored_key(table, put.item)?,
                    key_holder: put.item,
                    operation: &put,
                })
            })
            .await?;
        let return_old = known_or(&request.return_values, ReturnValues::None) == ReturnValues::AllOld;
        Ok(WriteItemResponse {
            consumed_capacity: consumed_capacity(
                &request.return_consumed_capacity,
                table_name,
                &written.consumption,
                None,
            ),
            item_collection_metrics: collection_metrics(
                &request.return_item_collection_metrics,
                &table.key,
                put.item,
                written.collection_bytes,
            ),
            attributes: if return_old { written.old.into_row().map(ItemOut::Row) } else { None },
        })
    }
}

fn check(request: &PutItemRequest) -> Result<(&str, PutOperation<'_>), ApiError> {
    let wording = PUT_ITEM.of_request(&request.faults);
    refuse_empty_table_name(&request.table_name)?;
    let mut members = Findings::new();
    members.table_name("tableName", &request.table_name);
    members.one_of("returnConsumedCapacity", &request.return_consumed_capacity);
    check_return_values(&mut members, &request.return_values, wording);
    members.one_of("returnItemCollectionMetrics", &request.return_item_collection_metrics);
    members.one_of("returnValuesOnConditionCheckFailure", &request.return_values_on_condition_check_failure);
    if wording.is_older() {
        members.one_of("conditionalOperator", &request.conditional_operator);
    }
    require(&mut members, "item", &request.item);
    members.finish()?;
    check_values(&request.faults, &[Step::Member("Item")], wording)?;
    check_not_mixed(
        &[("Expected", request.expected.is_some())],
        &[("ConditionExpression", request.condition_expression.is_some())],
        wording,
    )?;
    if !answers_old_image_only(&request.return_values) {
        return Err(wording.error(ONLY_OLD_IMAGE));
    }
    let conditions = request.expected.as_ref().map(Vec::len);
    check_conditional_operator(&request.conditional_operator, conditions, wording)?;
    check_values(&request.faults, &[Step::Member("Expected")], wording)?;
    let parameters = ExpressionParameters {
        wording,
        names: request.expression_attribute_names.as_ref(),
        values: request.expression_attribute_values.as_ref(),
        faults: &request.faults,
        path: &[],
        expressions: &[(ExpressionKind::Condition, request.condition_expression.as_deref())],
    };
    let placeholders = parameters.open()?;
    let condition = parse_write_condition(
        request.condition_expression.as_deref(),
        request.expected.as_deref(),
        &request.conditional_operator,
        &parameters,
        &placeholders,
    )?;
    parameters.close(&placeholders)?;
    let put = PutOperation {
        item: required(&request.item)?,
        condition,
        on_failure: OnFailure::asked(&request.return_values_on_condition_check_failure),
        transactional: false,
    };
    Ok((required(&request.table_name)?, put))
}

/// What AWS says of another image.
pub(super) const ONLY_OLD_IMAGE: &str = "ReturnValues can only be ALL_OLD or NONE";

/// PutItem and DeleteItem answer no image but the old one.
pub(super) fn answers_old_image_only(given: &Option<Given<ReturnValues>>) -> bool {
    matches!(known_or(given, ReturnValues::None), ReturnValues::None | ReturnValues::AllOld)
}

/// Checks an item to put against its table: key, index keys, empty keys.
pub(crate) fn check_put_item(table: &Table, item: &Item) -> Result<(), ApiError> {
    check_item_has_key(table, item)?;
    check_index_keys(table, item)?;
    check_key_values(&table.key, item)
}

/// Checks that an item to put is not larger than items may be.
pub(crate) fn check_item_size(item: &Item) -> Result<(), ApiError> {
    if item_size(item) > ITEM_BYTES {
        return Err(ApiError::validation("Item size has exceeded the maximum allowed size"));
    }
    Ok(())
}

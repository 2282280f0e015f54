//! DeleteItem.

use dynamometer_expr::{Condition, ExpressionKind};
use dynamometer_types::fault::Step;
use dynamometer_types::{ApiError, Item};

use super::condition::{OnFailure, check_condition, parse_write_condition};
use super::put_item::{ONLY_OLD_IMAGE, answers_old_image_only};
use crate::Context;
use crate::api::{DeleteItemRequest, ItemOut, ReturnValues, WriteItemResponse, known_or};
use crate::catalog::Table;
use crate::engine::Engine;
use crate::ops::answer::{collection_metrics, consumed_capacity};
use crate::throughput::{ItemAction, Operation};
use crate::validate::expressions::{ExpressionParameters, check_not_mixed};
use crate::validate::keys::{check_key, check_scalar_paths_of};
use crate::validate::members::{Findings, refuse_empty_table_name};
use crate::validate::values::check_values;
use crate::validate::wording::{DELETE_ITEM, Wording};
use crate::validate::{check_conditional_operator, check_return_values, require, required};
use crate::write_path::{Effect, OldImage, PlannedWrite, WriteOperation};

/// The item goes.
pub(crate) struct DeleteOperation<'a> {
    pub(crate) key: &'a Item,
    pub(crate) condition: Option<Condition>,
    pub(crate) on_failure: OnFailure,
    pub(crate) transactional: bool,
}

impl WriteOperation for DeleteOperation<'_> {
    fn effects(&self, _table: &Table, old: &OldImage) -> Result<Effect<'_>, ApiError> {
        check_condition(self.condition.as_ref(), old, self.on_failure)?;
        Ok(Effect::Delete)
    }

    fn action(&self) -> ItemAction {
        ItemAction::Delete
    }

    fn is_transactional(&self) -> bool {
        self.transactional
    }
}

impl Engine {
    /// DeleteItem.
    ///
    /// # Errors
    /// As AWS's; `InternalServerError` when the store fails.
    pub async fn delete_item(
        &self,
        context: &Context<'_>,
        request: DeleteItemRequest,
    ) -> Result<WriteItemResponse, ApiError> {
        let (table_name, delete) = check(&request)?;
        let (table, written) = self
            .write_one(context, Operation::DeleteItem, table_name, |table| {
                let key = check_key(table, delete.key)?;
                check_scalar_paths_of(table, delete.condition.as_ref(), None)?;
                Ok(PlannedWrite { table: table.clone(), key, key_holder: delete.key, operation: &delete })
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
                delete.key,
                written.collection_bytes,
            ),
            attributes: if return_old { written.old.into_row().map(ItemOut::Row) } else { None },
        })
    }
}

fn check(request: &DeleteItemRequest) -> Result<(&str, DeleteOperation<'_>), ApiError> {
    let wording = DELETE_ITEM.of_request(&request.faults);
    refuse_empty_table_name(&request.table_name)?;
    check_members(request, wording)?;
    check_values(&request.faults, &[Step::Member("Key")], wording)?;
    check_not_mixed(
        &[("Expected", request.expected.is_some())],
        &[("ConditionExpression", request.condition_expression.is_some())],
        wording,
    )?;
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
    let delete = DeleteOperation {
        key: required(&request.key)?,
        condition,
        on_failure: OnFailure::asked(&request.return_values_on_condition_check_failure),
        transactional: false,
    };
    Ok((required(&request.table_name)?, delete))
}

/// An image that DeleteItem does not answer is a finding among the others, or bare in the older layer; a missing key is
/// told without them.
fn check_members(request: &DeleteItemRequest, wording: Wording) -> Result<(), ApiError> {
    if request.key.is_none() {
        let mut missing = Findings::new();
        missing.table_name("tableName", &request.table_name);
        require(&mut missing, "key", &request.key);
        return missing.finish();
    }
    let mut members = Findings::new();
    members.table_name("tableName", &request.table_name);
    members.one_of("returnConsumedCapacity", &request.return_consumed_capacity);
    check_return_values(&mut members, &request.return_values, wording);
    members.one_of("returnItemCollectionMetrics", &request.return_item_collection_metrics);
    let on_failure = &request.return_values_on_condition_check_failure;
    members.one_of("returnValuesOnConditionCheckFailure", on_failure);
    let answers_asked_image = answers_old_image_only(&request.return_values);
    if wording.is_older() {
        members.one_of("conditionalOperator", &request.conditional_operator);
    } else if !answers_asked_image {
        members.add(ONLY_OLD_IMAGE);
    }
    members.finish()?;
    if answers_asked_image { Ok(()) } else { Err(wording.error(ONLY_OLD_IMAGE)) }
}

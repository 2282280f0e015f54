//! UpdateItem.

use std::borrow::Cow;

use dynamometer_expr::legacy::attribute_updates;
use dynamometer_expr::{Condition, ExpressionKind, Update, parse_update};
use dynamometer_types::fault::Step;
use dynamometer_types::limits::ITEM_BYTES;
use dynamometer_types::size::item_size;
use dynamometer_types::{ApiError, Item, KeyAttribute};

use super::condition::{OnFailure, check_condition, parse_write_condition};
use crate::Context;
use crate::api::{
    ApiEnum, Given, ItemOut, ReturnValues, ReturnValuesOnConditionCheckFailure, UpdateItemRequest,
    WriteItemResponse, known_or,
};
use crate::catalog::Table;
use crate::engine::Engine;
use crate::ops::answer::{collection_metrics, consumed_capacity};
use crate::throughput::{ItemAction, Operation};
use crate::validate::expressions::{ExpressionParameters, check_not_mixed};
use crate::validate::keys::{
    check_key, check_key_sizes_where, check_scalar_paths, check_scalar_paths_of, empty_kind,
    index_key_type_mismatch, index_keys,
};
use crate::validate::members::{Findings, refuse_empty_table_name};
use crate::validate::values::check_values;
use crate::validate::wording::{UPDATE_ITEM, Wording};
use crate::validate::{
    check_attribute_names, check_conditional_operator, check_return_values, require, required,
};
use crate::write_path::{Effect, OldImage, PlannedWrite, WriteOperation};

/// The item is changed, or made when it is not there.
pub(crate) struct UpdateOperation<'a> {
    pub(crate) key: &'a Item,
    /// Absent when the request only makes sure that the item is there.
    pub(crate) update: Option<Update>,
    /// Whether the update is an expression, not the legacy `AttributeUpdates`.
    pub(crate) by_expression: bool,
    pub(crate) condition: Option<Condition>,
    pub(crate) on_failure: OnFailure,
    pub(crate) transactional: bool,
}

impl WriteOperation for UpdateOperation<'_> {
    fn effects(&self, table: &Table, old: &OldImage) -> Result<Effect<'_>, ApiError> {
        check_condition(self.condition.as_ref(), old, self.on_failure)?;
        let old = old.item()?;
        if old.is_none() && self.update.as_ref().is_some_and(Update::only_takes_away) {
            // There is nothing to take away from, and no item is made for it.
            return Ok(Effect::Delete);
        }
        let before = old.unwrap_or(self.key);
        let after = match &self.update {
            None => before.clone(),
            Some(update) => update
                .apply(before, old.is_none())
                .map_err(|fault| ApiError::validation(fault.to_string()))?,
        };
        self.check_changed_index_keys(table, before, &after)?;
        if item_size(&after) > ITEM_BYTES {
            return Err(ApiError::validation("Item size to update has exceeded the maximum allowed size"));
        }
        Ok(Effect::Put(Cow::Owned(after)))
    }

    fn action(&self) -> ItemAction {
        ItemAction::Update
    }

    fn is_transactional(&self) -> bool {
        self.transactional
    }
}

impl UpdateOperation<'_> {
    /// Index keys that the update changes must be of their types, not empty and not too long; others may be what they
    /// are, for an index may have been added after them.
    fn check_changed_index_keys(&self, table: &Table, before: &Item, after: &Item) -> Result<(), ApiError> {
        for (index, attribute, value) in index_keys(table, after) {
            if before.get(&attribute.name) == Some(value) {
                continue;
            }
            if !attribute.scalar_type.admits(value) {
                return Err(if self.by_expression {
                    ApiError::validation(
                        "The update expression attempted to update the secondary index key to unsupported type",
                    )
                } else {
                    index_key_type_mismatch(index, attribute, value)
                });
            }
            if let Some(empty) = empty_kind(value) {
                return Err(ApiError::validation(format!(
                    "One or more parameter values are not valid. The update expression attempted to update a \
                     secondary index key to a value that is not supported. The AttributeValue for a key attribute \
                     cannot contain an empty {empty} value."
                )));
            }
        }
        let changed = |a: &KeyAttribute| before.get(&a.name) != after.get(&a.name);
        table.indexes.iter().try_for_each(|index| check_key_sizes_where(&index.key, after, changed))
    }
}

impl Engine {
    /// UpdateItem.
    ///
    /// # Errors
    /// As AWS's; `InternalServerError` when the store fails.
    pub async fn update_item(
        &self,
        context: &Context<'_>,
        request: UpdateItemRequest,
    ) -> Result<WriteItemResponse, ApiError> {
        let (table_name, operation) = check(&request)?;
        let (table, written) = self
            .write_one(context, Operation::UpdateItem, table_name, |table| {
                let key = check_key(table, operation.key)?;
                check_update_targets(table, operation.update.as_ref())?;
                check_scalar_paths_of(table, operation.condition.as_ref(), None)?;
                Ok(PlannedWrite {
                    table: table.clone(),
                    key,
                    key_holder: operation.key,
                    operation: &operation,
                })
            })
            .await?;
        let consumed_capacity =
            consumed_capacity(&request.return_consumed_capacity, table_name, &written.consumption, None);
        let item_collection_metrics = collection_metrics(
            &request.return_item_collection_metrics,
            &table.key,
            operation.key,
            written.collection_bytes,
        );
        let touched = |item: &Item| operation.update.as_ref().map(|update| update.project_targets(item));
        let new = written.new.map(Cow::into_owned);
        let attributes = match known_or(&request.return_values, ReturnValues::None) {
            ReturnValues::None => None,
            ReturnValues::AllOld => written.old.into_row().map(ItemOut::Row),
            ReturnValues::AllNew => new.map(ItemOut::Item),
            ReturnValues::UpdatedOld => not_empty(written.old.item()?.and_then(touched)),
            ReturnValues::UpdatedNew => not_empty(new.as_ref().and_then(touched)),
        };
        Ok(WriteItemResponse { attributes, consumed_capacity, item_collection_metrics })
    }
}

fn not_empty(item: Option<Item>) -> Option<ItemOut> {
    item.filter(|item| !item.is_empty()).map(ItemOut::Item)
}

/// Refuses an update that names an attribute of the table's key, or leads into one of an index's.
pub(crate) fn check_update_targets(table: &Table, update: Option<&Update>) -> Result<(), ApiError> {
    let Some(update) = update else { return Ok(()) };
    update.check_keys(&table.key).map_err(|error| ApiError::validation(error.message))?;
    check_scalar_paths(table, update.actions().iter().map(|action| &action.path))
}

fn check(request: &UpdateItemRequest) -> Result<(&str, UpdateOperation<'_>), ApiError> {
    let wording = UPDATE_ITEM.of_request(&request.faults);
    let (table_name, key) = check_members(request, wording)?;
    check_values(&request.faults, &[Step::Member("Key")], wording)?;
    check_attribute_names(request.attribute_updates.iter().flatten().map(|(name, _)| name), wording)?;
    check_values(&request.faults, &[Step::Member("AttributeUpdates")], wording)?;
    check_not_mixed(
        &[
            ("AttributeUpdates", request.attribute_updates.is_some()),
            ("Expected", request.expected.is_some()),
        ],
        &[
            ("UpdateExpression", request.update_expression.is_some()),
            ("ConditionExpression", request.condition_expression.is_some()),
        ],
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
        // An empty condition is reported before an empty update.
        expressions: &[
            (ExpressionKind::Condition, request.condition_expression.as_deref()),
            (ExpressionKind::Update, request.update_expression.as_deref()),
        ],
    };
    let placeholders = parameters.open()?;
    for (kind, text) in parameters.expressions {
        if let Some(text) = text {
            kind.check_not_empty(text).map_err(|e| parameters.error(e))?;
        }
    }
    let update = match (&request.update_expression, &request.attribute_updates) {
        (Some(text), _) => Some(parse_update(text, &placeholders).map_err(|e| parameters.error(e))?),
        (None, Some(updates)) => Some(attribute_updates(updates).map_err(|e| parameters.error(e))?),
        (None, None) => None,
    };
    let condition = parse_write_condition(
        request.condition_expression.as_deref(),
        request.expected.as_deref(),
        &request.conditional_operator,
        &parameters,
        &placeholders,
    )?;
    parameters.close(&placeholders)?;
    let operation = UpdateOperation {
        key,
        update,
        by_expression: request.update_expression.is_some(),
        condition,
        on_failure: OnFailure::asked(&request.return_values_on_condition_check_failure),
        transactional: false,
    };
    Ok((table_name, operation))
}

/// UpdateItem stops at the first faulty member; the older layer, which a missing key brings too, tells all of them.
fn check_members(request: &UpdateItemRequest, wording: Wording) -> Result<(&str, &Item), ApiError> {
    if request.key.is_none() || wording.is_older() {
        let mut members = Findings::new();
        members.one_of("returnConsumedCapacity", &request.return_consumed_capacity);
        members.table_name("tableName", &request.table_name);
        members.one_of("returnValues", &request.return_values);
        members.one_of(ON_FAILURE, &request.return_values_on_condition_check_failure);
        members.one_of("returnItemCollectionMetrics", &request.return_item_collection_metrics);
        members.one_of("conditionalOperator", &request.conditional_operator);
        require(&mut members, "key", &request.key);
        members.finish()?;
        return Ok((required(&request.table_name)?, required(&request.key)?));
    }
    refuse_empty_table_name(&request.table_name)?;
    let mut name = Findings::new();
    name.table_name_in_full("tableName", &request.table_name);
    if request.table_name.is_none() {
        check_return_values(&mut name, &request.return_values, wording);
    }
    name.finish()?;
    first_finding(|members| check_return_values(members, &request.return_values, wording))?;
    first_finding(|members| members.one_of("returnConsumedCapacity", &request.return_consumed_capacity))?;
    let metrics = &request.return_item_collection_metrics;
    first_finding(|members| members.one_of("returnItemCollectionMetrics", metrics))?;
    // This one stands without the envelope on UpdateItem.
    if let Some(Given::Unknown(text)) = &request.return_values_on_condition_check_failure {
        return Err(ApiError::validation(format!(
            "Value '{text}' at '{ON_FAILURE}' failed to satisfy constraint: Member must satisfy enum value set: {}",
            ReturnValuesOnConditionCheckFailure::printed_set()
        )));
    }
    Ok((required(&request.table_name)?, required(&request.key)?))
}

const ON_FAILURE: &str = "returnValuesOnConditionCheckFailure";

fn first_finding(check: impl FnOnce(&mut Findings)) -> Result<(), ApiError> {
    let mut members = Findings::new();
    check(&mut members);
    members.finish()
}

//! The actions of a write transaction: checked one by one, in the order of the request.

use std::sync::Arc;

use dynamometer_expr::{ExpressionKind, parse_update};
use dynamometer_types::fault::{FaultAt, Faults, Step};
use dynamometer_types::limits::TRANSACTION_BYTES;
use dynamometer_types::size::{item_size, value_size};
use dynamometer_types::{ApiError, Item, ValueFault};

use crate::api::{TransactAction, TransactWriteItem, TransactWriteItemsRequest};
use crate::catalog::Table;
use crate::engine::internal_error;
use crate::ops::items::{
    CheckOperation, DeleteOperation, OnFailure, PutOperation, UpdateOperation, check_item_size,
    check_update_targets, parse_write_condition,
};
use crate::validate::expressions::ExpressionParameters;
use crate::validate::keys::{
    check_index_keys, check_item_has_key, check_key_shape, check_key_values, check_scalar_paths_of,
    stored_key,
};
use crate::validate::members::{Findings, Rule, Seen};
use crate::validate::values::{check_values, value_error};
use crate::validate::wording::{TRANSACT_WRITE_ITEMS, enveloped};
use crate::validate::{require, required};
use crate::write_path::{PlannedWrite, WriteOperation};

/// The four kinds of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    ConditionCheck,
    Put,
    Delete,
    Update,
}

impl Kind {
    /// The member on the wire.
    fn member(self) -> &'static str {
        match self {
            Kind::ConditionCheck => "ConditionCheck",
            Kind::Put => "Put",
            Kind::Delete => "Delete",
            Kind::Update => "Update",
        }
    }

    /// The member as the older layer spells it.
    fn path(self) -> &'static str {
        match self {
            Kind::ConditionCheck => "conditionCheck",
            Kind::Put => "put",
            Kind::Delete => "delete",
            Kind::Update => "update",
        }
    }
}

/// An action that passed the checks that need the request only.
pub(super) struct Action<'a> {
    pub(super) table_name: &'a str,
    key_holder: &'a Item,
    operation: Operation<'a>,
}

enum Operation<'a> {
    Check(CheckOperation),
    Put(PutOperation<'a>),
    Delete(DeleteOperation<'a>),
    Update(UpdateOperation<'a>),
}

impl Action<'_> {
    /// The write, without checks against the table.
    pub(super) fn plan(&self, table: &Arc<Table>) -> Result<PlannedWrite<'_>, ApiError> {
        let operation: &dyn WriteOperation = match &self.operation {
            Operation::Check(check) => check,
            Operation::Put(put) => put,
            Operation::Delete(delete) => delete,
            Operation::Update(update) => update,
        };
        let key = stored_key(table, self.key_holder)?;
        Ok(PlannedWrite { table: table.clone(), key, key_holder: self.key_holder, operation })
    }

    /// What a key without characters answers: not a cancellation.
    pub(super) fn check_empty_key(&self, table: &Table) -> Result<(), ApiError> {
        check_key_values(&table.key, self.key_holder)
    }

    /// What cancels the transaction before it runs: a key that is not the table's, an index key of another type, a path
    /// into a key.
    pub(super) fn check_schema(&self, table: &Table) -> Result<(), ApiError> {
        let condition = match &self.operation {
            Operation::Put(put) => {
                check_item_has_key(table, put.item)?;
                check_index_keys(table, put.item)?;
                put.condition.as_ref()
            }
            Operation::Update(update) => {
                check_key_shape(&table.key, self.key_holder)?;
                check_update_targets(table, update.update.as_ref())?;
                update.condition.as_ref()
            }
            Operation::Delete(delete) => {
                check_key_shape(&table.key, self.key_holder)?;
                delete.condition.as_ref()
            }
            Operation::Check(check) => {
                check_key_shape(&table.key, self.key_holder)?;
                Some(&check.condition)
            }
        };
        check_scalar_paths_of(table, condition, None)
    }
}

/// Checks all that needs the request only.
pub(super) fn check_actions(request: &TransactWriteItemsRequest) -> Result<Vec<Action<'_>>, ApiError> {
    let items = request.transact_items.as_deref().unwrap_or_default();
    check_members(request, items)?;
    let chosen = items.iter().map(choose).collect::<Result<Vec<_>, _>>()?;
    check_action_members(&chosen)?;
    check_payload(&chosen)?;
    chosen
        .iter()
        .enumerate()
        .map(|(at, (kind, action))| check_action(at, *kind, action, &request.faults))
        .collect()
}

fn check_members(request: &TransactWriteItemsRequest, items: &[TransactWriteItem]) -> Result<(), ApiError> {
    check_list_length(request.transact_items.as_ref().map(Vec::len))?;
    let mut members = Findings::new();
    for (at, item) in items.iter().enumerate() {
        for (kind, action) in actions_of(item) {
            let path = format!(
                "transactItems.{}.member.{}.returnValuesOnConditionCheckFailure",
                at + 1,
                kind.path()
            );
            members.one_of(path, &action.return_values_on_condition_check_failure);
        }
    }
    if request.client_request_token.is_some() {
        let rules = [Rule::MinLength(1), Rule::MaxLength(36)];
        members.member("clientRequestToken", &request.client_request_token, &rules);
    }
    members.one_of("returnConsumedCapacity", &request.return_consumed_capacity);
    members.one_of("returnItemCollectionMetrics", &request.return_item_collection_metrics);
    members.finish()
}

/// A transaction has 1 to 100 actions.
pub(super) fn check_list_length(count: Option<usize>) -> Result<(), ApiError> {
    let mut members = Findings::new();
    match count {
        None => require(&mut members, "transactItems", &None::<()>),
        Some(count) => {
            let echo = || if count == 0 { "[]".into() } else { format!("[{count} items]") };
            members.member(
                "transactItems",
                Seen::Many(count, &echo),
                &[Rule::MinLength(1), Rule::MaxLength(100)],
            );
        }
    }
    members.finish()
}

fn actions_of(item: &TransactWriteItem) -> impl Iterator<Item = (Kind, &TransactAction)> {
    [
        (Kind::ConditionCheck, &item.condition_check),
        (Kind::Put, &item.put),
        (Kind::Delete, &item.delete),
        (Kind::Update, &item.update),
    ]
    .into_iter()
    .filter_map(|(kind, action)| Some((kind, action.as_ref()?)))
}

/// The one action of an element.
fn choose(item: &TransactWriteItem) -> Result<(Kind, &TransactAction), ApiError> {
    let mut actions = actions_of(item);
    match (actions.next(), actions.next()) {
        (Some(action), None) => Ok(action),
        (Some(_), Some(_)) => {
            Err(ApiError::validation("TransactItems can only contain one of Check, Put, Update or Delete"))
        }
        (None, _) => Err(ApiError::validation(
            "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request",
        )),
    }
}

fn check_action_members(chosen: &[(Kind, &TransactAction)]) -> Result<(), ApiError> {
    let mut members = Findings::new();
    for (at, (kind, action)) in chosen.iter().enumerate() {
        let path = |member: &str| format!("transactItems.{}.member.{}.{member}", at + 1, kind.path());
        members.table_name(path("tableName"), &action.table_name);
        match kind {
            Kind::Put => require(&mut members, &path("item"), &action.item),
            _ => require(&mut members, &path("key"), &action.key),
        }
        if *kind == Kind::Update {
            require(&mut members, &path("updateExpression"), &action.update_expression);
        }
        if *kind == Kind::ConditionCheck {
            require(&mut members, &path("conditionExpression"), &action.condition_expression);
        }
    }
    members.finish()
}

/// All actions together carry 4 MB at most: items, keys and expression values as sent.
fn check_payload(chosen: &[(Kind, &TransactAction)]) -> Result<(), ApiError> {
    let bytes: u64 = chosen
        .iter()
        .map(|(_, action)| {
            let items = action.item.iter().chain(&action.key).map(item_size).sum::<u64>();
            let values = action.expression_attribute_values.iter().flatten();
            items + values.map(|(_, value)| value_size(value)).sum::<u64>()
        })
        .sum();
    if bytes > TRANSACTION_BYTES {
        let message = format!("Transaction request size cannot exceed {TRANSACTION_BYTES} bytes");
        return Err(ApiError::validation(enveloped(&message)));
    }
    Ok(())
}

/// Checks the values of an action's item or key. A faulty name at the top is told first, and one further down after the
/// others; how deep a key nests is left for after the expressions.
fn check_holder(faults: &Faults, holder: &[Step], kind: Kind) -> Result<(), ApiError> {
    let is_of_name = |at: &&FaultAt| at.fault.is_of_name();
    let is_at_top = |at: &&FaultAt| at.path.len() == holder.len() + 1;
    let is_left = |at: &&FaultAt| kind != Kind::Put && at.fault == ValueFault::TooDeep;
    let found = || faults.under(holder);
    let first = found()
        .find(|at| is_of_name(at) && is_at_top(at))
        .or_else(|| found().find(|at| !is_of_name(at) && !is_left(at)))
        .or_else(|| found().find(is_of_name));
    first.map_or(Ok(()), |at| Err(value_error(&at.fault, TRANSACT_WRITE_ITEMS)))
}

fn check_action<'a>(
    at: usize,
    kind: Kind,
    action: &'a TransactAction,
    faults: &Faults,
) -> Result<Action<'a>, ApiError> {
    let path = [Step::Member("TransactItems"), Step::Index(at), Step::Member(kind.member())];
    let holder = if kind == Kind::Put { "Item" } else { "Key" };
    let holder = [&path[..], &[Step::Member(holder)]].concat();
    check_holder(faults, &holder, kind)?;
    let is_update = kind == Kind::Update;
    let expressions = [
        (ExpressionKind::Condition, action.condition_expression.as_deref()),
        (ExpressionKind::Update, action.update_expression.as_deref()),
    ];
    let parameters = ExpressionParameters {
        wording: TRANSACT_WRITE_ITEMS,
        names: action.expression_attribute_names.as_ref(),
        values: action.expression_attribute_values.as_ref(),
        faults,
        path: &path,
        expressions: if is_update { &expressions } else { &expressions[..1] },
    };
    let placeholders = parameters.open()?;
    if let (Kind::Put, Some(item)) = (kind, &action.item) {
        check_item_size(item)?;
    }
    let update = match &action.update_expression {
        Some(text) if is_update => Some(parse_update(text, &placeholders).map_err(|e| parameters.error(e))?),
        _ => None,
    };
    let condition = parse_write_condition(
        action.condition_expression.as_deref(),
        None,
        &None,
        &parameters,
        &placeholders,
    )?;
    parameters.close(&placeholders)?;
    check_values(faults, &holder, TRANSACT_WRITE_ITEMS)?;
    let on_failure = OnFailure::asked(&action.return_values_on_condition_check_failure);
    let key_holder = required(if kind == Kind::Put { &action.item } else { &action.key })?;
    let operation = match kind {
        Kind::Put => {
            Operation::Put(PutOperation { item: key_holder, condition, on_failure, transactional: true })
        }
        Kind::Delete => {
            Operation::Delete(DeleteOperation { key: key_holder, condition, on_failure, transactional: true })
        }
        Kind::Update => Operation::Update(UpdateOperation {
            key: key_holder,
            update,
            by_expression: true,
            condition,
            on_failure,
            transactional: true,
        }),
        Kind::ConditionCheck => Operation::Check(CheckOperation {
            condition: condition.ok_or_else(|| internal_error("a check without its condition"))?,
            on_failure,
        }),
    };
    Ok(Action { table_name: required(&action.table_name)?, key_holder, operation })
}

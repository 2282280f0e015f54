//! TransactWriteItems.

use std::sync::Arc;

use dynamometer_capacity::meter::Consumption;
use dynamometer_types::{ApiError, CancellationReason};

use super::SAME_ITEM;
use super::actions::{Action, check_actions};
use super::driver::{Outcome, Transaction, by_table, consumed_by_table};
use super::token::{Token, TokenSpace};
use crate::Context;
use crate::api::{
    CapacityKind, ItemCollectionMetrics, TransactWriteItemsRequest, TransactWriteItemsResponse,
};
use crate::catalog::Table;
use crate::engine::Engine;
use crate::ops::answer::collection_metrics;
use crate::ops::batch::has_duplicates;
use crate::throughput::Operation;
use crate::write_path::{PlannedWrite, Written};

impl Engine {
    /// TransactWriteItems.
    ///
    /// # Errors
    /// As AWS's: `TransactionCanceledException` lists a reason for each action; `InternalServerError` when the store
    /// fails.
    pub async fn transact_write_items(
        &self,
        context: &Context<'_>,
        request: TransactWriteItemsRequest,
    ) -> Result<TransactWriteItemsResponse, ApiError> {
        let actions = check_actions(&request)?;
        let transaction = Transaction {
            operation: Operation::TransactWriteItems,
            replay: Operation::TransactWriteItemsReplay,
            token: Token::of(
                context,
                TokenSpace::TransactWriteItems,
                request.client_request_token.as_deref(),
                &request.transact_items,
            ),
            table_names: actions.iter().map(|action| action.table_name).collect(),
        };
        let outcome =
            self.transact(context, &transaction, || self.plan_transaction(context, &actions)).await?;
        Ok(match outcome {
            Outcome::Written(plans, written) => respond(&request, &transaction.table_names, &plans, &written),
            Outcome::Replayed(consumptions) => TransactWriteItemsResponse {
                consumed_capacity: consumed_by_table(
                    &request.return_consumed_capacity,
                    &consumptions,
                    CapacityKind::Read,
                ),
                item_collection_metrics: None,
            },
        })
    }

    fn plan_transaction<'a>(
        &self,
        context: &Context<'_>,
        actions: &'a [Action<'_>],
    ) -> Result<Vec<PlannedWrite<'a>>, ApiError> {
        let tables = actions
            .iter()
            .map(|action| self.table(context, action.table_name))
            .collect::<Result<Vec<Arc<Table>>, _>>()?;
        let schema_faults: Vec<Result<(), ApiError>> =
            actions.iter().zip(&tables).map(|(action, table)| action.check_schema(table)).collect();
        // Actions on one item are told before keys that are none.
        let mut plans = Vec::with_capacity(actions.len());
        for ((action, table), schema) in actions.iter().zip(&tables).zip(&schema_faults) {
            if schema.is_ok() {
                action.check_empty_key(table)?;
                plans.push(action.plan(table)?);
            }
        }
        if has_duplicates(&plans) {
            return Err(ApiError::validation(SAME_ITEM));
        }
        match schema_faults.into_iter().enumerate().find_map(|(at, schema)| Some((at, schema.err()?))) {
            Some((at, fault)) => {
                let mut reasons = vec![CancellationReason::NONE; actions.len()];
                reasons[at] = CancellationReason::new("ValidationError", fault.message);
                Err(ApiError::transaction_canceled(reasons))
            }
            None => Ok(plans),
        }
    }
}

fn respond(
    request: &TransactWriteItemsRequest,
    table_names: &[&str],
    plans: &[PlannedWrite<'_>],
    written: &[Written<'_>],
) -> TransactWriteItemsResponse {
    let mut consumptions = Vec::new();
    let mut collections: Vec<(String, Vec<ItemCollectionMetrics>)> = Vec::new();
    for (table, parts) in by_table(table_names, plans.iter().zip(written)) {
        let mut consumption = Consumption::default();
        let mut metrics = Vec::new();
        for (plan, written) in parts {
            consumption.merge(&written.consumption);
            let asked = &request.return_item_collection_metrics;
            metrics.extend(collection_metrics(
                asked,
                &plan.table.key,
                plan.key_holder,
                written.collection_bytes,
            ));
        }
        consumptions.push((table, consumption));
        if !metrics.is_empty() {
            collections.push((table.to_owned(), metrics));
        }
    }
    TransactWriteItemsResponse {
        consumed_capacity: consumed_by_table(
            &request.return_consumed_capacity,
            &consumptions,
            CapacityKind::Write,
        ),
        item_collection_metrics: (!collections.is_empty()).then_some(collections),
    }
}

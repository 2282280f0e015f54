//! TransactWriteItems.

use std::sync::Arc;

use dynamometer_capacity::meter::{Consumption, meter_replayed_transaction};
use dynamometer_store::{Batch, Commit};
use dynamometer_types::error::Detail;
use dynamometer_types::size::item_size;
use dynamometer_types::{ApiError, CancellationReason, ErrorKind};

use super::SAME_ITEM;
use super::actions::{Action, check_actions};
use super::token::{Remembered, Token};
use crate::Context;
use crate::api::{
    CapacityKind, ItemCollectionMetrics, TransactWriteItemsRequest, TransactWriteItemsResponse,
};
use crate::catalog::Table;
use crate::engine::{Engine, internal_error};
use crate::ops::answer::{collection_metrics, consumed_capacity};
use crate::ops::batch::has_duplicates;
use crate::throughput::{Operation, cancellation_code};
use crate::write_path::{Behalf, Beside, PlannedWrite, Started, Stop, Written};

/// How a transaction begins.
enum Start<'a> {
    /// Its token was used before: what is remembered, or that it was for something else; and what to wait for.
    Remembered(Result<Remembered, ApiError>, Commit),
    /// It joined the queue, or was stopped.
    Tried(Result<Started<'a>, Stop>),
}

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
        let token = Token::of(context, &request);
        let stop = loop {
            let plans = self.plan_transaction(context, &actions)?;
            match self.start_transaction(context, &actions, &plans, token.as_ref())? {
                Start::Remembered(remembered, after) => {
                    after.await.map_err(internal_error)?;
                    let remembered = remembered?;
                    self.charge_replay(context, &actions, &plans, &remembered)?;
                    return Ok(replay(&request, &remembered));
                }
                Start::Tried(Ok(started)) => {
                    let written = started.finish(self).await?;
                    return Ok(respond(&request, &actions, &plans, &written));
                }
                Start::Tried(Err(Stop::TableChanged)) => {}
                Start::Tried(Err(stop)) => break stop,
            }
        };
        Err(cancelled(stop).await)
    }

    /// Queues the transaction, unless its token was used before.
    fn start_transaction<'a>(
        &self,
        context: &Context<'_>,
        actions: &[Action<'_>],
        plans: &[PlannedWrite<'a>],
        token: Option<&Token>,
    ) -> Result<Start<'a>, ApiError> {
        let behalf = Behalf::of(Operation::TransactWriteItems, context.now);
        let keys = plans.iter().map(|plan| &plan.key).chain(token.map(|token| &token.key));
        let mut held = self.latches.hold(keys);
        if let Some(token) = token
            && let Some(remembered) = self.recall(token, &held, context.now)?
        {
            // The first call may still be on its way to the disk.
            return Ok(Start::Remembered(remembered, self.store.commit(Batch::new())));
        }
        Ok(Start::Tried(self.start_writes(behalf, plans, &mut held, |written| {
            let token = token?;
            let value = token.remember(context.now, larger_images(actions, written));
            Some(Beside { key: token.key.clone(), value })
        })))
    }

    /// Charges what the answer from a token costs: reads of the larger images.
    fn charge_replay(
        &self,
        context: &Context<'_>,
        actions: &[Action<'_>],
        plans: &[PlannedWrite<'_>],
        remembered: &Remembered,
    ) -> Result<(), ApiError> {
        let mut reads = Vec::with_capacity(plans.len());
        for ((_, plans), (_, images)) in by_table(actions, plans.iter()).into_iter().zip(&remembered.images) {
            for (plan, image) in plans.into_iter().zip(images) {
                let units = meter_replayed_transaction(std::iter::once(*image));
                reads.push((&*plan.table, &plan.key, units));
            }
        }
        self.charge_transaction_reads(context.now, Operation::TransactWriteItemsReplay, &reads)
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

/// The error of a transaction that did not run: a reason for each action.
async fn cancelled(stop: Stop) -> ApiError {
    let Stop::Refused { refusals, after } = stop else { return stop.into_error().await };
    if let Some(commit) = after
        && let Err(error) = commit.await
    {
        return internal_error(error);
    }
    if let Some(fault) = refusals.iter().flatten().find(|error| error.kind == ErrorKind::InternalServerError)
    {
        return fault.clone();
    }
    ApiError::transaction_canceled(refusals.into_iter().map(reason).collect())
}

fn reason(refusal: Option<ApiError>) -> CancellationReason {
    let Some(refusal) = refusal else { return CancellationReason::NONE };
    let code = match refusal.kind {
        ErrorKind::ConditionalCheckFailed => "ConditionalCheckFailed",
        ErrorKind::ItemCollectionSizeLimitExceeded => "ItemCollectionSizeLimitExceeded",
        ErrorKind::TransactionConflict => "TransactionConflict",
        kind => cancellation_code(kind).unwrap_or("ValidationError"),
    };
    let item = match refusal.detail.map(|detail| *detail) {
        Some(Detail::Item(item)) => Some(item),
        _ => None,
    };
    CancellationReason { code, message: Some(refusal.message), item }
}

/// The tables of a transaction in the order in which the request names them first, each with its actions.
fn by_table<'a, T>(actions: &'a [Action<'_>], parts: impl Iterator<Item = T>) -> Vec<(&'a str, Vec<T>)> {
    let mut tables: Vec<(&str, Vec<T>)> = Vec::new();
    for (action, part) in actions.iter().zip(parts) {
        match tables.iter_mut().find(|(name, _)| *name == action.table_name) {
            Some((_, parts)) => parts.push(part),
            None => tables.push((action.table_name, vec![part])),
        }
    }
    tables
}

fn larger_images(actions: &[Action<'_>], written: &[Written<'_>]) -> Vec<(String, Vec<u64>)> {
    let larger = written.iter().map(|written| {
        let old = written.old.size().ok().flatten().unwrap_or(0);
        let new = written.new.as_deref().map_or(0, item_size);
        old.max(new)
    });
    by_table(actions, larger).into_iter().map(|(name, images)| (name.to_owned(), images)).collect()
}

fn replay(request: &TransactWriteItemsRequest, remembered: &Remembered) -> TransactWriteItemsResponse {
    let consumed: Vec<_> = remembered
        .consumption()
        .into_iter()
        .filter_map(|(table, consumption)| {
            consumed_capacity(
                &request.return_consumed_capacity,
                table,
                &consumption,
                Some(CapacityKind::Read),
            )
        })
        .collect();
    TransactWriteItemsResponse {
        consumed_capacity: (!consumed.is_empty()).then_some(consumed),
        item_collection_metrics: None,
    }
}

fn respond(
    request: &TransactWriteItemsRequest,
    actions: &[Action<'_>],
    plans: &[PlannedWrite<'_>],
    written: &[Written<'_>],
) -> TransactWriteItemsResponse {
    let mut consumed = Vec::new();
    let mut collections: Vec<(String, Vec<ItemCollectionMetrics>)> = Vec::new();
    for (table, parts) in by_table(actions, plans.iter().zip(written)) {
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
        let asked = &request.return_consumed_capacity;
        consumed.extend(consumed_capacity(asked, table, &consumption, Some(CapacityKind::Write)));
        if !metrics.is_empty() {
            collections.push((table.to_owned(), metrics));
        }
    }
    TransactWriteItemsResponse {
        consumed_capacity: (!consumed.is_empty()).then_some(consumed),
        item_collection_metrics: (!collections.is_empty()).then_some(collections),
    }
}

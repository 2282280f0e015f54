//! The one way that transactions of writes run, whether TransactWriteItems or ExecuteTransaction asks for them.

use dynamometer_capacity::meter::{Consumption, meter_replayed_transaction};
use dynamometer_store::{Batch, Commit};
use dynamometer_types::error::Detail;
use dynamometer_types::size::item_size;
use dynamometer_types::{ApiError, CancellationReason, ErrorKind};

use super::token::{Remembered, Token};
use crate::Context;
use crate::api::{CapacityKind, ConsumedCapacity, Given, ReturnConsumedCapacity};
use crate::catalog::Table;
use crate::engine::{Engine, internal_error};
use crate::ops::answer::consumed_capacity;
use crate::throughput::{Operation, cancellation_code};
use crate::write_path::{Behalf, Beside, PlannedWrite, Started, Stop, Written};

/// A transaction of writes.
pub(crate) struct Transaction<'t> {
    /// The operation that it is counted for.
    pub(crate) operation: Operation,
    /// The operation that an answer from its token is counted for.
    pub(crate) replay: Operation,
    pub(crate) token: Option<Token>,
    /// The table of each action, as the request names it.
    pub(crate) table_names: Vec<&'t str>,
}

/// What became of a transaction that was not refused.
pub(crate) enum Outcome<'a> {
    /// It ran.
    Written(Vec<PlannedWrite<'a>>, Vec<Written<'a>>),
    /// It had run before, by its token; what the answer costs on each table.
    Replayed(Vec<(String, Consumption)>),
}

/// How a transaction begins.
enum Start<'a> {
    /// Its token was used before: what is remembered, or that it was for something else; and what to wait for.
    Remembered(Result<Remembered, ApiError>, Commit),
    /// It joined the queue, or was stopped.
    Tried(Result<Started<'a>, Stop>),
}

impl Engine {
    /// Runs a transaction, as often as its tables change under it.
    ///
    /// # Errors
    /// What `plan` answers; `TransactionCanceledException` with a reason for each action;
    /// `IdempotentParameterMismatchException`; `InternalServerError` when the store fails.
    pub(crate) async fn transact<'a>(
        &self,
        context: &Context<'_>,
        transaction: &Transaction<'_>,
        plan: impl Fn() -> Result<Vec<PlannedWrite<'a>>, ApiError>,
    ) -> Result<Outcome<'a>, ApiError> {
        let stop = loop {
            let plans = plan()?;
            match self.start_transaction(context, transaction, &plans)? {
                Start::Remembered(remembered, after) => {
                    after.await.map_err(internal_error)?;
                    let remembered = remembered?;
                    self.charge_replay(context, transaction, &plans, &remembered)?;
                    self.note_success_of_all(context, tables_of(&plans), transaction.operation);
                    return Ok(Outcome::Replayed(remembered.consumption()));
                }
                Start::Tried(Ok(started)) => {
                    let written = started.finish(self).await?;
                    self.note_success_of_all(context, tables_of(&plans), transaction.operation);
                    return Ok(Outcome::Written(plans, written));
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
        transaction: &Transaction<'_>,
        plans: &[PlannedWrite<'a>],
    ) -> Result<Start<'a>, ApiError> {
        let behalf = Behalf::of(transaction.operation, context.now);
        let token = transaction.token.as_ref();
        let mut held = self.latches.hold_for(plans, token.map(|token| &token.key));
        if let Some(token) = token
            && let Some(remembered) = self.recall(token, &held, context.now)?
        {
            // The first call may still be on its way to the disk.
            return Ok(Start::Remembered(remembered, self.store.commit(Batch::new())));
        }
        Ok(Start::Tried(self.start_writes(behalf, plans, &mut held, |written| {
            let token = token?;
            let images = larger_images(&transaction.table_names, written);
            let value = token.remember(context.now, plans, images);
            Some(Beside { key: token.key.clone(), value })
        })))
    }

    /// Charges what the answer from a token costs: reads of the larger images.
    fn charge_replay(
        &self,
        context: &Context<'_>,
        transaction: &Transaction<'_>,
        plans: &[PlannedWrite<'_>],
        remembered: &Remembered,
    ) -> Result<(), ApiError> {
        let mut reads = Vec::with_capacity(plans.len());
        let tables = by_table(&transaction.table_names, plans.iter());
        for ((_, plans), (_, images)) in tables.into_iter().zip(&remembered.images) {
            for (plan, image) in plans.into_iter().zip(images) {
                let units = meter_replayed_transaction(std::iter::once(*image));
                reads.push((&*plan.table, &plan.key, units));
            }
        }
        self.charge_transaction_reads(context.now, transaction.replay, &reads)
    }
}

/// The error of a transaction that did not run: a reason for each action.
async fn cancelled(stop: Stop) -> ApiError {
    let Stop::Refused { refusals, after, .. } = stop else { return stop.into_error().await };
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

/// The reason that an error becomes in a transaction that it cancels.
pub(crate) fn reason(refusal: Option<ApiError>) -> CancellationReason {
    let Some(refusal) = refusal else { return CancellationReason::NONE };
    let code = match refusal.kind {
        ErrorKind::ConditionalCheckFailed => "ConditionalCheckFailed",
        ErrorKind::DuplicateItem => "DuplicateItem",
        ErrorKind::ResourceNotFound => "ResourceNotFound",
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
pub(crate) fn by_table<'n, T>(
    table_names: &[&'n str],
    parts: impl Iterator<Item = T>,
) -> Vec<(&'n str, Vec<T>)> {
    let mut tables: Vec<(&str, Vec<T>)> = Vec::new();
    for (action, part) in table_names.iter().zip(parts) {
        match tables.iter_mut().find(|(name, _)| name == action) {
            Some((_, parts)) => parts.push(part),
            None => tables.push((action, vec![part])),
        }
    }
    tables
}

fn larger_images(table_names: &[&str], written: &[Written<'_>]) -> Vec<(String, Vec<u64>)> {
    let larger = written.iter().map(|written| {
        let old = written.old.size().ok().flatten().unwrap_or(0);
        let new = written.new.as_deref().map_or(0, item_size);
        old.max(new)
    });
    by_table(table_names, larger).into_iter().map(|(name, images)| (name.to_owned(), images)).collect()
}

/// What a transaction answers of the capacity that it consumed on each table; nothing when it is not asked to.
pub(crate) fn consumed_by_table<N: AsRef<str>>(
    asked: &Option<Given<ReturnConsumedCapacity>>,
    consumptions: &[(N, Consumption)],
    kind: CapacityKind,
) -> Option<Vec<ConsumedCapacity>> {
    let consumed: Vec<_> = consumptions
        .iter()
        .filter_map(|(table, consumption)| consumed_capacity(asked, table.as_ref(), consumption, Some(kind)))
        .collect();
    (!consumed.is_empty()).then_some(consumed)
}

fn tables_of<'p>(plans: &'p [PlannedWrite<'_>]) -> impl Iterator<Item = &'p Table> {
    plans.iter().map(|plan| &*plan.table)
}

//! What meets a transaction in progress does not wait for it: it is told of a conflict.
//!
//! A write transaction is in progress from the moment that it joins the store's queue until it is durable. Meanwhile
//!
//! - another transaction, of writes or of reads, with one of its items is cancelled with `TransactionConflict`,
//! - a PutItem, UpdateItem or DeleteItem of one of its items gets `TransactionConflictException`,
//! - an element of a BatchWriteItem stays unprocessed,
//! - reads that are no transaction see what is durable.
//!
//! A transaction of reads conflicts with single writes that are on their way to the disk, too. What is refused so
//! consumes nothing (assumed) and is counted as CloudWatch's metric `TransactionConflict` counts it: the request as a sample,
//! its items as their sum.
//!
//! # Source
//! "Transaction conflict handling in DynamoDB", transaction-apis.html, 2026-06.

use std::borrow::Cow;

use bytes::Bytes;
use dynamometer_store::Snapshot;
use dynamometer_types::{ApiError, CancellationReason, ErrorKind, Timestamp};

use super::latch::Held;
use super::{Behalf, PlannedWrite};
use crate::catalog::Table;
use crate::engine::{Engine, internal_error};
use crate::read_path::Stop;
use crate::throughput::Operation;

/// What AWS says of an item that a running transaction has.
const TRANSACTION_IS_ONGOING: &str = "Transaction is ongoing for the item";

impl Engine {
    /// What refuses the writes that meet a transaction in progress, at their places; nothing when none does. They are
    /// counted.
    pub(super) fn conflicts(
        &self,
        behalf: Behalf,
        writes: &[PlannedWrite<'_>],
        held: &Held<'_>,
    ) -> Vec<Option<ApiError>> {
        let refusals = find_conflicts(writes, held);
        self.note_conflicts(behalf, writes, &refusals);
        refusals
    }

    /// Counts what was refused by [`find_conflicts`].
    pub(super) fn note_conflicts(
        &self,
        behalf: Behalf,
        writes: &[PlannedWrite<'_>],
        refusals: &[Option<ApiError>],
    ) {
        if let Some(operation) = behalf.operation {
            let refused = writes.iter().zip(refusals).filter(|(_, refusal)| refusal.is_some());
            self.count_conflicts(behalf.now, operation, refused.map(|(write, _)| &*write.table));
        }
    }

    /// A snapshot for a transaction that reads some items.
    ///
    /// # Errors
    /// `TransactionCanceled` when one of them is being written; `InternalServerError` when the store fails; when a table
    /// has changed since it was planned on.
    pub(crate) fn transaction_snapshot(
        &self,
        now: Timestamp,
        operation: Operation,
        reads: &[(&Table, &Bytes)],
    ) -> Result<Box<dyn Snapshot>, Stop> {
        let held = self.latches.hold(reads.iter().map(|(_, key)| *key));
        let (mut reasons, mut refused) = (Vec::new(), Vec::new());
        for (at, (table, key)) in reads.iter().enumerate() {
            if held.in_transaction(key) || held.queued(key).is_some() {
                reasons.resize(reads.len(), CancellationReason::NONE);
                reasons[at] = CancellationReason::new("TransactionConflict", TRANSACTION_IS_ONGOING);
                refused.push(*table);
            }
        }
        self.count_conflicts(now, operation, refused.into_iter());
        if !reasons.is_empty() {
            return Err(ApiError::transaction_canceled(reasons).into());
        }
        let snapshot = self.store.snapshot().map_err(internal_error)?;
        reads.iter().try_for_each(|(table, _)| self.check_current(table))?;
        Ok(snapshot)
    }
}

/// What refuses the writes that meet a transaction in progress, at their places; nothing when none does.
pub(super) fn find_conflicts(writes: &[PlannedWrite<'_>], held: &Held<'_>) -> Vec<Option<ApiError>> {
    let mut refusals = Vec::new();
    for (at, write) in writes.iter().enumerate() {
        if held.in_transaction(&write.key) {
            refusals.resize(writes.len(), None);
            refusals[at] = Some(ApiError::new(ErrorKind::TransactionConflict, TRANSACTION_IS_ONGOING));
        }
    }
    refusals
}

/// The writes that nothing refused.
pub(super) fn free_of_conflict<'w, 'a>(
    writes: &'w [PlannedWrite<'a>],
    refused: &[Option<ApiError>],
) -> Cow<'w, [PlannedWrite<'a>]> {
    if refused.is_empty() {
        return Cow::Borrowed(writes);
    }
    writes
        .iter()
        .zip(refused)
        .filter(|(_, refusal)| refusal.is_none())
        .map(|(write, _)| write.clone())
        .collect()
}

/// Joins the refusals of some writes with those of the writes that were left: `later` has a place for each `None` of
/// `earlier`, or is empty.
pub(super) fn merge_refused(
    earlier: Vec<Option<ApiError>>,
    later: Vec<Option<ApiError>>,
) -> Vec<Option<ApiError>> {
    if earlier.is_empty() {
        return later;
    }
    let mut later = later.into_iter();
    earlier.into_iter().map(|refusal| refusal.or_else(|| later.next().flatten())).collect()
}

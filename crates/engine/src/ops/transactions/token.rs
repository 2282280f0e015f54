//! Idempotency tokens: for ten minutes the same token with the same content is not run again, as long as the tables that
//! it was run on are there. Whoever takes tables away, or puts others in their place, has no tokens to look after.

use std::hash::Hash;

use bytes::Bytes;
use dynamometer_capacity::meter::{Consumption, meter_replayed_transaction};
use dynamometer_store::Keyspace;
use dynamometer_types::hash::stable_hash;
use dynamometer_types::limits::TOKEN_MILLIS;
use dynamometer_types::{ApiError, ErrorKind, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::catalog::Version;
use crate::disk::keys::ObjectId;
use crate::engine::{Engine, internal_error};
use crate::write_path::PlannedWrite;
use crate::write_path::latch::Held;

/// The operations that remember tokens, each for itself: measured on AWS by others (2026).
#[derive(Clone, Copy)]
pub(crate) enum TokenSpace {
    TransactWriteItems,
    ExecuteTransaction,
}

impl TokenSpace {
    /// What stands before the tokens of a database; a namespace holds no zero byte.
    fn prefix(self, namespace: &str) -> Vec<u8> {
        let name: &[u8] = match self {
            TokenSpace::TransactWriteItems => b"TransactWriteItems",
            TokenSpace::ExecuteTransaction => b"ExecuteTransaction",
        };
        [name, namespace.as_bytes(), b""].join(&0)
    }
}

/// The token of a request and what it was sent with.
pub(crate) struct Token {
    /// The row's key: operation, database, token.
    pub(super) key: Bytes,
    namespace: String,
    content: u64,
}

/// What is remembered of a transaction that ran.
#[derive(Serialize, Deserialize)]
pub(super) struct Remembered {
    content: u64,
    expires_ms: i64,
    /// For each table of the request, in its order: its name as given, and the larger image of each action.
    pub(super) images: Vec<(String, Vec<u64>)>,
    /// The numbers of the tables. Absent from rows of older builds.
    #[serde(default)]
    tables: Vec<ObjectId>,
}

impl Token {
    /// The token that a request carries beside its content: what it does, without what it wants answered.
    pub(crate) fn of(
        context: &Context<'_>,
        space: TokenSpace,
        token: Option<&str>,
        actions: &impl Hash,
    ) -> Option<Token> {
        let token = token?;
        Some(Token {
            key: [&space.prefix(context.namespace)[..], token.as_bytes()].concat().into(),
            namespace: context.namespace.to_owned(),
            content: stable_hash(actions),
        })
    }

    /// The row that remembers this transaction.
    pub(super) fn remember(
        &self,
        now: Timestamp,
        plans: &[PlannedWrite<'_>],
        images: Vec<(String, Vec<u64>)>,
    ) -> Bytes {
        let mut tables: Vec<ObjectId> = plans.iter().map(|plan| plan.table.id()).collect();
        tables.sort_unstable();
        tables.dedup();
        let expires_ms = now.millis() + TOKEN_MILLIS;
        let remembered = Remembered { content: self.content, expires_ms, images, tables };
        serde_json::to_vec(&remembered).expect("numbers and strings have a JSON form").into()
    }
}

impl Remembered {
    /// What the replay costs on each table: reads.
    pub(super) fn consumption(&self) -> Vec<(String, Consumption)> {
        let units = |images: &[u64]| meter_replayed_transaction(images.iter().copied());
        self.images
            .iter()
            .map(|(table, images)| (table.clone(), Consumption::of_table(units(images))))
            .collect()
    }

    /// Whether the transaction counts: it is not long ago, and its tables are there.
    fn is_valid(&self, version: &Version, namespace: &str, now: Timestamp) -> bool {
        let is_there = |id: &ObjectId| version.tables(namespace).any(|table| table.id() == *id);
        self.expires_ms > now.millis() && self.tables.iter().all(is_there)
    }
}

/// Whether a remembered token is out of date, read from its row. One that cannot be read says nothing to anybody: it is
/// cleared away as well.
pub(crate) fn is_expired(row: &[u8], now: Timestamp) -> bool {
    serde_json::from_slice::<Remembered>(row).map_or(true, |remembered| remembered.expires_ms <= now.millis())
}

impl Engine {
    /// What is remembered of a token that was used before; or the refusal, when it was used for something else, durable
    /// or queued.
    ///
    /// # Errors
    /// `TransactionInProgress` when its first use is not durable yet.
    pub(super) fn recall(
        &self,
        token: &Token,
        held: &Held<'_>,
        now: Timestamp,
    ) -> Result<Option<Result<Remembered, ApiError>>, ApiError> {
        let queued = held.queued(&token.key);
        let is_in_progress = queued.is_some();
        let row = match queued {
            Some(image) => image,
            None => self.store.get(Keyspace::Tokens, &token.key).map_err(internal_error)?,
        };
        let Some(row) = row else { return Ok(None) };
        let remembered: Remembered = serde_json::from_slice(&row).map_err(internal_error)?;
        if !remembered.is_valid(&self.catalog.version(), &token.namespace, now) {
            return Ok(None);
        }
        if remembered.content != token.content {
            return Ok(Some(Err(ApiError::new(
                ErrorKind::IdempotentParameterMismatch,
                "The request uses the same client token as a previous, but non-identical request. Do not reuse a \
                 client token with different requests, unless the requests are identical",
            ))));
        }
        if is_in_progress {
            return Err(ApiError::new(
                ErrorKind::TransactionInProgress,
                "Transaction from previous request is still in progress",
            ));
        }
        Ok(Some(Ok(remembered)))
    }
}

//! Idempotency tokens: for ten minutes the same token with the same content is not run again.

use std::hash::Hash;

use bytes::Bytes;
use dynamometer_capacity::meter::{Consumption, meter_replayed_transaction};
use dynamometer_store::Keyspace;
use dynamometer_types::hash::stable_hash;
use dynamometer_types::limits::TOKEN_MILLIS;
use dynamometer_types::{ApiError, ErrorKind, Timestamp};
use serde::{Deserialize, Serialize};

use crate::Context;
use crate::engine::{Engine, internal_error};
use crate::write_path::latch::Held;

/// The operations that remember tokens, each for itself: measured on AWS by others (2026).
#[derive(Clone, Copy)]
pub(crate) enum TokenSpace {
    TransactWriteItems,
    ExecuteTransaction,
}

impl TokenSpace {
    pub(crate) const ALL: [TokenSpace; 2] = [TokenSpace::TransactWriteItems, TokenSpace::ExecuteTransaction];

    /// What stands before the tokens of a database; a namespace holds no zero byte.
    pub(crate) fn prefix(self, namespace: &str) -> Vec<u8> {
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
    content: u64,
}

/// What is remembered of a transaction that ran.
#[derive(Serialize, Deserialize)]
pub(super) struct Remembered {
    content: u64,
    expires_ms: i64,
    /// For each table of the request, in its order: its name as given, and the larger image of each action.
    pub(super) images: Vec<(String, Vec<u64>)>,
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
            content: stable_hash(actions),
        })
    }

    /// The row that remembers this transaction.
    pub(super) fn remember(&self, now: Timestamp, images: Vec<(String, Vec<u64>)>) -> Bytes {
        let remembered =
            Remembered { content: self.content, expires_ms: now.millis() + TOKEN_MILLIS, images };
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
        if remembered.expires_ms <= now.millis() {
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

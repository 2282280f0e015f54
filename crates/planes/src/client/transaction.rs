//! Writes of both planes that are made all or none.

use std::sync::Arc;

use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::CancellationReason;
use dynamometer_types::Timestamp;
use sha2::{Digest, Sha256};

use super::control::{Expected, Latest, Version, check, dependency, no_dependency};
use super::data::Placed;
use super::error::{Cancelled, Error, Reason, is_throttling};
use super::keys::{EventKey, Reference, ResourceKey};
use super::planes::Inner;
use super::row::Row;
use super::write::Write;

/// One step of a transaction.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Step {
    /// Writes a latest version.
    Latest(Latest),
    /// Keeps a version.
    Version(Version),
    /// Records an event.
    Event(Placed),
    /// Says that a resource depends on another.
    Dependency(ResourceKey, Reference),
    /// Takes that back.
    NoDependency(ResourceKey, Reference),
    /// Writes nothing, and cancels all when the latest version is not as expected.
    Check(ResourceKey, Expected),
}

impl From<Latest> for Step {
    fn from(latest: Latest) -> Step {
        Step::Latest(latest)
    }
}

impl From<Version> for Step {
    fn from(version: Version) -> Step {
        Step::Version(version)
    }
}

impl From<Placed> for Step {
    fn from(event: Placed) -> Step {
        Step::Event(event)
    }
}

/// Writes of both planes that are made all or none: up to 100 steps and 4 MB, each item once. It costs twice the write
/// units of the same writes alone.
///
/// ```no_run
/// # use dynamometer_planes::*;
/// # async fn example(planes: Planes, profile: ResourceKey) -> Result<(), Error> {
/// planes
///     .transaction()
///     .step(Latest::new(&profile, "new text")?)
///     .step(Version::new(&profile, "new text")?)
///     .commit()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a transaction does nothing until it is committed"]
pub struct Transaction {
    inner: Arc<Inner>,
    steps: Vec<Step>,
    token: Option<(String, Timestamp)>,
}

impl Transaction {
    pub(crate) fn new(inner: Arc<Inner>) -> Transaction {
        Transaction { inner, steps: Vec::new(), token: None }
    }

    /// Adds a step.
    pub fn step(mut self, step: impl Into<Step>) -> Transaction {
        self.steps.push(step.into());
        self
    }

    /// Makes the transaction idempotent for ten minutes: DynamoDB answers a second one with the same token and the same
    /// steps as it answered the first, and refuses one with other steps. 1 to 36 characters.
    ///
    /// The time is that of the request which may be repeated, such as the one in the message that asked for it. It takes the
    /// place of the clock, and ids of events are made of the token, so that the same steps are the same to the byte. (Values
    /// that go into the blob store are not: their blobs have new names each time.)
    pub fn token(mut self, token: impl Into<String>, at: Timestamp) -> Transaction {
        self.token = Some((token.into(), at));
        self
    }

    /// Makes all of it or nothing. Answers the keys of its events, in order.
    ///
    /// # Errors
    /// [`Error::Cancelled`] names the steps that were refused. A conflict with another write is tried again first.
    pub async fn commit(self) -> Result<Vec<EventKey>, Error> {
        let (token, now) = match self.token {
            Some((token, at)) => (Some(token), at),
            None => (None, self.inner.runtime.now()),
        };
        let mut keys = Vec::new();
        let mut writes = Vec::with_capacity(self.steps.len());
        for (position, step) in self.steps.into_iter().enumerate() {
            writes.push(match step {
                Step::Latest(latest) => latest.into_write(now),
                Step::Version(version) => {
                    let at = version.time().unwrap_or(now);
                    version.into_write(at)
                }
                Step::Event(event) => {
                    let random = match &token {
                        Some(token) => drawn_from(token, position),
                        None => self.inner.runtime.random(),
                    };
                    let (key, write) = event.into_write(now, random, &self.inner.sharding);
                    keys.push(key);
                    write
                }
                Step::Dependency(resource, on) => dependency(&resource, &on, now),
                Step::NoDependency(resource, on) => no_dependency(&resource, &on),
                Step::Check(resource, expected) => check(&resource, expected),
            });
        }
        match self.inner.transact(writes, token).await? {
            Ok(()) => Ok(keys),
            Err(refused) => Err(Error::Cancelled(refused.cancelled)),
        }
    }
}

/// What chance is for the step of a transaction with a token: the same each time.
fn drawn_from(token: &str, position: usize) -> u128 {
    let digest = Sha256::digest(format!("{position} {token}").as_bytes());
    digest.iter().take(16).fold(0, |bits, byte| (bits << 8) | u128::from(*byte))
}

/// A transaction that DynamoDB cancelled.
pub(crate) struct Refused {
    pub(crate) cancelled: Vec<Cancelled>,
    /// What lies in the way of the first step, when that was refused by its condition.
    pub(crate) first_old: Option<Row>,
}

impl Inner {
    /// Sends the writes as one transaction, again and again while only conflicts and throttling stand in the way.
    ///
    /// # Errors
    /// What DynamoDB says, unless it is a cancellation, or what the blob store says.
    pub(crate) async fn transact(
        &self,
        mut writes: Vec<Write>,
        token: Option<String>,
    ) -> Result<Result<(), Refused>, Error> {
        let mut blobs = Vec::new();
        for write in &mut writes {
            if let Some(blob) = self.move_large_value(write).await? {
                blobs.push(blob);
            }
        }
        // One for all tries: should an answer be lost, the next try is answered as the first would have been.
        let token = token.unwrap_or_else(|| format!("{:032x}", self.runtime.random()));
        let mut tried = 0;
        let refused = loop {
            let sent = self.transact_once(&writes, &token).await;
            tried += 1;
            let wait = self.retry.wait(tried, self.runtime.random());
            let wait = match (sent, wait) {
                (Ok(()), _) => return Ok(Ok(())),
                (Err(Failed::Cancelled(reasons)), wait) => {
                    let refused = read_reasons(&writes, reasons)?;
                    let passes =
                        |step: &Cancelled| matches!(step.reason, Reason::Conflict | Reason::Throttled);
                    match wait.filter(|_| refused.cancelled.iter().all(passes)) {
                        Some(wait) => wait,
                        None => break refused,
                    }
                }
                (Err(Failed::Passing(_)), Some(wait)) => wait,
                (Err(Failed::Passing(error) | Failed::Other(error)), _) => return Err(error),
            };
            self.runtime.sleep(wait).await;
        };
        for blob in blobs {
            self.delete_blob(&blob).await;
        }
        Ok(Err(refused))
    }

    async fn transact_once(&self, writes: &[Write], token: &str) -> Result<(), Failed> {
        let items = writes.iter().map(|write| write.in_transaction(self.table_name(write.table)));
        let items = items.collect::<Result<_, _>>().map_err(Failed::Other)?;
        let request =
            self.client.transact_write_items().set_transact_items(Some(items)).client_request_token(token);
        let Err(error) = request.send().await else { return Ok(()) };
        match error.as_service_error() {
            Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) => {
                Err(Failed::Cancelled(cancelled.cancellation_reasons().to_vec()))
            }
            Some(TransactWriteItemsError::TransactionInProgressException(_)) => {
                Err(Failed::Passing(Error::aws("TransactWriteItems", error)))
            }
            _ if is_throttling(&error) => Err(Failed::Passing(Error::aws("TransactWriteItems", error))),
            _ => Err(Failed::Other(Error::aws("TransactWriteItems", error))),
        }
    }
}

/// Why a try of a transaction came to nothing.
enum Failed {
    /// It was cancelled, with a reason for each step.
    Cancelled(Vec<CancellationReason>),
    /// Something that passes: an earlier try of the same token is still at work, or too much was asked at once.
    Passing(Error),
    /// Anything else.
    Other(Error),
}

/// Matches reasons with their writes: they come in the same order, `None` for those that did nothing wrong.
fn read_reasons(writes: &[Write], reasons: Vec<CancellationReason>) -> Result<Refused, Error> {
    let mut refused = Refused { cancelled: Vec::new(), first_old: None };
    for (position, (write, reason)) in writes.iter().zip(reasons).enumerate() {
        let why = match reason.code() {
            None | Some("None") => continue,
            Some("ConditionalCheckFailed") => Reason::ConditionFailed,
            Some("TransactionConflict") => Reason::Conflict,
            Some("ThrottlingError" | "ProvisionedThroughputExceeded") => Reason::Throttled,
            Some(code) => Reason::Other(format!("{code}: {}", reason.message().unwrap_or_default())),
        };
        if position == 0 && why == Reason::ConditionFailed {
            refused.first_old = reason.item.map(Row::read).transpose()?;
        }
        refused.cancelled.push(Cancelled { key: write.named(), reason: why });
    }
    Ok(refused)
}

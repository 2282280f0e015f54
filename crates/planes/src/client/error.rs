//! What can go wrong, by what to do about it.

use std::fmt;

use aws_sdk_dynamodb::error::{ProvideErrorMetadata, SdkError};

use super::blob::BlobError;
use super::cursor::CursorError;
use super::keys::{EventKey, KeyError};
use super::value::ValueError;

/// Why a call did not do what it was asked to. Nothing was changed, except where a variant says otherwise.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A text is no key. Ask the person for another.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// DynamoDB has no such value.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// Somebody else changed the resource since it was read. Read it again, decide again, write again. (That somebody may be this
    /// very write, when its first answer was lost and the SDK sent it again: then the resource holds what was written.)
    #[error("{key} was changed by somebody else since it was read")]
    Conflict {
        /// The resource.
        key: String,
    },
    /// It is there already, and is never overwritten.
    #[error("{key} is there already")]
    AlreadyExists {
        /// The version or event.
        key: String,
    },
    /// A transaction was not made. The reasons stand for its steps that were refused.
    #[error("the transaction was cancelled: {}", Listed(.0))]
    Cancelled(Vec<Cancelled>),
    /// A batch was made in part: the events at these positions were not written, under these keys. Give them again.
    #[error("{} of the batch's events were not written; the first is {}", .0.len(), FirstKey(.0))]
    Unprocessed(Vec<(usize, EventKey)>),
    /// A cursor is damaged or belongs to another list. Begin from the first page.
    #[error(transparent)]
    Cursor(#[from] CursorError),
    /// The value is over the limit and there is no blob store. Name one with `PlanesBuilder::blobs`.
    #[error(
        "{key} has {bytes} bytes, more than an item may have ({limit}), and there is no blob store to keep its value"
    )]
    TooLarge {
        /// The item.
        key: String,
        /// Its size as DynamoDB counts it.
        bytes: u64,
        /// The most.
        limit: u64,
    },
    /// The blob store failed.
    #[error("{key}: {source}")]
    Blob {
        /// The item whose value is kept there.
        key: String,
        /// What it said.
        source: BlobError,
    },
    /// The blob that an item points to is not there.
    #[error("{key}: its value is kept as the blob {blob}, which is gone")]
    BlobMissing {
        /// The item.
        key: String,
        /// The blob's name.
        blob: String,
    },
    /// The event or thread belongs to somebody else, or there is none: the two are not told apart.
    #[error("{key} is no {kind} of this user")]
    NotTheirs {
        /// What was asked for.
        key: String,
        /// The kind that it should be published under.
        kind: String,
    },
    /// What was asked for needs more to be answered; the text says what.
    #[error("{0}")]
    Underspecified(&'static str),
    /// An item was not written as the pattern has it, or its value is of another shape than the type that it is read as.
    #[error("the item {key} does not follow the pattern: {what}")]
    Malformed {
        /// Its keys, as far as they are there.
        key: String,
        /// What is wrong.
        what: String,
    },
    /// DynamoDB refused, or could not be reached. After a failed connection a write may have been made.
    #[error("{operation}: {}{message}", code.as_deref().map(|code| format!("{code}: ")).unwrap_or_default())]
    Aws {
        /// The operation, such as `PutItem`.
        operation: &'static str,
        /// The exception's name, when DynamoDB answered.
        code: Option<String>,
        /// What it said.
        message: String,
        /// The SDK's own error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// A step of a transaction that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cancelled {
    /// What the step was about, such as `profile#user01 config#latest`.
    pub key: String,
    /// Why.
    pub reason: Reason,
}

/// Why a step of a transaction was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// Its condition does not hold: a version or an event is there already, or the revision is another.
    ConditionFailed,
    /// Another transaction or write was at the same item, on every try.
    Conflict,
    /// Throttled, on every try.
    Throttled,
    /// DynamoDB's code and message for anything else.
    Other(String),
}

/// The first key of what was not written.
struct FirstKey<'a>(&'a [(usize, EventKey)]);

impl fmt::Display for FirstKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.first().map_or(Ok(()), |(position, key)| write!(f, "number {position}, {key}"))
    }
}

/// The refused steps in one line.
struct Listed<'a>(&'a [Cancelled]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, Cancelled { key, reason }) in self.0.iter().enumerate() {
            let why = match reason {
                Reason::ConditionFailed => "its condition does not hold",
                Reason::Conflict => "another write was at it",
                Reason::Throttled => "it was throttled",
                Reason::Other(text) => text,
            };
            write!(f, "{}{key}: {why}", if position == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl Error {
    /// What the SDK says of an operation.
    pub(crate) fn aws<E, R>(operation: &'static str, error: SdkError<E, R>) -> Error
    where
        E: std::error::Error + ProvideErrorMetadata + Send + Sync + 'static,
        R: fmt::Debug + Send + Sync + 'static,
    {
        let code = error.code().map(str::to_owned);
        let message = match error.message() {
            Some(message) => message.to_owned(),
            None => chain(&error),
        };
        Error::Aws { operation, code, message, source: Box::new(error) }
    }
}

/// Whether DynamoDB said that it was asked for too much at once.
pub(crate) fn is_throttling(error: &impl ProvideErrorMetadata) -> bool {
    matches!(
        error.code(),
        Some("ProvisionedThroughputExceededException" | "ThrottlingException" | "RequestLimitExceeded")
    )
}

/// An error and what caused it, in one line.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

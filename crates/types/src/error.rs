//! What an operation answers when it does not succeed.
//!
//! The catalogue is a table: each [`ErrorKind`] is a row with AWS's code, the namespace that stands before it in
//! `__type`, the HTTP status and the spelling of the message member.

use std::fmt;

use crate::item::Item;

/// A row of the error catalogue.
#[derive(Clone, Copy, Debug)]
pub struct ErrorRow {
    /// AWS's code, such as `ValidationException`.
    pub code: &'static str,
    /// What stands before `#` in `__type`.
    pub namespace: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// How the body spells the message: `message` or `Message`.
    pub message_member: &'static str,
}

macro_rules! error_catalogue {
    ($($(#[$doc:meta])* $kind:ident => $namespace:ident $status:literal $member:ident $code:literal,)*) => {
        /// The kinds of errors, each a row of the catalogue.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorKind { $($(#[$doc])* $kind,)* }

        impl ErrorKind {
            /// Every kind.
            pub const ALL: &[ErrorKind] = &[$(ErrorKind::$kind,)*];

            /// The kind's row in the catalogue.
            pub fn row(self) -> ErrorRow {
                match self {
                    $(ErrorKind::$kind => ErrorRow {
                        code: $code, namespace: $namespace, status: $status, message_member: stringify!($member),
                    },)*
                }
            }
        }
    };
}

const VALIDATE: &str = "com.amazon.coral.validate";
const DYNAMODB: &str = "com.amazonaws.dynamodb.v20120810";
const SERVICE: &str = "com.amazon.coral.service";
/// Application Auto Scaling writes codes alone.
const SCALING: &str = "";

error_catalogue! {
    /// A request that breaks a rule.
    Validation => VALIDATE 400 message "ValidationException",
    /// JSON of the wrong shape.
    Serialization => SERVICE 400 Message "SerializationException",
    /// An operation that the service does not have, or not yet.
    UnknownOperation => SERVICE 400 message "UnknownOperationException",
    /// Not allowed.
    AccessDenied => SERVICE 400 Message "AccessDeniedException",
    /// No such table, index or stream.
    ResourceNotFound => DYNAMODB 400 message "ResourceNotFoundException",
    /// The table is in a state that forbids this.
    ResourceInUse => DYNAMODB 400 message "ResourceInUseException",
    /// A quota is reached.
    LimitExceeded => DYNAMODB 400 message "LimitExceededException",
    /// No such table, as the backup family says it.
    TableNotFound => DYNAMODB 400 message "TableNotFoundException",
    /// Backups are not there yet: the table is being created.
    ContinuousBackupsUnavailable => DYNAMODB 400 message "ContinuousBackupsUnavailableException",
    /// No such backup.
    BackupNotFound => DYNAMODB 400 message "BackupNotFoundException",
    /// No such export.
    ExportNotFound => DYNAMODB 400 message "ExportNotFoundException",
    /// No such import.
    ImportNotFound => DYNAMODB 400 message "ImportNotFoundException",
    /// No such global table (version 2017.11.29).
    GlobalTableNotFound => DYNAMODB 400 message "GlobalTableNotFoundException",
    /// No resource policy.
    PolicyNotFound => DYNAMODB 400 message "PolicyNotFoundException",
    /// A condition was false.
    ConditionalCheckFailed => DYNAMODB 400 message "ConditionalCheckFailedException",
    /// The same of ExecuteStatement, which spells the message differently (measured on AWS by others, 2026).
    StatementConditionFailed => DYNAMODB 400 Message "ConditionalCheckFailedException",
    /// An INSERT of an item that is there. The spelling of the message is assumed: that of the row above.
    DuplicateItem => DYNAMODB 400 Message "DuplicateItemException",
    /// An item collection would exceed 10 GB.
    ItemCollectionSizeLimitExceeded => DYNAMODB 400 message "ItemCollectionSizeLimitExceededException",
    /// A transaction did not run; carries the reasons.
    TransactionCanceled => DYNAMODB 400 Message "TransactionCanceledException",
    /// A single write met a running transaction.
    TransactionConflict => DYNAMODB 400 message "TransactionConflictException",
    /// The same token is still at work.
    TransactionInProgress => DYNAMODB 400 Message "TransactionInProgressException",
    /// The same token with other content.
    IdempotentParameterMismatch => DYNAMODB 400 Message "IdempotentParameterMismatchException",
    /// Provisioned throughput is used up.
    ProvisionedThroughputExceeded => DYNAMODB 400 message "ProvisionedThroughputExceededException",
    /// An account quota of throughput is used up.
    RequestLimitExceeded => DYNAMODB 400 message "RequestLimitExceeded",
    /// An on-demand table or index is at its limits. The namespace is assumed: that of the other modelled exceptions.
    Throttling => DYNAMODB 400 message "ThrottlingException",
    /// No such scalable target, policy or scheduled action.
    ObjectNotFound => SCALING 400 Message "ObjectNotFoundException",
    /// A token that no page of a listing has given.
    InvalidNextToken => SCALING 400 Message "InvalidNextTokenException",
    /// More tags than a scalable target can have.
    TooManyTags => SCALING 400 Message "TooManyTagsException",
    /// A shard iterator is older than fifteen minutes.
    ExpiredIterator => DYNAMODB 400 message "ExpiredIteratorException",
    /// The records asked for are older than a day.
    TrimmedDataAccess => DYNAMODB 400 message "TrimmedDataAccessException",
    /// The service has no time.
    ServiceUnavailable => SERVICE 503 message "ServiceUnavailableException",
    /// A fault of the server.
    InternalServerError => DYNAMODB 500 message "InternalServerError",
}

/// Why one action of a transaction stopped it, or `None` for an action that did not.
#[derive(Clone, Debug, PartialEq)]
pub struct CancellationReason {
    /// `None`, `ConditionalCheckFailed`, `ValidationError` and so on.
    pub code: &'static str,
    /// The words; absent for `None`.
    pub message: Option<String>,
    /// The item as it is, when the action asked for it.
    pub item: Option<Item>,
}

impl CancellationReason {
    /// The reason of an action that did not stop the transaction.
    pub const NONE: CancellationReason = CancellationReason { code: "None", message: None, item: None };

    /// A reason without an item.
    pub fn new(code: &'static str, message: impl Into<String>) -> CancellationReason {
        CancellationReason { code, message: Some(message.into()), item: None }
    }
}

/// What throttled a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThrottlingReason {
    /// Such as `TableReadProvisionedThroughputExceeded`.
    pub reason: String,
    /// The ARN of the table or index.
    pub resource: String,
}

/// Members of an error beyond its message.
#[derive(Clone, Debug, PartialEq)]
pub enum Detail {
    /// The item that made a condition fail.
    Item(Item),
    /// The reasons of a cancelled transaction, one for each action.
    CancellationReasons(Vec<CancellationReason>),
    /// What throttled the request.
    ThrottlingReasons(Vec<ThrottlingReason>),
}

/// An error as AWS answers it.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    /// The row of the catalogue.
    pub kind: ErrorKind,
    /// AWS's words.
    pub message: String,
    /// Further members.
    pub detail: Option<Box<Detail>>,
}

impl ApiError {
    /// An error with a message alone.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> ApiError {
        ApiError { kind, message: message.into(), detail: None }
    }

    /// A `ValidationException`.
    pub fn validation(message: impl Into<String>) -> ApiError {
        ApiError::new(ErrorKind::Validation, message)
    }

    /// The `ResourceNotFoundException` of the data plane.
    pub fn table_not_found() -> ApiError {
        ApiError::new(ErrorKind::ResourceNotFound, "Requested resource not found")
    }

    /// The error with more members.
    pub fn with(mut self, detail: Detail) -> ApiError {
        self.detail = Some(Box::new(detail));
        self
    }

    /// A cancelled transaction; its message lists the codes.
    pub fn transaction_canceled(reasons: Vec<CancellationReason>) -> ApiError {
        let codes: Vec<&str> = reasons.iter().map(|reason| reason.code).collect();
        let message = format!(
            "Transaction cancelled, please refer cancellation reasons for specific reasons [{}]",
            codes.join(", ")
        );
        ApiError::new(ErrorKind::TransactionCanceled, message).with(Detail::CancellationReasons(reasons))
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.row().code, self.message)
    }
}

impl std::error::Error for ApiError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_unique() {
        let row = |kind: &ErrorKind| (kind.row().code, kind.row().message_member);
        let mut rows: Vec<_> = ErrorKind::ALL.iter().map(row).collect();
        rows.sort_unstable();
        rows.dedup();
        assert_eq!(rows.len(), ErrorKind::ALL.len());
    }

    #[test]
    fn a_cancelled_transaction_lists_its_codes() {
        let error = ApiError::transaction_canceled(vec![
            CancellationReason::NONE,
            CancellationReason::new("ConditionalCheckFailed", "The conditional request failed"),
        ]);
        assert_eq!(
            error.message,
            "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]"
        );
    }
}

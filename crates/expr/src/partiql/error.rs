//! What is wrong with a statement.

/// A fault of a statement in AWS's words, without what an operation puts before it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StatementError {
    /// AWS's words.
    pub message: String,
}

impl StatementError {
    /// A fault with its own words.
    pub(crate) fn new(message: impl Into<String>) -> StatementError {
        StatementError { message: message.into() }
    }

    /// A statement that cannot be read. AWS tells no `detail` of what its lexer refuses.
    pub(crate) fn malformed(detail: &str) -> StatementError {
        StatementError::new(format!("Statement wasn't well formed, can't be processed: {detail}"))
    }
}

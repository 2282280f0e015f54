//! Why a request was not authenticated.

/// Why a request was not authenticated: AWS's error type and text, answered with status 400.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: {message}")]
pub struct AuthError {
    /// The type without its namespace, such as `IncompleteSignatureException`.
    pub kind: &'static str,
    /// AWS's text.
    pub message: String,
}

impl AuthError {
    pub(super) fn new(kind: &'static str, message: impl Into<String>) -> AuthError {
        AuthError { kind, message: message.into() }
    }

    pub(super) fn incomplete(message: impl Into<String>) -> AuthError {
        AuthError::new("IncompleteSignatureException", message)
    }

    pub(super) fn invalid_signature(message: impl Into<String>) -> AuthError {
        AuthError::new("InvalidSignatureException", message)
    }
}

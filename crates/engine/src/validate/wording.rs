//! Which of AWS's two validation layers words the errors of an operation: the place to change when AWS moves an
//! operation, with the layer in the server's table of operations, which reads its numbers.
//!
//! # Source
//! Captured by region in October 2026; each row follows the layer that most regions run.

use dynamometer_types::{ApiError, Layer};

/// How an operation words what it finds before it looks for the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wording {
    /// The layer that validates the operation.
    pub(crate) layer: Layer,
    /// Whether findings stand in the envelope `1 validation error detected: `.
    pub(crate) enveloped: bool,
    /// Whether the operation reads pages or single items.
    pub(crate) reads: bool,
}

const CURRENT_WRITE: Wording = Wording { layer: Layer::Current, enveloped: true, reads: false };
const CURRENT_READ: Wording = Wording { layer: Layer::Current, enveloped: false, reads: true };
const OLDER: Wording = Wording { layer: Layer::Older, enveloped: false, reads: false };

pub(crate) const PUT_ITEM: Wording = CURRENT_WRITE;
pub(crate) const UPDATE_ITEM: Wording = CURRENT_WRITE;
pub(crate) const DELETE_ITEM: Wording = CURRENT_WRITE;
pub(crate) const GET_ITEM: Wording = CURRENT_READ;
pub(crate) const BATCH_GET_ITEM: Wording = CURRENT_READ;
pub(crate) const QUERY: Wording = CURRENT_READ;
pub(crate) const SCAN: Wording = Wording { reads: true, ..OLDER };
pub(crate) const BATCH_WRITE_ITEM: Wording = OLDER;
pub(crate) const TRANSACT_WRITE_ITEMS: Wording = OLDER;
pub(crate) const TRANSACT_GET_ITEMS: Wording = OLDER;
pub(crate) const PARTIQL: Wording = OLDER;

impl Wording {
    /// A `ValidationException` for something found before the table is looked up.
    pub(crate) fn error(self, message: impl Into<String>) -> ApiError {
        let message = message.into();
        ApiError::validation(if self.enveloped { enveloped(&message) } else { message })
    }
}

/// The message in the envelope for one finding.
pub(crate) fn enveloped(message: &str) -> String {
    format!("1 validation error detected: {message}")
}

//! Which of AWS's two validation layers words the errors of an operation: the place to change when AWS moves an
//! operation.
//!
//! # Source
//! Captured by region in October 2026; each row follows the layer that most regions run.

use dynamometer_types::fault::Faults;
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

/// The operations that the older layer does not validate as it does most.
const WORDINGS: &[(&str, Wording)] = &[
    ("BatchGetItem", CURRENT_READ),
    ("DeleteItem", CURRENT_WRITE),
    ("GetItem", CURRENT_READ),
    ("PutItem", CURRENT_WRITE),
    ("Query", CURRENT_READ),
    ("Scan", Wording { reads: true, ..OLDER }),
    ("UpdateItem", CURRENT_WRITE),
];

pub(crate) const PUT_ITEM: Wording = wording_of("PutItem");
pub(crate) const UPDATE_ITEM: Wording = wording_of("UpdateItem");
pub(crate) const DELETE_ITEM: Wording = wording_of("DeleteItem");
pub(crate) const GET_ITEM: Wording = wording_of("GetItem");
pub(crate) const BATCH_GET_ITEM: Wording = wording_of("BatchGetItem");
pub(crate) const QUERY: Wording = wording_of("Query");
pub(crate) const SCAN: Wording = wording_of("Scan");
pub(crate) const BATCH_WRITE_ITEM: Wording = wording_of("BatchWriteItem");
pub(crate) const TRANSACT_WRITE_ITEMS: Wording = wording_of("TransactWriteItems");
pub(crate) const TRANSACT_GET_ITEMS: Wording = wording_of("TransactGetItems");
pub(crate) const PARTIQL: Wording = wording_of("ExecuteStatement");

/// The layer that validates an operation; it reads the operation's numbers too.
pub const fn layer_of(operation: &str) -> Layer {
    wording_of(operation).layer
}

const fn wording_of(operation: &str) -> Wording {
    let mut at = 0;
    while at < WORDINGS.len() {
        if is_same(WORDINGS[at].0.as_bytes(), operation.as_bytes()) {
            return WORDINGS[at].1;
        }
        at += 1;
    }
    OLDER
}

/// `==`, which is not there for constants.
const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

impl Wording {
    /// The wording of one request: that of its operation, unless something in it hands it to the older layer.
    pub(crate) fn of_request(self, faults: &Faults) -> Wording {
        if faults.are_of_older_layer() {
            Wording { layer: Layer::Older, enveloped: false, ..self }
        } else {
            self
        }
    }

    /// Whether the older layer validates.
    pub(crate) fn is_older(self) -> bool {
        self.layer == Layer::Older
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_operation_has_the_layer_of_its_row_and_all_others_the_older_one() {
        for (name, wording) in WORDINGS {
            assert_eq!(layer_of(name), wording.layer, "{name}");
        }
        let others = ["PutItems", "PutIte", "", "CreateTable", "BatchWriteItem"];
        assert_eq!(others.map(layer_of), [Layer::Older; 5]);
        assert_eq!(layer_of("Query"), Layer::Current);
    }
}

//! Where a SELECT goes on: opaque to clients, and bound to the statement and its parameters.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use dynamometer_types::hash::stable_hash;
use dynamometer_types::{ApiError, AttributeValue};

/// The first byte: the form of the rest.
const FORM: u8 = 1;
/// Form, fingerprint of the statement, number of the read.
const HEAD_BYTES: usize = 1 + 8 + 2;

/// A place in the reads of a SELECT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The read that goes on, by its number.
    pub(super) read: u16,
    /// The stored key behind which it goes on; `None` at its beginning.
    pub(super) after: Option<Vec<u8>>,
}

impl Place {
    /// The token for a place in the reads of a statement.
    pub(super) fn token(&self, statement: &str, parameters: &[AttributeValue]) -> String {
        let mut bytes = vec![FORM];
        bytes.extend_from_slice(&fingerprint(statement, parameters).to_be_bytes());
        bytes.extend_from_slice(&self.read.to_be_bytes());
        bytes.extend_from_slice(self.after.as_deref().unwrap_or_default());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The place that a token names.
    ///
    /// # Errors
    /// When it is no token, or that of another statement or of other parameters.
    ///
    /// # Source
    /// Measured on AWS by others (2026), also that a list or a map among the parameters never goes on.
    pub(super) fn of(token: &str, statement: &str, parameters: &[AttributeValue]) -> Result<Place, ApiError> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok().filter(|bytes| bytes.first() == Some(&FORM));
        let (head, after) =
            bytes.as_deref().and_then(|bytes| bytes.split_first_chunk::<HEAD_BYTES>()).ok_or_else(invalid)?;
        let [_, fingerprint_bytes @ .., high, low] = *head;
        let has_collection =
            parameters.iter().any(|value| matches!(value, AttributeValue::L(_) | AttributeValue::M(_)));
        if has_collection || fingerprint_bytes != fingerprint(statement, parameters).to_be_bytes() {
            return Err(mismatch());
        }
        let after = (!after.is_empty()).then(|| after.to_vec());
        Ok(Place { read: u16::from_be_bytes([high, low]), after })
    }
}

/// What AWS says of a token that is none.
pub(super) fn invalid() -> ApiError {
    ApiError::validation("Invalid NextToken")
}

/// What AWS says of a token of another request.
pub(super) fn mismatch() -> ApiError {
    ApiError::validation("NextToken does not match request")
}

fn fingerprint(statement: &str, parameters: &[AttributeValue]) -> u64 {
    stable_hash(&(statement, parameters))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_bound_to_its_statement() {
        let parameters = [AttributeValue::s("a")];
        for after in [None, Some(vec![0, 255, 7])] {
            let place = Place { read: 300, after };
            let token = place.token("SELECT", &parameters);
            assert_eq!(Place::of(&token, "SELECT", &parameters), Ok(place));
            assert_eq!(Place::of(&token, "select", &parameters), Err(mismatch()));
            assert_eq!(Place::of(&token, "SELECT", &[]), Err(mismatch()));
            assert_eq!(Place::of(&token[1..], "SELECT", &parameters), Err(invalid()));
        }
        for token in ["", "A", "!", "AQ", "é"] {
            assert_eq!(Place::of(token, "SELECT", &parameters), Err(invalid()), "{token}");
        }
    }

    #[test]
    fn lists_and_maps_never_go_on() {
        let parameters = [AttributeValue::L(vec![])];
        let token = Place { read: 0, after: None }.token("SELECT", &parameters);
        assert_eq!(Place::of(&token, "SELECT", &parameters), Err(mismatch()));
    }
}

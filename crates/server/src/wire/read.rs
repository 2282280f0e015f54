//! From a body to a request.

use dynamometer_types::fault::Faults;
use dynamometer_types::number::Reader;
use dynamometer_types::{ApiError, Layer};

use super::codec::Wire;
use super::rewrite::rewrite;
use super::shape::LEVELS;

/// The request of an operation.
pub trait Request: Wire<Value = Self> + Sized {
    /// Puts the faults found beside the request. Requests that hold no attribute values can have none.
    fn set_faults(&mut self, faults: Faults) {
        debug_assert!(faults.is_empty(), "a request without values has no place for {faults:?}");
    }
}

/// Reads a request body. `layer` is that of the operation: the two layers read numbers differently.
///
/// Faulty values do not fail it: each is NULL in the request and named in its faults.
///
/// # Errors
/// SerializationException: with AWS's text when a member has a wrong JSON type, without one when the body is no JSON.
pub fn decode<R: Request>(body: &[u8], layer: Layer) -> Result<R, ApiError> {
    if let Some(request) = decode_strict(body) {
        return Ok(request);
    }
    decode_again(body, layer)
}

/// Reads the strict form, or nothing.
pub(super) fn decode_strict<R: Request>(body: &[u8]) -> Option<R> {
    // One look at the whole body is cheaper than one at each of its strings.
    let mut json = serde_json::Deserializer::from_str(std::str::from_utf8(body).ok()?);
    let request = R::decode(&mut json, LEVELS).ok()?;
    json.end().ok()?;
    Some(request)
}

/// Reads the body along its shape, and then what that made of it.
#[cold]
pub(super) fn decode_again<R: Request>(body: &[u8], layer: Layer) -> Result<R, ApiError> {
    let reader = match layer {
        Layer::Current => Reader::Stored,
        Layer::Older => Reader::BigDecimal,
    };
    let (mut strict, mut faults) = rewrite(body, R::SHAPE, reader)?;
    if faults.are_of_older_layer() && layer == Layer::Current {
        (strict, faults) = rewrite(body, R::SHAPE, Reader::BigDecimal)?;
    }
    let mut request: R = decode_strict(&strict).expect("the second reader writes what the first one reads");
    request.set_faults(faults);
    Ok(request)
}

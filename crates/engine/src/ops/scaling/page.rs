//! Pages of listings: a token is the place of the last entry, in hexadecimal.

use std::fmt::Write;

use dynamometer_types::{ApiError, ErrorKind};

/// The most entries of a page that a request can ask for, and gets when it does not ask.
pub(super) const PAGE: usize = 50;
/// The same for policies.
pub(super) const POLICIES_PAGE: usize = 10;

/// How many entries a page has.
pub(super) fn limit(asked: Option<i32>, most: usize) -> Result<usize, ApiError> {
    match asked {
        None => Ok(most),
        Some(asked) if asked < 1 => Err(ApiError::validation("MaxResults must be at least 1")),
        Some(asked) => Ok(usize::try_from(asked).unwrap_or(most).min(most)),
    }
}

/// The place that a token names.
pub(super) fn place_of(token: &Option<String>) -> Result<Option<Vec<u8>>, ApiError> {
    let Some(token) = token else { return Ok(None) };
    let digits = |at: usize| u8::from_str_radix(token.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..token.len()).step_by(2).map(digits).collect();
    let bytes = bytes.filter(|bytes| !bytes.is_empty());
    bytes.map(Some).ok_or_else(|| ApiError::new(ErrorKind::InvalidNextToken, "The token is invalid."))
}

/// The token of a place.
pub(super) fn token_of(place: &[u8]) -> String {
    place.iter().fold(String::new(), |mut token, byte| {
        // Writing to a string cannot fail.
        let _ = write!(token, "{byte:02x}");
        token
    })
}

/// A page of entries that come in the order of their places.
pub(super) fn page<T>(
    entries: impl IntoIterator<Item = (String, T)>,
    after: Option<Vec<u8>>,
    limit: usize,
) -> (Vec<T>, Option<String>) {
    let mut entries = entries
        .into_iter()
        .filter(|(place, _)| after.as_ref().is_none_or(|after| place.as_bytes() > after.as_slice()));
    let (mut page, mut last) = (Vec::new(), None);
    for (place, entry) in entries.by_ref().take(limit) {
        page.push(entry);
        last = Some(place);
    }
    let more = entries.next().is_some();
    (page, last.filter(|_| more).map(|place| token_of(place.as_bytes())))
}

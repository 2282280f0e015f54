//! The row of a pair of counters.

use bytes::Bytes;

use crate::StoreError;

/// The 16 bytes of a pair of counters: two signed numbers, big-endian.
pub fn encode_pair(pair: [i64; 2]) -> [u8; 16] {
    let mut row = [0; 16];
    row[..8].copy_from_slice(&pair[0].to_be_bytes());
    row[8..].copy_from_slice(&pair[1].to_be_bytes());
    row
}

/// Reads a pair of counters; an absent row is `[0, 0]`.
///
/// # Errors
/// [`StoreError::Corrupt`] when the row is not 16 bytes long.
pub fn decode_pair(row: Option<&[u8]>) -> Result<[i64; 2], StoreError> {
    let Some(row) = row else { return Ok([0, 0]) };
    let row: [u8; 16] = row
        .try_into()
        .map_err(|_| StoreError::Corrupt(format!("a counter row has {} bytes, not 16", row.len()).into()))?;
    let (first, second) = row.split_at(8);
    let number = |bytes: &[u8]| bytes.iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte)) as i64;
    Ok([number(first), number(second)])
}

/// What a row becomes when `deltas` are added: `None` when both numbers are zero.
pub(crate) fn row_of(pair: [i64; 2]) -> Option<Bytes> {
    (pair != [0, 0]).then(|| Bytes::copy_from_slice(&encode_pair(pair)))
}

/// Adds number by number, wrapping around.
pub(crate) fn sum(pair: [i64; 2], deltas: [i64; 2]) -> [i64; 2] {
    [pair[0].wrapping_add(deltas[0]), pair[1].wrapping_add(deltas[1])]
}

//! Shard iterators: where a reader stands, as a text that means nothing to it.
//!
//! `<StreamArn>|1|<hex>`, which is the shape of AWS's. Behind the bars: the stream's and the shard's number, the place to
//! read from, when the iterator was made, and a check sum, each in whole bytes.

use dynamometer_store::Appended;
use dynamometer_types::key::partition_hash;
use dynamometer_types::{ApiError, ErrorKind, Timestamp};

use crate::disk::keys::ObjectId;

/// How long an iterator is good.
///
/// # Source
/// Documented: API reference 2026, GetShardIterator.
const LIFE_MS: i64 = 15 * 60 * 1000;
/// Stands between the ARN and the rest.
const SEPARATOR: &str = "|1|";

/// Where a reader stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShardIterator<'a> {
    pub(super) stream_arn: &'a str,
    pub(super) stream: ObjectId,
    pub(super) shard: u32,
    /// The first place to read; [`Appended::default`] is the oldest record that is there.
    pub(super) from: Appended,
    pub(super) made: Timestamp,
}

impl<'a> ShardIterator<'a> {
    pub(super) fn encode(&self) -> String {
        let body = format!(
            "{:08x}{:08x}{:016x}{:08x}{:016x}",
            self.stream,
            self.shard,
            self.from.sequence,
            self.from.place,
            self.made.millis()
        );
        let sum = partition_hash(format!("{}{body}", self.stream_arn).as_bytes());
        format!("{}{SEPARATOR}{body}{sum:016x}", self.stream_arn)
    }

    /// Reads what [`encode`](ShardIterator::encode) has written.
    ///
    /// # Errors
    /// `Validation` when it has not. The words are assumed.
    pub(super) fn decode(text: &'a str) -> Result<ShardIterator<'a>, ApiError> {
        read(text)
            .filter(|iterator| iterator.encode() == text)
            .ok_or_else(|| ApiError::validation("Invalid ShardIterator"))
    }

    /// # Errors
    /// `ExpiredIterator` fifteen minutes after it was made.
    pub(super) fn check_age(&self, now: Timestamp) -> Result<(), ApiError> {
        if now > self.made + LIFE_MS { Err(expired()) } else { Ok(()) }
    }
}

/// The iterator is too old, or of a stream that was put back to an earlier state.
pub(super) fn expired() -> ApiError {
    let words = "The provided iterator exceeds the maximum age allowed.";
    ApiError::new(ErrorKind::ExpiredIterator, words)
}

fn read(text: &str) -> Option<ShardIterator<'_>> {
    let (stream_arn, body) = text.rsplit_once(SEPARATOR)?;
    let number = |from: usize, digits: usize| u64::from_str_radix(body.get(from..from + digits)?, 16).ok();
    Some(ShardIterator {
        stream_arn,
        stream: number(0, 8)? as u32,
        shard: number(8, 8)? as u32,
        from: Appended { sequence: number(16, 16)?, place: number(32, 8)? as u32 },
        made: Timestamp::from_millis(number(40, 16)? as i64),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ITERATOR: ShardIterator<'_> = ShardIterator {
        stream_arn: "arn:aws:dynamodb:us-east-1:000000000000:table/T/stream/2026-06-01T10:00:00.000",
        stream: 7,
        shard: 2,
        from: Appended { sequence: 1 << 40, place: 9 },
        made: Timestamp::from_millis(1_780_308_000_000),
    };

    #[test]
    fn an_iterator_comes_back_and_no_other_text_is_one() {
        let text = ITERATOR.encode();
        assert_eq!(ShardIterator::decode(&text), Ok(ITERATOR));
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
            let other = String::from_utf8(bytes).unwrap();
            assert!(ShardIterator::decode(&other).is_err(), "{other}");
            assert!(ShardIterator::decode(&text[..at]).is_err(), "cut at {at}");
        }
        assert!(ShardIterator::decode("é|1|é").is_err());
    }

    #[test]
    fn an_iterator_is_good_for_fifteen_minutes() {
        assert!(ITERATOR.check_age(ITERATOR.made + 900_000).is_ok());
        let late = ITERATOR.check_age(ITERATOR.made + 900_001).unwrap_err();
        assert_eq!(late.kind, ErrorKind::ExpiredIterator);
        // The check sum is no secret: a client can make one up.
        let made_up = ShardIterator { made: Timestamp::from_millis(i64::MAX), ..ITERATOR };
        assert!(made_up.check_age(ITERATOR.made).is_ok());
    }
}

//! Time to live: which items expire when, and their deletion.
//!
//! While it is enabled on a table, every write keeps an index of expiry times in its batch ([`follow_expiry`]): one row
//! for each item that expires at all, in the order of time. What is due is a range of that index, so a look costs what
//! it finds, not what the table holds. Enabling it on a table with items fills the index by a job. Each time that
//! it is enabled the index gets a new number, so that rows of former times are never taken for its own.
//!
//! # The rule
//! An item expires at the second that its attribute says: a number, whole and greater than zero, at the top level. Until
//! it is deleted it is an item like any other. What expired more than five years ago is left alone.
//!
//! # Source
//! Documented: Developer Guide 2026, "Using time to live (TTL)". That fractions are ignored was measured by others. A
//! year is taken to have 365 days.

mod fill;
mod sweep;

pub(crate) use sweep::Oldest;

use bytes::Bytes;
use dynamometer_store::{Batch, Keyspace};
use dynamometer_types::{AttributeValue, Timestamp};

use crate::catalog::Table;
use crate::disk::keys::{ObjectId, expiry_key};
use crate::disk::row::{CorruptRow, Row};

/// What expired longer ago is not deleted, in seconds.
const TOO_OLD_SECONDS: i64 = 5 * 365 * 86_400;

/// Time to live as a table has it enabled.
#[derive(Clone, Copy)]
pub(crate) struct TimeToLive<'t> {
    /// The attribute that says when an item expires.
    pub(crate) attribute: &'t str,
    /// The number of the index on disk.
    pub(crate) index: ObjectId,
}

impl<'t> TimeToLive<'t> {
    /// What a table has enabled.
    pub(crate) fn of(table: &'t Table) -> Option<TimeToLive<'t>> {
        let attribute = table.record.ttl_attribute.as_deref()?;
        Some(TimeToLive { attribute, index: table.record.expiry_id? })
    }

    /// The second at which a value of the attribute lets its item expire.
    fn second_of(value: &AttributeValue) -> Option<u64> {
        let AttributeValue::N(number) = value else { return None };
        number.to_i64().and_then(|second| u64::try_from(second).ok()).filter(|second| *second > 0)
    }

    /// The second at which a stored item expires.
    ///
    /// # Errors
    /// When the row cannot be read.
    pub(crate) fn second_of_row(self, row: &Row) -> Result<Option<u64>, CorruptRow> {
        Ok(row.attribute(self.attribute)?.as_ref().and_then(TimeToLive::second_of))
    }

    /// The row of the index for an item.
    fn row(self, item_key: &[u8], second: Option<u64>) -> Option<Bytes> {
        second.map(|second| expiry_key(self.index, second, item_key).into())
    }
}

/// Whether an item that expires at a second is to be deleted now.
fn is_expired(second: u64, now: Timestamp) -> bool {
    let second = i64::try_from(second).unwrap_or(i64::MAX);
    second <= now.seconds() && second >= now.seconds() - TOO_OLD_SECONDS
}

/// Brings the index to what a change of an item makes of it.
///
/// # Errors
/// When a row cannot be read.
pub(crate) fn follow_expiry(
    table: &Table,
    item_key: &[u8],
    old: Option<&Row>,
    new: Option<&Row>,
    batch: &mut Batch,
) -> Result<(), CorruptRow> {
    let Some(ttl) = TimeToLive::of(table) else { return Ok(()) };
    let row = |image: Option<&Row>| -> Result<Option<Bytes>, CorruptRow> {
        let second = image.map(|image| ttl.second_of_row(image)).transpose()?.flatten();
        Ok(ttl.row(item_key, second))
    };
    let (old, new) = (row(old)?, row(new)?);
    if old != new {
        if let Some(old) = old {
            batch.delete(Keyspace::Expiry, old);
        }
        if let Some(new) = new {
            batch.put(Keyspace::Expiry, new, Bytes::new());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_seconds_after_1970_say_when_an_item_expires() {
        let number = |text: &str| AttributeValue::N(text.parse().unwrap());
        let cases = [
            (number("1780308000"), Some(1_780_308_000)),
            (number("1.780308E9"), Some(1_780_308_000)),
            (number("1"), Some(1)),
            (number("1780308000000"), Some(1_780_308_000_000)),
            (number("0"), None),
            (number("-1"), None),
            (number("1780308000.5"), None),
            (number("1E100"), None),
            (AttributeValue::s("1780308000"), None),
            (AttributeValue::L(vec![number("1")]), None),
        ];
        for (value, expected) in cases {
            assert_eq!(TimeToLive::second_of(&value), expected, "{value:?}");
        }
    }

    #[test]
    fn what_expired_more_than_five_years_ago_stays() {
        let now = Timestamp::from_millis(1_780_308_000_900);
        let seconds = now.seconds() as u64;
        let cases = [
            (seconds, true),
            (seconds + 1, false),
            (seconds - 5 * 365 * 86_400, true),
            (seconds - 5 * 365 * 86_400 - 1, false),
            (u64::MAX, false),
        ];
        for (second, expected) in cases {
            assert_eq!(is_expired(second, now), expected, "{second}");
        }
    }
}

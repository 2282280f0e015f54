//! Items between DynamoDB's SDK and this crate.

use std::collections::HashMap;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue as Sdk;
use dynamometer_types::{AttributeValue, Item, Timestamp};

use super::error::Error;
use super::value::ValueError;

/// An item as the SDK has it.
pub(crate) type SdkItem = HashMap<String, Sdk>;

/// The names of the attributes that are no keys of the tables themselves.
pub(crate) mod names {
    pub(crate) const VALUE: &str = "value";
    /// Where a value is kept that is too large for an item.
    pub(crate) const VALUE_BLOB: &str = "value_blob";
    /// Counts the writes of a latest version, for optimistic locking.
    pub(crate) const REVISION: &str = "revision";
    pub(crate) const TIMELINE: &str = "timeline";
    pub(crate) const TIMELINE_BUCKET: &str = "timeline_bucket";
    pub(crate) const TTL: &str = "ttl";
    pub(crate) const RESOURCE_KEY: &str = "resource_key";
    pub(crate) const EVENT_KEY: &str = "event_key";
    pub(crate) const RELATED_EVENT_KEY: &str = "related_event_key";
    pub(crate) const ENTITY_KEY: &str = "entity_key";
    pub(crate) const SYSTEM_KEY: &str = "system_key";
    pub(crate) const EVENT_KEY_SHARDED: &str = "event_key_sharded";
    pub(crate) const DATA_TYPE_INDEXED: &str = "data_type_indexed";
    pub(crate) const PUBLISHER: &str = "publisher_resource_key";
    pub(crate) const ANCESTOR: &str = "ancestor_event_key";
}

/// The sort key of every event: its value, the first and only of its type.
pub(crate) const VALUE_0: &str = "value$0";

/// A value for the SDK.
pub(crate) fn to_sdk(value: AttributeValue) -> Sdk {
    match value {
        AttributeValue::S(text) => Sdk::S(text.into()),
        AttributeValue::N(number) => Sdk::N(number.to_string()),
        AttributeValue::B(bytes) => Sdk::B(Blob::new(bytes)),
        AttributeValue::Bool(value) => Sdk::Bool(value),
        AttributeValue::Null => Sdk::Null(true),
        AttributeValue::L(list) => Sdk::L(list.into_iter().map(to_sdk).collect()),
        AttributeValue::M(map) => Sdk::M(item_to_sdk(map)),
        AttributeValue::Ss(set) => Sdk::Ss(set.into_iter().map(Into::into).collect()),
        AttributeValue::Ns(set) => Sdk::Ns(set.iter().map(ToString::to_string).collect()),
        AttributeValue::Bs(set) => Sdk::Bs(set.into_iter().map(Blob::new).collect()),
    }
}

/// An item for the SDK.
pub(crate) fn item_to_sdk(item: Item) -> SdkItem {
    item.into_iter().map(|(name, value)| (name.into(), to_sdk(value))).collect()
}

/// A value from the SDK.
fn from_sdk(value: Sdk) -> Result<AttributeValue, ValueError> {
    let number = |text: String| text.parse().map_err(|fault| ValueError::Number { text, fault });
    Ok(match value {
        Sdk::S(text) => AttributeValue::s(text),
        Sdk::N(text) => AttributeValue::N(number(text)?),
        Sdk::B(bytes) => AttributeValue::B(bytes.into_inner()),
        Sdk::Bool(value) => AttributeValue::Bool(value),
        Sdk::Null(_) => AttributeValue::Null,
        Sdk::L(list) => AttributeValue::L(list.into_iter().map(from_sdk).collect::<Result<_, _>>()?),
        Sdk::M(map) => AttributeValue::M(item_from_sdk(map)?),
        Sdk::Ss(set) => AttributeValue::Ss(set.into_iter().map(Into::into).collect()),
        Sdk::Ns(set) => AttributeValue::Ns(set.into_iter().map(number).collect::<Result<_, _>>()?),
        Sdk::Bs(set) => AttributeValue::Bs(set.into_iter().map(Blob::into_inner).collect()),
        other => {
            return Err(ValueError::Custom(format!("a value of a type that is not known here: {other:?}")));
        }
    })
}

/// An item from the SDK.
pub(crate) fn item_from_sdk(item: SdkItem) -> Result<Item, ValueError> {
    item.into_iter().map(|(name, value)| Ok((name, from_sdk(value)?))).collect()
}

/// An item as it was read, with a word about which one it is when something is amiss.
#[derive(Clone, Debug)]
pub(crate) struct Row(pub(crate) Item);

impl Row {
    /// # Errors
    /// When a value is none that this crate knows.
    pub(crate) fn read(item: SdkItem) -> Result<Row, Error> {
        Ok(Row(item_from_sdk(item)?))
    }

    /// A string attribute.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.0.get(name) {
            Some(AttributeValue::S(text)) => Some(text),
            _ => None,
        }
    }

    /// A string attribute that must be there.
    ///
    /// # Errors
    /// [`Error::Malformed`].
    pub(crate) fn need(&self, name: &str) -> Result<&str, Error> {
        self.text(name).ok_or_else(|| self.malformed(format!("{name} is no string")))
    }

    /// A whole number.
    pub(crate) fn whole(&self, name: &str) -> Option<i64> {
        match self.0.get(name) {
            Some(AttributeValue::N(number)) => number.to_i64(),
            _ => None,
        }
    }

    /// The time in a string attribute, when it is there.
    ///
    /// # Errors
    /// [`Error::Malformed`], when it is there and no time.
    pub(crate) fn time(&self, name: &str) -> Result<Option<Timestamp>, Error> {
        let Some(text) = self.text(name) else { return Ok(None) };
        match read_time(text) {
            Some(time) => Ok(Some(time)),
            None => Err(self.malformed(format!("{name} is {text:?}, which is no time in UTC"))),
        }
    }

    /// Whether the item has expired and only waits for its deletion.
    pub(crate) fn is_expired(&self, now: Timestamp) -> bool {
        self.whole(names::TTL).is_some_and(|ttl| ttl <= now.seconds())
    }

    pub(crate) fn malformed(&self, what: impl Into<String>) -> Error {
        Error::Malformed { key: self.key(), what: what.into() }
    }

    /// Its value is none of the type that is read.
    pub(crate) fn unfit(&self, error: &ValueError) -> Error {
        self.malformed(format!("its value is not what is read: {error}"))
    }

    /// Its keys, for a person.
    pub(crate) fn key(&self) -> String {
        let keys = [names::RESOURCE_KEY, names::EVENT_KEY, names::EVENT_KEY_SHARDED];
        keys.iter().filter_map(|name| self.text(name)).collect::<Vec<_>>().join(" ")
    }
}

/// Reads a time as programs write it in the tables: `2026-01-01T00:00:00Z`, with any number of decimals, with `+00:00`
/// for `Z` (as Python does). Decimals beyond milliseconds are dropped.
pub(crate) fn read_time(text: &str) -> Option<Timestamp> {
    let text = text.strip_suffix('Z').or_else(|| text.strip_suffix("+00:00"))?;
    let (second, decimals) = text.split_once('.').unwrap_or((text, "0"));
    if decimals.is_empty() || !decimals.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    format!("{second}.{:0<3.3}Z", decimals).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_other_programs_are_read() {
        let millis = |text: &str| read_time(text).map(Timestamp::millis);
        assert_eq!(millis("1970-01-01T00:00:01Z"), Some(1000));
        assert_eq!(millis("1970-01-01T00:00:01.5Z"), Some(1500));
        assert_eq!(millis("1970-01-01T00:00:01.123456+00:00"), Some(1123));
        for text in ["", "now", "1970-01-01T00:00:01", "1970-01-01T00:00:01.Z", "1970-01-01T00:00:01+09:00"] {
            assert_eq!(millis(text), None, "{text}");
        }
    }

    #[test]
    fn every_type_goes_to_the_sdk_and_back() {
        let item: Item = [
            ("s", AttributeValue::s("日本")),
            ("n", AttributeValue::N("-0.1".parse().unwrap())),
            ("b", AttributeValue::B(vec![0, 255])),
            ("l", AttributeValue::L(vec![AttributeValue::Null, AttributeValue::Bool(false)])),
            ("ss", AttributeValue::Ss(vec!["a".into()])),
            ("ns", AttributeValue::Ns(vec![1.into()])),
            ("bs", AttributeValue::Bs(vec![vec![1]])),
            ("m", AttributeValue::M([("x", AttributeValue::Null)].into_iter().collect())),
        ]
        .into_iter()
        .collect();
        assert_eq!(item_from_sdk(item_to_sdk(item.clone())).unwrap(), item);
    }
}

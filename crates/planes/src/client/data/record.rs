//! What is written to the data plane.

use std::time::Duration;

use dynamometer_types::{AttributeValue, Item, Timestamp};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::client::error::Error;
use crate::client::keys::{EventKey, Id, Kind, Reference, ResourceKey};
use crate::client::row::{VALUE_0, names};
use crate::client::shards::Sharding;
use crate::client::value::to_value;
use crate::client::write::{Action, Condition, Refusal, Write};
use crate::schema::DATA_PLANE;

/// An event: what happened, not yet who published it.
#[derive(Clone, Debug)]
pub struct Event {
    kind: Kind,
    value: AttributeValue,
    id: Option<Id>,
    at: Option<Timestamp>,
    keep: Option<Duration>,
    request: Option<Id>,
}

impl Event {
    /// An event of now, with an id that is made for it, kept for ever.
    ///
    /// # Errors
    /// [`Error::Value`], when DynamoDB has no such value.
    pub fn new<T: Serialize + ?Sized>(kind: &Kind, value: &T) -> Result<Event, Error> {
        let value = to_value(value)?;
        Ok(Event { kind: kind.clone(), value, id: None, at: None, keep: None, request: None })
    }

    /// With this id. Recording the same id twice is refused the second time, as long as it leads to the same shard: by hash
    /// it does until the count is raised, by day on the same day, by request in the same request. To be sure of once, use
    /// [`super::DataPlane::record_once`].
    #[must_use]
    pub fn id(self, id: Id) -> Event {
        Event { id: Some(id), ..self }
    }

    /// At this time.
    #[must_use]
    pub fn at(self, at: Timestamp) -> Event {
        Event { at: Some(at), ..self }
    }

    /// Expires so long after its time, to the next full second. From then on it is not read any more; DynamoDB deletes it
    /// some time later, free of charge.
    #[must_use]
    pub fn keep_for(self, keep: Duration) -> Event {
        Event { keep: Some(keep), ..self }
    }

    /// Written by this request: its shard, when events are spread by request.
    #[must_use]
    pub fn request(self, request: Id) -> Event {
        Event { request: Some(request), ..self }
    }

    /// Says who published it, such as `observations#user01`.
    #[must_use]
    pub fn published_by(self, publisher: &ResourceKey) -> Placed {
        Placed { event: self, publisher: publisher.clone(), ancestor: None }
    }
}

/// An event with its publisher, ready to be recorded.
#[derive(Clone, Debug)]
pub struct Placed {
    event: Event,
    publisher: ResourceKey,
    ancestor: Option<Reference>,
}

impl Placed {
    /// Belongs to this thread or session.
    #[must_use]
    pub fn under(self, ancestor: &Reference) -> Placed {
        Placed { ancestor: Some(ancestor.clone()), ..self }
    }

    pub(super) fn publisher(&self) -> &ResourceKey {
        &self.publisher
    }

    /// The write, with what was left open filled in. An event that has expired may be overwritten.
    pub(crate) fn into_write(self, now: Timestamp, random: u128, sharding: &Sharding) -> (EventKey, Write) {
        let Event { kind, value, id, at, keep, request } = self.event;
        let at = at.unwrap_or(now);
        let refusal = if id.is_some() { Refusal::Exists } else { Refusal::Ours };
        let id = id.unwrap_or_else(|| Id::generate(at, random));
        let place = sharding.place(&id, at, request.as_ref());
        let key = EventKey::new(&kind, &place.shard, &id);
        let mut item = event_item_key(&key);
        item.insert(names::VALUE, value);
        item.insert(names::PUBLISHER, AttributeValue::s(self.publisher.as_str()));
        item.insert(names::TIMELINE, AttributeValue::s(at.to_string()));
        item.insert(names::TIMELINE_BUCKET, AttributeValue::s(place.bucket));
        if let Some(ancestor) = self.ancestor {
            item.insert(names::ANCESTOR, AttributeValue::s(ancestor.as_str()));
        }
        if let Some(keep) = keep {
            item.insert(names::TTL, AttributeValue::N(expiry(at, keep).into()));
        }
        (key, Write { refusal, ..once(item, now) })
    }
}

/// A put that is refused when the item is there and has not expired.
fn once(item: Item, now: Timestamp) -> Write {
    Write {
        table: &DATA_PLANE,
        action: Action::Put(item),
        condition: Some(Condition {
            text: "attribute_not_exists(#event_key_sharded) OR #ttl <= :now",
            names: &[names::EVENT_KEY_SHARDED, names::TTL],
            values: vec![("now", AttributeValue::N(now.seconds().into()))],
        }),
        refusal: Refusal::Exists,
    }
}

/// The second from which on it is expired.
fn expiry(at: Timestamp, keep: Duration) -> i64 {
    let millis = i64::try_from(keep.as_millis()).unwrap_or(i64::MAX);
    let end = at.millis().saturating_add(millis);
    end.div_euclid(1000) + i64::from(end.rem_euclid(1000) > 0)
}

/// The key of an event's item.
pub(crate) fn event_item_key(key: &EventKey) -> Item {
    [
        (names::EVENT_KEY_SHARDED, AttributeValue::s(key.as_str())),
        (names::DATA_TYPE_INDEXED, AttributeValue::s(VALUE_0)),
    ]
    .into_iter()
    .collect()
}

pub(super) fn deletion(key: &EventKey) -> Write {
    Write {
        table: &DATA_PLANE,
        action: Action::Delete(event_item_key(key)),
        condition: None,
        refusal: Refusal::Conflict,
    }
}

/// The item that remembers a publisher's token: `idempotency$0#<hash>`. It names the event, and is in no index.
pub(crate) fn marker(
    publisher: &ResourceKey,
    token: &str,
    event: &EventKey,
    remember: Duration,
    now: Timestamp,
) -> Write {
    const IDEMPOTENCY: Kind = Kind::literal("idempotency");
    // A publisher's key holds no control character, so the two cannot run into each other.
    let digest = Sha256::digest(format!("{publisher}\0{token}").as_bytes());
    let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let id = Id::new(hash).expect("hexadecimal digits are an id");
    let mut item = event_item_key(&EventKey::new(&IDEMPOTENCY, "0", &id));
    let value = [(names::EVENT_KEY_SHARDED, AttributeValue::s(event.as_str()))].into_iter().collect();
    item.insert(names::VALUE, AttributeValue::M(value));
    item.insert(names::TTL, AttributeValue::N(expiry(now, remember).into()));
    once(item, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expiry_is_the_next_full_second() {
        let at = Timestamp::from_millis(1_500);
        assert_eq!(expiry(at, Duration::from_millis(500)), 2);
        assert_eq!(expiry(at, Duration::from_millis(501)), 3);
        assert_eq!(expiry(at, Duration::MAX), i64::MAX / 1000 + 1);
    }

    #[test]
    fn an_event_is_written_with_the_patterns_attributes() {
        let now: Timestamp = "2026-06-01T00:00:00Z".parse().unwrap();
        let publisher: ResourceKey = "observations#user01".parse().unwrap();
        let event = Event::new(&Kind::literal("observation"), "x").unwrap();
        let event = event.id(Id::new("obs_20260601_abc12345").unwrap()).keep_for(Duration::from_secs(60));
        let (key, write) = event.published_by(&publisher).into_write(now, 0, &Sharding::default());
        assert_eq!(key.as_str(), "observation$0#obs_20260601_abc12345");
        let Action::Put(item) = write.action else { panic!("a put") };
        let text = |name| match item.get(name) {
            Some(AttributeValue::S(text)) => text.as_str(),
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(text("event_key_sharded"), "observation$0#obs_20260601_abc12345");
        assert_eq!(text("data_type_indexed"), "value$0");
        assert_eq!(text("publisher_resource_key"), "observations#user01");
        assert_eq!(text("timeline"), "2026-06-01T00:00:00.000Z");
        assert_eq!(text("timeline_bucket"), "all$0");
        assert_eq!(item.get("ttl"), Some(&AttributeValue::N((now.seconds() + 60).into())));
        assert!(!item.contains("ancestor_event_key"));
    }

    #[test]
    fn tokens_of_two_publishers_are_two() {
        let now = Timestamp::from_millis(0);
        let event: EventKey = "a$0#b".parse().unwrap();
        let key =
            |publisher: &str| marker(&publisher.parse().unwrap(), "t", &event, Duration::ZERO, now).named();
        assert_ne!(key("observations#a"), key("observations#b"));
    }
}

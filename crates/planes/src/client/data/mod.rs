//! The data plane: events, each written once, read by publisher, by thread, and all together over time.
//!
//! | attribute | example | for |
//! | --- | --- | --- |
//! | `event_key_sharded` | `chat_message$0#20260601_k3v7…` | the event itself |
//! | `data_type_indexed` | `value$0` | always |
//! | `publisher_resource_key` | `chat_session#s1`, `observations#user01` | by publisher |
//! | `ancestor_event_key` | `chat_session$0#s1` | by thread or session |
//! | `timeline` | `2026-06-01T10:00:00.000Z` | the time of the event |
//! | `timeline_bucket` | `all$0` | all together |
//! | `ttl` | 1780308000 | when it expires, in seconds |

mod read;
mod record;
mod timeline;

use std::collections::HashSet;
use std::sync::Arc;

use dynamometer_types::AttributeValue;
use dynamometer_types::Timestamp;

use super::batch;
use super::error::Error;
use super::keys::EventKey;
use super::planes::Inner;
use super::row::names;
use super::transaction::Refused;
use super::write::Write;

pub use read::{Member, Recorded};
pub use record::{Event, Placed};
pub(crate) use record::{event_item_key, marker};
pub use timeline::Span;

/// Events over time: written often, read by publisher, by thread, and all together.
#[derive(Clone, Debug)]
pub struct DataPlane {
    inner: Arc<Inner>,
    consistent: bool,
}

/// What [`DataPlane::record_once`] did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Once {
    /// It wrote the event.
    Recorded(EventKey),
    /// The event of this token is there since an earlier call.
    Already(EventKey),
}

impl Once {
    /// The event's key, whoever wrote it.
    pub fn key(&self) -> &EventKey {
        match self {
            Once::Recorded(key) | Once::Already(key) => key,
        }
    }
}

impl DataPlane {
    pub(crate) fn new(inner: Arc<Inner>) -> DataPlane {
        DataPlane { inner, consistent: false }
    }

    /// The same plane, whose reads by key are strongly consistent. Its lists are read from indexes, which have no such
    /// reads.
    #[must_use]
    pub fn consistent(&self) -> DataPlane {
        DataPlane { consistent: true, ..self.clone() }
    }

    /// Records an event. Answers its key.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`], when an event of this key is there and has not expired.
    pub async fn record(&self, event: Placed) -> Result<EventKey, Error> {
        let (key, write) = self.inner.plan_event(event);
        self.inner.execute(write).await?;
        Ok(key)
    }

    /// Records an event unless this publisher's event of the same token was recorded before: for producers that may send
    /// the same event twice. The token is remembered as long as told (an item of its own, which expires), and both are
    /// written in one transaction, which costs four times the writes of [`DataPlane::record`].
    ///
    /// # Errors
    /// [`Error::AlreadyExists`], when an event of this key is there under another token; or what DynamoDB says.
    pub async fn record_once(
        &self,
        token: &str,
        remember: std::time::Duration,
        event: Placed,
    ) -> Result<Once, Error> {
        let publisher = event.publisher().clone();
        let (key, write) = self.inner.plan_event(event);
        let marker = marker(&publisher, token, &key, remember, self.inner.runtime.now());
        match self.inner.transact(vec![marker, write], None).await? {
            Ok(()) => Ok(Once::Recorded(key)),
            Err(Refused { cancelled, first_old }) => match first_old {
                Some(old) => already(&old).map(Once::Already),
                None if cancelled.iter().any(|step| step.key == key.as_str()) => {
                    Err(Error::AlreadyExists { key: key.to_string() })
                }
                None => Err(Error::Cancelled(cancelled)),
            },
        }
    }

    /// Records many events, 25 to a request, and tries again what DynamoDB leaves unprocessed. Answers their keys in order.
    ///
    /// A batch has no conditions: an event whose id was given, and is there already, is overwritten.
    ///
    /// # Errors
    /// [`Error::Unprocessed`] names what was not written when patience ran out; the others are written. After an error of
    /// another sort any of them may have been written.
    pub async fn record_all(&self, events: Vec<Placed>) -> Result<Vec<EventKey>, Error> {
        let (keys, writes): (Vec<EventKey>, Vec<Write>) =
            events.into_iter().map(|event| self.inner.plan_event(event)).unzip();
        batch::refuse_repeats(&keys)?;
        let left: HashSet<String> = self.inner.write_batch(writes).await?.into_iter().collect();
        if left.is_empty() {
            return Ok(keys);
        }
        let is_left = |(_, key): &(usize, EventKey)| left.contains(key.as_str());
        Err(Error::Unprocessed(keys.into_iter().enumerate().filter(is_left).collect()))
    }

    /// Deletes an event, and its blob if it has one.
    ///
    /// # Errors
    /// What DynamoDB or the blob store says.
    pub async fn delete(&self, key: &EventKey) -> Result<(), Error> {
        self.inner.execute(record::deletion(key)).await.map(drop)
    }
}

/// The event that a marker was written for.
fn already(marker: &super::row::Row) -> Result<EventKey, Error> {
    match marker.0.get(names::VALUE) {
        Some(AttributeValue::M(map)) => match map.get(names::EVENT_KEY_SHARDED) {
            Some(AttributeValue::S(text)) => Ok(text.parse()?),
            _ => Err(marker.malformed("it names no event")),
        },
        _ => Err(marker.malformed("it names no event")),
    }
}

impl Inner {
    /// Gives an event its id, time, and place.
    pub(crate) fn plan_event(&self, event: Placed) -> (EventKey, Write) {
        let now: Timestamp = self.runtime.now();
        event.into_write(now, self.runtime.random(), &self.sharding)
    }
}

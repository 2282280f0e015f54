//! Reading the data plane by key, by publisher and by ancestor.

use dynamometer_types::Timestamp;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::de::DeserializeOwned;

use super::{DataPlane, event_item_key};
use crate::client::cursor::{Page, Take};
use crate::client::error::Error;
use crate::client::keys::{EventKey, Id, Kind, Reference, ResourceKey};
use crate::client::query::{Listing, Range};
use crate::client::row::{Row, names};
use crate::schema::{ANCESTOR, ANCESTOR_AS_TIMELINE, DATA_PLANE, Index, PUBLISHER};

/// How many blobs are read at once for a page.
const BLOBS_AT_ONCE: usize = 16;

/// An event as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded<T> {
    /// Its key.
    pub key: EventKey,
    /// Who published it.
    pub publisher: Option<Reference>,
    /// What it belongs to.
    pub ancestor: Option<Reference>,
    /// The time of the event, unless another program wrote it without one.
    pub at: Option<Timestamp>,
    /// When it expires, in seconds since 1970.
    pub expires: Option<i64>,
    /// The value.
    pub value: T,
}

/// An event in the list of a thread: its key alone. [`DataPlane::load`] brings the values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its key.
    pub key: EventKey,
    /// When it expires, in seconds since 1970.
    pub expires: Option<i64>,
}

impl DataPlane {
    /// An event by its key, unless it has expired.
    ///
    /// # Errors
    /// A value of another shape, or what DynamoDB says.
    pub async fn get<T: DeserializeOwned>(&self, key: &EventKey) -> Result<Option<Recorded<T>>, Error> {
        match self.row(key).await? {
            Some(row) => self.recorded(row).await.map(Some),
            None => Ok(None),
        }
    }

    /// The item of an event, unless it has expired.
    pub(crate) async fn row(&self, key: &EventKey) -> Result<Option<Row>, Error> {
        let row = self.inner.get(&DATA_PLANE, event_item_key(key), self.consistent).await?;
        Ok(row.filter(|row| !row.is_expired(self.inner.runtime.now())))
    }

    /// An event by its kind and id, in whatever shard it was put, also before a count was raised. Keep the key that
    /// [`DataPlane::record`] answers where you can: [`DataPlane::get`] reads one item, this one for each count that there
    /// may have been.
    ///
    /// # Errors
    /// [`Error::Underspecified`], when events are spread by day or by request: the id does not say where it is.
    pub async fn find<T: DeserializeOwned>(
        &self,
        kind: &Kind,
        id: &Id,
    ) -> Result<Option<Recorded<T>>, Error> {
        let candidates = self.inner.sharding.candidates(kind, id).ok_or(Error::Underspecified(
            "events spread by day or by request are found by their whole key, not by their id: keep the key",
        ))?;
        Ok(self.load(&candidates).await?.into_iter().next())
    }

    /// Events by their keys, in the order of the keys; those that are not there or have expired are left out.
    ///
    /// # Errors
    /// A value of another shape, or what DynamoDB says.
    pub async fn load<T: DeserializeOwned>(&self, keys: &[EventKey]) -> Result<Vec<Recorded<T>>, Error> {
        let now = self.inner.runtime.now();
        let rows = self.inner.read_batch(keys, self.consistent).await?;
        self.recorded_all(rows.into_iter().filter(|row| !row.is_expired(now)).collect()).await
    }

    /// The events of a publisher, by time.
    ///
    /// # Errors
    /// A cursor of another list, a value of another shape, or what DynamoDB says.
    pub async fn by_publisher<T: DeserializeOwned>(
        &self,
        publisher: &ResourceKey,
        take: &Take,
    ) -> Result<Page<Recorded<T>>, Error> {
        self.recorded_page(&index_listing(&PUBLISHER, publisher.as_str(), Range::All), take).await
    }

    /// What belongs to a thread or session, as a list by key: so by kind, and within a kind by id. With a kind, only what
    /// is of that kind.
    ///
    /// # Errors
    /// A cursor of another list, or what DynamoDB says.
    pub async fn by_ancestor(
        &self,
        ancestor: &Reference,
        kind: Option<&Kind>,
        take: &Take,
    ) -> Result<Page<Member>, Error> {
        let range = match kind {
            Some(kind) => Range::Prefix(format!("{kind}$")),
            None => Range::All,
        };
        let page = self.inner.page(&index_listing(&ANCESTOR, ancestor.as_str(), range), take).await?;
        page.try_map(|row| {
            Ok(Member { key: row.need(names::EVENT_KEY_SHARDED)?.parse()?, expires: row.whole(names::TTL) })
        })
    }

    /// What belongs to a thread or session, by time.
    ///
    /// # Errors
    /// A cursor of another list, a value of another shape, or what DynamoDB says.
    pub async fn by_ancestor_as_timeline<T: DeserializeOwned>(
        &self,
        ancestor: &Reference,
        take: &Take,
    ) -> Result<Page<Recorded<T>>, Error> {
        let listing = index_listing(&ANCESTOR_AS_TIMELINE, ancestor.as_str(), Range::All);
        self.recorded_page(&listing, take).await
    }

    async fn recorded_page<T: DeserializeOwned>(
        &self,
        listing: &Listing,
        take: &Take,
    ) -> Result<Page<Recorded<T>>, Error> {
        let page = self.inner.page(listing, take).await?;
        Ok(Page { items: self.recorded_all(page.items).await?, next: page.next })
    }

    pub(super) async fn recorded_all<T: DeserializeOwned>(
        &self,
        rows: Vec<Row>,
    ) -> Result<Vec<Recorded<T>>, Error> {
        let recorded = rows.into_iter().map(|row| self.recorded(row));
        stream::iter(recorded).buffered(BLOBS_AT_ONCE).try_collect().await
    }

    pub(crate) async fn recorded<T: DeserializeOwned>(&self, mut row: Row) -> Result<Recorded<T>, Error> {
        let reference = |name| row.text(name).map(|text| Reference::stored(text.to_owned()));
        Ok(Recorded {
            key: row.need(names::EVENT_KEY_SHARDED)?.parse()?,
            publisher: reference(names::PUBLISHER),
            ancestor: reference(names::ANCESTOR),
            at: row.time(names::TIMELINE)?,
            expires: row.whole(names::TTL),
            value: self.inner.value(&mut row).await?,
        })
    }
}

/// A list in an index of the data plane.
pub(super) fn index_listing(index: &'static Index, partition: &str, range: Range) -> Listing {
    Listing {
        table: &DATA_PLANE,
        index: Some(index),
        partition: partition.to_owned(),
        range,
        consistent: false,
    }
}

//! Reading the control plane.

use dynamometer_types::Timestamp;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::de::DeserializeOwned;

use super::record::{DEPENDENCY, LATEST, VERSION, control_key, latest_key};
use super::{ControlPlane, Revision};
use crate::client::cursor::{Page, Take};
use crate::client::error::Error;
use crate::client::keys::{Reference, ResourceKey};
use crate::client::query::{Listing, Range};
use crate::client::row::{Row, names, read_time};
use crate::schema::{CONTROL_PLANE, DEPENDENCY_ANCESTOR, ENTITY_SEARCH, Index, SYSTEM_ACTIVITY_SEARCH};

/// How many blobs are read at once for a page.
const BLOBS_AT_ONCE: usize = 16;

/// A latest version or a kept one, as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored<T> {
    /// Whose it is.
    pub resource: ResourceKey,
    /// The time of a kept version; `None` for the latest one.
    pub version: Option<Timestamp>,
    /// When it was written, unless another program wrote it without a time.
    pub written: Option<Timestamp>,
    /// To be given back with [`super::Expected::Revision`]. Kept versions have revision 0.
    pub revision: Revision,
    /// The value.
    pub value: T,
}

impl ControlPlane {
    /// The latest version.
    ///
    /// # Errors
    /// A value of another shape, or what DynamoDB says.
    pub async fn latest<T: DeserializeOwned>(
        &self,
        resource: &ResourceKey,
    ) -> Result<Option<Stored<T>>, Error> {
        // The blob of a large value may go between the read of its item and its own, when the resource is overwritten.
        // A second read then finds the new one.
        match self.read_latest(resource, self.consistent).await {
            Err(Error::BlobMissing { .. }) => self.read_latest(resource, true).await,
            done => done,
        }
    }

    async fn read_latest<T: DeserializeOwned>(
        &self,
        resource: &ResourceKey,
        consistent: bool,
    ) -> Result<Option<Stored<T>>, Error> {
        match self.inner.get(&CONTROL_PLANE, latest_key(resource), consistent).await? {
            Some(row) => self.stored(row).await.map(Some),
            None => Ok(None),
        }
    }

    /// The version of exactly this time.
    ///
    /// # Errors
    /// A value of another shape, or what DynamoDB says.
    pub async fn version<T: DeserializeOwned>(
        &self,
        resource: &ResourceKey,
        at: Timestamp,
    ) -> Result<Option<Stored<T>>, Error> {
        let key = control_key(resource, format!("{VERSION}{at}"));
        match self.inner.get(&CONTROL_PLANE, key, self.consistent).await? {
            Some(row) => self.stored(row).await.map(Some),
            None => Ok(None),
        }
    }

    /// The kept versions, by time. The latest version is not one of them.
    ///
    /// # Errors
    /// A cursor of another list, a value of another shape, or what DynamoDB says.
    pub async fn history<T: DeserializeOwned>(
        &self,
        resource: &ResourceKey,
        take: &Take,
    ) -> Result<Page<Stored<T>>, Error> {
        let listing = self.listing(resource, Range::Prefix(VERSION.to_owned()));
        self.stored_page(&listing, take).await
    }

    /// The version that was the newest at a time.
    ///
    /// # Errors
    /// A value of another shape, or what DynamoDB says.
    pub async fn as_of<T: DeserializeOwned>(
        &self,
        resource: &ResourceKey,
        at: Timestamp,
    ) -> Result<Option<Stored<T>>, Error> {
        // Other programs may write whole seconds (`…:05Z`), which sort after all parts of that second. So the range ends with
        // the second, and what is later in it is passed over.
        let text = at.to_string();
        let second = &text[..text.len() - ".000Z".len()];
        let range = Range::Between(VERSION.to_owned(), format!("{VERSION}{second}Z"));
        let listing = self.listing(resource, range);
        let mut take = Take::newest(4);
        loop {
            let page = self.inner.page(&listing, &take).await?;
            for row in page.items {
                if version_time(&row)?.is_some_and(|time| time <= at) {
                    return self.stored(row).await.map(Some);
                }
            }
            match page.next {
                Some(cursor) => take = take.after(cursor),
                None => return Ok(None),
            }
        }
    }

    /// What a resource depends on, by key.
    ///
    /// # Errors
    /// A cursor of another list, or what DynamoDB says.
    pub async fn dependencies(&self, resource: &ResourceKey, take: &Take) -> Result<Page<Reference>, Error> {
        let listing = self.listing(resource, Range::Prefix(DEPENDENCY.to_owned()));
        let page = self.inner.page(&listing, take).await?;
        page.try_map(|row| row.need(names::RELATED_EVENT_KEY).map(|text| Reference::stored(text.to_owned())))
    }

    /// What depends on this, by key. A dependency that was just added may take a moment to be listed.
    ///
    /// # Errors
    /// A cursor of another list, or what DynamoDB says.
    pub async fn dependents(&self, on: &Reference, take: &Take) -> Result<Page<ResourceKey>, Error> {
        let page = self.inner.page(&index_listing(&DEPENDENCY_ANCESTOR, on), take).await?;
        page.try_map(|row| Ok(row.need(names::RESOURCE_KEY)?.parse()?))
    }

    /// What was written with this entity, by event key: the latest ones, then the kept ones by time.
    ///
    /// # Errors
    /// A cursor of another list, a value of another shape, or what DynamoDB says.
    pub async fn activity_of_entity<T: DeserializeOwned>(
        &self,
        entity: &Reference,
        take: &Take,
    ) -> Result<Page<Stored<T>>, Error> {
        self.stored_page(&index_listing(&ENTITY_SEARCH, entity), take).await
    }

    /// What was written with this resource or part of the system, by time.
    ///
    /// # Errors
    /// A cursor of another list, a value of another shape, or what DynamoDB says.
    pub async fn activity_of_system<T: DeserializeOwned>(
        &self,
        system: &Reference,
        take: &Take,
    ) -> Result<Page<Stored<T>>, Error> {
        self.stored_page(&index_listing(&SYSTEM_ACTIVITY_SEARCH, system), take).await
    }

    fn listing(&self, resource: &ResourceKey, range: Range) -> Listing {
        Listing {
            table: &CONTROL_PLANE,
            index: None,
            partition: resource.to_string(),
            range,
            consistent: self.consistent,
        }
    }

    async fn stored_page<T: DeserializeOwned>(
        &self,
        listing: &Listing,
        take: &Take,
    ) -> Result<Page<Stored<T>>, Error> {
        let page = self.inner.page(listing, take).await?;
        let items = stream::iter(page.items.into_iter().map(|row| self.stored(row)))
            .buffered(BLOBS_AT_ONCE)
            .try_collect()
            .await?;
        Ok(Page { items, next: page.next })
    }

    async fn stored<T: DeserializeOwned>(&self, mut row: Row) -> Result<Stored<T>, Error> {
        Ok(Stored {
            resource: row.need(names::RESOURCE_KEY)?.parse()?,
            version: version_time(&row)?,
            written: row.time(names::TIMELINE)?,
            revision: Revision::from_stored(row.whole(names::REVISION).unwrap_or(0)),
            value: self.inner.value(&mut row).await?,
        })
    }
}

fn index_listing(index: &'static Index, partition: &Reference) -> Listing {
    Listing {
        table: &CONTROL_PLANE,
        index: Some(index),
        partition: partition.to_string(),
        range: Range::All,
        consistent: false,
    }
}

/// The time in a version's key; `None` for the latest version.
fn version_time(row: &Row) -> Result<Option<Timestamp>, Error> {
    let key = row.need(names::EVENT_KEY)?;
    match key.strip_prefix(VERSION) {
        Some(text) => match read_time(text) {
            Some(time) => Ok(Some(time)),
            None => Err(row.malformed(format!("{text:?} in its event key is no time in UTC"))),
        },
        None if key == LATEST => Ok(None),
        None => Err(row.malformed(format!("{key:?} is neither {LATEST} nor a {VERSION}…"))),
    }
}

//! The control plane: the latest version of each resource, its history, and who depends on it.
//!
//! | item | `resource_key` | `event_key` | written |
//! | --- | --- | --- | --- |
//! | latest | `profile#user01` | `config#latest` | over the one before |
//! | version | `profile#user01` | `version#2026-01-01T00:00:00.000Z` | never over another |
//! | dependency | `portfolio#user01` | `dependency#theme#01` | once; `related_event_key` is `theme#01` |

mod read;
mod record;

use std::sync::Arc;

use dynamometer_types::Timestamp;
use serde::Serialize;

use super::error::Error;
use super::keys::{Reference, ResourceKey};
use super::planes::Inner;
use super::row::names;
use super::write::{Action, Refusal, Write};

pub use read::Stored;
pub use record::{Expected, Latest, Revision, Version};
pub(crate) use record::{check, dependency, latest_key, no_dependency};

/// Configuration, master data, dependencies: changed seldom, read often.
#[derive(Clone, Debug)]
pub struct ControlPlane {
    inner: Arc<Inner>,
    consistent: bool,
}

/// How many milliseconds later a version may be put when others of its resource were put at the same one.
const LATER: i64 = 20;

impl ControlPlane {
    pub(crate) fn new(inner: Arc<Inner>) -> ControlPlane {
        ControlPlane { inner, consistent: false }
    }

    /// The same plane, read with strong consistency: a read sees every write that was acknowledged before it, for twice the
    /// units. (Indexes have no such reads; lists that need one stay as they are.)
    #[must_use]
    pub fn consistent(&self) -> ControlPlane {
        ControlPlane { consistent: true, ..self.clone() }
    }

    /// Writes the latest version, whatever was there. Answers its revision.
    ///
    /// # Errors
    /// A value that cannot be kept, or what DynamoDB says.
    pub async fn put_latest<T: Serialize + ?Sized>(
        &self,
        resource: &ResourceKey,
        value: &T,
    ) -> Result<Revision, Error> {
        self.write_latest(Latest::new(resource, value)?).await
    }

    /// Writes the latest version with all that [`Latest`] can say. Answers its revision.
    ///
    /// # Errors
    /// [`Error::Conflict`], when it is not the revision that was expected.
    pub async fn write_latest(&self, latest: Latest) -> Result<Revision, Error> {
        let old = self.inner.execute(latest.into_write(self.inner.runtime.now())).await?;
        let before = old.and_then(|row| row.whole(names::REVISION)).unwrap_or(0);
        Ok(Revision::from_stored(before + 1))
    }

    /// Keeps a version of now, beside all others. Answers its time: that of the clock, or some milliseconds later when
    /// there is a version of that millisecond already.
    ///
    /// # Errors
    /// A value that cannot be kept, or what DynamoDB says.
    pub async fn put_version<T: Serialize + ?Sized>(
        &self,
        resource: &ResourceKey,
        value: &T,
    ) -> Result<Timestamp, Error> {
        self.write_version(Version::new(resource, value)?).await
    }

    /// Keeps a version with all that [`Version`] can say. Answers its time.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`], when there is a version of the time that was given.
    pub async fn write_version(&self, version: Version) -> Result<Timestamp, Error> {
        if let Some(at) = version.time() {
            self.inner.execute(version.into_write(at)).await?;
            return Ok(at);
        }
        let now = self.inner.runtime.now().millis();
        let mut later = 0;
        loop {
            let at = Timestamp::from_millis(now + later);
            match self.inner.execute(version.clone().into_write(at)).await {
                Err(Error::AlreadyExists { .. }) if later < LATER => later += 1,
                done => return done.map(|_| at),
            }
        }
    }

    /// Deletes the latest version, if it is the one that is expected. Versions stay.
    ///
    /// # Errors
    /// [`Error::Conflict`], when it is another.
    pub async fn delete_latest(&self, resource: &ResourceKey, expected: Expected) -> Result<(), Error> {
        let write = Write { action: Action::Delete(latest_key(resource)), ..check(resource, expected) };
        self.inner.execute(write).await.map(drop)
    }

    /// Says that a resource depends on another. Saying it again changes nothing.
    ///
    /// # Errors
    /// What DynamoDB says.
    pub async fn add_dependency(&self, resource: &ResourceKey, on: &Reference) -> Result<(), Error> {
        self.inner.execute(dependency(resource, on, self.inner.runtime.now())).await.map(drop)
    }

    /// Takes a dependency back.
    ///
    /// # Errors
    /// What DynamoDB says.
    pub async fn remove_dependency(&self, resource: &ResourceKey, on: &Reference) -> Result<(), Error> {
        self.inner.execute(no_dependency(resource, on)).await.map(drop)
    }
}

/// A write of the control plane that nothing can refuse.
fn unconditional(action: Action) -> Write {
    Write { table: &crate::schema::CONTROL_PLANE, action, condition: None, refusal: Refusal::Conflict }
}

//! One user's share of both planes: types that leave no way to name anybody else's.

use std::str::FromStr;
use std::time::Duration;

use dynamometer_types::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::control::{ControlPlane, Expected, Latest, Revision, Stored};
use super::cursor::{Page, Take};
use super::data::{DataPlane, Event, Member, Once, Recorded};
use super::error::Error;
use super::keys::{EventKey, Id, KeyError, Kind, Reference, ResourceKey};
use super::planes::Planes;
use super::row::{Row, names};

/// Who a user is: an id that was authenticated, not one that a request merely names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UserId(Id);

impl UserId {
    /// Checks a user's id.
    ///
    /// # Errors
    /// [`KeyError::Id`], when it could be mistaken for more than an id.
    pub fn new(text: impl Into<String>) -> Result<UserId, KeyError> {
        Id::new(text).map(UserId)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl FromStr for UserId {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<UserId, KeyError> {
        UserId::new(text)
    }
}

/// What one user may read and write.
///
/// Its methods take kinds, which are words of the program, and never a key or another user's id. An event's or a thread's key that
/// came from outside is looked up, and is the user's own or as good as absent.
///
/// ```
/// use dynamometer_planes::{Kind, Planes, UserId};
/// const PROFILE: Kind = Kind::literal("profile");
/// async fn show(planes: &Planes, user: UserId) -> Result<(), dynamometer_planes::Error> {
///     let profile = planes.user(user).latest::<String>(&PROFILE).await?;
///     Ok(())
/// }
/// ```
///
/// A key of somebody else is of the wrong type:
///
/// ```compile_fail,E0308
/// use dynamometer_planes::{Kind, Planes, ResourceKey, UserId};
/// const PROFILE: Kind = Kind::literal("profile");
/// async fn show(planes: &Planes, user: UserId, other: ResourceKey) -> Result<(), dynamometer_planes::Error> {
///     let profile = planes.user(user).latest::<String>(&other).await?;
///     Ok(())
/// }
/// ```
///
/// And a thread cannot be made up, only be found or begun by its user:
///
/// ```compile_fail,E0451
/// use dynamometer_planes::{EventKey, Planes, Thread};
/// fn forge(planes: Planes, key: EventKey) -> Thread {
///     Thread { data: planes.data(), key }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct UserPlanes {
    control: ControlPlane,
    data: DataPlane,
    user: UserId,
}

impl UserPlanes {
    pub(crate) fn new(planes: &Planes, user: UserId) -> UserPlanes {
        // What an id leads to is checked right after it was written, too.
        UserPlanes { control: planes.control(), data: planes.data().consistent(), user }
    }

    /// The user.
    pub fn user(&self) -> &UserId {
        &self.user
    }

    /// The user's own resource or publisher key of a kind. It names this user alone.
    fn own(&self, kind: &Kind) -> ResourceKey {
        ResourceKey::new(kind, &self.user.0)
    }

    /// Writes the latest version of the user's `<kind>#<user>`, if what is there is as expected. Answers its revision.
    ///
    /// # Errors
    /// [`Error::Conflict`], when it is not.
    pub async fn put_latest<T: Serialize + ?Sized>(
        &self,
        kind: &Kind,
        value: &T,
        expected: Expected,
    ) -> Result<Revision, Error> {
        self.control.write_latest(Latest::new(&self.own(kind), value)?.expecting(expected)).await
    }

    /// Keeps a version of the user's `<kind>#<user>`. Answers its time.
    ///
    /// # Errors
    /// As [`ControlPlane::put_version`].
    pub async fn put_version<T: Serialize + ?Sized>(
        &self,
        kind: &Kind,
        value: &T,
    ) -> Result<Timestamp, Error> {
        self.control.put_version(&self.own(kind), value).await
    }

    /// The latest version.
    ///
    /// # Errors
    /// As [`ControlPlane::latest`].
    pub async fn latest<T: DeserializeOwned>(&self, kind: &Kind) -> Result<Option<Stored<T>>, Error> {
        self.control.latest(&self.own(kind)).await
    }

    /// The kept versions, by time.
    ///
    /// # Errors
    /// As [`ControlPlane::history`].
    pub async fn history<T: DeserializeOwned>(
        &self,
        kind: &Kind,
        take: &Take,
    ) -> Result<Page<Stored<T>>, Error> {
        self.control.history(&self.own(kind), take).await
    }

    /// The version that was the newest at a time.
    ///
    /// # Errors
    /// As [`ControlPlane::as_of`].
    pub async fn as_of<T: DeserializeOwned>(
        &self,
        kind: &Kind,
        at: Timestamp,
    ) -> Result<Option<Stored<T>>, Error> {
        self.control.as_of(&self.own(kind), at).await
    }

    /// Records an event, published by the user's `<publisher>#<user>`. Answers its key.
    ///
    /// # Errors
    /// As [`DataPlane::record`].
    pub async fn record(&self, publisher: &Kind, event: Event) -> Result<EventKey, Error> {
        self.data.record(event.published_by(&self.own(publisher))).await
    }

    /// Records an event once for each of the user's tokens.
    ///
    /// # Errors
    /// As [`DataPlane::record_once`].
    pub async fn record_once(
        &self,
        token: &str,
        remember: Duration,
        publisher: &Kind,
        event: Event,
    ) -> Result<Once, Error> {
        self.data.record_once(token, remember, event.published_by(&self.own(publisher))).await
    }

    /// The events of the user's `<publisher>#<user>`, by time.
    ///
    /// # Errors
    /// As [`DataPlane::by_publisher`].
    pub async fn list<T: DeserializeOwned>(
        &self,
        publisher: &Kind,
        take: &Take,
    ) -> Result<Page<Recorded<T>>, Error> {
        self.data.by_publisher(&self.own(publisher), take).await
    }

    /// An event of the user's `<publisher>#<user>`; `None` when there is none, or it is somebody else's.
    ///
    /// # Errors
    /// A value of another shape, or what DynamoDB says.
    pub async fn get<T: DeserializeOwned>(
        &self,
        publisher: &Kind,
        key: &EventKey,
    ) -> Result<Option<Recorded<T>>, Error> {
        match self.own_row(publisher, key).await? {
            Some(row) => self.data.recorded(row).await.map(Some),
            None => Ok(None),
        }
    }

    /// Begins a thread or a session: records the event that stands for it.
    ///
    /// # Errors
    /// As [`DataPlane::record`].
    pub async fn begin(&self, publisher: &Kind, event: Event) -> Result<Thread, Error> {
        let key = self.record(publisher, event).await?;
        Ok(Thread { data: self.data.clone(), key })
    }

    /// A thread or session that this user began, by the key of the event that stands for it. The key may come from outside.
    ///
    /// # Errors
    /// [`Error::NotTheirs`], when there is none or it is somebody else's.
    pub async fn thread(&self, publisher: &Kind, key: &EventKey) -> Result<Thread, Error> {
        match self.own_row(publisher, key).await? {
            Some(_) => Ok(Thread { data: self.data.clone(), key: key.clone() }),
            None => Err(Error::NotTheirs { key: key.to_string(), kind: publisher.to_string() }),
        }
    }

    async fn own_row(&self, publisher: &Kind, key: &EventKey) -> Result<Option<Row>, Error> {
        let own = self.own(publisher);
        Ok(self.data.row(key).await?.filter(|row| row.text(names::PUBLISHER) == Some(own.as_str())))
    }
}

/// A thread or session of one user: what is in it, and what is added to it. Only [`UserPlanes`] makes one.
#[derive(Clone, Debug)]
pub struct Thread {
    data: DataPlane,
    /// The event that stands for it.
    key: EventKey,
}

impl Thread {
    /// The key of the event that stands for it: `chat_session$0#s1`. Give it to the client, and take it back with
    /// [`UserPlanes::thread`].
    pub fn key(&self) -> &EventKey {
        &self.key
    }

    /// Adds an event, published by the thread itself: `chat_session#s1`.
    ///
    /// # Errors
    /// As [`DataPlane::record`].
    pub async fn record(&self, event: Event) -> Result<EventKey, Error> {
        let publisher = ResourceKey::new(&self.key.kind(), &self.key.id());
        self.data.record(event.published_by(&publisher).under(&self.reference())).await
    }

    /// What is in it, as a list by key.
    ///
    /// # Errors
    /// As [`DataPlane::by_ancestor`].
    pub async fn list(&self, kind: Option<&Kind>, take: &Take) -> Result<Page<Member>, Error> {
        self.data.by_ancestor(&self.reference(), kind, take).await
    }

    /// What is in it, by time.
    ///
    /// # Errors
    /// As [`DataPlane::by_ancestor_as_timeline`].
    pub async fn timeline<T: DeserializeOwned>(&self, take: &Take) -> Result<Page<Recorded<T>>, Error> {
        self.data.by_ancestor_as_timeline(&self.reference(), take).await
    }

    /// Ids are unique in their shard alone, so a thread's content is found by its whole key.
    fn reference(&self) -> Reference {
        Reference::from(&self.key)
    }
}

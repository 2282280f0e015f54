//! What is written to the control plane.

use dynamometer_types::{AttributeValue, Item, Timestamp};
use serde::{Deserialize, Serialize};

use super::unconditional;
use crate::client::error::Error;
use crate::client::keys::{Reference, ResourceKey};
use crate::client::row::names;
use crate::client::value::to_value;
use crate::client::write::{Action, Condition, Refusal, Write};
use crate::schema::CONTROL_PLANE;

/// The sort key of the latest version.
pub(super) const LATEST: &str = "config#latest";
/// What the sort keys of versions begin with.
pub(super) const VERSION: &str = "version#";
/// What the sort keys of dependencies begin with.
pub(super) const DEPENDENCY: &str = "dependency#";

/// Counts the writes of a latest version. A latest version that another program put without counting has revision 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Revision(i64);

impl Revision {
    pub(crate) fn from_stored(count: i64) -> Revision {
        Revision(count)
    }

    /// The count.
    pub fn get(self) -> i64 {
        self.0
    }
}

/// What must be there for a write to be made: the heart of optimistic locking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Whatever there is.
    Any,
    /// Nothing yet.
    Nothing,
    /// This revision, as it was read.
    Revision(Revision),
}

impl Expected {
    fn condition(self) -> Option<Condition> {
        match self {
            Expected::Any => None,
            Expected::Nothing => Some(Condition {
                text: "attribute_not_exists(#resource_key)",
                names: &[names::RESOURCE_KEY],
                values: vec![],
            }),
            Expected::Revision(Revision(0)) => Some(Condition {
                text: "attribute_exists(#resource_key) AND attribute_not_exists(#revision)",
                names: &[names::RESOURCE_KEY, names::REVISION],
                values: vec![],
            }),
            Expected::Revision(Revision(count)) => Some(Condition {
                text: "#revision = :expected",
                names: &[names::REVISION],
                values: vec![("expected", AttributeValue::N(count.into()))],
            }),
        }
    }
}

/// What both kinds of record say beside their value.
#[derive(Clone, Debug)]
struct Record {
    resource: ResourceKey,
    value: AttributeValue,
    entity: Option<Reference>,
    system: Option<Reference>,
}

impl Record {
    fn new<T: Serialize + ?Sized>(resource: &ResourceKey, value: &T) -> Result<Record, Error> {
        Ok(Record { resource: resource.clone(), value: to_value(value)?, entity: None, system: None })
    }

    /// All attributes but the keys.
    fn attributes(self, at: Timestamp) -> Item {
        let mut item: Item =
            [(names::VALUE, self.value), (names::TIMELINE, AttributeValue::s(at.to_string()))]
                .into_iter()
                .collect();
        for (name, reference) in [(names::ENTITY_KEY, self.entity), (names::SYSTEM_KEY, self.system)] {
            if let Some(reference) = reference {
                item.insert(name, AttributeValue::s(reference.as_str()));
            }
        }
        item
    }
}

/// A latest version to be written: it takes the place of the one before.
#[derive(Clone, Debug)]
pub struct Latest {
    record: Record,
    expected: Expected,
}

impl Latest {
    /// The latest version of a resource, whatever was there.
    ///
    /// # Errors
    /// [`Error::Value`], when DynamoDB has no such value.
    pub fn new<T: Serialize + ?Sized>(resource: &ResourceKey, value: &T) -> Result<Latest, Error> {
        Ok(Latest { record: Record::new(resource, value)?, expected: Expected::Any })
    }

    /// Only if this is there.
    #[must_use]
    pub fn expecting(self, expected: Expected) -> Latest {
        Latest { expected, ..self }
    }

    /// Lists it among the activity of an entity, such as the user who did it.
    #[must_use]
    pub fn entity(mut self, entity: &Reference) -> Latest {
        self.record.entity = Some(entity.clone());
        self
    }

    /// Lists it among the activity of a resource or a part of the system.
    #[must_use]
    pub fn system(mut self, system: &Reference) -> Latest {
        self.record.system = Some(system.clone());
        self
    }

    pub(crate) fn into_write(self, now: Timestamp) -> Write {
        let key = latest_key(&self.record.resource);
        Write {
            condition: self.expected.condition(),
            ..unconditional(Action::Set { key, set: self.record.attributes(now) })
        }
    }
}

/// A version to be kept: it never takes the place of another.
#[derive(Clone, Debug)]
pub struct Version {
    record: Record,
    at: Option<Timestamp>,
}

impl Version {
    /// A version of a resource, of now.
    ///
    /// # Errors
    /// [`Error::Value`], when DynamoDB has no such value.
    pub fn new<T: Serialize + ?Sized>(resource: &ResourceKey, value: &T) -> Result<Version, Error> {
        Ok(Version { record: Record::new(resource, value)?, at: None })
    }

    /// Of this time. Writing it twice is refused the second time.
    #[must_use]
    pub fn at(self, at: Timestamp) -> Version {
        Version { at: Some(at), ..self }
    }

    /// Lists it among the activity of an entity, such as the user who did it.
    #[must_use]
    pub fn entity(mut self, entity: &Reference) -> Version {
        self.record.entity = Some(entity.clone());
        self
    }

    /// Lists it among the activity of a resource or a part of the system.
    #[must_use]
    pub fn system(mut self, system: &Reference) -> Version {
        self.record.system = Some(system.clone());
        self
    }

    pub(crate) fn time(&self) -> Option<Timestamp> {
        self.at
    }

    pub(crate) fn into_write(self, at: Timestamp) -> Write {
        let mut item = control_key(&self.record.resource, format!("{VERSION}{at}"));
        for (name, value) in self.record.attributes(at) {
            item.insert(name, value);
        }
        Write {
            table: &CONTROL_PLANE,
            action: Action::Put(item),
            condition: Expected::Nothing.condition(),
            refusal: Refusal::Exists,
        }
    }
}

pub(super) fn control_key(resource: &ResourceKey, event_key: impl Into<String>) -> Item {
    [
        (names::RESOURCE_KEY, AttributeValue::s(resource.as_str())),
        (names::EVENT_KEY, AttributeValue::s(event_key.into())),
    ]
    .into_iter()
    .collect()
}

/// The key of a resource's latest version.
pub(crate) fn latest_key(resource: &ResourceKey) -> Item {
    control_key(resource, LATEST)
}

/// That a latest version is as expected.
pub(crate) fn check(resource: &ResourceKey, expected: Expected) -> Write {
    Write { condition: expected.condition(), ..unconditional(Action::Check(latest_key(resource))) }
}

/// That a resource depends on another.
pub(crate) fn dependency(resource: &ResourceKey, on: &Reference, now: Timestamp) -> Write {
    let mut item = control_key(resource, format!("{DEPENDENCY}{on}"));
    item.insert(names::RELATED_EVENT_KEY, AttributeValue::s(on.as_str()));
    item.insert(names::TIMELINE, AttributeValue::s(now.to_string()));
    unconditional(Action::Put(item))
}

/// That it no longer does.
pub(crate) fn no_dependency(resource: &ResourceKey, on: &Reference) -> Write {
    unconditional(Action::Delete(control_key(resource, format!("{DEPENDENCY}{on}"))))
}

//! A table: what a template wants, and what a live one is. The same type, so that the two can be compared.
//!
//! The parts are spelled as DynamoDB's API spells them, so that they are read from its answers and put into requests as
//! they are.

use serde::{Deserialize, Serialize};

/// A table with all of its settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// The types of key attributes.
    pub attributes: Vec<AttributeDefinition>,
    /// Its primary key.
    pub keys: Vec<KeyElement>,
    /// Its local secondary indexes.
    pub local_indexes: Vec<LocalIndex>,
    /// Its global secondary indexes.
    pub global_indexes: Vec<GlobalIndex>,
    /// Provisioned throughput; `None` is on demand.
    pub throughput: Option<Throughput>,
    /// The maximum on demand.
    pub on_demand: OnDemand,
    /// Warm throughput.
    pub warm: Warm,
    /// The view type of its stream; `None` is no stream.
    pub stream: Option<String>,
    /// Its encryption.
    pub encryption: Encryption,
    /// Whether its class is Standard-IA.
    pub infrequent_access: bool,
    /// Whether it is protected against deletion.
    pub deletion_protection: bool,
    /// The attribute of its time to live; `None` is off.
    pub time_to_live: Option<String>,
    /// The days that point-in-time recovery reaches back; `None` is off.
    pub recovery_days: Option<i64>,
    /// Contributor Insights and its mode; `None` is off.
    pub insights: Option<InsightsMode>,
    /// Its tags.
    pub tags: Vec<Tag>,
}

/// `AttributeDefinition`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
#[allow(missing_docs)]
pub struct AttributeDefinition {
    pub attribute_name: String,
    pub attribute_type: String,
}

/// `KeySchemaElement`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
#[allow(missing_docs)]
pub struct KeyElement {
    pub attribute_name: String,
    pub key_type: String,
}

/// `Projection`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
#[allow(missing_docs)]
pub struct Projection {
    #[serde(default = "all")]
    pub projection_type: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub non_key_attributes: Vec<String>,
}

fn all() -> String {
    "ALL".into()
}

impl Projection {
    /// The same, whatever the order of its attributes.
    pub(crate) fn is_like(&self, other: &Projection) -> bool {
        let sorted = |projection: &Projection| {
            let mut names = projection.non_key_attributes.clone();
            names.sort_unstable();
            names
        };
        self.projection_type == other.projection_type && sorted(self) == sorted(other)
    }
}

/// `ProvisionedThroughput`, in capacity units a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
#[allow(missing_docs)]
pub struct Throughput {
    pub read_capacity_units: i64,
    pub write_capacity_units: i64,
}

/// `OnDemandThroughput`, in request units a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
#[allow(missing_docs)]
pub struct OnDemand {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_read_request_units: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_write_request_units: Option<i64>,
}

/// `WarmThroughput`, in units a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
#[allow(missing_docs)]
pub struct Warm {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_units_per_second: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_units_per_second: Option<i64>,
}

impl Warm {
    /// Whether nothing is asked for.
    pub(crate) fn is_none(&self) -> bool {
        *self == Warm::default()
    }

    /// Whether this asks for more than `live` has. Warm throughput only grows.
    pub(crate) fn exceeds(&self, live: &Warm) -> bool {
        self.read_units_per_second > live.read_units_per_second
            || self.write_units_per_second > live.write_units_per_second
    }
}

/// How a table is encrypted at rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Encryption {
    /// With DynamoDB's own key.
    #[default]
    Default,
    /// With a key of KMS: this one, or AWS's for the account.
    Kms(Option<String>),
}

/// `ContributorInsightsMode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)]
pub enum InsightsMode {
    #[default]
    AccessedAndThrottledKeys,
    ThrottledKeys,
}

/// `LocalSecondaryIndex`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
#[allow(missing_docs)]
pub struct LocalIndex {
    pub index_name: String,
    pub key_schema: Vec<KeyElement>,
    pub projection: Projection,
}

impl LocalIndex {
    pub(crate) fn is_like(&self, other: &LocalIndex) -> bool {
        self.index_name == other.index_name
            && self.key_schema == other.key_schema
            && self.projection.is_like(&other.projection)
    }
}

/// `GlobalSecondaryIndex`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
#[allow(missing_docs)]
pub struct GlobalIndex {
    pub index_name: String,
    pub key_schema: Vec<KeyElement>,
    pub projection: Projection,
    #[serde(default, rename = "ProvisionedThroughput", skip_serializing_if = "Option::is_none")]
    pub throughput: Option<Throughput>,
    #[serde(default, rename = "OnDemandThroughput", skip_serializing_if = "is_default")]
    pub on_demand: OnDemand,
    #[serde(default, rename = "WarmThroughput", skip_serializing_if = "is_default")]
    pub warm: Warm,
    /// Contributor Insights of the index; no part of the API's index.
    #[serde(skip)]
    pub insights: Option<InsightsMode>,
}

/// `Tag`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
#[allow(missing_docs)]
pub struct Tag {
    pub key: String,
    pub value: String,
}

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Table {
    /// The type of a key attribute.
    pub(crate) fn type_of(&self, attribute: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|definition| definition.attribute_name == attribute);
        found.map(|definition| definition.attribute_type.as_str())
    }

    /// The global index of a name.
    pub(crate) fn global_index(&self, name: &str) -> Option<&GlobalIndex> {
        self.global_indexes.iter().find(|index| index.index_name == name)
    }
}

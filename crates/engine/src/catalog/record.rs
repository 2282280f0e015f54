//! What is stored of a table: one row of the catalog, as JSON with a format number.

use dynamometer_types::{KeyAttribute, KeySchema, ScalarType, Timestamp};
use serde::{Deserialize, Serialize};

use crate::api::{
    BillingMode, ContributorInsightsMode, KeyType, ScalarAttributeType, SseType, StreamViewType, TableClass,
};
use crate::disk::keys::ObjectId;
use crate::throughput::RuleKind;

/// The format of [`TableRecord`] rows. A newer one is refused at start.
pub const RECORD_FORMAT: u32 = 1;

/// A table, as stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableRecord {
    /// Always [`RECORD_FORMAT`].
    pub format: u32,
    /// The database that the table belongs to.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its number on disk.
    pub id: ObjectId,
    /// `TableId`: a UUID, new with each incarnation.
    pub table_id: String,
    /// `TableArn`.
    pub arn: String,
    /// When it was created, milliseconds since the epoch.
    pub created_ms: i64,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// `AttributeDefinitions`, in the order that DescribeTable shows.
    pub attribute_definitions: Vec<AttributeDefinitionRecord>,
    /// `KeySchema`.
    pub key_schema: Vec<KeySchemaElementRecord>,
    /// `LocalSecondaryIndexes`.
    pub local_indexes: Vec<IndexRecord>,
    /// `GlobalSecondaryIndexes`, those that are being created or deleted included.
    pub global_indexes: Vec<IndexRecord>,
    /// How the table is paid for.
    pub billing: BillingRecord,
    /// The table's throughput; 0 and 0 on demand.
    pub throughput: ThroughputRecord,
    /// `OnDemandThroughput`.
    pub on_demand: OnDemandRecord,
    /// `WarmThroughput`.
    pub warm: WarmRecord,
    /// The stream, also when it is disabled: its ARN stays.
    pub stream: Option<StreamRecord>,
    /// Encryption with a KMS key.
    pub sse: Option<SseRecord>,
    /// The table class, once set.
    pub table_class: Option<TableClassRecord>,
    /// Whether DeleteTable is refused.
    pub deletion_protection: bool,
    /// Tags, in the order they were first given.
    pub tags: Vec<(String, String)>,
    /// The time-to-live attribute while TTL is enabled.
    pub ttl_attribute: Option<String>,
    /// Contributor Insights of the table itself, once set.
    #[serde(default)]
    pub insights: Option<InsightsRecord>,
    /// The number on disk of the index of expiry times, while TTL is enabled.
    #[serde(default)]
    pub expiry_id: Option<ObjectId>,
    /// When TTL was last enabled or disabled, milliseconds; absent when it never was.
    #[serde(default)]
    pub ttl_changed_ms: Option<i64>,
    /// The days of point-in-time recovery, while it is enabled. It is a setting that is shown: nothing is recovered by it.
    #[serde(default)]
    pub recovery_period_days: Option<i32>,
}

impl TableRecord {
    /// The numbers on disk of the table and all that goes with it: indexes, and the index of expiry times.
    pub fn objects(&self) -> Vec<ObjectId> {
        let indexes = self.local_indexes.iter().chain(&self.global_indexes).map(|index| index.id);
        std::iter::once(self.id).chain(indexes).chain(self.expiry_id).collect()
    }
}

/// Where a table or an index is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Lifecycle {
    /// Being created; active from the time given, in milliseconds.
    Creating {
        /// When it becomes active.
        until_ms: i64,
    },
    /// Usable.
    Active,
    /// Being changed; active again from the time given.
    Updating {
        /// When it becomes active again.
        until_ms: i64,
        /// What is being changed, which decides what else must wait.
        change: Change,
    },
    /// Being deleted; gone from the time given.
    Deleting {
        /// When it is gone.
        until_ms: i64,
    },
}

/// What an update changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// Throughput or billing mode.
    Throughput,
    /// The stream is enabled or disabled.
    Stream,
    /// The table class.
    TableClass,
    /// A global index is created or deleted.
    Indexes,
    /// Anything that only the changed part itself waits for.
    Settings,
}

/// A lifecycle as seen at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// `CREATING`.
    Creating,
    /// `ACTIVE`.
    #[default]
    Active,
    /// `UPDATING`.
    Updating,
    /// `DELETING`.
    Deleting,
    /// Not there any more.
    Gone,
}

impl Lifecycle {
    /// The state at `now`: what falls due by time needs no job to happen.
    pub fn status(self, now: Timestamp) -> Status {
        let due = |until_ms: i64| now.millis() >= until_ms;
        match self {
            Lifecycle::Creating { until_ms } if !due(until_ms) => Status::Creating,
            Lifecycle::Updating { until_ms, .. } if !due(until_ms) => Status::Updating,
            Lifecycle::Deleting { until_ms } if due(until_ms) => Status::Gone,
            Lifecycle::Deleting { .. } => Status::Deleting,
            Lifecycle::Creating { .. } | Lifecycle::Updating { .. } | Lifecycle::Active => Status::Active,
        }
    }

    /// The state as the operation that began it answers it, however short it is.
    pub fn begun(self) -> Status {
        match self {
            Lifecycle::Creating { .. } => Status::Creating,
            Lifecycle::Active => Status::Active,
            Lifecycle::Updating { .. } => Status::Updating,
            Lifecycle::Deleting { .. } => Status::Deleting,
        }
    }

    /// The lifecycle without what is over at `now`.
    #[must_use]
    pub fn settled(self, now: Timestamp) -> Lifecycle {
        if self.status(now) == Status::Active { Lifecycle::Active } else { self }
    }
}

impl Status {
    /// The wire name. What is gone is shown by nobody; it reads as `DELETING`.
    pub fn name(self) -> &'static str {
        match self {
            Status::Creating => "CREATING",
            Status::Active => "ACTIVE",
            Status::Updating => "UPDATING",
            Status::Deleting | Status::Gone => "DELETING",
        }
    }
}

/// An attribute definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttributeDefinitionRecord {
    /// The attribute's name.
    pub name: String,
    /// Its type.
    pub attribute_type: ScalarAttributeType,
}

/// An element of a key schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeySchemaElementRecord {
    /// The attribute's name.
    pub name: String,
    /// Its role.
    pub key_type: KeyType,
}

/// A secondary index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IndexRecord {
    /// Its name.
    pub name: String,
    /// Its number on disk.
    pub id: ObjectId,
    /// `KeySchema`.
    pub key_schema: Vec<KeySchemaElementRecord>,
    /// `Projection`.
    pub projection: ProjectionRecord,
    /// Where it is in its life; local indexes follow their table.
    pub lifecycle: Lifecycle,
    /// Whether its rows are still being filled in from the table: set when UpdateTable adds it, cleared by the
    /// backfill job.
    pub backfilling: bool,
    /// Its throughput; 0 and 0 on demand.
    pub throughput: ThroughputRecord,
    /// `OnDemandThroughput`.
    pub on_demand: OnDemandRecord,
    /// `WarmThroughput`.
    pub warm: WarmRecord,
    /// Contributor Insights, of a global index, once set.
    #[serde(default)]
    pub insights: Option<InsightsRecord>,
}

/// Contributor Insights of a table or global index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InsightsRecord {
    /// Whether it is on, or on its way there.
    pub enabled: bool,
    /// Which keys.
    pub mode: ContributorInsightsMode,
    /// Until when it is on its way, milliseconds.
    pub until_ms: i64,
    /// When it was last switched on, milliseconds: in the names of its rules.
    pub enabled_ms: i64,
    /// When it last changed, milliseconds.
    pub updated_ms: i64,
}

impl InsightsRecord {
    /// The rules that it makes; of items only with a sort key.
    pub(crate) fn rules(&self, has_sort_key: bool) -> Vec<RuleKind> {
        let is_made = |kind: &RuleKind| {
            self.enabled
                && (has_sort_key || !kind.is_of_items())
                && (kind.is_of_throttles() || self.mode == ContributorInsightsMode::AccessedAndThrottledKeys)
        };
        RuleKind::ALL.into_iter().filter(is_made).collect()
    }

    /// The name of a rule on a table or one of its indexes.
    pub(crate) fn rule_name(&self, kind: RuleKind, table: &str, index: Option<&str>) -> String {
        let index = index.map(|index| format!("{index}-")).unwrap_or_default();
        format!("DynamoDBContributorInsights-{}-{table}-{index}{}", kind.word(), self.enabled_ms)
    }
}

/// What an index holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProjectionRecord {
    /// `ALL`.
    All,
    /// `KEYS_ONLY`.
    KeysOnly,
    /// `INCLUDE` with its attributes, sorted.
    Include(Vec<String>),
}

/// How a table is paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BillingRecord {
    /// The mode now.
    pub mode: BillingMode,
    /// When it last became PAY_PER_REQUEST, milliseconds; absent when it never was.
    pub pay_per_request_since_ms: Option<i64>,
}

/// Provisioned throughput and its history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThroughputRecord {
    /// Read capacity units a second.
    pub read: i64,
    /// Write capacity units a second.
    pub write: i64,
    /// When it last grew, milliseconds.
    pub last_increase_ms: Option<i64>,
    /// When it last shrank, milliseconds.
    pub last_decrease_ms: Option<i64>,
    /// Decreases on the UTC day of `last_decrease_ms`.
    pub decreases_that_day: u32,
}

impl ThroughputRecord {
    /// `NumberOfDecreasesToday`: decreases so far on the UTC day of `now`.
    pub fn decreases_today(&self, now: Timestamp) -> u32 {
        let day = |millis: i64| millis.div_euclid(86_400_000);
        let today = self.last_decrease_ms.is_some_and(|last| day(last) == day(now.millis()));
        if today { self.decreases_that_day } else { 0 }
    }

    /// Whether either number would become smaller.
    pub fn is_decrease(&self, read: i64, write: i64) -> bool {
        read < self.read || write < self.write
    }

    /// The throughput after a change at `now`, its history included.
    #[must_use]
    pub fn changed(self, read: i64, write: i64, now: Timestamp) -> ThroughputRecord {
        let mut changed = ThroughputRecord { read, write, ..self };
        if read > self.read || write > self.write {
            changed.last_increase_ms = Some(now.millis());
        }
        if self.is_decrease(read, write) {
            changed.decreases_that_day = self.decreases_today(now) + 1;
            changed.last_decrease_ms = Some(now.millis());
        }
        changed
    }
}

/// The most that an on-demand table may use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnDemandRecord {
    /// `MaxReadRequestUnits`.
    pub max_read: Option<i64>,
    /// `MaxWriteRequestUnits`.
    pub max_write: Option<i64>,
}

/// Warm throughput: what is there at once. It starts at what the billing mode gives and only grows, by a request
/// or because the provisioned throughput was higher once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarmRecord {
    /// `ReadUnitsPerSecond`.
    pub read: i64,
    /// `WriteUnitsPerSecond`.
    pub write: i64,
    /// Where its last change is.
    pub lifecycle: Lifecycle,
}

/// The table class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableClassRecord {
    /// The class.
    pub class: TableClass,
    /// When UpdateTable last changed it, milliseconds; absent since CreateTable.
    pub changed_ms: Option<i64>,
    /// When UpdateTable changed it the time before: two changes in thirty days are allowed.
    pub changed_before_ms: Option<i64>,
}

/// A stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamRecord {
    /// Whether it takes records.
    pub enabled: bool,
    /// What a record holds.
    pub view_type: StreamViewType,
    /// `LatestStreamLabel`.
    pub label: String,
}

impl StreamRecord {
    /// `StreamArn`.
    pub fn arn(&self, table: &TableRecord) -> String {
        format!("{}/stream/{}", table.arn, self.label)
    }
}

/// Encryption with a KMS key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SseRecord {
    /// `KMS`.
    pub sse_type: SseType,
    /// The key's ARN.
    pub key_arn: String,
    /// Where its last change is; `Deleting` while the table returns to the key that AWS owns.
    pub lifecycle: Lifecycle,
}

/// The key of a schema, its types taken from the definitions. Attributes without a definition are left out; the
/// checks of CreateTable see to it that there are none.
pub fn key_of(schema: &[KeySchemaElementRecord], definitions: &[AttributeDefinitionRecord]) -> KeySchema {
    let attributes = |role: KeyType| {
        schema
            .iter()
            .filter(|element| element.key_type == role)
            .filter_map(|element| {
                let definition = definitions.iter().find(|d| d.name == element.name)?;
                let scalar_type = match definition.attribute_type {
                    ScalarAttributeType::S => ScalarType::S,
                    ScalarAttributeType::N => ScalarType::N,
                    ScalarAttributeType::B => ScalarType::B,
                };
                Some(KeyAttribute { name: element.name.clone(), scalar_type })
            })
            .collect()
    };
    KeySchema { partition: attributes(KeyType::Hash), sort: attributes(KeyType::Range) }
}

//! What is stored of a scalable target: one row, as JSON with a format number.

use dynamometer_capacity::admission::Dimension;
use dynamometer_store::{Batch, Keyspace};
use dynamometer_types::key::partition_hash;
use dynamometer_types::name::has_name_characters;
use dynamometer_types::{ApiError, Timestamp};
use serde::{Deserialize, Serialize};

use super::TargetKey;
use crate::api::scaling::ScalableDimension;
use crate::disk::keys::ObjectId;
use crate::ops::uuid;

/// The format of [`TargetRecord`] rows. A newer one is refused at start.
pub(crate) const TARGET_FORMAT: u32 = 1;

/// What the keys of targets begin with, and what comes after all of them.
pub(super) const ROW_PREFIX: &[u8] = b"target\0";
pub(super) const AFTER_ROWS: &[u8] = b"target\x01";

/// A scalable target, as stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TargetRecord {
    /// Always [`TARGET_FORMAT`].
    pub(crate) format: u32,
    /// The database, and the region and account that its ARNs have.
    pub(crate) namespace: String,
    pub(crate) region: String,
    pub(crate) account: String,
    /// Its id in ARNs: a UUID.
    pub(crate) id: String,
    /// The table or index.
    pub(crate) resource: ResourceRecord,
    /// Reads or writes.
    pub(crate) dimension: ScalableDimension,
    /// The least and the most throughput.
    pub(crate) least: i32,
    pub(crate) most: i32,
    /// What is suspended.
    pub(crate) suspended: SuspendedRecord,
    pub(crate) created_ms: i64,
    /// In the order in which they were first given.
    pub(crate) tags: Vec<(String, String)>,
    /// By name.
    pub(crate) policies: Vec<PolicyRecord>,
    pub(crate) scheduled: Vec<ScheduledRecord>,
    /// From when on the bounds are to be held against the throughput; absent when that is done.
    pub(crate) enforce_at_ms: Option<i64>,
    /// The last change that a policy made.
    pub(crate) last: Option<LastScaling>,
    /// What was told last of attempts that came to nothing: the same is told once.
    pub(crate) told: Option<String>,
    /// How many activities there were so far.
    pub(crate) activities: u64,
    /// The table as it was when the policies came to rest, if they have: until it changes or is used, looks would show
    /// what the last one did.
    #[serde(skip)]
    pub(crate) rests_at: Option<SeenTable>,
}

/// The number and the version of a target's table; `None` when there is none.
pub(crate) type SeenTable = Option<(ObjectId, u64)>;

/// A table, or one of its global indexes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ResourceRecord {
    pub(crate) table: String,
    pub(crate) index: Option<String>,
}

/// What of a target's scaling is suspended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SuspendedRecord {
    pub(crate) dynamic_in: bool,
    pub(crate) dynamic_out: bool,
    pub(crate) scheduled: bool,
}

/// A target tracking policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PolicyRecord {
    pub(crate) name: String,
    /// Its id in ARNs: a UUID.
    pub(crate) id: String,
    pub(crate) created_ms: i64,
    /// The configuration as given: the target in percent, cooldowns in seconds.
    pub(crate) target_value: f64,
    pub(crate) scale_out_cooldown: Option<i32>,
    pub(crate) scale_in_cooldown: Option<i32>,
    pub(crate) disable_scale_in: Option<bool>,
    /// The alarms are made anew when the throughput changes: how often that was, for which throughput, and when.
    pub(crate) alarms_made: u32,
    pub(crate) alarms_for: i64,
    pub(crate) alarms_since_ms: i64,
    /// The minute of the last look at the alarms, since the server started.
    #[serde(skip)]
    pub(crate) looked_ms: i64,
}

/// A scheduled action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ScheduledRecord {
    pub(crate) name: String,
    pub(crate) schedule: String,
    pub(crate) timezone: Option<String>,
    pub(crate) start_ms: Option<i64>,
    pub(crate) end_ms: Option<i64>,
    pub(crate) least: Option<i32>,
    pub(crate) most: Option<i32>,
    pub(crate) created_ms: i64,
    /// When it falls due next; absent when it never will.
    pub(crate) next_ms: Option<i64>,
}

/// A change that a policy made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LastScaling {
    pub(crate) at_ms: i64,
    pub(crate) units: u64,
    pub(crate) is_out: bool,
}

impl ResourceRecord {
    /// Reads `table/Orders` or `table/Orders/index/by-date`.
    pub(crate) fn parse(resource_id: &str) -> Option<ResourceRecord> {
        let is_name = |name: &str| (3..=255).contains(&name.len()) && has_name_characters(name);
        let mut parts = resource_id.split('/');
        let (kind, table) = (parts.next()?, parts.next()?);
        let index = match (parts.next(), parts.next(), parts.next()) {
            (None, _, _) => None,
            (Some("index"), Some(index), None) => Some(index),
            _ => return None,
        };
        let is_resource = kind == "table" && is_name(table) && index.is_none_or(is_name);
        is_resource.then(|| ResourceRecord { table: table.to_owned(), index: index.map(str::to_owned) })
    }

    /// As requests name it.
    pub(crate) fn id(&self) -> String {
        match &self.index {
            None => format!("table/{}", self.table),
            Some(index) => format!("table/{}/index/{index}", self.table),
        }
    }
}

impl TargetRecord {
    pub(crate) fn key(&self) -> TargetKey {
        TargetKey::new(&self.namespace, &self.resource.id(), self.dimension)
    }

    /// Puts the target's row into a batch.
    pub(crate) fn put(&self, batch: &mut Batch) {
        let row = serde_json::to_vec(self).expect("a record has only strings for keys");
        batch.put(Keyspace::Scaling, row_key(&self.key()), row);
    }

    /// Reads or writes.
    pub(crate) fn side(&self) -> Dimension {
        side_of(self.dimension)
    }

    /// The one predefined metric that its policies can track.
    pub(crate) fn utilization_metric(&self) -> &'static str {
        match self.side() {
            Dimension::Read => "DynamoDBReadCapacityUtilization",
            Dimension::Write => "DynamoDBWriteCapacityUtilization",
        }
    }

    /// The target's ARN. AWS's ids begin with `0d26` for DynamoDB.
    pub(crate) fn arn(&self) -> String {
        let (region, account) = (&self.region, &self.account);
        let id = self.id.replace('-', "");
        format!("arn:aws:application-autoscaling:{region}:{account}:scalable-target/0d26{id}")
    }

    /// The role that AWS shows, whichever was given: the service's own.
    pub(crate) fn role_arn(&self) -> String {
        format!(
            "arn:aws:iam::{}:role/aws-service-role/dynamodb.application-autoscaling.amazonaws.com/\
             AWSServiceRoleForApplicationAutoScaling_DynamoDBTable",
            self.account
        )
    }

    pub(crate) fn policy_arn(&self, policy: &PolicyRecord) -> String {
        format!(
            "arn:aws:autoscaling:{}:{}:scalingPolicy:{}:resource/dynamodb/{}:policyName/{}",
            self.region,
            self.account,
            policy.id,
            self.resource.id(),
            policy.name
        )
    }

    pub(crate) fn scheduled_arn(&self, action: &ScheduledRecord) -> String {
        format!(
            "arn:aws:autoscaling:{}:{}:scheduledAction:{}:resource/dynamodb/{}:scheduledActionName/{}",
            self.region,
            self.account,
            self.id,
            self.resource.id(),
            action.name
        )
    }

    /// The id of the target's next activity.
    pub(crate) fn next_activity_id(&mut self) -> String {
        self.activities += 1;
        derived_uuid(&format!("{}/activity/{}", self.id, self.activities))
    }
}

/// Reads or writes.
pub(crate) fn side_of(dimension: ScalableDimension) -> Dimension {
    match dimension {
        ScalableDimension::TableRead | ScalableDimension::IndexRead => Dimension::Read,
        _ => Dimension::Write,
    }
}

impl PolicyRecord {
    /// Makes the alarms anew when they are for another throughput.
    pub(crate) fn follow(&mut self, provisioned: i64, now: Timestamp) {
        if self.alarms_for != provisioned {
            self.alarms_made += 1;
            self.alarms_for = provisioned;
            self.alarms_since_ms = now.millis();
        }
    }
}

/// A UUID that is always the same for a text: the job has no entropy, and needs none behind the random id of a target.
pub(super) fn derived_uuid(text: &str) -> String {
    let half = |salt: &str| u128::from(partition_hash(format!("{salt}/{text}").as_bytes()));
    uuid(half("high") << 64 | half("low"))
}

/// `target \0 namespace \0 resource \0 dimension`: none of them holds a zero byte.
pub(super) fn row_key(key: &TargetKey) -> Vec<u8> {
    let parts = [key.namespace.as_bytes(), key.resource_id.as_bytes(), key.dimension.as_bytes()];
    [ROW_PREFIX, &parts.join(&0)].concat()
}

/// What is said of a target that is not there.
pub(crate) fn no_target(what: &str, key: &TargetKey) -> ApiError {
    ApiError::new(
        dynamometer_types::ErrorKind::ObjectNotFound,
        format!(
            "No {what} for service namespace: dynamodb, resource ID: {}, scalable dimension: {}",
            key.resource_id, key.dimension
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_tables_and_indexes() {
        for (id, table, index) in [("table/abc", "abc", None), ("table/a.b/index/c-d", "a.b", Some("c-d"))] {
            let resource = ResourceRecord::parse(id).unwrap();
            assert_eq!((resource.table.as_str(), resource.index.as_deref()), (table, index));
            assert_eq!(resource.id(), id);
        }
        for id in ["", "abc", "table", "table/", "table/ab", "table/a b c", "table/abc/", "table/abc/index"] {
            assert_eq!(ResourceRecord::parse(id), None, "{id}");
        }
        for id in ["table/abc/index/de", "table/abc/index/def/", "index/abc", "table/abc/stream/def"] {
            assert_eq!(ResourceRecord::parse(id), None, "{id}");
        }
    }
}

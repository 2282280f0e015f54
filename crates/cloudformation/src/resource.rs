//! What a template asks for, ready to be compared with what is there.

use serde_json::Value;

use crate::finding::Position;
use crate::kinds::shape::Places;
use crate::table::{Table, Tag};

/// A resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// Its name in the template.
    pub logical_id: String,
    /// Its `Type`.
    pub kind: String,
    /// Where it is declared.
    pub at: Position,
    /// Where its properties are.
    pub places: Places,
    /// Whether `UpdateReplacePolicy` says that what is replaced stays.
    pub retain_replaced: bool,
    /// What it is.
    pub wanted: Wanted,
}

/// What a resource is.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// A table.
    Table(Box<Table>),
    /// What Application Auto Scaling may change, and how far.
    ScalableTarget(ScalableTarget),
    /// How it changes it.
    ScalingPolicy(ScalingPolicy),
}

impl Resource {
    /// What the resource is called outside of the template.
    pub fn physical_name(&self) -> &str {
        match &self.wanted {
            Wanted::Table(table) => &table.name,
            Wanted::ScalableTarget(target) => &target.scales.resource_id,
            Wanted::ScalingPolicy(policy) => &policy.name,
        }
    }
}

/// What is scaled: `table/Orders` or `table/Orders/index/ByDate`, and one of its four dimensions, such as
/// `dynamodb:table:ReadCapacityUnits`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub struct Scales {
    pub resource_id: String,
    pub dimension: String,
}

/// A scalable target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScalableTarget {
    /// What is scaled.
    pub scales: Scales,
    /// `MinCapacity`, in capacity units a second.
    pub min: i64,
    /// `MaxCapacity`, in capacity units a second.
    pub max: i64,
    /// The role, where one is given.
    pub role: Option<String>,
    /// `SuspendedState`, as the API takes it; null when it is left out.
    pub suspended: Value,
    /// Scheduled actions, each with its name, as the API takes them.
    pub scheduled: Vec<Value>,
    /// Its tags.
    pub tags: Vec<Tag>,
}

/// A scaling policy: target tracking, the only kind that DynamoDB has.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScalingPolicy {
    /// Its name.
    pub name: String,
    /// What is scaled.
    pub scales: Scales,
    /// `TargetTrackingScalingPolicyConfiguration`, as the API takes it.
    pub configuration: Value,
}

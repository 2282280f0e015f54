//! What auto scaling did: a row for each activity, kept for six weeks, newest first.

use std::ops::{Bound, ControlFlow};

use bytes::Bytes;
use dynamometer_capacity::admission::Dimension;
use dynamometer_store::{Batch, Direction, Keyspace, Snapshot, StoreError};
use dynamometer_types::Timestamp;
use serde::{Deserialize, Serialize};

use super::record::{TargetRecord, side_of};
use crate::api::scaling::{NotScaledReason, ScalableDimension, ScalingActivity, ServiceNamespace};
use crate::disk::keys::after_prefix;

/// How long activities can be looked up (documented).
const KEPT_MS: i64 = 6 * 7 * 86_400_000;

/// An activity, as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ActivityRecord {
    pub(crate) id: String,
    pub(crate) resource_id: String,
    pub(crate) dimension: ScalableDimension,
    pub(crate) cause: String,
    pub(crate) start_ms: i64,
    pub(crate) event: Event,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Event {
    /// The throughput was changed; it is there from a time on.
    Set { units: i64, ready_ms: i64 },
    /// The throughput was to be changed, and that was refused.
    Refused { units: i64, reason: String },
    /// A scheduled action set bounds.
    Bounds { least: Option<i32>, most: Option<i32> },
    /// A scheduled action was to set bounds that do not go together.
    BoundsRefused { least: Option<i32>, most: Option<i32>, reason: String },
    /// An alarm asked for more than the most.
    AtMost(i32),
    /// An alarm asked for less than the least.
    AtLeast(i32),
}

impl Event {
    /// AWS's code for an attempt that came to nothing because a bound was reached.
    pub(crate) fn not_scaled_code(&self) -> Option<&'static str> {
        match self {
            Event::AtMost(_) => Some("AlreadyAtMaxCapacity"),
            Event::AtLeast(_) => Some("AlreadyAtMinCapacity"),
            _ => None,
        }
    }
}

impl ActivityRecord {
    /// An activity of a target.
    pub(crate) fn new(
        target: &mut TargetRecord,
        now: Timestamp,
        cause: String,
        event: Event,
    ) -> ActivityRecord {
        ActivityRecord {
            id: target.next_activity_id(),
            resource_id: target.resource.id(),
            dimension: target.dimension,
            cause,
            start_ms: now.millis(),
            event,
        }
    }

    /// Puts the activity into a batch.
    pub(crate) fn put(&self, target: &TargetRecord, batch: &mut Batch) {
        let row = serde_json::to_vec(self).expect("a record has only strings for keys");
        let order = [(!self.start_ms).to_be_bytes(), (!target.activities).to_be_bytes()].concat();
        let named = [&target.resource.id(), target.dimension.name(), &target.id].join("\0");
        let key = [prefix(&target.namespace), order, named.into_bytes()].concat();
        batch.put(Keyspace::Scaling, key, row);
    }

    /// The activity as it is answered at `now`, in AWS's words.
    fn describe(self, now: Timestamp) -> ScalingActivity {
        let start_time = Timestamp::from_millis(self.start_ms);
        let (description, status_code, status_message, end_time) = words(&self, now);
        ScalingActivity {
            activity_id: self.id,
            service_namespace: ServiceNamespace::DynamoDb,
            resource_id: self.resource_id,
            scalable_dimension: self.dimension,
            description,
            cause: self.cause,
            start_time,
            end_time,
            status_code,
            status_message,
            not_scaled_reasons: not_scaled(&self.event).map(|reason| vec![reason]),
        }
    }
}

type Words = (String, &'static str, Option<String>, Option<Timestamp>);

fn words(activity: &ActivityRecord, now: Timestamp) -> Words {
    let units_words = match side_of(activity.dimension) {
        Dimension::Read => "read capacity units",
        Dimension::Write => "write capacity units",
    };
    let start = Timestamp::from_millis(activity.start_ms);
    match &activity.event {
        Event::Set { units, ready_ms } if now.millis() < *ready_ms => (
            format!("Setting {units_words} to {units}."),
            "InProgress",
            Some(format!(
                "Successfully set {units_words} to {units}. Waiting for change to be fulfilled by dynamodb."
            )),
            None,
        ),
        Event::Set { units, ready_ms } => (
            format!("Setting {units_words} to {units}."),
            "Successful",
            Some(format!(
                "Successfully set {units_words} to {units}. Change successfully fulfilled by dynamodb."
            )),
            Some(Timestamp::from_millis(*ready_ms)),
        ),
        Event::Refused { units, reason } => (
            format!("Setting {units_words} to {units}."),
            "Failed",
            Some(format!("Failed to set {units_words} to {units}. Reason: Failed updating table: {reason}")),
            Some(start),
        ),
        Event::Bounds { least, most } => {
            let bounds = bounds_words(*least, *most);
            (format!("Setting {bounds}"), "Successful", Some(format!("Successfully set {bounds}")), None)
        }
        Event::BoundsRefused { least, most, reason } => {
            let bounds = bounds_words(*least, *most);
            let message = format!("Failed to set {bounds}. Reason: {reason}");
            (format!("Setting {bounds}"), "Failed", Some(message), None)
        }
        Event::AtMost(_) | Event::AtLeast(_) => {
            ("Attempting to scale due to alarm triggered".to_owned(), "Failed", None, None)
        }
    }
}

/// `min capacity to 5 and max capacity to 10`, or one of them.
fn bounds_words(least: Option<i32>, most: Option<i32>) -> String {
    let least = least.map(|least| format!("min capacity to {least}"));
    let most = most.map(|most| format!("max capacity to {most}"));
    least.into_iter().chain(most).collect::<Vec<_>>().join(" and ")
}

fn not_scaled(event: &Event) -> Option<NotScaledReason> {
    let bound = |at_bound: bool, bound: &i32| at_bound.then_some(*bound);
    let (Event::AtMost(units) | Event::AtLeast(units)) = event else { return None };
    Some(NotScaledReason {
        code: event.not_scaled_code()?,
        max_capacity: bound(matches!(event, Event::AtMost(_)), units),
        min_capacity: bound(matches!(event, Event::AtLeast(_)), units),
        current_capacity: None,
    })
}

/// A page of activities.
pub(crate) struct Query<'a> {
    pub(crate) namespace: &'a str,
    pub(crate) resource_id: Option<&'a str>,
    pub(crate) dimension: Option<ScalableDimension>,
    /// With those that came to nothing because a bound was reached.
    pub(crate) with_not_scaled: bool,
    /// Those after this one, as a former page named it.
    pub(crate) after: Option<Vec<u8>>,
    pub(crate) limit: usize,
}

/// Reads a page, newest first; answers it with where the next begins.
///
/// # Errors
/// When the store fails, or a row cannot be read.
pub(crate) fn read_page(
    view: &dyn Snapshot,
    query: &Query<'_>,
    now: Timestamp,
) -> Result<(Vec<ScalingActivity>, Option<Vec<u8>>), StoreError> {
    let prefix = prefix(query.namespace);
    let end = oldest_kept(query.namespace, now);
    let start = match &query.after {
        Some(after) => [prefix.as_slice(), after].concat(),
        None => prefix.clone(),
    };
    let (mut page, mut last, mut more, mut fault) = (Vec::new(), None, false, None);
    view.range(
        Keyspace::Scaling,
        Bound::Excluded(&start),
        Bound::Excluded(&end),
        Direction::Forward,
        &mut |key, row| {
            let activity: ActivityRecord = match serde_json::from_slice(row) {
                Ok(activity) => activity,
                Err(error) => {
                    fault = Some(format!("a scaling activity: {error}"));
                    return ControlFlow::Break(());
                }
            };
            let is_asked = query.resource_id.is_none_or(|id| activity.resource_id == id)
                && query.dimension.is_none_or(|dimension| activity.dimension == dimension)
                && (query.with_not_scaled || activity.event.not_scaled_code().is_none());
            if !is_asked {
                return ControlFlow::Continue(());
            }
            if page.len() == query.limit {
                more = true;
                return ControlFlow::Break(());
            }
            last = Some(key[prefix.len()..].to_vec());
            page.push(activity.describe(now));
            ControlFlow::Continue(())
        },
    )?;
    match fault {
        Some(sentence) => Err(StoreError::Corrupt(sentence.into())),
        None => Ok((page, last.filter(|_| more))),
    }
}

/// Puts into a batch that the activities of a database go which are too old, or all of them.
///
/// # Errors
/// When the store fails.
pub(crate) fn forget(
    view: &dyn Snapshot,
    namespace: &str,
    older_than: Option<Timestamp>,
    batch: &mut Batch,
) -> Result<(), StoreError> {
    let prefix = prefix(namespace);
    let start = older_than.map_or_else(|| prefix.clone(), |now| oldest_kept(namespace, now));
    let end = after_prefix(&prefix);
    let end = end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
    view.range(Keyspace::Scaling, Bound::Included(&start), end, Direction::Forward, &mut |key, _| {
        batch.delete(Keyspace::Scaling, Bytes::copy_from_slice(key));
        ControlFlow::Continue(())
    })
}

/// `activity \0 namespace \0`; behind it the time and the count of the activity, inverted, and what names its target: so
/// activities of one moment have an order that does not change from run to run.
fn prefix(namespace: &str) -> Vec<u8> {
    [b"activity\0", namespace.as_bytes(), b"\0"].concat()
}

/// Where activities begin that are too old to be shown.
fn oldest_kept(namespace: &str, now: Timestamp) -> Vec<u8> {
    let oldest = now.millis().saturating_sub(KEPT_MS).max(0);
    [prefix(namespace), (!oldest).to_be_bytes().to_vec()].concat()
}

//! The alarms that AWS shows of target tracking policies: four for each.
//!
//! Two are on the units consumed, above the target and well below it; without scale-in there is no lower one. Two are on
//! the throughput: they notice that somebody else changed it, upon which all of them are made anew, under new names.
//!
//! # Source
//! Alarms that AWS made (2017 to 2026): names, metrics, periods, counts and thresholds. Assumed: for their first minute
//! they have no data; those on the throughput are in order afterwards.

use dynamometer_capacity::admission::Dimension;
use dynamometer_capacity::autoscaling;
use dynamometer_types::Timestamp;

use super::record::{PolicyRecord, TargetRecord, derived_uuid};
use crate::api::scaling::Alarm;
use crate::engine::Engine;

/// How long alarms that were just made have no data.
const WITHOUT_DATA_MS: i64 = 60_000;

/// The four alarms of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AlarmKind {
    /// On units consumed, raises throughput.
    High,
    /// On units consumed, lowers it.
    Low,
    /// On the throughput.
    ProvisionedHigh,
    /// On the throughput.
    ProvisionedLow,
}

/// The state of an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlarmState {
    /// `OK`.
    Ok,
    /// `ALARM`.
    Alarm,
    /// `INSUFFICIENT_DATA`.
    InsufficientData,
}

/// An alarm of a target tracking policy, as CloudWatch would describe it. Its namespace is `AWS/DynamoDB`, its one action
/// the policy; it is evaluated with as many datapoints as periods, and missing data count as missing.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackingAlarm {
    /// `TargetTracking-table/Orders-AlarmHigh-` and a UUID.
    pub name: String,
    /// Its ARN.
    pub arn: String,
    /// The ARN of the policy that it triggers.
    pub policy_arn: String,
    /// `ConsumedReadCapacityUnits` and the like.
    pub metric: &'static str,
    /// The dimension `TableName`.
    pub table: String,
    /// The dimension `GlobalSecondaryIndexName`.
    pub index: Option<String>,
    /// `Sum` or `Average`.
    pub statistic: &'static str,
    /// Seconds.
    pub period_seconds: u32,
    /// How many periods in a row.
    pub evaluation_periods: u32,
    /// Units in a period.
    pub threshold: f64,
    /// `GreaterThanThreshold`, or else `LessThanThreshold`.
    pub is_above: bool,
    /// Its state now.
    pub state: AlarmState,
    /// When it was made.
    pub made: Timestamp,
}

impl AlarmKind {
    const ALL: [AlarmKind; 4] =
        [AlarmKind::High, AlarmKind::Low, AlarmKind::ProvisionedHigh, AlarmKind::ProvisionedLow];

    fn word(self) -> &'static str {
        match self {
            AlarmKind::High => "AlarmHigh",
            AlarmKind::Low => "AlarmLow",
            AlarmKind::ProvisionedHigh => "ProvisionedCapacityHigh",
            AlarmKind::ProvisionedLow => "ProvisionedCapacityLow",
        }
    }
}

impl PolicyRecord {
    fn alarm_kinds(&self) -> impl Iterator<Item = AlarmKind> + use<'_> {
        let is_there = |kind: &AlarmKind| *kind != AlarmKind::Low || self.disable_scale_in != Some(true);
        AlarmKind::ALL.into_iter().filter(is_there)
    }
}

impl TargetRecord {
    /// The name of an alarm of a policy.
    pub(crate) fn alarm_name(&self, policy: &PolicyRecord, kind: AlarmKind) -> String {
        let word = kind.word();
        let uuid = derived_uuid(&format!("{}/{word}/{}", policy.id, policy.alarms_made));
        format!("TargetTracking-{}-{word}-{uuid}", self.resource.id())
    }

    fn alarm_arn(&self, name: &str) -> String {
        format!("arn:aws:cloudwatch:{}:{}:alarm:{name}", self.region, self.account)
    }

    /// The alarms of a policy as Application Auto Scaling answers them.
    pub(crate) fn alarms(&self, policy: &PolicyRecord) -> Vec<Alarm> {
        let names = policy.alarm_kinds().map(|kind| self.alarm_name(policy, kind));
        names.map(|name| Alarm { alarm_arn: self.alarm_arn(&name), alarm_name: name }).collect()
    }
}

impl Engine {
    /// The alarms of the target tracking policies of a database, by name.
    pub fn tracking_alarms(&self, namespace: &str, now: Timestamp) -> Vec<TrackingAlarm> {
        let targets: Vec<TargetRecord> = {
            let by_key = self.targets.lock();
            by_key.iter().filter(|(key, _)| key.namespace == namespace).map(|(_, t)| t.clone()).collect()
        };
        let mut alarms: Vec<TrackingAlarm> = targets
            .iter()
            .flat_map(|target| target.policies.iter().map(move |policy| (target, policy)))
            .flat_map(|(target, policy)| {
                policy.alarm_kinds().map(move |kind| self.tracking_alarm(target, policy, kind, now))
            })
            .collect();
        alarms.sort_by(|a, b| a.name.cmp(&b.name));
        alarms
    }

    fn tracking_alarm(
        &self,
        target: &TargetRecord,
        policy: &PolicyRecord,
        kind: AlarmKind,
        now: Timestamp,
    ) -> TrackingAlarm {
        let constants = &self.config.constants;
        let provisioned = policy.alarms_for;
        let shown = self.alarms_of(target, policy, provisioned, now);
        let per_minute = |ten_thousandths: u64| ten_thousandths as f64 / 10_000.0;
        let (high, low) = shown
            .as_ref()
            .map_or((0, 0), |(scaler, _)| scaler.alarm_thresholds(provisioned.unsigned_abs(), constants));
        let (is_above, threshold, shows) = match kind {
            AlarmKind::High => (true, per_minute(high), shown.map(|(_, alarms)| alarms.high)),
            AlarmKind::Low => (false, per_minute(low), shown.map(|(_, alarms)| alarms.low)),
            AlarmKind::ProvisionedHigh => (true, provisioned as f64, Some(autoscaling::Alarm::Ok)),
            AlarmKind::ProvisionedLow => (false, provisioned as f64, Some(autoscaling::Alarm::Ok)),
        };
        let is_consumed = matches!(kind, AlarmKind::High | AlarmKind::Low);
        let made = Timestamp::from_millis(policy.alarms_since_ms);
        let name = target.alarm_name(policy, kind);
        TrackingAlarm {
            arn: target.alarm_arn(&name),
            name,
            policy_arn: target.policy_arn(policy),
            metric: metric(is_consumed, target.side()),
            table: target.resource.table.clone(),
            index: target.resource.index.clone(),
            statistic: if is_consumed { "Sum" } else { "Average" },
            period_seconds: if is_consumed { 60 } else { 300 },
            evaluation_periods: match kind {
                AlarmKind::High => constants.scale_out_minutes as u32,
                AlarmKind::Low => constants.scale_in_minutes as u32,
                AlarmKind::ProvisionedHigh | AlarmKind::ProvisionedLow => 3,
            },
            threshold,
            is_above,
            state: if now - made < WITHOUT_DATA_MS { AlarmState::InsufficientData } else { state(shows) },
            made,
        }
    }
}

fn metric(is_consumed: bool, side: Dimension) -> &'static str {
    match (is_consumed, side) {
        (true, Dimension::Read) => "ConsumedReadCapacityUnits",
        (true, Dimension::Write) => "ConsumedWriteCapacityUnits",
        (false, Dimension::Read) => "ProvisionedReadCapacityUnits",
        (false, Dimension::Write) => "ProvisionedWriteCapacityUnits",
    }
}

fn state(shows: Option<autoscaling::Alarm>) -> AlarmState {
    match shows {
        None | Some(autoscaling::Alarm::InsufficientData) => AlarmState::InsufficientData,
        Some(autoscaling::Alarm::Ok) => AlarmState::Ok,
        Some(autoscaling::Alarm::Breached { .. }) => AlarmState::Alarm,
    }
}

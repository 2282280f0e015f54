//! Auto scaling on a clock that a test moves: what it does when, and what a restart leaves of it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::disallowed_methods, reason = "threads and the environment are the test's own")]

#[path = "../common/mod.rs"]
mod common;

use std::sync::Arc;

use common::requests::{create_table, item};
use common::{World, in_memory, on_disk, open_folder, s};
use dynamometer_engine::api::scaling::{self, *};
use dynamometer_engine::api::*;
use dynamometer_engine::throughput::ThrottleMode;
use dynamometer_engine::{AlarmState, EngineConfig};
use dynamometer_store::Store;
use dynamometer_types::{ApiError, ErrorKind};

const MINUTE: i64 = 60_000;

/// A table `Tab` with 5 units each way, at a whole minute.
struct Scaled(World);

impl Scaled {
    fn on(store: Arc<dyn Store>, config: EngineConfig) -> Scaled {
        let world = World::with(store, config);
        world.pass(0);
        let throughput =
            ProvisionedThroughput { read_capacity_units: Some(5), write_capacity_units: Some(5) };
        world.create(CreateTableRequest {
            billing_mode: None,
            provisioned_throughput: Some(throughput),
            ..create_table("Tab", (&["pk"], &[]), &["pk S".to_owned()])
        });
        Scaled(world)
    }

    fn plain() -> Scaled {
        Scaled::on(in_memory(), EngineConfig::default())
    }

    /// The same table after the server was started again on its store, at a later time.
    fn restarted(store: Arc<dyn Store>, later_ms: i64) -> Scaled {
        let world = World::on(store);
        world.advance(later_ms);
        world.pass(0);
        Scaled(world)
    }

    fn register(&self, dimension: ScalableDimension, least: i32, most: i32) {
        let request = RegisterScalableTargetRequest {
            min_capacity: Some(least),
            max_capacity: Some(most),
            ..register(dimension)
        };
        self.0.run(async |engine, context| engine.register_scalable_target(context, request).await).unwrap();
        self.0.pass(0);
    }

    fn suspend(&self, suspended_state: SuspendedState) {
        let request = RegisterScalableTargetRequest {
            suspended_state: Some(suspended_state),
            ..register(ScalableDimension::TableWrite)
        };
        self.0.run(async |engine, context| engine.register_scalable_target(context, request).await).unwrap();
    }

    fn track(&self, dimension: ScalableDimension, configuration: TargetTrackingConfiguration) {
        let metric = match dimension {
            ScalableDimension::TableRead => "DynamoDBReadCapacityUtilization",
            _ => "DynamoDBWriteCapacityUtilization",
        };
        let request = PutScalingPolicyRequest {
            policy_name: Some("p".into()),
            service_namespace: Some(Given::Known(ServiceNamespace::DynamoDb)),
            resource_id: Some("table/Tab".into()),
            scalable_dimension: Some(Given::Known(dimension)),
            policy_type: Some(Given::Known(PolicyType::TargetTrackingScaling)),
            target_tracking_scaling_policy_configuration: Some(TargetTrackingConfiguration {
                target_value: configuration.target_value.or(Some(70.0)),
                predefined_metric_specification: Some(PredefinedMetricSpecification {
                    predefined_metric_type: Some(metric.into()),
                    resource_label: None,
                }),
                ..configuration
            }),
            ..Default::default()
        };
        self.0.run(async |engine, context| engine.put_scaling_policy(context, request).await).unwrap();
    }

    fn schedule(&self, name: &str, schedule: &str, action: ScalableTargetAction) {
        let request = PutScheduledActionRequest {
            service_namespace: Some(Given::Known(ServiceNamespace::DynamoDb)),
            resource_id: Some("table/Tab".into()),
            scalable_dimension: Some(Given::Known(ScalableDimension::TableWrite)),
            scheduled_action_name: Some(name.into()),
            schedule: Some(schedule.into()),
            scalable_target_action: Some(action),
            ..Default::default()
        };
        self.0.run(async |engine, context| engine.put_scheduled_action(context, request).await).unwrap();
    }

    /// Scales writes between bounds, at 70 percent.
    fn track_writes(&self, least: i32, most: i32) {
        self.register(ScalableDimension::TableWrite, least, most);
        self.track(ScalableDimension::TableWrite, TargetTrackingConfiguration::default());
    }

    /// So many minutes with so many writes of one unit at the beginning of each.
    fn minutes(&self, count: i64, writes: u32) {
        for _ in 0..count {
            for at in 0..writes {
                let request = PutItemRequest {
                    table_name: Some("Tab".into()),
                    item: Some(item([("pk", s(format!("{at}")))])),
                    ..Default::default()
                };
                self.0.put(request).unwrap();
            }
            self.0.pass(MINUTE);
        }
    }

    fn units(&self) -> (i64, i64) {
        let throughput = self.0.describe("Tab").provisioned_throughput;
        (throughput.read_capacity_units, throughput.write_capacity_units)
    }

    /// Descriptions and states of the activities, newest first.
    fn activities(&self, with_not_scaled: bool) -> Vec<(String, &'static str)> {
        let request = DescribeScalingActivitiesRequest {
            service_namespace: Some(Given::Known(ServiceNamespace::DynamoDb)),
            include_not_scaled_activities: Some(with_not_scaled),
            ..Default::default()
        };
        let found =
            self.0.run(async |engine, context| engine.describe_scaling_activities(context, request).await);
        found.unwrap().scaling_activities.into_iter().map(|a| (a.description, a.status_code)).collect()
    }

    fn targets(&self) -> Vec<(String, i32, i32)> {
        let request = DescribeScalableTargetsRequest {
            service_namespace: Some(Given::Known(ServiceNamespace::DynamoDb)),
            ..Default::default()
        };
        let found =
            self.0.run(async |engine, context| engine.describe_scalable_targets(context, request).await);
        let found = found.unwrap().scalable_targets.into_iter();
        found.map(|t| (t.resource_id, t.min_capacity, t.max_capacity)).collect()
    }
}

fn register(dimension: ScalableDimension) -> RegisterScalableTargetRequest {
    RegisterScalableTargetRequest {
        service_namespace: Some(Given::Known(ServiceNamespace::DynamoDb)),
        resource_id: Some("table/Tab".into()),
        scalable_dimension: Some(Given::Known(dimension)),
        ..Default::default()
    }
}

fn bounds(least: i32, most: i32) -> ScalableTargetAction {
    ScalableTargetAction { min_capacity: Some(least), max_capacity: Some(most) }
}

#[test]
fn a_jump_of_the_clock_does_what_minutes_would_have_done() {
    let walked = Scaled::plain();
    let jumped = Scaled::plain();
    for scaled in [&walked, &jumped] {
        scaled.track_writes(2, 50);
        scaled.minutes(5, 0);
        scaled.minutes(2, 360);
    }
    walked.minutes(60, 0);
    jumped.0.pass(60 * MINUTE);
    assert_eq!(walked.activities(true), jumped.activities(true));
    assert_eq!(walked.activities(false)[0], ("Setting write capacity units to 2.".into(), "Successful"));
    assert_eq!((walked.units(), jumped.units()), ((5, 2), (5, 2)));
}

#[test]
fn a_raise_by_hand_on_an_idle_table_is_cut_back() {
    let scaled = Scaled::plain();
    scaled.track_writes(5, 50);
    scaled.minutes(20, 0);
    let throughput = ProvisionedThroughput { read_capacity_units: Some(5), write_capacity_units: Some(15) };
    let raise = UpdateTableRequest {
        table_name: Some("Tab".into()),
        provisioned_throughput: Some(throughput),
        ..Default::default()
    };
    scaled.0.update_table(raise).unwrap();
    assert_eq!(scaled.units(), (5, 15));
    scaled.minutes(1, 0);
    assert_eq!(scaled.units(), (5, 5));
}

#[test]
fn a_table_without_scale_in_or_suspended_stays() {
    let cases = [
        (TargetTrackingConfiguration { disable_scale_in: Some(true), ..Default::default() }, None),
        (
            TargetTrackingConfiguration::default(),
            Some(SuspendedState { dynamic_scaling_in_suspended: Some(true), ..Default::default() }),
        ),
    ];
    for (configuration, suspended) in cases {
        let scaled = Scaled::plain();
        scaled.register(ScalableDimension::TableWrite, 1, 50);
        scaled.track(ScalableDimension::TableWrite, configuration);
        suspended.into_iter().for_each(|state| scaled.suspend(state));
        scaled.minutes(40, 0);
        assert_eq!((scaled.units(), scaled.activities(true)), ((5, 5), vec![]));
    }
    let scaled = Scaled::plain();
    scaled.track_writes(5, 50);
    scaled.suspend(SuspendedState { dynamic_scaling_out_suspended: Some(true), ..Default::default() });
    scaled.minutes(5, 0);
    scaled.minutes(3, 360);
    assert_eq!((scaled.units(), scaled.activities(true)), ((5, 5), vec![]));
}

#[test]
fn scale_in_waits_for_its_cooldown() {
    let scaled = Scaled::plain();
    scaled.register(ScalableDimension::TableWrite, 1, 50);
    let configuration = TargetTrackingConfiguration { scale_in_cooldown: Some(1_800), ..Default::default() };
    scaled.track(ScalableDimension::TableWrite, configuration);
    // Ten minutes at 2 units a second: well below half of 5, until the fifteen are full.
    scaled.minutes(16, 120);
    assert_eq!(scaled.units(), (5, 3));
    scaled.minutes(29, 0);
    assert_eq!(scaled.units(), (5, 3));
    scaled.minutes(1, 0);
    assert_eq!(scaled.units(), (5, 1));
}

#[test]
fn while_a_table_is_updating_a_change_waits() {
    let config = EngineConfig { table_delay_ms: 90_000, ..EngineConfig::default() };
    let scaled = Scaled::on(in_memory(), config);
    scaled.0.advance(2 * MINUTE);
    scaled.register(ScalableDimension::TableRead, 10, 20);
    scaled.register(ScalableDimension::TableWrite, 8, 20);
    let begun = vec![("Setting read capacity units to 10.".to_owned(), "InProgress")];
    assert_eq!(scaled.activities(false), begun);
    scaled.minutes(1, 0);
    assert_eq!(scaled.activities(false), begun);
    scaled.minutes(1, 0);
    assert_eq!(
        scaled.activities(false),
        [
            ("Setting write capacity units to 8.".to_owned(), "InProgress"),
            ("Setting read capacity units to 10.".to_owned(), "Successful"),
        ]
    );
    scaled.minutes(2, 0);
    assert_eq!(scaled.activities(false)[0].1, "Successful");
    assert_eq!(scaled.units(), (10, 8));
}

#[test]
fn a_table_on_demand_is_left_alone_until_it_is_provisioned() {
    let scaled = Scaled::plain();
    scaled.track_writes(1, 20);
    let on_demand = UpdateTableRequest {
        table_name: Some("Tab".into()),
        billing_mode: Some(Given::Known(BillingMode::PayPerRequest)),
        ..Default::default()
    };
    scaled.0.update_table(on_demand).unwrap();
    scaled.minutes(30, 0);
    assert_eq!(scaled.activities(true), []);
    let throughput = ProvisionedThroughput { read_capacity_units: Some(5), write_capacity_units: Some(15) };
    let provisioned = UpdateTableRequest {
        table_name: Some("Tab".into()),
        billing_mode: Some(Given::Known(BillingMode::Provisioned)),
        provisioned_throughput: Some(throughput),
        ..Default::default()
    };
    scaled.0.update_table(provisioned).unwrap();
    scaled.minutes(1, 0);
    assert_eq!(scaled.units(), (5, 1));
}

#[test]
fn nothing_is_known_where_nothing_is_counted() {
    let config = EngineConfig { throttle: ThrottleMode::Off, ..EngineConfig::default() };
    let scaled = Scaled::on(in_memory(), config);
    scaled.track_writes(1, 20);
    scaled.schedule("later", "rate(50 minutes)", bounds(7, 20));
    scaled.minutes(40, 0);
    assert_eq!((scaled.units(), scaled.activities(true)), ((5, 5), vec![]));
    scaled.minutes(10, 0);
    assert_eq!(scaled.units(), (5, 7));
    let states: Vec<AlarmState> =
        scaled.0.engine.tracking_alarms("", scaled.0.now()).iter().map(|alarm| alarm.state).collect();
    assert!(states.contains(&AlarmState::InsufficientData), "{states:?}");
}

#[test]
fn a_restart_keeps_everything_and_waits_until_it_has_seen_enough() {
    let (folder, store) = on_disk();
    {
        let scaled = Scaled::on(store, EngineConfig::default());
        scaled.track_writes(1, 50);
        scaled.schedule("once", "at(2026-06-01T12:30:00)", bounds(2, 40));
        scaled.minutes(5, 0);
        scaled.minutes(3, 180);
        assert_eq!(scaled.units(), (5, 5));
        scaled.0.engine.store().close().unwrap();
    }
    // What was consumed before is not known any more: 15 minutes have to be seen.
    let scaled = Scaled::restarted(open_folder(&folder), 60 * MINUTE);
    assert_eq!(scaled.targets(), [("table/Tab".to_owned(), 1, 50)]);
    scaled.minutes(15, 0);
    assert_eq!((scaled.units(), scaled.activities(true)), ((5, 5), vec![]));
    scaled.minutes(1, 0);
    assert_eq!(scaled.units(), (5, 1));
    let before = scaled.activities(true);
    scaled.0.engine.store().close().unwrap();
    drop(scaled);
    // An action that fell due meanwhile is done, once.
    let scaled = Scaled::restarted(open_folder(&folder), 300 * MINUTE);
    assert_eq!((scaled.units(), scaled.targets()), ((5, 2), vec![("table/Tab".to_owned(), 2, 40)]));
    let after = scaled.activities(true);
    assert_eq!(
        after[..2].iter().map(|a| a.0.as_str()).collect::<Vec<_>>(),
        ["Setting write capacity units to 2.", "Setting min capacity to 2 and max capacity to 40",]
    );
    assert_eq!(after[2..], before);
}

#[test]
fn activities_are_kept_for_six_weeks() {
    let scaled = Scaled::plain();
    scaled.register(ScalableDimension::TableWrite, 8, 20);
    scaled.0.advance(42 * 24 * 60 * MINUTE - 1);
    assert_eq!(scaled.activities(false).len(), 1);
    scaled.0.advance(2);
    assert_eq!(scaled.activities(false), []);
    scaled.register(ScalableDimension::TableWrite, 9, 20);
    assert_eq!(scaled.activities(false).len(), 1);
    // The older one is gone from the store as well.
    scaled.0.advance(-MINUTE);
    assert_eq!(scaled.activities(false).len(), 1);
}

#[test]
fn a_reset_takes_targets_along_and_a_kept_state_brings_them_back() {
    let scaled = Scaled::plain();
    scaled.register(ScalableDimension::TableWrite, 8, 20);
    let engine = &scaled.0.engine;
    engine.keep_state("", "before", scaled.0.now()).unwrap();
    scaled.schedule("soon", "rate(1 minute)", bounds(9, 20));
    engine.remove_tables("", &["Tab".to_owned()], scaled.0.now()).unwrap();
    scaled.minutes(2, 0);
    assert_eq!(scaled.targets(), []);
    assert_eq!(scaled.activities(false).len(), 1);
    engine.bring_back("", "before", scaled.0.now()).unwrap();
    scaled.minutes(2, 0);
    assert_eq!((scaled.targets(), scaled.units()), (vec![("table/Tab".to_owned(), 8, 20)], (5, 8)));
    assert_eq!(scaled.activities(false), []);
    engine.reset("", scaled.0.now()).unwrap();
    assert_eq!(scaled.targets(), []);
}

#[test]
fn the_alarms_of_a_policy_are_those_that_aws_makes() {
    let scaled = Scaled::plain();
    scaled.register(ScalableDimension::TableWrite, 1, 1);
    scaled.track(ScalableDimension::TableWrite, TargetTrackingConfiguration::default());
    let shown = || {
        let alarms = scaled.0.engine.tracking_alarms("", scaled.0.now());
        let one = |alarm: &dynamometer_engine::TrackingAlarm| {
            let kind =
                alarm.name.strip_prefix("TargetTracking-table/Tab-").unwrap().split('-').next().unwrap();
            (kind.to_owned(), alarm.metric, alarm.threshold, alarm.evaluation_periods, alarm.state)
        };
        alarms.iter().map(one).collect::<Vec<_>>()
    };
    let states = |high, low, others| {
        [
            ("AlarmHigh".to_owned(), "ConsumedWriteCapacityUnits", 42.0, 2, high),
            ("AlarmLow".to_owned(), "ConsumedWriteCapacityUnits", 30.0, 15, low),
            ("ProvisionedCapacityHigh".to_owned(), "ProvisionedWriteCapacityUnits", 1.0, 3, others),
            ("ProvisionedCapacityLow".to_owned(), "ProvisionedWriteCapacityUnits", 1.0, 3, others),
        ]
    };
    use AlarmState::{Alarm, InsufficientData, Ok};
    assert_eq!(shown(), states(InsufficientData, InsufficientData, InsufficientData));
    scaled.minutes(4, 0);
    assert_eq!(shown(), states(Ok, InsufficientData, Ok));
    scaled.minutes(13, 0);
    assert_eq!(shown(), states(Ok, Alarm, Ok));
}

#[test]
fn tags_are_added_changed_and_taken_off() {
    let scaled = Scaled::plain();
    let request = RegisterScalableTargetRequest {
        min_capacity: Some(1),
        max_capacity: Some(9),
        tags: Some(vec![("a".into(), "1".into())]),
        ..register(ScalableDimension::TableRead)
    };
    let made = scaled.0.run(async |engine, context| engine.register_scalable_target(context, request).await);
    let arn = Some(made.unwrap().scalable_target_arn);
    let tag = |tags: Vec<(String, String)>| {
        let request = scaling::TagResourceRequest { resource_arn: arn.clone(), tags: Some(tags) };
        scaled.0.run(async |engine, context| engine.tag_scalable_target(context, request).await)
    };
    let list = || -> Result<Vec<(String, String)>, ApiError> {
        let request = ListTagsForResourceRequest { resource_arn: arn.clone() };
        let listed = scaled
            .0
            .run(async |engine, context| engine.list_tags_for_scalable_target(context, request).await);
        listed.map(|listed| listed.tags)
    };
    tag(vec![("a".into(), "2".into()), ("b".into(), String::new())]).unwrap();
    let many = (0..49).map(|at| (format!("k{at}"), String::new())).collect();
    assert_eq!(tag(many).unwrap_err().kind, ErrorKind::TooManyTags);
    let request = scaling::UntagResourceRequest {
        resource_arn: arn.clone(),
        tag_keys: Some(vec!["b".into(), "c".into()]),
    };
    scaled.0.run(async |engine, context| engine.untag_scalable_target(context, request).await).unwrap();
    assert_eq!(list().unwrap(), [("a".to_owned(), "2".to_owned())]);
    // Tags are given with the first registration alone.
    let again =
        RegisterScalableTargetRequest { tags: Some(vec![]), ..register(ScalableDimension::TableRead) };
    let refused = scaled.0.run(async |engine, context| engine.register_scalable_target(context, again).await);
    assert_eq!(refused.unwrap_err().kind, ErrorKind::Validation);
}

//! A21 to A24, A29, A30, A32, A33: changes of throughput.

use super::*;
use dynamometer_capacity::admission::{
    BillingMode, ControlError, IndexSpec, TargetUpdate, ThroughputUpdate, UpdateOutcome, check_new_table,
};

pub(super) fn provision(read: u64, write: u64) -> TargetUpdate {
    TargetUpdate { provisioned: Some(PerDimension::new(read, write)), ..TargetUpdate::default() }
}

fn hms(hour: i64, minute: i64, second: i64) -> Timestamp {
    at_ms((hour * 3_600 + minute * 60 + second) * 1_000)
}

fn to_provisioned(
    table: &mut TableCapacity,
    now: Timestamp,
    read: u64,
    write: u64,
) -> Result<UpdateOutcome, ControlError> {
    let update = ThroughputUpdate { mode: None, targets: vec![provision(read, write)] };
    table.update(now, &update, &ACCOUNT)
}

fn switch(
    table: &mut TableCapacity,
    now: Timestamp,
    mode: BillingMode,
) -> Result<UpdateOutcome, ControlError> {
    let targets = match mode {
        BillingMode::Provisioned => vec![provision(1, 1)],
        BillingMode::OnDemand => Vec::new(),
    };
    table.update(now, &ThroughputUpdate { mode: Some(mode), targets }, &ACCOUNT)
}

fn table(spec: &TableSpec) -> TableCapacity {
    TableCapacity::new(spec, Arc::new(Constants::default()), at_ms(-2 * 86_400_000))
}

#[test]
fn a21_a_fifth_decrease_waits_for_an_hour_after_the_fourth() {
    let mut table = table(&provisioned(100, 100));
    for (number, second) in [20, 25, 30, 34].into_iter().enumerate() {
        to_provisioned(&mut table, hms(0, 21, second), 99 - number as u64, 100).unwrap();
    }
    for now in [hms(0, 22, 0), hms(1, 0, 20)] {
        let error = to_provisioned(&mut table, now, 50, 100).unwrap_err();
        assert_eq!(error.exception(), "LimitExceededException");
        assert_eq!(
            error.to_string(),
            "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. After \
             the first 4 decreases, each subsequent decrease in the same UTC day can be performed at most once every \
             3600 seconds. Number of decreases today: 4. Last decrease at Friday, October 9, 2026 at 12:21:34 AM \
             Coordinated Universal Time. Next decrease can be made at Friday, October 9, 2026 at 1:21:34 AM \
             Coordinated Universal Time"
        );
    }
    // One dimension down and the other up is a decrease too, and both down is one.
    to_provisioned(&mut table, hms(1, 21, 34), 50, 200).unwrap();
    assert!(to_provisioned(&mut table, hms(2, 21, 33), 40, 90).is_err());
    to_provisioned(&mut table, hms(2, 21, 34), 40, 90).unwrap();
    assert_eq!(table.report(hms(2, 22, 0))[0].decreases_today, 6);
    to_provisioned(&mut table, hms(2, 23, 0), 1_000, 1_000).expect("raises are free");
}

#[test]
fn a22_a_new_utc_day_brings_four_decreases() {
    let mut table = table(&provisioned(100, 100));
    for second in 0..4 {
        to_provisioned(&mut table, hms(-1, 20, 3 * second), 99 - second as u64, 100).unwrap();
    }
    for (number, second) in [46, 49, 52].into_iter().enumerate() {
        to_provisioned(&mut table, hms(0, 0, second), 50 - number as u64, 100).unwrap();
    }
}

#[test]
fn a23_a_day_has_27_decreases() {
    let mut table = table(&provisioned(1_000, 1));
    let (mut accepted, mut read) = (0, 1_000);
    for minute in 0..24 * 60 {
        if to_provisioned(&mut table, hms(0, minute, 0), read - 1, 1).is_ok() {
            (accepted, read) = (accepted + 1, read - 1);
        }
    }
    assert_eq!(accepted, 27);
}

#[test]
fn a24_four_switches_to_on_demand_fit_in_24_hours() {
    let mut table = table(&provisioned(1, 1));
    for hour in 0..4 {
        switch(&mut table, hms(hour, 0, 0), BillingMode::OnDemand).unwrap();
        switch(&mut table, hms(hour, 30, 0), BillingMode::Provisioned).unwrap();
    }
    let error = switch(&mut table, hms(23, 59, 59), BillingMode::OnDemand).unwrap_err();
    assert_eq!(error.exception(), "LimitExceededException");
    assert!(error.to_string().ends_with(
        "Last update at Friday, October 9, 2026 at 3:00:00 AM Coordinated Universal Time. Next update can be made \
         at Saturday, October 10, 2026 at 12:00:00 AM Coordinated Universal Time"
    ));
    switch(&mut table, hms(24, 0, 0), BillingMode::OnDemand).unwrap();
}

#[test]
fn a29_warm_throughput_is_never_lowered() {
    let mut table = table(&TableSpec::default());
    let warm = |read| {
        let warm = PerDimension::new(Some(read), None);
        ThroughputUpdate { mode: None, targets: vec![TargetUpdate { warm, ..TargetUpdate::default() }] }
    };
    let error = table.update(hms(0, 0, 0), &warm(11_999), &ACCOUNT).unwrap_err();
    assert_eq!(
        (error.exception(), error.to_string().as_str()),
        (
            "ValidationException",
            "One or more parameter values were invalid: Requested ReadUnitsPerSecond for WarmThroughput for table is \
             lower than current WarmThroughput, decreasing WarmThroughput is not supported"
        )
    );
    let outcome = table.update(hms(0, 0, 0), &warm(30_000), &ACCOUNT).unwrap();
    assert_eq!(outcome.warm_at, Some(at_ms(400_000)));
    let before = &table.report(at_ms(399_999))[0];
    assert_eq!((before.warm, before.is_warming), (PerDimension::new(12_000, 4_000), true));
    let after = &table.report(at_ms(400_000))[0];
    assert_eq!((after.warm, after.is_warming), (PerDimension::new(30_000, 4_000), false));
    assert_eq!(after.partitions.len(), 16, "wide enough for 30,000 reads");
    let outcome = table.update(at_ms(400_000), &warm(31_000), &ACCOUNT).unwrap();
    assert_eq!(outcome.warm_at, Some(at_ms(402_000)), "a further raise is quick");
    let error = table.update(at_ms(500_000), &warm(40_001), &ACCOUNT).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Subscriber limit exceeded: Requested ReadUnitsPerSecond for WarmThroughput for table exceeds \
         TableMaxReadCapacityUnits of the account in region us-east-1"
    );
}

#[test]
fn a30_warm_throughput_follows_the_most_ever_provisioned() {
    let mut table = table(&provisioned(1, 1));
    let mut warm = vec![table.report(hms(0, 0, 0))[0].warm.read];
    for (minute, read) in [(1, 3), (2, 1)] {
        to_provisioned(&mut table, hms(0, minute, 0), read, read).unwrap();
        warm.push(table.report(hms(0, minute, 10))[0].warm.read);
    }
    assert_eq!(warm, [1, 3, 3]);
    switch(&mut table, hms(1, 0, 0), BillingMode::OnDemand).unwrap();
    assert_eq!(table.report(hms(1, 2, 9))[0].mode, BillingMode::Provisioned, "it takes 130 s the first time");
    assert_eq!(table.report(hms(1, 2, 10))[0].warm, PerDimension::new(12_000, 4_000));
    switch(&mut table, hms(2, 0, 0), BillingMode::Provisioned).unwrap();
    let report = &table.report(hms(2, 5, 0))[0];
    assert_eq!((report.mode, report.warm), (BillingMode::Provisioned, PerDimension::new(12_000, 4_000)));
}

#[test]
fn a32_what_was_provisioned_is_served_on_demand_at_once() {
    let mut rig = Rig::new(&provisioned(24_000, 8_000));
    to_provisioned(&mut rig.table, at_ms(0), 1, 1).unwrap();
    rig.wait(10);
    switch(&mut rig.table, at_ms(10_000), BillingMode::OnDemand).unwrap();
    rig.wait(130);
    for (dimension, rate) in [(Dimension::Write, 8_000), (Dimension::Read, 24_000)] {
        let served = rig.load_evenly(dimension, rate, 30);
        assert_near(served[0], rate, "the first second");
        assert_eq!(served[1..], [rate; 29]);
    }
}

#[test]
fn a33_the_account_quota_is_80000() {
    let account = AccountUse { provisioned_elsewhere: PerDimension::new(50_000, 0), ..ACCOUNT };
    let constants = Constants::default();
    check_new_table(&provisioned(30_000, 1), &account, &constants).unwrap();
    let error = check_new_table(&provisioned(30_001, 1), &account, &constants).unwrap_err();
    assert_eq!(error.exception(), "LimitExceededException");
    assert_eq!(
        error.to_string(),
        "This request would have caused the ReadCapacityUnits limit to be exceeded for the account in us-east-1. \
         Current ReadCapacityUnits reserved by the account: 50000. Limit: 80000. Requested: 30001. Refer to the Amazon \
         DynamoDB Developer Guide for current limits and how to request higher limits."
    );
    let mut table = table(&provisioned(30_000, 1));
    let update = ThroughputUpdate { mode: None, targets: vec![provision(30_001, 1)] };
    let error = table.update(hms(0, 0, 0), &update, &account).unwrap_err().to_string();
    assert!(error.contains("reserved by the account: 80000. Limit: 80000. Requested: 30001."), "{error}");
    let error = check_new_table(&provisioned(40_001, 1), &ACCOUNT, &constants).unwrap_err();
    assert_eq!(
        error.to_string(),
        "The requested ReadCapacityUnits, 40001, is above the per table maximum for the account in us-east-1. Per \
         table maximum: 40000. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request \
         higher limits."
    );
    let on_demand = TableSpec { mode: BillingMode::OnDemand, ..provisioned(80_000, 80_000) };
    check_new_table(&on_demand, &account, &constants).expect("on-demand tables have no such quota");
}

#[test]
fn a_change_is_in_force_when_it_is_ready_and_not_before() {
    let mut table = table(&provisioned(1, 1));
    let outcome = to_provisioned(&mut table, hms(0, 0, 0), 5, 5).unwrap();
    assert_eq!(outcome.ready_at, Some(at_ms(2_000)));
    assert!(table.is_updating(at_ms(1_999)));
    assert_eq!(table.report(at_ms(1_999))[0].provisioned, PerDimension::new(1, 1));
    let error = to_provisioned(&mut table, at_ms(1_999), 6, 6).unwrap_err();
    assert_eq!(
        (error.exception(), error.to_string().as_str()),
        (
            "ResourceInUseException",
            "Attempt to change a resource which is still in use: Table IOPS are currently being updated. Table: T"
        )
    );
    assert_eq!(table.report(at_ms(2_000))[0].provisioned, PerDimension::new(5, 5));
    let error = to_provisioned(&mut table, at_ms(3_000), 5, 5).unwrap_err();
    assert_eq!(
        (error.exception(), error.to_string().as_str()),
        (
            "ValidationException",
            "The provisioned throughput for the table will not change. The requested value equals the current value. \
             Current ReadCapacityUnits provisioned for the table: 5. Requested ReadCapacityUnits: 5. Current \
             WriteCapacityUnits provisioned for the table: 5. Requested WriteCapacityUnits: 5. Refer to the Amazon \
             DynamoDB Developer Guide for current limits and how to request higher limits."
        )
    );
}

#[test]
fn a_reversal_on_the_way_to_provisioned_is_dropped() {
    let mut table = table(&TableSpec::default());
    switch(&mut table, hms(0, 0, 0), BillingMode::Provisioned).unwrap();
    let outcome = switch(&mut table, hms(0, 0, 30), BillingMode::OnDemand).unwrap();
    assert_eq!(outcome.ready_at, Some(hms(0, 1, 20)));
    assert_eq!(table.report(hms(0, 1, 20))[0].mode, BillingMode::Provisioned);
    // The other way round it is refused.
    switch(&mut table, hms(0, 2, 0), BillingMode::OnDemand).unwrap();
    let error = switch(&mut table, hms(0, 2, 1), BillingMode::Provisioned).unwrap_err();
    assert_eq!(error.exception(), "ResourceInUseException");
}

#[test]
fn the_maximum_on_demand_throughput_merges_by_member_and_goes_with_the_mode() {
    let mut table = table(&TableSpec::default());
    let mut set = |read: Option<i64>, write: Option<i64>| {
        let maximum = PerDimension::new(read, write);
        let targets = vec![TargetUpdate { maximum, ..TargetUpdate::default() }];
        let outcome = table.update(hms(0, 0, 0), &ThroughputUpdate { mode: None, targets }, &ACCOUNT);
        outcome.map(|_| table.report(hms(0, 0, 0))[0].maximum)
    };
    assert_eq!(set(Some(10), None), Ok(PerDimension::new(Some(10), None)));
    assert_eq!(set(None, Some(20)), Ok(PerDimension::new(Some(10), Some(20))));
    assert_eq!(set(Some(-1), None), Ok(PerDimension::new(None, Some(20))));
    for (value, text) in [
        (
            0,
            "One or more parameter values were invalid: Requested MaxWriteRequestUnits for OnDemandThroughput for table is outside of valid range",
        ),
        (
            40_001,
            "Subscriber limit exceeded: Requested MaxWriteRequestUnits for OnDemandThroughput for table exceeds TableMaxWriteCapacityUnits of the account in region us-east-1",
        ),
    ] {
        assert_eq!(set(None, Some(value)).unwrap_err().to_string(), text);
    }
    switch(&mut table, hms(0, 1, 0), BillingMode::Provisioned).unwrap();
    assert_eq!(table.report(hms(0, 3, 0))[0].maximum, PerDimension::new(None, None));
}

#[test]
fn a_table_set_up_again_from_its_spec_is_the_same() {
    let mut first = table(&provisioned(100, 50));
    to_provisioned(&mut first, hms(0, 0, 0), 20, 60).unwrap();
    switch(&mut first, hms(0, 10, 0), BillingMode::OnDemand).unwrap();
    let now = hms(1, 0, 0);
    let mut second = TableCapacity::new(&first.spec(now), Arc::new(Constants::default()), now);
    assert_eq!(second.spec(now), first.spec(now));
    let (before, after) = (&first.report(now)[0], &second.report(now)[0]);
    assert_eq!(
        (before.rate, before.warm, before.decreases_today),
        (after.rate, after.warm, after.decreases_today)
    );
}

#[test]
fn a_new_index_counts_towards_the_quotas_and_a_removed_one_costs_nothing() {
    let account = AccountUse { provisioned_elsewhere: PerDimension::new(60_000, 0), ..ACCOUNT };
    let mut table = table(&provisioned(10_000, 1));
    let index = |read| IndexSpec { name: "i".into(), resource: ResourceSpec::provisioned(read, 1) };
    table.check_new_index(&index(10_000), &account).unwrap();
    let error = table.check_new_index(&index(10_001), &account).unwrap_err().to_string();
    assert!(error.contains("reserved by the account: 70000. Limit: 80000. Requested: 10001."), "{error}");
    let error = table.check_new_index(&index(40_001), &ACCOUNT).unwrap_err().to_string();
    assert!(
        error.starts_with("The requested ReadCapacityUnits for index i, 40001, is above the per index "),
        "{error}"
    );

    let id = table.add_index(&index(1), hms(0, 0, 0));
    assert_eq!(table.index_id("i"), Some(id));
    table.remove_index("i");
    assert_eq!(table.index_id("i"), None);
    let ask = Ask { resource: id, dimension: Dimension::Read, place: Place::of_hash(0), floor: units(1) };
    assert_eq!(table.admit_run(hms(0, 0, 1), &[ask], 100).count, 100);
    assert_eq!(table.add_index(&index(1), hms(0, 0, 2)), id, "numbers are used again");
}

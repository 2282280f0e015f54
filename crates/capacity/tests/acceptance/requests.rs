//! A34 and A35: batches, transactions, Contributor Insights.

use super::*;
use Dimension::Write;
use dynamometer_capacity::admission::{
    BatchVerdict, Cause, Exact, batch_verdict, contributor_insights_units,
};

fn put(key: u64) -> Ask<'static> {
    Ask { resource: ResourceId::TABLE, dimension: Write, place: Place::of_hash(key << 56), floor: units(1) }
}

#[test]
fn a34_throttled_elements_of_a_batch_come_back_unprocessed() {
    let mut rig = Rig::new(&provisioned(1, 15));
    let now = rig.now();
    let mut refusals = Vec::new();
    for key in 0..25 {
        match rig.table.admit(now, &[put(key)]) {
            Ok(admission) => {
                rig.table.settle(now, admission, &[Exact::units(units(1))]);
                refusals.push(None);
            }
            Err(refusal) => refusals.push(Some(refusal)),
        }
    }
    // Answered with status 200, so not a throttled request; yet ten throttle events.
    let verdict = batch_verdict(refusals.iter().map(Option::as_ref));
    assert_eq!(verdict, BatchVerdict::Answered { unprocessed: (15..25).collect() });
    let counters = rig.table.report(now)[0].counters.write;
    assert_eq!((counters.requests, counters.refusals(Cause::ProvisionedThroughput)), (15, 10));
    assert_eq!(counters.consumed(), units(15));
}

#[test]
fn a_transaction_with_a_throttled_item_consumes_nothing() {
    let mut rig = Rig::new(&provisioned(1, 3));
    let now = rig.now();
    let mut admitted = Vec::new();
    let mut codes = Vec::new();
    for key in 0..3 {
        let ask = Ask { floor: units(2), ..put(key) };
        match rig.table.admit(now, &[ask]) {
            Ok(admission) => {
                admitted.push(admission);
                codes.push("None");
            }
            Err(refusal) => codes.push(refusal.cancellation_code()),
        }
    }
    assert_eq!(codes, ["None", "None", "ProvisionedThroughputExceeded"]);
    for admission in admitted {
        rig.table.release(now, admission);
    }
    let counters = rig.table.report(now)[0].counters.write;
    assert_eq!((counters.requests, counters.consumed()), (0, units(0)));
    assert_eq!(rig.table.admit_run(now, &[put(0)], 10).count, 3, "all of the budget is back");
}

#[test]
fn a35_a_partition_at_its_limit_shows_as_180000_in_contributor_insights() {
    for (dimension, offered) in [(Write, 1_200), (Dimension::Read, 3_600)] {
        let mut rig = Rig::new(&TableSpec::default());
        rig.load(dimension, units(1), offered, 60, &one_item);
        rig.load(dimension, units(1), offered, 60, &one_item);
        let minute = |dimension| rig.table.minute(at_ms(120_000), ResourceId::TABLE, dimension, 1).unwrap();
        let consumed = PerDimension::new(minute(Dimension::Read), minute(Write));
        assert_near(contributor_insights_units(consumed), 180_000, dimension.word());
    }
}

#[test]
fn strict_admission_wants_the_whole_cost_in_hand() {
    for (strict_admission, expected) in [(0, 3), (1, 2)] {
        let mut rig = Rig::with(&provisioned(1, 10), Constants { strict_admission, ..Constants::default() });
        let ask = Ask { floor: units(4), ..put(0) };
        assert_eq!(rig.table.admit_run(rig.now(), &[ask], 5).count, expected);
    }
}

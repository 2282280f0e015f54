//! A5 to A9 and A15: provisioned tables.

use super::*;
use Dimension::{Read, Write};
use dynamometer_capacity::admission::{Exact, IndexSpec};

/// 400 write units over four partitions that get 50, 50, 50 and 150 writes a second.
fn skewed(even_share: u64) -> Vec<[u64; 4]> {
    let mut spec = provisioned(1, 400);
    spec.table.warm.write = 4_000;
    let mut rig = Rig::with(&spec, Constants { even_share, ..Constants::default() });
    assert_eq!(rig.partitions(), 4);
    let mut seconds = Vec::new();
    for _ in 0..600 {
        let mut served = [0; 4];
        for _ in 0..10 {
            for (partition, rate) in [50, 50, 50, 150].into_iter().enumerate() {
                let place = Place::of_hash((partition as u64) << 62);
                let ask = Ask { resource: ResourceId::TABLE, dimension: Write, place, floor: units(1) };
                served[partition] += rig.table.admit_run(rig.now(), &[ask], rate / 10).count;
            }
            rig.ms += 100;
        }
        seconds.push(served);
    }
    seconds
}

#[test]
fn a5_a_hot_partition_takes_more_than_its_share() {
    assert!(skewed(0).iter().all(|second| *second == [50, 50, 50, 150]));
}

#[test]
fn a5_before_adaptive_capacity_it_did_not() {
    let seconds = skewed(1);
    assert_eq!(seconds[0], [50, 50, 50, 150], "burst carries it at first");
    assert_eq!(seconds[500], [50, 50, 50, 100]);
}

#[test]
fn a6_what_is_provisioned_is_served() {
    let mut rig = Rig::new(&provisioned(1, 400));
    let served = rig.load_evenly(Write, 600, 60);
    assert_steady(&served[1..], 400);
    assert_eq!(rig.reason(), "TableWriteProvisionedThroughputExceeded");
    assert_eq!(rig.exception(), "ProvisionedThroughputExceededException");
    let refusal = rig.last_refusal.unwrap();
    assert_eq!(refusal.resource(ARN), ARN);
    assert_eq!(
        refusal.message(),
        "The level of configured provisioned throughput for the table was exceeded. Consider increasing your \
         provisioning level with the UpdateTable API."
    );
}

#[test]
fn a7_a8_five_minutes_of_unused_throughput_are_kept_for_bursts() {
    for idle in [300, 3_600] {
        let mut rig = Rig::new(&provisioned(100, 1));
        rig.wait(idle);
        let now = rig.now();
        assert_eq!(rig.table.report(now)[0].burst.read, units(30_000));
        let served = rig.load(Read, units(1), 200, 400, &one_item);
        // 300 seconds from the burst, and one from the second in hand.
        assert_eq!(served[..300], [200; 300], "after {idle} s");
        assert_near(served[300], 200, "the last second of burst");
        assert_steady(&served[292..], 100);
    }
}

#[test]
fn a9_a_spike_within_a_minute_is_throttled_although_the_average_fits() {
    let mut rig = Rig::new(&provisioned(1, 60));
    let ask =
        Ask { resource: ResourceId::TABLE, dimension: Write, place: Place::of_hash(0), floor: units(1) };
    let granted = rig.table.admit_run(rig.now(), &[ask], 3_600);
    assert_eq!(
        (granted.count, granted.refusal.map(|refusal| refusal.reason())),
        (60, Some("TableWriteProvisionedThroughputExceeded".to_owned()))
    );
    rig.ms += 10;
    // Those that were refused come back as fast as they are served.
    let served = rig.load(Write, units(1), 3_540, 59, &one_item);
    assert_steady(&served, 60);
    rig.wait(1);
    let minute = rig.table.minute(rig.now(), ResourceId::TABLE, Write, 1).unwrap();
    assert!(minute <= units(3_600), "{minute} in the minute");
}

#[test]
fn a15_a_weak_index_throttles_the_writes_of_its_table() {
    let mut spec = provisioned(1, 1_000);
    spec.indexes = vec![IndexSpec { name: "gsi".into(), resource: ResourceSpec::provisioned(1, 100) }];
    let mut rig = Rig::new(&spec);
    rig.wait(300);
    let index = rig.table.index_id("gsi").unwrap();
    let mut served = Vec::new();
    for _ in 0..120 {
        let mut in_second = 0;
        for request in 0..500_u64 {
            let now = at_ms(rig.ms + 2 * request as i64);
            let place = Place::of_hash(request << 55);
            let floor = units(1);
            let ask = |resource| Ask { resource, dimension: Write, place, floor };
            // As the server does it: the index entry is known only when the old item was read.
            let outcome = rig
                .table
                .admit(now, &[ask(ResourceId::TABLE)])
                .and_then(|admission| rig.table.extend(now, admission, &[ask(index)]));
            match outcome {
                Ok(admission) => {
                    rig.table.settle(now, admission, &[Exact::units(floor); 2]);
                    in_second += 1;
                }
                Err(refusal) => rig.last_refusal = Some(refusal),
            }
        }
        rig.ms += 1_000;
        served.push(in_second);
    }
    assert_eq!(served[..75], [500; 75], "burst of the index: 30,000 and one second");
    assert_steady(&served[76..], 100);
    assert_eq!(rig.reason(), "IndexWriteProvisionedThroughputExceeded");
    assert_eq!(rig.last_refusal.as_ref().unwrap().resource(ARN), format!("{ARN}/index/gsi"));
    let now = rig.now();
    let report = rig.table.report(now);
    let (table, gsi) = (&report[0].counters.write, &report[1].counters.write);
    assert_eq!(table.consumed(), gsi.consumed(), "what the index refused cost the table nothing");
    assert_eq!((table.all_refusals(), gsi.all_refusals()), (0, 120 * 500 - gsi.requests));
}

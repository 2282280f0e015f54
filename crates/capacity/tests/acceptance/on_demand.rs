//! A1 to A4, A10 to A14, A16: on-demand tables.

use super::*;
use Dimension::{Read, Write};
use dynamometer_capacity::admission::IndexSpec;

#[test]
fn a1_to_a4_one_key_is_bound_by_its_partition() {
    let half = CapacityUnits::HALF;
    let cases = [
        ("A1: 20 KB, strong", Read, units(5), 1_000, 600),
        ("A2: 20 KB, eventual", Read, units(2) + half, 2_000, 1_200),
        ("A3: 1 KB writes", Write, units(1), 1_500, 1_000),
        ("A4: 4 KB, strong", Read, units(1), 4_000, 3_000),
        ("A4: 4 KB, eventual", Read, half, 8_000, 6_000),
    ];
    for (name, dimension, cost, offered, expected) in cases {
        let mut rig = Rig::new(&TableSpec::default());
        let served = rig.load(dimension, cost, offered, 30, &one_item);
        assert_steady(&served, expected);
        assert_eq!(rig.reason(), format!("Table{}KeyRangeThroughputExceeded", dimension.word()), "{name}");
        assert_eq!(rig.exception(), "ThrottlingException", "{name}");
    }
}

#[test]
fn a1_holds_when_the_cost_is_known_only_afterwards() {
    let mut rig = Rig::new(&TableSpec::default());
    let mut served = Vec::new();
    for _ in 0..20 {
        let mut in_second = 0;
        for _ in 0..1_000 {
            let ask = Ask {
                resource: ResourceId::TABLE,
                dimension: Read,
                place: Place::of_hash(7),
                floor: CapacityUnits::ONE,
            };
            if let Ok(admission) = rig.table.admit(rig.now(), &[ask]) {
                let exact = dynamometer_capacity::admission::Exact::units(units(5));
                rig.table.settle(rig.now(), admission, &[exact]);
                in_second += 1;
            }
            rig.ms += 1;
        }
        served.push(in_second);
    }
    assert_eq!(served[..2], [1_000, 800]);
    assert_steady(&served, 600);
}

#[test]
fn a10_a_new_table_serves_4000_writes_and_12000_reads() {
    let mut rig = Rig::new(&TableSpec::default());
    assert_eq!(rig.partitions(), 4);
    assert_eq!(rig.load_evenly(Write, 4_000, 60), [4_000; 60]);
    assert_eq!(rig.load_evenly(Read, 12_000, 60), [12_000; 60]);
}

#[test]
fn a11_a_step_to_ten_thousand_doubles_every_half_hour() {
    let mut rig = Rig { keys: 80, ..Rig::new(&TableSpec::default()) };
    let served = rig.load_evenly(Write, 10_000, 65 * 60);
    assert_steady_minutes(&served[..1_800], 4_000);
    assert_eq!(rig.reason(), "TableWriteKeyRangeThroughputExceeded");
    // The very first minute began with a full bucket, so what is doubled is a little over 4,000.
    assert_steady_minutes(&served[1_860..3_600], 8_130);
    assert_steady_minutes(&served[3_660..], 10_000);
}

#[test]
fn a12_twice_the_previous_peak_is_served_at_once_and_four_times_later() {
    let quota = Constants { table_quota_write_units: 1_000_000, ..Constants::default() };
    let mut spec = TableSpec::default();
    spec.table.previous_peak.write = 50_000;
    let mut rig = Rig { keys: 200, ..Rig::with(&spec, quota) };
    assert_eq!(rig.load_evenly(Write, 100_000, 120), [100_000; 120]);
    let served = rig.load_evenly(Write, 200_000, 31 * 60);
    assert_steady_minutes(&served[..27 * 60], 100_000);
    assert_steady_minutes(&served[29 * 60..], 200_000);
}

#[test]
fn a13_the_table_quota_is_40000() {
    let mut spec = TableSpec::default();
    spec.table.previous_peak.write = 40_000;
    let mut rig = Rig::new(&spec);
    assert_steady(&rig.load_evenly(Write, 45_000, 60), 40_000);
    assert_eq!(rig.reason(), "TableWriteAccountLimitExceeded");
    assert_eq!(rig.exception(), "RequestLimitExceeded");
}

#[test]
fn a13_the_quota_can_be_counted_for_a_table_and_its_indexes_together() {
    let mut spec = TableSpec::default();
    spec.table.previous_peak.write = 30_000;
    let mut resource = ResourceSpec::default();
    resource.previous_peak.write = 30_000;
    spec.indexes = vec![IndexSpec { name: "i".into(), resource }];
    for (quota_combined, expected) in [(0, 39_000), (1, 20_000)] {
        let mut rig = Rig::with(&spec, Constants { quota_combined, ..Constants::default() });
        let index = rig.table.index_id("i").unwrap();
        let mut served = [0; 20];
        for second in &mut served {
            for key in 0..1_000_u64 {
                let place = Place::of_hash(key << 54);
                let floor = units(1);
                let asks = [ResourceId::TABLE, index].map(|resource| Ask {
                    resource,
                    dimension: Write,
                    place,
                    floor,
                });
                *second += rig.table.admit_run(rig.now(), &asks, 39).count;
                rig.ms += 1;
            }
        }
        assert_steady(&served, expected);
    }
}

#[test]
fn a14_the_configured_maximum_binds_before_warm_throughput() {
    let mut spec = TableSpec::default();
    spec.table.warm.write = 30_000;
    spec.table.maximum.write = Some(5_000);
    let mut rig = Rig::new(&spec);
    assert_steady(&rig.load_evenly(Write, 8_000, 60), 5_000);
    assert_eq!(rig.reason(), "TableWriteMaxOnDemandThroughputExceeded");
    assert_eq!(rig.exception(), "ThrottlingException");
    assert_eq!(
        rig.last_refusal.unwrap().message(),
        "Throughput exceeds the maximum OnDemandThroughput configured on table or index"
    );
}

#[test]
fn a16_an_index_with_one_key_value_throttles_the_table() {
    let indexes = vec![IndexSpec { name: "status".into(), resource: ResourceSpec::default() }];
    let spec = TableSpec { indexes, ..TableSpec::default() };
    let mut rig = Rig::new(&spec);
    let index = rig.table.index_id("status").unwrap();
    let mut served = [0; 20];
    for second in &mut served {
        for request in 0..2_000_u64 {
            let asks = [
                Ask {
                    resource: ResourceId::TABLE,
                    dimension: Write,
                    place: Place::of_hash(request << 53),
                    floor: units(1),
                },
                Ask { resource: index, dimension: Write, place: Place::of_hash(9), floor: units(1) },
            ];
            let granted = rig.table.admit_run(at_ms(rig.ms + request as i64 / 2), &asks, 1);
            *second += granted.count;
            rig.last_refusal = granted.refusal.or(rig.last_refusal.take());
        }
        rig.ms += 1_000;
    }
    assert_steady(&served, 1_000);
    assert_eq!(rig.reason(), "IndexWriteKeyRangeThroughputExceeded");
    assert_eq!(rig.last_refusal.unwrap().resource(ARN), format!("{ARN}/index/status"));
}

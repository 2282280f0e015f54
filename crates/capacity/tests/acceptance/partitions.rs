//! A17 to A20, A31 and splits for size: partitions.

use super::*;
use Dimension::{Read, Write};
use dynamometer_capacity::admission::{NoSplit, ThroughputUpdate};

const HOT: u64 = 42 << 56;

/// One partition key, a thousand items in no order.
fn many_items(request: u64) -> (u64, Vec<u8>) {
    (HOT, format!("{:03}", request * 619 % 1_000).into_bytes())
}

/// One partition key, each item after the one before.
fn time_ordered(request: u64) -> (u64, Vec<u8>) {
    (HOT, format!("2026-10-09T{request:09}").into_bytes())
}

fn no_split(rig: &mut Rig) -> Option<NoSplit> {
    let now = rig.now();
    rig.table.report(now)[0].partitions.iter().find_map(|partition| partition.no_split)
}

#[test]
fn a17_a_hot_item_collection_is_split() {
    let mut rig = Rig::new(&TableSpec::default());
    let served = rig.load(Write, units(1), 1_500, 600, &many_items);
    assert_steady(&served[..340], 1_000);
    assert_steady(&served[370..], 1_500);
    assert_eq!(rig.partitions(), 5);
}

#[test]
fn a18_a_local_index_keeps_it_together() {
    let mut rig = Rig::new(&TableSpec { has_local_index: true, ..TableSpec::default() });
    assert_steady(&rig.load(Write, units(1), 1_500, 1_200, &many_items), 1_000);
    assert_eq!((rig.partitions(), no_split(&mut rig)), (4, Some(NoSplit::LocalIndexCollection)));
}

#[test]
fn a19_increasing_sort_keys_are_not_helped_by_a_split() {
    let mut rig = Rig::new(&TableSpec::default());
    assert_steady(&rig.load(Write, units(1), 1_500, 1_200, &time_ordered), 1_000);
    assert_eq!((rig.partitions(), no_split(&mut rig)), (4, Some(NoSplit::IncreasingSortKeys)));
}

#[test]
fn a20_one_hot_item_stays_where_it_is() {
    for (dimension, offered, expected) in [(Read, 5_000, 3_000), (Write, 1_500, 1_000)] {
        let mut rig = Rig::new(&TableSpec::default());
        assert_steady(&rig.load(dimension, units(1), offered, 1_200, &one_item), expected);
        assert_eq!((rig.partitions(), no_split(&mut rig)), (4, Some(NoSplit::SingleItem)));
    }
}

#[test]
fn a_hot_item_is_isolated_from_its_neighbours() {
    // 900 writes a second on one item and 900 on others near it: the neighbours lose half until the split.
    let mixed = |request: u64| match request % 2 {
        0 => (HOT, b"item".to_vec()),
        _ => (HOT + request * 7_919 % 1_000, b"item".to_vec()),
    };
    let mut rig = Rig::new(&TableSpec::default());
    let served = rig.load(Write, units(1), 1_800, 1_500, &mixed);
    assert_steady(&served[..340], 1_000);
    assert_steady(&served[1_200..], 1_800);
}

#[test]
fn a31_partitions_double_and_never_merge() {
    let quick = Constants { update_throughput_ms: 0, ..Constants::default() };
    let mut rig = Rig::with(&provisioned(1, 3_197), quick);
    let mut counts = vec![rig.partitions()];
    for write in [3_600, 6_000, 5_000] {
        let update = ThroughputUpdate { targets: vec![control::provision(1, write)], mode: None };
        rig.table.update(rig.now(), &update, &ACCOUNT).unwrap();
        rig.ms += 1;
        counts.push(rig.partitions());
    }
    assert_eq!(counts, [4, 4, 8, 8]);
}

#[test]
fn a_full_partition_is_split_by_where_its_data_is() {
    const GB: i64 = 1 << 30;
    let mut rig = Rig::new(&provisioned(1, 1));
    assert_eq!(rig.partitions(), 1);
    for step in 0..44_i64 {
        // All data under a quarter of the keys.
        let place = Place::of_hash((step as u64 % 16) << 58);
        rig.table.resize(rig.now(), ResourceId::TABLE, place, GB / 4);
        rig.wait(1);
    }
    assert_eq!(rig.partitions(), 1, "a split takes minutes");
    rig.wait(300);
    let now = rig.now();
    let partitions = &rig.table.report(now)[0].partitions;
    let sizes: Vec<_> = partitions.iter().map(|partition| partition.bytes as i64 / GB).collect();
    assert_eq!(partitions.len(), 2);
    assert!(partitions[1].start_hash < 1 << 62, "cut among the keys that have data");
    assert!(sizes.iter().all(|size| (3..=8).contains(size)), "{sizes:?} GB");
}

#[test]
fn a_scan_is_charged_to_the_partitions_that_it_walks() {
    use dynamometer_capacity::admission::Exact;
    let mut rig = Rig::new(&TableSpec::default());
    // Twice the read budget of a partition, over the first half of the keys: two partitions are empty afterwards.
    let scan = Ask {
        resource: ResourceId::TABLE,
        dimension: Read,
        place: Place::of_hash(0),
        floor: CapacityUnits::HALF,
    };
    let admission = rig.table.admit(rig.now(), &[scan]).unwrap();
    let exact = Exact { units: units(6_000), through_hash: Some((1 << 63) - 1) };
    rig.table.settle(rig.now(), admission, &[exact]);
    let mut refused = Vec::new();
    for quarter in 0..4 {
        let place = Place::of_hash(quarter << 62);
        let ask = Ask { place, ..scan };
        refused.push(rig.table.admit_run(rig.now(), &[ask], 1).count == 0);
    }
    assert_eq!(refused, [true, true, false, false]);
}

#[test]
fn a_local_index_keeps_a_full_partition_whole() {
    use dynamometer_capacity::admission::exceeds_item_collection_limit;
    const GB: i64 = 1 << 30;
    for (has_local_index, partitions, reason) in
        [(false, 2, None), (true, 1, Some(NoSplit::LocalIndexCollection))]
    {
        let mut rig = Rig::new(&TableSpec { has_local_index, ..provisioned(1, 1) });
        for step in 0..44_u32 {
            let sort_key = (step * 37 % 44).to_be_bytes();
            let place = Place { hash: HOT, sort_key: &sort_key };
            rig.table.resize(rig.now(), ResourceId::TABLE, place, GB / 4);
        }
        rig.wait(301);
        assert_eq!((rig.partitions(), no_split(&mut rig)), (partitions, reason));
    }
    let limit = 10 << 30;
    for (before, after, refused) in
        [(limit - 1, limit, false), (limit, limit + 1, true), (limit + 2, limit + 1, false)]
    {
        assert_eq!(exceeds_item_collection_limit(before, after, &Constants::default()), refused);
    }
}

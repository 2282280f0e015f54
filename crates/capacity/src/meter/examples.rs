//! The worked examples: R1 to R17 are reads, W1 to W26 writes, each with the sizes and the expected units.

use super::*;
use Consistency::{Eventual, Strong, Transactional};

const KB: u64 = 1_024;
const SMALL: u64 = 100;

fn check(cases: &[(&str, CapacityUnits, f64)]) {
    for (name, got, expected) in cases {
        assert_eq!(got.as_f64(), *expected, "{name}");
    }
}

fn get(bytes: u64, consistency: Consistency) -> CapacityUnits {
    meter_item_read(Some(bytes), consistency)
}

#[test]
fn reads_of_single_items() {
    check(&[
        ("R1 eventual", get(23, Eventual), 0.5),
        ("R1 strong", get(23, Strong), 1.0),
        ("R2 one block", get(4_096, Strong), 1.0),
        ("R2 one byte more", get(4_097, Strong), 2.0),
        ("R3 absent, eventual", meter_item_read(None, Eventual), 0.5),
        ("R3 absent, strong", meter_item_read(None, Strong), 1.0),
        ("R4 20 KB, strong", get(20 * KB, Strong), 5.0),
        ("R4 20 KB, eventual", get(20 * KB, Eventual), 2.5),
        ("R5 400 KB, strong", get(400 * KB, Strong), 100.0),
        ("R5 400 KB, eventual", get(400 * KB, Eventual), 50.0),
        ("R6 batch, strong", get(3 * KB / 2, Strong) + get(13 * KB / 2, Strong), 3.0),
        ("R6 batch, eventual", get(3 * KB / 2, Eventual) + get(13 * KB / 2, Eventual), 1.5),
        ("R7 ten absent keys", (0..10).map(|_| meter_item_read(None, Eventual)).sum(), 5.0),
        ("R14 transaction, one absent", get(23, Transactional) + meter_item_read(None, Transactional), 4.0),
        ("R15 transaction, 3 of 5 KB", (0..3).map(|_| get(5 * KB, Transactional)).sum(), 12.0),
    ]);
}

#[test]
fn reads_of_pages() {
    let kb_40_8 = 408 * KB / 10;
    let lsi_entries = 4 * 200;
    let lsi_fetches = |consistency| (0..4).map(move |_| get(300, consistency)).sum::<CapacityUnits>();
    check(&[
        ("R8 strong", meter_page_read(1_500 * 64, Strong), 24.0),
        ("R8 eventual", meter_page_read(1_500 * 64, Eventual), 12.0),
        ("R9 filtered, strong", meter_page_read(kb_40_8, Strong), 11.0),
        ("R9 filtered, eventual", meter_page_read(kb_40_8, Eventual), 5.5),
        ("R10 no match, eventual", meter_page_read(0, Eventual), 0.5),
        ("R10 no match, strong", meter_page_read(0, Strong), 1.0),
        ("R11 full page, eventual", meter_page_read(1_048_576, Eventual), 128.0),
        ("R11 full page, strong", meter_page_read(1_048_576, Strong), 256.0),
        ("R12 GSI, 8 of 2,000 bytes", meter_page_read(8 * 2_000, Eventual), 2.0),
        ("R13 LSI arm, strong", meter_page_read(lsi_entries, Strong), 1.0),
        ("R13 LSI fetch, strong", lsi_fetches(Strong), 4.0),
        ("R13 LSI arm, eventual", meter_page_read(lsi_entries, Eventual), 0.5),
        ("R13 LSI fetch, eventual", lsi_fetches(Eventual), 2.0),
        ("LSI fetch of 3 rows of 9 KB", (0..3).map(|_| get(9 * KB, Eventual)).sum(), 4.5),
        ("R16 filtered scan", meter_page_read(1_000 * KB, Eventual), 125.0),
        ("R17 count", meter_page_read(100 * 500, Eventual), 6.5),
    ]);
}

#[test]
fn writes_of_the_table() {
    let plain = |old, new| meter_item_write(old, new, false);
    let transact = |old, new| meter_item_write(old, new, true);
    check(&[
        ("W1 one block", plain(None, Some(1_024)), 1.0),
        ("W1 one byte more", plain(None, Some(1_025)), 2.0),
        ("W2 smaller over larger", plain(Some(7 * KB / 2), Some(KB / 2)), 4.0),
        ("W3 one attribute of 10 KB", plain(Some(10 * KB), Some(10 * KB)), 10.0),
        ("W4 delete", plain(Some(5 * KB / 2), None), 3.0),
        ("W4 delete absent", plain(None, None), 1.0),
        ("W5 batch", plain(None, Some(500)) + plain(None, Some(7 * KB / 2)), 5.0),
        ("W6 failed condition", meter_failed_condition(Some(300 * KB), Some(310 * KB)), 310.0),
        ("failed delete", meter_failed_condition(Some(3 * KB), None), 3.0),
        ("failed put, nothing stored", meter_failed_condition(None, Some(310 * KB)), 1.0),
        ("W15 three puts", (0..3).map(|_| transact(None, Some(500))).sum(), 6.0),
        ("W20 transactional delete", transact(Some(3 * KB), None), 6.0),
        ("W21 transactional delete absent", transact(None, None), 2.0),
        ("W22 condition check", meter_condition_check(Some(3_023)), 6.0),
        ("W22 condition check, absent", meter_condition_check(None), 2.0),
        ("W23 first", transact(None, Some(3 * KB / 2)), 4.0),
        ("W23 replay", meter_replayed_transaction([3 * KB / 2].into_iter()), 2.0),
        ("W24 first", transact(Some(9 * KB), Some(SMALL)), 18.0),
        ("W24 replay", meter_replayed_transaction([9 * KB].into_iter()), 6.0),
        ("W25 first", transact(Some(9 * KB), None) + transact(None, Some(SMALL)), 20.0),
        ("W25 replay", meter_replayed_transaction([9 * KB, SMALL].into_iter()), 8.0),
    ]);
}

/// One write of a table with indexes: the sizes of its images and, per index, of its entries.
struct IndexedWrite {
    name: &'static str,
    item: (Option<u64>, Option<u64>),
    transactional: bool,
    /// Old entry, new entry, same key, unchanged.
    gsi: (Option<u64>, Option<u64>, bool, bool),
    lsi: (Option<u64>, Option<u64>, bool, bool),
    /// Total; table, GSI and LSI arm.
    expected: (u64, u64, Option<u64>, Option<u64>),
}

const NO_ENTRY: (Option<u64>, Option<u64>, bool, bool) = (None, None, true, true);
const NEW_ENTRY: (Option<u64>, Option<u64>, bool, bool) = (None, Some(SMALL), false, false);
const SAME_ENTRY: (Option<u64>, Option<u64>, bool, bool) = (Some(SMALL), Some(SMALL), true, true);
const CHANGED_ENTRY: (Option<u64>, Option<u64>, bool, bool) = (Some(SMALL), Some(SMALL), true, false);
const MOVED_ENTRY: (Option<u64>, Option<u64>, bool, bool) = (Some(SMALL), Some(SMALL), false, false);
const MOVED_1517: (Option<u64>, Option<u64>, bool, bool) = (Some(1_517), Some(1_517), false, false);
const GONE_1536: (Option<u64>, Option<u64>, bool, bool) = (Some(1_536), None, false, false);
const GONE_3072: (Option<u64>, Option<u64>, bool, bool) = (Some(3_072), None, false, false);

#[test]
fn writes_of_indexes() {
    let new = (None, Some(SMALL));
    let over = (Some(SMALL), Some(SMALL));
    let over_1_5_kb = (Some(1_536), Some(1_536));
    #[rustfmt::skip]
    let cases = [
        ("W7 new item", new, false, NEW_ENTRY, NEW_ENTRY, (3, 1, Some(1), Some(1))),
        ("W8 identical put", over, false, SAME_ENTRY, SAME_ENTRY, (1, 1, None, None)),
        ("W9 GSI key moved", over, false, MOVED_ENTRY, CHANGED_ENTRY, (4, 1, Some(2), Some(1))),
        ("W10 not projected", over, false, SAME_ENTRY, NO_ENTRY, (1, 1, None, None)),
        ("W11 sparse", new, false, NO_ENTRY, NO_ENTRY, (1, 1, None, None)),
        ("W12 key removed", (Some(2_048), Some(2_048)), false, GONE_1536, NO_ENTRY, (4, 2, Some(2), None)),
        ("W13 key moved", over_1_5_kb, false, MOVED_1517, NO_ENTRY, (6, 2, Some(4), None)),
        ("W14 in a transaction", over_1_5_kb, true, MOVED_1517, NO_ENTRY, (8, 4, Some(4), None)),
        ("W16 transaction, one put", new, true, NEW_ENTRY, NO_ENTRY, (3, 2, Some(1), None)),
        ("W18 transaction, key moved", over, true, MOVED_ENTRY, CHANGED_ENTRY, (5, 2, Some(2), Some(1))),
        ("W19 transaction, identical", over, true, SAME_ENTRY, NO_ENTRY, (2, 2, None, None)),
        ("W20 transaction, delete", (Some(3_072), None), true, GONE_3072, NO_ENTRY, (9, 6, Some(3), None)),
    ];
    for (name, item, transactional, gsi, lsi, expected) in cases {
        check_indexed(&IndexedWrite { name, item, transactional, gsi, lsi, expected });
    }
}

fn consumption(write: &IndexedWrite) -> Consumption {
    let mut sum = Consumption::of_table(meter_item_write(write.item.0, write.item.1, write.transactional));
    let (old, new, same_key, unchanged) = write.gsi;
    if let Some(units) = meter_index_write(old, new, same_key, unchanged) {
        sum.global_indexes.add(&"gsi".into(), units);
    }
    let (old, new, same_key, unchanged) = write.lsi;
    if let Some(units) = meter_index_write(old, new, same_key, unchanged) {
        sum.local_indexes.add(&"lsi".into(), units);
    }
    sum
}

fn check_indexed(write: &IndexedWrite) {
    let got = consumption(write);
    let whole = CapacityUnits::from_whole;
    let (total, table, gsi, lsi) = write.expected;
    assert_eq!(got.total(), whole(total), "{}", write.name);
    assert_eq!(got.table, whole(table), "{}", write.name);
    assert_eq!(got.global_indexes.get("gsi"), gsi.map(whole), "{}", write.name);
    assert_eq!(got.local_indexes.get("lsi"), lsi.map(whole), "{}", write.name);
}

#[test]
fn w17_two_puts_in_a_transaction_with_two_indexes() {
    let put = IndexedWrite {
        name: "W17",
        item: (None, Some(SMALL)),
        transactional: true,
        gsi: NEW_ENTRY,
        lsi: NEW_ENTRY,
        expected: (4, 2, Some(1), Some(1)),
    };
    let mut both = consumption(&put);
    both.merge(&consumption(&put));
    assert_eq!(both.total(), CapacityUnits::from_whole(8));
    assert_eq!(both.table, CapacityUnits::from_whole(4));
    assert_eq!(both.global_indexes.total(), CapacityUnits::from_whole(2));
    assert_eq!(both.local_indexes.total(), CapacityUnits::from_whole(2));
}

#[test]
fn w26_eight_indexes() {
    let mut put = Consumption::of_table(meter_item_write(None, Some(SMALL), false));
    for number in 1..=8 {
        let entry = meter_index_write(None, Some(SMALL), false, false);
        put.global_indexes.add(&format!("gsi{number}").into(), entry.unwrap());
    }
    assert_eq!(put.total(), CapacityUnits::from_whole(9));
}

#[test]
fn a_grown_entry_with_the_same_key_costs_the_larger_image() {
    assert_eq!(meter_index_write(Some(1_025), Some(10), true, false), Some(CapacityUnits::from_whole(2)));
    assert_eq!(meter_index_write(Some(10), Some(3_000), true, false), Some(CapacityUnits::from_whole(3)));
}

#[test]
fn blocks_round_up_and_are_at_least_one() {
    for (bytes, read, write) in
        [(0, 1, 1), (1, 1, 1), (1_024, 1, 1), (1_025, 1, 2), (4_096, 1, 4), (4_097, 2, 5)]
    {
        assert_eq!((read_blocks(bytes), write_blocks(bytes)), (read, write), "{bytes} bytes");
    }
    assert_eq!(read_blocks(u64::MAX), u64::MAX / 4_096 + 1);
}

//! Writes: the table's own charge and that of each index.

use super::{CapacityUnits, Consistency, meter_item_read};

/// One write unit covers this many bytes.
///
/// # Source
/// Documented: DynamoDB Developer Guide 2026, "Read and write operations".
pub const WRITE_BLOCK_BYTES: u64 = 1_024;

/// The size of one index entry in bytes: base table keys, index keys and projected attributes, each counted once.
pub type IndexEntrySize = u64;

/// The blocks that a write of `bytes` touches: rounded up to 1,024 bytes, at least one.
pub const fn write_blocks(bytes: u64) -> u64 {
    if bytes <= WRITE_BLOCK_BYTES { 1 } else { bytes.div_ceil(WRITE_BLOCK_BYTES) }
}

/// The charge of one put, update or delete on the table itself, by the larger of the item before and after.
///
/// `old_bytes` and `new_bytes` are item sizes, `None` where there is no item: a new item has no old size, a
/// delete has no new one, and deleting what is not there has neither and costs one unit. An update is charged
/// for the whole item even if it changes one attribute, or nothing. `transactional` doubles the charge after
/// rounding. A time-to-live deletion is not a write in this sense: it is free in its own region.
///
/// # Source
/// Documented: Developer Guide 2026, "Read and write operations" and "Transactions"; "larger of both images" for
/// every kind of write measured 2026 (3,017 bytes shrunk to 18 cost 3).
pub fn meter_item_write(
    old_bytes: Option<u64>,
    new_bytes: Option<u64>,
    transactional: bool,
) -> CapacityUnits {
    let larger_image = old_bytes.max(new_bytes).unwrap_or(0);
    let charge = CapacityUnits::from_whole(write_blocks(larger_image));
    if transactional { charge.doubled() } else { charge }
}

/// The charge of a write whose condition failed: as if it had been made, by the larger of the stored item and the
/// one attempted (`attempted_bytes` is `None` for a delete); one unit when nothing is stored.
///
/// No answer of the service shows it, for no exception carries `ConsumedCapacity`, but it is consumed and counted.
///
/// # Source
/// Documented: Developer Guide 2026, "Read and write operations" (300 KB stored, 310 KB attempted: 310). For an
/// absent item the guide of 2023 says one unit and that of 2026 is silent; one is assumed.
pub fn meter_failed_condition(existing_bytes: Option<u64>, attempted_bytes: Option<u64>) -> CapacityUnits {
    match existing_bytes {
        Some(_) => meter_item_write(existing_bytes, attempted_bytes, false),
        None => CapacityUnits::ONE,
    }
}

/// The charge of a ConditionCheck in TransactWriteItems, in *write* units: twice the blocks of the item that it
/// looked at, two units when there is none. It has no index arms.
///
/// # Source
/// Measured 2026: an item of 3,023 bytes costs 6, an absent one 2.
pub fn meter_condition_check(item_size_bytes: Option<u64>) -> CapacityUnits {
    meter_item_write(item_size_bytes, None, true)
}

/// The charge of one write on one index, GSI or LSI; `None` when the index is not touched and has no arm in the
/// answer. It is never doubled, also not in a transaction.
///
/// `old_bytes` and `new_bytes` are the sizes of the index entry before and after; `None` when the item has no
/// entry there (it lacks an index key attribute). `same_key` says that both entries have the same index key, and
/// `unchanged` that they are equal in all they hold (sets compared without order). Both are looked at only when
/// there are two entries.
///
/// | entry before → after | charge |
/// | --- | --- |
/// | none → none | no arm |
/// | none → some | blocks of the new one |
/// | some → none | blocks of the old one |
/// | equal | no arm |
/// | same key, other content | the larger of the two |
/// | other key | both, each rounded by itself: a delete and a put |
///
/// # Source
/// Documented: Developer Guide 2026, "Global secondary indexes" and "Local secondary indexes"; each row measured
/// 2026.
pub fn meter_index_write(
    old_bytes: Option<IndexEntrySize>,
    new_bytes: Option<IndexEntrySize>,
    same_key: bool,
    unchanged: bool,
) -> Option<CapacityUnits> {
    let blocks = match (old_bytes, new_bytes) {
        (None, None) => return None,
        (Some(entry), None) | (None, Some(entry)) => write_blocks(entry),
        (Some(_), Some(_)) if same_key && unchanged => return None,
        (Some(old), Some(new)) if same_key => write_blocks(old.max(new)),
        (Some(old), Some(new)) => write_blocks(old).saturating_add(write_blocks(new)),
    };
    Some(CapacityUnits::from_whole(blocks))
}

/// The charge of a TransactWriteItems or ExecuteTransaction that is answered from its client request token, in
/// *read* units: per action twice the read blocks of its larger image, as the first call saw it.
///
/// `larger_images_bytes` gives per action the larger of the item before and after, 0 if there was neither.
///
/// # Source
/// Documented that a replay costs reads (Developer Guide 2026, "Transactions"); the amount measured 2026 (a 9 KB item
/// shrunk: 18 write units, then 6 read units).
pub fn meter_replayed_transaction(larger_images_bytes: impl Iterator<Item = u64>) -> CapacityUnits {
    larger_images_bytes.map(|bytes| meter_item_read(Some(bytes), Consistency::Transactional)).sum()
}

//! What a write changes in the indexes: worked out from the item before and after.

use std::sync::Arc;

use bytes::Bytes;
use dynamometer_capacity::meter::{CapacityUnits, meter_index_write};
use dynamometer_store::{Batch, Keyspace};
use dynamometer_types::size::item_size;
use dynamometer_types::{Item, KeyAttribute};

use crate::catalog::{Index, IndexKind, Table};
use crate::disk::keys::{ObjectId, entry_key, object_prefix};
use crate::disk::row::{CorruptRow, Row};
use crate::validate::keys::{check_key_sizes, empty_kind};

/// What a write does to one index: its charge, and the bytes by which the index grows.
pub(crate) struct IndexChange {
    /// The index's number on disk.
    pub(crate) object: ObjectId,
    pub(crate) name: Arc<str>,
    pub(crate) kind: IndexKind,
    pub(crate) units: CapacityUnits,
    pub(crate) growth_bytes: i64,
    /// Key and size of the entry before and after.
    pub(crate) old: Option<(Bytes, u64)>,
    pub(crate) new: Option<(Bytes, u64)>,
    row: Option<Row>,
}

impl IndexChange {
    /// Puts the rows and counters that the change makes into a batch.
    pub(crate) fn put_into(&self, batch: &mut Batch) {
        let keys = (self.old.as_ref().map(|(key, _)| key), self.new.as_ref().map(|(key, _)| key));
        if let (Some(old), new) = keys
            && new != Some(old)
        {
            batch.delete(Keyspace::IndexEntries, old.clone());
        }
        if let (Some(new), Some(row)) = (keys.1, &self.row) {
            batch.put(Keyspace::IndexEntries, new.clone(), row.bytes().clone());
        }
        let entries = i64::from(self.new.is_some()) - i64::from(self.old.is_some());
        if entries != 0 || self.growth_bytes != 0 {
            batch.add(Keyspace::Counters, object_prefix(self.object).to_vec(), [entries, self.growth_bytes]);
        }
    }
}

/// An item before or after a write: its stored form, and at least those attributes that the indexes
/// [need](Table::indexes_need).
#[derive(Clone, Copy)]
pub(crate) struct Image<'a> {
    item: &'a Item,
    row: &'a Row,
    /// In bytes, as DynamoDB counts them.
    pub(super) size: u64,
}

impl<'a> Image<'a> {
    /// The image of an item with this row.
    pub(crate) fn new(item: &'a Item, row: &'a Row) -> Result<Image<'a>, CorruptRow> {
        Ok(Image { item, row, size: row.item_size()? })
    }
}

/// An item's entry in an index.
struct Entry<'a> {
    key: Bytes,
    content: Content<'a>,
    size: u64,
}

/// What an index holds of an item.
#[derive(PartialEq)]
enum Content<'a> {
    /// All of it, stored as the item is. Equal items have equal rows.
    Whole(&'a Row),
    Part(Item),
}

impl<'a> Entry<'a> {
    fn of(image: Image<'a>, index: &Index, table: &Table) -> Option<Entry<'a>> {
        if !takes(index, image.item) {
            return None;
        }
        let key = entry_key(index.id, &index.key, &table.key, image.item)?;
        Some(match index.part_of(image.item, &table.key) {
            None => Entry { key, content: Content::Whole(image.row), size: image.size },
            Some(part) => Entry { key, size: item_size(&part), content: Content::Part(part) },
        })
    }

    fn to_row(&self) -> Row {
        match &self.content {
            Content::Whole(row) => (*row).clone(),
            Content::Part(part) => Row::encode(part),
        }
    }
}

/// Whether an item is in an index. One that was added later skips exactly the items that a write would be refused for:
/// those with an index key of another type, an empty one, or one that is too long.
fn takes(index: &Index, item: &Item) -> bool {
    let sound = |a: &KeyAttribute| {
        item.get(&a.name).is_some_and(|value| a.scalar_type.admits(value) && empty_kind(value).is_none())
    };
    index.key.attributes().all(sound) && check_key_sizes(&index.key, item).is_ok()
}

/// What brings the index from `old` to `new`. `None` when nothing changes.
pub(crate) fn index_change(
    index: &Index,
    table: &Table,
    old: Option<Image<'_>>,
    new: Option<Image<'_>>,
) -> Option<IndexChange> {
    let old = old.and_then(|image| Entry::of(image, index, table));
    let new = new.and_then(|image| Entry::of(image, index, table));
    // The whole entry key ends with the table key, which a write never changes: equal keys are equal index keys.
    let same_key = matches!((&old, &new), (Some(old), Some(new)) if old.key == new.key);
    let unchanged = same_key && matches!((&old, &new), (Some(old), Some(new)) if old.content == new.content);
    let size = |entry: &Option<Entry<'_>>| entry.as_ref().map(|entry| entry.size);
    let units = meter_index_write(size(&old), size(&new), same_key, unchanged)?;

    let growth_bytes = size(&new).unwrap_or(0) as i64 - size(&old).unwrap_or(0) as i64;
    Some(IndexChange {
        object: index.id,
        name: Arc::clone(&index.name),
        kind: index.kind,
        units,
        growth_bytes,
        old: old.map(|old| (old.key, old.size)),
        row: new.as_ref().map(Entry::to_row),
        new: new.map(|new| (new.key, new.size)),
    })
}

/// The row of an item's entry, if it has one.
pub(super) fn entry_row(index: &Index, table: &Table, image: Image<'_>) -> Option<Bytes> {
    Entry::of(image, index, table).map(|entry| entry.to_row().bytes().clone())
}

/// Puts the entry of an item into the batch, without counting it: a backfill's part, which may find it there.
pub(crate) fn write_entry(index: &Index, table: &Table, image: Image<'_>, batch: &mut Batch) {
    if let Some(entry) = Entry::of(image, index, table) {
        let row = entry.to_row();
        batch.put(Keyspace::IndexEntries, entry.key, row.bytes().clone());
    }
}

/// Counts the entry of an item, without writing it.
pub(crate) fn count_entry(index: &Index, table: &Table, image: Image<'_>, batch: &mut Batch) {
    if let Some(entry) = Entry::of(image, index, table) {
        batch.add(Keyspace::Counters, object_prefix(index.id).to_vec(), [1, entry.size as i64]);
    }
}

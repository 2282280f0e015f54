//! Whether what a table holds, what its indexes hold and what its counters say is one truth.
//!
//! This looks at one table as its answers show it and works out everything else from the items, by its own rules: it
//! shares no code with the write path.

use std::collections::BTreeSet;
use std::ops::{Bound, ControlFlow};

use dynamometer_engine::api::*;
use dynamometer_engine::catalog::Table;
use dynamometer_engine::disk::keys::{expiry_key, object_prefix};
use dynamometer_engine::disk::row::Row;
use dynamometer_store::{Direction, Keyspace, decode_pair};
use dynamometer_types::size::item_size;
use dynamometer_types::{AttributeValue, Item};

use super::World;
use super::requests::scan;
use super::streams::replay;

/// An index as DescribeTable shows it.
pub struct IndexShape {
    pub name: String,
    pub key: Vec<(String, ScalarAttributeType)>,
    partition: usize,
    /// `None` is everything.
    pub projected: Option<BTreeSet<String>>,
}

/// The indexes of a table that can be read.
pub fn index_shapes(table: &TableDescription) -> Vec<IndexShape> {
    let local = table.local_secondary_indexes.iter().flatten();
    let global = table.global_secondary_indexes.iter().flatten();
    let ready = global.filter(|index| index.backfilling.is_none());
    let local = local.map(|index| shape(table, &index.index_name, &index.key_schema, &index.projection));
    local
        .chain(ready.map(|index| shape(table, &index.index_name, &index.key_schema, &index.projection)))
        .collect()
}

fn shape(
    table: &TableDescription,
    name: &str,
    key: &[KeySchemaElement],
    projection: &Projection,
) -> IndexShape {
    let role = |element: &KeySchemaElement| element.key_type.as_ref().unwrap().known().unwrap();
    let named = |element: &KeySchemaElement| element.attribute_name.clone().unwrap();
    let kind = projection.projection_type.as_ref().unwrap().known().unwrap();
    let keys = table.key_schema.iter().flatten().chain(key).map(named);
    IndexShape {
        name: name.to_owned(),
        key: key.iter().map(named).map(|name| (name.clone(), type_of(table, &name))).collect(),
        partition: key.iter().filter(|element| role(element) == KeyType::Hash).count(),
        projected: (kind != ProjectionType::All)
            .then(|| keys.chain(projection.non_key_attributes.iter().flatten().cloned()).collect()),
    }
}

fn type_of(table: &TableDescription, name: &str) -> ScalarAttributeType {
    let definitions = table.attribute_definitions.iter().flatten();
    let found = definitions.into_iter().find(|definition| definition.attribute_name.as_deref() == Some(name));
    found.unwrap().attribute_type.as_ref().unwrap().known().unwrap()
}

impl IndexShape {
    /// What the index holds of an item, when it is in the index: every key attribute is there, of its type, not empty
    /// and not longer than keys may be.
    pub fn entry(&self, item: &Item) -> Option<Item> {
        let typed = |(name, kind): &(String, ScalarAttributeType)| match (kind, item.get(name)?) {
            (ScalarAttributeType::S, AttributeValue::S(text)) => {
                Some(text.len()).filter(|length| *length > 0)
            }
            (ScalarAttributeType::B, AttributeValue::B(bytes)) => {
                Some(bytes.len()).filter(|length| *length > 0)
            }
            (ScalarAttributeType::N, AttributeValue::N(_)) => Some(0),
            _ => None,
        };
        let lengths: Vec<usize> = self.key.iter().map(typed).collect::<Option<_>>()?;
        let (partition, sort) = lengths.split_at(self.partition);
        if partition.iter().sum::<usize>() > 2048 || sort.iter().sum::<usize>() > 1024 {
            return None;
        }
        let attributes = item.iter().filter(|(name, _)| self.holds(name));
        Some(attributes.map(|(name, value)| (name, value.clone())).collect())
    }

    /// Whether an attribute of this name is projected.
    pub fn holds(&self, name: &str) -> bool {
        self.projected.as_ref().is_none_or(|names| names.contains(name))
    }
}

/// Checks that a table's items, its indexes and its counters agree. Answers the items.
pub fn check_agreement(world: &World, table: &str) -> Vec<Item> {
    let shown = world.describe(table);
    let items = world.scan_all(&scan(table, None), None);
    let bytes: u64 = items.iter().map(item_size).sum();
    let counted = (shown.item_count, shown.table_size_bytes);
    assert_eq!(counted, (items.len() as i64, bytes as i64), "counters of {table}");
    for index in index_shapes(&shown) {
        let mut expected: Vec<Item> = items.iter().filter_map(|item| index.entry(item)).collect();
        let mut found = world.scan_all(&scan(table, Some(&index.name)), None);
        let bytes: u64 = found.iter().map(item_size).sum();
        expected.sort_by_key(|item| format!("{item:?}"));
        found.sort_by_key(|item| format!("{item:?}"));
        assert_eq!(found, expected, "content of {table}/{}", index.name);
        let counted = counted_of(&shown, &index.name);
        assert_eq!(counted, (found.len() as i64, bytes as i64), "counters of {table}/{}", index.name);
    }
    check_collections(world, &shown);
    check_stream(world, &shown, &items);
    items
}

/// The stream of both images that a table has had from its beginning tells how it became what it is.
fn check_stream(world: &World, shown: &TableDescription, items: &[Item]) {
    let Some(arn) = &shown.latest_stream_arn else { return };
    let sorted = |items: &[Item]| {
        let mut items = items.to_vec();
        items.sort_by_key(|item| format!("{item:?}"));
        items
    };
    let replayed = replay(&world.read_stream(arn, 7));
    assert_eq!(sorted(&replayed), sorted(items), "the stream of {}", shown.table_name);
}

/// Item collections, of tables with local indexes, add up to the table and these indexes. Their sizes are answered in
/// whole gigabytes only, so this looks at their rows in the store.
fn check_collections(world: &World, shown: &TableDescription) {
    let local = shown.local_secondary_indexes.iter().flatten();
    let bytes = shown.table_size_bytes + local.map(|index| index.index_size_bytes).sum::<i64>();
    let table = world.engine.catalog().table("", &shown.table_name).unwrap();
    let prefix = object_prefix(table.id());
    let mut sum = [0, 0];
    let mut visit = |key: &[u8], row: &bytes::Bytes| {
        if !key.starts_with(&prefix) {
            return ControlFlow::Break(());
        }
        let [items, bytes] = decode_pair(Some(row)).unwrap();
        assert!(items > 0 && bytes > 0, "a collection of {items} items and {bytes} bytes");
        sum = [sum[0] + items, sum[1] + bytes];
        ControlFlow::Continue(())
    };
    let snapshot = world.engine.store().snapshot().unwrap();
    // The row of the table itself is the prefix alone.
    let start = Bound::Excluded(&prefix[..]);
    snapshot.range(Keyspace::Counters, start, Bound::Unbounded, Direction::Forward, &mut visit).unwrap();
    let expected = if table.has_local_indexes() { [shown.item_count, bytes] } else { [0, 0] };
    assert_eq!(sum, expected, "collections of {}", shown.table_name);
}

/// `ItemCount` and `IndexSizeBytes`.
pub fn counted_of(shown: &TableDescription, index: &str) -> (i64, i64) {
    let local = shown.local_secondary_indexes.iter().flatten();
    let local = local.map(|index| (&index.index_name, index.item_count, index.index_size_bytes));
    let global = shown.global_secondary_indexes.iter().flatten();
    let global = global.map(|index| (&index.index_name, index.item_count, index.index_size_bytes));
    let (_, items, bytes) = local.chain(global).find(|(name, _, _)| *name == index).unwrap();
    (items, bytes)
}

/// Checks that the store holds no rows but those of the catalog's tables and indexes. To be called when all jobs are
/// done.
pub fn check_nothing_is_left_over(world: &World) {
    let version = world.engine.catalog().version();
    let known: BTreeSet<u32> = version
        .all_tables()
        .flat_map(|table| {
            let record = &table.record;
            let indexes = record.local_indexes.iter().chain(&record.global_indexes);
            indexes.map(|index| index.id).chain([record.id]).chain(record.expiry_id).collect::<Vec<_>>()
        })
        .chain(version.all_streams().map(|stream| stream.row.id))
        .collect();
    // States that are kept have no such index: it is filled when they are brought back.
    let live = version.all_tables().filter(|table| !table.record.namespace.starts_with('#'));
    live.for_each(|table| check_expiry(world, table));
    let snapshot = world.engine.store().snapshot().unwrap();
    for keyspace in
        [Keyspace::Items, Keyspace::IndexEntries, Keyspace::Counters, Keyspace::Streams, Keyspace::Expiry]
    {
        let mut visit = |key: &[u8], _: &bytes::Bytes| {
            let id = u32::from_be_bytes(key[..4].try_into().unwrap());
            assert!(
                known.contains(&id),
                "a row of {keyspace:?} belongs to {id}, which the catalog does not know"
            );
            ControlFlow::Continue(())
        };
        let (start, end) = (Bound::Unbounded, Bound::Unbounded);
        snapshot.range(keyspace, start, end, Direction::Forward, &mut visit).unwrap();
    }
}

/// Checks that the index of expiry times of a table has a row for each item that expires, and no other.
fn check_expiry(world: &World, table: &Table) {
    let record = &table.record;
    let (Some(attribute), Some(expiry_id)) = (&record.ttl_attribute, record.expiry_id) else { return };
    let rows = |keyspace, id: u32| {
        let (mut rows, prefix) = (Vec::new(), object_prefix(id));
        let mut visit = |key: &[u8], row: &bytes::Bytes| {
            if !key.starts_with(&prefix) {
                return ControlFlow::Break(());
            }
            rows.push((key.to_vec(), Row::from_stored(row.clone())));
            ControlFlow::Continue(())
        };
        let snapshot = world.engine.store().snapshot().unwrap();
        let start = Bound::Included(&prefix[..]);
        snapshot.range(keyspace, start, Bound::Unbounded, Direction::Forward, &mut visit).unwrap();
        rows
    };
    let expected: BTreeSet<Vec<u8>> = rows(Keyspace::Items, table.id())
        .into_iter()
        .filter_map(|(key, row)| match row.decode().unwrap().get(attribute) {
            Some(AttributeValue::N(number)) => {
                let second = number.to_i64().filter(|second| *second > 0)?;
                Some(expiry_key(expiry_id, second as u64, &key))
            }
            _ => None,
        })
        .collect();
    let found: BTreeSet<Vec<u8>> =
        rows(Keyspace::Expiry, expiry_id).into_iter().map(|(key, _)| key).collect();
    assert_eq!(found, expected, "expiry times of {}", record.name);
}

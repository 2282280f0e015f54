//! Keys on disk.
//!
//! ```text
//! item     := table:u32 hash:u64 escaped(partition key) sort key
//! expiry   := index:u32 second:u64 the item's key behind its table
//! entry    := index:u32 hash:u64 escaped(partition key)+ escaped(sort key)* escaped(table partition key) table sort key
//! ```
//!
//! Numbers are big-endian; `hash` is [`partition_hash`] of the partition key; key values are in their ordered
//! form. So a Scan follows the hash, the items of one partition key lie together in the order of the sort key,
//! and entries with equal index keys lie in the order of the table's key.

use bytes::Bytes;
use dynamometer_types::key::{partition_hash, write_escaped, write_ordered};
use dynamometer_types::{AttributeValue, Item, KeySchema};

/// The number of a table or index on disk; never used twice.
pub type ObjectId = u32;

const ID_BYTES: usize = 4;
const HASH_BYTES: usize = 8;
const SECOND_BYTES: usize = 8;

/// The first bytes of all rows of a table or index.
pub fn object_prefix(id: ObjectId) -> [u8; ID_BYTES] {
    id.to_be_bytes()
}

/// The key of the same row in another table or index.
pub fn renumbered(key: &[u8], id: ObjectId) -> Vec<u8> {
    [&object_prefix(id)[..], &key[ID_BYTES..]].concat()
}

/// The key where a hash begins within a table or index.
pub fn hash_start(id: ObjectId, hash: u64) -> Vec<u8> {
    [&id.to_be_bytes()[..], &hash.to_be_bytes()[..]].concat()
}

/// The hash that a stored key carries.
pub fn hash_of(key: &[u8]) -> Option<u64> {
    let bytes = key.get(ID_BYTES..ID_BYTES + HASH_BYTES)?;
    Some(u64::from_be_bytes(bytes.try_into().ok()?))
}

/// The smallest key that is greater than all that begin with `prefix`; `None` when there is none.
pub fn after_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != u8::MAX)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end)
}

/// The key of an item: its table's id, and its key attributes in `key`. `None` when one is missing or no scalar.
pub fn item_key(table: ObjectId, schema: &KeySchema, key: &Item) -> Option<Bytes> {
    let mut out = partition_prefix(table, schema.partition.iter().map(|a| key.get(&a.name)))?;
    for attribute in &schema.sort {
        push_ordered(key.get(&attribute.name)?, &mut out)?;
    }
    Some(out.into())
}

/// The key of an index entry. `None` when the item lacks an index key attribute, and so is not in the index.
pub fn entry_key(
    index: ObjectId,
    schema: &KeySchema,
    table_schema: &KeySchema,
    item: &Item,
) -> Option<Bytes> {
    let mut out = partition_prefix(index, schema.partition.iter().map(|a| item.get(&a.name)))?;
    for attribute in schema.sort.iter().chain(&table_schema.partition) {
        push_escaped(item.get(&attribute.name)?, &mut out)?;
    }
    for attribute in &table_schema.sort {
        push_ordered(item.get(&attribute.name)?, &mut out)?;
    }
    Some(out.into())
}

/// The key of an item's row in an index of expiry times.
pub fn expiry_key(index: ObjectId, second: u64, item_key: &[u8]) -> Vec<u8> {
    [&expiry_start(index, second)[..], &item_key[ID_BYTES..]].concat()
}

/// The key where a second begins in an index of expiry times.
pub fn expiry_start(index: ObjectId, second: u64) -> Vec<u8> {
    [&object_prefix(index)[..], &second.to_be_bytes()].concat()
}

/// The second of a row of an index of expiry times.
pub fn second_of_expiry(key: &[u8]) -> Option<u64> {
    let bytes = key.get(ID_BYTES..ID_BYTES + SECOND_BYTES)?;
    Some(u64::from_be_bytes(bytes.try_into().ok()?))
}

/// The key of the item that a row of an index of expiry times belongs to.
pub fn item_key_of_expiry(key: &[u8], table: ObjectId) -> Vec<u8> {
    [&object_prefix(table)[..], key.get(ID_BYTES + SECOND_BYTES..).unwrap_or_default()].concat()
}

/// The first bytes of all rows with one partition key: id, hash, escaped partition key attributes.
pub fn partition_prefix<'a>(
    id: ObjectId,
    partition: impl Iterator<Item = Option<&'a AttributeValue>>,
) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(96);
    out.extend_from_slice(&id.to_be_bytes());
    out.extend_from_slice(&[0; HASH_BYTES]);
    for value in partition {
        push_escaped(value?, &mut out)?;
    }
    let hash = partition_hash(&out[ID_BYTES + HASH_BYTES..]);
    out[ID_BYTES..ID_BYTES + HASH_BYTES].copy_from_slice(&hash.to_be_bytes());
    Some(out)
}

/// Appends a sort key value that more may follow.
pub fn push_escaped(value: &AttributeValue, out: &mut Vec<u8>) -> Option<()> {
    let mut ordered = Vec::with_capacity(64);
    push_ordered(value, &mut ordered)?;
    write_escaped(&ordered, out);
    Some(())
}

/// Appends a sort key value that ends the key.
pub fn push_ordered(value: &AttributeValue, out: &mut Vec<u8>) -> Option<()> {
    write_ordered(value, out).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dynamometer_types::{KeyAttribute, ScalarType};

    fn schema(partition: &[&str], sort: &[&str]) -> KeySchema {
        let keys = |names: &[&str]| {
            names.iter().map(|n| KeyAttribute { name: n.to_string(), scalar_type: ScalarType::S }).collect()
        };
        KeySchema { partition: keys(partition), sort: keys(sort) }
    }

    fn item(pairs: &[(&str, &str)]) -> Item {
        pairs.iter().map(|(name, text)| (*name, AttributeValue::s(*text))).collect()
    }

    #[test]
    fn items_of_one_partition_lie_together_in_sort_order() {
        let schema = schema(&["pk"], &["sk"]);
        let key = |sk| item_key(7, &schema, &item(&[("pk", "a"), ("sk", sk)])).unwrap();
        let prefix = partition_prefix(7, [Some(&AttributeValue::s("a"))].into_iter()).unwrap();
        assert!(key("a") < key("a\0") && key("a\0") < key("b"));
        assert!(key("").starts_with(&prefix) && key("zz").starts_with(&prefix));
        assert!(key("z") < after_prefix(&prefix).unwrap());
    }

    #[test]
    fn an_item_without_an_index_key_has_no_entry() {
        let (index, table) = (schema(&["g"], &["h"]), schema(&["pk"], &[]));
        assert_eq!(entry_key(1, &index, &table, &item(&[("pk", "a"), ("g", "x")])), None);
        assert!(entry_key(1, &index, &table, &item(&[("pk", "a"), ("g", "x"), ("h", "y")])).is_some());
    }

    #[test]
    fn attributes_of_a_long_partition_key_do_not_run_into_each_other() {
        let (index, table) = (schema(&["a", "b"], &[]), schema(&["pk"], &[]));
        let key = |a, b| entry_key(1, &index, &table, &item(&[("pk", "k"), ("a", a), ("b", b)]));
        assert_ne!(key("xy", "z"), key("x", "yz"));
    }

    #[test]
    fn a_row_of_expiry_times_leads_back_to_its_item() {
        let item_key = item_key(7, &schema(&["pk"], &["sk"]), &item(&[("pk", "a"), ("sk", "b")])).unwrap();
        let key = expiry_key(9, 1_780_308_000, &item_key);
        assert!(key.starts_with(&expiry_start(9, 1_780_308_000)) && key < expiry_start(9, 1_780_308_001));
        assert_eq!(second_of_expiry(&key), Some(1_780_308_000));
        assert_eq!(item_key_of_expiry(&key, 7), item_key);
        assert_eq!(second_of_expiry(&key[..5]), None);
    }

    #[test]
    fn nothing_comes_after_the_highest_prefix() {
        assert_eq!(after_prefix(&[1, 255]), Some(vec![2]));
        assert_eq!(after_prefix(&[255, 255]), None);
    }
}

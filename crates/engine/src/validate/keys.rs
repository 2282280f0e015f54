//! The stages that need the table: keys and index keys of items.

use bytes::Bytes;
use dynamometer_expr::{Condition, KeyOf, Path, Projection, check_scalar_keys};
use dynamometer_types::limits::{PARTITION_KEY_BYTES, SORT_KEY_BYTES};
use dynamometer_types::{ApiError, AttributeValue, Item, KeyAttribute, KeySchema};

use crate::catalog::{Index, Table};
use crate::disk::keys::item_key;
use crate::engine::internal_error;

/// What AWS says of a key that is not the table's.
pub(crate) const KEY_MISMATCH: &str = "The provided key element does not match the schema";

/// Checks a `Key` member against the table, and answers the key on disk.
pub(crate) fn check_key(table: &Table, key: &Item) -> Result<Bytes, ApiError> {
    check_key_shape(&table.key, key)?;
    check_key_values(&table.key, key)?;
    stored_key(table, key)
}

/// Checks that a key has exactly the key attributes, each of its type.
pub(crate) fn check_key_shape(schema: &KeySchema, key: &Item) -> Result<(), ApiError> {
    let typed = |a: &KeyAttribute| key.get(&a.name).is_some_and(|value| a.scalar_type.admits(value));
    if key.len() == schema.len() && schema.attributes().all(typed) {
        Ok(())
    } else {
        Err(ApiError::validation(KEY_MISMATCH))
    }
}

/// Checks that an item to put has the table's key attributes, each of its type.
pub(crate) fn check_item_has_key(table: &Table, item: &Item) -> Result<(), ApiError> {
    for attribute in table.key.attributes() {
        let name = &attribute.name;
        let Some(value) = item.get(name) else {
            return Err(invalid(format!("Missing the key {name} in the item")));
        };
        if !attribute.scalar_type.admits(value) {
            let (expected, actual) = (attribute.scalar_type.name(), value.value_type().name());
            return Err(invalid(format!(
                "Type mismatch for key {name} expected: {expected} actual: {actual}"
            )));
        }
    }
    Ok(())
}

/// Refuses paths that lead into a key attribute of the table or of an index, which are scalars.
pub(crate) fn check_scalar_paths<'a>(
    table: &Table,
    paths: impl Iterator<Item = &'a Path> + Clone,
) -> Result<(), ApiError> {
    if !paths.clone().any(Path::is_nested) {
        return Ok(());
    }
    let of_indexes = table.indexes.iter().map(|index| (&index.key, KeyOf::Index));
    std::iter::once((&table.key, KeyOf::Table)).chain(of_indexes).try_for_each(|(schema, key_of)| {
        check_scalar_keys(paths.clone(), schema, key_of).map_err(|error| ApiError::validation(error.message))
    })
}

/// The same for the paths of a condition and of a projection, where they are.
pub(crate) fn check_scalar_paths_of(
    table: &Table,
    condition: Option<&Condition>,
    projection: Option<&Projection>,
) -> Result<(), ApiError> {
    if let Some(projection) = projection {
        check_scalar_paths(table, projection.paths().iter())?;
    }
    match condition {
        Some(condition) => check_scalar_paths(table, condition.paths().iter().copied()),
        None => Ok(()),
    }
}

/// Checks that the index keys that an item has are of their types and not empty.
pub(crate) fn check_index_keys(table: &Table, item: &Item) -> Result<(), ApiError> {
    for (index, attribute, value) in index_keys(table, item) {
        let name = &attribute.name;
        if !attribute.scalar_type.admits(value) {
            return Err(index_key_type_mismatch(index, attribute, value));
        }
        if let Some(empty) = empty_kind(value) {
            return Err(ApiError::validation(format!(
                "One or more parameter values are not valid. A value specified for a secondary index key is not \
                 supported. The AttributeValue for a key attribute cannot contain an empty {empty} value. \
                 IndexName: {}, IndexKey: {name}",
                index.name
            )));
        }
    }
    check_index_key_sizes(table, item)
}

/// The `Type mismatch for Index Key` error.
pub(crate) fn index_key_type_mismatch(
    index: &Index,
    attribute: &KeyAttribute,
    value: &AttributeValue,
) -> ApiError {
    invalid(format!(
        "Type mismatch for Index Key {} Expected: {} Actual: {} IndexName: {}",
        attribute.name,
        attribute.scalar_type.name(),
        value.value_type().name(),
        index.name
    ))
}

/// The index key attributes that an item has and the table's key has not.
pub(crate) fn index_keys<'a>(
    table: &'a Table,
    item: &'a Item,
) -> impl Iterator<Item = (&'a Index, &'a KeyAttribute, &'a AttributeValue)> {
    table.indexes.iter().flat_map(move |index| {
        index
            .key
            .attributes()
            .filter(|attribute| !table.key.contains(&attribute.name))
            .filter_map(move |attribute| Some((index, attribute, item.get(&attribute.name)?)))
    })
}

/// Checks that the values of all index keys are not longer than keys may be.
fn check_index_key_sizes(table: &Table, item: &Item) -> Result<(), ApiError> {
    table.indexes.iter().try_for_each(|index| check_key_sizes(&index.key, item))
}

/// Checks that key values are not empty and not too long.
pub(crate) fn check_key_values(schema: &KeySchema, key: &Item) -> Result<(), ApiError> {
    for attribute in schema.attributes() {
        if let Some(empty) = key.get(&attribute.name).and_then(empty_kind) {
            return Err(ApiError::validation(format!(
                "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an \
                 empty {empty} value. Key: {}",
                attribute.name
            )));
        }
    }
    check_key_sizes(schema, key)
}

/// Checks that key values are not longer than keys may be.
pub(crate) fn check_key_sizes(schema: &KeySchema, key: &Item) -> Result<(), ApiError> {
    check_key_sizes_where(schema, key, |_| true)
}

/// The same for those of the two parts of a key that have an attribute of interest.
pub(crate) fn check_key_sizes_where(
    schema: &KeySchema,
    key: &Item,
    of_interest: impl Fn(&KeyAttribute) -> bool,
) -> Result<(), ApiError> {
    let is_longer = |attributes: &[KeyAttribute], most: usize| {
        attributes.iter().any(&of_interest)
            && attributes.iter().filter_map(|a| key.get(&a.name)).map(key_value_bytes).sum::<usize>() > most
    };
    if is_longer(&schema.partition, PARTITION_KEY_BYTES) {
        // The missing space is AWS's.
        return Err(invalid("Size of hashkey has exceeded the maximum size limit of2048 bytes"));
    }
    if is_longer(&schema.sort, SORT_KEY_BYTES) {
        return Err(invalid("Aggregated size of all range keys has exceeded the size limit of 1024 bytes"));
    }
    Ok(())
}

fn key_value_bytes(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::B(bytes) => bytes.len(),
        _ => 0,
    }
}

/// Whether a value is an empty string or binary, and which.
pub(crate) fn empty_kind(value: &AttributeValue) -> Option<&'static str> {
    match value {
        AttributeValue::S(text) if text.is_empty() => Some("string"),
        AttributeValue::B(bytes) if bytes.is_empty() => Some("binary"),
        _ => None,
    }
}

/// The key on disk of an item or a key that was checked.
pub(crate) fn stored_key(table: &Table, item: &Item) -> Result<Bytes, ApiError> {
    item_key(table.id(), &table.key, item).ok_or_else(|| internal_error("a checked item has no key"))
}

pub(crate) fn invalid(message: impl std::fmt::Display) -> ApiError {
    ApiError::validation(format!("One or more parameter values were invalid: {message}"))
}

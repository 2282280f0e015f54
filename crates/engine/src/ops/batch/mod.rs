//! BatchGetItem and BatchWriteItem.

mod batch_get_item;
mod batch_write_item;
mod echo;

pub(crate) use batch_write_item::has_duplicates;

use dynamometer_types::name::{TableReference, is_name};

use crate::validate::members::Findings;

/// Checks the table names that are the keys of `requestItems`, which AWS echoes whole.
fn check_table_names<T>(members: &mut Findings, tables: &[(String, T)], echo: fn(&[(String, T)]) -> String) {
    if tables.iter().all(|(name, _)| is_name(TableReference::read(name).name())) {
        return;
    }
    members.add(format!(
        "Value '{}' at 'requestItems' failed to satisfy constraint: Map keys must satisfy constraint: [Member must \
         have length less than or equal to 255, Member must have length greater than or equal to 3, Member must \
         satisfy regular expression pattern: [a-zA-Z0-9_.-]+]",
        echo(tables)
    ));
}

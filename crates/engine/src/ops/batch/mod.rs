//! BatchGetItem and BatchWriteItem.

mod batch_get_item;
mod batch_write_item;

pub(crate) use batch_write_item::has_duplicates;

use dynamometer_types::name::{TableReference, is_name};

use crate::validate::members::Findings;

/// Checks the table names that are the keys of `requestItems`.
fn check_table_names<'a>(members: &mut Findings, names: impl Iterator<Item = &'a str> + Clone) {
    if names.clone().all(|name| is_name(TableReference::read(name).name())) {
        return;
    }
    let echo: Vec<&str> = names.collect();
    members.add(format!(
        "Value '{{{}}}' at 'requestItems' failed to satisfy constraint: Map keys must satisfy constraint: [Member must \
         have length less than or equal to 255, Member must have length greater than or equal to 3, Member must \
         satisfy regular expression pattern: [a-zA-Z0-9_.-]+]",
        echo.join(", ")
    ));
}

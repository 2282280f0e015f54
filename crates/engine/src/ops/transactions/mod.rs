//! TransactWriteItems and TransactGetItems.

mod actions;
mod token;
mod transact_get_items;
mod transact_write_items;

pub(crate) use token::{is_expired as token_is_expired, prefix as token_prefix};

/// What AWS says of two actions on one item.
const SAME_ITEM: &str = "Transaction request cannot include multiple operations on one item";

//! TransactWriteItems and TransactGetItems.

mod actions;
mod driver;
mod token;
mod transact_get_items;
mod transact_write_items;

pub(crate) use driver::{Outcome, Transaction, by_table, consumed_by_table, reason};
pub(crate) use token::{Token, TokenSpace, is_expired as token_is_expired};

/// What AWS says of two actions on one item.
pub(crate) const SAME_ITEM: &str = "Transaction request cannot include multiple operations on one item";

//! GetItem, PutItem, UpdateItem, DeleteItem, and what the writes among them share with batches and transactions.

mod condition;
mod delete_item;
mod get_item;
mod put_item;
mod update_item;

pub(crate) use condition::{CheckOperation, OnFailure, parse_write_condition};
pub(crate) use delete_item::DeleteOperation;
pub(crate) use get_item::{parse_projection_members, project_row};
pub(crate) use put_item::{PutOperation, check_item_size, check_put_item};
pub(crate) use update_item::{UpdateOperation, check_update_targets};

//! One file for each operation.

pub(crate) mod answer;
pub(crate) mod batch;
pub(crate) mod items;
mod pages;
mod transactions;

pub(crate) use transactions::token_is_expired;

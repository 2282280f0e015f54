//! One file for each operation.

pub(crate) mod answer;
pub(crate) mod batch;
mod insights;
pub(crate) mod items;
mod pages;
mod partiql;
mod scaling;
mod streams;
pub(crate) mod tables;
pub(crate) mod tags;
mod transactions;
mod ttl;

pub(crate) use tables::uuid;
pub(crate) use transactions::token_is_expired;

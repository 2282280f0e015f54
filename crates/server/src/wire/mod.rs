//! JSON on the wire: request bodies to the structs of [`dynamometer_engine::api`], answers back to bytes. No other
//! module of the project knows JSON.
//!
//! # Two readers
//! [`decode`] reads a body straight into its struct. That reader is strict and silent: it knows the form that every
//! client sends and gives up, without a word, on anything else. Only then a second reader walks the body again
//! along the request's [`Shape`]. It finds AWS's exact text for the first member of a wrong type, notes faulty
//! values with their places, and otherwise writes the body down in the strict form (a boolean sent as `"yes"`
//! becomes `true`, a faulty value becomes NULL), which the first reader then reads. So both readers agree by
//! construction on what a good request means, and a test holds them against each other.
//!
//! Both are driven by one table for each structure, written with [`wire_struct!`](crate::wire_struct).
//!
//! # Answers
//! [`encode`] writes answers member by member into one buffer; a stored row goes out by a walk over its bytes.

pub mod codec;
pub mod encode;
mod insights;
mod items;
mod json;
mod partiql;
mod read;
mod rewrite;
mod scaling;
mod set;
pub mod shape;
mod streams;
mod structure;
mod tables;
mod value;
mod words;

pub use codec::Wire;
pub use encode::{Encode, ErrorForm};
pub use read::{Request, decode};
pub use shape::Shape;
pub use streams::lambda_record;

#[cfg(test)]
mod round_trip_tests;

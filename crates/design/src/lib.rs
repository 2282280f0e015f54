//! The access-pattern file of DynamoDB designs: read, checked, priced, generated from.
//!
//! A design says which tables and indexes there are, which kinds of items, and what is asked of them how often. From that
//! follows how each access pattern is served, what it consumes and costs, and where it will hurt. All of it is pure: texts
//! come in, texts and numbers go out; capacity units and money are those of `dynamometer-capacity`.
//!
//! * [`read()`] makes a [`model::Design`] of a file, or tells everything that is wrong, with line and column.
//! * [`plan`] tells how each pattern is served; [`load`] sums up what is asked of tables, indexes and hottest keys.
//! * [`check()`] holds the design against the [`rules`]; [`output`] prints what they found.
//! * [`cost`] prices it; [`generate`] writes templates and key helpers from it.
//! * [`format`] is the file's format as data, from which its reference and its JSON Schema are written.

pub mod check;
pub mod cost;
pub mod derive;
pub mod format;
pub mod generate;
pub mod infer;
pub mod load;
pub mod matcher;
pub mod model;
pub mod output;
pub mod plan;
mod read;
pub mod rules;
pub mod schema;
pub mod source;
pub mod starters;
pub mod template;
pub mod text;
pub mod words;
pub mod yaml;

pub use check::{Checked, Finding, Severity, check};
pub use read::{FileProblem, read};

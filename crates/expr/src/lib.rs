//! DynamoDB's expressions, PartiQL statements and legacy conditions: parse, check, evaluate, apply.
//!
//! # How it is used
//! A request's names and values become [`Placeholders`]. Each expression text is parsed with them, which checks
//! everything that needs the request only; [`Placeholders::check_all_used`] follows when all are parsed. What is
//! parsed owns its values and knows nothing of the text: the legacy parameters ([`legacy`]) become the same
//! [`Condition`], [`Update`], [`KeyCondition`] and [`Projection`].
//!
//! ```
//! use dynamometer_expr::{ExpressionKind, Placeholders, parse_condition};
//! use dynamometer_types::{AttributeValue, Item};
//!
//! let values = [(":v".to_string(), AttributeValue::s("red"))];
//! let placeholders = Placeholders::new(None, Some(&values));
//! let condition = parse_condition(ExpressionKind::Condition, "colour <> :v", &placeholders).unwrap();
//! placeholders.check_all_used().unwrap();
//! assert!(condition.matches(&Item::new()));
//! ```
//!
//! # Errors
//! [`ExpressionError`] and [`UpdateFault`] carry AWS's words, but never the envelope
//! `1 validation error detected: `: that belongs to the operation.

mod condition;
mod condition_parser;
mod condition_rules;
mod error;
mod key_checks;
mod key_condition;
mod key_range;
pub mod legacy;
mod lexer;
pub mod partiql;
mod path;
mod placeholders;
mod print;
mod projection;
mod reader;
mod reserved;
mod update;
mod update_apply;
mod update_parser;

pub use condition::{Comparator, Condition, Operand};
pub use condition_parser::parse_condition;
pub use error::{ExpressionError, ExpressionKind, Stage};
pub use key_checks::{FilterSource, KeyOf, check_filter, check_scalar_keys};
pub use key_condition::{KeyClause, KeyCondition, KeyTest, parse_key_condition};
pub use key_range::{KeyRange, SortCondition};
pub use path::{Path, PathStep};
pub use placeholders::Placeholders;
pub use print::ExpressionText;
pub use projection::{Projection, parse_projection};
pub use update::{Action, Change, SetValue, Update, UpdateOperand};
pub use update_apply::UpdateFault;
pub use update_parser::parse_update;

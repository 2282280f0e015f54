//! PartiQL: statements as text become the conditions, projections and updates of this crate.
//!
//! # How it is used
//! [`parse_statement`] reads a text with its parameters. What it answers owns its values and knows nothing of the text; it
//! still has to meet a table: [`split_key`] finds the item that a write names, [`Reads::plan`] the queries that a SELECT
//! stands for.
//!
//! ```
//! use dynamometer_expr::partiql::{Statement, parse_statement};
//! use dynamometer_types::AttributeValue;
//!
//! let text = r#"SELECT title, tags[0] FROM "Music" WHERE artist = ? AND year BETWEEN 1990 AND 1999"#;
//! let Statement::Select(select) = parse_statement(text, &[AttributeValue::s("No One You Know")]).unwrap() else {
//!     panic!("it is a SELECT")
//! };
//! assert_eq!(select.table, "Music");
//! assert_eq!(select.columns.unwrap().paths().len(), 2);
//! ```
//!
//! # Errors
//! [`StatementError`] has AWS's words. Those of AWS's grammar are the words of the PartiQL parser that it runs; where nobody
//! has seen what AWS says, ours are in the same manner (`docs/compatibility.md` lists them).
//!
//! # What DynamoDB has not
//! Joins, aliases, subqueries, GROUP BY, LIMIT, functions among the columns, changes of several items.

mod branch;
mod error;
mod expression;
mod keys;
mod keywords;
mod lexer;
mod lowering;
mod order;
mod parser;
mod reads;
mod statement;
mod syntax;
mod terms;
mod updates;
mod values;

pub use error::StatementError;
pub use keys::{SplitKey, check_key_types, key_mismatch, split_key};
pub use order::OrderKey;
pub use reads::{Read, Reads};
pub use statement::{Delete, EXISTS_ONLY, Insert, Select, Statement, UpdateStatement, parse_statement};
pub use syntax::Returning;

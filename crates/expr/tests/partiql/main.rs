//! Statements: what they become, and what is said of those that are none.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod errors;
mod plans;
mod random;
mod statements;

use dynamometer_expr::partiql::{Statement, StatementError, parse_statement};

/// A statement without parameters.
fn parse(text: &str) -> Result<Statement, StatementError> {
    parse_statement(text, &[])
}

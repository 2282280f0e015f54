//! # M05 pattern-without-writer
//!
//! A pattern reads a key that no entity writes.
//!
//! Severity: error.
//!
//! Why: the query answers nothing, for ever, without an error.
//!
//! Numbers: none; the key's template is held against those of all entities in the table or index.
//!
//! Fix: write the key on the entity that has what it is made of, or drop the pattern.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], indexes: { GSI1: { keys: [GSI1PK] } } } }
//! entities:
//!   User: { keys: { PK: "USER#<userId>", GSI1PK: "EMAIL#<email>" } }
//!   Order: { keys: { PK: "ORDER#<orderId>" }, attributes: [productId] }
//! patterns:
//!   log in: { query: GSI1, key: "EMAIL#<email>", items: 1, rate: 1/s }
//!   orders of a product: { query: GSI1, key: "PRODUCT#<productId>", rate: 1/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], indexes: { GSI1: { keys: [GSI1PK] } } } }
//! entities:
//!   User: { keys: { PK: "USER#<userId>", GSI1PK: "EMAIL#<email>" } }
//!   Order: { keys: { PK: "ORDER#<orderId>", GSI1PK: "PRODUCT#<productId>" } }
//! patterns:
//!   log in: { query: GSI1, key: "EMAIL#<email>", items: 1, rate: 1/s }
//!   orders of a product: { query: GSI1, key: "PRODUCT#<productId>", limit: 20, rate: 1/s }
//! ```
//! Source: our reading of one author's table of access patterns beside the code.
//!
//! Needs: a design file. Marks: I.

use super::Rule;
use crate::check::{Context, Findings};

pub(super) const RULE: Rule =
    Rule::of_design("M05", "pattern-without-writer", "I", include_str!("m05_pattern_without_writer.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    super::report_lacks(context, found, "M05");
}

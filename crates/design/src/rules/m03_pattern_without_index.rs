//! # M03 pattern-without-index
//!
//! A pattern asks by something that is no key, or for something that the index does not hold.
//!
//! Severity: error.
//!
//! Why: a query needs the whole partition key. What is asked by another attribute can only be scanned for.
//!
//! Numbers: none.
//!
//! Fix: an index with that key, or no such pattern.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK] } }
//! entities: { User: { keys: { PK: "USER#<userId>" }, attributes: [email] } }
//! patterns:
//!   log in: { query: App, key: { email: "<email>" }, rate: 1/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], indexes: { GSI1: { keys: [email] } } } }
//! entities: { User: { keys: { PK: "USER#<userId>", email: "<email>" } } }
//! patterns:
//!   log in: { query: GSI1, key: { email: "<email>" }, rate: 1/s }
//! ```
//! Source: one author's first three weeks; AWS, API Reference 2026, Query.
//!
//! Needs: a design file. Marks: S2.

use super::Rule;
use crate::check::{Context, Findings};

pub(super) const RULE: Rule =
    Rule::of_design("M03", "pattern-without-index", "S2", include_str!("m03_pattern_without_index.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    super::report_lacks(context, found, "M03");
}

//! # R05 strong-read-of-a-global-index
//!
//! A global index is read with strong consistency, which is refused.
//!
//! Severity: error.
//!
//! Why: entries of a global index are written after the item, so DynamoDB refuses ConsistentRead there with ValidationException.
//!
//! Numbers: none.
//!
//! Fix: read the table by its key, use a local index, or take an eventually consistent read.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], indexes: { byEmail: { keys: [email] } } } }
//! entities: { User: { keys: { PK: "USER#<userId>", email: "<email>" } } }
//! patterns:
//!   log in: { query: byEmail, key: "<email>", consistency: strong, items: 1, rate: 10/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], indexes: { byEmail: { keys: [email] } } } }
//! entities: { User: { keys: { PK: "USER#<userId>", email: "<email>" } } }
//! patterns:
//!   log in: { query: byEmail, key: "<email>", items: 1, rate: 10/s }
//! ```
//! Source: AWS, API Reference 2026, Query, `ConsistentRead`.
//!
//! Needs: a design file. Marks: D.

use super::Rule;
use crate::check::{Context, Findings};

pub(super) const RULE: Rule =
    Rule::of_design("R05", "strong-read-of-a-global-index", "D", include_str!("r05_strong_read_of_a_global_index.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    super::report_lacks(context, found, "R05");
}

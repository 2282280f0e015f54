//! # M11 joins-across-tables
//!
//! One answer is put together from more than three tables.
//!
//! Severity: info.
//!
//! Why: each table is a request more, one after the other where keys depend on each other.
//!
//! Numbers: the tables in `joins`.
//!
//! Fix: keep copies of what is read together in one item collection.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Orders: { keys: [PK] }, Users: { keys: [PK] }, Products: { keys: [PK] }, Stock: { keys: [PK] } }
//! entities: { Order: { table: Orders, keys: { PK: "ORDER#<id>" } } }
//! patterns:
//!   order page: { get: Order, joins: [Orders, Users, Products, Stock], rate: 5/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Orders: { keys: [PK] } }
//! entities: { Order: { keys: { PK: "ORDER#<id>" } } }
//! patterns:
//!   order page: { get: Order, rate: 5/s }
//! ```
//! Source: one author's move from a relational database; the threshold is ours.
//!
//! Needs: a design file. Marks: S2, I.

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("M11", "joins-across-tables", "S2, I", include_str!("m11_joins_across_tables.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, pattern) in context.design.patterns.iter().enumerate() {
        let Some(joins) = pattern.joins.as_ref().filter(|joins| joins.len() > 3) else { continue };
        found
            .add(Severity::Info, joins.span, format!("one answer is put together from {} tables", joins.len()))
            .under("each is a request more")
            .number("tables", joins.len())
            .fix("keep copies of what is read together in one item collection")
            .pattern(at);
    }
}

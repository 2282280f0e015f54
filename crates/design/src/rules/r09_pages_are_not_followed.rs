//! # R09 pages-are-not-followed
//!
//! A query or scan may fill a page of 1 MB, and the caller does not ask for the next one.
//!
//! Severity: warning.
//!
//! Why: what is behind the first megabyte is silently not there.
//!
//! Numbers: items x size beside 1 MB, for patterns that say `pagination: no`.
//!
//! Fix: go on from LastEvaluatedKey until there is none, or set a limit on purpose.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK] } }
//! entities: { Item: { keys: { PK: "LIST#<listId>", SK: "<itemId>" }, size: 2KB } }
//! patterns:
//!   whole list: { query: App, key: "LIST#<listId>", items: 5000, pagination: no, rate: 1/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK] } }
//! entities: { Item: { keys: { PK: "LIST#<listId>", SK: "<itemId>" }, size: 2KB } }
//! patterns:
//!   whole list: { query: App, key: "LIST#<listId>", items: 5000, pagination: yes, rate: 1/s }
//! ```
//! Source: AWS, Developer Guide 2026, "Paginating table query results".
//!
//! Needs: a design file. Marks: D.

use dynamometer_types::limits::PAGE_BYTES;

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("R09", "pages-are-not-followed", "D", include_str!("r09_pages_are_not_followed.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, _, read) in context.reads() {
        let (Some(served), Some(pagination)) = (context.served(at), &read.pagination) else { continue };
        if pagination.value || served.bytes / served.requests < PAGE_BYTES {
            continue;
        }
        found
            .add(Severity::Warning, pagination.span, format!("{} are read, and a page ends at 1 MB", text::bytes(served.bytes)))
            .under("what is behind the first page is silently not there")
            .number("bytes", served.bytes)
            .fix("go on from LastEvaluatedKey until there is none, or set a limit on purpose")
            .pattern(at);
    }
}

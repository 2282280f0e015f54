//! # R08 expired-items-are-read
//!
//! Items that expire are listed without leaving out those that have expired.
//!
//! Severity: warning.
//!
//! Why: TTL deletes within days. Until then an expired item is answered like any other.
//!
//! Numbers: none; the table has `ttl`, the entity expires, and the query or scan has no filter on the attribute.
//!
//! Fix: a filter on the attribute (`ttl > :now`), and a condition on writes.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK], ttl: expiresAt } }
//! entities: { Session: { keys: { PK: "USER#<userId>", SK: "SESSION#<id>" }, expires-after: 1d } }
//! patterns:
//!   sessions: { query: App, key: "USER#<userId>", sort: "SESSION#", items: 5, rate: 5/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK], ttl: expiresAt } }
//! entities: { Session: { keys: { PK: "USER#<userId>", SK: "SESSION#<id>" }, expires-after: 1d } }
//! patterns:
//!   sessions: { query: App, key: "USER#<userId>", sort: "SESSION#", items: 5, filter: "expiresAt > :now", rate: 5/s }
//! ```
//! Source: AWS, Developer Guide 2026, "Working with expired items and TTL".
//!
//! Needs: a design file. Marks: S3, D.

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::model::ReadKind;

pub(super) const RULE: Rule =
    Rule::of_design("R08", "expired-items-are-read", "S3, D", include_str!("r08_expired_items_are_read.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, pattern, read) in context.reads() {
        let Some(ttl) = &context.design.tables[read.target.table].ttl else { continue };
        let (Some(served), ReadKind::Query | ReadKind::Scan) = (context.served(at), read.kind) else { continue };
        let expires = |entity: &usize| context.design.entities[*entity].expires_after.is_some();
        let filters = read.filter.as_ref().is_some_and(|filter| filter.contains(ttl.attribute.as_str()));
        if filters || !served.entities.iter().any(expires) {
            continue;
        }
        found
            .add(Severity::Warning, pattern.name.span, "items that have expired are answered until TTL deletes them, within days")
            .under(format!("has no filter on {}", *ttl.attribute))
            .also(ttl.attribute.span, "says when an item expires")
            .fix(format!("filter: \"{} > :now\"", *ttl.attribute))
            .pattern(at);
    }
}

//! # O03 ttl-that-never-fires
//!
//! The TTL attribute is one that TTL does not look at, so that nothing is ever deleted.
//!
//! Severity: error.
//!
//! Why: TTL wants a number of seconds since 1970, at the top level of the item. Texts, milliseconds and nested attributes are
//! ignored without a word, as is a time of more than five years ago.
//!
//! Numbers: none.
//!
//! Fix: type N, seconds, top level.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], ttl: { attribute: expiresAt, unit: milliseconds } } }
//! entities: { Session: { keys: { PK: "<id>" }, expires-after: 1d } }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], ttl: expiresAt } }
//! entities: { Session: { keys: { PK: "<id>" }, attributes: { expiresAt: N }, expires-after: 1d } }
//! ```
//! Source: AWS, Developer Guide 2026, "Using time to live (TTL) in DynamoDB".
//!
//! Needs: a design file. Marks: D.

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("O03", "ttl-that-never-fires", "D", include_str!("o03_ttl_that_never_fires.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, table) in context.design.tables.iter().enumerate() {
        let Some(ttl) = &table.ttl else { continue };
        let mut complain = |span, message: String| {
            found.add(Severity::Error, span, message).under("TTL ignores it, and nothing is deleted").fix("a top-level attribute of type N with seconds since 1970");
        };
        if ttl.milliseconds {
            complain(ttl.attribute.span, format!("{} counts milliseconds", *ttl.attribute));
        }
        if ttl.attribute.contains('.') {
            complain(ttl.attribute.span, format!("{} is inside of another attribute", *ttl.attribute));
        }
        for (_, entity) in context.design.entities_of(at) {
            let attribute = entity.attributes.iter().find(|attribute| *attribute.name == *ttl.attribute);
            if let Some(attribute) = attribute.filter(|attribute| attribute.kind.is_some_and(|kind| kind != "N")) {
                complain(attribute.name.span, format!("{} of {} has type {}", *ttl.attribute, *entity.name, attribute.kind.unwrap_or_default()));
            }
        }
    }
}

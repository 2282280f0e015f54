//! # W15 wasteful-types
//!
//! An attribute is a text where a number or bytes would be smaller.
//!
//! Severity: info.
//!
//! Why: a moment as a text is 20 to 24 bytes, as a number of seconds 6. Base64 is a third longer than the bytes.
//!
//! Numbers: none; an attribute whose name says that it is a moment has type S, or one that says base64.
//!
//! Fix: N for moments that are computed with, B for bytes.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK] } }
//! entities: { Item: { keys: { PK: "<id>" }, attributes: { createdAt: "S 24B" } } }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK] } }
//! entities: { Item: { keys: { PK: "<id>" }, attributes: { createdAt: N } } }
//! ```
//! Source: AWS, Developer Guide 2026, "Capacity unit consumption".
//!
//! Needs: a design file. Marks: D.

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::model::VariableType;

pub(super) const RULE: Rule =
    Rule::of_design("W15", "wasteful-types", "D", include_str!("w15_wasteful_types.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for entity in &context.design.entities {
        for attribute in entity.attributes.iter().filter(|attribute| attribute.kind == Some("S")) {
            let is_moment = context.derived.kind(&attribute.name) == VariableType::Timestamp;
            let (what, fix) = match (is_moment, attribute.name.to_lowercase().contains("base64")) {
                (true, _) => ("a moment as a text takes four times a number of seconds", "N, in seconds since 1970"),
                (_, true) => ("base64 is a third longer than the bytes", "B"),
                _ => continue,
            };
            found.add(Severity::Info, attribute.name.span, what).under(format!("S in {}", *entity.name)).fix(fix);
        }
    }
}

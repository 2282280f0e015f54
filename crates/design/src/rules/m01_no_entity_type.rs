//! # M01 no-entity-type
//!
//! Items of several kinds share a table, and do not say what they are.
//!
//! Severity: warning.
//!
//! Why: streams, exports and migrations see items without their history. Adding it later means writing every item again.
//!
//! Numbers: none; one table, several entities, and one that lists its attributes without `EntityType` (or `entityType`, `entity`,
//! `type`, `_et`).
//!
//! Fix: an attribute EntityType from the first item on.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK] } }
//! entities:
//!   User: { keys: { PK: "USER#<userId>", SK: PROFILE }, attributes: [name] }
//!   Order: { keys: { PK: "ORDER#<orderId>", SK: DETAIL }, attributes: [EntityType, total] }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK] } }
//! entities:
//!   User: { keys: { PK: "USER#<userId>", SK: PROFILE }, attributes: [EntityType, name] }
//!   Order: { keys: { PK: "ORDER#<orderId>", SK: DETAIL }, attributes: [EntityType, total] }
//! ```
//! Source: one author's two years with a single table.
//!
//! Needs: a design file. Marks: S2.

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("M01", "no-entity-type", "S2", include_str!("m01_no_entity_type.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    if context.design.tables.len() != 1 || context.design.entities.len() < 2 {
        return;
    }
    let says = |name: &str| matches!(name.to_lowercase().replace(['_', '-'], "").as_str(), "entitytype" | "entity" | "type" | "et");
    for entity in context.design.entities.iter().filter(|entity| !entity.attributes.is_empty()) {
        let keys = entity.keys.iter().map(|key| key.attribute.as_str());
        let mut names = keys.chain(entity.attributes.iter().map(|attribute| attribute.name.as_str()));
        if names.any(says) {
            continue;
        }
        found
            .add(Severity::Warning, entity.name.span, format!("{} shares a table, and does not say what it is", *entity.name))
            .under("has no EntityType")
            .fix("add EntityType to its attributes, from the first item on");
    }
}

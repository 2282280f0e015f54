//! # M06 no-key-prefix
//!
//! In a table of several kinds of items a partition key does not say of which kind it is.
//!
//! Severity: warning.
//!
//! Why: a user and an order with the same id would be one collection, or one item.
//!
//! Numbers: none; several entities share the table, and a partition key begins with a variable.
//!
//! Fix: a prefix: `USER#<userId>`.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK] } }
//! entities:
//!   User: { keys: { PK: "<userId>", SK: PROFILE } }
//!   Order: { keys: { PK: "<orderId>", SK: DETAIL } }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK] } }
//! entities:
//!   User: { keys: { PK: "USER#<userId>", SK: PROFILE } }
//!   Order: { keys: { PK: "ORDER#<orderId>", SK: DETAIL } }
//! ```
//! Source: one author's key patterns.
//!
//! Needs: a design file. Marks: S2.

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::model::Entity;

pub(super) const RULE: Rule =
    Rule::of_design("M06", "no-key-prefix", "S2", include_str!("m06_no_key_prefix.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, table) in context.design.tables.iter().enumerate() {
        let entities: Vec<&Entity> = context.design.entities_of(at).map(|(_, entity)| entity).collect();
        for entity in entities.iter().filter(|_| entities.len() > 1) {
            let Some(key) = entity.partition(&table.keys).filter(|key| key.prefix().is_empty()) else { continue };
            found
                .add(Severity::Warning, key.span, format!("the key of {} does not say what it is, in a table of {} kinds of items", *entity.name, entities.len()))
                .under("begins with a variable")
                .fix(format!("{}#{}", entity.name.to_uppercase(), key.value));
        }
    }
}

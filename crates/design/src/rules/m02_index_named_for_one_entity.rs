//! # M02 index-named-for-one-entity
//!
//! In a table of several kinds of items an index key is named for one of them.
//!
//! Severity: info.
//!
//! Why: `emailIndexKey` cannot well hold a product tomorrow, so tomorrow brings another index.
//!
//! Numbers: none; one entity of several sets the key, and its name has the entity's name or one of its variables in it.
//!
//! Fix: GSI1PK, GSI1SK: names that any entity can use.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK], indexes: { byEmail: { keys: [emailIndexKey] } } } }
//! entities:
//!   User: { keys: { PK: "USER#<userId>", SK: PROFILE, emailIndexKey: "<email>" } }
//!   Order: { keys: { PK: "ORDER#<orderId>", SK: DETAIL } }
//! patterns:
//!   log in: { query: byEmail, key: "<email>", items: 1, rate: 1/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK], indexes: { GSI1: { keys: [GSI1PK] } } } }
//! entities:
//!   User: { keys: { PK: "USER#<userId>", SK: PROFILE, GSI1PK: "EMAIL#<email>" } }
//!   Order: { keys: { PK: "ORDER#<orderId>", SK: DETAIL } }
//! patterns:
//!   log in: { query: GSI1, key: "EMAIL#<email>", items: 1, rate: 1/s }
//! ```
//! Source: one author's naming of indexes.
//!
//! Needs: a design file. Marks: S2.

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::model::Entity;

pub(super) const RULE: Rule =
    Rule::of_design("M02", "index-named-for-one-entity", "S2", include_str!("m02_index_named_for_one_entity.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, table) in context.design.tables.iter().enumerate() {
        let entities: Vec<&Entity> = context.design.entities_of(at).map(|(_, entity)| entity).collect();
        for index in table.indexes.iter().filter(|index| !index.local && entities.len() > 1) {
            let name = &index.keys.partition[0].name;
            let setting: Vec<&&Entity> = entities.iter().filter(|entity| entity.key(name).is_some()).collect();
            let [entity] = setting.as_slice() else { continue };
            let folded = name.to_lowercase();
            let variables = entity.key(name).into_iter().flat_map(|key| key.template.variables().collect::<Vec<_>>());
            let is_named_for = |word: &str| word.chars().count() > 2 && folded.contains(&word.to_lowercase());
            if !is_named_for(&entity.name) && !variables.into_iter().any(is_named_for) {
                continue;
            }
            found
                .add(Severity::Info, index.name.span, format!("{name} is named for {}, in a table of {} kinds of items", *entity.name, entities.len()))
                .under("no other entity can well use it")
                .fix("GSI1PK and GSI1SK, or other names that any entity can use");
        }
    }
}

//! # W05 index-key-churn
//!
//! Most updates of an entity change an index key, which costs two writes each.
//!
//! Severity: warning.
//!
//! Why: a changed key is a delete of the old entry and a put of the new one.
//!
//! Numbers: more than half of the entity's updates, by rate, set a key attribute of an index that all of its items are in.
//!
//! Fix: a key that stays, with the changing part in an attribute; or a sparse index of what is looked for.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], indexes: { recent: { keys: [kind, updatedAt] } } } }
//! entities: { Doc: { keys: { PK: "<docId>", kind: "DOC#<team>", updatedAt: "<time>" } } }
//! patterns:
//!   save: { update: Doc, sets: [body, updatedAt], rate: 20/s }
//!   recent: { query: recent, key: "DOC#<team>", limit: 10, rate: 1/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], indexes: { recent: { keys: [kind, createdAt] } } } }
//! entities: { Doc: { keys: { PK: "<docId>", kind: "DOC#<team>", createdAt: "<time>" } } }
//! patterns:
//!   save: { update: Doc, sets: [body, updatedAt], rate: 20/s }
//!   recent: { query: recent, key: "DOC#<team>", limit: 10, rate: 1/s }
//! ```
//! Source: AWS, Developer Guide 2026, "Global secondary indexes": provisioned throughput considerations.
//!
//! Needs: a design file. Marks: D.

use dynamometer_capacity::quantity::percent_text;

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::derive::ALL_PPM;
use crate::model::{MemberKind, Pattern, Target};
use crate::plan::{Change, change};

pub(super) const RULE: Rule =
    Rule::of_design("W05", "index-key-churn", "D", include_str!("w05_index_key_churn.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, entity) in context.design.entities.iter().enumerate() {
        let updates: Vec<_> = context.writes_of(at).into_iter().filter(|(.., member)| member.kind == MemberKind::Update).collect();
        for index in 0..context.design.tables[entity.table].indexes.len() {
            let target = Target::index(entity.table, index);
            if entity.present_ppm(context.design.keys(target)) < ALL_PPM {
                continue;
            }
            let weight = |pattern: &Pattern| pattern.average_micro().max(1);
            let all: u64 = updates.iter().map(|(_, pattern, ..)| weight(pattern)).sum();
            let moving: Vec<_> = updates.iter().filter(|(.., member)| change(context.derived, member, target) == Change::Key).collect();
            let moved: u64 = moving.iter().map(|(_, pattern, ..)| weight(pattern)).sum();
            let Some((_, first, ..)) = moving.first().filter(|_| moved * 2 > all) else { continue };
            let share = percent_text((u128::from(moved) * u128::from(ALL_PPM) / u128::from(all)) as u64, 0);
            found
                .add(Severity::Warning, first.action_span, format!("{share} of the updates of {} move its entry in {}: two writes each", *entity.name, context.name(target)))
                .under("sets a key of the index")
                .number("share", share)
                .fix("a key that stays, or a sparse index of what is looked for")
                .patterns(&moving.iter().map(|(pattern, ..)| *pattern).collect::<Vec<_>>());
        }
    }
}

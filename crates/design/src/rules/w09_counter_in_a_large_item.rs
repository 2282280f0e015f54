//! # W09 counter-in-a-large-item
//!
//! A small part of a large item is updated often, and each update costs the whole item.
//!
//! Severity: warning.
//!
//! Why: UpdateItem is charged by the size of the item, before or after, whatever it changes.
//!
//! Numbers: items above 4 KB, updates of less than a tenth of it, from 2 a second on (the word `medium`).
//!
//! Fix: keep what changes often in an item of its own.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Posts: { keys: [PK] } }
//! entities: { Post: { keys: { PK: "<postId>" }, attributes: { body: "S 19KB", views: "N 5B" }, size: 20KB } }
//! patterns:
//!   count a view: { update: Post, sets: [views], rate: 20/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Posts: { keys: [PK, SK] } }
//! entities:
//!   Post: { keys: { PK: "POST#<postId>", SK: BODY }, attributes: { EntityType: S, body: "S 19KB" }, size: 20KB }
//!   Views: { keys: { PK: "POST#<postId>", SK: VIEWS }, attributes: { EntityType: "S 5B", views: "N 5B" }, size: 80B }
//! patterns:
//!   count a view: { update: Views, sets: [views], rate: 20/s }
//! ```
//! Source: AWS, Developer Guide 2026, "Read and write operations".
//!
//! Needs: a design file. Marks: D, S3.

use dynamometer_capacity::meter::{READ_BLOCK_BYTES, meter_item_write};

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};
use crate::model::{MemberKind, WriteKind};

pub(super) const RULE: Rule =
    Rule::of_design("W09", "counter-in-a-large-item", "D, S3", include_str!("w09_counter_in_a_large_item.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, pattern, write) in context.writes().filter(|(_, pattern, _)| pattern.average_micro() >= 2_000_000) {
        for member in write.members.iter().filter(|member| member.kind == MemberKind::Update) {
            let entity = &context.design.entities[member.entity.value];
            let Some(sets) = member.sets.as_ref().filter(|sets| !sets.is_empty()) else { continue };
            let changed: u64 = sets.iter().map(|name| context.derived.attribute_bytes(entity, name)).sum();
            if *entity.size_bytes <= READ_BLOCK_BYTES || changed * 10 >= *entity.size_bytes {
                continue;
            }
            let units = meter_item_write(Some(*entity.size_bytes), Some(*entity.size_bytes), write.kind == WriteKind::Transaction);
            found
                .add(Severity::Warning, pattern.action_span, format!("changing {} costs {units} units, for the item has {}", text::bytes(changed), text::bytes(*entity.size_bytes)))
                .under(format!("{} of it", text::rate(pattern.average_micro())))
                .number("changedBytes", changed)
                .number("itemBytes", *entity.size_bytes)
                .fix("keep what changes often in an item of its own")
                .pattern(at);
        }
    }
}

//! # W06 index-key-left-stale
//!
//! An update sets an attribute, and leaves an index key or a copy that is derived from it as it was.
//!
//! Severity: error.
//!
//! Why: the item says DELIVERED, and the index still lists it under PENDING. Nothing ever mends it.
//!
//! Numbers: none. An index key's template has a variable with the attribute's name and the update does not set that key; or a
//! transaction writes two items that both have the attribute, and the update changes one of them only.
//!
//! Fix: set the index key in the same update expression; change copies in the same transaction.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Orders: { keys: [PK], indexes: { byStatus: { keys: [GSI1PK, orderedAt] } } } }
//! variables: { status: { distinct: 100 } }
//! entities:
//!   Order: { keys: { PK: "<orderId>", GSI1PK: "STATUS#<status>", orderedAt: "<time>" }, attributes: [status] }
//! patterns:
//!   deliver: { update: Order, sets: [status], rate: 5/s }
//!   by status: { query: byStatus, key: "STATUS#<status>", limit: 20, rate: 1/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Orders: { keys: [PK], indexes: { byStatus: { keys: [GSI1PK, orderedAt], projection: keys-only } } } }
//! variables: { status: { distinct: 100 } }
//! entities:
//!   Order: { keys: { PK: "<orderId>", GSI1PK: "STATUS#<status>", orderedAt: "<time>" }, attributes: [status] }
//! patterns:
//!   place: { put: Order, rate: 50/s }
//!   deliver: { update: Order, sets: [status, GSI1PK], rate: 5/s }
//!   edit: { update: Order, sets: [note], rate: 50/s }
//!   by status: { query: byStatus, key: "STATUS#<status>", limit: 20, rate: 1/s }
//! ```
//! Source: our reading of one author's `markOrderDelivered`.
//!
//! Needs: a design file. Marks: I.

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::model::{MemberKind, VariableType, WriteKind};

pub(super) const RULE: Rule =
    Rule::of_design("W06", "index-key-left-stale", "I", include_str!("w06_index_key_left_stale.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, _, write) in context.writes() {
        for member in write.members.iter().filter(|member| member.kind == MemberKind::Update) {
            let entity = &context.design.entities[member.entity.value];
            for set in member.sets.iter().flatten() {
                for key in &entity.keys {
                    let is_derived = key.template.variables().any(|name| name == set.as_str());
                    if !is_derived || **key.attribute == *set.value || member.touches(&key.attribute) {
                        continue;
                    }
                    found
                        .add(Severity::Error, set.span, format!("`{}` changes, and {} keeps the old value", **set, *key.attribute))
                        .under(format!("{} of {} is {}", *key.attribute, *entity.name, *key.template))
                        .also(key.template.span, "is not set with it")
                        .fix(format!("set {} in the same update", *key.attribute))
                        .pattern(at);
                }
                for copy in copies(context, member.entity.value, set) {
                    let changes_it = write.members.iter().any(|other| other.entity.value == copy && other.touches(set));
                    if changes_it {
                        continue;
                    }
                    let name = &context.design.entities[copy].name;
                    found
                        .add(Severity::Error, set.span, format!("`{}` changes, and the copy in {} keeps the old value", **set, **name))
                        .under(format!("{} and {} are written together, both with it", *entity.name, **name))
                        .also(name.span, "the copy")
                        .fix(format!("update {} in the same transaction, or keep `{}` in one place", **name, **set))
                        .pattern(at);
                }
            }
        }
    }
}

/// The entities that some transaction puts together with this one, and that have the attribute too. Times of their own are no copies.
fn copies(context: &Context<'_>, entity: usize, attribute: &str) -> Vec<usize> {
    if context.derived.kind(attribute) == VariableType::Timestamp {
        return Vec::new();
    }
    let mut copies = Vec::new();
    for (_, _, write) in context.writes().filter(|(.., write)| write.kind == WriteKind::Transaction) {
        let puts = |at: usize| write.members.iter().any(|member| member.kind == MemberKind::Put && member.entity.value == at);
        for other in write.members.iter().filter(|member| member.kind == MemberKind::Put).map(|member| member.entity.value) {
            let has = context.design.entities[other].attributes.iter().any(|known| **known.name == *attribute);
            if puts(entity) && other != entity && has && !copies.contains(&other) {
                copies.push(other);
            }
        }
    }
    copies
}

//! # K11 shard-in-the-wrong-key
//!
//! A table's key has a shard, but the heat is on an index whose key has none.
//!
//! Severity: warning.
//!
//! Why: where each item has a partition key of its own the table is never hot, so the shard spreads nothing. The writes meet again
//! on the index, under one key a publisher, a thread or a timeline.
//!
//! Numbers: none; the table's partition key has a shard variable and an id, the index's has no shard.
//!
//! Fix: shard the index's key, and gather it where it is read.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Data: { keys: [PK], indexes: { timeline: { keys: [bucket, at] } } } }
//! variables: { shard: { distinct: 8, shard: yes } }
//! entities: { Event: { keys: { PK: "event$<shard>#<eventId>", bucket: "all#<app>", at: "<time>" } } }
//! patterns:
//!   record: { put: Event, rate: 100/s }
//!   latest: { query: timeline, key: "all#<app>", order: newest-first, limit: 50, rate: 5/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Data: { keys: [PK], indexes: { timeline: { keys: [bucket, at] } } } }
//! variables: { shard: { distinct: 8, shard: yes } }
//! entities: { Event: { keys: { PK: "event#<eventId>", bucket: "all#<app>#<shard>", at: "<time>" } } }
//! patterns:
//!   record: { put: Event, rate: 100/s }
//!   latest: { query: timeline, key: "all#<app>#<shard>", gather: shard, limit: 50, rate: 5/s }
//! ```
//! Source: our reasoning from one author's DataPlane table.
//!
//! Needs: a design file. Marks: I.

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::model::{Index, Target, VariableType};

pub(super) const RULE: Rule =
    Rule::of_design("K11", "shard-in-the-wrong-key", "I", include_str!("k11_shard_in_the_wrong_key.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, entity) in context.design.entities.iter().enumerate() {
        let keys = context.design.keys(Target::table(entity.table));
        let Some(partition) = entity.partition(keys) else { continue };
        let is_shard = |name: &str| context.derived.is_shard(name);
        let is_sharded = partition.template.variables().any(is_shard);
        let has_id = partition.template.variables().any(|name| !is_shard(name) && context.derived.kind(name) != VariableType::Date);
        if !is_sharded || !has_id || context.writes_of(at).is_empty() {
            continue;
        }
        let table = &context.design.tables[entity.table];
        let bare = |index: &&Index| {
            entity.present_ppm(&index.keys) > 0 && entity.partition(&index.keys).is_some_and(|key| !key.template.variables().any(is_shard))
        };
        let unsharded: Vec<&Index> = table.indexes.iter().filter(bare).collect();
        let Some(first) = unsharded.first().and_then(|index| entity.partition(&index.keys)) else { continue };
        let names: Vec<&str> = unsharded.iter().map(|index| index.name.as_str()).collect();
        found
            .add(Severity::Warning, partition.template.span, format!("the shard is in the table's key, and the heat of {} is on {}", *entity.name, names.join(", ")))
            .under("each item has a key of its own: there is nothing to spread here")
            .also(first.template.span, "the writes meet here")
            .fix("put the shard into the index's partition key, and gather it where it is read")
            .patterns(&context.writes_of(at).iter().map(|(pattern, ..)| *pattern).collect::<Vec<_>>());
    }
}

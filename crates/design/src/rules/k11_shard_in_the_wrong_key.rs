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
use crate::model::{Entity, Index, Spanned, VariableType};
use crate::template::Template;

pub(super) const RULE: Rule =
    Rule::of_design("K11", "shard-in-the-wrong-key", "I", include_str!("k11_shard_in_the_wrong_key.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for table in 0..context.design.tables.len() {
        let misplaced: Vec<Misplaced<'_>> =
            context.design.entities_of(table).filter_map(|(at, entity)| misplaced(context, at, entity)).collect();
        let Some(first) = misplaced.first() else { continue };
        let mut indexes: Vec<&str> = misplaced.iter().flat_map(|one| one.indexes.iter().copied()).collect();
        indexes.sort_unstable();
        indexes.dedup();
        let entities: Vec<&str> = misplaced.iter().map(|one| one.entity.name.as_str()).collect();
        let message = format!("the shard is in the table's key, and the heat is on {}", indexes.join(", "));
        let finding = found
            .add(Severity::Warning, first.shard.span, message)
            .under("each item has a key of its own: there is nothing to spread here")
            .also(first.heat.span, "the writes meet here")
            .number("entities", entities.join(", "))
            .fix("put the shard into the index's partition key, and gather it where it is read");
        for one in &misplaced {
            finding.patterns(&one.patterns);
        }
    }
}

/// An entity whose shard is where the heat is not.
struct Misplaced<'a> {
    entity: &'a Entity,
    /// The table's partition key.
    shard: Spanned<Template>,
    /// The first index's partition key.
    heat: Spanned<Template>,
    indexes: Vec<&'a str>,
    patterns: Vec<usize>,
}

fn misplaced<'a>(context: &Context<'a>, at: usize, entity: &'a Entity) -> Option<Misplaced<'a>> {
    let table = &context.design.tables[entity.table];
    let shard = entity.partition(&table.keys)?;
    let is_shard = |name: &str| context.derived.is_shard(name);
    let is_id = |name: &str| !is_shard(name) && context.derived.kind(name) != VariableType::Date;
    let patterns: Vec<usize> = context.writes_of(at).iter().map(|(pattern, ..)| *pattern).collect();
    if !shard.variables().any(is_shard) || !shard.variables().any(is_id) || patterns.is_empty() {
        return None;
    }
    let is_bare = |index: &&Index| {
        let key = entity.partition(&index.keys).filter(|_| entity.present_ppm(&index.keys) > 0);
        key.is_some_and(|key| !key.variables().any(is_shard))
    };
    let bare: Vec<&Index> = table.indexes.iter().filter(is_bare).collect();
    let heat = entity.partition(&bare.first()?.keys)?;
    Some(Misplaced { entity, shard, heat, indexes: bare.iter().map(|index| index.name.as_str()).collect(), patterns })
}

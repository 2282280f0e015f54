//! # O02 unbounded-collection
//!
//! Items pile up under a partition key for ever, and a pattern lists all of them.
//!
//! Severity: warning.
//!
//! Why: the listing grows dearer and slower every month, and no single day makes it visible.
//!
//! Numbers: the entity grows (by `growth` or by its puts) and never expires, its key has no time in it, and a query reads it without
//! `limit`, without a range and without `items`.
//!
//! Fix: a time bucket in the key, TTL, or a limit.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK] } }
//! entities: { Note: { keys: { PK: "USER#<userId>", SK: "NOTE#<noteId>" }, growth: 1000/day } }
//! patterns:
//!   all notes: { query: App, key: "USER#<userId>", sort: "NOTE#", rate: 5/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK] } }
//! entities: { Note: { keys: { PK: "USER#<userId>", SK: "NOTE#<noteId>" }, growth: 1000/day } }
//! patterns:
//!   latest notes: { query: App, key: "USER#<userId>", sort: "NOTE#", order: newest-first, limit: 20, rate: 5/s }
//! ```
//! Source: AWS, Developer Guide 2026, "Best practices for handling time series data".
//!
//! Needs: a design file. Marks: D.

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::derive::ALL_PPM;
use crate::model::{MemberKind, ReadKind, Sort, VariableType};

pub(super) const RULE: Rule =
    Rule::of_design("O02", "unbounded-collection", "D", include_str!("o02_unbounded_collection.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, pattern, read) in context.reads().filter(|(.., read)| read.kind == ReadKind::Query) {
        let whole = read.limit.is_none() && read.items.is_none() && !matches!(read.sort.as_ref().map(|sort| &sort.value), Some(Sort::Between(..)));
        let Some(served) = context.served(at).filter(|_| whole) else { continue };
        let keys = context.design.keys(read.target);
        for position in &served.entities {
            let entity = &context.design.entities[*position];
            let key = entity.partition(keys);
            let in_time = key.is_some_and(|key| key.variables().any(|name| context.derived.kind(name) != VariableType::Text));
            let several = entity.sort(keys).is_some_and(|sort| !sort.is_constant());
            let exact = read.asks_for_one(entity, keys);
            let grows = entity.growth.is_some() || context.writes_of(*position).iter().any(|(_, pattern, write, member)| {
                member.kind == MemberKind::Put && write.replaces_ppm < ALL_PPM && pattern.average_micro() > 0
            });
            if in_time || !several || exact || !grows || entity.expires_after.is_some() {
                continue;
            }
            found
                .add(Severity::Warning, pattern.name.span, format!("lists all of a collection of {} that never stops growing", *entity.name))
                .under("no limit, no range, and nothing expires")
                .also(entity.name.span, "grows without end")
                .fix("a limit, a time bucket in the key, or TTL")
                .pattern(at);
        }
    }
}

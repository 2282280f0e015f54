//! # R06 index-read-after-write
//!
//! A request reads a global index right after it wrote what it looks for.
//!
//! Severity: warning.
//!
//! Why: entries of a global index follow the item, usually within milliseconds and without a promise. The user sees an old answer
//! and calls it a bug.
//!
//! Numbers: none; `after` names the writes that the read follows.
//!
//! Fix: read the table by key, return what was written, or carry a version.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], indexes: { byUser: { keys: [userId, at] } } } }
//! entities: { Order: { keys: { PK: "ORDER#<orderId>", userId: "<userId>", at: "<time>" } } }
//! patterns:
//!   place: { put: Order, rate: 5/s }
//!   my orders: { query: byUser, key: "<userId>", after: [place], items: 10, rate: 5/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK] } }
//! entities: { Order: { keys: { PK: "USER#<userId>", SK: "ORDER#<orderId>" } } }
//! patterns:
//!   place: { put: Order, rate: 5/s }
//!   my orders: { query: App, key: "USER#<userId>", sort: "ORDER#", after: [place], consistency: strong, items: 10, rate: 5/s }
//! ```
//! Source: AWS, Developer Guide 2026, "Global secondary indexes"; one author's day of looking for the bug.
//!
//! Needs: a design file. Marks: S2, D.

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("R06", "index-read-after-write", "S2, D", include_str!("r06_index_read_after_write.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, _, read) in context.reads() {
        let Some(index) = context.design.index(read.target).filter(|index| !index.local) else { continue };
        for after in &read.after {
            let pattern = &context.design.patterns[after.value];
            let writes_it = pattern.write().is_some_and(|write| {
                let entities = write.members.iter().map(|member| &context.design.entities[member.entity.value]);
                entities.into_iter().any(|entity| entity.table == read.target.table && entity.present_ppm(&index.keys) > 0)
            });
            if !writes_it {
                continue;
            }
            found
                .add(Severity::Warning, after.span, format!("{} is read right after a write, and may not have it yet", *index.name))
                .under(format!("{} writes what is looked for", *pattern.name))
                .fix("read the table by key, return what was written, or carry a version; rehearse it with dyno serve --index-lag")
                .patterns(&[at, after.value]);
        }
    }
}

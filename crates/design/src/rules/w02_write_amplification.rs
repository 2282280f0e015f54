//! # W02 write-amplification
//!
//! A table's indexes are written more than the table.
//!
//! Severity: warning.
//!
//! Why: it is more than half of the write bill, and easily overlooked: the estimate counted the table.
//!
//! Numbers: write units of all indexes / write units of the table, over all patterns at their average rates; above 1.0.
//!
//! Fix: a narrower projection, sparse keys, or an index less.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables:
//!   App: { keys: [PK], indexes: { a: { keys: [A] }, b: { keys: [B] } } }
//! entities: { Item: { keys: { PK: "<id>", A: "<a>", B: "<b>" } } }
//! patterns:
//!   put: { put: Item, rate: 10/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables:
//!   App: { keys: [PK], indexes: { a: { keys: [A] } } }
//! entities: { Item: { keys: { PK: "<id>", A: "<a>" } } }
//! patterns:
//!   put: { put: Item, rate: 10/s }
//!   by a: { query: a, key: "<a>", limit: 20, rate: 1/s }
//! ```
//! Source: one author's bill; the threshold is ours.
//!
//! Needs: a design file. Marks: S2, I.

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("W02", "write-amplification", "S2, I", include_str!("w02_write_amplification.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, table) in context.design.tables.iter().enumerate() {
        let (mut own, mut of_indexes) = (0, 0_u64);
        for (target, load) in context.load.targets.iter().filter(|(target, _)| target.table == at) {
            match target.index {
                None => own = load.average_milli.write,
                Some(_) => of_indexes = load.average_milli.write.saturating_add(of_indexes),
            }
        }
        if own == 0 || of_indexes <= own {
            continue;
        }
        let ratio = text::milli(of_indexes.saturating_mul(1_000) / own);
        found
            .add(Severity::Warning, table.name.span, format!("a write unit of {} makes {ratio} more on its indexes", *table.name))
            .under(format!("{} units/s on the table, {} on its indexes", text::milli(own), text::milli(of_indexes)))
            .number("amplification", ratio)
            .fix("a narrower projection, sparse keys, or an index less; dyno design cost shows each index");
    }
}

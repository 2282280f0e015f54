//! # M04 index-without-pattern
//!
//! No pattern reads an index.
//!
//! Severity: warning.
//!
//! Why: it is written and stored with every item that has its key.
//!
//! Numbers: its write units a second, over all patterns.
//!
//! Fix: drop it, or write down the pattern that needs it.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], indexes: { byDate: { keys: [day] } } } }
//! variables: { day: { distinct: 3650 } }
//! entities: { Item: { keys: { PK: "<id>", day: "<team>#<day>" } } }
//! patterns:
//!   put: { put: Item, rate: 1/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], indexes: { byDate: { keys: [day] } } } }
//! entities: { Item: { keys: { PK: "<id>", day: "<team>#<day>" } } }
//! patterns:
//!   put: { put: Item, rate: 1/s }
//!   of a day: { query: byDate, key: "<team>#<day>", limit: 100, rate: 1/s }
//! ```
//! Source: one author's eight indexes; our reasoning.
//!
//! Needs: a design file. Marks: S2, I.

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("M04", "index-without-pattern", "S2, I", include_str!("m04_index_without_pattern.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for target in context.design.targets() {
        let Some(index) = context.design.index(target).filter(|_| !context.design.patterns.is_empty()) else { continue };
        if context.reads().any(|(.., read)| read.target == target) {
            continue;
        }
        let units = context.load.targets.get(&target).map_or(0, |load| load.average_milli.write);
        found
            .add(Severity::Warning, index.name.span, format!("no pattern reads {}: {} write units/s for nothing", *index.name, text::milli(units)))
            .under("is written and stored all the same")
            .number("writeUnitsPerSecond", text::milli(units))
            .fix("drop it, or write down the pattern that needs it");
    }
}

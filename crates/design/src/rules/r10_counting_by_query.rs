//! # R10 counting-by-query
//!
//! A number is asked for, and everything is read to count it.
//!
//! Severity: info.
//!
//! Why: `Select=COUNT` reads and pays for all that it counts.
//!
//! Numbers: 10 units a call and more, from one call a minute on.
//!
//! Fix: a counter that is kept when items are written.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK] } }
//! entities: { Like: { keys: { PK: "POST#<postId>", SK: "LIKE#<userId>" }, size: 100B } }
//! patterns:
//!   likes: { query: App, key: "POST#<postId>", sort: "LIKE#", items: 5000, count-only: yes, rate: 10/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK] } }
//! entities:
//!   Like: { keys: { PK: "POST#<postId>", SK: "LIKE#<userId>" }, size: 100B }
//!   Post: { keys: { PK: "POST#<postId>", SK: POST }, attributes: { EntityType: S, likes: N } }
//! patterns:
//!   likes: { get: Post, attributes: [likes], rate: 10/s }
//! ```
//! Source: AWS, Developer Guide 2026, "Query operations": counting is charged like reading.
//!
//! Needs: a design file. Marks: D.

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};
use crate::plan::MILLI_HALVES;

pub(super) const RULE: Rule =
    Rule::of_design("R10", "counting-by-query", "D", include_str!("r10_counting_by_query.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, pattern, read) in context.reads() {
        let (Some(served), Some(count_only)) = (context.served(at), &read.count_only) else { continue };
        if !count_only.value || served.milli_halves() < 10 * MILLI_HALVES || pattern.average_micro() < 16_667 {
            continue;
        }
        let units = text::units(served.milli_halves());
        found
            .add(Severity::Info, count_only.span, format!("counting {} items costs {units} units each time", text::count(served.items.count())))
            .under("reads and pays for all that it counts")
            .number("unitsPerCall", units)
            .fix("keep a counter when items are written")
            .pattern(at);
    }
}

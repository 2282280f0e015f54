//! # R07 local-index-fetches
//!
//! A query of a local index asks for attributes that it does not hold, and fetches each item from the table.
//!
//! Severity: warning.
//!
//! Why: every item that is answered costs a whole read of the item more, rounded by itself.
//!
//! Numbers: the units of the index, and those of the table.
//!
//! Fix: widen the projection, or ask for less.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables:
//!   App: { keys: [PK, SK], indexes: { byDate: { keys: [PK, date], local: yes, projection: keys-only } } }
//! entities:
//!   Order: { keys: { PK: "USER#<userId>", SK: "ORDER#<orderId>", date: "<orderDate>" }, attributes: { total: N } }
//! patterns:
//!   by date: { query: byDate, key: "USER#<userId>", items: 20, attributes: [total], rate: 5/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables:
//!   App: { keys: [PK, SK], indexes: { byDate: { keys: [PK, date], local: yes, projection: [total] } } }
//! entities:
//!   Order: { keys: { PK: "USER#<userId>", SK: "ORDER#<orderId>", date: "<orderDate>" }, attributes: { total: N } }
//! patterns:
//!   by date: { query: byDate, key: "USER#<userId>", items: 20, attributes: [total], rate: 5/s }
//! ```
//! Source: AWS, Developer Guide 2026, "Local secondary indexes".
//!
//! Needs: a design file. Marks: D.

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("R07", "local-index-fetches", "D", include_str!("r07_local_index_fetches.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, _, read) in context.reads() {
        let Some(index) = context.design.index(read.target).filter(|index| index.local) else { continue };
        let (Some(attributes), Some(served)) = (&read.attributes, context.served(at)) else { continue };
        let fetched = served.table_milli_halves();
        if fetched == 0 {
            continue;
        }
        let (of_index, fetched) = (text::units(served.milli_halves() - fetched), text::units(fetched));
        found
            .add(Severity::Warning, attributes.span, format!("{} lacks what is asked for: {of_index} units of the index and {fetched} of the table", *index.name))
            .under("each item is fetched from the table by itself")
            .number("indexUnits", of_index)
            .number("tableUnits", fetched)
            .fix("widen the projection, or ask for less")
            .pattern(at);
    }
}

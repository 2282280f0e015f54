//! # W01 many-global-indexes
//!
//! A table has many global indexes.
//!
//! Severity: warning above 5, error above 20.
//!
//! Why: each index that an item is in is another write, and 20 is the quota. One author's eight indexes made writes 2.3 times as dear.
//!
//! Numbers: how many there are.
//!
//! Fix: use one index for several patterns (GSI1PK and GSI1SK with other templates for each entity), and sparse ones.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables:
//!   App:
//!     keys: [PK]
//!     indexes: { a: { keys: [A] }, b: { keys: [B] }, c: { keys: [C] }, d: { keys: [D] }, e: { keys: [E] }, f: { keys: [F] } }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], indexes: { GSI1: { keys: [GSI1PK, GSI1SK] } } } }
//! ```
//! Source: AWS, Developer Guide 2026, "Service, account, and table quotas"; one author's measurement.
//!
//! Needs: a design file. Marks: S2, D.

use dynamometer_types::limits::GLOBAL_INDEXES;

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("W01", "many-global-indexes", "S2, D", include_str!("w01_many_global_indexes.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for table in &context.design.tables {
        let count = table.indexes.iter().filter(|index| !index.local).count();
        let severity = match count {
            21.. => Severity::Error,
            6.. => Severity::Warning,
            _ => continue,
        };
        found
            .add(severity, table.name.span, format!("{} has {count} global indexes", *table.name))
            .under(if count > GLOBAL_INDEXES { "20 is the quota" } else { "each index that an item is in is another write" })
            .number("indexes", count)
            .fix("overload one index with several key templates, and make indexes sparse");
    }
}

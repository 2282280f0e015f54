//! # O11 no-auto-scaling
//!
//! A provisioned table, or one of its global indexes, has no auto scaling.
//!
//! Severity: warning.
//!
//! Why: what is fixed is either too much or too little. An index that is forgotten throttles a table that scales.
//!
//! Numbers: none.
//!
//! Fix: `auto-scaling` for reads and writes, on the table and on each global index.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables:
//!   App:
//!     keys: [PK]
//!     billing: provisioned
//!     capacity: { reads: 5, writes: 5 }
//!     auto-scaling: { reads: 5..4000, writes: 5..4000 }
//!     indexes: { a: { keys: [A], capacity: { reads: 5, writes: 5 } } }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables:
//!   App:
//!     keys: [PK]
//!     billing: provisioned
//!     capacity: { reads: 5, writes: 5 }
//!     auto-scaling: { reads: 5..4000, writes: 5..4000 }
//!     indexes: { a: { keys: [A], capacity: { reads: 5, writes: 5 }, auto-scaling: { reads: 5..4000, writes: 5..4000 } } }
//! ```
//! Source: AWS, Developer Guide 2026, "Managing throughput capacity automatically with auto scaling".
//!
//! Needs: a design file. Marks: S3, D.

use dynamometer_capacity::admission::BillingMode;

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("O11", "no-auto-scaling", "S3, D", include_str!("o11_no_auto_scaling.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for target in context.design.targets() {
        let table = &context.design.tables[target.table];
        let index = context.design.index(target);
        if table.billing != BillingMode::Provisioned || index.is_some_and(|index| index.local) {
            continue;
        }
        let (throughput, span) = index.map_or((&table.throughput, table.name.span), |index| (&index.throughput, index.name.span));
        let bounds = throughput.auto_scaling.as_ref().map(|scaling| scaling.bounds);
        let missing = match bounds {
            None => "has no auto scaling",
            Some(bounds) if bounds.read.is_none() => "scales writes only",
            Some(bounds) if bounds.write.is_none() => "scales reads only",
            Some(_) => continue,
        };
        found
            .add(Severity::Warning, span, format!("{} is provisioned and {missing}", context.name(target)))
            .under(if index.is_some() { "throttles its table when it is full" } else { "is either too much or too little" })
            .fix("auto-scaling: { reads: 5..4000, writes: 5..4000, target: 70% }");
    }
}

//! # W07 index-capacity-below-table
//!
//! A provisioned index has less write capacity than the writes that reach it.
//!
//! Severity: error.
//!
//! Why: an index that cannot take a write refuses the table's write. The table looks throttled with capacity to spare.
//!
//! Numbers: the index's write capacity beside the table's x the share of write units that also go to the index.
//!
//! Fix: raise the index, and give it auto scaling of its own.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables:
//!   App: { keys: [PK], billing: provisioned, capacity: { reads: 100, writes: 1000 }, indexes: { a: { keys: [A], capacity: { reads: 50, writes: 100 } } } }
//! entities: { Item: { keys: { PK: "<id>", A: "<a>" } } }
//! patterns:
//!   put: { put: Item, rate: 100/s, peak: 500/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables:
//!   App:
//!     keys: [PK]
//!     billing: provisioned
//!     capacity: { reads: 100, writes: 1000 }
//!     auto-scaling: { reads: 100..1000, writes: 1000..4000 }
//!     indexes:
//!       a:
//!         keys: [A]
//!         capacity: { reads: 50, writes: 1000 }
//!         auto-scaling: { reads: 50..1000, writes: 1000..4000 }
//! entities: { Item: { keys: { PK: "<id>", A: "<a>" } } }
//! patterns:
//!   put: { put: Item, rate: 100/s, peak: 500/s }
//!   by a: { query: a, key: "<a>", limit: 20, rate: 1/s }
//! ```
//!
//! Source: AWS, Developer Guide 2026, "Understanding global secondary index write throttling and back pressure".
//!
//! Needs: a design file. Marks: D.

use dynamometer_capacity::admission::{BillingMode, PerDimension};

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::derive::ALL_PPM;
use crate::model::{Spanned, Target};

pub(super) const RULE: Rule =
    Rule::of_design("W07", "index-capacity-below-table", "D", include_str!("w07_index_capacity_below_table.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for target in context.design.targets() {
        let table = &context.design.tables[target.table];
        let Some(index) = context.design.index(target).filter(|index| !index.local) else { continue };
        let writes = |capacity: &Option<Spanned<PerDimension<Option<u64>>>>| capacity.as_ref().and_then(|capacity| capacity.write);
        let (Some(of_table), Some(of_index)) = (writes(&table.throughput.capacity), writes(&index.throughput.capacity)) else { continue };
        let load = |target: Target| context.load.drawn_from(context.design, target).average_milli.write;
        let (on_table, on_index) = (load(Target::table(target.table)), load(target));
        let share = on_index.saturating_mul(ALL_PPM).checked_div(on_table).unwrap_or(ALL_PPM).min(ALL_PPM);
        let needed = (of_table * share).div_ceil(ALL_PPM);
        if table.billing != BillingMode::Provisioned || of_index >= needed {
            continue;
        }
        let span = index.throughput.capacity.as_ref().map_or(index.name.span, |capacity| capacity.span);
        found
            .add(Severity::Error, span, format!("{} has {of_index} write units, and {needed} of the table's {of_table} reach it", *index.name))
            .under("refuses the table's writes when it is full")
            .number("capacity", of_index)
            .number("needed", needed)
            .fix(format!("writes: {needed}, with auto scaling of its own"));
    }
}

//! # K05 constant-partition-key
//!
//! A partition key has no variable: everything of its kind is under one key.
//!
//! Severity: warning above 100 write units a second, info below.
//!
//! Why: it is one partition for ever. A shard variable with one value is a constant too.
//!
//! Numbers: the peak of the writes on it, beside 1,000 units a second.
//!
//! Fix: add a shard now; changing the key of stored items later means writing them again.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Orders: { keys: [PK], indexes: { delivered: { keys: [GSI1PK, GSI1SK] } } } }
//! entities:
//!   Order: { keys: { PK: "ORDER#<orderId>", GSI1PK: DELIVERED_ORDERS, GSI1SK: "<deliveredAt>" } }
//! patterns:
//!   deliver: { put: Order, rate: 50/s }
//!   delivered: { query: delivered, key: DELIVERED_ORDERS, limit: 50, rate: 1/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Orders: { keys: [PK], indexes: { delivered: { keys: [GSI1PK, GSI1SK] } } } }
//! variables: { shard: { distinct: 4, shard: yes } }
//! entities:
//!   Order: { keys: { PK: "ORDER#<orderId>", GSI1PK: "DELIVERED#<shard>", GSI1SK: "<deliveredAt>" } }
//! patterns:
//!   deliver: { put: Order, rate: 50/s }
//!   delivered: { query: delivered, key: "DELIVERED#<shard>", gather: shard, limit: 50, rate: 1/s }
//! ```
//! Source: one author's sparse index of delivered orders.
//!
//! Needs: a design file. Marks: S2.

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("K05", "constant-partition-key", "S2", include_str!("k05_constant_partition_key.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for heat in context.load.heat.iter().filter(|heat| heat.peak_milli.write > 0) {
        let is_single = |name: &str| context.derived.is_shard(name) && context.derived.distinct(name) == Some(1);
        if !heat.template.variables().all(is_single) {
            continue;
        }
        let writes = text::milli(heat.peak_milli.write);
        let severity = if heat.peak_milli.write > 100_000 { Severity::Warning } else { Severity::Info };
        let message = format!("every item of this kind is under one {} key: {writes} write units/s at peak", context.name(heat.target));
        found
            .add(severity, heat.span, message)
            .under("nothing in it varies")
            .number("writeUnitsPerSecond", writes)
            .fix(format!("add a shard while it is easy: {}#<shard>", heat.template))
            .patterns(&heat.patterns);
    }
}

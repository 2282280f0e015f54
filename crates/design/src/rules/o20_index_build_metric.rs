//! # O20 index-build-metric
//!
//! An alarm watches OnlineIndexConsumedWriteCapacity for an index's use.
//!
//! Severity: info.
//!
//! Why: it is about the building of a new index, and is 0 at all other times.
//!
//! Numbers: none.
//!
//! Fix: ConsumedWriteCapacityUnits with GlobalSecondaryIndexName.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], alarms: [{ metric: OnlineIndexConsumedWriteCapacity, dimensions: [TableName] }, { metric: WriteThrottleEvents, dimensions: [TableName] }] } }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], alarms: [{ metric: ConsumedWriteCapacityUnits, dimensions: [TableName, GlobalSecondaryIndexName] }, { metric: WriteThrottleEvents, dimensions: [TableName] }] } }
//! ```
//! Source: AWS, Developer Guide 2026, "DynamoDB metrics and dimensions"; against one author's table of metrics.
//!
//! Needs: a design file. Marks: D.

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("O20", "index-build-metric", "D", include_str!("o20_index_build_metric.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for alarm in context.design.tables.iter().flat_map(|table| table.alarms.iter().flat_map(|alarms| alarms.iter())) {
        if *alarm.metric == "OnlineIndexConsumedWriteCapacity" {
            found
                .add(Severity::Info, alarm.metric.span, "this metric is about building an index, and 0 at all other times")
                .fix("ConsumedWriteCapacityUnits with GlobalSecondaryIndexName");
        }
    }
}

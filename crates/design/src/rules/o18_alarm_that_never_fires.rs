//! # O18 alarm-that-never-fires
//!
//! An alarm watches a series that does not exist, or no alarm watches throttling.
//!
//! Severity: warning.
//!
//! Why: ThrottledRequests and SystemErrors exist for a table and an operation only. An alarm with TableName alone has no data, and with
//! missing data as good, as is usual, it is green for ever.
//!
//! Numbers: none; `alarms` of the table. Without that key nothing is said.
//!
//! Fix: one alarm for each Operation (or their sum by metric math), or ReadThrottleEvents and WriteThrottleEvents by table.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], alarms: [{ metric: ThrottledRequests, dimensions: [TableName] }] } }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], alarms: [{ metric: WriteThrottleEvents, dimensions: [TableName] }, { metric: ReadThrottleEvents, dimensions: [TableName] }] } }
//! ```
//! Source: AWS, Developer Guide 2026, "DynamoDB metrics and dimensions"; our reading of one author's alarm.
//!
//! Needs: a design file. Marks: D, I.

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::model::Alarm;

pub(super) const RULE: Rule =
    Rule::of_design("O18", "alarm-that-never-fires", "D, I", include_str!("o18_alarm_that_never_fires.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for table in &context.design.tables {
        let Some(alarms) = &table.alarms else { continue };
        for alarm in &alarms.value {
            let by_operation = matches!(alarm.metric.as_str(), "ThrottledRequests" | "SystemErrors" | "SuccessfulRequestLatency");
            if by_operation && !alarm.dimensions.iter().any(|name| name == "Operation") {
                found
                    .add(Severity::Warning, alarm.metric.span, format!("{} has no series by {}, so this alarm never fires", *alarm.metric, alarm.dimensions.join(" and ")))
                    .under("exists for TableName and Operation together")
                    .fix("one alarm for each Operation, or ReadThrottleEvents and WriteThrottleEvents by TableName");
            }
        }
        let watches = |alarm: &Alarm| alarm.metric.contains("Throttle");
        if table.production && !alarms.iter().any(watches) {
            found
                .add(Severity::Warning, alarms.span, format!("no alarm of {} watches throttling", *table.name))
                .fix("add alarms on ReadThrottleEvents and WriteThrottleEvents by TableName");
        }
    }
}

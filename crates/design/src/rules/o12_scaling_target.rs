//! # O12 scaling-target
//!
//! The target of auto scaling is one that AWS refuses, or leaves no room, or buys too much.
//!
//! Severity: error outside of 20 to 90 %, warning from 85 % on, info below 40 %.
//!
//! Why: scaling takes minutes. Until then the room above the target and the burst must do.
//!
//! Numbers: the target.
//!
//! Fix: 70 %.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables:
//!   App: { keys: [PK], billing: provisioned, capacity: { reads: 5, writes: 5 }, auto-scaling: { reads: 5..100, writes: 5..100, target: 95% } }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables:
//!   App: { keys: [PK], billing: provisioned, capacity: { reads: 5, writes: 5 }, auto-scaling: { reads: 5..100, writes: 5..100, target: 70% } }
//! ```
//! Source: AWS, Developer Guide 2026, "Managing throughput capacity automatically with auto scaling".
//!
//! Needs: a design file. Marks: D.

use dynamometer_capacity::quantity::percent_text;

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("O12", "scaling-target", "D", include_str!("o12_scaling_target.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for target in context.design.targets() {
        let table = &context.design.tables[target.table];
        let throughput = context.design.index(target).map_or(&table.throughput, |index| &index.throughput);
        let Some(scaling) = &throughput.auto_scaling else { continue };
        let (severity, what) = match scaling.target_ppm {
            0..200_000 | 900_001.. => (Severity::Error, "AWS takes 20 to 90 %"),
            850_000.. => (Severity::Warning, "there is hardly room until scaling has acted"),
            0..400_000 => (Severity::Info, "more than twice of what is used is paid"),
            _ => continue,
        };
        let share = percent_text(scaling.target_ppm, 0);
        found
            .add(severity, scaling.span, format!("the target of {} is {share}: {what}", context.name(target)))
            .number("target", share)
            .fix("target: 70%");
    }
}

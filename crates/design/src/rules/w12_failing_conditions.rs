//! # W12 failing-conditions
//!
//! Conditions fail often, and each failure is paid like a write.
//!
//! Severity: warning.
//!
//! Why: a write whose condition fails consumes what it would have consumed on the table.
//!
//! Numbers: `fails` above 10 %, and the units that are thereby paid for nothing.
//!
//! Fix: read first where failure is likely, or choose a key that makes the condition needless.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK] } }
//! entities: { Seat: { keys: { PK: "SEAT#<seat>" }, size: 2KB } }
//! patterns:
//!   reserve: { update: Seat, sets: [holder], condition: attribute_not_exists(holder), fails: 40%, rate: 50/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK] } }
//! entities: { Seat: { keys: { PK: "SEAT#<seat>" }, size: 2KB } }
//! patterns:
//!   is it free: { get: Seat, rate: 50/s }
//!   reserve: { update: Seat, sets: [holder], condition: attribute_not_exists(holder), fails: 2%, rate: 30/s }
//! ```
//! Source: AWS, Developer Guide 2026, "Read and write operations".
//!
//! Needs: a design file. Marks: S3, D.

use dynamometer_capacity::quantity::percent_text;

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};
use crate::derive::ALL_PPM;
use crate::load::milli_units_per_second;

pub(super) const RULE: Rule =
    Rule::of_design("W12", "failing-conditions", "S3, D", include_str!("w12_failing_conditions.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, pattern, write) in context.writes() {
        let (Some(served), Some(fails)) = (context.served(at), &write.fails_ppm) else { continue };
        if fails.value <= 100_000 {
            continue;
        }
        let wasted = milli_units_per_second(served.table_milli_halves(), pattern.average_micro()).saturating_mul(fails.value) / ALL_PPM;
        found
            .add(Severity::Warning, fails.span, format!("{} of the writes fail and are paid: {} write units/s for nothing", percent_text(fails.value, 0), text::milli(wasted)))
            .under("a failed condition costs what the write would have")
            .number("fails", percent_text(fails.value, 0))
            .number("unitsPerSecond", text::milli(wasted))
            .fix("read first where failure is likely, or choose a key that makes the condition needless")
            .pattern(at);
    }
}

//! # O22 too-many-decreases
//!
//! A schedule lowers throughput more often in a day than AWS allows.
//!
//! Severity: warning.
//!
//! Why: four lowerings a day are free; each further one must be an hour after the one before.
//!
//! Numbers: lowerings a day, and how close they are.
//!
//! Fix: fewer steps.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables:
//!   App:
//!     keys: [PK]
//!     billing: provisioned
//!     capacity: { reads: 500, writes: 500 }
//!     auto-scaling: { reads: 5..500, writes: 5..500 }
//!     schedule:
//!       - { at: "08:00", writes: 500 }
//!       - { at: "20:00", writes: 400 }
//!       - { at: "20:20", writes: 300 }
//!       - { at: "20:40", writes: 200 }
//!       - { at: "21:00", writes: 100 }
//!       - { at: "21:20", writes: 50 }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables:
//!   App:
//!     keys: [PK]
//!     billing: provisioned
//!     capacity: { reads: 500, writes: 500 }
//!     auto-scaling: { reads: 5..500, writes: 5..500 }
//!     schedule: [{ at: "08:00", writes: 500 }, { at: "21:00", writes: 50 }]
//! ```
//! Source: measured on the service in 2026; AWS, Developer Guide 2026, "Service, account, and table quotas".
//!
//! Needs: a design file. Marks: M, D.

use dynamometer_capacity::Constants;
use dynamometer_capacity::admission::Dimension;

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::model::Scheduled;

pub(super) const RULE: Rule =
    Rule::of_design("O22", "too-many-decreases", "M, D", include_str!("o22_too_many_decreases.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    let constants = Constants::default();
    for table in &context.design.tables {
        let mut schedule: Vec<&Scheduled> = table.schedule.iter().collect();
        schedule.sort_by_key(|change| change.at_minute.value);
        // The last change of a day holds until the first one of the next.
        let before = schedule.iter().cycle().skip(schedule.len().saturating_sub(1));
        let lowers = |old: &Scheduled, new: &Scheduled| {
            Dimension::BOTH.iter().any(|dimension| matches!((old.capacity[*dimension], new.capacity[*dimension]), (Some(old), Some(new)) if new < old))
        };
        let decreases: Vec<&&Scheduled> = schedule.iter().zip(before).filter(|(new, old)| lowers(old, new)).map(|(new, _)| new).collect();
        let free = constants.decreases_per_day as usize;
        let interval = constants.decrease_interval_ms / 60_000;
        let beyond = decreases.iter().zip(decreases.iter().skip(1)).skip(free.saturating_sub(1));
        let Some((_, refused)) = beyond.into_iter().find(|(old, new)| new.at_minute.value - old.at_minute.value < interval) else { continue };
        found
            .add(Severity::Warning, refused.at_minute.span, format!("{} lowers its throughput {} times a day, and this one would be refused", *table.name, decreases.len()))
            .under("after four, each must be an hour after the one before")
            .number("decreases", decreases.len())
            .fix("fewer steps");
    }
}

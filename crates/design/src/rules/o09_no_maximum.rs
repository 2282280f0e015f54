//! # O09 no-maximum
//!
//! A production table on demand has no maximum, so that a bug can spend without end.
//!
//! Severity: warning.
//!
//! Why: on demand serves whatever comes, up to 40,000 units a second. A retry loop at that rate is 65,000 dollars a month.
//!
//! Numbers: none; `environment: production`, on-demand, no `max-throughput`.
//!
//! Fix: about twice the planned peak.
//!
//! Bad:
//! ```yaml
//! design: 1
//! environment: production
//! tables: { App: { keys: [PK], point-in-time-recovery: yes, deletion-protection: yes } }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! environment: production
//! tables: { App: { keys: [PK], point-in-time-recovery: yes, deletion-protection: yes, max-throughput: { reads: 2000, writes: 500 } } }
//! ```
//! Source: AWS, Developer Guide 2026, "Maximum throughput for on-demand tables".
//!
//! Needs: a design file. Marks: S3, D.

use dynamometer_capacity::admission::BillingMode;

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::model::Target;

pub(super) const RULE: Rule =
    Rule::of_design("O09", "no-maximum", "S3, D", include_str!("o09_no_maximum.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, table) in context.design.tables.iter().enumerate() {
        if !table.production || table.billing != BillingMode::OnDemand || table.throughput.most.is_some() {
            continue;
        }
        let peak = context.load.drawn_from(context.design, Target::table(at)).peak_milli;
        let twice = |milli: u64| (milli / 500).max(10).to_string();
        found
            .add(Severity::Warning, table.name.span, format!("{} serves and bills whatever comes, a retry loop too", *table.name))
            .under("on-demand without a maximum")
            .fix(format!("max-throughput: {{ reads: {}, writes: {} }}, twice the planned peak", twice(peak.read), twice(peak.write)));
    }
}

//! # O06 no-recovery
//!
//! A production table has no point-in-time recovery.
//!
//! Severity: warning.
//!
//! Why: a wrong deploy deletes in seconds, and there is no way back.
//!
//! Numbers: none; `environment: production`, not `rebuildable`.
//!
//! Fix: `point-in-time-recovery: yes` (0.20 dollars a GB and month in us-east-1).
//!
//! Bad:
//! ```yaml
//! design: 1
//! environment: production
//! tables: { App: { keys: [PK], deletion-protection: yes, max-throughput: { reads: 1000, writes: 1000 } } }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! environment: production
//! tables: { App: { keys: [PK], point-in-time-recovery: yes, deletion-protection: yes, max-throughput: { reads: 1000, writes: 1000 } } }
//! ```
//! Source: AWS, Developer Guide 2026, "Point-in-time backups for DynamoDB".
//!
//! Needs: a design file. Marks: S3, D.

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("O06", "no-recovery", "S3, D", include_str!("o06_no_recovery.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for table in context.design.tables.iter().filter(|table| table.production && !table.rebuildable) {
        if table.recovery.as_ref().is_some_and(|recovery| recovery.value) {
            continue;
        }
        let span = table.recovery.as_ref().map_or(table.name.span, |recovery| recovery.span);
        found
            .add(Severity::Warning, span, format!("{} is a production table without point-in-time recovery", *table.name))
            .under("what a wrong deploy deletes is gone")
            .fix("point-in-time-recovery: yes, or rebuildable: yes if it can be made again");
    }
}

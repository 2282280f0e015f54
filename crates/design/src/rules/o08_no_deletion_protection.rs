//! # O08 no-deletion-protection
//!
//! A production table can be deleted by one call.
//!
//! Severity: warning.
//!
//! Why: a stack that is taken down takes its tables with it.
//!
//! Numbers: none; `environment: production`.
//!
//! Fix: `deletion-protection: yes`; what `dyno design generate` writes also retains the table when its stack goes.
//!
//! Bad:
//! ```yaml
//! design: 1
//! environment: production
//! tables: { App: { keys: [PK], point-in-time-recovery: yes, max-throughput: { reads: 1000, writes: 1000 } } }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! environment: production
//! tables: { App: { keys: [PK], point-in-time-recovery: yes, deletion-protection: yes, max-throughput: { reads: 1000, writes: 1000 } } }
//! ```
//! Source: two authors' templates.
//!
//! Needs: a design file. Marks: S1, S3.

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("O08", "no-deletion-protection", "S1, S3", include_str!("o08_no_deletion_protection.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for table in context.design.tables.iter().filter(|table| table.production) {
        if table.deletion_protection.as_ref().is_some_and(|protection| protection.value) {
            continue;
        }
        let span = table.deletion_protection.as_ref().map_or(table.name.span, |protection| protection.span);
        found
            .add(Severity::Warning, span, format!("{} is a production table that one call deletes", *table.name))
            .under("has no deletion protection")
            .fix("deletion-protection: yes");
    }
}

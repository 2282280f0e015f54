//! # O07 recovery-of-what-can-be-rebuilt
//!
//! A table that can be made again from elsewhere pays for continuous backups.
//!
//! Severity: info.
//!
//! Why: point-in-time recovery costs nearly as much as the storage.
//!
//! Numbers: none; the table says `rebuildable: yes`.
//!
//! Fix: turn it off there.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Search cache: { keys: [PK], rebuildable: yes, point-in-time-recovery: yes } }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Search cache: { keys: [PK], rebuildable: yes } }
//! ```
//! Source: one author's guide; prices of AWS.
//!
//! Needs: a design file. Marks: S3.

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("O07", "recovery-of-what-can-be-rebuilt", "S3", include_str!("o07_recovery_of_what_can_be_rebuilt.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for table in context.design.tables.iter().filter(|table| table.rebuildable) {
        let Some(recovery) = table.recovery.as_ref().filter(|recovery| recovery.value) else { continue };
        found
            .add(Severity::Info, recovery.span, format!("{} can be made again, and pays for continuous backups", *table.name))
            .under("costs nearly as much as the storage")
            .fix("point-in-time-recovery: no");
    }
}

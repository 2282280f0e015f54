//! # R12 unprocessed-is-ignored
//!
//! A batch is sent once, and what DynamoDB left unprocessed is lost or not read.
//!
//! Severity: warning.
//!
//! Why: a batch answers 200 with UnprocessedItems or UnprocessedKeys when a part of it was throttled.
//!
//! Numbers: none; the pattern says `retries: no`.
//!
//! Fix: send the rest again, with growing pauses, until nothing is left.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK] } }
//! entities: { Item: { keys: { PK: "<id>" } } }
//! patterns:
//!   import: { batch-write: Item, items: 25, retries: no, rate: 1/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK] } }
//! entities: { Item: { keys: { PK: "<id>" } } }
//! patterns:
//!   import: { batch-write: Item, items: 25, retries: yes, rate: 1/s }
//! ```
//! Source: AWS, API Reference 2026, BatchWriteItem and BatchGetItem.
//!
//! Needs: a design file. Marks: D.

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("R12", "unprocessed-is-ignored", "D", include_str!("r12_unprocessed_is_ignored.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, pattern) in context.design.patterns.iter().enumerate() {
        let Some(retries) = pattern.retries.as_ref().filter(|retries| !retries.value) else { continue };
        let is_batch = context.served(at).is_some_and(|served| served.operation.starts_with("Batch"));
        if !is_batch {
            continue;
        }
        found
            .add(Severity::Warning, retries.span, "what a throttled batch leaves unprocessed is lost")
            .under("a batch answers 200 and gives the rest back")
            .fix("send UnprocessedItems or UnprocessedKeys again, with growing pauses, until nothing is left")
            .pattern(at);
    }
}

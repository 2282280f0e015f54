//! # O04 ttl-as-a-scheduler
//!
//! The application does something when an item expires, and TTL keeps no time.
//!
//! Severity: warning.
//!
//! Why: an expired item is deleted within days. What should happen at a time happens some time later.
//!
//! Numbers: none; the entity says `on-expiry`.
//!
//! Fix: EventBridge Scheduler for what has a time; check the time on reading for what is only a state.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], ttl: expiresAt } }
//! entities: { Hold: { keys: { PK: "SEAT#<seat>" }, expires-after: 15m, on-expiry: "sell the seat again" } }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], ttl: expiresAt } }
//! entities: { Hold: { keys: { PK: "SEAT#<seat>" }, expires-after: 15m } }
//! ```
//! Source: AWS, Developer Guide 2026, "Using time to live (TTL) in DynamoDB".
//!
//! Needs: a design file. Marks: D, S3.

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("O04", "ttl-as-a-scheduler", "D, S3", include_str!("o04_ttl_as_a_scheduler.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for entity in &context.design.entities {
        let Some(action) = &entity.on_expiry else { continue };
        found
            .add(Severity::Warning, action.span, format!("`{}` waits for TTL, which deletes within days", **action))
            .under(format!("done when a {} expires", *entity.name))
            .fix("EventBridge Scheduler for what has a time; check the time on reading for what is a state");
    }
}

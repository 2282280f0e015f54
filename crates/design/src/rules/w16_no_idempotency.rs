//! # W16 no-idempotency
//!
//! A write can come twice, and nothing keeps it from being done twice.
//!
//! Severity: warning.
//!
//! Why: queues and retries deliver at least once. A second put replaces, a second counter counts again.
//!
//! Numbers: none; the pattern says `at-least-once: yes` and has neither a token nor a condition.
//!
//! Fix: a client request token (a transaction's; good for ten minutes), a condition, or an item `idempotency#<id>` with TTL.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK] } }
//! entities: { Account: { keys: { PK: "ACCOUNT#<id>" } } }
//! patterns:
//!   deposit: { update: Account, sets: [balance], at-least-once: yes, rate: 5/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK] } }
//! entities: { Account: { keys: { PK: "ACCOUNT#<id>" } } }
//! patterns:
//!   deposit: { update: Account, sets: [balance, lastId], condition: "lastId <> :id", at-least-once: yes, rate: 5/s }
//! ```
//! Source: AWS, API Reference 2026, TransactWriteItems, `ClientRequestToken`.
//!
//! Needs: a design file. Marks: D, I.

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("W16", "no-idempotency", "D, I", include_str!("w16_no_idempotency.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, _, write) in context.writes() {
        let Some(twice) = write.at_least_once.as_ref().filter(|twice| twice.value) else { continue };
        if write.token || write.members.iter().any(|member| member.condition.is_some()) {
            continue;
        }
        found
            .add(Severity::Warning, twice.span, "the same write can come twice, and would be done twice")
            .under("no token and no condition")
            .fix("token: yes in a transaction, a condition, or an item idempotency#<id> with TTL")
            .pattern(at);
    }
}

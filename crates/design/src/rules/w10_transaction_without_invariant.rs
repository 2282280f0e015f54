//! # W10 transaction-without-invariant
//!
//! A transaction is used, and nobody says what it keeps true.
//!
//! Severity: info.
//!
//! Why: every item of a transaction costs twice. A condition on one item is often enough.
//!
//! Numbers: units of the call, and half of the table's part.
//!
//! Fix: say the `invariant`, or use single writes with conditions.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK] } }
//! entities: { Order: { keys: { PK: "ORDER#<id>", SK: DETAIL } }, Line: { keys: { PK: "ORDER#<id>", SK: "LINE#<line>" } } }
//! patterns:
//!   place: { transact-write: [{ put: Order }, { put: Line }], rate: 5/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK] } }
//! entities: { Order: { keys: { PK: "ORDER#<id>", SK: DETAIL } }, Line: { keys: { PK: "ORDER#<id>", SK: "LINE#<line>" } } }
//! patterns:
//!   place: { transact-write: [{ put: Order }, { put: Line }], invariant: "an order has its lines", rate: 5/s }
//! ```
//! Source: AWS, Developer Guide 2026, "Amazon DynamoDB transactions".
//!
//! Needs: a design file. Marks: D.

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};
use crate::model::WriteKind;

pub(super) const RULE: Rule =
    Rule::of_design("W10", "transaction-without-invariant", "D", include_str!("w10_transaction_without_invariant.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, pattern, write) in context.writes() {
        let Some(served) = context.served(at).filter(|_| write.kind == WriteKind::Transaction && write.invariant.is_none()) else { continue };
        let (all, saved) = (text::units(served.milli_halves()), text::units(served.table_milli_halves() / 2));
        found
            .add(Severity::Info, pattern.action_span, format!("a transaction of {all} units, {saved} of them for being one"))
            .under("what does it keep true?")
            .number("units", all)
            .number("forBeingOne", saved)
            .fix("say the invariant, or use single writes with conditions")
            .pattern(at);
    }
}

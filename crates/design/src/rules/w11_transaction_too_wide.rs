//! # W11 transaction-too-wide
//!
//! A transaction has too many items or bytes, or goes over accounts or regions.
//!
//! Severity: error.
//!
//! Why: TransactWriteItems takes 100 items and 4 MB of one account and region. Between services there is none.
//!
//! Numbers: items, bytes, and the regions and accounts of the tables.
//!
//! Fix: several smaller ones, or events and compensation (outbox, saga).
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables:
//!   Orders: { keys: [PK], region: eu-west-1 }
//!   Stock: { keys: [PK], region: us-east-1 }
//! entities: { Order: { table: Orders, keys: { PK: "<id>" } }, Stock level: { table: Stock, keys: { PK: "<sku>" } } }
//! patterns:
//!   place: { transact-write: [{ put: Order }, { update: Stock level, sets: [left] }], invariant: "never sell twice", rate: 5/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables:
//!   Orders: { keys: [PK], region: eu-west-1 }
//!   Outbox: { keys: [PK], region: eu-west-1 }
//! entities: { Order: { table: Orders, keys: { PK: "<id>" } }, Message: { table: Outbox, keys: { PK: "<messageId>" } } }
//! patterns:
//!   place: { transact-write: [{ put: Order }, { put: Message }], invariant: "an order is announced", rate: 5/s }
//! ```
//! Source: AWS, API Reference 2026, TransactWriteItems; one author's attempt between microservices.
//!
//! Needs: a design file. Marks: S2, D.

use dynamometer_types::limits::{TRANSACTION_ACTIONS, TRANSACTION_BYTES};

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};
use crate::model::{Table, WriteKind};

pub(super) const RULE: Rule =
    Rule::of_design("W11", "transaction-too-wide", "S2, D", include_str!("w11_transaction_too_wide.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, pattern, write) in context.writes().filter(|(.., write)| write.kind == WriteKind::Transaction) {
        let tables: Vec<&Table> = write.members.iter().map(|member| &context.design.tables[context.design.entities[member.entity.value].table]).collect();
        let differ = |of: fn(&Table) -> Option<&str>| tables.windows(2).any(|pair| of(pair[0]) != of(pair[1]));
        let bytes = context.served(at).map_or(0, |served| served.bytes);
        let items = write.members.len();
        let what = match () {
            () if items > TRANSACTION_ACTIONS => format!("a transaction has {items} items, and may have {TRANSACTION_ACTIONS}"),
            () if bytes > TRANSACTION_BYTES => format!("a transaction has {}, and may have 4 MB", text::bytes(bytes)),
            () if differ(|table| table.region.as_ref().map(|region| region.as_str())) => "a transaction goes over several regions".to_owned(),
            () if differ(|table| table.account.as_ref().map(|account| account.as_str())) => "a transaction goes over several accounts".to_owned(),
            () => continue,
        };
        found
            .add(Severity::Error, pattern.action_span, what)
            .under("is refused")
            .number("items", items)
            .number("bytes", bytes)
            .fix("several smaller ones, or events and compensation (outbox, saga)")
            .pattern(at);
    }
}

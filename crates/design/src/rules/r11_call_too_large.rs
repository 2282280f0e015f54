//! # R11 call-too-large
//!
//! A call has more keys, items, operands or bytes than DynamoDB takes.
//!
//! Severity: error.
//!
//! Why: the call is refused with ValidationException.
//!
//! Numbers: 100 keys in a BatchGetItem, 25 items and 16 MB in a BatchWriteItem, 100 items and 4 MB in a TransactGetItems, 100 operands
//! of IN, 4 KB of an expression.
//!
//! Fix: split it.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK] } }
//! entities: { Item: { keys: { PK: "<id>" } } }
//! patterns:
//!   import: { batch-write: Item, items: 100, rate: 1/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK] } }
//! entities: { Item: { keys: { PK: "<id>" } } }
//! patterns:
//!   import: { batch-write: Item, items: 25, rate: 4/s }
//! ```
//! Source: AWS, Developer Guide 2026, "Service, account, and table quotas".
//!
//! Needs: a design file. Marks: D.

use dynamometer_types::limits::{BATCH_GET_KEYS, BATCH_WRITE_REQUESTS, EXPRESSION_BYTES, IN_OPERANDS, REQUEST_BYTES, TRANSACTION_ACTIONS, TRANSACTION_BYTES};

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("R11", "call-too-large", "D", include_str!("r11_call_too_large.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, pattern) in context.design.patterns.iter().enumerate() {
        let Some(served) = context.served(at) else { continue };
        let (items, bytes) = (served.items.count(), served.bytes);
        let limits = match served.operation {
            "BatchGetItem" => vec![(items, BATCH_GET_KEYS as u64, "keys")],
            "BatchWriteItem" => vec![(items, BATCH_WRITE_REQUESTS as u64, "items"), (bytes, REQUEST_BYTES as u64, "bytes")],
            "TransactGetItems" => vec![(items, TRANSACTION_ACTIONS as u64, "items"), (bytes, TRANSACTION_BYTES, "bytes")],
            _ => Vec::new(),
        };
        let filter = pattern.read().and_then(|read| read.filter.as_ref());
        let of_filter = filter.map(|filter| [(filter.len() as u64, EXPRESSION_BYTES as u64, "bytes of an expression"), (in_operands(filter), IN_OPERANDS as u64, "operands of IN")]);
        for (has, limit, what) in limits.into_iter().chain(of_filter.into_iter().flatten()) {
            if has <= limit {
                continue;
            }
            found
                .add(Severity::Error, pattern.action_span, format!("{} has {has} {what}, and may have {limit}", served.operation))
                .number("has", has)
                .number("limit", limit)
                .fix("split it")
                .pattern(at);
        }
    }
}

/// The operands of the longest `IN (…)` of an expression.
fn in_operands(filter: &str) -> u64 {
    let upper = filter.to_uppercase();
    let lists = upper.match_indices(" IN ").filter_map(|(at, _)| upper[at + 4..].trim_start().strip_prefix('('));
    lists.map(|list| list.split(')').next().unwrap_or("").split(',').count() as u64).max().unwrap_or(0)
}

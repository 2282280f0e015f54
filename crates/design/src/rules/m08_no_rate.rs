//! # M08 no-rate
//!
//! A pattern does not say how often it is asked.
//!
//! Severity: info.
//!
//! Why: without it there is no price, no heat and no throttling to find.
//!
//! Numbers: none.
//!
//! Fix: a word will do: `rate: high`.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK] } }
//! entities: { User: { keys: { PK: "USER#<userId>" } } }
//! patterns:
//!   profile: { get: User }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK] } }
//! entities: { User: { keys: { PK: "USER#<userId>" } } }
//! patterns:
//!   profile: { get: User, rate: high }
//! ```
//! Source: one author's table of access patterns has a column for it.
//!
//! Needs: a design file. Marks: S2.

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("M08", "no-rate", "S2", include_str!("m08_no_rate.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, pattern) in context.design.patterns.iter().enumerate() {
        if pattern.rate.is_none() {
            found
                .add(Severity::Info, pattern.name.span, "nobody says how often")
                .under("has no price and no heat without")
                .fix("rate: very high, high, medium, low or rare will do until somebody knows")
                .pattern(at);
        }
    }
}

//! # R04 needless-strong-read
//!
//! A read is strongly consistent where the caller could live with a late one.
//!
//! Severity: info.
//!
//! Why: an eventually consistent read costs half, and a key serves twice as many.
//!
//! Numbers: the units of a call, and half of them.
//!
//! Fix: `consistency: eventual`.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK] } }
//! entities: { User: { keys: { PK: "USER#<userId>" } } }
//! patterns:
//!   profile page: { get: User, consistency: strong, stale-ok: yes, rate: 10/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK] } }
//! entities: { User: { keys: { PK: "USER#<userId>" } } }
//! patterns:
//!   profile page: { get: User, stale-ok: yes, rate: 10/s }
//! ```
//! Source: AWS, Developer Guide 2026, "Read consistency".
//!
//! Needs: a design file. Marks: D.

use dynamometer_capacity::Consistency;

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("R04", "needless-strong-read", "D", include_str!("r04_needless_strong_read.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, _, read) in context.reads() {
        if !read.stale_ok || *read.consistency != Consistency::Strong {
            continue;
        }
        let units = context.served(at).map_or(0, |served| served.milli_halves());
        found
            .add(Severity::Info, read.consistency.span, format!("{} units a call where {} would do", text::units(units), text::units(units / 2)))
            .under("the caller can live with a late read")
            .number("unitsPerCall", text::units(units))
            .fix("consistency: eventual")
            .pattern(at);
    }
}

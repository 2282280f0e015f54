//! # R02 filter-abuse
//!
//! A filter throws away most of what was read and paid for.
//!
//! Severity: warning.
//!
//! Why: a filter works on what was read, after it was paid for. A thousand items read for ten returned cost a thousand items.
//!
//! Numbers: `returns` below 10 %.
//!
//! Fix: move the attribute into the sort key or an index, so that only what is wanted is read.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK] } }
//! entities: { Order: { keys: { PK: "USER#<userId>", SK: "ORDER#<orderId>" } } }
//! patterns:
//!   completed orders:
//!     { query: App, key: "USER#<userId>", sort: "ORDER#", items: 1000, filter: "status = :s AND amount > :min", returns: 1%, rate: 1/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK] } }
//! entities: { Order: { keys: { PK: "USER#<userId>", SK: "ORDER#<status>#<orderId>" } } }
//! patterns:
//!   completed orders: { query: App, key: "USER#<userId>", sort: "ORDER#COMPLETED#", items: 20, rate: 1/s }
//! ```
//! Source: AWS, Developer Guide 2026, "Query operations"; two authors' accounts.
//!
//! Needs: a design file. Marks: S2, S3.

use dynamometer_capacity::quantity::percent_text;

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};
use crate::derive::ALL_PPM;

pub(super) const RULE: Rule =
    Rule::of_design("R02", "filter-abuse", "S2, S3", include_str!("r02_filter_abuse.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, _, read) in context.reads() {
        let (Some(filter), Some(returns), Some(served)) = (&read.filter, &read.returns_ppm, context.served(at)) else { continue };
        if returns.value >= 100_000 {
            continue;
        }
        let items = served.items.count();
        let kept = (u128::from(items) * u128::from(returns.value)).div_ceil(u128::from(ALL_PPM)) as u64;
        let (dropped, units) = (percent_text(ALL_PPM - returns.value, 0), text::units(served.milli_halves()));
        found
            .add(Severity::Warning, filter.span, format!("the filter drops {dropped} of what is paid for: {} read, {} returned, {units} units", text::count(items), text::count(kept)))
            .under("is applied after the items were read and paid for")
            .number("read", items)
            .number("returned", kept)
            .number("unitsPerCall", units)
            .fix("move what is filtered into the sort key or an index")
            .pattern(at);
    }
}

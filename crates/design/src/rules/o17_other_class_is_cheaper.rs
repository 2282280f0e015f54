//! # O17 other-class-is-cheaper
//!
//! The other table class would be cheaper.
//!
//! Severity: info.
//!
//! Why: Standard-IA stores for less than half, and reads and writes cost a quarter more. A class can change twice in 30 days.
//!
//! Numbers: the month in both classes, in the table's mode; needs the counts of its entities.
//!
//! Fix: change `class`.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Audit: { keys: [PK] } }
//! entities: { Entry: { keys: { PK: "<id>" }, size: 1KB, count: 1G } }
//! patterns:
//!   read one: { get: Entry, rate: 1/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Audit: { keys: [PK], class: standard-ia } }
//! entities: { Entry: { keys: { PK: "<id>" }, size: 1KB, count: 1G } }
//! patterns:
//!   read one: { get: Entry, rate: 1/s }
//! ```
//! Source: AWS, Developer Guide 2026, "DynamoDB table classes".
//!
//! Needs: a design file. Marks: D, S3.

use dynamometer_capacity::quantity;
use dynamometer_capacity::admission::BillingMode;
use dynamometer_capacity::money::{Money, QuotePlan, TableClass, quote};

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};
use crate::cost::{TARGET_PPM, quote_load};

pub(super) const RULE: Rule =
    Rule::of_design("O17", "other-class-is-cheaper", "D, S3", include_str!("o17_other_class_is_cheaper.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, table) in context.design.tables.iter().enumerate() {
        let load = quote_load(context.derived, context.load, at);
        let of_class = |class| match table.billing {
            BillingMode::OnDemand => QuotePlan::OnDemand(class),
            BillingMode::Provisioned => QuotePlan::Provisioned(class, TARGET_PPM),
        };
        let (other, word) = match table.class {
            TableClass::Standard => (TableClass::StandardInfrequentAccess, "standard-ia"),
            TableClass::StandardInfrequentAccess => (TableClass::Standard, "standard"),
        };
        let both = (quote(context.prices, &load, of_class(table.class)), quote(context.prices, &load, of_class(other)));
        let (Ok(now), Ok(then)) = both else { continue };
        if load.storage_bytes == 0 || then.total() + Money::from_dollars(1) > now.total() {
            continue;
        }
        let [now, then] = [now.total(), then.total()].map(quantity::dollars);
        found
            .add(Severity::Info, table.name.span, format!("{} costs {then} a month in {word} instead of {now}", *table.name))
            .under(format!("{} stored", text::bytes(load.storage_bytes)))
            .number("now", &now)
            .number("other", &then)
            .fix(format!("class: {word}"));
    }
}

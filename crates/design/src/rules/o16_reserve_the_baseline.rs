//! # O16 reserve-the-baseline
//!
//! A provisioned table has a baseline of a hundred units and more, which can be reserved.
//!
//! Severity: info.
//!
//! Why: a year costs about half, three years less than a quarter. Only lots of 100 units, only Standard tables, and the fee is due
//! whether used or not.
//!
//! Numbers: average units / target, in whole hundreds.
//!
//! Fix: reserve what is needed at the quietest hour, and no more.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables:
//!   App: { keys: [PK], billing: provisioned, capacity: { reads: 5, writes: 800 }, auto-scaling: { reads: 5..100, writes: 100..2000 } }
//! entities: { Item: { keys: { PK: "<id>" } } }
//! patterns:
//!   put: { put: Item, rate: 500/s, peak: x1.2 }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables:
//!   App: { keys: [PK], billing: provisioned, capacity: { reads: 5, writes: 20 }, auto-scaling: { reads: 5..100, writes: 5..100 } }
//! entities: { Item: { keys: { PK: "<id>" } } }
//! patterns:
//!   put: { put: Item, rate: 10/s, peak: x1.2 }
//! ```
//! Source: AWS, pricing page: reserved capacity.
//!
//! Needs: a design file. Marks: S3, D.

use dynamometer_capacity::quantity;
use dynamometer_capacity::admission::BillingMode;
use dynamometer_capacity::money::{QuotePlan, ReservedTerm, TableClass, quote};

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::cost::{TARGET_PPM, quote_load};

pub(super) const RULE: Rule =
    Rule::of_design("O16", "reserve-the-baseline", "S3, D", include_str!("o16_reserve_the_baseline.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, table) in context.design.tables.iter().enumerate() {
        if table.billing != BillingMode::Provisioned || table.class != TableClass::Standard {
            continue;
        }
        let load = quote_load(context.derived, context.load, at);
        let plain = quote(context.prices, &load, QuotePlan::Provisioned(TableClass::Standard, TARGET_PPM));
        let reserved = quote(context.prices, &load, QuotePlan::Reserved(ReservedTerm::OneYear, TARGET_PPM));
        let (Ok(plain), Ok(reserved)) = (plain, reserved) else { continue };
        if reserved.reserved.read + reserved.reserved.write == 0 {
            continue;
        }
        let (units, saved) = (reserved.reserved, quantity::dollars(plain.throughput - reserved.throughput));
        found
            .add(Severity::Info, table.name.span, format!("{} write and {} read units of {} can be reserved, which saves {saved} a month", units.write, units.read, *table.name))
            .under("in use all the time, if the load is as said")
            .number("writeUnits", units.write)
            .number("readUnits", units.read)
            .fix("reserve what the quietest hour needs, and no more");
    }
}

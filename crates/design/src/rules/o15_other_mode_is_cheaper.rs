//! # O15 other-mode-is-cheaper
//!
//! The other capacity mode would be cheaper for this load.
//!
//! Severity: info.
//!
//! Why: provisioned throughput costs less than a third of on-demand when it is used all the time, and is wasted when it is not. The
//! break-even is at about 29 % of what is provisioned.
//!
//! Numbers: the month on demand, beside the month provisioned for the peak at all hours. That needs no scaling to be right, so it is a
//! safe comparison; with auto scaling at 70 % a smooth load costs 2.4 times less than on demand.
//!
//! Fix: change `billing`.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK] } }
//! entities: { Item: { keys: { PK: "<id>" } } }
//! patterns:
//!   put: { put: Item, rate: 500/s, peak: x1.5 }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK] } }
//! entities: { Item: { keys: { PK: "<id>" } } }
//! patterns:
//!   put: { put: Item, rate: 500/s, peak: x10 }
//! ```
//! Source: AWS's prices; one author's break-even.
//!
//! Needs: a design file. Marks: S3.

use dynamometer_capacity::quantity;
use dynamometer_capacity::admission::BillingMode;
use dynamometer_capacity::money::{Money, QuotePlan, TableClass, quote};

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::cost::quote_load;

pub(super) const RULE: Rule =
    Rule::of_design("O15", "other-mode-is-cheaper", "S3", include_str!("o15_other_mode_is_cheaper.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, table) in context.design.tables.iter().enumerate() {
        let load = quote_load(context.derived, context.load, at);
        let both = (quote(context.prices, &load, QuotePlan::OnDemand(table.class)), quote(context.prices, &load, QuotePlan::AtPeak));
        let (Ok(on_demand), Ok(at_peak)) = both else { continue };
        if table.class != TableClass::Standard {
            continue;
        }
        let [demand, peak] = [&on_demand, &at_peak].map(|quote| quote.throughput);
        let (cheaper, dearer, mode) = match table.billing {
            BillingMode::OnDemand => (peak, demand, "provisioned"),
            BillingMode::Provisioned if table.throughput.auto_scaling.is_none() => (demand, peak, "on-demand"),
            BillingMode::Provisioned => continue,
        };
        // Less than a dollar is no reason to change anything.
        if cheaper + Money::from_dollars(1) > dearer {
            continue;
        }
        found
            .add(Severity::Info, table.name.span, format!("{} {mode} costs {} a month instead of {}", *table.name, quantity::dollars(cheaper), quantity::dollars(dearer)))
            .under("enough for the peak at all hours")
            .number("now", dearer.rounded(2))
            .number("other", cheaper.rounded(2))
            .fix(format!("billing: {mode}; dyno design cost shows every plan"));
    }
}

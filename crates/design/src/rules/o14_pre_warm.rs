//! # O14 pre-warm
//!
//! An event asks for more than the table serves at once.
//!
//! Severity: warning.
//!
//! Why: on demand a table serves 4,000 writes and 12,000 reads a second from its first day, and twice its previous peak. Beyond that
//! it grows within half an hour, and throttles until then.
//!
//! Numbers: the event's units / second, beside what is served at once: the initial throughput, twice the usual peak, or
//! `warm-throughput`. An event of `times: x2` or less is served.
//!
//! Fix: `warm-throughput` ahead of time: takes minutes, is paid once, and stays.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Sale: { keys: [PK] } }
//! entities: { Order: { keys: { PK: "<orderId>" }, count: 10M } }
//! patterns:
//!   order: { put: Order, rate: 100/s, peak: 1000/s }
//! events: [{ name: summer sale, times: x12, for: 20m }]
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Sale: { keys: [PK], warm-throughput: { reads: 12000, writes: 12000 } } }
//! entities: { Order: { keys: { PK: "<orderId>" }, count: 10M } }
//! patterns:
//!   order: { put: Order, rate: 100/s, peak: 1000/s }
//! events: [{ name: summer sale, times: x12, for: 20m }]
//! ```
//! Source: AWS, Developer Guide 2026, "Understanding warm throughput" and "On-demand capacity mode".
//!
//! Needs: a design file. Marks: S3, D.

use dynamometer_capacity::{Constants, quantity};
use dynamometer_capacity::admission::{BillingMode, Dimension};

use super::{Rule, dimension_word};
use crate::check::{Context, Findings, Severity};
use crate::load::milli_units_per_second;
use crate::model::{Event, Target};

pub(super) const RULE: Rule =
    Rule::of_design("O14", "pre-warm", "S3, D", include_str!("o14_pre_warm.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    let constants = Constants::default();
    for event in context.design.events.iter().filter(|event| event.times_milli.value > 2_000) {
        for target in context.design.targets() {
            let table = &context.design.tables[target.table];
            if table.billing != BillingMode::OnDemand || context.design.capacity_of(target) != target {
                continue;
            }
            let throughput = context.design.index(target).map_or(&table.throughput, |index| &index.throughput);
            let drawn = context.load.drawn_from(context.design, target);
            for dimension in Dimension::BOTH {
                let usual = drawn.peak_milli[dimension] / 1_000;
                let of_event: u64 = event_units(context, event, target, dimension);
                let initial = match dimension {
                    Dimension::Read => constants.on_demand_initial_read_units,
                    Dimension::Write => constants.on_demand_initial_write_units,
                };
                let warm = throughput.warm.as_ref().and_then(|warm| warm[dimension]).unwrap_or(0);
                let at_once = initial.max(usual * constants.on_demand_growth_factor).max(warm);
                if of_event <= at_once {
                    continue;
                }
                let word = dimension_word(dimension);
                let [needed, served] = [of_event, at_once].map(|units| quantity::thousands(&units.to_string()));
                found
                    .add(Severity::Warning, event.name.span, format!("{} asks {} for {needed} {word} units/s, and {served} are served at once", *event.name, context.name(target)))
                    .under("the rest is throttled until the table has grown, up to half an hour")
                    .number("units", of_event)
                    .number("servedAtOnce", at_once)
                    .fix(format!("warm-throughput with {word}s: {of_event}, some hours before"));
            }
        }
    }
}

/// What an event asks of a table or index, in units per second.
fn event_units(context: &Context<'_>, event: &Event, target: Target, dimension: Dimension) -> u64 {
    let mut milli = 0;
    for (at, pattern) in context.design.patterns.iter().enumerate() {
        let is_part = event.patterns.is_empty() || event.patterns.contains(&at);
        let times = if is_part { event.times_milli.value } else { 1_000 };
        let arms = context.served(at).map_or(&[][..], |served| &served.arms);
        for arm in arms.iter().filter(|arm| context.design.capacity_of(arm.target) == target && arm.dimension == dimension) {
            let units = milli_units_per_second(arm.milli_halves, pattern.peak_micro()) / 1_000;
            milli = u64::saturating_add(milli, units.saturating_mul(times));
        }
    }
    milli / 1_000
}

//! # K04 low-cardinality
//!
//! A partition key has few values, or one of them has most of the items.
//!
//! Severity: warning.
//!
//! Why: twenty values are at most twenty partitions, and the largest value is one. On an index this throttles the table: a write
//! waits for every index that it touches.
//!
//! Numbers: 20 values or fewer (`distinct`), or a `largest` value of more than 50 %. Where nobody said how many, a name such as
//! `status` or `country` is taken to have few.
//!
//! Fix: put something behind it (`STATUS#<status>#<customerId>`), index only what is looked for (sparse), or shard it.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables:
//!   Orders: { keys: [PK], indexes: { byStatus: { keys: [GSI1PK] } } }
//! variables: { status: { distinct: [PENDING, PAID, SHIPPED] } }
//! entities:
//!   Order: { keys: { PK: "ORDER#<orderId>", GSI1PK: "STATUS#<status>" } }
//! patterns:
//!   place: { put: Order, rate: 20/s }
//!   pending: { query: byStatus, key: "STATUS#PENDING", rate: 1/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables:
//!   Orders: { keys: [PK], indexes: { byStatus: { keys: [GSI1PK] } } }
//! variables: { status: { distinct: [PENDING, PAID, SHIPPED] }, customerId: { distinct: 50k } }
//! entities:
//!   Order: { keys: { PK: "ORDER#<orderId>", GSI1PK: "STATUS#<status>#<customerId>" } }
//! patterns:
//!   place: { put: Order, rate: 20/s }
//!   pending of a customer: { query: byStatus, key: "STATUS#PENDING#<customerId>", rate: 1/s }
//! ```
//! Source: AWS, Developer Guide 2026, "Designing partition keys"; one author's status index.
//!
//! Needs: a design file. Marks: D, S2.

use dynamometer_capacity::quantity::percent_text;

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};
use crate::derive::ALL_PPM;
use crate::model::VariableType;

pub(super) const RULE: Rule =
    Rule::of_design("K04", "low-cardinality", "D, S2", include_str!("k04_low_cardinality.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    let derived = context.derived;
    for heat in context.load.heat.iter().filter(|heat| !heat.template.is_constant()) {
        let variables: Vec<&str> = heat.template.variables().collect();
        if variables.iter().any(|name| derived.is_shard(name) || derived.kind(name) == VariableType::Date) {
            continue;
        }
        let largest = variables
            .iter()
            .map(|name| context.design.variable(name).and_then(|variable| variable.largest_ppm.as_ref().map(|share| share.value)))
            .try_fold(ALL_PPM, |share, largest| largest.map(|largest| share * largest / ALL_PPM));
        let by_name = variables.iter().all(|name| derived.is_few_valued_by_name(name));
        let said = variables.iter().all(|name| context.design.variable(name).is_some());
        let what = match (derived.distinct_keys(&heat.template), largest) {
            (_, Some(largest)) if largest > 500_000 => format!("one value has {} of it", percent_text(largest, 0)),
            (Some(count), _) if count <= 20 && said => format!("it has {}", text::plural(count as usize, "value")),
            (None, _) if by_name => format!("`{}` is taken to have few values, for nobody says how many", variables.join(", ")),
            _ => continue,
        };
        let (reads, writes) = (text::milli(heat.peak_milli.read), text::milli(heat.peak_milli.write));
        let message = format!("{} has few {} keys: {what}", heat.template, context.name(heat.target));
        found
            .add(Severity::Warning, heat.span, message)
            .under(format!("{writes} write and {reads} read units/s at peak go to these few"))
            .number("writeUnitsPerSecond", writes)
            .number("readUnitsPerSecond", reads)
            .fix("put an id behind it, index only what is looked for, or shard it")
            .patterns(&heat.patterns);
    }
}

//! # K02 large-items-on-one-key
//!
//! Large items make a key hot at few requests.
//!
//! Severity: warning.
//!
//! Why: a partition's limit is in units, not in requests. A strongly consistent read of 20 KB is 5 units, so 600 of them a second
//! are all that one key gives.
//!
//! Numbers: reads a second on the hottest key x units of one read, beside the 3,000 units of a partition, for items above 4 KB.
//!
//! Fix: smaller items, eventually consistent reads (half the units), a cache, shards.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Pages: { keys: [PK] } }
//! entities: { Page: { keys: { PK: "PAGE#<slug>" }, size: 20KB } }
//! patterns:
//!   front page: { get: Page, consistency: strong, rate: 500/s, peak: 700/s, hottest: 100% }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Pages: { keys: [PK] } }
//! entities: { Page: { keys: { PK: "PAGE#<slug>" }, size: 4KB } }
//! patterns:
//!   front page: { get: Page, rate: 500/s, peak: 700/s, hottest: 100% }
//! ```
//! Source: the arithmetic of AWS, Developer Guide 2026, "Read and write operations".
//!
//! Needs: a design file. Marks: S3, D.

use dynamometer_capacity::admission::Dimension;
use dynamometer_capacity::meter::READ_BLOCK_BYTES;

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};
use crate::derive::ALL_PPM;
use crate::load::{milli_units_per_second, partition_limit};
use crate::model::ReadKind;
use crate::plan::MILLI_HALVES;

pub(super) const RULE: Rule =
    Rule::of_design("K02", "large-items-on-one-key", "S3, D", include_str!("k02_large_items_on_one_key.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, pattern, read) in context.reads() {
        let Some(served) = context.served(at).filter(|_| read.kind == ReadKind::Get) else { continue };
        let heat = context.load.heat.iter().find(|heat| heat.patterns.contains(&at));
        let Some(share) = heat.filter(|heat| !heat.share_unknown).and_then(|heat| {
            let of_entity = |at: usize| {
                let entity = &context.design.entities[at];
                context.derived.hottest_of_items_ppm(entity, &context.design.tables[entity.table].keys)
            };
            let declared = pattern.hottest_ppm.as_ref().map(|share| share.value);
            declared.or_else(|| match read.entities.first() {
                Some(entity) => of_entity(entity.value),
                None => context.derived.hottest_ppm(&heat.template),
            })
        }) else {
            continue;
        };
        let peak = milli_units_per_second(served.milli_halves(), pattern.peak_micro());
        let hottest = (u128::from(peak) * u128::from(share) / u128::from(1_000 * ALL_PPM)) as u64;
        let limit = partition_limit(Dimension::Read);
        if served.bytes <= READ_BLOCK_BYTES || hottest < limit {
            continue;
        }
        let (size, units) = (text::bytes(served.bytes), text::units(served.milli_halves()));
        let requests = limit * MILLI_HALVES / served.milli_halves().max(1);
        found
            .add(Severity::Warning, pattern.name.span, format!("items of {size} cost {units} units a read: one key gives {requests} reads a second"))
            .under(format!("{} asked of one key at peak", text::rate(pattern.peak_micro() / ALL_PPM * share)))
            .number("itemBytes", served.bytes)
            .number("readsPerSecondOfOneKey", requests)
            .fix("make the item smaller, read eventually consistent, cache it, or shard the key")
            .pattern(at);
    }
}

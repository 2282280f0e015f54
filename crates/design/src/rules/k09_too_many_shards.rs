//! # K09 too-many-shards
//!
//! A key has many more shards than it needs, and every listing asks each of them.
//!
//! Severity: info.
//!
//! Why: a listing of N shards is N queries, each at least half a unit, and as slow as the slowest.
//!
//! Numbers: more than ten times what is needed. Needed are the peak's units / 1,000, rounded up.
//!
//! Fix: needed x 2. Old items stay readable when the number grows, so begin small.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Events: { keys: [PK, SK] } }
//! variables: { shard: { distinct: 100, shard: yes } }
//! entities: { Event: { keys: { PK: "EVENTS#<date>#<shard>", SK: "<eventId>" } } }
//! patterns:
//!   record: { put: Event, rate: 50/s }
//!   of a day: { query: Events, key: "EVENTS#<date>#<shard>", gather: shard, items: 1000, rate: 1/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Events: { keys: [PK, SK] } }
//! variables: { shard: { distinct: 2, shard: yes } }
//! entities: { Event: { keys: { PK: "EVENTS#<date>#<shard>", SK: "<eventId>" } } }
//! patterns:
//!   record: { put: Event, rate: 50/s }
//!   of a day: { query: Events, key: "EVENTS#<date>#<shard>", gather: shard, items: 1000, rate: 1/s }
//! ```
//! Source: our rule; the shard function of one author's guide has ten.
//!
//! Needs: a design file. Marks: S3, I.

use dynamometer_capacity::admission::Dimension;

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};
use crate::load::partition_limit;

pub(super) const RULE: Rule =
    Rule::of_design("K09", "too-many-shards", "S3, I", include_str!("k09_too_many_shards.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, _, read) in context.reads() {
        let (Some(served), Some(gather)) = (context.served(at), &read.gather) else { continue };
        let heat = context.load.heat.iter().find(|heat| heat.patterns.contains(&at) && heat.target == context.design.capacity_of(read.target));
        let writes = heat.map_or(0, |heat| heat.peak_milli.write);
        let needed = writes.div_ceil(partition_limit(Dimension::Write) * 1_000).max(1);
        if served.requests <= needed * 10 {
            continue;
        }
        found
            .add(Severity::Info, gather.span, format!("a listing is {} queries, and {} would do", served.requests, text::plural(needed as usize, "shard")))
            .under(format!("{} write units/s at peak", text::milli(writes)))
            .number("shards", served.requests)
            .number("needed", needed)
            .fix(format!("{} shards leave twice what is needed", needed * 2))
            .pattern(at);
    }
}

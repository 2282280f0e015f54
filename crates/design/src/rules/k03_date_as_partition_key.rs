//! # K03 date-as-partition-key
//!
//! A partition key is a day, an hour or a month, so that all writes of now go to one key.
//!
//! Severity: warning.
//!
//! Why: today's key takes everything and yesterday's nothing. The table's throughput grows, that of one key does not.
//!
//! Numbers: the peak of the writes on it; all of them are on one key.
//!
//! Fix: a key with many values (an id), or `<date>#<shard>` with enough shards.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Events: { keys: [PK, SK] } }
//! entities: { Event: { keys: { PK: "DATE#<date>", SK: "EVENT#<eventId>" } } }
//! patterns:
//!   record: { put: Event, rate: 20/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Events: { keys: [PK, SK] } }
//! variables: { shard: { distinct: 10, shard: yes } }
//! entities: { Event: { keys: { PK: "EVENTS#<date>#<shard>", SK: "EVENT#<eventId>" } } }
//! patterns:
//!   record: { put: Event, rate: 20/s }
//! ```
//! Source: AWS, Developer Guide 2026, "Designing partition keys"; an author's table with `DATE#2024-01-15`, throttled each day.
//!
//! Needs: a design file. Marks: D, S2, S3.

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};
use crate::model::VariableType;

pub(super) const RULE: Rule =
    Rule::of_design("K03", "date-as-partition-key", "D, S2, S3", include_str!("k03_date_as_partition_key.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for heat in context.load.heat.iter().filter(|heat| heat.peak_milli.write > 0) {
        let kind = |name: &str| context.derived.kind(name);
        let dates = heat.template.variables().filter(|name| kind(name) == VariableType::Date).count();
        let spreads = |name: &str| kind(name) != VariableType::Date && context.derived.distinct(name).is_none_or(|count| count > 1);
        if dates == 0 || heat.template.variables().any(spreads) {
            continue;
        }
        let writes = text::milli(heat.peak_milli.write);
        let message = format!("all writes of now go to one {} key: {writes} units/s at peak", context.name(heat.target));
        found
            .add(Severity::Warning, heat.span, message)
            .under("the same for everything that is written today")
            .number("writeUnitsPerSecond", writes)
            .fix(format!("lead with an id, or spread it: {}#<shard>", heat.template))
            .patterns(&heat.patterns);
    }
}

//! # K06 monotonic-sort-key
//!
//! A hot partition key has sort keys that only grow, so that splitting it does not help.
//!
//! Severity: warning.
//!
//! Why: DynamoDB splits a hot key between sort keys. When every write is behind the last one, all of them stay in one half.
//!
//! Numbers: the hottest key takes more than 80 % of a partition's 1,000 write units, and the sort key is a time or a sequence.
//!
//! Fix: shard the partition key, and keep the order inside of each shard.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Log: { keys: [PK, SK] } }
//! variables: { device: { distinct: 10 } }
//! entities: { Line: { keys: { PK: "DEVICE#<device>", SK: "<timestamp>" } } }
//! patterns:
//!   record: { put: Line, rate: 5000/s, peak: 9000/s, condition: attribute_not_exists(PK) }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Log: { keys: [PK, SK] } }
//! variables: { device: { distinct: 10 }, shard: { distinct: 20, shard: yes } }
//! entities: { Line: { keys: { PK: "DEVICE#<device>#<shard>", SK: "<timestamp>" } } }
//! patterns:
//!   record: { put: Line, rate: 5000/s, peak: 9000/s, condition: attribute_not_exists(PK) }
//! ```
//! Source: AWS Database Blog, "Scaling DynamoDB: how partitions, hot keys, and split for heat impact performance", part 3.
//!
//! Needs: a design file. Marks: D.

use dynamometer_capacity::admission::Dimension;
use dynamometer_capacity::quantity::percent_text;

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::model::{Spanned, VariableType};
use crate::template::Template;

pub(super) const RULE: Rule =
    Rule::of_design("K06", "monotonic-sort-key", "D", include_str!("k06_monotonic_sort_key.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for heat in context.load.heat.iter().filter(|heat| heat.of_limit_ppm(Dimension::Write) >= 800_000) {
        let keys = context.design.keys(heat.target);
        let grows = |sort: &Spanned<Template>| {
            let first = sort.variables().next();
            first.is_some_and(|name| matches!(context.derived.kind(name), VariableType::Timestamp | VariableType::Sequence))
        };
        let sort = context
            .design
            .entities_of(heat.target.table)
            .filter(|(_, entity)| entity.partition(keys).is_some_and(|key| key.value == heat.template))
            .find_map(|(_, entity)| entity.sort(keys).filter(|sort| grows(sort)));
        let Some(sort) = sort else { continue };
        let share = percent_text(heat.of_limit_ppm(Dimension::Write), 0);
        found
            .add(Severity::Warning, sort.span, format!("sort keys only grow under a key at {share} of a partition's limit"))
            .under("each is behind the last, so a split for heat does not help")
            .also(heat.span, "the hot partition key")
            .number("ofLimit", share)
            .fix(format!("shard the partition key into {}, and keep the order inside of a shard", heat.shards()))
            .patterns(&heat.patterns);
    }
}

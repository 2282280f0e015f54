//! # K01 hot-key
//!
//! A partition key, of a table or of an index, is asked for more than one partition serves.
//!
//! Severity: error at the limit, warning from 80 % of it.
//!
//! Why: a partition serves 3,000 read units and 1,000 write units a second, whatever the table has. DynamoDB moves hot keys
//! apart by itself, but one key is at most one partition. An index that cannot take its writes throttles the table's.
//!
//! Numbers: peak rate x units a call x share on the hottest key, over all patterns that ask for that kind of key. The share is
//! what `hottest` says, or `largest` of the variable, or even over `distinct`; of items that are there at least 1 / `count`.
//!
//! Fix: shard the key (shards = what it takes / the limit, rounded up, x 2), cache, or make items smaller.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Votes: { keys: [PK, SK] } }
//! entities: { Vote: { keys: { PK: "CANDIDATE#<candidate>", SK: "VOTE#<voteId>" } } }
//! patterns:
//!   vote: { put: Vote, rate: 800/s, peak: 2000/s, hottest: 60% }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Votes: { keys: [PK, SK] } }
//! variables: { shard: { distinct: 10, shard: yes }, candidate: { distinct: 100, largest: 60% } }
//! entities: { Vote: { keys: { PK: "CANDIDATE#<candidate>#<shard>", SK: "VOTE#<voteId>" } } }
//! patterns:
//!   vote: { put: Vote, rate: 800/s, peak: 2000/s }
//! ```
//! Source: AWS, Developer Guide 2026, "Designing partition keys" and "Write sharding".
//!
//! Needs: a design file. Marks: D, S3.

use dynamometer_capacity::quantity;
use dynamometer_capacity::admission::Dimension;
use dynamometer_capacity::quantity::percent_text;

use super::{Rule, dimension_word};
use crate::text;
use crate::check::{Context, Findings, Severity};
use crate::derive::ALL_PPM;
use crate::load::partition_limit;

pub(super) const RULE: Rule =
    Rule::of_design("K01", "hot-key", "D, S3", include_str!("k01_hot_key.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for heat in &context.load.heat {
        for dimension in Dimension::BOTH {
            let share = heat.of_limit_ppm(dimension);
            if share < 800_000 {
                continue;
            }
            let (word, limit) = (dimension_word(dimension), partition_limit(dimension));
            let units = text::milli(heat.hottest_milli[dimension]);
            let limit = quantity::thousands(&limit.to_string());
            let message = format!(
                "one {} key takes {units} {word} units/s at peak, {} of what a partition serves",
                context.name(heat.target),
                percent_text(share, 0)
            );
            let severity = if share >= ALL_PPM { Severity::Error } else { Severity::Warning };
            let shards = heat.shards();
            found
                .add(severity, heat.span, message)
                .under(format!("{units} of {limit} {word} units/s on its hottest value"))
                .number("unitsPerSecond", units)
                .number("limit", limit)
                .number("shards", shards)
                .fix(format!("spread it over {shards} shards: {}#<shard>; or cache it, or make its items smaller", heat.template))
                .patterns(&heat.patterns);
        }
    }
}

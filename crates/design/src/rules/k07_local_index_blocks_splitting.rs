//! # K07 local-index-blocks-splitting
//!
//! A table with a local index has a hot key, and an item collection of such a table is never split.
//!
//! Severity: error.
//!
//! Why: a local index needs all items of a partition key in one partition, so neither heat nor size can move them apart.
//!
//! Numbers: the hottest key takes more than 80 % of a partition's limit.
//!
//! Fix: a global index instead. A local one exists from the creation of its table, so this means a new table.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables:
//!   Feed: { keys: [PK, SK], indexes: { byLikes: { keys: [PK, likes], local: yes } } }
//! entities: { Post: { keys: { PK: "FEED#<feed>", SK: "POST#<postId>", likes: "<likes>" } } }
//! patterns:
//!   post: { put: Post, rate: 500/s, peak: 900/s, hottest: 100% }
//!   top: { query: byLikes, key: "FEED#<feed>", limit: 10, rate: 5/s, hottest: 1% }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables:
//!   Feed: { keys: [PK, SK], indexes: { byLikes: { keys: [feedId, likes] } } }
//! variables: { shard: { distinct: 4, shard: yes } }
//! entities:
//!   Post: { keys: { PK: "FEED#<feed>#<shard>", SK: "POST#<postId>", feedId: "FEED#<feed>#<shard>", likes: "<likes>" } }
//! patterns:
//!   post: { put: Post, rate: 500/s, peak: 900/s, hottest: 25% }
//!   top: { query: byLikes, key: "FEED#<feed>#<shard>", gather: shard, limit: 10, rate: 5/s, hottest: 1% }
//! ```
//! Source: AWS, Developer Guide 2026, "Local secondary indexes" and "Burst and adaptive capacity".
//!
//! Needs: a design file. Marks: D.

use dynamometer_capacity::quantity::percent_text;

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("K07", "local-index-blocks-splitting", "D", include_str!("k07_local_index_blocks_splitting.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for heat in context.load.heat.iter().filter(|heat| heat.target.index.is_none()) {
        let local = context.design.tables[heat.target.table].indexes.iter().find(|index| index.local);
        let share = heat.of_limit_ppm(heat.worse());
        let Some(local) = local.filter(|_| share >= 800_000) else { continue };
        found
            .add(Severity::Error, local.name.span, format!("{} is local, so a key at {} of a partition's limit cannot be split", *local.name, percent_text(share, 0)))
            .under("keeps every item of a partition key in one partition")
            .also(heat.span, "the hot partition key")
            .number("ofLimit", percent_text(share, 0))
            .fix("make it a global index: a new table, for a local index cannot be dropped")
            .patterns(&heat.patterns);
    }
}

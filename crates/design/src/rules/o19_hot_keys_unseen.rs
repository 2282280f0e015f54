//! # O19 hot-keys-unseen
//!
//! A table with a hot key does not list its hottest keys.
//!
//! Severity: info.
//!
//! Why: metrics say that it throttles, and only Contributor Insights say which key.
//!
//! Numbers: the hottest key takes more than 80 % of a partition's limit.
//!
//! Fix: `contributor-insights: yes`; the mode for throttled keys alone is cheap.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Votes: { keys: [PK, SK] } }
//! entities: { Vote: { keys: { PK: "CANDIDATE#<candidate>", SK: "<voteId>" } } }
//! patterns:
//!   vote: { put: Vote, rate: 900/s, peak: 1900/s, hottest: 50% }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Votes: { keys: [PK, SK], contributor-insights: yes } }
//! entities: { Vote: { keys: { PK: "CANDIDATE#<candidate>", SK: "<voteId>" } } }
//! patterns:
//!   vote: { put: Vote, rate: 900/s, peak: 1900/s, hottest: 50% }
//! ```
//! Source: AWS, Developer Guide 2026, "CloudWatch Contributor Insights for DynamoDB".
//!
//! Needs: a design file. Marks: D.

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("O19", "hot-keys-unseen", "D", include_str!("o19_hot_keys_unseen.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, table) in context.design.tables.iter().enumerate() {
        let hot = context.load.heat.iter().find(|heat| heat.target.table == at && heat.of_limit_ppm(heat.worse()) >= 800_000);
        let Some(hot) = hot.filter(|_| !table.contributor_insights.as_ref().is_some_and(|on| on.value)) else { continue };
        found
            .add(Severity::Info, table.name.span, format!("{} has a hot key, and does not list its hottest", *table.name))
            .also(hot.span, "the hot key")
            .fix("contributor-insights: yes");
    }
}

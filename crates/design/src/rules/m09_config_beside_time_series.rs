//! # M09 config-beside-time-series
//!
//! Settings that are read and records that pile up share a table.
//!
//! Severity: info.
//!
//! Why: they want other backups, other classes, other capacity modes and another TTL, and a table has one of each.
//!
//! Numbers: an entity that is put 100 times a second and more and expires, beside one that is read ten times as often as written and
//! does not.
//!
//! Fix: two tables: one for what is configured, one for what happens.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, SK], ttl: ttl } }
//! entities:
//!   Settings: { keys: { PK: "USER#<userId>", SK: SETTINGS } }
//!   Reading: { keys: { PK: "DEVICE#<device>", SK: "<timestamp>#<id>" }, expires-after: 30d }
//! patterns:
//!   record: { put: Reading, rate: 200/s }
//!   settings: { get: Settings, rate: 100/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Control: { keys: [PK, SK] }, Data: { keys: [PK, SK], ttl: ttl } }
//! entities:
//!   Settings: { table: Control, keys: { PK: "USER#<userId>", SK: SETTINGS } }
//!   Reading: { table: Data, keys: { PK: "DEVICE#<device>", SK: "<timestamp>#<id>" }, expires-after: 30d }
//! patterns:
//!   record: { put: Reading, rate: 200/s }
//!   settings: { get: Settings, rate: 100/s }
//! ```
//! Source: one author's two tables.
//!
//! Needs: a design file. Marks: S1.

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::model::Entity;

pub(super) const RULE: Rule =
    Rule::of_design("M09", "config-beside-time-series", "S1", include_str!("m09_config_beside_time_series.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    let rates = |entity: usize| {
        let writes: u64 = context.writes_of(entity).iter().map(|(_, pattern, ..)| pattern.average_micro()).sum();
        let reads = context.reads().filter(|(at, ..)| context.served(*at).is_some_and(|served| served.entities.contains(&entity)));
        (reads.map(|(_, pattern, _)| pattern.average_micro()).sum::<u64>(), writes)
    };
    for (at, table) in context.design.tables.iter().enumerate() {
        let entities: Vec<(usize, &Entity)> = context.design.entities_of(at).collect();
        let passing = entities.iter().find(|(at, entity)| entity.expires_after.is_some() && rates(*at).1 >= 100_000_000);
        let lasting = entities.iter().find(|(at, entity)| {
            let (reads, writes) = rates(*at);
            entity.expires_after.is_none() && reads > 0 && reads >= writes.saturating_mul(10)
        });
        let (Some((_, passing)), Some((_, lasting))) = (passing, lasting) else { continue };
        found
            .add(Severity::Info, table.name.span, format!("{} holds what happens ({}) and what is configured ({})", *table.name, *passing.name, *lasting.name))
            .under("they want other backups, classes and modes")
            .also(passing.name.span, "written often, and expires")
            .also(lasting.name.span, "read often, and stays")
            .fix("two tables; dyno design new --two-table begins one");
    }
}

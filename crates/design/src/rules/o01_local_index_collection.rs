//! # O01 local-index-collection
//!
//! A table with a local index may collect more than 10 GB under one partition key.
//!
//! Severity: warning from 8 GB on, error from 10 GB on.
//!
//! Why: with a local index an item collection cannot leave its partition. At 10 GB writes are refused with
//! ItemCollectionSizeLimitExceededException.
//!
//! Numbers: an entity's items under one key x their size, local index entries included. Entities that share a key are not added up.
//!
//! Fix: no local index, or a key with a time bucket in it.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Mail: { keys: [PK, SK], indexes: { byDate: { keys: [PK, date], local: yes } } } }
//! variables: { tenant: { distinct: 100 } }
//! entities:
//!   Message: { keys: { PK: "TENANT#<tenant>", SK: "<messageId>", date: "<sentDate>" }, size: 10KB, count: 100M }
//! patterns:
//!   by date: { query: byDate, key: "TENANT#<tenant>", limit: 50, rate: 5/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Mail: { keys: [PK, SK], indexes: { byDate: { keys: [tenantKey, date] } } } }
//! variables: { tenant: { distinct: 100 } }
//! entities:
//!   Message: { keys: { PK: "TENANT#<tenant>", SK: "<messageId>", tenantKey: "<tenant>", date: "<sentDate>" }, size: 10KB, count: 100M }
//! patterns:
//!   by date: { query: byDate, key: "<tenant>", limit: 50, rate: 5/s }
//! ```
//! Source: AWS, Developer Guide 2026, "Item collections".
//!
//! Needs: a design file. Marks: D.

use dynamometer_types::limits::ITEM_COLLECTION_BYTES;

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};
use crate::model::Target;

pub(super) const RULE: Rule =
    Rule::of_design("O01", "local-index-collection", "D", include_str!("o01_local_index_collection.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, table) in context.design.tables.iter().enumerate() {
        let Some(local) = table.indexes.iter().find(|index| index.local) else { continue };
        for (_, entity) in context.design.entities_of(at) {
            let Some(items) = context.derived.items_per_key(entity, &table.keys) else { continue };
            let entries: u64 = (0..table.indexes.len())
                .map(|index| Target::index(at, index))
                .filter(|target| context.design.index(*target).is_some_and(|index| index.local))
                .map(|target| context.derived.entry_bytes(entity, target))
                .sum();
            let bytes = items.saturating_mul(*entity.size_bytes + entries);
            let severity = match bytes {
                ITEM_COLLECTION_BYTES.. => Severity::Error,
                bytes if bytes >= ITEM_COLLECTION_BYTES / 10 * 8 => Severity::Warning,
                _ => continue,
            };
            found
                .add(severity, entity.name.span, format!("{} of {} are under one partition key, and 10 GB is the limit", text::bytes(bytes), *entity.name))
                .under(format!("{} items a key", text::count(items)))
                .also(local.name.span, "keeps them in one partition")
                .number("bytes", bytes)
                .number("itemsPerKey", items)
                .fix("no local index, or a key with a time bucket in it");
        }
    }
}

//! # O01 local-index-collection
//!
//! A table with a local index may collect more than 10 GB under one partition key.
//!
//! Severity: warning from 8 GB on, error from 10 GB on.
//!
//! Why: with a local index an item collection cannot leave its partition. At 10 GB writes are refused with
//! ItemCollectionSizeLimitExceededException.
//!
//! Numbers: items under one key x their size, local index entries included; entities whose keys are alike share a collection, and
//! are added up.
//!
//! Fix: no local index, or a key with a time bucket in it.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Mail: { keys: [PK, SK], indexes: { byDate: { keys: [PK, date], local: yes } } } }
//! variables: { tenant: { distinct: 100 } }
//! entities:
//!   Message: { keys: { PK: "TENANT#<tenant>", SK: "MESSAGE#<messageId>", date: "<sentDate>" }, size: 10KB, count: 30M }
//!   File: { keys: { PK: "TENANT#<tenant>", SK: "FILE#<fileId>" }, size: 10KB, count: 60M }
//! patterns:
//!   by date: { query: byDate, key: "TENANT#<tenant>", limit: 50, rate: 5/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Mail: { keys: [PK, SK], indexes: { byDate: { keys: [tenantKey, date] } } } }
//! variables: { tenant: { distinct: 100 } }
//! entities:
//!   Message: { keys: { PK: "TENANT#<tenant>", SK: "MESSAGE#<messageId>", tenantKey: "<tenant>", date: "<sentDate>" }, size: 10KB, count: 30M }
//!   File: { keys: { PK: "TENANT#<tenant>", SK: "FILE#<fileId>" }, size: 10KB, count: 60M }
//! patterns:
//!   by date: { query: byDate, key: "<tenant>", limit: 50, rate: 5/s }
//! ```
//! Source: AWS, Developer Guide 2026, "Item collections".
//!
//! Needs: a design file. Marks: D.

use dynamometer_types::limits::ITEM_COLLECTION_BYTES;

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::derive::ALL_PPM;
use crate::model::{Entity, Target};
use crate::template::Template;
use crate::text;

pub(super) const RULE: Rule =
    Rule::of_design("O01", "local-index-collection", "D", include_str!("o01_local_index_collection.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, table) in context.design.tables.iter().enumerate() {
        let Some(local) = table.indexes.iter().find(|index| index.local) else { continue };
        for Collection { shares, .. } in collections(context, at) {
            let bytes = shares.iter().fold(0_u64, |sum, share| sum.saturating_add(share.bytes));
            let severity = match bytes {
                ITEM_COLLECTION_BYTES.. => Severity::Error,
                bytes if bytes >= ITEM_COLLECTION_BYTES / 10 * 8 => Severity::Warning,
                _ => continue,
            };
            let Some(largest) = shares.iter().max_by_key(|share| share.bytes) else { continue };
            let names: Vec<&str> = shares.iter().map(|share| share.entity.name.as_str()).collect();
            found
                .add(severity, largest.entity.name.span, format!("{} of {} are under one partition key, and 10 GB is the limit", text::bytes(bytes), names.join(", ")))
                .under(format!("{} items a key", text::count(largest.items)))
                .also(local.name.span, "keeps them in one partition")
                .number("bytes", bytes)
                .number("itemsPerKey", largest.items)
                .fix("no local index, or a key with a time bucket in it");
        }
    }
}

/// The items of all entities whose partition keys are alike.
struct Collection<'a> {
    key: Template,
    shares: Vec<Share<'a>>,
}

/// What an entity has in a collection.
struct Share<'a> {
    entity: &'a Entity,
    items: u64,
    /// Of items and of entries in local indexes.
    bytes: u64,
}

fn collections<'a>(context: &Context<'a>, table: usize) -> Vec<Collection<'a>> {
    let of = &context.design.tables[table];
    let mut collections: Vec<Collection<'a>> = Vec::new();
    for (_, entity) in context.design.entities_of(table) {
        let known = entity.partition(&of.keys).zip(context.derived.items_per_key(entity, &of.keys));
        let Some((key, items)) = known else { continue };
        let local = of.indexes.iter().enumerate().filter(|(_, index)| index.local);
        let entries = local.map(|(at, index)| {
            let bytes = context.derived.entry_bytes(entity, Target::index(table, at));
            bytes.saturating_mul(entity.present_ppm(&index.keys)) / ALL_PPM
        });
        let bytes = items.saturating_mul(entity.size_bytes.value.saturating_add(entries.sum()));
        let share = Share { entity, items, bytes };
        match collections.iter_mut().find(|collection| collection.key == key.value) {
            Some(collection) => collection.shares.push(share),
            None => collections.push(Collection { key: key.value, shares: vec![share] }),
        }
    }
    collections
}

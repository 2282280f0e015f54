//! # K10 key-too-long
//!
//! A key value, or the name of a key attribute, is longer than DynamoDB takes.
//!
//! Severity: error.
//!
//! Why: the call is refused with ValidationException.
//!
//! Numbers: 2,048 bytes for a partition key, 1,024 for a sort key, 255 for the names of key and projected attributes. Sizes of
//! variables are what `size` says.
//!
//! Fix: shorten it, or put a hash of the long part into the key.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Pages: { keys: [PK, SK] } }
//! variables: { url: { size: 2KB } }
//! entities: { Page: { keys: { PK: "SITE#<site>", SK: "URL#<url>" } } }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Pages: { keys: [PK, SK] } }
//! variables: { urlHash: { size: 44B } }
//! entities: { Page: { keys: { PK: "SITE#<site>", SK: "URL#<urlHash>" } } }
//! ```
//! Source: AWS, Developer Guide 2026, "Service, account, and table quotas".
//!
//! Needs: a design file. Marks: D.

use dynamometer_types::limits::{PARTITION_KEY_BYTES, SORT_KEY_BYTES};

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::model::Projection;

pub(super) const RULE: Rule =
    Rule::of_design("K10", "key-too-long", "D", include_str!("k10_key_too_long.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for target in context.design.targets() {
        let keys = context.design.keys(target);
        let table = &context.design.tables[target.table];
        let span = target.index.map_or(table.keys_span, |index| table.indexes[index].name.span);
        for attribute in keys.attributes().filter(|attribute| attribute.name.len() > 255) {
            let message = format!("the name of a key attribute has {} bytes, and may have 255", attribute.name.len());
            found.add(Severity::Error, span, message).number("bytes", attribute.name.len()).fix("choose a shorter name");
        }
        let index = context.design.index(target);
        if let Some((index, Projection::Include(names))) = index.map(|index| (index, &index.projection)) {
            for name in names.iter().filter(|name| name.len() > 255) {
                let message = format!("the name of a projected attribute has {} bytes, and may have 255", name.len());
                found.add(Severity::Error, index.projection_span, message).number("bytes", name.len()).fix("choose a shorter name");
            }
        }
        let limits = keys.partition.iter().map(|key| (key, PARTITION_KEY_BYTES as u64)).chain(keys.sort.iter().map(|key| (key, SORT_KEY_BYTES as u64)));
        for (attribute, limit) in limits {
            for (_, entity) in context.design.entities_of(target.table) {
                let Some(key) = entity.key(&attribute.name) else { continue };
                let bytes = context.derived.key_bytes(&key.template);
                if bytes <= limit {
                    continue;
                }
                found
                    .add(Severity::Error, key.template.span, format!("a value of {} has {} bytes, and may have {}", attribute.name, bytes, limit))
                    .under(format!("in {}", context.name(target)))
                    .number("bytes", bytes)
                    .number("limit", limit)
                    .fix("shorten it, or put a hash of the long part into the key");
            }
        }
    }
}

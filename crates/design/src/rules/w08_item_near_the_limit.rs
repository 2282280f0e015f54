//! # W08 item-near-the-limit
//!
//! Items come near to 400 KB, or go beyond.
//!
//! Severity: warning above 300 KB, error above 400 KB.
//!
//! Why: beyond it the write is refused, usually for the best customer first. And a write of 300 KB costs 300 units.
//!
//! Numbers: the largest size that the entity states (names of attributes count too).
//!
//! Fix: keep the large part in S3 with a pointer here, compress it, or split the item.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Docs: { keys: [PK] } }
//! entities: { Doc: { keys: { PK: "<docId>" }, size: { typical: 20KB, largest: 500KB } } }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Docs: { keys: [PK] } }
//! entities: { Doc: { keys: { PK: "<docId>" }, size: { typical: 1KB, largest: 4KB }, attributes: [s3Key] } }
//! ```
//! Source: AWS, Developer Guide 2026, "Best practices for storing large items".
//!
//! Needs: a design file. Marks: D, S2.

use dynamometer_capacity::meter::meter_item_write;
use dynamometer_types::limits::ITEM_BYTES;

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("W08", "item-near-the-limit", "D, S2", include_str!("w08_item_near_the_limit.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for entity in &context.design.entities {
        let largest = entity.largest_bytes.as_ref().unwrap_or(&entity.size_bytes);
        let severity = match largest.value {
            size if size > ITEM_BYTES => Severity::Error,
            size if size > 300 * 1_024 => Severity::Warning,
            _ => continue,
        };
        let writes: Vec<usize> = context.writes().filter(|(.., write)| {
            write.members.iter().any(|member| *context.design.entities[member.entity.value].name == *entity.name)
        }).map(|(at, ..)| at).collect();
        found
            .add(severity, largest.span, format!("an item of {} has {}, and 400 KB is the limit", *entity.name, text::bytes(**largest)))
            .under(format!("a write of it costs {} units", meter_item_write(None, Some(**largest), false)))
            .number("bytes", **largest)
            .fix("keep the large part in S3 with a pointer here, compress it, or split the item")
            .patterns(&writes);
    }
}

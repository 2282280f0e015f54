//! # W14 long-attribute-names
//!
//! The names of attributes are a large part of the item.
//!
//! Severity: info.
//!
//! Why: names are stored, read and paid with every item.
//!
//! Numbers: bytes of all names beside the item's size; above 30 %.
//!
//! Fix: shorter names for entities with many small items (`createdAt` to `ca`), or several values in one attribute.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK] } }
//! entities:
//!   Reading: { keys: { PK: "<id>" }, attributes: [temperatureInCelsius, relativeHumidityInPercent, measuredAtTimestamp], size: 120B }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK] } }
//! entities:
//!   Reading: { keys: { PK: "<id>" }, attributes: [t, h, at], size: 60B }
//! ```
//! Source: one author's guide; the threshold is ours.
//!
//! Needs: a design file. Marks: S3.

use dynamometer_capacity::quantity::percent_text;

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::derive::ALL_PPM;

pub(super) const RULE: Rule =
    Rule::of_design("W14", "long-attribute-names", "S3", include_str!("w14_long_attribute_names.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for entity in &context.design.entities {
        let keys = entity.keys.iter().map(|key| key.attribute.len() as u64);
        let names: u64 = keys.chain(entity.attributes.iter().map(|attribute| attribute.name.len() as u64)).sum();
        let share = names * ALL_PPM / (*entity.size_bytes).max(1);
        if share <= 300_000 {
            continue;
        }
        found
            .add(Severity::Info, entity.name.span, format!("names are {} of an item of {}: {names} of {} bytes", percent_text(share.min(ALL_PPM), 0), *entity.name, *entity.size_bytes))
            .under("stored and paid with every item")
            .number("nameBytes", names)
            .number("itemBytes", *entity.size_bytes)
            .fix("shorter names, if there are many of these items");
    }
}

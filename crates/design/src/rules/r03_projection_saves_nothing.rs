//! # R03 projection-saves-nothing
//!
//! Large items are read for a few of their attributes.
//!
//! Severity: info.
//!
//! Why: a projection expression saves bytes on the network and no units: the whole item is paid for.
//!
//! Numbers: items above 4 KB, of which the caller needs less than half.
//!
//! Fix: keep the large part in an item of its own, or read an index that projects only what is needed.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { Docs: { keys: [PK] } }
//! entities: { Doc: { keys: { PK: "DOC#<docId>" }, attributes: { title: "S 80B", body: "S 39KB" }, size: 40KB } }
//! patterns:
//!   title: { get: Doc, attributes: [title], rate: 10/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { Docs: { keys: [PK, SK] } }
//! entities:
//!   Head: { keys: { PK: "DOC#<docId>", SK: HEAD }, attributes: { EntityType: "S 4B", title: "S 80B" }, size: 200B }
//!   Body: { keys: { PK: "DOC#<docId>", SK: BODY }, attributes: { EntityType: "S 4B", body: "S 39KB" }, size: 40KB }
//! patterns:
//!   title: { get: Head, attributes: [title], rate: 10/s }
//! ```
//! Source: AWS, Developer Guide 2026, "Read and write operations".
//!
//! Needs: a design file. Marks: S3, D.

use dynamometer_capacity::meter::READ_BLOCK_BYTES;

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("R03", "projection-saves-nothing", "S3, D", include_str!("r03_projection_saves_nothing.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for (at, _, read) in context.reads() {
        let (Some(attributes), Some(served)) = (&read.attributes, context.served(at)) else { continue };
        for entity in served.entities.iter().map(|entity| &context.design.entities[*entity]) {
            let size = context.derived.entry_bytes(entity, read.target);
            let needed: u64 = attributes.iter().map(|name| context.derived.attribute_bytes(entity, name)).sum();
            if size <= READ_BLOCK_BYTES || needed == 0 || needed * 2 >= size {
                continue;
            }
            found
                .add(Severity::Info, attributes.span, format!("{} of {} are needed, and all of it is paid for", text::bytes(needed), text::bytes(size)))
                .under("a projection saves no units")
                .number("neededBytes", needed)
                .number("itemBytes", size)
                .fix("keep the large part in an item of its own, or read an index that holds only what is needed")
                .pattern(at);
        }
    }
}

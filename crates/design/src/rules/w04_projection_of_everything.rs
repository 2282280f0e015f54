//! # W04 projection-of-everything
//!
//! An index holds all attributes, and its patterns need less than half of the bytes.
//!
//! Severity: warning.
//!
//! Why: each change of any attribute is written to the index too, and stored again.
//!
//! Numbers: bytes of the attributes that the patterns of the index need, beside those of the item. Only where every pattern says its
//! `attributes`.
//!
//! Fix: `projection: keys-only`, or a list. At most 100 listed attributes over all indexes of a table.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], indexes: { byEmail: { keys: [email] } } } }
//! entities: { User: { keys: { PK: "<userId>", email: "<email>" }, attributes: { name: "S 30B", bio: "S 1500B" }, size: 1600B } }
//! patterns:
//!   log in: { query: byEmail, key: "<email>", items: 1, attributes: [PK, name], rate: 1/s }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], indexes: { byEmail: { keys: [email], projection: [name] } } } }
//! entities: { User: { keys: { PK: "<userId>", email: "<email>" }, attributes: { name: "S 30B", bio: "S 1500B" }, size: 1600B } }
//! patterns:
//!   log in: { query: byEmail, key: "<email>", items: 1, attributes: [PK, name], rate: 1/s }
//! ```
//! Source: AWS, Developer Guide 2026, "General guidelines for secondary indexes".
//!
//! Needs: a design file. Marks: S3, D.

use super::Rule;
use crate::text;
use crate::check::{Context, Findings, Severity};
use crate::model::Projection;

pub(super) const RULE: Rule =
    Rule::of_design("W04", "projection-of-everything", "S3, D", include_str!("w04_projection_of_everything.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for target in context.design.targets() {
        let Some(index) = context.design.index(target).filter(|index| index.projection == Projection::All) else { continue };
        let reads: Vec<_> = context.reads().filter(|(.., read)| read.target == target).collect();
        if reads.is_empty() || reads.iter().any(|(.., read)| read.attributes.is_none()) {
            continue;
        }
        let mut names: Vec<&str> = reads.iter().flat_map(|(.., read)| read.attributes.iter().flat_map(|list| list.iter())).map(String::as_str).collect();
        names.extend(context.design.keys(target).attributes().map(|attribute| attribute.name.as_str()));
        names.sort_unstable();
        names.dedup();
        let entities = context.design.entities_of(target.table).filter(|(_, entity)| entity.present_ppm(&index.keys) > 0);
        let (needed, whole) = entities.fold((0, 0), |(needed, whole), (_, entity)| {
            let bytes: u64 = names.iter().map(|name| context.derived.attribute_bytes(entity, name)).sum();
            (needed + bytes, whole + *entity.size_bytes)
        });
        if whole == 0 || needed * 2 >= whole {
            continue;
        }
        found
            .add(Severity::Warning, index.projection_span, format!("{} holds {}, of which its patterns need {}", *index.name, text::bytes(whole), text::bytes(needed)))
            .under("every change of any attribute is written here too")
            .number("neededBytes", needed)
            .number("entryBytes", whole)
            .fix("projection: a list of what the patterns need, or keys-only")
            .patterns(&reads.iter().map(|(at, ..)| *at).collect::<Vec<_>>());
    }
}

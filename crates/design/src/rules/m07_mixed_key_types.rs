//! # M07 mixed-key-types
//!
//! A key attribute has another type than the table or index says.
//!
//! Severity: error.
//!
//! Why: the write is refused; for an index key, the item is refused too.
//!
//! Numbers: none; a key of type N with letters in its template, or an attribute that is declared with another type.
//!
//! Fix: one type for all entities.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, "SK N"] } }
//! entities: { Item: { keys: { PK: "<id>", SK: "ITEM#<number>" } } }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK, "SK N"] } }
//! entities: { Item: { keys: { PK: "<id>", SK: "<number>" } } }
//! ```
//! Source: AWS, API Reference 2026, PutItem: ValidationException.
//!
//! Needs: a design file. Marks: D.

use dynamometer_types::Number;

use super::Rule;
use crate::check::{Context, Findings, Severity};
use crate::template::Part;

pub(super) const RULE: Rule =
    Rule::of_design("M07", "mixed-key-types", "D", include_str!("m07_mixed_key_types.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for entity in &context.design.entities {
        let table = &context.design.tables[entity.table];
        let schemas = std::iter::once(&table.keys).chain(table.indexes.iter().map(|index| &index.keys));
        let mut seen: Vec<&str> = Vec::new();
        for attribute in schemas.flat_map(|keys| keys.attributes()) {
            if seen.contains(&attribute.name.as_str()) {
                continue;
            }
            seen.push(&attribute.name);
            let wanted = attribute.scalar_type.name();
            if let Some(key) = entity.key(&attribute.name).filter(|_| wanted == "N") {
                let is_number = match key.template.parts() {
                    [Part::Variable(_)] => true,
                    [Part::Literal(text)] => text.parse::<Number>().is_ok(),
                    _ => false,
                };
                if !is_number {
                    found
                        .add(Severity::Error, key.template.span, format!("{} is a number, and {} writes a text", attribute.name, *entity.name))
                        .fix(format!("a single variable, or make {} a string", attribute.name));
                }
            }
            let declared = entity.attributes.iter().find(|declared| *declared.name == attribute.name);
            if let Some(declared) = declared.filter(|declared| declared.kind.is_some_and(|kind| kind != wanted)) {
                found
                    .add(Severity::Error, declared.name.span, format!("{} has type {} here, and {wanted} as a key", attribute.name, declared.kind.unwrap_or_default()))
                    .fix(format!("type {wanted}"));
            }
        }
    }
}

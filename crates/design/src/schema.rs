//! The format's JSON Schema and its reference in Markdown, both written from [`crate::format`].

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::format::{DESIGN, Kind, OBJECTS, Object};

/// The JSON Schema of design files, for editors: completion, and red lines under slips.
pub fn json_schema() -> Value {
    let definitions: Map<String, Value> =
        OBJECTS.iter().skip(1).map(|object| (definition(object), object_schema(object))).collect();
    let mut schema = object_schema(&DESIGN);
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("An access-pattern file of dyno design");
    schema["$defs"] = Value::from(definitions);
    schema
}

/// The name of an object's definition: `a table` is `table`.
fn definition(object: &Object) -> String {
    let name =
        object.name.strip_prefix("a ").or_else(|| object.name.strip_prefix("an ")).unwrap_or(object.name);
    name.replace(' ', "-")
}

fn object_schema(object: &Object) -> Value {
    let properties: Map<String, Value> = object
        .keys
        .iter()
        .map(|key| {
            let mut schema = kind_schema(&key.kind);
            schema["description"] = json!(key.meaning);
            (key.name.to_owned(), schema)
        })
        .collect();
    let required: Vec<&str> = object.keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    json!({
        "type": "object",
        "description": object.meaning,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn kind_schema(kind: &Kind) -> Value {
    let text = json!({ "type": ["string", "number"] });
    match kind {
        Kind::Switch => json!({ "type": ["boolean", "string"] }),
        Kind::Number => json!({ "type": "integer" }),
        Kind::Word(words) => json!({ "enum": words }),
        Kind::Range => json!({ "type": "string", "pattern": "^\\s*\\S+\\.\\.\\S+\\s*$" }),
        Kind::Growth => json!({ "type": "string", "pattern": "(/|%)" }),
        Kind::Share => json!({ "type": "string", "pattern": "%\\s*$" }),
        Kind::Times => json!({ "type": ["string", "number"], "pattern": "^x?[0-9.]+$" }),
        Kind::Rate => json!({ "anyOf": [text, { "$ref": "#/$defs/rate" }] }),
        Kind::Object(object) => json!({ "$ref": format!("#/$defs/{}", definition(object)) }),
        Kind::List(of) => {
            let of = kind_schema(of);
            json!({ "anyOf": [{ "type": "array", "items": of }, of] })
        }
        Kind::Named(of) => json!({ "type": "object", "additionalProperties": kind_schema(of) }),
        Kind::Either(kinds) => json!({ "anyOf": kinds.iter().map(kind_schema).collect::<Vec<_>>() }),
        _ => text,
    }
}

/// The reference of every key, as it stands in `docs/design-file.md`.
pub fn reference() -> String {
    let mut out = String::new();
    for object in OBJECTS {
        let _ = write!(
            out,
            "### {}\n\n{}\n\n| key | value | meaning |\n| --- | --- | --- |\n",
            title(object),
            object.meaning
        );
        for key in object.keys {
            let name = if key.required { format!("**`{}`**", key.name) } else { format!("`{}`", key.name) };
            let _ = writeln!(out, "| {name} | {} | {} |", kind_words(&key.kind), key.meaning);
        }
        out.push('\n');
    }
    out
}

fn title(object: &Object) -> String {
    let name = definition(object).replace('-', " ");
    let mut letters = name.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn kind_words(kind: &Kind) -> String {
    match kind {
        Kind::Text => "text".into(),
        Kind::Switch => "yes or no".into(),
        Kind::Number => "number".into(),
        Kind::Count => "count: `1200`, `100k`".into(),
        Kind::Rate => "rate: `20/s`, `3M/day`, a word".into(),
        Kind::Peak => "rate, or `x5`".into(),
        Kind::Size => "size: `300B`, `1.5KB`, a word".into(),
        Kind::Share => "share: `70%`".into(),
        Kind::Span => "span: `90s`, `20m`, `30d`".into(),
        Kind::Times => "`x12`".into(),
        Kind::Moment => "`2026-07-01T10:00`".into(),
        Kind::Growth => "`1000/day` or `5%/month`".into(),
        Kind::Range => "range: `5..4000`".into(),
        Kind::Template => "template: `USER#<userId>`".into(),
        Kind::KeyAttribute => "attribute: `PK`, `createdAt N`".into(),
        Kind::Word(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        Kind::Name(what) => format!("name of {}", with_article(what)),
        Kind::Object(object) => object.name.to_owned(),
        Kind::List(of) => format!("list of: {}", kind_words(of)),
        Kind::Named(of) => format!("by name: {}", kind_words(of)),
        Kind::Either(kinds) => kinds.iter().map(kind_words).collect::<Vec<_>>().join("; or "),
    }
}

fn with_article(what: &str) -> String {
    let article = if what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {what}")
}

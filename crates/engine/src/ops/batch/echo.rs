//! How AWS echoes the tables of a batch in a message about their names.
//!
//! # Source
//! Measured on AWS, October 2026: BatchGetItem echoes JSON, BatchWriteItem what Java prints of its objects. That a long
//! echo ends early is ours, so that an error is not larger than its request.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dynamometer_types::{AttributeValue, Item};

use crate::api::{KeysAndAttributes, WriteRequest};

/// Bytes after which an echo says no more.
const MOST_BYTES: usize = 64 * 1024;

/// The fields of Java's `AttributeValue`, in the order in which it prints them.
const JAVA_FIELDS: [&str; 16] = [
    "s",
    "n",
    "b",
    "iNT",
    "dECIMAL",
    "dOUBLE",
    "sS",
    "nS",
    "bS",
    "iNTSET",
    "dECIMALSET",
    "dOUBLESET",
    "m",
    "l",
    "nULL",
    "bOOL",
];

/// The keys of each table as JSON: `{"T":{"Keys":[{"pk":{"S":"a"}}]}}`.
pub(super) fn keys_as_json(tables: &[(String, KeysAndAttributes)]) -> String {
    let mut out = String::new();
    between(&mut out, "{}", ",", tables, |out, (name, asked)| {
        push(out, format_args!("{}:{{\"Keys\":", quoted(name)));
        between(out, "[]", ",", asked.keys.iter().flatten(), json_item);
        out.push('}');
    });
    out
}

/// The requests of each table as Java prints them: `{T=[WriteRequest(putRequest=PutRequest(item={…}, …), …)]}`.
pub(super) fn writes_as_java(tables: &[(String, Vec<WriteRequest>)]) -> String {
    let mut out = String::new();
    between(&mut out, "{}", ", ", tables, |out, (name, requests)| {
        push(out, format_args!("{name}="));
        between(out, "[]", ", ", requests, |out, request| {
            out.push_str("WriteRequest(putRequest=");
            java_request(out, ("PutRequest(item=", ", workloadProfileName=null)"), &request.put_request);
            out.push_str(", deleteRequest=");
            java_request(out, ("DeleteRequest(key=", ")"), &request.delete_request);
            out.push(')');
        });
    });
    out
}

fn java_request(out: &mut String, (before, after): (&str, &str), request: &Option<Option<Item>>) {
    let Some(item) = request else { return out.push_str("null") };
    out.push_str(before);
    match item {
        Some(item) => java_item(out, item),
        None => out.push_str("null"),
    }
    out.push_str(after);
}

fn json_item(out: &mut String, item: &Item) {
    between(out, "{}", ",", item.iter(), |out, (name, value)| {
        push(out, format_args!("{}:{{\"{}\":", quoted(name), value.value_type().name()));
        match value {
            AttributeValue::Bool(value) => push(out, format_args!("{value}")),
            AttributeValue::Null => out.push_str("true"),
            AttributeValue::S(text) => out.push_str(&quoted(text)),
            other => match scalar(other) {
                Some(text) => out.push_str(&quoted(&text)),
                // A key that is none: its message will say so.
                None => out.push_str("null"),
            },
        }
        out.push('}');
    });
}

fn java_item(out: &mut String, item: &Item) {
    between(out, "{}", ", ", item.iter(), |out, (name, value)| {
        push(out, format_args!("{name}="));
        java_value(out, value);
    });
}

fn java_value(out: &mut String, value: &AttributeValue) {
    let kind = value.value_type().name();
    out.push_str("AttributeValue(");
    for (at, field) in JAVA_FIELDS.into_iter().enumerate() {
        push(out, format_args!("{}{field}=", if at == 0 { "" } else { ", " }));
        if field.eq_ignore_ascii_case(kind) { java_field(out, value) } else { out.push_str("null") }
    }
    out.push(')');
}

fn java_field(out: &mut String, value: &AttributeValue) {
    match value {
        AttributeValue::Bool(value) => push(out, format_args!("{value}")),
        AttributeValue::Null => out.push_str("true"),
        AttributeValue::L(values) => between(out, "[]", ", ", values, java_value),
        AttributeValue::M(item) => java_item(out, item),
        AttributeValue::Ss(set) => between(out, "[]", ", ", set, |out, text| out.push_str(text)),
        AttributeValue::Ns(set) => between(out, "[]", ", ", set, |out, n| push(out, format_args!("{n}"))),
        AttributeValue::Bs(set) => {
            between(out, "[]", ", ", set, |out, bytes| out.push_str(&STANDARD.encode(bytes)))
        }
        scalar_value => out.push_str(&scalar(scalar_value).unwrap_or_default()),
    }
}

/// A string, number or binary as text.
fn scalar(value: &AttributeValue) -> Option<String> {
    match value {
        AttributeValue::S(text) => Some(text.to_string()),
        AttributeValue::N(number) => Some(number.to_string()),
        AttributeValue::B(bytes) => Some(STANDARD.encode(bytes)),
        _ => None,
    }
}

/// Parts between brackets, as many as there is room for.
fn between<T>(
    out: &mut String,
    brackets: &str,
    separator: &str,
    parts: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    let (open, close) = brackets.split_at(1);
    out.push_str(open);
    for (at, part) in parts.into_iter().enumerate() {
        if out.len() > MOST_BYTES {
            out.push('…');
            break;
        }
        out.push_str(if at == 0 { "" } else { separator });
        write(out, part);
    }
    out.push_str(close);
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a String does not fail.
    let _ = out.write_fmt(text);
}

//! Compares answers with what a scenario expects.

use serde_json::Value;

use super::placeholders::Kept;

/// Where an answer differs from what is expected: a path such as `.Item.a`, or nothing. Members may come in any
/// order, numbers compare by value. In place of a value may stand `"<any>"`, `"<number>"`, `"<string>"`, `"<uuid>"`,
/// `"<has text>"` for a string that holds the text, or `"<keep name>"` for one that later texts need; a list that begins with `"<unordered>"` may come in any order.
pub fn difference(expected: &Value, got: &Value) -> Option<String> {
    match (expected, got) {
        (Value::String(text), _) if is_placeholder(text) => {
            (!placeholder_holds(text, got)).then(|| format!(" ({text})"))
        }
        (Value::Object(expected), Value::Object(got)) => {
            let missing = expected.keys().find(|key| !got.contains_key(*key));
            let surplus = got.keys().find(|key| !expected.contains_key(*key));
            if let Some(key) = missing.or(surplus) {
                return Some(format!(".{key}"));
            }
            expected.iter().find_map(|(key, value)| Some(format!(".{key}{}", difference(value, &got[key])?)))
        }
        (Value::Array(expected), Value::Array(got)) => {
            if is_unordered(expected) {
                return unordered_difference(&expected[1..], got);
            }
            if expected.len() != got.len() {
                return Some(format!(" (length {} and not {})", got.len(), expected.len()));
            }
            let mut pairs = expected.iter().zip(got).enumerate();
            pairs.find_map(|(at, (expected, got))| Some(format!("[{at}]{}", difference(expected, got)?)))
        }
        (Value::Number(expected), Value::Number(got)) => {
            (expected.as_f64() != got.as_f64()).then(String::new)
        }
        _ => (expected != got).then(String::new),
    }
}

/// Takes the strings of an answer that holds where `"<keep name>"` is expected.
pub fn keep(expected: &Value, got: &Value, kept: &mut Kept) {
    match (expected, got) {
        (Value::String(text), Value::String(got)) => {
            if let Some(name) = kept_name(text) {
                kept.insert(name.to_owned(), got.clone());
            }
        }
        (Value::Object(expected), Value::Object(got)) => {
            for (name, expected) in expected {
                got.get(name).into_iter().for_each(|got| keep(expected, got, kept));
            }
        }
        (Value::Array(expected), Value::Array(got)) => {
            expected.iter().zip(got).for_each(|(expected, got)| keep(expected, got, kept));
        }
        _ => {}
    }
}

/// The name in `<keep name>`.
fn kept_name(text: &str) -> Option<&str> {
    text.strip_prefix("<keep ")?.strip_suffix('>')
}

/// How many elements a list is expected to have.
pub fn expected_length(expected: &Value) -> usize {
    expected.as_array().map_or(0, |list| list.len() - usize::from(is_unordered(list)))
}

fn is_unordered(expected: &[Value]) -> bool {
    expected.first().is_some_and(|first| first == "<unordered>")
}

fn unordered_difference(expected: &[Value], got: &[Value]) -> Option<String> {
    let mut left: Vec<&Value> = got.iter().collect();
    for wanted in expected {
        let Some(at) = left.iter().position(|got| difference(wanted, got).is_none()) else {
            return Some(format!(" (no element {wanted})"));
        };
        left.remove(at);
    }
    left.first().map(|surplus| format!(" (surplus element {surplus})"))
}

fn is_placeholder(text: &str) -> bool {
    matches!(text, "<any>" | "<number>" | "<string>" | "<uuid>")
        || part_of(text).is_some()
        || kept_name(text).is_some()
}

/// The text in `<has text>`.
fn part_of(text: &str) -> Option<&str> {
    text.strip_prefix("<has ")?.strip_suffix('>')
}

fn placeholder_holds(text: &str, got: &Value) -> bool {
    if let Some(part) = part_of(text) {
        return got.as_str().is_some_and(|got| got.contains(part));
    }
    match text {
        "<number>" => got.is_number(),
        text if text == "<string>" || kept_name(text).is_some() => got.is_string(),
        "<uuid>" => got.as_str().is_some_and(is_uuid),
        _ => true,
    }
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.concat().bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Lets anything of its kind do for the members that are times or hold one.
pub fn take_any_time(expected: &mut Value) {
    match expected {
        Value::Object(members) => {
            for (name, value) in members {
                if name.ends_with("Time") && value.is_number() {
                    *value = "<number>".into();
                } else if matches!(name.as_str(), "LatestStreamLabel" | "LatestStreamArn") {
                    *value = "<string>".into();
                } else {
                    take_any_time(value);
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(take_any_time),
        _ => {}
    }
}

/// What to write down for an answer: the answer, with the placeholders that held.
pub fn merge(expected: Option<&Value>, got: &Value) -> Value {
    match (expected, got) {
        (Some(expected), got) if difference(expected, got).is_none() => expected.clone(),
        (Some(Value::Object(expected)), Value::Object(got)) => Value::Object(
            got.iter().map(|(key, value)| (key.clone(), merge(expected.get(key), value))).collect(),
        ),
        (Some(Value::Array(expected)), Value::Array(got)) if is_unordered(expected) => {
            Value::Array(expected.iter().take(1).chain(got).cloned().collect())
        }
        (Some(Value::Array(expected)), Value::Array(got)) => {
            Value::Array(got.iter().enumerate().map(|(at, value)| merge(expected.get(at), value)).collect())
        }
        (_, got) => got.clone(),
    }
}

#[test]
fn differences_are_found_at_their_place() {
    use serde_json::json;
    let cases = [
        (json!({"a": 1.0, "b": [1, "x"]}), json!({"b": [1, "x"], "a": 1}), None),
        (json!({"a": {"b": 1}}), json!({"a": {"b": 2}}), Some(".a.b")),
        (json!({"a": 1}), json!({}), Some(".a")),
        (json!({}), json!({"a": 1}), Some(".a")),
        (json!([1, 2]), json!([2, 1]), Some("[0]")),
        (json!(["<unordered>", 1, 2]), json!([2, 1]), None),
        (json!(["<unordered>", 1, 2]), json!([2, 1, 1]), Some(" (surplus element 1)")),
        (json!("<number>"), json!("1"), Some(" (<number>)")),
        (json!("<any>"), json!([]), None),
        (json!("<uuid>"), json!("6f9b1c1e-0000-4000-8000-00000000000a"), None),
        (json!("<uuid>"), json!("6f9b"), Some(" (<uuid>)")),
        (json!("<has b c>"), json!("a b c d"), None),
        (json!("<has b c>"), json!("a bc d"), Some(" (<has b c>)")),
        (json!("1"), json!(1), Some("")),
    ];
    for (expected, got, place) in cases {
        assert_eq!(difference(&expected, &got).as_deref(), place, "{expected} {got}");
    }
}

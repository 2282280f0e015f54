//! DynamoDB's JSON: every value with its type, numbers as strings.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use dynamometer_types::AttributeValue;
use serde_json::{Map, Value, json};

pub(super) fn to_json(value: &AttributeValue) -> Value {
    let base64 = |bytes: &Vec<u8>| BASE64_STANDARD.encode(bytes);
    match value {
        AttributeValue::S(text) => json!({ "S": text.as_str() }),
        AttributeValue::N(number) => json!({ "N": number.to_string() }),
        AttributeValue::B(bytes) => json!({ "B": base64(bytes) }),
        AttributeValue::Bool(value) => json!({ "BOOL": value }),
        AttributeValue::Null => json!({ "NULL": true }),
        AttributeValue::L(list) => json!({ "L": list.iter().map(to_json).collect::<Vec<_>>() }),
        AttributeValue::M(map) => {
            let members = map.iter().map(|(name, value)| (name.to_owned(), to_json(value)));
            json!({ "M": members.collect::<Map<_, _>>() })
        }
        AttributeValue::Ss(set) => json!({ "SS": set.iter().map(|text| text.as_str()).collect::<Vec<_>>() }),
        AttributeValue::Ns(set) => json!({ "NS": set.iter().map(ToString::to_string).collect::<Vec<_>>() }),
        AttributeValue::Bs(set) => json!({ "BS": set.iter().map(base64).collect::<Vec<_>>() }),
    }
}

/// `None` when it is not what [`to_json`] writes.
pub(super) fn from_json(json: Value) -> Option<AttributeValue> {
    let Value::Object(typed) = json else { return None };
    let (kind, content) = typed.into_iter().next()?;
    let bytes = |text: String| BASE64_STANDARD.decode(text).ok();
    Some(match (kind.as_str(), content) {
        ("S", Value::String(text)) => AttributeValue::s(text),
        ("N", Value::String(text)) => AttributeValue::N(text.parse().ok()?),
        ("B", Value::String(text)) => AttributeValue::B(bytes(text)?),
        ("BOOL", Value::Bool(value)) => AttributeValue::Bool(value),
        ("NULL", _) => AttributeValue::Null,
        ("L", Value::Array(list)) => {
            AttributeValue::L(list.into_iter().map(from_json).collect::<Option<_>>()?)
        }
        ("M", Value::Object(map)) => {
            let members = map.into_iter().map(|(name, value)| Some((name, from_json(value)?)));
            AttributeValue::M(members.collect::<Option<_>>()?)
        }
        ("SS", set) => AttributeValue::Ss(strings(set)?.into_iter().map(Into::into).collect()),
        ("NS", set) => {
            AttributeValue::Ns(strings(set)?.iter().map(|text| text.parse().ok()).collect::<Option<_>>()?)
        }
        ("BS", set) => AttributeValue::Bs(strings(set)?.into_iter().map(bytes).collect::<Option<_>>()?),
        _ => return None,
    })
}

fn strings(set: Value) -> Option<Vec<String>> {
    serde_json::from_value(set).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_comes_back_as_it_was() {
        let value = AttributeValue::L(vec![
            AttributeValue::s("日本"),
            AttributeValue::N("0.12345678901234567890123456789012345678".parse().unwrap()),
            AttributeValue::B(vec![0, 255]),
            AttributeValue::Bool(true),
            AttributeValue::Null,
            AttributeValue::M([("x", AttributeValue::L(vec![]))].into_iter().collect()),
            AttributeValue::Ss(vec!["a".into()]),
            AttributeValue::Ns(vec![1.into(), 2.into()]),
            AttributeValue::Bs(vec![vec![1]]),
        ]);
        assert_eq!(from_json(to_json(&value)), Some(value));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["1", "{}", r#"{"S":1}"#, r#"{"N":"x"}"#, r#"{"B":"%"}"#, r#"{"X":"a"}"#, r#"{"L":[1]}"#]
        {
            assert_eq!(from_json(serde_json::from_str(text).unwrap()), None, "{text}");
        }
    }
}

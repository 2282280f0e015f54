//! JSON 1.0.

use dynamometer_cloudwatch::Value;
use serde_json::{Map, Number};

/// Reads a body.
///
/// # Errors
/// When it is no JSON object, in a sentence.
pub(super) fn read(body: &[u8]) -> Result<Value, String> {
    let json: serde_json::Value = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    Ok(from_json(json))
}

fn from_json(json: serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(truth) => Value::Bool(truth),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(whole) => Value::Integer(whole),
            None => Value::Double(number.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => Value::Text(text),
        serde_json::Value::Array(list) => Value::List(list.into_iter().map(from_json).collect()),
        serde_json::Value::Object(members) => {
            Value::Structure(members.into_iter().map(|(name, value)| (name, from_json(value))).collect())
        }
    }
}

/// Writes an answer: times as seconds.
pub(super) fn write(value: &Value) -> Vec<u8> {
    to_json(value).to_string().into_bytes()
}

fn to_json(value: &Value) -> serde_json::Value {
    let double = |number: f64| match Number::from_f64(number) {
        Some(number) => serde_json::Value::Number(number),
        None => serde_json::Value::String(super::query::double(number)),
    };
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Bool(truth) => (*truth).into(),
        Value::Integer(whole) => (*whole).into(),
        Value::Double(number) => double(*number),
        Value::Text(text) | Value::Form(text) => text.as_str().into(),
        Value::Time(time) if time.millis() % 1000 == 0 => (time.millis() / 1000).into(),
        Value::Time(time) => double(time.millis() as f64 / 1000.0),
        Value::List(list) => list.iter().map(to_json).collect(),
        Value::Structure(members) | Value::Map(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), to_json(value)));
            serde_json::Value::Object(members.collect::<Map<_, _>>())
        }
    }
}

//! Filter patterns, as Lambda's event source mappings and EventBridge Pipes have them.
//!
//! A pattern is an object in the shape of the event. Each of its members must match (and); a list of tests matches when
//! one of them does (or), against a value or any element of a list of values; `$or` joins patterns of one level. The
//! tests are exact values and objects of one member: `prefix`, `suffix`, `equals-ignore-case`, `anything-but`,
//! `numeric` and `exists`. What only rules of an event bus have (`wildcard`, `cidr`, `anything-but` of a test) is refused
//! by its name: it would be refused on AWS, too.
//!
//! Numbers of items are strings in a stream record (`{"N":["25"]}`), so `numeric` matches only what is a number in the
//! event, such as `SizeBytes`: as on AWS.
//!
//! # Source
//! "Control which events Lambda sends to your function", invocation-eventfiltering.html, has all but `prefix` and `suffix`
//! without case; "Comparison operators", eb-create-pattern-operators.html, has these in its column for Pipes, 2026-06.
//! That `exists` looks at leaves only is documented. A test of a member that is missing fails unless it is
//! `exists: false` (assumed for `anything-but`).

use serde_json::{Map, Value};

/// The longest pattern, in characters.
pub const MOST_CHARACTERS: usize = 4096;
/// How many levels a pattern may have.
const MOST_LEVELS: usize = 100;

/// A pattern that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    members: Vec<(String, Node)>,
    /// Each is a list of alternatives of which one must match.
    alternatives: Vec<Vec<Pattern>>,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Inner(Pattern),
    Leaf(Vec<Test>),
}

/// A test of one value.
#[derive(Clone, Debug, PartialEq)]
enum Test {
    Equals(Value),
    Text(TextTest),
    /// None of these.
    AnythingBut(Vec<Value>),
    /// All of these comparisons hold.
    Numeric(Vec<(Comparison, f64)>),
    Exists(bool),
}

#[derive(Clone, Debug, PartialEq)]
enum TextTest {
    Prefix(String, Case),
    Suffix(String, Case),
    EqualsIgnoreCase(String),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Case {
    Matters,
    Ignored,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Comparison {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Pattern {
    /// Reads a pattern from its JSON text.
    ///
    /// # Errors
    /// A sentence that names the place and says what was expected.
    pub fn parse(text: &str) -> Result<Pattern, String> {
        if text.chars().count() > MOST_CHARACTERS {
            return Err(format!("a pattern has at most {MOST_CHARACTERS} characters"));
        }
        let value: Value =
            serde_json::from_str(text).map_err(|e| format!("a pattern is a JSON object: {e}"))?;
        Pattern::read(&value, &mut Vec::new())
    }

    fn read(value: &Value, path: &mut Vec<String>) -> Result<Pattern, String> {
        if path.len() > MOST_LEVELS {
            return Err(format!("a pattern has at most {MOST_LEVELS} levels"));
        }
        let Value::Object(object) = value else { return Err(expected(path, "an object", value)) };
        let (mut members, mut alternatives) = (Vec::new(), Vec::new());
        for (name, value) in object {
            path.push(name.clone());
            match value {
                Value::Array(patterns) if name == "$or" => {
                    if patterns.len() < 2 {
                        return Err(expected(path, "a list of at least two patterns", value));
                    }
                    let read = patterns.iter().map(|pattern| Pattern::read(pattern, path));
                    alternatives.push(read.collect::<Result<_, _>>()?);
                }
                Value::Array(tests) if !tests.is_empty() => {
                    let read = tests.iter().map(|test| Test::read(test, path));
                    members.push((name.clone(), Node::Leaf(read.collect::<Result<_, _>>()?)));
                }
                Value::Object(_) => members.push((name.clone(), Node::Inner(Pattern::read(value, path)?))),
                _ => return Err(expected(path, "an object, or a list of at least one value", value)),
            }
            path.pop();
        }
        Ok(Pattern { members, alternatives })
    }

    /// Whether an event matches.
    pub fn matches(&self, event: &Value) -> bool {
        match event {
            // Of a list of objects, one of them.
            Value::Array(elements) => elements.iter().any(|element| self.matches(element)),
            Value::Object(object) => self.matches_object(Some(object)),
            _ => self.matches_object(None),
        }
    }

    fn matches_object(&self, object: Option<&Map<String, Value>>) -> bool {
        let matches = |(name, node): &(String, Node)| {
            let value = object.and_then(|object| object.get(name));
            match node {
                Node::Leaf(tests) => tests.iter().any(|test| test.matches(value)),
                Node::Inner(pattern) => {
                    value.map_or_else(|| pattern.matches_object(None), |value| pattern.matches(value))
                }
            }
        };
        let one_matches =
            |patterns: &Vec<Pattern>| patterns.iter().any(|pattern| pattern.matches_object(object));
        self.members.iter().all(matches) && self.alternatives.iter().all(one_matches)
    }
}

impl Test {
    fn read(value: &Value, path: &[String]) -> Result<Test, String> {
        let object = match value {
            Value::Object(object) => object,
            Value::Array(_) => return Err(expected(path, "values and tests", value)),
            plain => return Ok(Test::Equals(plain.clone())),
        };
        let mut members = object.iter();
        let (Some((name, of)), None) = (members.next(), members.next()) else {
            return Err(expected(path, "a test with one member", value));
        };
        match (name.as_str(), of) {
            ("anything-but", of) => read_anything_but(of, path),
            ("exists", Value::Bool(exists)) => Ok(Test::Exists(*exists)),
            ("exists", _) => Err(expected(path, "true or false for exists", of)),
            ("numeric", Value::Array(parts)) => read_numeric(parts, path),
            ("numeric", _) => Err(expected(path, "a list such as [\">\", 0, \"<=\", 5] for numeric", of)),
            (name, of) => TextTest::read(name, of, path).map(Test::Text),
        }
    }

    fn matches(&self, value: Option<&Value>) -> bool {
        match (self, value) {
            (Test::Exists(exists), value) => {
                *exists == value.is_some_and(|value| !matches!(value, Value::Object(_)))
            }
            (_, None | Some(Value::Object(_))) => false,
            // Of a list of values, one of them; but none of it may be what it must not be.
            (Test::AnythingBut(values), Some(Value::Array(elements))) => {
                !elements.iter().any(|element| values.contains(element))
            }
            (test, Some(Value::Array(elements))) => {
                elements.iter().any(|element| test.matches(Some(element)))
            }
            (Test::AnythingBut(values), Some(value)) => !values.contains(value),
            // Numbers are the same when they are written so: 300 is not 300.0.
            (Test::Equals(expected), Some(value)) => expected == value,
            (Test::Text(test), Some(Value::String(text))) => test.matches(text),
            (Test::Numeric(comparisons), Some(Value::Number(number))) => {
                let number = number.as_f64().unwrap_or(f64::NAN);
                comparisons.iter().all(|(comparison, of)| comparison.holds(number, *of))
            }
            (Test::Text(_) | Test::Numeric(_), Some(_)) => false,
        }
    }
}

fn read_anything_but(of: &Value, path: &[String]) -> Result<Test, String> {
    let plain = |value: &Value| match value {
        Value::String(_) | Value::Number(_) => Ok(value.clone()),
        other => Err(expected(path, "strings or numbers for anything-but", other)),
    };
    let values = match of {
        Value::Array(values) if !values.is_empty() => values.iter().map(plain).collect::<Result<_, _>>()?,
        Value::Object(_) => {
            let sentence = "a test inside of anything-but is for rules of an event bus; neither Lambda nor Pipes take it";
            return Err(format!("{}: {sentence}", place(path)));
        }
        value => vec![plain(value)?],
    };
    Ok(Test::AnythingBut(values))
}

fn read_numeric(parts: &[Value], path: &[String]) -> Result<Test, String> {
    let wanted = "a list such as [\">\", 0, \"<=\", 5] for numeric";
    let whole = Value::Array(parts.to_vec());
    if !matches!(parts.len(), 2 | 4) {
        return Err(expected(path, wanted, &whole));
    }
    let comparisons = parts.chunks(2).map(|pair| {
        let comparison = match pair[0].as_str() {
            Some("=") => Comparison::Equal,
            Some("<") => Comparison::Less,
            Some("<=") => Comparison::LessOrEqual,
            Some(">") => Comparison::Greater,
            Some(">=") => Comparison::GreaterOrEqual,
            _ => return Err(expected(path, wanted, &whole)),
        };
        let of = pair[1].as_f64().ok_or_else(|| expected(path, wanted, &whole))?;
        Ok((comparison, of))
    });
    Ok(Test::Numeric(comparisons.collect::<Result<_, _>>()?))
}

impl TextTest {
    fn read(name: &str, of: &Value, path: &[String]) -> Result<TextTest, String> {
        match (name, of) {
            ("prefix", Value::String(text)) => Ok(TextTest::Prefix(text.clone(), Case::Matters)),
            ("suffix", Value::String(text)) => Ok(TextTest::Suffix(text.clone(), Case::Matters)),
            ("prefix" | "suffix", Value::Object(object)) => {
                let text =
                    object.get("equals-ignore-case").filter(|_| object.len() == 1).and_then(Value::as_str);
                let text =
                    text.ok_or_else(|| expected(path, "a string, or {\"equals-ignore-case\": …}", of))?;
                let text = text.to_lowercase();
                Ok(if name == "prefix" {
                    TextTest::Prefix(text, Case::Ignored)
                } else {
                    TextTest::Suffix(text, Case::Ignored)
                })
            }
            ("equals-ignore-case", Value::String(text)) => {
                Ok(TextTest::EqualsIgnoreCase(text.to_lowercase()))
            }
            ("prefix" | "suffix" | "equals-ignore-case", of) => {
                Err(expected(path, &format!("a string for {name}"), of))
            }
            ("wildcard" | "cidr", _) => Err(format!(
                "{}: `{name}` is for rules of an event bus; neither Lambda nor Pipes take it",
                place(path)
            )),
            _ => Err(format!(
                "{}: there is no test `{name}`; there are prefix, suffix, equals-ignore-case, anything-but, numeric and \
                 exists",
                place(path)
            )),
        }
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            TextTest::Prefix(prefix, Case::Matters) => text.starts_with(prefix.as_str()),
            TextTest::Prefix(prefix, Case::Ignored) => text.to_lowercase().starts_with(prefix.as_str()),
            TextTest::Suffix(suffix, Case::Matters) => text.ends_with(suffix.as_str()),
            TextTest::Suffix(suffix, Case::Ignored) => text.to_lowercase().ends_with(suffix.as_str()),
            TextTest::EqualsIgnoreCase(other) => text.to_lowercase() == *other,
        }
    }
}

impl Comparison {
    fn holds(self, number: f64, of: f64) -> bool {
        match self {
            Comparison::Equal => number == of,
            Comparison::Less => number < of,
            Comparison::LessOrEqual => number <= of,
            Comparison::Greater => number > of,
            Comparison::GreaterOrEqual => number >= of,
        }
    }
}

fn expected(path: &[String], what: &str, found: &Value) -> String {
    let mut found = found.to_string();
    if found.chars().count() > 60 {
        found = found.chars().take(60).chain(['…']).collect();
    }
    format!("{}: expected {what}, found {found}", place(path))
}

fn place(path: &[String]) -> String {
    if path.is_empty() { "the pattern".into() } else { path.join(".") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENT: &str = r#"{
        "eventName": "MODIFY",
        "dynamodb": {
            "Keys": {"pk": {"S": "USER#42"}},
            "NewImage": {
                "pk": {"S": "USER#42"}, "state": {"S": "Done"}, "amount": {"N": "25"}, "gone": {"NULL": true},
                "tags": {"SS": ["red", "blue"]},
                "lines": {"L": [{"M": {"sku": {"S": "a"}}}, {"M": {"sku": {"S": "b"}}}]}
            },
            "SizeBytes": 112
        }
    }"#;

    fn matches(pattern: &str) -> bool {
        let pattern = Pattern::parse(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        pattern.matches(&serde_json::from_str(EVENT).unwrap())
    }

    #[test]
    #[rustfmt::skip]
    fn events_match_as_documented() {
        let image = |name: &str, test: &str| format!(r#"{{"dynamodb":{{"NewImage":{{"{name}":{test}}}}}}}"#);
        let cases = [
            (r#"{}"#.to_owned(), true),
            (r#"{"eventName":["INSERT","MODIFY"]}"#.into(), true),
            (r#"{"eventName":["INSERT"]}"#.into(), false),
            (r#"{"eventName":["modify"]}"#.into(), false),
            (r#"{"eventName":["MODIFY"],"nothing":["x"]}"#.into(), false),
            (image("amount", r#"{"N":["25"]}"#), true),
            (image("amount", r#"{"N":[25]}"#), false),
            (image("amount", r#"{"N":[{"numeric":[">",1]}]}"#), false),
            (image("gone", r#"{"NULL":[true]}"#), true),
            (r#"{"dynamodb":{"SizeBytes":[112]}}"#.into(), true),
            (r#"{"dynamodb":{"SizeBytes":[112.0]}}"#.into(), false),
            (r#"{"dynamodb":{"SizeBytes":[1.12e2]}}"#.into(), false),
            (r#"{"dynamodb":{"SizeBytes":[{"numeric":[">",100,"<=",112]}]}}"#.into(), true),
            (r#"{"dynamodb":{"SizeBytes":[{"numeric":[">",112]}]}}"#.into(), false),
            (r#"{"dynamodb":{"SizeBytes":[{"numeric":["=",112]}]}}"#.into(), true),
            (image("pk", r#"{"S":[{"prefix":"USER#"}]}"#), true),
            (image("pk", r#"{"S":[{"prefix":"user#"}]}"#), false),
            (image("pk", r#"{"S":[{"prefix":{"equals-ignore-case":"user#"}}]}"#), true),
            (image("pk", r#"{"S":[{"suffix":"42"}]}"#), true),
            (image("state", r#"{"S":[{"equals-ignore-case":"DONE"}]}"#), true),
            (image("state", r#"{"S":[{"suffix":{"equals-ignore-case":"NE"}}]}"#), true),
            (image("state", r#"{"S":[{"anything-but":"Done"}]}"#), false),
            (image("state", r#"{"S":[{"anything-but":["Open","Failed"]}]}"#), true),
            (image("missing", r#"{"S":[{"anything-but":"x"}]}"#), false),
            (image("state", r#"{"S":[{"exists":true}]}"#), true),
            (image("state", r#"{"S":[{"exists":false}]}"#), false),
            (image("missing", r#"{"S":[{"exists":false}]}"#), true),
            (r#"{"dynamodb":{"OldImage":{"pk":{"S":[{"exists":false}]}}}}"#.into(), true),
            (image("state", r#"[{"exists":true}]"#), false),
            (image("tags", r#"{"SS":["blue"]}"#), true),
            (image("tags", r#"{"SS":["green"]}"#), false),
            (image("tags", r#"{"SS":[{"anything-but":"blue"}]}"#), false),
            (image("lines", r#"{"L":{"M":{"sku":{"S":["b"]}}}}"#), true),
            (image("lines", r#"{"L":{"M":{"sku":{"S":["c"]}}}}"#), false),
            (r#"{"$or":[{"eventName":["REMOVE"]},{"dynamodb":{"SizeBytes":[112]}}]}"#.into(), true),
            (r#"{"$or":[{"eventName":["REMOVE"]},{"dynamodb":{"SizeBytes":[1]}}]}"#.into(), false),
            (r#"{"eventName":["INSERT"],"$or":[{"eventName":["MODIFY"]},{"eventName":["REMOVE"]}]}"#.into(), false),
            (r#"{"dynamodb":{"$or":[{"SizeBytes":[1]},{"Keys":{"pk":{"S":["USER#42"]}}}]}}"#.into(), true),
        ];
        for (pattern, expected) in cases {
            assert_eq!(matches(&pattern), expected, "{pattern}");
        }
    }

    #[test]
    #[rustfmt::skip]
    fn wrong_patterns_say_where_and_what_was_expected() {
        let cases = [
            ("", "a pattern is a JSON object"),
            ("[]", "the pattern: expected an object, found []"),
            (r#"{"eventName":"INSERT"}"#, "eventName: expected an object, or a list of at least one value, found \"INSERT\""),
            (r#"{"eventName":[]}"#, "eventName: expected an object, or a list of at least one value, found []"),
            (r#"{"a":{"b":[["c"]]}}"#, "a.b: expected values and tests"),
            (r#"{"a":[{"prefix":"x","suffix":"y"}]}"#, "a: expected a test with one member"),
            (r#"{"a":[{"begins":"x"}]}"#, "a: there is no test `begins`; there are prefix"),
            (r#"{"a":[{"cidr":"10.0.0.0/8"}]}"#, "a: `cidr` is for rules of an event bus; neither Lambda nor Pipes take it"),
            (r#"{"a":[{"wildcard":"a*"}]}"#, "a: `wildcard` is for rules of an event bus"),
            (r#"{"a":[{"anything-but":{"prefix":"x"}}]}"#, "a: a test inside of anything-but is for rules of an event bus"),
            (r#"{"a":[{"prefix":1}]}"#, "a: expected a string for prefix"),
            (r#"{"a":[{"exists":"yes"}]}"#, "true or false"),
            (r#"{"a":[{"numeric":[">"]}]}"#, "for numeric"),
            (r#"{"a":[{"numeric":["!",1]}]}"#, "for numeric"),
            (r#"{"a":[{"anything-but":[]}]}"#, "strings or numbers for anything-but"),
            (r#"{"$or":[{"a":["b"]}]}"#, "at least two patterns"),
        ];
        for (pattern, words) in cases {
            let error = Pattern::parse(pattern).expect_err(pattern);
            assert!(error.contains(words), "{pattern}: {error}");
        }
        let long = format!(r#"{{"a":["{}"]}}"#, "x".repeat(MOST_CHARACTERS));
        assert!(Pattern::parse(&long).unwrap_err().contains("4096"));
    }

    #[test]
    fn deep_nesting_is_an_error() {
        for levels in [102, 127, 1_000] {
            let deep = format!("{}[1]{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
            assert!(Pattern::parse(&deep).is_err(), "{levels}");
        }
    }

    /// Texts that are nearly patterns, by seed: none may panic, neither when read nor when matched.
    #[test]
    fn made_up_patterns_never_panic() {
        let pieces = [
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "\"a\"",
            "\"$or\"",
            "\"prefix\"",
            "\"numeric\"",
            "\"anything-but\"",
            "\"wildcard\"",
            "\"*\\\\\"",
            "\">\"",
            "\"exists\"",
            "1",
            "-1e400",
            "null",
            "true",
            "\"\\ud83d\"",
            "\"\u{1F600}*\"",
        ];
        let event: Value = serde_json::from_str(EVENT).unwrap();
        let mut state = 7u64;
        let mut next = |end: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % end
        };
        for _ in 0..20_000 {
            let text: String = (0..next(24)).map(|_| pieces[next(pieces.len())]).collect();
            if let Ok(pattern) = Pattern::parse(&text) {
                pattern.matches(&event);
            }
        }
    }
}

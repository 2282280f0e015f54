//! The Query protocol: forms in, XML out.

use std::collections::BTreeMap;
use std::fmt::Write;

use dynamometer_cloudwatch::{Fault, Value};

use crate::auth::percent_decode;

const NAMESPACE: &str = "http://monitoring.amazonaws.com/doc/2010-08-01/";
/// How deep names may nest: `MetricData.member.1.Dimensions.member.1.Name` has seven parts.
const DEPTH: usize = 32;
/// How many parts the names of a form may have that are not also parts of others: what its tree takes in memory. A request
/// within AWS's limits has fewer for all of its 1 MB.
const PARTS: usize = 100_000;

/// The `Action` and the `Version` of a form.
pub(super) fn action(body: &[u8]) -> (Option<String>, Option<String>) {
    let (mut action, mut version) = (None, None);
    for (name, value) in fields(body) {
        match name.as_str() {
            "Action" => action = Some(value),
            "Version" => version = Some(value),
            _ => {}
        }
    }
    (action, version)
}

/// Reads a form: `MetricData.member.1.MetricName=x` becomes a list of structures, and every value text of no type.
///
/// # Errors
/// When names contradict each other, nest too deep or are too many, in a sentence.
pub(super) fn read(body: &[u8]) -> Result<Value, String> {
    let mut root = Node::default();
    let mut parts = 0;
    for (name, value) in fields(body) {
        let mut node = &mut root;
        for (depth, part) in name.split('.').enumerate() {
            if depth == DEPTH {
                return Err(format!("{name} nests deeper than {DEPTH} levels"));
            }
            node = node.children.entry(part.to_owned()).or_insert_with(|| {
                parts += 1;
                Node::default()
            });
        }
        node.value = Some(value);
        if parts > PARTS {
            return Err(format!("the form has more than {PARTS} names"));
        }
    }
    root.into_value("the form")
}

/// A name's part with what stands behind it.
#[derive(Default)]
struct Node {
    value: Option<String>,
    children: BTreeMap<String, Node>,
}

impl Node {
    fn into_value(self, name: &str) -> Result<Value, String> {
        if self.children.is_empty() {
            return Ok(Value::Form(self.value.unwrap_or_default()));
        }
        if self.value.is_some() {
            return Err(format!("{name} is both a value and a structure"));
        }
        if self.children.len() == 1 && self.children.contains_key("member") {
            let members = self.children.into_values().flat_map(|member| member.children);
            let mut elements = BTreeMap::new();
            for (number, node) in members {
                let at: u32 = number.parse().map_err(|_| format!("{name}.member.{number} has no number"))?;
                elements.insert(at, node.into_value(&number)?);
            }
            return Ok(Value::List(elements.into_values().collect()));
        }
        let members = self.children.into_iter().map(|(name, node)| {
            let value = node.into_value(&name)?;
            Ok((name, value))
        });
        members.collect::<Result<_, String>>().map(Value::Structure)
    }
}

/// The fields of a form, their encoding undone.
fn fields(body: &[u8]) -> impl Iterator<Item = (String, String)> + '_ {
    body.split(|byte| *byte == b'&').filter(|field| !field.is_empty()).map(|field| {
        let at = field.iter().position(|byte| *byte == b'=').unwrap_or(field.len());
        (decoded(&field[..at]), decoded(field.get(at + 1..).unwrap_or_default()))
    })
}

fn decoded(text: &[u8]) -> String {
    let spaced: Vec<u8> = text.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    String::from_utf8_lossy(&percent_decode(&spaced)).into_owned()
}

/// The answer of an operation.
pub(super) fn write_answer(name: &str, has_output: bool, value: &Value, request_id: &str) -> String {
    let mut xml = format!("<{name}Response xmlns=\"{NAMESPACE}\">");
    if has_output {
        let _ = write!(xml, "<{name}Result>");
        write_value(value, &mut xml);
        let _ = write!(xml, "</{name}Result>");
    }
    let _ = write!(
        xml,
        "<ResponseMetadata><RequestId>{request_id}</RequestId></ResponseMetadata></{name}Response>"
    );
    xml
}

/// An error.
pub(super) fn write_fault(fault: &Fault, who: &str, request_id: &str) -> String {
    write_error(fault.kind.code(), &fault.message, who, request_id)
}

/// An error of a code.
pub(super) fn write_error(code: &str, message: &str, who: &str, request_id: &str) -> String {
    let mut xml =
        format!("<ErrorResponse xmlns=\"{NAMESPACE}\"><Error><Type>{who}</Type><Code>{code}</Code><Message>");
    write_escaped(message, &mut xml);
    let _ = write!(xml, "</Message></Error><RequestId>{request_id}</RequestId></ErrorResponse>");
    xml
}

fn write_value(value: &Value, xml: &mut String) {
    match value {
        Value::Null => {}
        Value::Bool(truth) => *xml += if *truth { "true" } else { "false" },
        Value::Integer(number) => *xml += &number.to_string(),
        Value::Double(number) => *xml += &double(*number),
        Value::Text(text) | Value::Form(text) => write_escaped(text, xml),
        Value::Time(time) => *xml += &time.to_string().replace(".000Z", "Z"),
        Value::List(list) => list.iter().for_each(|element| write_element("member", element, xml)),
        Value::Structure(members) => {
            members.iter().for_each(|(name, value)| write_element(name, value, xml));
        }
        Value::Map(entries) => {
            for (key, value) in entries {
                *xml += "<entry>";
                write_element("key", &Value::from(key.as_str()), xml);
                write_element("value", value, xml);
                *xml += "</entry>";
            }
        }
    }
}

fn write_element(name: &str, value: &Value, xml: &mut String) {
    let _ = write!(xml, "<{name}>");
    write_value(value, xml);
    let _ = write!(xml, "</{name}>");
}

/// A double as text; what is no number has a name.
pub(super) fn double(number: f64) -> String {
    match number {
        number if number.is_nan() => "NaN".into(),
        f64::INFINITY => "Infinity".into(),
        f64::NEG_INFINITY => "-Infinity".into(),
        number => format!("{number:?}"),
    }
}

fn write_escaped(text: &str, xml: &mut String) {
    for character in text.chars() {
        match character {
            '&' => *xml += "&amp;",
            '<' => *xml += "&lt;",
            '>' => *xml += "&gt;",
            '"' => *xml += "&quot;",
            // XML 1.0 has no place for other control characters.
            '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' => xml.push('\u{fffd}'),
            '\r' => *xml += "&#13;",
            other => xml.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_become_trees() {
        let form = |text: &str| Value::Form(text.to_owned());
        let body =
            b"Action=PutMetricData&Version=2010-08-01&Namespace=a%2Fb+c&MetricData.member.2.MetricName=y\
            &MetricData.member.1.MetricName=x&MetricData.member.10.MetricName=z&Empty=";
        let element = |name: &str| Value::Structure(vec![("MetricName".into(), form(name))]);
        let expected = Value::Structure(vec![
            ("Action".into(), form("PutMetricData")),
            ("Empty".into(), form("")),
            ("MetricData".into(), Value::List(vec![element("x"), element("y"), element("z")])),
            ("Namespace".into(), form("a/b c")),
            ("Version".into(), form("2010-08-01")),
        ]);
        assert_eq!(read(body), Ok(expected));
    }

    #[test]
    fn forms_that_contradict_themselves_are_told() {
        assert_eq!(read(b"A=1&A.B=2"), Err("A is both a value and a structure".into()));
        assert_eq!(read(b"A.member.x=1"), Err("A.member.x has no number".into()));
        assert!(read("A.".repeat(40).as_bytes()).unwrap_err().contains("nests deeper"));
        let many: String = (0..4_000).map(|number| format!("{number}{}&", ".x".repeat(30))).collect();
        assert_eq!(read(many.as_bytes()), Err("the form has more than 100000 names".into()));
        for text in ["%zz%4", "%-f"] {
            let form = Value::Form(text.into());
            assert_eq!(read(format!("A={text}").as_bytes()), Ok(Value::Structure(vec![("A".into(), form)])));
        }
        assert_eq!(decoded(b"%+f"), "% f");
    }

    #[test]
    fn answers_are_xml() {
        let value = Value::Structure(vec![
            ("Label".into(), "a<b & \"c\"".into()),
            (
                "Datapoints".into(),
                Value::List(vec![Value::Structure(vec![("Sum".into(), Value::Double(1.0))])]),
            ),
            ("ExtendedStatistics".into(), Value::Map(vec![("p99".into(), Value::Double(2.5))])),
        ]);
        assert_eq!(
            write_answer("Get", true, &value, "id"),
            "<GetResponse xmlns=\"http://monitoring.amazonaws.com/doc/2010-08-01/\"><GetResult>\
             <Label>a&lt;b &amp; &quot;c&quot;</Label><Datapoints><member><Sum>1.0</Sum></member></Datapoints>\
             <ExtendedStatistics><entry><key>p99</key><value>2.5</value></entry></ExtendedStatistics></GetResult>\
             <ResponseMetadata><RequestId>id</RequestId></ResponseMetadata></GetResponse>"
        );
    }
}

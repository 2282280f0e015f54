//! What properties a resource has, as data, and reading a mapping by it.
//!
//! Reading gives JSON whose values have the right types, whatever way they were written (`"5"`, `5`), and remembers
//! where each stood. Everything that does not fit is found in one pass.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::document::{Content, Entry, Node, Unknown};
use crate::finding::{Finding, Position};

/// What a value is.
#[derive(Clone, Copy)]
pub(super) enum Is {
    Text,
    OneOf(&'static [&'static str]),
    /// A whole number, at least this.
    Whole(i64),
    Number,
    Truth,
    List(&'static Is),
    Map(&'static [Property]),
}

/// A property.
#[derive(Clone, Copy)]
pub(super) struct Property {
    name: &'static str,
    is: Is,
    need: Need,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Optional,
    Required,
    /// Known, but not deployed here, and why.
    Refused(&'static str),
}

/// A property that may be left out.
pub(super) const fn optional(name: &'static str, is: Is) -> Property {
    Property { name, is, need: Need::Optional }
}

/// A property that must be there.
pub(super) const fn required(name: &'static str, is: Is) -> Property {
    Property { name, is, need: Need::Required }
}

/// A property that CloudFormation has and that is not deployed here.
pub(super) const fn refused(name: &'static str, why: &'static str) -> Property {
    Property { name, is: Is::Text, need: Need::Refused(why) }
}

/// Where properties stand: by path, such as `GlobalSecondaryIndexes/0/KeySchema`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Places(BTreeMap<String, Position>);

impl Places {
    /// Where a property stands; where it is left out, where the nearest thing around it does.
    pub fn at(&self, path: &str) -> Position {
        let mut path = path;
        loop {
            match (self.0.get(path), path.rsplit_once('/')) {
                (Some(at), _) => return *at,
                (None, Some((outer, _))) => path = outer,
                (None, None) => return self.0.get("").copied().unwrap_or_default(),
            }
        }
    }
}

/// A reading in progress.
pub(super) struct Reading<'r> {
    /// The resource, for messages.
    pub(super) owner: &'r str,
    /// Leave out what is not deployed here, with a note.
    pub(super) skip_unsupported: bool,
    pub(super) findings: Vec<Finding>,
    pub(super) notes: Vec<Finding>,
    pub(super) places: Places,
}

impl Reading<'_> {
    /// Reads the properties of the resource, which begins at `at`.
    pub(super) fn properties(&mut self, at: Position, node: &Node, shape: &'static [Property]) -> Value {
        self.places.0.insert(String::new(), at);
        let entries = node.as_map().unwrap_or_default();
        Value::Object(self.map(at, entries, shape, ""))
    }

    fn map(
        &mut self,
        at: Position,
        entries: &[Entry],
        shape: &'static [Property],
        path: &str,
    ) -> Map<String, Value> {
        let mut read = Map::new();
        for entry in entries {
            let inner = if path.is_empty() { entry.key.clone() } else { format!("{path}/{}", entry.key) };
            let Some(property) = shape.iter().find(|property| property.name == entry.key) else {
                let message = format!("{}: there is no property `{}`{}", self.owner, entry.key, within(path));
                let known = shape.iter().map(|property| property.name);
                self.findings.push(Finding::unknown(entry.key_at, message, &entry.key, known));
                continue;
            };
            if let Need::Refused(why) = property.need {
                self.leave_out(entry.key_at, format!("{}: {}{}: {why}", self.owner, entry.key, within(path)));
                continue;
            }
            if let Content::Unknown(unknown) = &entry.value.content {
                self.unknown(property, entry, unknown, path);
                continue;
            }
            self.places.0.insert(inner.clone(), entry.key_at);
            if let Some(value) = self.value(&entry.value, property.is, &inner) {
                read.insert(entry.key.clone(), value);
            }
        }
        for property in shape.iter().filter(|property| property.need == Need::Required) {
            if !entries.iter().any(|entry| entry.key == property.name) {
                let message =
                    format!("{}: the property {}{} is missing", self.owner, property.name, within(path));
                self.findings.push(Finding::new(at, message));
            }
        }
        read
    }

    /// A property whose value is not known.
    fn unknown(&mut self, property: &Property, entry: &Entry, unknown: &Unknown, path: &str) {
        let message =
            format!("{}: {}{} cannot be told: {}", self.owner, entry.key, within(path), unknown.why);
        match property.need {
            _ if unknown.is_later => self.findings.push(Finding::new(entry.value.at, message)),
            Need::Required => self.findings.push(Finding::new(entry.value.at, message)),
            _ => self.leave_out(entry.value.at, message),
        }
    }

    /// A finding, or a note when such things are to be left out.
    pub(super) fn leave_out(&mut self, at: Position, message: String) {
        if self.skip_unsupported {
            self.notes.push(Finding::new(at, format!("{message} (left out)")));
        } else {
            self.findings.push(Finding::new(at, message).hint("--skip-unsupported leaves it out"));
        }
    }

    fn value(&mut self, node: &Node, is: Is, path: &str) -> Option<Value> {
        let read = match (is, &node.content) {
            (_, Content::Unknown(unknown)) => {
                let message = format!("{}: {path} cannot be told: {}", self.owner, unknown.why);
                self.findings.push(Finding::new(node.at, message));
                return None;
            }
            (Is::Map(shape), Content::Map(entries)) => {
                Some(Value::Object(self.map(node.at, entries, shape, path)))
            }
            (Is::List(element), Content::List(nodes)) => {
                let mut list = Vec::with_capacity(nodes.len());
                for (index, node) in nodes.iter().enumerate() {
                    let inner = format!("{path}/{index}");
                    self.places.0.insert(inner.clone(), node.at);
                    list.extend(self.value(node, *element, &inner));
                }
                Some(Value::Array(list))
            }
            (is, Content::Text(text)) => scalar(is, text),
            _ => None,
        };
        if read.is_none() {
            let found = match &node.content {
                Content::Text(text) => format!("`{text}`"),
                _ => node.kind().to_owned(),
            };
            let message = format!("{}: {path} is {}, and not {found}", self.owner, is.words());
            self.findings.push(Finding::new(node.at, message));
        }
        read
    }
}

fn scalar(is: Is, text: &str) -> Option<Value> {
    match is {
        Is::Text => Some(Value::from(text)),
        Is::OneOf(words) => words.contains(&text).then(|| Value::from(text)),
        Is::Whole(least) => text.parse::<i64>().ok().filter(|number| *number >= least).map(Value::from),
        Is::Number => text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from),
        // YAML 1.1, which CloudFormation reads, has more words than two.
        Is::Truth => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(Value::Bool(true)),
            "false" | "no" | "off" => Some(Value::Bool(false)),
            _ => None,
        },
        Is::List(_) | Is::Map(_) => None,
    }
}

impl Is {
    fn words(self) -> String {
        match self {
            Is::Text => "a text".into(),
            Is::OneOf(words) => format!("one of {}", words.join(", ")),
            Is::Whole(least) => format!("a whole number from {least}"),
            Is::Number => "a number".into(),
            Is::Truth => "true or false".into(),
            Is::List(_) => "a list".into(),
            Is::Map(_) => "a mapping".into(),
        }
    }
}

fn within(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(" in {path}") }
}

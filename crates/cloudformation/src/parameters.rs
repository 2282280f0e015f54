//! Parameters: how they are declared, and whether what is given to them fits.

use std::collections::BTreeMap;

use regex_lite::Regex;

use crate::document::{Content, Entry, Node};
use crate::finding::{Finding, Position};

/// The attributes of a declaration.
const ATTRIBUTES: &[&str] = &[
    "Type",
    "Default",
    "AllowedValues",
    "AllowedPattern",
    "ConstraintDescription",
    "Description",
    "MinLength",
    "MaxLength",
    "MinValue",
    "MaxValue",
    "NoEcho",
];

/// The most bytes of a parameter's value.
///
/// # Source
/// AWS, CloudFormation User Guide 2026, "Understand CloudFormation quotas".
const VALUE_BYTES: usize = 4_096;

/// A parameter as a template declares it.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) at: Position,
    kind: Kind,
    default: Option<String>,
    allowed_values: Option<Vec<String>>,
    allowed_pattern: Option<(String, Regex)>,
    /// The author's own words for what is allowed.
    constraint: Option<String>,
    length: (Option<f64>, Option<f64>),
    value: (Option<f64>, Option<f64>),
    /// `NoEcho`: the value is not to be shown.
    is_secret: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    TextList,
    NumberList,
}

impl Parameter {
    pub(crate) fn read(entry: &Entry) -> Result<Parameter, Finding> {
        let (name, node) = (&entry.key, &entry.value);
        let Some(attributes) = node.as_map() else {
            return Err(Finding::new(
                node.at,
                format!("parameter {name} is a mapping, and this is {}", node.kind()),
            ));
        };
        if let Some(other) = attributes.iter().find(|other| !ATTRIBUTES.contains(&other.key.as_str())) {
            let message = format!("parameter {name} has no attribute `{}`", other.key);
            return Err(Finding::unknown(other.key_at, message, &other.key, ATTRIBUTES.iter().copied()));
        }
        let text = |key: &str| attribute(name, node, key, Node::as_text);
        let number = |key: &str| -> Result<Option<f64>, Finding> {
            let Some(text) = text(key)? else { return Ok(None) };
            let at = node.get(key).map_or(node.at, |value| value.at);
            text.parse().map(Some).map_err(|_| {
                Finding::new(at, format!("parameter {name}: {key} is a number, and not `{text}`"))
            })
        };
        let kind = match (text("Type")?, node.get("Type")) {
            (Some(kind), Some(at)) => read_kind(name, kind, at.at)?,
            _ => return Err(Finding::new(entry.key_at, format!("parameter {name} needs a Type"))),
        };
        let allowed_values = attribute(name, node, "AllowedValues", Node::as_list)?;
        let allowed_values =
            allowed_values.map(|list| list.iter().filter_map(Node::as_text).map(str::to_owned).collect());
        let allowed_pattern = match text("AllowedPattern")? {
            None => None,
            Some(pattern) => {
                let at = node.get("AllowedPattern").map_or(node.at, |value| value.at);
                Some((pattern.to_owned(), whole(pattern, name, at)?))
            }
        };
        let is_secret = text("NoEcho")?.is_some_and(|text| text.eq_ignore_ascii_case("true"));
        Ok(Parameter {
            name: name.clone(),
            at: entry.key_at,
            kind,
            default: text("Default")?.map(str::to_owned),
            allowed_values,
            allowed_pattern,
            constraint: text("ConstraintDescription")?.map(str::to_owned),
            length: (number("MinLength")?, number("MaxLength")?),
            value: (number("MinValue")?, number("MaxValue")?),
            is_secret,
        })
    }

    /// What the parameter is worth: what is given, or its default.
    fn resolve(&self, given: Option<&str>) -> Result<Content, Finding> {
        let Some(text) = given.or(self.default.as_deref()) else {
            return Err(Finding::new(
                self.at,
                format!("parameter {} has no default and is not given", self.name),
            )
            .hint(format!("--parameter {}=…", self.name)));
        };
        if text.len() > VALUE_BYTES {
            let message = format!(
                "parameter {} has {} bytes, and CloudFormation takes {VALUE_BYTES}",
                self.name,
                text.len()
            );
            return Err(Finding::new(self.at, message));
        }
        let elements: Vec<&str> = match self.kind {
            Kind::Text | Kind::Number => vec![text],
            Kind::TextList | Kind::NumberList if text.is_empty() => Vec::new(),
            Kind::TextList | Kind::NumberList => text.split(',').map(str::trim).collect(),
        };
        for element in &elements {
            self.check(element)?;
        }
        Ok(match self.kind {
            Kind::Text | Kind::Number => Content::Text(text.to_owned()),
            Kind::TextList | Kind::NumberList => {
                Content::List(elements.into_iter().map(|element| Node::text(self.at, element)).collect())
            }
        })
    }

    /// Holds one value against the constraints.
    fn check(&self, value: &str) -> Result<(), Finding> {
        let wrong = |rule: String| {
            let shown = if self.is_secret { "what is given".to_owned() } else { format!("`{value}`") };
            let finding = Finding::new(self.at, format!("parameter {}: {shown} {rule}", self.name));
            match &self.constraint {
                Some(constraint) => Err(finding.hint(constraint.clone())),
                None => Err(finding),
            }
        };
        let is_number = matches!(self.kind, Kind::Number | Kind::NumberList);
        let number = value.parse::<f64>().ok().filter(|number| number.is_finite());
        if is_number && number.is_none() {
            return wrong("is no number".into());
        }
        if let Some(allowed) = &self.allowed_values
            && !allowed.iter().any(|allowed| allowed == value)
        {
            return wrong(format!("is not one of {}", allowed.join(", ")));
        }
        if let Some((pattern, regex)) = &self.allowed_pattern
            && !regex.is_match(value)
        {
            return wrong(format!("does not fit the pattern {pattern}"));
        }
        let length = value.chars().count() as f64;
        let bounds = [
            (self.length.0.filter(|least| length < *least), "is shorter than", " characters"),
            (self.length.1.filter(|most| length > *most), "is longer than", " characters"),
            (self.value.0.filter(|least| number.is_some_and(|number| number < *least)), "is less than", ""),
            (self.value.1.filter(|most| number.is_some_and(|number| number > *most)), "is more than", ""),
        ];
        match bounds.into_iter().find_map(|(bound, words, unit)| Some((bound?, words, unit))) {
            Some((bound, words, unit)) => wrong(format!("{words} {bound}{unit}")),
            None => Ok(()),
        }
    }
}

/// What every parameter of a template is worth.
///
/// # Errors
/// A name that the template does not declare, a parameter that has no value, a value that does not fit.
pub(crate) fn resolve_all(
    declared: &[Parameter],
    given: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, Node>, Vec<Finding>> {
    let mut findings = Vec::new();
    let names = || declared.iter().map(|parameter| parameter.name.as_str());
    for name in given.keys().filter(|given| !names().any(|name| name == given.as_str())) {
        let message = format!("the template has no parameter `{name}`");
        findings.push(Finding::unknown(Position { line: 1, column: 1 }, message, name, names()));
    }
    let mut values = BTreeMap::new();
    for parameter in declared {
        match parameter.resolve(given.get(&parameter.name).map(String::as_str)) {
            Ok(content) => {
                values.insert(parameter.name.clone(), Node { at: parameter.at, content });
            }
            Err(finding) => findings.push(finding),
        }
    }
    if findings.is_empty() { Ok(values) } else { Err(findings) }
}

fn attribute<'n, T>(
    name: &str,
    node: &'n Node,
    key: &str,
    read: impl Fn(&'n Node) -> Option<T>,
) -> Result<Option<T>, Finding> {
    let Some(value) = node.get(key) else { return Ok(None) };
    let wrong = || Finding::new(value.at, format!("parameter {name}: {key} cannot be {}", value.kind()));
    read(value).map(Some).ok_or_else(wrong)
}

/// `AWS::…` types are ids of other services, so texts; those of the Parameter Store would have to be looked up.
fn read_kind(name: &str, kind: &str, at: Position) -> Result<Kind, Finding> {
    let is_foreign = |kind: &str| kind.starts_with("AWS::") && !kind.starts_with("AWS::SSM::");
    let list = kind.strip_prefix("List<").and_then(|rest| rest.strip_suffix('>'));
    match (kind, list) {
        ("String", _) => Ok(Kind::Text),
        ("Number", _) => Ok(Kind::Number),
        ("CommaDelimitedList", _) => Ok(Kind::TextList),
        (_, Some("Number")) => Ok(Kind::NumberList),
        (_, Some(element)) if is_foreign(element) || element == "String" => Ok(Kind::TextList),
        (kind, None) if is_foreign(kind) => Ok(Kind::Text),
        _ if kind.starts_with("AWS::SSM::") => Err(Finding::new(
            at,
            format!("parameter {name}: {kind} would have to be looked up in the Parameter Store"),
        )
        .hint("make it a String and give its value with --parameter")),
        _ => Err(Finding::unknown(
            at,
            format!("parameter {name}: there is no type `{kind}`"),
            kind,
            ["String", "Number", "CommaDelimitedList", "List<Number>"].into_iter(),
        )),
    }
}

/// A pattern must fit the whole value.
fn whole(pattern: &str, name: &str, at: Position) -> Result<Regex, Finding> {
    Regex::new(&format!("^(?:{pattern})$")).map_err(|error| {
        Finding::new(at, format!("parameter {name}: AllowedPattern cannot be read: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::parse;

    #[test]
    fn a_value_is_as_long_as_cloudformation_takes_it() {
        let tree = parse("P: { Type: CommaDelimitedList }").unwrap();
        let parameter = Parameter::read(&tree.as_map().unwrap()[0]).unwrap();
        assert!(parameter.resolve(Some(&"a".repeat(VALUE_BYTES))).is_ok());
        let found = parameter.resolve(Some(&"a,".repeat(VALUE_BYTES / 2 + 1))).unwrap_err();
        assert_eq!(found.to_string(), "1:1: parameter P has 4098 bytes, and CloudFormation takes 4096");
    }
}

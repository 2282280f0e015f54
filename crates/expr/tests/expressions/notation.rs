//! A short notation for values, so that a test case fits a line.
//!
//! `1` is a number, `"a"` a string, `b"a"` a binary, `true`, `false` and `null` are themselves, `[…]` is a list, `{a: …}`
//! a map, `<<…>>` a set. Names of maps need no quotes.

use dynamometer_expr::{ExpressionError, Placeholders};
use dynamometer_types::value::sort_set;
use dynamometer_types::{AttributeValue, Item};

/// The item `{…}`.
pub fn item(text: &str) -> Item {
    match value(text) {
        AttributeValue::M(item) => item,
        other => panic!("{text} is no item but {other:?}"),
    }
}

/// The value.
pub fn value(text: &str) -> AttributeValue {
    let mut notation = Notation { rest: text };
    let value = notation.value();
    notation.skip_spaces();
    assert_eq!(notation.rest, "", "{text}");
    value
}

/// Parses with the placeholders of `{#a: "name", :v: 1}`, every one of which must be used.
pub fn parse<T>(
    placeholders: &str,
    parse: impl FnOnce(&Placeholders<'_>) -> Result<T, ExpressionError>,
) -> Result<T, String> {
    let (mut names, mut values) = (vec![], vec![]);
    for (key, value) in item(if placeholders.is_empty() { "{}" } else { placeholders }) {
        match (key.starts_with('#'), value) {
            (true, AttributeValue::S(name)) => names.push((key.into(), name.into())),
            (_, value) => values.push((key.into(), value)),
        }
    }
    let placeholders = Placeholders::new(Some(&names), Some(&values));
    let parsed = parse(&placeholders)?;
    placeholders.check_all_used()?;
    Ok(parsed)
}

struct Notation<'t> {
    rest: &'t str,
}

impl<'t> Notation<'t> {
    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn accept(&mut self, start: &str) -> bool {
        self.skip_spaces();
        match self.rest.strip_prefix(start) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn until(&mut self, is_end: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        text
    }

    fn quoted(&mut self) -> String {
        let text = self.until(|c| c == '"').to_string();
        assert!(self.accept("\""), "an open quote");
        text
    }

    fn list(&mut self, end: &str) -> Vec<AttributeValue> {
        let mut list = vec![];
        while !self.accept(end) {
            list.push(self.value());
            self.accept(",");
        }
        list
    }

    fn value(&mut self) -> AttributeValue {
        if self.accept("{") {
            let mut members = vec![];
            while !self.accept("}") {
                let name = if self.accept("\"") { self.quoted() } else { self.name() };
                assert!(self.accept(":"), "{name} without a value");
                members.push((name, self.value()));
                self.accept(",");
            }
            AttributeValue::M(members.into_iter().collect())
        } else if self.accept("[") {
            AttributeValue::L(self.list("]"))
        } else if self.accept("<<") {
            set(self.list(">>"))
        } else if self.accept("b\"") {
            AttributeValue::B(self.quoted().into_bytes())
        } else if self.accept("\"") {
            AttributeValue::s(self.quoted())
        } else {
            self.skip_spaces();
            match self.until(|c| ",]}> ".contains(c)) {
                "true" => AttributeValue::Bool(true),
                "false" => AttributeValue::Bool(false),
                "null" => AttributeValue::Null,
                number => AttributeValue::N(number.parse().unwrap()),
            }
        }
    }

    fn name(&mut self) -> String {
        self.skip_spaces();
        let sigil = if self.accept(":") { ":" } else { "" };
        format!("{sigil}{}", self.until(|c| c == ':'))
    }
}

fn set(members: Vec<AttributeValue>) -> AttributeValue {
    fn all<T: Ord>(members: Vec<AttributeValue>, of: fn(AttributeValue) -> Option<T>) -> Option<Vec<T>> {
        let members: Vec<T> = members.into_iter().map(of).collect::<Option<_>>()?;
        sort_set(members).ok()
    }
    let strings = |value| if let AttributeValue::S(text) = value { Some(text) } else { None };
    let numbers = |value| if let AttributeValue::N(number) = value { Some(number) } else { None };
    let binaries = |value| if let AttributeValue::B(bytes) = value { Some(bytes) } else { None };
    match members[0] {
        AttributeValue::S(_) => AttributeValue::Ss(all(members, strings).unwrap()),
        AttributeValue::N(_) => AttributeValue::Ns(all(members, numbers).unwrap()),
        _ => AttributeValue::Bs(all(members, binaries).unwrap()),
    }
}

//! Literals become attribute values.

use dynamometer_types::number::Reader;
use dynamometer_types::value::{ValueType, sort_set};
use dynamometer_types::{AttributeValue, Item, Layer, Number, ValueFault, limits};

use super::lowering::{EMPTY_NAME, Lowering};
use super::syntax::{Expr, ExprKind};

/// AWS's words for a bag that is no set.
const NO_SET: &str = "Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags";

/// What AWS calls the outermost value in its errors.
const ROOT: &str = "root";

impl Lowering<'_> {
    /// The value of a literal or of a parameter. What is neither becomes NULL, with a fault.
    pub(super) fn value(&mut self, expression: &Expr) -> AttributeValue {
        match &expression.kind {
            ExprKind::Parameter(place) => self.parameter(*place),
            _ => self.literal(expression, ROOT, 0),
        }
    }

    /// The value of a literal that stands at `path` of an outer one, `levels` deep.
    fn literal(&mut self, expression: &Expr, path: &str, levels: usize) -> AttributeValue {
        if levels == limits::NESTING_LEVELS {
            self.refuse(|| format!("Nesting Levels have exceeded supported limits under {path}"));
            return AttributeValue::Null;
        }
        match &expression.kind {
            ExprKind::Text(text) => AttributeValue::s(text),
            ExprKind::Number(text) => self.number(text, path).map_or(AttributeValue::Null, AttributeValue::N),
            ExprKind::Bool(value) => AttributeValue::Bool(*value),
            ExprKind::Null => AttributeValue::Null,
            ExprKind::List(members) => {
                let member =
                    |(at, member): (usize, &Expr)| self.literal(member, &format!("{path}[{at}]"), levels + 1);
                AttributeValue::L(members.iter().enumerate().map(member).collect())
            }
            ExprKind::Struct(members) => AttributeValue::M(self.structure(members, path, levels)),
            ExprKind::Bag(members) => self.bag(members, path),
            ExprKind::Ion(text) => {
                let kind = ion_type(text);
                self.refuse(|| {
                    format!("Ion Literals are not supported: {kind} under key {path} at {}", expression.at)
                });
                AttributeValue::Null
            }
            kind => {
                // A call has its name only where it is no part of another value.
                let name =
                    if levels > 0 && matches!(kind, ExprKind::Call(..)) { "Call" } else { kind.name() };
                self.refuse(|| {
                    format!("Unsupported data type: {name} under key {path} at {}", expression.at)
                });
                AttributeValue::Null
            }
        }
    }

    fn number(&mut self, text: &str, path: &str) -> Option<Number> {
        match Number::parse(text, Reader::BigDecimal) {
            Ok(number) => Some(number),
            Err(fault) => {
                self.refuse(|| format!("{fault} under {path}"));
                None
            }
        }
    }

    fn structure(&mut self, members: &[(Expr, Expr)], path: &str, levels: usize) -> Item {
        let mut item = Item::new();
        for (key, value) in members {
            let Some(name) = self.member_name(key, path) else { continue };
            let value = self.literal(value, &format!("{path}.{name}"), levels + 1);
            self.insert(&mut item, name, value, path);
        }
        item
    }

    /// The item of an INSERT: its attributes are values of their own, and may be parameters.
    pub(super) fn item(&mut self, expression: &Expr) -> Item {
        let mut item = Item::new();
        let ExprKind::Struct(members) = &expression.kind else {
            let kind = expression.kind.name();
            self.refuse(|| format!("Unsupported data type: {kind} under key {ROOT} at {}", expression.at));
            return item;
        };
        for (key, value) in members {
            let Some(name) = self.member_name(key, ROOT) else { continue };
            let value = self.value(value);
            self.insert(&mut item, name, value, ROOT);
        }
        item
    }

    fn insert(&mut self, item: &mut Item, name: &str, value: AttributeValue, path: &str) {
        if item.insert(name, value).is_some() {
            self.refuse(|| format!("Duplicate keys in tuple. Key: {name} under {path}"));
        }
    }

    fn member_name<'e>(&mut self, key: &'e Expr, path: &str) -> Option<&'e str> {
        match &key.kind {
            ExprKind::Text(name) if name.is_empty() => {
                self.refuse(|| EMPTY_NAME.into());
                None
            }
            ExprKind::Text(name) => Some(name),
            kind => {
                self.refuse(|| {
                    format!("Unsupported key type in tuple: {} under key {path} at {}", kind.name(), key.at)
                });
                None
            }
        }
    }

    /// A bag is a set of strings or of numbers, as its first member is.
    fn bag(&mut self, members: &[Expr], path: &str) -> AttributeValue {
        let set = match members.first().map(|first| (first, &first.kind)) {
            None => {
                self.refuse(|| "Empty bags are not supported".into());
                None
            }
            Some((_, ExprKind::Text(_))) => self.string_set(members, path),
            Some((_, ExprKind::Number(_))) => self.number_set(members, path),
            Some((first, _)) => self.misfit(format!("{NO_SET} at {}", first.at)),
        };
        set.unwrap_or(AttributeValue::Null)
    }

    fn string_set(&mut self, members: &[Expr], path: &str) -> Option<AttributeValue> {
        let mut sent = Vec::with_capacity(members.len());
        for member in members {
            match &member.kind {
                ExprKind::Text(text) => sent.push(text.clone()),
                _ => return self.odd_member(member, path, format!("{NO_SET} at {}", member.at)),
            }
        }
        let texts = sent.iter().map(Into::into).collect();
        Some(sort_set(texts).map_or_else(|_| self.repeated(sent), AttributeValue::Ss))
    }

    fn number_set(&mut self, members: &[Expr], path: &str) -> Option<AttributeValue> {
        let (mut sent, mut numbers) = (Vec::with_capacity(members.len()), Vec::with_capacity(members.len()));
        for member in members {
            match &member.kind {
                ExprKind::Number(text) => {
                    sent.push(text.as_str());
                    numbers.extend(self.number(text, path));
                }
                ExprKind::Null => {
                    return self.misfit(format!(
                        "One or more parameter values were invalid: Numeric sets may not contain null under {path}"
                    ));
                }
                // Unlike with strings, AWS does not say where.
                _ => return self.odd_member(member, path, NO_SET.into()),
            }
        }
        if let Ok(numbers) = sort_set(numbers) {
            return Some(AttributeValue::Ns(numbers));
        }
        // The end differs from what is said of strings.
        self.misfit(format!(
            "One or more parameter values were invalid: Input collection [{}] contains duplicates! under {path}",
            sent.join(", ")
        ))
    }

    /// Refuses what is no member of a set after the first: a parameter and an Ion literal in their own words.
    fn odd_member(&mut self, member: &Expr, path: &str, message: String) -> Option<AttributeValue> {
        match member.kind {
            ExprKind::Parameter(_) | ExprKind::Ion(_) => Some(self.literal(member, path, 0)),
            _ => self.misfit(message),
        }
    }

    fn misfit(&mut self, message: String) -> Option<AttributeValue> {
        self.refuse(|| message);
        None
    }

    fn repeated(&mut self, sent: Vec<String>) -> AttributeValue {
        let fault = ValueFault::Duplicate { set: ValueType::Ss, reordered: sent.clone(), sent };
        self.refuse(|| fault.message(Layer::Older));
        AttributeValue::Null
    }
}

/// The type of an Ion literal as AWS names it, as far as its first characters tell.
fn ion_type(text: &str) -> &'static str {
    let text = text.trim();
    let begins = |starts: &[&str]| starts.iter().any(|start| text.starts_with(start));
    match () {
        () if text == "null" => "NULL",
        () if text == "true" || text == "false" => "BOOL",
        () if begins(&["{{\"", "{{'"]) => "CLOB",
        () if begins(&["{{"]) => "BLOB",
        () if begins(&["{"]) => "STRUCT",
        () if begins(&["["]) => "LIST",
        () if begins(&["("]) => "SEXP",
        () if begins(&["\""]) => "STRING",
        () if text.contains('T') && text.starts_with(|first: char| first.is_ascii_digit()) => "TIMESTAMP",
        () if text.parse::<i64>().is_ok() => "INT",
        () if text.parse::<f64>().is_ok() && text.contains(['e', 'E']) => "FLOAT",
        () if text.parse::<f64>().is_ok() => "DECIMAL",
        () => "SYMBOL",
    }
}

//! Expressions as text again.

use dynamometer_types::AttributeValue;

use crate::condition::{Condition, Operand};
use crate::lexer::is_bare_name;
use crate::path::{Path, PathStep};
use crate::projection::Projection;
use crate::update::{Action, Change, SetValue, Update, UpdateOperand};

/// An expression with its placeholders, as a request would have it.
///
/// Names that may stand bare do; parsing the text again gives an equal expression. A condition without any
/// clause, which only the legacy parameters can make, has an empty text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExpressionText {
    /// The expression.
    pub text: String,
    /// `ExpressionAttributeNames`
    pub names: Vec<(String, String)>,
    /// `ExpressionAttributeValues`
    pub values: Vec<(String, AttributeValue)>,
    /// Whether names stand for themselves, and values are left out.
    is_shape: bool,
}

impl Condition {
    /// The condition as a ConditionExpression or FilterExpression.
    pub fn to_expression(&self) -> ExpressionText {
        let mut out = ExpressionText::default();
        out.condition(self);
        out
    }

    /// What the condition is like, for people: real names, and `…` for each value or list of values, so that conditions which
    /// differ in their values alone have one text.
    pub fn shape(&self) -> String {
        let mut out = ExpressionText { is_shape: true, ..ExpressionText::default() };
        out.condition(self);
        out.text
    }
}

impl Projection {
    /// The projection as a ProjectionExpression.
    pub fn to_expression(&self) -> ExpressionText {
        let mut out = ExpressionText::default();
        out.list(self.paths(), ExpressionText::path);
        out
    }
}

impl Update {
    /// The update as an UpdateExpression, its changes gathered in sections.
    pub fn to_expression(&self) -> ExpressionText {
        let mut out = ExpressionText::default();
        let mut written: Vec<&str> = Vec::new();
        for action in self.actions() {
            let section = section(action);
            if written.contains(&section) {
                continue;
            }
            out.text.push_str(if written.is_empty() { "" } else { " " });
            out.text.push_str(section);
            out.text.push(' ');
            written.push(section);
            out.list(
                self.actions().iter().filter(|other| self::section(other) == section),
                ExpressionText::action,
            );
        }
        out
    }
}

fn section(action: &Action) -> &'static str {
    match action.change {
        Change::Set(_) => "SET",
        Change::Remove => "REMOVE",
        Change::Add(_) => "ADD",
        Change::Delete(_) => "DELETE",
    }
}

impl ExpressionText {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn list<T>(&mut self, list: impl IntoIterator<Item = T>, write: fn(&mut ExpressionText, T)) {
        for (at, one) in list.into_iter().enumerate() {
            if at > 0 {
                self.push(", ");
            }
            write(self, one);
        }
    }

    fn name(&mut self, name: &str) {
        if self.is_shape || is_bare_name(name) {
            return self.push(name);
        }
        let known = self.names.iter().position(|(_, known)| known == name);
        let at = known.unwrap_or(self.names.len());
        let placeholder = format!("#n{at}");
        self.push(&placeholder);
        if known.is_none() {
            self.names.push((placeholder, name.to_owned()));
        }
    }

    fn value(&mut self, value: &AttributeValue) {
        if self.is_shape {
            return self.push("…");
        }
        let placeholder = format!(":v{}", self.values.len());
        self.push(&placeholder);
        self.values.push((placeholder, value.clone()));
    }

    fn path(&mut self, path: &Path) {
        self.name(path.name());
        for step in path.steps() {
            match step {
                PathStep::Name(name) => {
                    self.push(".");
                    self.name(name);
                }
                PathStep::Index(at) => self.push(&format!("[{at}]")),
            }
        }
    }

    fn call(&mut self, name: &str, write: impl FnOnce(&mut ExpressionText)) {
        self.push(name);
        self.push("(");
        write(self);
        self.push(")");
    }

    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Path(path) => self.path(path),
            Operand::Value(value) => self.value(value),
            Operand::Size(inner) => self.call("size", |out| out.operand(inner)),
            // No expression of a request holds one, so that there is nothing to parse it with.
            Operand::Test(condition) => self.call("", |out| out.condition(condition)),
        }
    }

    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::And(all) => self.joined(all, " AND "),
            Condition::Or(any) => self.joined(any, " OR "),
            Condition::Not(inner) => {
                self.push("NOT ");
                self.joined(std::slice::from_ref(inner), "");
            }
            Condition::Compare { left, comparator, right } => {
                self.operand(left);
                self.push(&format!(" {} ", comparator.symbol()));
                self.operand(right);
            }
            Condition::Between { operand, low, high } => {
                self.operand(operand);
                self.push(" BETWEEN ");
                self.operand(low);
                self.push(" AND ");
                self.operand(high);
            }
            Condition::In { operand, list } => {
                self.operand(operand);
                let is_values = list.iter().all(|one| matches!(one, Operand::Value(_)));
                let shown = if self.is_shape && is_values { &list[..list.len().min(1)] } else { list };
                self.call(" IN ", |out| out.list(shown, ExpressionText::operand));
            }
            Condition::AttributeExists(path) => self.call("attribute_exists", |out| out.path(path)),
            Condition::AttributeNotExists(path) => self.call("attribute_not_exists", |out| out.path(path)),
            Condition::AttributeType(operand, kind) => self.call("attribute_type", |out| {
                out.operand(operand);
                out.push(", ");
                out.value(&AttributeValue::s(kind.name()));
            }),
            Condition::BeginsWith(whole, start) => {
                self.call("begins_with", |out| out.list([whole, start], ExpressionText::operand));
            }
            Condition::Contains(whole, part) => {
                self.call("contains", |out| out.list([whole, part], ExpressionText::operand));
            }
        }
    }

    /// Conditions with an operator between them, those that are joined themselves in parentheses.
    fn joined<C: std::borrow::Borrow<Condition>>(&mut self, list: &[C], operator: &str) {
        for (at, one) in list.iter().enumerate() {
            if at > 0 {
                self.push(operator);
            }
            match one.borrow() {
                joined @ (Condition::And(_) | Condition::Or(_)) => self.call("", |out| out.condition(joined)),
                single => self.condition(single),
            }
        }
    }

    fn action(&mut self, action: &Action) {
        self.path(&action.path);
        match &action.change {
            Change::Set(value) => {
                self.push(" = ");
                self.set_value(value);
            }
            Change::Remove => {}
            Change::Add(value) | Change::Delete(value) => {
                self.push(" ");
                self.value(value);
            }
        }
    }

    fn set_value(&mut self, value: &SetValue) {
        let (left, operator, right) = match value {
            SetValue::Operand(operand) => return self.update_operand(operand),
            SetValue::Sum(left, right) => (left, " + ", right),
            SetValue::Difference(left, right) => (left, " - ", right),
        };
        self.update_operand(left);
        self.push(operator);
        self.update_operand(right);
    }

    fn update_operand(&mut self, operand: &UpdateOperand) {
        match operand {
            UpdateOperand::Path(path) => self.path(path),
            UpdateOperand::Value(value) => self.value(value),
            UpdateOperand::IfNotExists(path, otherwise) => self.call("if_not_exists", |out| {
                out.path(path);
                out.push(", ");
                out.update_operand(otherwise);
            }),
            UpdateOperand::ListAppend(first, second) => self.call("list_append", |out| {
                out.update_operand(first);
                out.push(", ");
                out.update_operand(second);
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use dynamometer_types::AttributeValue as Value;

    use super::*;
    use crate::condition::Comparator;

    #[test]
    fn a_shape_has_names_and_no_values() {
        let path = |name: &str| Operand::Path(Path::top_level(name));
        let text = |text: &str| Operand::Value(Value::s(text));
        let condition = |who: &str, states: &[&str]| {
            Condition::And(vec![
                Condition::Compare { left: path("e mail"), comparator: Comparator::Equal, right: text(who) },
                Condition::In {
                    operand: path("status"),
                    list: states.iter().map(|state| text(state)).collect(),
                },
                Condition::Not(Box::new(Condition::BeginsWith(path("size"), text(who)))),
            ])
        };
        let shape = condition("alice", &["OPEN", "PAID"]).shape();
        assert_eq!(shape, "e mail = … AND status IN (…) AND NOT begins_with(size, …)");
        assert_eq!(shape, condition("bob", &["OPEN"]).shape());
    }
}

//! SET and REMOVE become an update.

use dynamometer_types::AttributeValue;
use dynamometer_types::value::ValueType;

use super::lowering::Lowering;
use super::syntax::{ActionSyntax, Expr, ExprKind};
use crate::condition_rules::{check_count, operand_type};
use crate::path::Path;
use crate::reader::{Fault, FaultSink};
use crate::update::{Action, Change, SetValue, Update, UpdateOperand};

impl Lowering<'_> {
    /// The update of all SETs and REMOVEs of a statement.
    pub(super) fn update(&mut self, actions: &[ActionSyntax]) -> Update {
        let actions: Vec<Action> = actions
            .iter()
            .map(|action| {
                let path = self.path(&action.target);
                let change = match &action.value {
                    None => Change::Remove,
                    Some(value) => self.change(&path, value),
                };
                Action { path, change }
            })
            .collect();
        for (at, later) in actions.iter().enumerate() {
            for earlier in &actions[..at] {
                if let Some(clash) = earlier.path.clash(&later.path) {
                    self.fault(clash.fault(), || clash.message(&earlier.path, &later.path));
                }
            }
        }
        Update::from_actions(actions)
    }

    fn change(&mut self, target: &Path, value: &Expr) -> Change {
        match &value.kind {
            ExprKind::Call(name, arguments) if name == "set_add" => {
                Change::Add(self.set_argument(target, value, "SET_ADD", arguments))
            }
            ExprKind::Call(name, arguments) if name == "set_delete" => {
                Change::Delete(self.set_argument(target, value, "SET_DELETE", arguments))
            }
            ExprKind::Binary(symbol @ ("+" | "-"), left, right) => {
                let (left, right) = (self.update_operand(left), self.update_operand(right));
                self.check_types(symbol, ValueType::N, [&left, &right]);
                Change::Set(if *symbol == "+" {
                    SetValue::Sum(left, right)
                } else {
                    SetValue::Difference(left, right)
                })
            }
            _ => Change::Set(SetValue::Operand(self.update_operand(value))),
        }
    }

    /// The members that a set gains or loses: `SET path = set_add(path, <<…>>)`.
    fn set_argument(&mut self, target: &Path, call: &Expr, name: &str, arguments: &[Expr]) -> AttributeValue {
        let [first, second] = arguments else {
            self.refuse(|| format!("{name} must have exactly two arguments at {}", call.at));
            return AttributeValue::Null;
        };
        let is_target = matches!(first.kind, ExprKind::Path(..)) && self.path(first) == *target;
        if !is_target {
            self.refuse(|| {
                format!("The first argument to {name} must equal the assignment value at {}", call.at)
            });
        }
        let is_set = |kind| matches!(kind, ValueType::Ss | ValueType::Ns | ValueType::Bs);
        let takes = match &second.kind {
            ExprKind::Bag(_) => true,
            ExprKind::Parameter(place) => is_set(self.parameter(*place).value_type()),
            _ => false,
        };
        if !takes {
            // The place is that of the first argument.
            self.refuse(|| {
                format!("The second argument to {name} must be a value with type SET at {}", first.at)
            });
            return AttributeValue::Null;
        }
        self.value(second)
    }

    fn update_operand(&mut self, expression: &Expr) -> UpdateOperand {
        match &expression.kind {
            ExprKind::Path(..) => UpdateOperand::Path(self.path(expression)),
            ExprKind::Call(name, arguments) if name == "list_append" || name == "if_not_exists" => {
                self.update_call(name, arguments)
            }
            ExprKind::Call(name, _) => {
                self.refuse(|| format!("Unrecognized function: {name} at {}", expression.at));
                UpdateOperand::Value(AttributeValue::Null)
            }
            ExprKind::Binary(symbol, ..) => {
                self.refuse(|| format!("Unsupported operator in Update Expression. Operator: {symbol}"));
                UpdateOperand::Value(AttributeValue::Null)
            }
            _ => UpdateOperand::Value(self.value(expression)),
        }
    }

    fn update_call(&mut self, name: &str, arguments: &[Expr]) -> UpdateOperand {
        check_count(self, name, 2, arguments.len());
        let [first, second] = arguments else { return UpdateOperand::Value(AttributeValue::Null) };
        if name == "if_not_exists" {
            if !matches!(first.kind, ExprKind::Path(..)) {
                self.fault(Fault::OperandType, || {
                    format!("Operator or function requires a document path; operator or function: {name}")
                });
                return UpdateOperand::Value(AttributeValue::Null);
            }
            let path = self.path(first);
            return UpdateOperand::IfNotExists(path, Box::new(self.update_operand(second)));
        }
        let (first, second) = (self.update_operand(first), self.update_operand(second));
        self.check_types(name, ValueType::L, [&first, &second]);
        UpdateOperand::ListAppend(Box::new(first), Box::new(second))
    }

    fn check_types(&mut self, operator: &str, takes: ValueType, operands: [&UpdateOperand; 2]) {
        for operand in operands {
            if let UpdateOperand::Value(value) = operand
                && value.value_type() != takes
            {
                let found = value.value_type().name();
                self.fault(Fault::OperandType, || operand_type(operator, found));
            }
        }
    }
}

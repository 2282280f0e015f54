//! What statements mean: their expressions become the conditions, projections and updates that the other operations
//! have.
//!
//! All faults are found on the way, in the order written, and the one that AWS would report stays: what cannot be
//! understood first, then too many operators, then operands that are too many or the same, then operands of wrong types.

use dynamometer_types::value::ValueType;
use dynamometer_types::{AttributeValue, limits};

use super::error::StatementError;
use super::syntax::{Expr, ExprKind, StepSyntax};
use crate::condition::{Comparator, Condition, Operand};
use crate::condition_rules as rules;
use crate::path::{Path, PathStep};
use crate::reader::{Fault, FaultSink};

/// The functions of a WHERE clause; `size` is the only one that is not a condition.
const FUNCTIONS: [&str; 6] =
    ["attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains", "size"];

/// The types that IS takes, by the names that the parser gives them.
const IS_TYPES: [(&str, ValueType); 7] = [
    ("NullType", ValueType::Null),
    ("BooleanType", ValueType::Bool),
    ("BlobType", ValueType::B),
    ("StringType", ValueType::S),
    ("NumericType", ValueType::N),
    ("ListType", ValueType::L),
    ("StructType", ValueType::M),
];

/// When a fault is told: the earliest stage first.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Stage {
    NotUnderstood,
    TooManyOperators,
    Operands,
    OperandTypes,
}

/// Lowers the expressions of one statement.
pub(super) struct Lowering<'p> {
    parameters: &'p [AttributeValue],
    operators: usize,
    worst: Option<(Stage, String)>,
}

impl FaultSink for Lowering<'_> {
    fn fault(&mut self, fault: Fault, message: impl FnOnce() -> String) {
        let stage = match fault {
            Fault::TooManyOperators => Stage::TooManyOperators,
            Fault::OperandCount
            | Fault::SameOperand
            | Fault::Overlap
            | Fault::Conflict
            | Fault::PathDepth => Stage::Operands,
            Fault::OperandType | Fault::ActionOperand => Stage::OperandTypes,
            _ => Stage::NotUnderstood,
        };
        self.note(stage, message);
    }
}

impl<'p> Lowering<'p> {
    pub(super) fn new(parameters: &'p [AttributeValue]) -> Lowering<'p> {
        Lowering { parameters, operators: 0, worst: None }
    }

    fn note(&mut self, stage: Stage, message: impl FnOnce() -> String) {
        if self.worst.as_ref().is_none_or(|(worst, _)| stage < *worst) {
            self.worst = Some((stage, message()));
        }
    }

    /// Notes something that has no meaning here.
    pub(super) fn refuse(&mut self, message: impl FnOnce() -> String) {
        self.note(Stage::NotUnderstood, message);
    }

    /// What was lowered, unless a fault was noted.
    pub(super) fn finish<T>(self, lowered: T) -> Result<T, StatementError> {
        match self.worst {
            None => Ok(lowered),
            Some((_, message)) => Err(StatementError::new(message)),
        }
    }

    fn count_operators(&mut self, count: usize) {
        let before = self.operators;
        self.operators += count;
        let most = limits::EXPRESSION_OPERATORS;
        if before <= most && self.operators > most {
            // AWS stops counting at the first one too many.
            self.fault(Fault::TooManyOperators, || {
                format!("The expression contains too many operators; operator count: {}", most + 1)
            });
        }
    }

    /// The value of a parameter. That there are enough of them was checked.
    pub(super) fn parameter(&self, place: usize) -> AttributeValue {
        self.parameters.get(place).cloned().unwrap_or(AttributeValue::Null)
    }

    /// A condition, as WHERE has it.
    pub(super) fn condition(&mut self, expression: &Expr) -> Condition {
        match &expression.kind {
            ExprKind::And(all) => {
                self.count_operators(all.len() - 1);
                Condition::And(all.iter().map(|one| self.condition_of("AND", one)).collect())
            }
            ExprKind::Or(any) => {
                self.count_operators(any.len() - 1);
                Condition::Or(any.iter().map(|one| self.condition_of("OR", one)).collect())
            }
            ExprKind::Not(inner) => {
                self.count_operators(1);
                Condition::Not(Box::new(self.condition_of("NOT", inner)))
            }
            ExprKind::Binary(symbol, left, right) => match comparator(symbol) {
                Some(comparator) => self.comparison(left, comparator, right),
                None => self.unsupported_operator(symbol),
            },
            ExprKind::Between(operands) => {
                self.count_operators(1);
                let [operand, low, high] = operands.each_ref().map(|operand| self.operand(operand));
                rules::check_between(self, &operand, &low, &high);
                Condition::Between { operand, low, high }
            }
            ExprKind::In(operand, list) => self.in_list(operand, list),
            ExprKind::Is(operand, kind) => self.is_type(operand, kind),
            ExprKind::Call(name, arguments) => self.call(expression, name, arguments),
            ExprKind::Missing => self.misplaced_missing(),
            _ => self.unsupported(expression),
        }
    }

    fn unsupported(&mut self, expression: &Expr) -> Condition {
        let at = expression.at;
        self.refuse(|| match &expression.kind {
            ExprKind::Select(_) => format!("Unsupported token in expression: SELECT at {at}"),
            kind => format!("Unsupported operation: {} at {at}", kind.name()),
        });
        nothing()
    }

    /// What AND, OR and NOT join: a size is a number, which they do not take.
    fn condition_of(&mut self, operator: &str, expression: &Expr) -> Condition {
        match &expression.kind {
            ExprKind::Call(name, _) if name == "size" => {
                self.operand(expression);
                self.fault(Fault::OperandType, || rules::operand_type(operator, "N"));
                nothing()
            }
            _ => self.condition(expression),
        }
    }

    fn unsupported_operator(&mut self, symbol: &str) -> Condition {
        self.refuse(|| format!("Unsupported operator in Condition Expression. Operator: {symbol}"));
        nothing()
    }

    fn misplaced_missing(&mut self) -> Condition {
        self.refuse(|| "MISSING must be compared using IS operator".into());
        nothing()
    }

    fn comparison(&mut self, left: &Expr, comparator: Comparator, right: &Expr) -> Condition {
        self.count_operators(1);
        let (left, right) = (self.operand(left), self.operand(right));
        rules::check_comparison(self, &left, comparator, &right);
        Condition::Compare { left, comparator, right }
    }

    fn in_list(&mut self, operand: &Expr, list: &Expr) -> Condition {
        self.count_operators(1);
        let operand = self.operand(operand);
        let ExprKind::List(members) = &list.kind else {
            return self.unsupported(list);
        };
        let list: Vec<Operand> = members.iter().map(|member| self.operand(member)).collect();
        rules::check_in(self, &operand, &list);
        Condition::In { operand, list }
    }

    fn is_type(&mut self, tested: &Expr, kind: &str) -> Condition {
        self.count_operators(1);
        let operand = self.operand(tested);
        if is_condition(&tested.kind) || matches!(operand, Operand::Size(_)) {
            self.refuse(|| {
                "The left hand side argument to IS must be a Variable Reference, Literal, or Path".into()
            });
            return nothing();
        }
        let kind = if kind == "TupleType" { "StructType" } else { kind };
        if kind == "MissingType" {
            return match operand {
                Operand::Path(path) => Condition::AttributeNotExists(path),
                // A value is never missing.
                _ => Condition::Or(Vec::new()),
            };
        }
        match IS_TYPES.iter().find(|(known, _)| *known == kind) {
            Some((_, kind)) => Condition::AttributeType(operand, *kind),
            None => {
                self.refuse(|| {
                    format!(
                        "Unsupported data type for IS operator: {kind}. Supported data types are [MISSING, NULL, \
                         BOOLEAN, BLOB, STRING, NUMERIC, STRUCT, TUPLE, LIST] at {}",
                        tested.at
                    )
                });
                nothing()
            }
        }
    }

    /// A call that is a condition.
    fn call(&mut self, call: &Expr, name: &str, arguments: &[Expr]) -> Condition {
        if let ("exists", [inner @ Expr { kind: ExprKind::Select(_), .. }]) = (name, arguments) {
            return self.unsupported(inner);
        }
        if !FUNCTIONS.contains(&name) {
            self.refuse(|| format!("Unrecognized function: {name} at {}", call.at));
            return nothing();
        }
        if name == "size" {
            self.refuse(|| "WHERE clause must contain an expression that resolves to a boolean".into());
            return nothing();
        }
        self.count_operators(1);
        let count = arguments.len();
        let mut operands =
            arguments.iter().map(|argument| self.operand(argument)).collect::<Vec<_>>().into_iter();
        let Some(first) = operands.next() else {
            rules::check_count(self, name, 1, count);
            return nothing();
        };
        rules::condition_function(self, name, first, operands.next(), count)
    }

    /// Something that a condition compares.
    fn operand(&mut self, expression: &Expr) -> Operand {
        match &expression.kind {
            ExprKind::Path(..) => Operand::Path(self.path(expression)),
            ExprKind::Parameter(place) => Operand::Value(self.parameter(*place)),
            ExprKind::Call(name, arguments) if name == "size" => {
                self.count_operators(1);
                let sized: Vec<Operand> = arguments.iter().map(|argument| self.operand(argument)).collect();
                match sized.first() {
                    Some(operand) => rules::check_size(self, operand, sized.len()),
                    None => rules::check_count(self, "size", 1, 0),
                }
                let operand = sized.into_iter().next();
                Operand::Size(Box::new(operand.unwrap_or(Operand::Value(AttributeValue::Null))))
            }
            ExprKind::Missing => {
                self.misplaced_missing();
                Operand::Value(AttributeValue::Null)
            }
            ExprKind::Signed(sign) => {
                self.refuse(|| {
                    format!(
                        "Incorrect number of operands for operator or function; operator or function: {sign}, \
                         number of operands: 1"
                    )
                });
                Operand::Value(AttributeValue::Null)
            }
            kind if is_condition(kind) => Operand::Test(Box::new(self.condition(expression))),
            _ => Operand::Value(self.value(expression)),
        }
    }

    /// A path; what is no path becomes any path, with a fault.
    pub(super) fn path(&mut self, expression: &Expr) -> Path {
        let ExprKind::Path(name, steps) = &expression.kind else {
            self.refuse(|| format!("Unexpected path component at {}", expression.at));
            return Path::top_level("");
        };
        let is_unnamed = |step: &StepSyntax| matches!(step, StepSyntax::Name(name) if name.is_empty());
        if name.is_empty() || steps.iter().any(is_unnamed) {
            self.refuse(|| EMPTY_NAME.into());
        }
        let steps: Vec<PathStep> = steps.iter().map(|step| self.step(step)).collect();
        let path = Path::new(name.clone(), steps);
        let depth = path.depth();
        if depth > limits::NESTING_LEVELS {
            self.fault(Fault::PathDepth, || {
                format!("The document path has too many nesting levels; nesting levels: {depth}")
            });
        }
        path
    }

    fn step(&mut self, step: &StepSyntax) -> PathStep {
        let at = match step {
            StepSyntax::Name(name) => return PathStep::Name(name.clone()),
            StepSyntax::Star(at) => *at,
            StepSyntax::Index(Expr { kind: ExprKind::Number(text), at, .. }) => {
                let digits =
                    text.strip_prefix('-').filter(|digits| digits.bytes().all(|digit| digit == b'0'));
                return match digits.unwrap_or(text).parse() {
                    Ok(index) if index <= i32::MAX as u32 => PathStep::Index(index),
                    _ => {
                        self.refuse(|| {
                            format!("List index is not within the allowable range; index: [{text}] at {at}")
                        });
                        PathStep::Index(0)
                    }
                };
            }
            StepSyntax::Index(other) => other.at,
        };
        self.refuse(|| format!("Unexpected path component at {at}"));
        PathStep::Index(0)
    }
}

/// AWS's words for a name without characters.
pub(super) const EMPTY_NAME: &str = "Path component cannot be an empty string";

/// What stands where something could not be lowered; never evaluated.
fn nothing() -> Condition {
    Condition::And(Vec::new())
}

fn comparator(symbol: &str) -> Option<Comparator> {
    Some(match symbol {
        "=" => Comparator::Equal,
        "<>" => Comparator::NotEqual,
        "<" => Comparator::Less,
        "<=" => Comparator::LessOrEqual,
        ">" => Comparator::Greater,
        ">=" => Comparator::GreaterOrEqual,
        _ => return None,
    })
}

/// Whether a form is a condition rather than a value.
fn is_condition(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::And(_)
            | ExprKind::Or(_)
            | ExprKind::Not(_)
            | ExprKind::Binary(..)
            | ExprKind::Between(_)
            | ExprKind::In(..)
            | ExprKind::Is(..)
            | ExprKind::Call(..)
            | ExprKind::Select(_)
    )
}

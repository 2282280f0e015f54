//! The parameters from before expressions: Expected, QueryFilter, ScanFilter, KeyConditions, AttributeUpdates
//! and AttributesToGet.
//!
//! They become the same conditions, updates and projections as expressions do. Names are top-level attributes; a
//! dot in one is part of it.

use dynamometer_types::AttributeValue;
use dynamometer_types::value::ValueType;

use crate::condition::{Comparator, Condition, Operand, order};
use crate::error::{ExpressionError, Stage};
use crate::key_condition::{KeyClause, KeyCondition, KeyTest};
use crate::path::Path;
use crate::projection::Projection;
use crate::update::{Action, Change, Dialect, SetValue, Update, UpdateOperand};

/// How the conditions of one member are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConditionalOperator {
    /// All have to hold.
    #[default]
    And,
    /// One has to hold.
    Or,
}

impl ConditionalOperator {
    /// The operator of a name, `AND` or `OR`.
    pub fn from_name(name: &str) -> Option<ConditionalOperator> {
        match name {
            "AND" => Some(ConditionalOperator::And),
            "OR" => Some(ConditionalOperator::Or),
            _ => None,
        }
    }

    /// Refuses the operator in a request with this many legacy conditions; `None` when it has no such member.
    ///
    /// # Errors
    /// [`Stage::Meaning`].
    pub fn check_count(conditions: Option<usize>) -> Result<(), ExpressionError> {
        let message = match conditions {
            None | Some(0) => "ConditionalOperator cannot be used without Filter or Expected",
            Some(1) => {
                "ConditionalOperator can only be used when Filter or Expected has two or more elements"
            }
            Some(_) => return Ok(()),
        };
        Err(ExpressionError::bare(Stage::Meaning, message))
    }

    fn join(self, conditions: Vec<Condition>) -> Condition {
        match self {
            ConditionalOperator::And => Condition::And(conditions),
            ConditionalOperator::Or => Condition::Or(conditions),
        }
    }
}

/// An entry of `Expected`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExpectedAttributeValue {
    /// `Value`
    pub value: Option<AttributeValue>,
    /// `Exists`
    pub exists: Option<bool>,
    /// `ComparisonOperator`
    pub comparison_operator: Option<String>,
    /// `AttributeValueList`
    pub attribute_value_list: Option<Vec<AttributeValue>>,
}

/// An entry of `QueryFilter`, `ScanFilter` or `KeyConditions`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LegacyCondition {
    /// `ComparisonOperator`
    pub comparison_operator: Option<String>,
    /// `AttributeValueList`
    pub attribute_value_list: Option<Vec<AttributeValue>>,
}

/// An entry of `AttributeUpdates`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AttributeValueUpdate {
    /// `Value`
    pub value: Option<AttributeValue>,
    /// `Action`; PUT when there is none.
    pub action: Option<String>,
}

/// A legacy comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Eq,
    Ne,
    Le,
    Lt,
    Ge,
    Gt,
    NotNull,
    Null,
    Contains,
    NotContains,
    BeginsWith,
    In,
    Between,
}

const OPERATORS: [(&str, Operator); 13] = [
    ("EQ", Operator::Eq),
    ("NE", Operator::Ne),
    ("LE", Operator::Le),
    ("LT", Operator::Lt),
    ("GE", Operator::Ge),
    ("GT", Operator::Gt),
    ("NOT_NULL", Operator::NotNull),
    ("NULL", Operator::Null),
    ("CONTAINS", Operator::Contains),
    ("NOT_CONTAINS", Operator::NotContains),
    ("BEGINS_WITH", Operator::BeginsWith),
    ("IN", Operator::In),
    ("BETWEEN", Operator::Between),
];

impl Operator {
    fn read(name: &str) -> Result<Operator, ExpressionError> {
        let found = OPERATORS.iter().find(|(known, _)| *known == name);
        found
            .map(|(_, operator)| *operator)
            .ok_or_else(|| ExpressionError::invalid_parameter("Invalid comparison operator"))
    }

    fn takes_count(self, count: usize) -> bool {
        match self {
            Operator::Null | Operator::NotNull => count == 0,
            Operator::In => count > 0,
            Operator::Between => count == 2,
            _ => count == 1,
        }
    }

    fn takes_type(self, kind: ValueType) -> bool {
        match self {
            Operator::Eq | Operator::Ne | Operator::Null | Operator::NotNull => true,
            Operator::BeginsWith => matches!(kind, ValueType::S | ValueType::B),
            _ => matches!(kind, ValueType::S | ValueType::N | ValueType::B),
        }
    }

    fn comparator(self) -> Option<Comparator> {
        Some(match self {
            Operator::Eq => Comparator::Equal,
            Operator::Ne => Comparator::NotEqual,
            Operator::Le => Comparator::LessOrEqual,
            Operator::Lt => Comparator::Less,
            Operator::Ge => Comparator::GreaterOrEqual,
            Operator::Gt => Comparator::Greater,
            _ => return None,
        })
    }
}

/// The condition of `Expected`.
///
/// # Errors
/// AWS's text for the first malformed entry.
pub fn expected(
    entries: &[(String, ExpectedAttributeValue)],
    operator: ConditionalOperator,
) -> Result<Condition, ExpressionError> {
    let conditions = entries.iter().map(|(attribute, entry)| expected_entry(attribute, entry));
    Ok(operator.join(conditions.collect::<Result<_, _>>()?))
}

fn expected_entry(attribute: &str, entry: &ExpectedAttributeValue) -> Result<Condition, ExpressionError> {
    let fault = |message: &str| {
        Err(ExpressionError::invalid_parameter(format_args!("{message} for Attribute: {attribute}")))
    };
    if entry.value.is_some() && entry.attribute_value_list.is_some() {
        return fault("Value and AttributeValueList cannot be used together");
    }
    if let Some(name) = &entry.comparison_operator {
        let operator = Operator::read(name)?;
        if entry.exists.is_some() {
            return fault("Exists and ComparisonOperator cannot be used together");
        }
        let takes_none = matches!(operator, Operator::Null | Operator::NotNull);
        if !takes_none && entry.value.is_none() && entry.attribute_value_list.is_none() {
            return fault(&format!(
                "Value or AttributeValueList must be used with ComparisonOperator: {name}"
            ));
        }
        let list = entry.attribute_value_list.as_deref();
        let values = list.unwrap_or(entry.value.as_slice());
        check_arguments(operator, name, values)?;
        return Ok(condition(attribute, operator, values));
    }
    if entry.attribute_value_list.is_some() {
        return fault("AttributeValueList can only be used with a ComparisonOperator");
    }
    match (entry.exists, &entry.value) {
        (Some(false), Some(_)) => fault("Value cannot be used when Exists is false"),
        (Some(false), None) => Ok(Condition::AttributeNotExists(Path::top_level(attribute))),
        (Some(true), None) => fault("Value must be provided when Exists is true"),
        (None, None) => fault("Value must be provided when Exists is null"),
        (_, Some(value)) => Ok(condition(attribute, Operator::Eq, std::slice::from_ref(value))),
    }
}

/// The condition of `QueryFilter` or `ScanFilter`; `member` is `queryFilter` or `scanFilter`.
///
/// # Errors
/// AWS's text for the first malformed entry.
pub fn filter(
    member: &str,
    entries: &[(String, LegacyCondition)],
    operator: ConditionalOperator,
) -> Result<Condition, ExpressionError> {
    let conditions = entries.iter().map(|(attribute, entry)| {
        let (operator, values) = operator_and_values(member, attribute, entry)?;
        Ok(condition(attribute, operator, values))
    });
    Ok(operator.join(conditions.collect::<Result<_, ExpressionError>>()?))
}

/// The key condition of `KeyConditions`.
///
/// # Errors
/// AWS's text for the first malformed entry.
pub fn key_conditions(entries: &[(String, LegacyCondition)]) -> Result<KeyCondition, ExpressionError> {
    let clauses = entries.iter().map(|(attribute, entry)| {
        let (operator, values) = operator_and_values("keyConditions", attribute, entry)?;
        let test = match (operator, values) {
            (Operator::Between, [low, high]) => KeyTest::Between(low.clone(), high.clone()),
            (Operator::BeginsWith, [start]) => KeyTest::BeginsWith(start.clone()),
            (Operator::Ne, _) => KeyTest::NotIndexable,
            (operator, [value]) => match operator.comparator() {
                Some(comparator) => KeyTest::Compare(comparator, value.clone()),
                None => KeyTest::NotIndexable,
            },
            _ => KeyTest::NotIndexable,
        };
        Ok(KeyClause { attribute: attribute.clone(), test })
    });
    Ok(KeyCondition::new(clauses.collect::<Result<_, ExpressionError>>()?))
}

fn operator_and_values<'e>(
    member: &str,
    attribute: &str,
    entry: &'e LegacyCondition,
) -> Result<(Operator, &'e [AttributeValue]), ExpressionError> {
    let Some(name) = &entry.comparison_operator else {
        return Err(ExpressionError::bare(
            Stage::Syntax,
            format!(
                "Value null at '{member}.{attribute}.member.comparisonOperator' failed to satisfy constraint: \
                 Member must not be null"
            ),
        ));
    };
    let operator = Operator::read(name)?;
    let values = entry.attribute_value_list.as_deref().unwrap_or(&[]);
    check_arguments(operator, name, values)?;
    Ok((operator, values))
}

/// Checks how many values an operator has, and of which types.
fn check_arguments(operator: Operator, name: &str, values: &[AttributeValue]) -> Result<(), ExpressionError> {
    if !operator.takes_count(values.len()) {
        return Err(ExpressionError::invalid_parameter(format_args!(
            "Invalid number of argument(s) for the {name} ComparisonOperator"
        )));
    }
    // Only of IN it is known that AWS looks at the single types first.
    if operator == Operator::In {
        check_types(operator, name, values)?;
    }
    if values.windows(2).any(|pair| pair[0].value_type() != pair[1].value_type()) {
        return Err(ExpressionError::invalid_parameter(
            "AttributeValues inside AttributeValueList must be of same type",
        ));
    }
    check_types(operator, name, values)?;
    if let (Operator::Between, [low, high]) = (operator, values)
        && order(low, high).is_some_and(|order| order.is_gt())
    {
        return Err(ExpressionError::bare(
            Stage::Meaning,
            "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound",
        ));
    }
    Ok(())
}

fn check_types(operator: Operator, name: &str, values: &[AttributeValue]) -> Result<(), ExpressionError> {
    match values.iter().map(AttributeValue::value_type).find(|kind| !operator.takes_type(*kind)) {
        None => Ok(()),
        Some(kind) => Err(ExpressionError::invalid_parameter(format_args!(
            "ComparisonOperator {name} is not valid for {} AttributeValue type",
            kind.name()
        ))),
    }
}

/// The condition of an operator whose arguments were checked.
fn condition(attribute: &str, operator: Operator, values: &[AttributeValue]) -> Condition {
    let path = || Path::top_level(attribute);
    let operand = || Operand::Path(path());
    let mut values = values.iter().cloned().map(Operand::Value);
    // The count was checked, so that the defaults are never used.
    let mut value = || values.next().unwrap_or(Operand::Value(AttributeValue::Null));
    match operator {
        Operator::Null => Condition::AttributeNotExists(path()),
        Operator::NotNull => Condition::AttributeExists(path()),
        Operator::Contains => Condition::Contains(operand(), value()),
        // Unlike NE, it is false for a missing attribute.
        Operator::NotContains => Condition::And(vec![
            Condition::AttributeExists(path()),
            Condition::Not(Box::new(Condition::Contains(operand(), value()))),
        ]),
        Operator::BeginsWith => Condition::BeginsWith(operand(), value()),
        Operator::In => Condition::In { operand: operand(), list: values.collect() },
        Operator::Between => Condition::Between { operand: operand(), low: value(), high: value() },
        Operator::Eq | Operator::Ne | Operator::Le | Operator::Lt | Operator::Ge | Operator::Gt => {
            let comparator = operator.comparator().unwrap_or(Comparator::Equal);
            Condition::Compare { left: operand(), comparator, right: value() }
        }
    }
}

/// The update of `AttributeUpdates`. None at all is an update that changes nothing.
///
/// # Errors
/// AWS's text for the first malformed entry.
pub fn attribute_updates(entries: &[(String, AttributeValueUpdate)]) -> Result<Update, ExpressionError> {
    let actions = entries.iter().map(|(attribute, entry)| {
        Ok(Action { path: Path::top_level(attribute.as_str()), change: change(entry)? })
    });
    Ok(Update { actions: actions.collect::<Result<_, ExpressionError>>()?, dialect: Dialect::Legacy })
}

fn change(entry: &AttributeValueUpdate) -> Result<Change, ExpressionError> {
    let fault = |action: &str, kind: ValueType| {
        Err(ExpressionError::invalid_parameter(format_args!("{action} for the type {}", kind.name())))
    };
    let action = entry.action.as_deref().unwrap_or("PUT");
    if !matches!(action, "PUT" | "DELETE" | "ADD") {
        let message = "Member must satisfy enum value set: [ADD, DELETE, PUT]' for Action";
        return Err(ExpressionError::bare(Stage::Syntax, message));
    }
    let Some(value) = entry.value.clone() else {
        if action == "DELETE" {
            return Ok(Change::Remove);
        }
        return Err(ExpressionError::invalid_parameter(
            "Only DELETE action is allowed when no attribute value is specified",
        ));
    };
    let kind = value.value_type();
    let is_set = matches!(kind, ValueType::Ss | ValueType::Ns | ValueType::Bs);
    match action {
        "DELETE" if !is_set => fault("DELETE action with value is not supported", kind),
        "DELETE" => Ok(Change::Delete(value)),
        "ADD" if !is_set && !matches!(kind, ValueType::N | ValueType::L) => {
            fault("ADD action is not supported", kind)
        }
        "ADD" => Ok(Change::Add(value)),
        _ => Ok(Change::Set(SetValue::Operand(UpdateOperand::Value(value)))),
    }
}

/// The projection of `AttributesToGet`.
///
/// # Errors
/// When a name stands twice.
pub fn attributes_to_get(names: &[String]) -> Result<Projection, ExpressionError> {
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        let twice = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name));
        let twice = twice.map_or("", |(_, name)| name.as_str());
        return Err(ExpressionError::invalid_parameter(format_args!(
            "Duplicate value in attribute name: {twice}"
        )));
    }
    Ok(Projection::from_paths(names.iter().map(Path::top_level).collect()))
}

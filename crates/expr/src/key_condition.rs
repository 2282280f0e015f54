//! Key conditions: which part of a table or index a Query reads.

use dynamometer_types::AttributeValue;

use crate::condition::{Comparator, Condition, Operand};
use crate::condition_parser::parse_condition;
use crate::error::{ExpressionError, ExpressionKind, Stage};
use crate::placeholders::Placeholders;

/// A condition on one key attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyTest {
    /// A comparison other than `<>`.
    Compare(Comparator, AttributeValue),
    /// From the first value to the second, both included.
    Between(AttributeValue, AttributeValue),
    /// A string or binary that begins with the value.
    BeginsWith(AttributeValue),
    /// A legacy operator that no key can be searched by.
    NotIndexable,
}

impl KeyTest {
    /// The values that the test compares with.
    pub fn values(&self) -> impl Iterator<Item = &AttributeValue> {
        let (first, second) = match self {
            KeyTest::Compare(_, value) | KeyTest::BeginsWith(value) => (Some(value), None),
            KeyTest::Between(low, high) => (Some(low), Some(high)),
            KeyTest::NotIndexable => (None, None),
        };
        first.into_iter().chain(second)
    }
}

/// A condition on one attribute of a key condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyClause {
    /// The attribute's name.
    pub attribute: String,
    /// What it has to be.
    pub test: KeyTest,
}

/// Conditions on attributes, each named once. [`KeyCondition::bind`] fits them to a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyCondition {
    clauses: Vec<KeyClause>,
}

/// Parses a KeyConditionExpression and checks all that the request alone tells.
///
/// # Errors
/// AWS's text; some of it has no prefix.
pub fn parse_key_condition(
    text: &str,
    placeholders: &Placeholders<'_>,
) -> Result<KeyCondition, ExpressionError> {
    let condition = parse_condition(ExpressionKind::KeyCondition, text, placeholders)?;
    let mut clauses = Vec::new();
    collect(condition, &mut clauses)?;
    Ok(KeyCondition { clauses })
}

impl KeyCondition {
    /// Conditions on attributes, each named once.
    pub(crate) fn new(clauses: Vec<KeyClause>) -> KeyCondition {
        KeyCondition { clauses }
    }

    /// The conditions in the order written.
    pub fn clauses(&self) -> &[KeyClause] {
        &self.clauses
    }

    /// The condition on an attribute.
    pub(crate) fn test(&self, attribute: &str) -> Option<&KeyTest> {
        self.clauses.iter().find(|clause| clause.attribute == attribute).map(|clause| &clause.test)
    }
}

fn fault<T>(message: impl Into<String>) -> Result<T, ExpressionError> {
    Err(ExpressionError::bare(Stage::Meaning, message))
}

fn prefixed<T>(message: &str) -> Result<T, ExpressionError> {
    Err(ExpressionError::new(ExpressionKind::KeyCondition, Stage::Meaning, message))
}

fn operator<T>(name: &str) -> Result<T, ExpressionError> {
    fault(format!("Invalid operator used in KeyConditionExpression: {name}"))
}

/// Walks the conditions from left to right.
fn collect(condition: Condition, clauses: &mut Vec<KeyClause>) -> Result<(), ExpressionError> {
    let clause = match condition {
        Condition::And(all) => return all.into_iter().try_for_each(|one| collect(one, clauses)),
        Condition::Or(_) => return operator("OR"),
        Condition::Not(_) => return operator("NOT"),
        Condition::In { .. } => return operator("IN"),
        Condition::AttributeExists(_) => return operator("attribute_exists"),
        Condition::AttributeNotExists(_) => return operator("attribute_not_exists"),
        Condition::AttributeType(..) => return operator("attribute_type"),
        Condition::Contains(..) => return operator("contains"),
        Condition::Compare { comparator: Comparator::NotEqual, .. } => return operator("<>"),
        Condition::Compare { left, comparator, right } => compare(left, comparator, right)?,
        Condition::Between { operand, low, high } => between(operand, low, high)?,
        Condition::BeginsWith(whole, start) => begins(whole, start)?,
    };
    if clauses.iter().any(|earlier| earlier.attribute == clause.attribute) {
        return prefixed("KeyConditionExpressions must only contain one condition per key");
    }
    clauses.push(clause);
    Ok(())
}

fn compare(left: Operand, comparator: Comparator, right: Operand) -> Result<KeyClause, ExpressionError> {
    let comparator = if matches!(left, Operand::Path(_)) { comparator } else { comparator.mirrored() };
    let (attribute, mut values) = attribute_and_values([left, right])?;
    match values.pop() {
        Some(value) => Ok(KeyClause { attribute, test: KeyTest::Compare(comparator, value) }),
        None => no_attribute(),
    }
}

fn between(operand: Operand, low: Operand, high: Operand) -> Result<KeyClause, ExpressionError> {
    check_first("BETWEEN", &operand)?;
    let (attribute, mut values) = attribute_and_values([operand, low, high])?;
    match (values.pop(), values.pop()) {
        (Some(high), Some(low)) => Ok(KeyClause { attribute, test: KeyTest::Between(low, high) }),
        _ => no_attribute(),
    }
}

fn begins(whole: Operand, start: Operand) -> Result<KeyClause, ExpressionError> {
    check_first("begins_with", &whole)?;
    let (attribute, mut values) = attribute_and_values([whole, start])?;
    match values.pop() {
        Some(value) => Ok(KeyClause { attribute, test: KeyTest::BeginsWith(value) }),
        None => no_attribute(),
    }
}

fn check_first(operator: &str, operand: &Operand) -> Result<(), ExpressionError> {
    if matches!(operand, Operand::Path(_)) {
        return Ok(());
    }
    fault(format!(
        "Invalid condition in KeyConditionExpression: {operator} operator must have the key attribute as its \
         first operand"
    ))
}

fn no_attribute<T>() -> Result<T, ExpressionError> {
    fault("Invalid condition in KeyConditionExpression: No key attribute specified")
}

/// The one attribute among operands, and their values.
fn attribute_and_values<const N: usize>(
    operands: [Operand; N],
) -> Result<(String, Vec<AttributeValue>), ExpressionError> {
    let (mut attribute, mut values) = (None, Vec::with_capacity(N));
    for operand in operands {
        match operand {
            Operand::Value(value) => values.push(value),
            Operand::Size(_) | Operand::Test(_) => {
                return fault("KeyConditionExpressions cannot contain nested operations");
            }
            Operand::Path(_) if attribute.is_some() => {
                return fault(
                    "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition",
                );
            }
            Operand::Path(path) if path.is_nested() => {
                return prefixed("KeyConditionExpressions cannot have conditions on nested attributes");
            }
            Operand::Path(path) => attribute = Some(path.name().to_owned()),
        }
    }
    match attribute {
        Some(attribute) => Ok((attribute, values)),
        None => no_attribute(),
    }
}

//! Key conditions fitted to the key of a table or index.

use dynamometer_types::size::value_size;
use dynamometer_types::{AttributeValue, KeyAttribute, KeySchema, limits};

use crate::condition::{Comparator, begins_with, order};
use crate::error::{ExpressionError, Stage};
use crate::key_condition::{KeyCondition, KeyTest};

/// What a sort key attribute has to be; every value has the attribute's type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SortCondition {
    /// Equal to the value.
    Eq(AttributeValue),
    /// Below the value.
    Lt(AttributeValue),
    /// The value or below it.
    Le(AttributeValue),
    /// Above the value.
    Gt(AttributeValue),
    /// The value or above it.
    Ge(AttributeValue),
    /// From the first value to the second, both included.
    Between(AttributeValue, AttributeValue),
    /// A string or binary that begins with the value.
    BeginsWith(AttributeValue),
}

impl SortCondition {
    /// Whether a value of the sort key attribute fulfils the condition.
    pub fn admits(&self, value: &AttributeValue) -> bool {
        let compares = |comparator: Comparator, bound: &AttributeValue| {
            order(value, bound).is_some_and(|order| comparator.admits(order))
        };
        match self {
            SortCondition::Eq(bound) => compares(Comparator::Equal, bound),
            SortCondition::Lt(bound) => compares(Comparator::Less, bound),
            SortCondition::Le(bound) => compares(Comparator::LessOrEqual, bound),
            SortCondition::Gt(bound) => compares(Comparator::Greater, bound),
            SortCondition::Ge(bound) => compares(Comparator::GreaterOrEqual, bound),
            SortCondition::Between(low, high) => {
                compares(Comparator::GreaterOrEqual, low) && compares(Comparator::LessOrEqual, high)
            }
            SortCondition::BeginsWith(start) => begins_with(value, start),
        }
    }

    /// The size of its largest value in bytes.
    fn largest_value(&self) -> u64 {
        match self {
            SortCondition::Between(low, high) => value_size(low).max(value_size(high)),
            SortCondition::Eq(value)
            | SortCondition::Lt(value)
            | SortCondition::Le(value)
            | SortCondition::Gt(value)
            | SortCondition::Ge(value)
            | SortCondition::BeginsWith(value) => value_size(value),
        }
    }

    /// The condition of a test that a key can be searched by.
    fn of(test: &KeyTest) -> Option<SortCondition> {
        Some(match test.clone() {
            KeyTest::Compare(Comparator::Equal, value) => SortCondition::Eq(value),
            KeyTest::Compare(Comparator::Less, value) => SortCondition::Lt(value),
            KeyTest::Compare(Comparator::LessOrEqual, value) => SortCondition::Le(value),
            KeyTest::Compare(Comparator::Greater, value) => SortCondition::Gt(value),
            KeyTest::Compare(Comparator::GreaterOrEqual, value) => SortCondition::Ge(value),
            KeyTest::Between(low, high) => SortCondition::Between(low, high),
            KeyTest::BeginsWith(start) => SortCondition::BeginsWith(start),
            KeyTest::Compare(Comparator::NotEqual, _) | KeyTest::NotIndexable => return None,
        })
    }
}

/// The rows that a Query reads: those of one partition key whose sort key begins with some values, and whose
/// next sort key attribute fulfils a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    /// The values of all partition key attributes, in the order of the key.
    pub partition: Vec<AttributeValue>,
    /// The values of the first sort key attributes: all that have a condition but the last.
    pub sort_prefix: Vec<AttributeValue>,
    /// The condition on the sort key attribute after those; `None` when the key condition names none.
    pub sort: Option<SortCondition>,
}

fn fault<T>(message: impl Into<String>) -> Result<T, ExpressionError> {
    Err(ExpressionError::bare(Stage::Schema, message))
}

fn is_equality(test: Option<&KeyTest>) -> bool {
    matches!(test, Some(KeyTest::Compare(Comparator::Equal, _)))
}

impl KeyCondition {
    /// Fits the conditions to a key.
    ///
    /// # Errors
    /// What only the key schema tells, in AWS's order: too many conditions, partition key attributes without an
    /// equality, values of the wrong type, empty or too long, attributes outside the key, gaps in the sort key.
    pub fn bind(&self, schema: &KeySchema) -> Result<KeyRange, ExpressionError> {
        self.check_count(schema)?;
        self.check_partition(schema)?;
        for attribute in schema.attributes() {
            if let Some(test) = self.test(&attribute.name) {
                check_values(attribute, test)?;
            }
        }
        self.check_membership(schema)?;
        self.check_gaps(schema)?;
        let range = self.range(schema);
        range.check_sizes()?;
        Ok(range)
    }

    fn check_count(&self, schema: &KeySchema) -> Result<(), ExpressionError> {
        let (conditions, attributes) = (self.clauses().len(), schema.len());
        if conditions > attributes {
            return fault(format!(
                "The number of query conditions ({conditions}) exceeds the number of key attributes defined in \
                 the schema ({attributes})"
            ));
        }
        Ok(())
    }

    fn check_partition(&self, schema: &KeySchema) -> Result<(), ExpressionError> {
        if let ([partition], [] | [_]) = (schema.partition.as_slice(), schema.sort.as_slice()) {
            return match self.test(&partition.name) {
                Some(KeyTest::Compare(Comparator::Equal, _)) => Ok(()),
                Some(KeyTest::NotIndexable) => not_indexable(),
                Some(_) => fault("Query key condition not supported"),
                None => fault(format!("Query condition missed key schema element: {}", partition.name)),
            };
        }
        let open = self.without_equality(&schema.partition);
        if !open.is_empty() {
            let open = open.join(", ");
            return fault(format!(
                "HASH key attributes {open} must have equality conditions specified in the query"
            ));
        }
        Ok(())
    }

    fn without_equality<'s>(&self, attributes: &'s [KeyAttribute]) -> Vec<&'s str> {
        let names = attributes.iter().map(|attribute| attribute.name.as_str());
        names.filter(|name| !is_equality(self.test(name))).collect()
    }

    fn check_membership(&self, schema: &KeySchema) -> Result<(), ExpressionError> {
        if self.clauses().iter().all(|clause| schema.contains(&clause.attribute)) {
            return Ok(());
        }
        // There are no more conditions than key attributes, so that one of these has none.
        let missed = schema.attributes().find(|attribute| self.test(&attribute.name).is_none());
        let missed = missed.map_or("", |attribute| attribute.name.as_str());
        fault(format!("Query condition missed key schema element: {missed}"))
    }

    fn check_gaps(&self, schema: &KeySchema) -> Result<(), ExpressionError> {
        let Some(last) = schema.sort.iter().rposition(|attribute| self.test(&attribute.name).is_some())
        else {
            return Ok(());
        };
        let open = self.without_equality(&schema.sort[..last]);
        if open.is_empty() {
            return Ok(());
        }
        let (open, last) = (open.join(", "), &schema.sort[last].name);
        fault(format!(
            "RANGE key attributes {open} must have equality conditions specified in the query because a condition \
             is present on key attribute {last}"
        ))
    }

    /// The range of conditions that were checked.
    fn range(&self, schema: &KeySchema) -> KeyRange {
        let equal_to = |attribute: &KeyAttribute| match self.test(&attribute.name) {
            Some(KeyTest::Compare(Comparator::Equal, value)) => Some(value.clone()),
            _ => None,
        };
        let last = schema.sort.iter().rposition(|attribute| self.test(&attribute.name).is_some());
        let before_last = &schema.sort[..last.unwrap_or(0)];
        KeyRange {
            partition: schema.partition.iter().filter_map(equal_to).collect(),
            sort_prefix: before_last.iter().filter_map(equal_to).collect(),
            sort: last.and_then(|at| self.test(&schema.sort[at].name)).and_then(SortCondition::of),
        }
    }
}

fn not_indexable<T>() -> Result<T, ExpressionError> {
    fault("Attempted conditional constraint is not an indexable operation")
}

fn check_values(attribute: &KeyAttribute, test: &KeyTest) -> Result<(), ExpressionError> {
    if *test == KeyTest::NotIndexable {
        return not_indexable();
    }
    for value in test.values() {
        if !attribute.scalar_type.admits(value) {
            return fault(
                "One or more parameter values were invalid: Condition parameter type does not match schema type",
            );
        }
        let empty = match value {
            AttributeValue::S(text) if text.is_empty() => "string",
            AttributeValue::B(bytes) if bytes.is_empty() => "binary",
            _ => continue,
        };
        let name = &attribute.name;
        return fault(format!(
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an \
             empty {empty} value. Key: {name}"
        ));
    }
    Ok(())
}

impl KeyRange {
    fn check_sizes(&self) -> Result<(), ExpressionError> {
        let total = |values: &[AttributeValue]| values.iter().map(value_size).sum::<u64>();
        if total(&self.partition) > limits::PARTITION_KEY_BYTES as u64 {
            return fault(
                "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit \
                 of2048 bytes",
            );
        }
        let next = self.sort.as_ref().map_or(0, SortCondition::largest_value);
        if total(&self.sort_prefix) + next > limits::SORT_KEY_BYTES as u64 {
            return fault(
                "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the \
                 size limit of 1024 bytes",
            );
        }
        Ok(())
    }
}

//! Somebody who looks on: each request, element of a batch and action of a transaction as it was charged.
//!
//! Nothing is worked out unless somebody does.

use std::fmt::Debug;

use dynamometer_capacity::CapacityUnits;
use dynamometer_expr::Condition;
use dynamometer_types::{KeySchema, Timestamp};

use super::Operation;
use super::report::{shown, unescape};
use crate::disk::keys::hash_of;
use crate::engine::Engine;
use crate::read_path::KeyBounds;

/// Table number and hash stand before the values of a stored key.
const BEFORE_VALUES: usize = 12;

/// Who is told of what requests read and write.
pub trait AccessObserver: Debug + Send + Sync {
    /// Takes the next one, on the thread of the request; of a write, while its key is latched: it has to be quick.
    fn observe(&self, access: &Access<'_>);
}

/// What a write does to its item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemAction {
    /// Puts it, or inserts it.
    Put,
    /// Updates it.
    Update,
    /// Deletes it.
    Delete,
    /// Only checks a condition on it.
    ConditionCheck,
}

/// A request, an element of a batch, or an action of a transaction; of a Query or a Scan, one page.
#[derive(Clone, Debug)]
pub struct Access<'a> {
    /// When it came.
    pub now: Timestamp,
    /// What it is counted as.
    pub operation: Operation,
    /// Of a write, what it does.
    pub action: Option<ItemAction>,
    /// The table.
    pub table: &'a str,
    /// The index that is read, if one is.
    pub index: Option<&'a str>,
    /// The partition key that is asked for, each attribute of it as text; empty of a scan.
    pub partition: Vec<String>,
    /// The sort key that is asked for, as far as it is; the last is what its attribute begins with, or the end of a range that is
    /// nearer to the first item.
    pub sort: Vec<String>,
    /// The filter.
    pub filter: Option<&'a Condition>,
    /// Units consumed, of indexes too; none when it did not run.
    pub units: CapacityUnits,
    /// What of that was paid for items which the filter dropped.
    pub filtered_units: CapacityUnits,
    /// Of a page, the items that were read.
    pub scanned: u64,
    /// Of a page, the items that were answered.
    pub returned: u64,
    /// Whether the capacity model refused it.
    pub throttled: bool,
    /// Whether it ran: always, unless throttling is enforced.
    pub ran: bool,
    /// Whether it is an eventually consistent read of what was written at most 100 ms before.
    pub soon_after_write: bool,
}

impl<'a> Access<'a> {
    /// One that ran and consumed nothing.
    pub(super) fn new(now: Timestamp, operation: Operation, table: &'a str) -> Access<'a> {
        Access {
            now,
            operation,
            action: None,
            table,
            index: None,
            partition: Vec::new(),
            sort: Vec::new(),
            filter: None,
            units: CapacityUnits::ZERO,
            filtered_units: CapacityUnits::ZERO,
            scanned: 0,
            returned: 0,
            throttled: false,
            ran: true,
            soon_after_write: false,
        }
    }

    /// The same for a stored key of a table.
    pub(super) fn of_item(self, key: &[u8], schema: &KeySchema) -> Access<'a> {
        let (partition, sort) = key_texts(key, schema, false);
        Access { partition, sort, ..self }
    }

    /// The same with what it consumed, if it ran.
    pub(super) fn charged(self, units: CapacityUnits, throttled: bool, ran: bool) -> Access<'a> {
        Access { units: if ran { units } else { CapacityUnits::ZERO }, throttled, ran, ..self }
    }

    /// The same for the keys that a query walks.
    pub(super) fn of_range(self, bounds: &KeyBounds, schema: &KeySchema, of_index: bool) -> Access<'a> {
        let (low, high) = bounds.asked();
        let (partition, mut sort) = key_texts(low, schema, of_index);
        // Of a range without a lower end only the upper one says anything of the last attribute.
        if let Some(high) = high.filter(|high| hash_of(high) == hash_of(low)) {
            let (_, of_high) = key_texts(high, schema, of_index);
            if of_high.len() > sort.len() {
                sort = of_high;
            }
        }
        Access { partition, sort, ..self }
    }
}

impl Engine {
    /// Tells who looks on, if somebody does.
    pub(super) fn tell<'a>(&self, access: impl FnOnce() -> Access<'a>) {
        if let Some(observer) = &self.config.observer {
            observer.observe(&access());
        }
    }
}

/// The attributes of the partition key and those of the sort key, as far as a stored key has them.
fn key_texts(key: &[u8], schema: &KeySchema, of_index: bool) -> (Vec<String>, Vec<String>) {
    let mut rest = key.get(BEFORE_VALUES..).unwrap_or_default();
    let (mut partition, mut sort) = (Vec::new(), Vec::new());
    for attribute in &schema.partition {
        let (value, behind, is_whole) = unescape(rest);
        if !is_whole {
            return (partition, sort);
        }
        partition.push(shown(attribute.scalar_type, &value));
        rest = behind;
    }
    if let ([attribute], false, false) = (schema.sort.as_slice(), of_index, rest.is_empty()) {
        return (partition, vec![shown(attribute.scalar_type, rest)]);
    }
    for attribute in &schema.sort {
        if rest.is_empty() {
            break;
        }
        let (mut value, behind, is_whole) = unescape(rest);
        if !is_whole {
            // The end of a range stands right behind a value.
            while value.last() == Some(&0) {
                value.pop();
            }
        }
        sort.push(shown(attribute.scalar_type, &value));
        rest = behind;
    }
    (partition, sort)
}

#[cfg(test)]
mod tests {
    use dynamometer_expr::{KeyRange, SortCondition};
    use dynamometer_store::Direction;
    use dynamometer_types::{AttributeValue, KeyAttribute, ScalarType};

    use super::*;
    use crate::disk::keys::item_key;

    fn schema(sort: ScalarType) -> KeySchema {
        let attribute = |name: &str, scalar_type| vec![KeyAttribute { name: name.to_owned(), scalar_type }];
        KeySchema { partition: attribute("pk", ScalarType::S), sort: attribute("sk", sort) }
    }

    #[test]
    fn the_key_of_an_item_is_told_as_text() {
        for (sort_type, value, text) in [
            (ScalarType::S, AttributeValue::s("ORDER#1"), "ORDER#1"),
            (ScalarType::N, AttributeValue::N("42.5".parse().unwrap()), "42.5"),
        ] {
            let schema = schema(sort_type);
            let item = [("pk", AttributeValue::s("USER#\0")), ("sk", value)].into_iter().collect();
            let key = item_key(7, &schema, &item).unwrap();
            assert_eq!(key_texts(&key, &schema, false), (vec!["USER#\0".to_owned()], vec![text.to_owned()]));
        }
    }

    #[test]
    fn what_a_query_asks_for_is_told_of_every_page() {
        let schema = schema(ScalarType::S);
        let value = |text: &str| AttributeValue::s(text);
        let cases = [
            (None, None),
            (Some(SortCondition::Eq(value("b"))), Some("b")),
            (Some(SortCondition::BeginsWith(value("ORDER#"))), Some("ORDER#")),
            (Some(SortCondition::Between(value("a"), value("c"))), Some("a")),
            (Some(SortCondition::Gt(value("b"))), Some("b")),
            (Some(SortCondition::Ge(value("b"))), Some("b")),
            (Some(SortCondition::Lt(value("b"))), Some("b")),
            (Some(SortCondition::Le(value("b"))), Some("b")),
        ];
        for (sort, told) in cases {
            let range =
                KeyRange { partition: vec![value("USER#1")], sort_prefix: Vec::new(), sort: sort.clone() };
            for of_index in [false, true] {
                let bounds = KeyBounds::of_range(7, of_index, &range).unwrap();
                let mut next = bounds.asked().0.to_vec();
                next.extend_from_slice(b"zz");
                for direction in [Direction::Forward, Direction::Reverse] {
                    let second = bounds.clone().after(next.clone(), direction);
                    for bounds in [&bounds, &second] {
                        let access = Access::new(Timestamp::default(), Operation::Query, "T")
                            .of_range(bounds, &schema, of_index);
                        assert_eq!(access.partition, ["USER#1"], "{sort:?}");
                        assert_eq!(
                            access.sort.first().map(String::as_str),
                            told,
                            "{sort:?} {of_index} {direction:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn of_a_key_of_several_attributes_each_is_told() {
        let attributes = |names: &[&str]| {
            let attribute =
                |name: &&str| KeyAttribute { name: (*name).to_owned(), scalar_type: ScalarType::S };
            names.iter().map(attribute).collect::<Vec<_>>()
        };
        let schema = KeySchema { partition: attributes(&["t", "r"]), sort: attributes(&["s", "d", "i"]) };
        let value = |text: &str| AttributeValue::s(text);
        let cases = [
            (vec![], None, vec![]),
            (vec![], Some(SortCondition::Eq(value("OPEN"))), vec!["OPEN"]),
            (vec!["OPEN"], Some(SortCondition::BeginsWith(value("2026-"))), vec!["OPEN", "2026-"]),
            (vec!["OPEN"], Some(SortCondition::Ge(value("2026"))), vec!["OPEN", "2026"]),
            (vec!["OPEN"], Some(SortCondition::Lt(value("2027"))), vec!["OPEN", "2027"]),
            (vec!["OPEN", "2026"], Some(SortCondition::Eq(value("7"))), vec!["OPEN", "2026", "7"]),
        ];
        for (prefix, sort, told) in cases {
            let range = KeyRange {
                partition: vec![value("t1"), value("eu")],
                sort_prefix: prefix.into_iter().map(value).collect(),
                sort: sort.clone(),
            };
            let bounds = KeyBounds::of_range(7, true, &range).unwrap();
            let access =
                Access::new(Timestamp::default(), Operation::Query, "T").of_range(&bounds, &schema, true);
            assert_eq!(access.partition, ["t1", "eu"], "{sort:?}");
            assert_eq!(access.sort, told, "{sort:?}");
        }
    }
}

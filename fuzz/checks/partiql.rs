//! Statements: parsed, planned on tables, evaluated and applied.

use dynamometer_expr::partiql::{OrderKey, Reads, Statement, check_key_types, parse_statement, split_key};
use dynamometer_expr::{Condition, Update};
use dynamometer_types::limits::NESTING_LEVELS;
use dynamometer_types::{AttributeValue, Item, KeyAttribute, KeySchema, Number, ScalarType};

/// Reads the text as a statement with a few parameters.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(statement) = parse_statement(text, &parameters()) else { return };
    match statement {
        Statement::Select(select) | Statement::Exists(select) => {
            check_condition(select.condition.as_ref());
            for schema in schemas() {
                let _ = OrderKey::check_all(&select.order, select.condition.is_some(), &schema);
                check_reads(select.condition.as_ref(), &schema);
            }
            if let Some(columns) = &select.columns {
                items().for_each(|item| drop(columns.project(&item)));
            }
        }
        Statement::Insert(insert) => {
            assert!(insert.item.values().all(|value| value.depth() <= NESTING_LEVELS + 1))
        }
        Statement::Update(update) => {
            check_condition(update.condition.as_ref());
            check_update(&update.update);
        }
        Statement::Delete(delete) => check_condition(delete.condition.as_ref()),
    }
}

/// A condition means the same whole as taken apart into a key and the rest.
fn check_condition(condition: Option<&Condition>) {
    for schema in schemas() {
        let split = split_key(condition, &schema);
        let _ = check_key_types(&split.key, &schema);
        for item in items() {
            let whole = condition.is_none_or(|condition| condition.matches(&item));
            let has_key = split.key.iter().all(|(name, value)| item.get(name) == Some(value));
            assert_eq!(has_key && split.rest.as_ref().is_none_or(|rest| rest.matches(&item)), whole);
        }
    }
}

/// Each item that a condition means is read by exactly one of its queries.
fn check_reads(condition: Option<&Condition>, schema: &KeySchema) {
    let Ok(reads) = Reads::plan(condition, schema) else { return };
    let _ = reads.unprojected(|name| name == "pk");
    if reads.check_types().is_err() || reads.check_overlap().is_err() || !reads.are_keyed() {
        return;
    }
    let Ok(list) = reads.list() else { return };
    for item in items().filter(|item| schema.key_of(item).is_some()) {
        let reads = list.iter().filter(|read| {
            let sort = schema.sort.first().and_then(|attribute| item.get(&attribute.name));
            read.range.partition.first() == item.get(&schema.partition[0].name)
                && read.range.sort.as_ref().is_none_or(|test| sort.is_some_and(|value| test.admits(value)))
                && (!read.filtered || condition.is_none_or(|condition| condition.matches(&item)))
        });
        let expected = condition.is_none_or(|condition| condition.matches(&item));
        assert_eq!(reads.count(), usize::from(expected), "{condition:?} {item:?}");
    }
}

fn check_update(update: &Update) {
    for item in items() {
        if let Ok(updated) = update.apply(&item, false) {
            assert!(updated.values().all(|value| value.depth() <= NESTING_LEVELS));
            update.project_targets(&updated);
        }
    }
}

fn parameters() -> [AttributeValue; 4] {
    [
        AttributeValue::s("a"),
        AttributeValue::N(Number::from(1)),
        AttributeValue::Ss(vec!["a".into(), "b".into()]),
        AttributeValue::L(vec![AttributeValue::Null]),
    ]
}

fn schemas() -> impl Iterator<Item = KeySchema> {
    let attribute = |name: &str, scalar_type| KeyAttribute { name: name.into(), scalar_type };
    let pk = move || vec![attribute("pk", ScalarType::S)];
    [
        KeySchema { partition: pk(), sort: vec![] },
        KeySchema { partition: pk(), sort: vec![attribute("sk", ScalarType::S)] },
        KeySchema { partition: pk(), sort: vec![attribute("n", ScalarType::N)] },
    ]
    .into_iter()
}

fn items() -> impl Iterator<Item = Item> {
    let number = |n: i64| AttributeValue::N(Number::from(n));
    let pairs = ["a", "b"].into_iter().flat_map(|pk| ["", "a", "b"].into_iter().map(move |sk| (pk, sk)));
    pairs.enumerate().map(move |(at, (pk, sk))| {
        Item::from_iter([
            ("pk", AttributeValue::s(pk)),
            ("sk", AttributeValue::s(sk)),
            ("n", number(at as i64)),
            ("l", AttributeValue::L(vec![number(1), AttributeValue::s("a")])),
            ("m", AttributeValue::M(Item::from_iter([("a", AttributeValue::Bool(true))]))),
            ("ss", AttributeValue::Ss(vec!["a".into()])),
        ])
    })
}

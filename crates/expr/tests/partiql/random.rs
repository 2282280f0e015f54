//! Statements made up at random.

use dynamometer_expr::partiql::{Reads, Statement, parse_statement, split_key};
use dynamometer_types::{AttributeValue, Item, KeyAttribute, KeySchema, ScalarType};
use proptest::prelude::*;

/// Words that a statement is made of.
const WORDS: &[&str] = &[
    "SELECT",
    "*",
    "FROM",
    "\"T\"",
    "WHERE",
    "pk",
    "sk",
    "a",
    "=",
    "<>",
    "<",
    ">=",
    "BETWEEN",
    "AND",
    "OR",
    "NOT",
    "IN",
    "[",
    "]",
    "(",
    ")",
    "1",
    "-",
    "'x'",
    "?",
    "IS",
    "MISSING",
    "NULL",
    ",",
    ".",
    "begins_with",
    "size",
    "contains",
    "ORDER",
    "BY",
    "DESC",
    "UPDATE",
    "SET",
    "REMOVE",
    "DELETE",
    "INSERT",
    "INTO",
    "VALUE",
    "{",
    "}",
    ":",
    "<<",
    ">>",
    "RETURNING",
    "ALL",
    "OLD",
    "list_append",
    "set_add",
    "+",
    "EXISTS",
    ";",
    "true",
];

fn schema() -> KeySchema {
    let attribute = |name: &str| KeyAttribute { name: name.into(), scalar_type: ScalarType::S };
    KeySchema { partition: vec![attribute("pk")], sort: vec![attribute("sk")] }
}

/// Conditions on `pk`, `sk` and `a`, whose values are few.
fn condition() -> impl Strategy<Value = String> {
    let value = prop_oneof![Just("'1'"), Just("'2'"), Just("'3'")];
    let name = prop_oneof![Just("pk"), Just("sk"), Just("a")];
    let operator = prop_oneof![Just("="), Just("<>"), Just("<"), Just(">=")];
    let leaf = prop_oneof![
        4 => (name.clone(), operator, value.clone()).prop_map(|(name, operator, value)| format!("{name} {operator} {value}")),
        1 => (name.clone(), value.clone(), value.clone()).prop_map(|(name, one, two)| format!("{name} IN [{one}, {two}]")),
        1 => (name, value).prop_map(|(name, value)| format!("begins_with({name}, {value})")),
    ];
    leaf.prop_recursive(4, 12, 3, |inner| {
        prop_oneof![
            3 => (inner.clone(), inner.clone()).prop_map(|(one, two)| format!("({one} AND {two})")),
            2 => (inner.clone(), inner.clone()).prop_map(|(one, two)| format!("({one} OR {two})")),
            1 => inner.prop_map(|one| format!("NOT ({one})")),
        ]
    })
}

fn items() -> impl Iterator<Item = Item> {
    let values = ["1", "2", "3"];
    let each = move || values.into_iter();
    each().flat_map(move |pk| {
        each().flat_map(move |sk| {
            each().map(move |a| {
                Item::from_iter(
                    [("pk", pk), ("sk", sk), ("a", a)].map(|(name, value)| (name, AttributeValue::s(value))),
                )
            })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_breaks_the_parser(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..30)) {
        let text = words.join(" ");
        let _ = parse_statement(&text, &[AttributeValue::s("x"), AttributeValue::Null]);
    }

    #[test]
    fn no_characters_break_the_parser(text in "\\PC{0,60}") {
        let _ = parse_statement(&text, &[]);
        let _ = parse_statement(&format!("SELECT * FROM T WHERE {text}"), &[]);
    }

    /// Each item that a condition means is read by exactly one of the queries that it stands for.
    #[test]
    fn queries_read_what_the_condition_means(condition in condition()) {
        let text = format!("SELECT * FROM T WHERE {condition}");
        let Statement::Select(select) = parse_statement(&text, &[]).unwrap() else { panic!("{text}") };
        let condition = select.condition.unwrap();
        let schema = schema();
        if let Ok(reads) = Reads::plan(Some(&condition), &schema)
            && reads.are_keyed()
            && reads.check_overlap().is_ok()
        {
            let list = reads.list().unwrap();
            for item in items() {
                let read = list.iter().filter(|read| {
                    read.range.partition.first() == item.get("pk")
                        && read.range.sort.as_ref().is_none_or(|sort| sort.admits(item.get("sk").unwrap()))
                        && (!read.filtered || condition.matches(&item))
                });
                prop_assert_eq!(read.count(), usize::from(condition.matches(&item)), "{} {:?}", text, item);
            }
        }
    }

    /// Taking the key out of a condition leaves the same condition.
    #[test]
    fn a_key_and_the_rest_are_the_whole(condition in condition()) {
        let text = format!("SELECT * FROM T WHERE {condition}");
        let Statement::Select(select) = parse_statement(&text, &[]).unwrap() else { panic!("{text}") };
        let condition = select.condition.unwrap();
        let split = split_key(Some(&condition), &schema());
        for item in items() {
            let has_key = split.key.iter().all(|(name, value)| item.get(name) == Some(value));
            let has_rest = split.rest.as_ref().is_none_or(|rest| rest.matches(&item));
            prop_assert_eq!(has_key && has_rest, condition.matches(&item), "{} {:?}", text, item);
        }
    }
}

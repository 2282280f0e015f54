//! What statements become.

use dynamometer_expr::partiql::{Returning, Select, Statement, parse_statement, split_key};
use dynamometer_expr::{
    Comparator, Condition, ExpressionKind, Operand, Path, Placeholders, parse_condition, parse_update,
};
use dynamometer_types::{AttributeValue, Item, KeyAttribute, KeySchema, ScalarType};

use crate::parse;

fn select(text: &str) -> Select {
    match parse(text).unwrap() {
        Statement::Select(select) => select,
        other => panic!("{other:?}"),
    }
}

fn number(text: &str) -> AttributeValue {
    AttributeValue::N(text.parse().unwrap())
}

#[test]
fn where_says_what_a_condition_expression_says() {
    // Each PartiQL condition with the expression that it stands for; `?` is 5, and so is `:v`.
    let cases = [
        ("a = ?", "a = :v"),
        ("a != ? and b <> ?", "a <> :v AND b <> :v"),
        ("(a < ?) OR NOT b >= ?", "a < :v OR NOT b >= :v"),
        ("a = ? OR b = ? AND c = ?", "a = :v OR b = :v AND c = :v"),
        ("a BETWEEN ? AND ?", "a BETWEEN :v AND :v"),
        ("a NOT BETWEEN ? AND ?", "NOT a BETWEEN :v AND :v"),
        ("a IN [?, b]", "a IN (:v, b)"),
        ("a NOT IN (?, ?)", "NOT a IN (:v, :v)"),
        ("a.b[1].c IS MISSING", "attribute_not_exists(a.b[1].c)"),
        ("a IS NOT MISSING", "NOT attribute_not_exists(a)"),
        ("BEGINS_WITH(a, b) AND contains(c, ?)", "begins_with(a, b) AND contains(c, :v)"),
        ("size(a) > ?", "size(a) > :v"),
        (
            "attribute_exists(a) AND Attribute_Not_Exists(b)",
            "attribute_exists(a) AND attribute_not_exists(b)",
        ),
    ];
    let values = [(":v".to_string(), number("5"))];
    let placeholders = Placeholders::new(None, Some(&values));
    for (partiql, expression) in cases {
        let text = format!("SELECT * FROM T WHERE {partiql}");
        let Statement::Select(select) = parse_statement(&text, &vec![number("5"); 3]).unwrap() else {
            panic!()
        };
        let expected = parse_condition(ExpressionKind::Condition, expression, &placeholders).unwrap();
        assert_eq!(select.condition, Some(expected), "{partiql}");
    }
}

#[test]
fn types_and_booleans() {
    let item: Item = [
        ("n", number("1")),
        ("flag", AttributeValue::s("right")),
        ("yes", AttributeValue::Bool(true)),
        ("nul", AttributeValue::Null),
        ("m", AttributeValue::M(Item::new())),
        ("l", AttributeValue::L(vec![])),
    ]
    .into_iter()
    .collect();
    // Measured on AWS by others (2026).
    let hold = [
        "attribute_exists(nope) = false",
        "true = attribute_exists(n)",
        "attribute_exists(n) <> 1",
        "contains(nope, 'z') = false",
        "(n BETWEEN 0 AND 5) = true",
        "(n = 5 OR flag = 'x') = false",
        "attribute_exists(nope) IN [true, false]",
        "attribute_exists(n) = attribute_exists(flag)",
        "attribute_exists(n) = yes",
        "nul IS NULL",
        "yes IS BOOLEAN AND n IS NUMERIC AND flag IS STRING AND m IS STRUCT AND m IS TUPLE AND l IS LIST",
        "n = - - 1",
        "nope <> 1",
        "NOT nope = 1",
        "nope IS MISSING AND n IS NOT MISSING",
    ];
    let fail = [
        "attribute_exists(n) = 1",
        "NOT attribute_exists(n) = true",
        "(attribute_exists(n) = true) = false",
        "attribute_exists(n) = flag",
        "nope IS NULL",
        "n IS BLOB",
        "nope = 1",
        "n > -/* c */-1",
    ];
    for (conditions, expected) in [(&hold[..], true), (&fail[..], false)] {
        for condition in conditions {
            let select = select(&format!("SELECT * FROM T WHERE {condition}"));
            assert_eq!(select.condition.unwrap().matches(&item), expected, "{condition}");
        }
    }
}

#[test]
fn an_index_columns_and_an_order_are_read() {
    let read = select(
        r#"SELECT pk, m.k[0], "a.b" FROM "T"."idx" WHERE pk = 'x' ORDER BY pk DESC, sk NULLS LAST; -- all"#,
    );
    assert_eq!((read.table.as_str(), read.index.as_deref()), ("T", Some("idx")));
    let order: Vec<(&str, bool)> =
        read.order.iter().map(|key| (key.attribute.as_deref().unwrap(), key.descending)).collect();
    assert_eq!(order, [("pk", true), ("sk", false)]);
    let inner =
        AttributeValue::M(Item::from_iter([("k", AttributeValue::L(vec![number("7"), number("8")]))]));
    let item = Item::from_iter([
        ("pk", AttributeValue::s("x")),
        ("m", inner),
        ("a.b", number("1")),
        ("z", number("2")),
    ]);
    let projected = read.columns.unwrap().project(&item);
    assert_eq!(
        projected,
        Item::from_iter([("pk", AttributeValue::s("x")), ("k[0]", number("7")), ("a.b", number("1"))])
    );
    assert!(select("SELECT * FROM T").columns.is_none());
}

#[test]
fn an_insert_has_all_kinds_of_values() {
    let text = "insert into T value {'s': 'it''s', 'n': -1.5e-3, 'b': true, 'z': null, 'l': [1, 'a', [ ]], 'm': {'x': 4},
                'ns': <<1, 34, 4.5>>, 'ss': <<'b', 'a'>>, 'p': ?}";
    let Statement::Insert(insert) = parse_statement(text, &[AttributeValue::B(vec![1])]).unwrap() else {
        panic!()
    };
    let expected = Item::from_iter([
        ("s", AttributeValue::s("it's")),
        ("n", number("-0.0015")),
        ("b", AttributeValue::Bool(true)),
        ("z", AttributeValue::Null),
        ("l", AttributeValue::L(vec![number("1"), AttributeValue::s("a"), AttributeValue::L(vec![])])),
        ("m", AttributeValue::M(Item::from_iter([("x", number("4"))]))),
        ("ns", AttributeValue::Ns(["1", "4.5", "34"].map(|text| text.parse().unwrap()).to_vec())),
        ("ss", AttributeValue::Ss(vec!["a".into(), "b".into()])),
        ("p", AttributeValue::B(vec![1])),
    ]);
    assert_eq!((insert.table.as_str(), insert.item), ("T", expected));
}

#[test]
fn an_update_says_what_an_update_expression_says() {
    let cases = [
        ("SET a = ?", "SET a = :v"),
        ("SET a = b + ? SET c = d - e", "SET a = b + :v, c = d - e"),
        ("SET m.x[2] = ?, b = c", "SET m.x[2] = :v, b = c"),
        ("REMOVE a REMOVE l[1]", "REMOVE a, l[1]"),
        ("SET a = LIST_APPEND(a, b)", "SET a = list_append(a, b)"),
        ("SET a = if_not_exists(a, ?)", "SET a = if_not_exists(a, :v)"),
        ("SET s = set_add(s, <<'x'>>) SET t = set_delete(t, <<'x'>>)", "ADD s :s DELETE t :s"),
    ];
    let values = [(":v".to_string(), number("5")), (":s".to_string(), AttributeValue::Ss(vec!["x".into()]))];
    let placeholders = Placeholders::new(None, Some(&values));
    for (partiql, expression) in cases {
        let expected = parse_update(expression, &placeholders).unwrap();
        for text in [format!("UPDATE T {partiql} WHERE pk = 'x'"), format!("FROM T WHERE pk = 'x' {partiql}")]
        {
            let Statement::Update(update) = parse_statement(&text, &[number("5")]).unwrap() else { panic!() };
            assert_eq!(update.update, expected, "{text}");
        }
    }
}

#[test]
fn returning_is_read() {
    let Statement::Update(update) = parse("UPDATE T SET a=1 WHERE pk='x' RETURNING MODIFIED NEW *;").unwrap()
    else {
        panic!()
    };
    assert_eq!(update.returning, Some(Returning { modified: true, new: true }));
    let Statement::Delete(delete) = parse("DELETE FROM T WHERE pk='x' RETURNING all old *").unwrap() else {
        panic!()
    };
    assert_eq!(delete.returning, Some(Returning { modified: false, new: false }));
}

#[test]
fn exists_is_a_statement_around_a_select() {
    let text = "EXISTS(SELECT * FROM T WHERE pk = 'x' AND a IS MISSING)";
    let Statement::Exists(inner) = parse(text).unwrap() else { panic!() };
    assert_eq!(inner, select("SELECT * FROM T WHERE pk = 'x' AND a IS MISSING"));
}

#[test]
fn a_key_is_taken_out_of_a_condition() {
    let attribute = |name: &str| KeyAttribute { name: name.into(), scalar_type: ScalarType::S };
    let schema = KeySchema { partition: vec![attribute("pk")], sort: vec![attribute("sk")] };
    let split = |condition: &str| {
        let condition = select(&format!("SELECT * FROM T WHERE {condition}")).condition;
        split_key(condition.as_ref(), &schema)
    };
    let equal = |name: &str, value: &str| Condition::Compare {
        left: Operand::Path(Path::top_level(name)),
        comparator: Comparator::Equal,
        right: Operand::Value(AttributeValue::s(value)),
    };
    let whole = split("(pk = 'a' AND 'b' = sk) AND pk = 'a' AND x = 'y'");
    let key = Item::from_iter([("pk", AttributeValue::s("a")), ("sk", AttributeValue::s("b"))]);
    assert_eq!((whole.key, whole.rest, whole.conflict), (key, Some(equal("x", "y")), None));
    let conflict = split("pk = 'a' AND sk = 'b' AND pk = 'c'");
    assert_eq!((conflict.rest, conflict.conflict.as_deref()), (Some(equal("pk", "c")), Some("pk")));
    for condition in ["pk IN ['a']", "pk = 'a' OR pk = 'a'", "NOT pk = 'a'", "pk.x = 'a'", "pk > 'a'"] {
        assert!(split(condition).key.is_empty(), "{condition}");
    }
}

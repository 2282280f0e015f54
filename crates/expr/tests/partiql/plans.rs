//! Which queries a SELECT stands for. Measured on AWS by others (2026), with the errors.

use dynamometer_expr::partiql::{OrderKey, Reads, Statement, check_key_types};
use dynamometer_types::{AttributeValue, Item, KeyAttribute, KeySchema, ScalarType};

use crate::parse;

fn schema() -> KeySchema {
    let attribute = |name: &str| KeyAttribute { name: name.into(), scalar_type: ScalarType::S };
    KeySchema { partition: vec![attribute("pk")], sort: vec![attribute("sk")] }
}

/// What is read: `scan`, or each query as partition, sort condition and `*` when it is filtered; or the error.
fn plan(condition: &str) -> String {
    let Statement::Select(select) = parse(&format!("SELECT * FROM T WHERE {condition}")).unwrap() else {
        panic!()
    };
    let schema = schema();
    let reads = match Reads::plan(select.condition.as_ref(), &schema) {
        Ok(reads) => reads,
        Err(error) => return error.message,
    };
    let checked = reads.check_types().and_then(|()| reads.check_overlap()).and_then(|()| reads.list());
    if checked.is_ok() && !reads.are_keyed() {
        return "scan".into();
    }
    let text = |value: &AttributeValue| match value {
        AttributeValue::S(text) => text.to_string(),
        other => format!("{other:?}"),
    };
    match checked {
        Err(error) => error.message,
        Ok(list) => {
            let shown: Vec<String> = list
                .iter()
                .map(|read| {
                    let sort = read.range.sort.as_ref().map_or(String::new(), |sort| format!("/{sort:?}"));
                    let filtered = if read.filtered { "*" } else { "" };
                    format!(
                        "{}{}{filtered}",
                        text(&read.range.partition[0]),
                        sort.replace(['"', '(', ')'], "")
                    )
                })
                .collect();
            shown.join(" ")
        }
    }
}

const OVERLAP: &str = "Overlapping conditions with range keys are not supported in where clause";

#[test]
fn conditions_become_queries() {
    let cases = [
        ("pk = 'a'", "a"),
        ("'a' = pk AND x = 1", "a*"),
        ("pk = 'a' AND sk > 'b'", "a/GtSb"),
        ("pk = 'a' AND 'b' > sk", "a/LtSb"),
        ("pk = 'a' AND sk BETWEEN 'b' AND 'c'", "a/BetweenSb, Sc"),
        ("pk = 'a' AND begins_with(sk, 'b')", "a/BeginsWithSb"),
        ("pk IN ['c', 'a', 'b']", "a b c"),
        ("pk IN ['a']", "a"),
        ("(pk = 'b' OR pk = 'a') AND x = 1", "a* b*"),
        ("pk = 'a' AND (sk = '2' OR sk = '1')", "a/EqS1 a/EqS2"),
        ("pk = 'a' AND sk IN ['1', '2']", "a/EqS1 a/EqS2"),
        ("pk = 'a' AND (sk < '1' OR sk > '1' OR sk = '1')", "a/LtS1 a/EqS1 a/GtS1"),
        ("pk = 'a' AND attribute_exists(pk)", "a*"),
        ("pk = 'a' AND NOT sk = '1'", "a*"),
        ("pk = 'a' AND sk <> '1'", "a*"),
        ("pk = 'a' AND sk > '0' AND sk <> '1'", "a/GtS0*"),
        ("pk = 'a' AND sk = '1' AND sk > '0'", "a/EqS1*"),
        ("pk = 'a' AND (x = 1 OR y = 2)", "a*"),
        ("pk = 'a' AND pk = 'a'", "a"),
        ("pk = 'a' AND pk IN ['a']", "a"),
        ("pk IN ['a', 'b'] AND pk IN ['b', 'a']", "a b"),
        ("pk = 'a' AND pk = 'b'", "scan"),
        ("pk = 'a' AND pk IN ['a', 'b']", "scan"),
        ("pk = 'c' OR pk = 'a' AND pk = 'b'", "scan"),
        ("pk = 'a' AND NOT sk = '1' OR pk = 'a' AND sk = '2'", "a*"),
        ("pk = 'a' OR pk = 'a' AND NOT sk = '1'", "a*"),
        ("pk = 'a' OR sk = '1'", "scan"),
        ("pk > 'a'", "scan"),
        ("pk > 1", "scan"),
        ("NOT pk = 'a'", "scan"),
        ("(pk = 'a' AND x = 1) OR y = 1", "scan"),
        ("sk = '1'", "scan"),
        ("pk.x = 'a'", "scan"),
    ];
    for (condition, expected) in cases {
        assert_eq!(plan(condition), expected, "{condition}");
    }
}

#[test]
fn alternatives_that_share_keys_are_refused() {
    let cases = [
        "pk IN ['a', 'a']",
        "pk = 'a' OR pk = 'a'",
        "pk = 'a' AND (sk > '0' OR sk < '5')",
        "pk = 'a' AND (sk = '1' OR flag = 'two')",
        "(pk = 'a' AND flag = 'one') OR (pk = 'a' AND flag = 'two')",
        "pk = 'a' AND x = '1' OR pk = 'a' AND sk = '2'",
        "pk = 'a' AND (begins_with(sk, 'a') OR sk = 'ab')",
        "pk = 'a' AND (sk <= '1' OR sk >= '1')",
    ];
    for condition in cases {
        assert_eq!(plan(condition), OVERLAP, "{condition}");
    }
    assert_eq!(plan("pk = 'a' AND (begins_with(sk, 'a') OR sk = 'b')"), "a/BeginsWithSa a/EqSb");
}

#[test]
fn keys_of_other_types_and_too_many_queries() {
    let mismatch = "Key attribute's data type should match its data type in table's schema: Key";
    let many = "Too many decomposed read operations for a given query.";
    let values = |count: usize| (0..count).map(|at| format!("'v{at}'")).collect::<Vec<_>>().join(",");
    let cases = [
        ("pk = 1 OR pk = 'a'".to_owned(), format!("{mismatch} pk")),
        ("pk = 'a' AND sk IN ['1', 2]".into(), format!("{mismatch} sk")),
        ("pk = {'a': 1}".into(), "Key value must be of type S, N, or B. Key name: pk, Key type: M".into()),
        (format!("pk IN [{}]", values(51)), many.into()),
        (format!("pk = 'a' AND sk IN [{}]", values(51)), many.into()),
        (format!("pk IN [{}] AND sk IN ['1', '2']", values(26)), many.into()),
        (format!("pk IN [{}] OR flag = 'one'", values(51)), "scan".into()),
        (
            "pk = ''".into(),
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty \
             string value. Key: pk"
                .into(),
        ),
    ];
    for (condition, expected) in cases {
        assert_eq!(plan(&condition), expected, "{condition}");
    }
    assert_eq!(
        plan(&format!("pk IN [{}] AND flag IN [{}]", values(50), values(100))).matches('*').count(),
        50
    );
    let long = "x".repeat(2049);
    assert!(plan(&format!("pk = '{long}'")).contains("Size of hashkey"));
    assert_eq!(plan(&format!("pk IN ['{long}', 'a']")), "a");
}

#[test]
fn a_read_of_one_item_names_nothing_but_its_key() {
    let only = |condition: &str| {
        let Statement::Select(select) = parse(&format!("SELECT * FROM T WHERE {condition}")).unwrap() else {
            panic!()
        };
        let schema = schema();
        Reads::plan(select.condition.as_ref(), &schema).unwrap().only_item()
    };
    let key = Some(Item::from_iter([("pk", AttributeValue::s("a")), ("sk", AttributeValue::s("1"))]));
    for condition in
        ["pk = 'a' AND sk = '1'", "(sk = '1') AND pk = 'a' AND pk = 'a'", "pk IN ['a'] AND sk IN ['1']"]
    {
        assert_eq!(only(condition), key, "{condition}");
    }
    let others = [
        "pk = 'a'",
        "pk = 'a' AND sk = '1' AND x = 1",
        "pk = 'a' AND sk = '1' AND pk = 'b'",
        "pk = 'a' AND sk > '1'",
    ];
    for condition in others {
        assert_eq!(only(condition), None, "{condition}");
    }
}

#[test]
fn filters_that_an_index_cannot_answer_are_named() {
    let unprojected = |condition: &str| {
        let Statement::Select(select) = parse(&format!("SELECT * FROM T WHERE {condition}")).unwrap() else {
            panic!()
        };
        let schema = schema();
        let reads = Reads::plan(select.condition.as_ref(), &schema).unwrap();
        reads.unprojected(|name| ["pk", "sk", "p"].contains(&name)).join(" ")
    };
    let cases = [
        ("pk = 'y' AND NOT (n = 1 OR p = 2)", "n"),
        ("pk = 'y' AND b = 1 AND (a = 2 OR p = 3)", "b a"),
        ("(pk = 'y' OR pk = 'z') AND zz = 1", "zz"),
        ("(pk = 'b' AND u1 = 1) OR (pk = 'q' AND u2 = 1)", "u2"),
        ("(pk = 'q' AND u1 = 1) OR (pk = 'b' AND u2 = 1)", "u1"),
        ("(pk = 'y' AND p = 1) OR (pk = 'z' AND aa = 1)", ""),
        ("pk = 'y' AND (pk = 'z' OR zz = 1)", ""),
    ];
    for (condition, expected) in cases {
        assert_eq!(unprojected(condition), expected, "{condition}");
    }
}

/// The types of key values are checked alternative by alternative, up to one that is not plain.
#[test]
fn key_types_are_checked_as_far_as_alternatives_are_plain() {
    let mismatch = |name: &str| {
        format!("Key attribute's data type should match its data type in table's schema: Key {name}")
    };
    let refused = [
        ("pk = 1 OR x = 1", "pk"),
        ("pk = 1 OR pk > 'a'", "pk"),
        ("pk = 1 OR pk = 'a' AND pk = 'b'", "pk"),
        ("pk = 'a' AND pk IN ['a'] OR pk = 1", "pk"),
        ("pk IN ['a', 1]", "pk"),
        ("pk = 'a' AND pk = 'a' AND sk = 1", "sk"),
        ("pk = 'a' AND sk > 1 OR pk = 'b' AND sk = '1' AND sk = '2'", "sk"),
    ];
    for (condition, name) in refused {
        assert_eq!(plan(condition), mismatch(name), "{condition}");
    }
    let taken = [
        ("x = 1 OR pk = 1", "scan"),
        ("x = 1 AND sk = 1", "scan"),
        ("pk = 1 AND pk = 'a' OR pk = 2", "scan"),
        ("pk = 'a' AND sk <> 1", "a*"),
        ("pk = 'a' AND sk = 1 AND sk = '2'", "a/EqS2*"),
        ("pk = 'a' AND sk > 0 AND sk < 5", "a*"),
        ("pk = 'a' AND sk = '1' AND sk = '2' OR pk = 'b' AND sk = 3", "a/EqS1* b*"),
        ("pk = 1 AND sk = '1' AND sk = '2'", ""),
    ];
    for (condition, expected) in taken {
        assert_eq!(plan(condition), expected, "{condition}");
    }
}

#[test]
fn orders_and_keys_of_writes_are_checked() {
    let check = |clauses: &str| {
        let Statement::Select(select) = parse(&format!("SELECT * FROM T {clauses}")).unwrap() else {
            panic!()
        };
        let checked = OrderKey::check_all(&select.order, select.condition.is_some(), &schema());
        checked.map_or_else(|error| error.message, |()| "fits".into())
    };
    let key = |name: &str| format!("Attribute {name} in ORDER BY clause must be part of the primary key");
    let term = |what: &str| format!("Argument to ORDER BY must be of type VariableReference. Type: {what}");
    let cases = [
        ("WHERE a = 1 ORDER BY pk, sk", "fits".into()),
        ("WHERE a = 1 ORDER BY \"sk\" DESC NULLS LAST", "fits".into()),
        ("ORDER BY m.x", "Must have WHERE clause in the statement when using ORDER BY clause.".to_owned()),
        ("WHERE a = 1 ORDER BY sk, Total", key("Total")),
        ("WHERE a = 1 ORDER BY SK", key("SK")),
        ("WHERE a = 1 ORDER BY a, m.x", key("a")),
        ("WHERE a = 1 ORDER BY m.x, a", term("PATH at 1:38:1")),
        ("WHERE a = 1 ORDER BY sk[0]", term("PATH at 1:38:2")),
        ("WHERE a = 1\nORDER BY   \"m\".x", term("PATH at 2:12:3")),
        ("WHERE a = 1 ORDER BY 'sk'", term("sk at 1:38:4")),
    ];
    for (clauses, expected) in cases {
        assert_eq!(check(clauses), expected, "{clauses}");
    }
    let item = Item::from_iter([("pk", AttributeValue::Bool(true))]);
    assert_eq!(
        check_key_types(&item, &schema()).unwrap_err().message,
        "Key value must be of type S, N, or B. Key name: pk, Key type: BOOL"
    );
}

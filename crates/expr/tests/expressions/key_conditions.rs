//! Key conditions: what the request alone tells, and how they fit a key.

use dynamometer_expr::{KeyRange, SortCondition, parse_key_condition};
use dynamometer_types::{AttributeValue, KeyAttribute, KeySchema, ScalarType};

use crate::notation::{parse, value};

/// The key `pk:S sk:N …`; the first `partition` attributes are the partition key.
fn key(partition: usize, attributes: &str) -> KeySchema {
    let attributes: Vec<KeyAttribute> = attributes
        .split(' ')
        .map(|attribute| attribute.split_once(':').unwrap())
        .map(|(name, kind)| KeyAttribute {
            name: name.into(),
            scalar_type: ScalarType::from_name(kind).unwrap(),
        })
        .collect();
    let (partition, sort) = attributes.split_at(partition);
    KeySchema { partition: partition.to_vec(), sort: sort.to_vec() }
}

fn bind(schema: &KeySchema, text: &str, placeholders: &str) -> Result<KeyRange, String> {
    let condition = parse(placeholders, |p| parse_key_condition(text, p))?;
    condition.bind(schema).map_err(String::from)
}

/// Each case: a key condition, its placeholders, the error of the whole request.
fn check_parse(cases: &[(&str, &str, &str)]) {
    for (text, placeholders, expected) in cases {
        let found = parse(placeholders, |p| parse_key_condition(text, p)).expect_err(text);
        assert_eq!(found, *expected, "{text} {placeholders}");
    }
}

/// Each case: a key condition, its placeholders, the error of fitting it to the key.
fn check_bind(schema: &KeySchema, cases: &[(&str, &str, &str)]) {
    for (text, placeholders, expected) in cases {
        let condition = parse(placeholders, |p| parse_key_condition(text, p));
        let condition = condition.unwrap_or_else(|error| panic!("{text}: {error}"));
        let found = condition.bind(schema).expect_err(text);
        assert_eq!(found.message, *expected, "{text} {placeholders}");
    }
}

#[test]
fn clauses_in_any_order_with_values_on_either_side() {
    let schema = key(1, "pk:S sk:N");
    let n = |text: &str| value(text);
    let cases = [
        ("pk = :p", None),
        (":p = pk", None),
        ("(pk = :p)", None),
        ("pk = :p AND sk = :a", Some(SortCondition::Eq(n("1")))),
        ("sk < :a AND pk = :p", Some(SortCondition::Lt(n("1")))),
        ("(pk = :p) and (sk <= :a)", Some(SortCondition::Le(n("1")))),
        ("((pk = :p) AND (sk > :a))", Some(SortCondition::Gt(n("1")))),
        ("pk = :p AND sk >= :a", Some(SortCondition::Ge(n("1")))),
        ("pk = :p AND :a < sk", Some(SortCondition::Gt(n("1")))),
        ("pk = :p AND :a <= sk", Some(SortCondition::Ge(n("1")))),
        ("pk = :p AND :a > sk", Some(SortCondition::Lt(n("1")))),
        ("pk = :p AND :a >= sk", Some(SortCondition::Le(n("1")))),
        ("pk = :p AND sk BETWEEN :a AND :b", Some(SortCondition::Between(n("1"), n("2")))),
        ("sk BETWEEN :a AND :b AND pk = :p", Some(SortCondition::Between(n("1"), n("2")))),
    ];
    for (text, sort) in cases {
        let mut placeholders = "{:p: \"x\"".to_string();
        for (name, value) in [(":a", "1"), (":b", "2")] {
            if text.contains(name) {
                placeholders.push_str(&format!(", {name}: {value}"));
            }
        }
        let range = bind(&schema, text, &(placeholders + "}"));
        let expected = KeyRange { partition: vec![value("\"x\"")], sort_prefix: vec![], sort };
        assert_eq!(range, Ok(expected), "{text}");
    }
    let range = bind(&key(1, "p:B s:S"), "begins_with(s, :s) AND p = :p", "{:p: b\"x\", :s: \"y\"}").unwrap();
    assert_eq!(range.sort, Some(SortCondition::BeginsWith(AttributeValue::s("y"))));
}

#[test]
fn sort_conditions_admit() {
    let n = |text: &str| value(text);
    let cases = [
        (SortCondition::Eq(n("1")), [false, true, false]),
        (SortCondition::Lt(n("1")), [true, false, false]),
        (SortCondition::Le(n("1")), [true, true, false]),
        (SortCondition::Gt(n("1")), [false, false, true]),
        (SortCondition::Ge(n("1")), [false, true, true]),
        (SortCondition::Between(n("1"), n("2")), [false, true, true]),
    ];
    for (condition, expected) in cases {
        assert_eq!([n("0"), n("1"), n("2")].map(|value| condition.admits(&value)), expected, "{condition:?}");
    }
    let begins = SortCondition::BeginsWith(value("\"ab\""));
    assert_eq!(
        ["\"ab\"", "\"abc\"", "\"Ab\"", "1"].map(|text| begins.admits(&value(text))),
        [true, true, false, false]
    );
}

#[test]
fn what_no_key_condition_may_be() {
    let operator = |name: &str| format!("Invalid operator used in KeyConditionExpression: {name}");
    let first = |name: &str| {
        format!(
            "Invalid condition in KeyConditionExpression: {name} operator must have the key attribute as its first \
             operand"
        )
    };
    let nested_operation = "KeyConditionExpressions cannot contain nested operations";
    let several =
        "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition";
    let nested =
        "Invalid KeyConditionExpression: KeyConditionExpressions cannot have conditions on nested attributes";
    let no_attribute = "Invalid condition in KeyConditionExpression: No key attribute specified";
    let twice =
        "Invalid KeyConditionExpression: KeyConditionExpressions must only contain one condition per key";
    let values = "{:a: 1}";
    check_parse(&[
        ("a > b and size(b) > c or a > c", "", &operator("OR")),
        ("a in (b, size(c), d)", "", &operator("IN")),
        ("attribute_exists(a)", "", &operator("attribute_exists")),
        ("attribute_not_exists(a)", "", &operator("attribute_not_exists")),
        ("attribute_type(a, :a)", "{:a: \"S\"}", &operator("attribute_type")),
        ("contains(a.d, b)", "", &operator("contains")),
        ("not a > b", "", &operator("NOT")),
        ("a <> b", "", &operator("<>")),
        ("a = :a AND (b = :a OR c = :a)", values, &operator("OR")),
        (":a between size(b) and size(a) and b > :b", "{:a: \"1\", :b: \"1\"}", &first("BETWEEN")),
        ("begins_with(:a, b) and a > :b", "{:a: \"1\", :b: \"1\"}", &first("begins_with")),
        ("size(b) > a AND a.b > b AND b > c", "", nested_operation),
        ("a > size(b.d)", "", nested_operation),
        ("a between size(b) and size(a)", "", nested_operation),
        ("b > a.b", "", several),
        ("b between c[1] and d", "", several),
        ("a between b and size(a)", "", several),
        ("begins_with(a, b)", "", several),
        ("b.d > a AND c.d > e.f", "", nested),
        ("a.d > c", "", nested),
        ("b[0] > a", "", nested),
        ("a = :a AND b.c = :a", values, nested),
        (":b > :a AND a < :b", "{:a: 1, :b: 1}", no_attribute),
        (":a > b AND :a < :b", "{:a: 1, :b: 1}", no_attribute),
        ("b > :a AND b < :a and c = :a and d = :a", values, twice),
        ("(a > :a and b > :a) and (b > :a and c > :a)", values, twice),
        ("a = :a AND :a = #a", "{:a: 1, #a: \"a\"}", twice),
    ]);
}

#[test]
fn operands_that_no_key_could_have() {
    let wrong = |operator: &str, kind: &str| {
        format!(
            "Invalid KeyConditionExpression: Incorrect operand type for operator or function; operator or function: \
             {operator}, operand type: {kind}"
        )
    };
    check_parse(&[
        ("begins_with(a, :a)", "{:a: 1}", &wrong("begins_with", "N")),
        ("begins_with(a, :a)", "{:a: true}", &wrong("begins_with", "BOOL")),
        ("a < :a", "{:a: true}", &wrong("<", "BOOL")),
        ("a = :p AND :a >= b", "{:a: [], :p: 1}", &wrong(">=", "L")),
        ("a BETWEEN :a AND :a", "{:a: true}", &wrong("BETWEEN", "BOOL")),
        (
            "a between :b and :a",
            "{:a: \"a\", :b: 1}",
            "Invalid KeyConditionExpression: The BETWEEN operator requires same data type for lower and upper bounds; \
             lower bound operand: AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:a}",
        ),
        (
            "a between :b and :a",
            "{:a: \"a\", :b: \"b\"}",
            "Invalid KeyConditionExpression: The BETWEEN operator requires upper bound to be greater than or equal to \
             lower bound; lower bound operand: AttributeValue: {S:b}, upper bound operand: AttributeValue: {S:a}",
        ),
        (
            "a = :x AND b < :t",
            "{:t: true}",
            "Invalid KeyConditionExpression: An expression attribute value used in expression is not defined; \
             attribute value: :x",
        ),
        ("", "", "Invalid KeyConditionExpression: The expression can not be empty;"),
    ]);
}

#[test]
fn a_key_of_one_or_two_attributes() {
    let type_mismatch =
        "One or more parameter values were invalid: Condition parameter type does not match schema type";
    let count = |conditions: usize, attributes: usize| {
        format!(
            "The number of query conditions ({conditions}) exceeds the number of key attributes defined in the schema \
             ({attributes})"
        )
    };
    let missed = |name: &str| format!("Query condition missed key schema element: {name}");
    let empty = |kind: &str, name: &str| {
        format!(
            "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an \
             empty {kind} value. Key: {name}"
        )
    };
    let unsupported = "Query key condition not supported";
    check_bind(
        &key(1, "pk:S"),
        &[
            ("pk = :v AND b = :v", "{:v: \"x\"}", &count(2, 1)),
            ("pk > :v", "{:v: \"x\"}", unsupported),
            ("begins_with(pk, :v)", "{:v: \"x\"}", unsupported),
            ("pk BETWEEN :v AND :v", "{:v: \"x\"}", unsupported),
            ("b = :v", "{:v: \"x\"}", &missed("pk")),
            ("pk = :v", "{:v: 1}", type_mismatch),
            ("pk = :v", "{:v: true}", type_mismatch),
        ],
    );
    let large_binary = format!("{{:p: \"x\", :v: b\"{}\"}}", "y".repeat(1025));
    let large_string = format!("{{:p: \"{}\"}}", "x".repeat(2049));
    check_bind(
        &key(1, "pk:S sk:B"),
        &[
            ("pk = :v AND sk = :v AND c = :v", "{:v: \"x\"}", &count(3, 2)),
            ("sk = :v", "{:v: b\"x\"}", &missed("pk")),
            ("sk = :v AND c = :v", "{:v: b\"x\"}", &missed("pk")),
            ("pk = :v AND c = :v", "{:v: \"x\"}", &missed("sk")),
            ("pk = :v AND c = :n", "{:v: 1, :n: 1}", type_mismatch),
            ("pk = :v AND sk > :v", "{:v: \"x\"}", type_mismatch),
            ("pk = :v AND begins_with(sk, :v)", "{:v: \"x\"}", type_mismatch),
            ("pk < :v AND sk > :v", "{:v: \"x\"}", unsupported),
            ("pk = :v", "{:v: \"\"}", &empty("string", "pk")),
            ("pk = :v AND sk = :w", "{:v: \"x\", :w: b\"\"}", &empty("binary", "sk")),
            (
                "pk = :p",
                &large_string,
                "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of2048 \
             bytes",
            ),
            (
                "pk = :p AND sk < :v",
                &large_binary,
                "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit \
             of 1024 bytes",
            ),
        ],
    );
}

#[test]
fn a_key_of_several_attributes() {
    let schema = key(2, "h1:S h2:N a:S b:N c:S");
    let hash = |names: &str| {
        format!("HASH key attributes {names} must have equality conditions specified in the query")
    };
    let gap = |names: &str, last: &str| {
        format!(
            "RANGE key attributes {names} must have equality conditions specified in the query because a condition is \
             present on key attribute {last}"
        )
    };
    check_bind(
        &schema,
        &[
            ("h1 = :s", "{:s: \"x\"}", &hash("h2")),
            ("h1 = :s AND h2 > :n", "{:s: \"x\", :n: 1}", &hash("h2")),
            ("a = :s", "{:s: \"x\"}", &hash("h1, h2")),
            ("h1 = :s AND h2 = :n AND b = :n", "{:s: \"x\", :n: 1}", &gap("a", "b")),
            ("h1 = :s AND h2 = :n AND c = :s", "{:s: \"x\", :n: 1}", &gap("a, b", "c")),
            ("h1 = :s AND h2 = :n AND a > :s AND b = :n", "{:s: \"x\", :n: 1}", &gap("a", "b")),
            ("h1 = :s AND h2 = :n AND a = :s AND b < :n AND c = :s", "{:s: \"x\", :n: 1}", &gap("b", "c")),
            (
                "h1 = :s AND h2 = :n AND a = :s AND b = :n AND c = :s AND d = :s",
                "{:s: \"x\", :n: 1}",
                "The number of query conditions (6) exceeds the number of key attributes defined in the schema (5)",
            ),
            (
                "h1 = :s AND h2 = :s",
                "{:s: \"x\"}",
                "One or more parameter values were invalid: Condition parameter type does not match schema type",
            ),
            (
                "h1 = :s AND h2 = :n AND d = :n",
                "{:s: \"x\", :n: 1}",
                "Query condition missed key schema element: a",
            ),
        ],
    );
    // One partition attribute, but several sort attributes: worded as several.
    check_bind(&key(1, "h:S a:S b:S"), &[("a = :s", "{:s: \"x\"}", &hash("h"))]);

    let range = bind(&schema, "b BETWEEN :n AND :n AND a = :s AND h2 = :n AND h1 = :s", "{:s: \"x\", :n: 1}");
    let (s, n) = (value("\"x\""), value("1"));
    let partition = vec![s.clone(), n.clone()];
    assert_eq!(
        range,
        Ok(KeyRange {
            partition: partition.clone(),
            sort_prefix: vec![s.clone()],
            sort: Some(SortCondition::Between(n.clone(), n.clone())),
        })
    );
    let range = bind(&schema, "h1 = :s AND h2 = :n AND a = :s AND b = :n", "{:s: \"x\", :n: 1}");
    assert_eq!(range, Ok(KeyRange { partition, sort_prefix: vec![s], sort: Some(SortCondition::Eq(n)) }));
}

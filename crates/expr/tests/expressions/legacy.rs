//! The parameters from before expressions.

use dynamometer_expr::legacy::{
    AttributeValueUpdate, ConditionalOperator, ExpectedAttributeValue, LegacyCondition, attribute_updates,
    attributes_to_get, expected, expected as expected_condition, filter, key_conditions,
};
use dynamometer_expr::{FilterSource, KeyOf, SortCondition, UpdateFault, check_filter, check_scalar_keys};
use dynamometer_types::{AttributeValue, KeyAttribute, KeySchema, ScalarType};

use crate::notation::{item, value};

const INVALID: &str = "One or more parameter values were invalid: ";

fn list(values: &str) -> Option<Vec<AttributeValue>> {
    match value(values) {
        AttributeValue::L(list) => Some(list),
        _ => None,
    }
}

fn condition(operator: &str, values: &str) -> LegacyCondition {
    LegacyCondition { comparison_operator: Some(operator.into()), attribute_value_list: list(values) }
}

#[test]
fn operators() {
    let cases = [
        ("EQ", "[1]", "{a: 1.0}", true),
        ("EQ", "[{x: [1]}]", "{a: {x: [1]}}", true),
        ("EQ", "[null]", "{}", false),
        ("NE", "[1]", "{a: 1}", false),
        ("NE", "[1]", "{a: \"1\"}", true),
        ("NE", "[1]", "{}", true),
        ("LE", "[1]", "{a: 1}", true),
        ("LT", "[1]", "{a: 1}", false),
        ("LT", "[1]", "{a: \"0\"}", false),
        ("LT", "[1]", "{}", false),
        ("GE", "[\"b\"]", "{a: \"b\"}", true),
        ("GT", "[b\"a\"]", "{a: b\"b\"}", true),
        ("NOT_NULL", "[]", "{a: null}", true),
        ("NOT_NULL", "[]", "{}", false),
        ("NULL", "[]", "{a: null}", false),
        ("NULL", "[]", "{}", true),
        ("CONTAINS", "[\"b\"]", "{a: \"abc\"}", true),
        ("CONTAINS", "[1]", "{a: <<1, 2>>}", true),
        ("CONTAINS", "[1]", "{a: [1]}", true),
        ("CONTAINS", "[1]", "{}", false),
        ("NOT_CONTAINS", "[\"b\"]", "{a: \"abc\"}", false),
        ("NOT_CONTAINS", "[\"x\"]", "{a: \"abc\"}", true),
        ("NOT_CONTAINS", "[\"x\"]", "{}", false),
        ("BEGINS_WITH", "[\"ab\"]", "{a: \"abc\"}", true),
        ("IN", "[1, 2]", "{a: 2}", true),
        ("IN", "[1, 2]", "{a: 3}", false),
        ("BETWEEN", "[1, 3]", "{a: 3}", true),
        ("BETWEEN", "[1, 3]", "{a: \"2\"}", false),
    ];
    for (operator, values, stored, matches) in cases {
        let filter =
            filter("scanFilter", &[("a".into(), condition(operator, values))], ConditionalOperator::And);
        assert_eq!(filter.unwrap().matches(&item(stored)), matches, "{operator} {values} on {stored}");
    }
}

#[test]
fn conditions_are_joined() {
    let entries = [("a".to_string(), condition("EQ", "[1]")), ("b.c".to_string(), condition("EQ", "[2]"))];
    let and = filter("queryFilter", &entries, ConditionalOperator::And).unwrap();
    let or = filter("queryFilter", &entries, ConditionalOperator::Or).unwrap();
    for (stored, by_and, by_or) in [
        ("{a: 1, \"b.c\": 2}", true, true),
        ("{a: 1, b: {c: 2}}", false, true),
        ("{b: {c: 2}}", false, false),
    ] {
        assert_eq!((and.matches(&item(stored)), or.matches(&item(stored))), (by_and, by_or), "{stored}");
    }
    let without = "ConditionalOperator cannot be used without Filter or Expected";
    let one = "ConditionalOperator can only be used when Filter or Expected has two or more elements";
    for (count, expected) in
        [(None, Some(without)), (Some(0), Some(without)), (Some(1), Some(one)), (Some(2), None)]
    {
        let found = ConditionalOperator::check_count(count).err().map(|error| error.message);
        assert_eq!(found.as_deref(), expected, "{count:?}");
    }
}

#[test]
fn malformed_conditions() {
    let count =
        |name: &str| format!("{INVALID}Invalid number of argument(s) for the {name} ComparisonOperator");
    let kind = |name: &str, kind: &str| {
        format!("{INVALID}ComparisonOperator {name} is not valid for {kind} AttributeValue type")
    };
    let same = format!("{INVALID}AttributeValues inside AttributeValueList must be of same type");
    let order =
        "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
            .to_string();
    let cases = [
        ("NULL", "[1]", count("NULL")),
        ("NOT_NULL", "[1]", count("NOT_NULL")),
        ("EQ", "[]", count("EQ")),
        ("NE", "[1, 2]", count("NE")),
        ("LE", "[]", count("LE")),
        ("LT", "[]", count("LT")),
        ("GE", "[]", count("GE")),
        ("GT", "[]", count("GT")),
        ("CONTAINS", "[]", count("CONTAINS")),
        ("NOT_CONTAINS", "[]", count("NOT_CONTAINS")),
        ("BEGINS_WITH", "[\"a\", \"b\"]", count("BEGINS_WITH")),
        ("IN", "[]", count("IN")),
        ("BETWEEN", "[1]", count("BETWEEN")),
        ("BETWEEN", "[1, 2, 3]", count("BETWEEN")),
        ("IN", "[1, \"a\"]", same.clone()),
        ("IN", "[1, \"a\", [], null]", kind("IN", "L")),
        ("BETWEEN", "[1, \"a\"]", same.clone()),
        ("BETWEEN", "[true, \"a\"]", same),
        ("BETWEEN", "[true, true]", kind("BETWEEN", "BOOL")),
        ("BETWEEN", "[2, 1]", order),
        ("LT", "[<<1>>]", kind("LT", "NS")),
        ("GE", "[null]", kind("GE", "NULL")),
        ("CONTAINS", "[[]]", kind("CONTAINS", "L")),
        ("NOT_CONTAINS", "[{}]", kind("NOT_CONTAINS", "M")),
        ("BEGINS_WITH", "[1]", kind("BEGINS_WITH", "N")),
        ("eq", "[1]", format!("{INVALID}Invalid comparison operator")),
    ];
    for (operator, values, expected) in cases {
        let entries = [("a".to_string(), condition(operator, values))];
        let found = filter("scanFilter", &entries, ConditionalOperator::And).unwrap_err();
        assert_eq!(found.message, expected, "{operator} {values}");
        assert_eq!(key_conditions(&entries).unwrap_err().message, expected, "{operator} {values}");
        let entry = ExpectedAttributeValue {
            comparison_operator: Some(operator.into()),
            attribute_value_list: list(values),
            ..Default::default()
        };
        let found = expected_condition(&[("a".to_string(), entry)], ConditionalOperator::And).unwrap_err();
        assert_eq!(found.message, expected, "{operator} {values}");
    }
    let none = [("a".to_string(), LegacyCondition::default())];
    assert_eq!(
        filter("scanFilter", &none, ConditionalOperator::And).unwrap_err().message,
        "Value null at 'scanFilter.a.member.comparisonOperator' failed to satisfy constraint: Member must not be null"
    );
}

/// An entry of Expected.
fn entry(
    single: Option<&str>,
    exists: Option<bool>,
    operator: Option<&str>,
    values: Option<&str>,
) -> ExpectedAttributeValue {
    ExpectedAttributeValue {
        value: single.map(value),
        exists,
        comparison_operator: operator.map(Into::into),
        attribute_value_list: values.and_then(list),
    }
}

#[test]
fn expected_short_forms() {
    let cases = [
        (entry(Some("1"), None, None, None), "{a: 1}", true),
        (entry(Some("1"), None, None, None), "{}", false),
        (entry(Some("1"), Some(true), None, None), "{a: 2}", false),
        (entry(None, Some(false), None, None), "{}", true),
        (entry(None, Some(false), None, None), "{a: 1}", false),
        (entry(Some("1"), None, Some("GE"), None), "{a: 2}", true),
        (entry(None, None, Some("NULL"), None), "{}", true),
        (entry(None, None, Some("NOT_NULL"), Some("[]")), "{}", false),
        (entry(None, None, Some("IN"), Some("[1, 2]")), "{a: 2}", true),
    ];
    for (entry, stored, matches) in cases {
        let condition = expected(&[("a".to_string(), entry.clone())], ConditionalOperator::And).unwrap();
        assert_eq!(condition.matches(&item(stored)), matches, "{entry:?} on {stored}");
    }
}

#[test]
fn malformed_expected() {
    let cases = [
        (
            entry(Some("1"), None, Some("EQ"), Some("[1]")),
            "Value and AttributeValueList cannot be used together for Attribute: a",
        ),
        (
            entry(Some("1"), Some(true), Some("EQ"), None),
            "Exists and ComparisonOperator cannot be used together for Attribute: a",
        ),
        (
            entry(None, None, Some("EQ"), None),
            "Value or AttributeValueList must be used with ComparisonOperator: EQ for Attribute: a",
        ),
        (
            entry(None, None, None, Some("[1]")),
            "AttributeValueList can only be used with a ComparisonOperator for Attribute: a",
        ),
        (entry(None, None, None, None), "Value must be provided when Exists is null for Attribute: a"),
        (entry(None, Some(true), None, None), "Value must be provided when Exists is true for Attribute: a"),
        (
            entry(Some("1"), Some(false), None, None),
            "Value cannot be used when Exists is false for Attribute: a",
        ),
        (
            entry(Some("1"), None, Some("NULL"), None),
            "Invalid number of argument(s) for the NULL ComparisonOperator",
        ),
        (entry(Some("1"), None, Some("IS"), None), "Invalid comparison operator"),
    ];
    for (entry, message) in cases {
        let found = expected(&[("a".to_string(), entry.clone())], ConditionalOperator::Or).unwrap_err();
        assert_eq!(found.message, format!("{INVALID}{message}"), "{entry:?}");
    }
}

fn schema() -> KeySchema {
    KeySchema {
        partition: vec![KeyAttribute { name: "pk".into(), scalar_type: ScalarType::S }],
        sort: vec![KeyAttribute { name: "sk".into(), scalar_type: ScalarType::N }],
    }
}

#[test]
fn key_conditions_bind_as_expressions_do() {
    let n = |text: &str| value(text);
    let cases = [
        ("EQ", "[1]", Ok(SortCondition::Eq(n("1")))),
        ("LE", "[1]", Ok(SortCondition::Le(n("1")))),
        ("LT", "[1]", Ok(SortCondition::Lt(n("1")))),
        ("GE", "[1]", Ok(SortCondition::Ge(n("1")))),
        ("GT", "[1]", Ok(SortCondition::Gt(n("1")))),
        ("BETWEEN", "[1, 2]", Ok(SortCondition::Between(n("1"), n("2")))),
        (
            "BEGINS_WITH",
            "[\"1\"]",
            Err(
                "One or more parameter values were invalid: Condition parameter type does not match schema type",
            ),
        ),
        ("NE", "[1]", Err("Attempted conditional constraint is not an indexable operation")),
        ("NULL", "[]", Err("Attempted conditional constraint is not an indexable operation")),
        ("CONTAINS", "[1]", Err("Attempted conditional constraint is not an indexable operation")),
        ("IN", "[1]", Err("Attempted conditional constraint is not an indexable operation")),
    ];
    for (operator, values, expected) in cases {
        let entries =
            [("sk".to_string(), condition(operator, values)), ("pk".to_string(), condition("EQ", "[\"x\"]"))];
        let found = key_conditions(&entries).unwrap().bind(&schema());
        let found = found.map(|range| range.sort);
        match expected {
            Ok(sort) => assert_eq!(found, Ok(Some(sort)), "{operator}"),
            Err(message) => assert_eq!(found.unwrap_err().message, message, "{operator}"),
        }
    }
    let only = |attribute: &str, operator: &str| {
        let entries = [(attribute.to_string(), condition(operator, "[\"x\"]"))];
        key_conditions(&entries).unwrap().bind(&schema()).unwrap_err().message
    };
    assert_eq!(only("pk", "GT"), "Query key condition not supported");
    assert_eq!(only("pk", "NE"), "Attempted conditional constraint is not an indexable operation");
    assert_eq!(only("sk", "EQ"), "Query condition missed key schema element: pk");
}

#[test]
fn attribute_updates_change_top_level_attributes() {
    let cases = [
        (Some("1"), None, "{}", Ok("{\"a.b\": 1}")),
        (Some("1"), Some("PUT"), "{\"a.b\": 0, a: {b: 5}}", Ok("{\"a.b\": 1, a: {b: 5}}")),
        (None, Some("DELETE"), "{\"a.b\": 0}", Ok("{}")),
        (None, Some("DELETE"), "{}", Ok("{}")),
        (Some("<<1>>"), Some("DELETE"), "{\"a.b\": <<1, 2>>}", Ok("{\"a.b\": <<2>>}")),
        (Some("<<1>>"), Some("DELETE"), "{\"a.b\": <<1>>}", Ok("{}")),
        (Some("<<1>>"), Some("DELETE"), "{}", Ok("{}")),
        (Some("2"), Some("ADD"), "{\"a.b\": 1}", Ok("{\"a.b\": 3}")),
        (Some("2"), Some("ADD"), "{}", Ok("{\"a.b\": 2}")),
        (Some("<<1>>"), Some("ADD"), "{\"a.b\": <<2>>}", Ok("{\"a.b\": <<1, 2>>}")),
        (Some("[1]"), Some("ADD"), "{\"a.b\": [0]}", Ok("{\"a.b\": [0, 1]}")),
        (Some("[1]"), Some("ADD"), "{}", Ok("{\"a.b\": [1]}")),
        (Some("2"), Some("ADD"), "{\"a.b\": \"x\"}", Err(UpdateFault::AttributeType)),
        (Some("<<1>>"), Some("DELETE"), "{\"a.b\": 1}", Err(UpdateFault::AttributeType)),
    ];
    for (single, action, before, after) in cases {
        let entry = AttributeValueUpdate { value: single.map(value), action: action.map(Into::into) };
        let update = attribute_updates(&[("a.b".to_string(), entry)]).unwrap();
        assert!(update.is_legacy());
        assert_eq!(update.apply(&item(before), false), after.map(item), "{single:?} {action:?} on {before}");
    }
    let nothing = attribute_updates(&[]).unwrap();
    assert_eq!(nothing.apply(&item("{pk: 1}"), true), Ok(item("{pk: 1}")));
    assert!(!nothing.only_takes_away());
    assert_eq!(UpdateFault::AttributeType.to_string(), "Type mismatch for attribute to update");
}

#[test]
fn malformed_attribute_updates() {
    let only_delete = format!("{INVALID}Only DELETE action is allowed when no attribute value is specified");
    let action = "Member must satisfy enum value set: [ADD, DELETE, PUT]' for Action".to_string();
    let cases = [
        (None, None, only_delete.clone()),
        (None, Some("ADD"), only_delete),
        (
            Some("1"),
            Some("DELETE"),
            format!("{INVALID}DELETE action with value is not supported for the type N"),
        ),
        (
            Some("[1]"),
            Some("DELETE"),
            format!("{INVALID}DELETE action with value is not supported for the type L"),
        ),
        (Some("\"a\""), Some("ADD"), format!("{INVALID}ADD action is not supported for the type S")),
        (Some("{}"), Some("ADD"), format!("{INVALID}ADD action is not supported for the type M")),
        (Some("1"), Some("put"), action),
    ];
    for (single, action, expected) in cases {
        let entry = AttributeValueUpdate { value: single.map(value), action: action.map(Into::into) };
        let found = attribute_updates(&[("a".to_string(), entry)]).unwrap_err();
        assert_eq!(found.message, expected, "{single:?} {action:?}");
    }
}

#[test]
fn attributes_to_get_are_top_level_names() {
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let projection = attributes_to_get(&names(&["b.c", "a"])).unwrap();
    assert_eq!(projection.project(&item("{a: 1, b: {c: 2}, \"b.c\": 3}")), item("{a: 1, \"b.c\": 3}"));
    let error = attributes_to_get(&names(&["z", "b", "a", "b", "z"])).unwrap_err();
    assert_eq!(error.message, format!("{INVALID}Duplicate value in attribute name: b"));
}

#[test]
fn filters_and_paths_on_key_attributes() {
    let entries = [("x".to_string(), condition("NULL", "[]")), ("sk".to_string(), condition("NULL", "[]"))];
    let condition = filter("queryFilter", &entries, ConditionalOperator::And).unwrap();
    let paths = condition.paths();
    for (source, name) in
        [(FilterSource::Legacy, "QueryFilter"), (FilterSource::Expression, "Filter Expression")]
    {
        assert_eq!(
            check_filter(&paths, &schema(), source).unwrap_err().message,
            format!("{name} can only contain non-primary key attributes: Primary key attribute: sk")
        );
        assert!(check_filter(&paths[..1], &schema(), source).is_ok());
    }
    let nested = dynamometer_expr::Path::new("sk", vec![dynamometer_expr::PathStep::Index(0)]);
    for (key_of, name) in [(KeyOf::Table, "Key"), (KeyOf::Index, "IndexKey")] {
        assert_eq!(
            check_scalar_keys([&nested], &schema(), key_of).unwrap_err().message,
            format!(
                "Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: {name}: sk"
            )
        );
        assert!(check_scalar_keys(paths.iter().copied(), &schema(), key_of).is_ok());
    }
}

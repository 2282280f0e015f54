//! Faults of updates that are of the grammar.

use dynamometer_expr::{Stage, Update, parse_update};
use dynamometer_types::{KeyAttribute, KeySchema, ScalarType};

use crate::notation::parse;

fn update(text: &str, placeholders: &str) -> Result<Update, String> {
    parse(placeholders, |p| parse_update(text, p))
}

/// Each case: an update, its placeholders, the error without its prefix.
fn check(cases: &[(&str, &str, &str)]) {
    for (text, placeholders, expected) in cases {
        let found = update(text, placeholders).expect_err(text);
        assert_eq!(found, format!("Invalid UpdateExpression: {expected}"), "{text} {placeholders}");
    }
}

#[test]
fn words_functions_and_sections() {
    let reserved = |word: &str| format!("Attribute name is a reserved keyword; reserved keyword: {word}");
    let unknown = |name: &str| format!("Invalid function name; function: {name}");
    let section =
        |name: &str| format!("The \"{name}\" section can only be used once in an update expression;");
    let misused = "The function is not allowed to be used this way in an expression; function: list_append";
    check(&[
        ("", "", "The expression can not be empty;"),
        (" set #c = :c set abOrt = true ", "", &reserved("abOrt")),
        (" remove Absolute ", "", &reserved("Absolute")),
        ("set #c = if_not_exist(:c) set c = d", "", &unknown("if_not_exist")),
        ("SET a = LIST_APPEND(:v, :w)", "", &unknown("LIST_APPEND")),
        (&format!("SET a = {}b{}", "f(".repeat(1300), ")".repeat(1300)), "", &unknown("f")),
        ("SET a = size(b)", "", "The function is not allowed in an update expression; function: size"),
        (
            "SET a = contains(b, c)",
            "",
            "The function is not allowed in an update expression; function: contains",
        ),
        ("set a = #c set c = :d", "", &section("SET")),
        ("remove #d set a = b remove e", "", &section("REMOVE")),
        ("add #d :e set a = b add e :f", "", &section("ADD")),
        ("delete #d :e set a = b delete #e :f", "", &section("DELETE")),
        ("SET a = :v SET b = :w", "{:v: 1, :w: 2}", &section("SET")),
        ("SET a = list_append(list_append(:v, :v), :v)", "{:v: []}", misused),
        ("SET a = list_append(:v, list_append(:v, :v))", "{:v: []}", misused),
        ("SET a = if_not_exists(a, list_append(:v, :v))", "{:v: []}", misused),
        ("SET a = ((b))", "", "The expression has redundant parentheses;"),
        ("SET a = (b + ((c)))", "", "The expression has redundant parentheses;"),
    ]);
}

#[test]
fn undefined_placeholders() {
    let name = |name: &str| {
        format!(
            "An expression attribute name used in the document path is not defined; attribute name: {name}"
        )
    };
    let value = |value: &str| {
        format!("An expression attribute value used in expression is not defined; attribute value: {value}")
    };
    check(&[
        ("SET #c = if_not_exists(:c)", "{#a: \"a\"}", &name("#c")),
        ("SET #a = if_not_exists(:c)", "{#a: \"a\"}", &value(":c")),
        ("SET b = :x, #n = :y", "", &name("#n")),
        ("SET a = if_not_exists(:v, :w)", "{:w: 1}", &value(":v")),
        ("ADD a :v", "", &value(":v")),
    ]);
}

#[test]
fn paths_that_meet() {
    let overlap = |one: &str, two: &str| {
        format!(
            "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: {one}, \
             path two: {two}"
        )
    };
    let conflict = |one: &str, two: &str| {
        format!(
            "Two document paths conflict with each other; must remove or rewrite one of these paths; path one: {one}, \
             path two: {two}"
        )
    };
    let names = "{#c: \"c\", #d: \"[3]\"}";
    check(&[
        ("SET a = :v, a = :v", "{:v: 1}", &overlap("[a]", "[a]")),
        ("SET a.b = :v, a = :v", "{:v: 1}", &overlap("[a, b]", "[a]")),
        ("SET a = :v REMOVE a", "{:v: 1}", &overlap("[a]", "[a]")),
        ("REMOVE a ADD a :v", "{:v: 1}", &overlap("[a]", "[a]")),
        (
            "SET a[1][1] = :v, a[1][1][1][1] = :v",
            "{:v: 1}",
            &overlap("[a, [1], [1]]", "[a, [1], [1], [1], [1]]"),
        ),
        (
            "set d[1] = a, d.b = a, c[1].a = a, #c = if_not_exists(a, #d)",
            names,
            &overlap("[c, [1], a]", "[c]"),
        ),
        ("set #c[3].#d = a, #c[3] = a", names, &overlap("[c, [3], [3]]", "[c, [3]]")),
        ("set #c[3].#d = a, #c.#d[3] = if_not_exists(a)", names, &conflict("[c, [3], [3]]", "[c, [3], [3]]")),
        ("remove a.#c set a[1] = #d", names, &conflict("[a, c]", "[a, [1]]")),
        ("SET a.b.c = :v, a.b[2] = :v", "{:v: 1}", &conflict("[a, b, c]", "[a, b, [2]]")),
    ]);
    // Reading what is written is no overlap.
    assert!(update("SET a = a.b, c = a", "").is_ok());
}

#[test]
fn operands_of_add_and_delete() {
    let wrong = |section: &str, kind: &str| {
        format!(
            "Incorrect operand type for operator or function; operator: {section}, operand type: {kind}, typeSet: \
             ALLOWED_FOR_{section}_OPERAND"
        )
    };
    let types = [
        ("\"a\"", "STRING"),
        ("null", "NULL"),
        ("true", "BOOLEAN"),
        ("b\"a\"", "Binary"),
        ("{a: [1]}", "MAP"),
        ("[1]", "LIST"),
    ];
    for (value, kind) in types {
        let values = format!("{{:a: {value}}}");
        check(&[
            ("add a.b :a", &values, &wrong("ADD", kind)),
            ("delete a.b :a", &values, &wrong("DELETE", kind)),
        ]);
    }
    check(&[
        ("delete a.b :a", "{:a: 1}", &wrong("DELETE", "NUMBER")),
        (
            "set b = list_append(:a, a), c = if_not_exists(a) add a.b :a",
            "{:a: \"a\"}",
            &wrong("ADD", "STRING"),
        ),
    ]);
}

#[test]
fn operands_of_functions_and_arithmetic() {
    let wrong = |operator: &str, kind: &str| {
        format!(
            "Incorrect operand type for operator or function; operator or function: {operator}, operand type: {kind}"
        )
    };
    let count = |name: &str, count: usize| {
        format!(
            "Incorrect number of operands for operator or function; operator or function: {name}, number of operands: \
             {count}"
        )
    };
    let path = "Operator or function requires a document path; operator or function: if_not_exists";
    let types = [
        ("\"a\"", "S"),
        ("1", "N"),
        ("b\"a\"", "B"),
        ("true", "BOOL"),
        ("null", "NULL"),
        ("<<\"a\">>", "SS"),
        ("<<1>>", "NS"),
        ("<<b\"a\">>", "BS"),
        ("{}", "M"),
        ("[]", "L"),
    ];
    for (value, kind) in types {
        let values = format!("{{:a: {value}}}");
        if kind != "L" {
            check(&[
                ("set a = list_append(:a, a)", &values, &wrong("list_append", kind)),
                ("set a = list_append(a, :a)", &values, &wrong("list_append", kind)),
            ]);
        }
        if kind != "N" {
            check(&[
                ("set a = a + :a", &values, &wrong("+", kind)),
                ("set a = :a - a", &values, &wrong("-", kind)),
                ("set a = (:a) + (:a)", &values, &wrong("+", kind)),
            ]);
        }
    }
    check(&[
        ("set a = :a + :c", "{:a: \"a\", :c: b\"c\"}", &wrong("+", "S")),
        ("set a = if_not_exists(c)", "", &count("if_not_exists", 1)),
        ("set a = list_append(c)", "", &count("list_append", 1)),
        ("set a = list_append(c, d, e)", "", &count("list_append", 3)),
        ("set a = if_not_exists(:a, c)", "{:a: 1}", path),
        ("set a = if_not_exists(if_not_exists(a, b), c)", "", path),
    ]);
}

#[test]
fn of_several_faults_the_one_of_the_lowest_rank_counts() {
    check(&[
        ("SET a = nope(b), name = c", "", "Attribute name is a reserved keyword; reserved keyword: name"),
        ("SET a = b SET c = nope(d)", "", "Invalid function name; function: nope"),
        (
            "SET a = :v, a = b + :s",
            "{:s: \"s\"}",
            "An expression attribute value used in expression is not defined; attribute value: :v",
        ),
        (
            "SET a = b + :s, a = c",
            "{:s: \"s\"}",
            "Two document paths overlap with each other; must remove or rewrite one of these paths; path one: [a], \
             path two: [a]",
        ),
    ]);
}

#[test]
fn key_attributes_cannot_be_updated() {
    let attribute = |name: &str| KeyAttribute { name: name.into(), scalar_type: ScalarType::S };
    let schema = KeySchema { partition: vec![attribute("pk")], sort: vec![attribute("sk")] };
    let fault = |name: &str| {
        format!(
            "One or more parameter values were invalid: Cannot update attribute {name}. This attribute is part of the \
             key"
        )
    };
    let values = "{:v: <<1>>}";
    let cases = [
        ("SET pk = pk", "", Some(fault("pk"))),
        ("SET a = :v, sk = :v", values, Some(fault("sk"))),
        ("REMOVE sk", "", Some(fault("sk"))),
        ("ADD pk :v", values, Some(fault("pk"))),
        ("DELETE pk.a :v", values, Some(fault("pk"))),
        ("SET a = pk, b.sk = sk", "", None),
    ];
    for (text, placeholders, expected) in cases {
        let error = update(text, placeholders).unwrap().check_keys(&schema).err();
        assert!(error.iter().all(|error| error.stage == Stage::Schema));
        assert_eq!(error.map(|error| error.message), expected, "{text}");
    }
}

//! Faults of conditions that are of the grammar.

use dynamometer_expr::{ExpressionKind, Stage, parse_condition};

use crate::notation::parse;

/// Each case: a condition, its placeholders, the error without its prefix.
fn check(cases: &[(&str, &str, &str)]) {
    for kind in [ExpressionKind::Condition, ExpressionKind::Filter] {
        for (text, placeholders, expected) in cases {
            let found = parse(placeholders, |p| parse_condition(kind, text, p));
            let found = found.expect_err(text);
            assert_eq!(found, format!("Invalid {kind}: {expected}"), "{text} {placeholders}");
        }
    }
}

#[test]
fn texts_that_are_empty_or_too_long() {
    let long = format!("attribute_exists({})", "x".repeat(4097 - "attribute_exists()".len()));
    check(&[
        ("", "", "The expression can not be empty;"),
        (&long, "", "Expression size has exceeded the maximum allowed size;"),
        // Size is judged before syntax.
        (&"(".repeat(4097), "", "Expression size has exceeded the maximum allowed size;"),
    ]);
    let error = parse("", |p| match parse_condition(ExpressionKind::Filter, &long, p) {
        Err(error) if error.stage == Stage::Size => Err(error.with_size(&long)),
        other => other,
    });
    assert_eq!(
        error.unwrap_err(),
        "Invalid FilterExpression: Expression size has exceeded the maximum allowed size; expression size: 4097"
    );
}

#[test]
fn redundant_parentheses() {
    let fault = "The expression has redundant parentheses;";
    check(&[
        ("((a = b))", "", fault),
        ("a=a and a > ((views))", "", fault),
        ("(a)between(((b.c)).d)and(c)", "", fault),
        ("a > whatever((:things), ((a)))", "", fault),
        ("a=a AND ((a=a AND a=a)) AND a=a", "", fault),
        ("a=a OR ((a=a OR a=a)) OR a=a", "", fault),
        ("a=a AND ((a=a AND (a=a AND a=a)))", "", fault),
        ("a=a OR ((a=a OR (a=a OR a=a)))", "", fault),
        ("((attribute_exists(a)))", "", fault),
        ("((NOT a = b))", "", fault),
        (&format!("{}a<b{}", "(".repeat(2046), ")".repeat(2046)), "", fault),
    ]);
}

#[test]
fn too_many_operators() {
    let fault = "The expression contains too many operators; operator count: 301";
    check(&[
        (&format!("a<b {}{}", "or (a<b ".repeat(454), ")".repeat(454)), "", fault),
        (&format!("{}a<b", "not ".repeat(1000)), "", fault),
        (&format!("a<b{}", " and a<b".repeat(150)), "", fault),
        (&format!("{}f(a)", "not ".repeat(301)), "", fault),
    ]);
}

#[test]
fn functions_that_do_not_exist_or_stand_in_the_wrong_place() {
    let unknown = |name: &str| format!("Invalid function name; function: {name}");
    let misused = |name: &str| {
        format!("The function is not allowed to be used this way in an expression; function: {name}")
    };
    check(&[
        ("a=a and whatever((:things)) > a", "", &unknown("whatever")),
        ("attRIbute_exIsts((views), #a)", "", &unknown("attRIbute_exIsts")),
        (&format!("a < {}b{}", "f(".repeat(1355), ")".repeat(1355)), "", &unknown("f")),
        (
            "if_not_exists(a, b)",
            "",
            "The function is not allowed in a condition expression; function: if_not_exists",
        ),
        (
            "a = list_append(a, b)",
            "",
            "The function is not allowed in a condition expression; function: list_append",
        ),
        ("a=a and attribute_exists((views), (#a)) > b", "", &misused("attribute_exists")),
        ("attribute_not_exists(things) > b", "", &misused("attribute_not_exists")),
        ("attribute_type(things, :a) > b", "", &misused("attribute_type")),
        ("begins_with(things, a) > b", "", &misused("begins_with")),
        ("contains(:things, c) > b", "", &misused("contains")),
        ("size(contains(a, b)) > a", "", &misused("contains")),
        ("size(things)", "", &misused("size")),
        ("(size(things))", "", &misused("size")),
        ("NOT size(things) AND a = b", "", &misused("size")),
        ("a between b and attribute_exists(things)", "", &misused("attribute_exists")),
        ("a in (b, attribute_exists(things))", "", &misused("attribute_exists")),
        ("attribute_exists(contains(a, b))", "", &misused("contains")),
    ]);
}

#[test]
fn names_that_may_not_stand_bare() {
    let reserved = |word: &str| format!("Attribute name is a reserved keyword; reserved keyword: {word}");
    check(&[
        ("attribute_exists(views, #a)", "", &reserved("views")),
        (":a < abOrT", "", &reserved("abOrT")),
        ("a.b.name[0] = :a", "", &reserved("name")),
        (
            "a[2147483648] = :a",
            "{:a: 1}",
            "List index is not within the allowable range; index: [2147483648]",
        ),
        (
            "a[99999999999999999999] = :a",
            "{:a: 1}",
            "List index is not within the allowable range; index: [99999999999999999999]",
        ),
        (
            &format!("attribute_exists(a{})", ".a".repeat(32)),
            "",
            "The document path has too many nesting levels; nesting levels: 33",
        ),
    ]);
}

#[test]
fn undefined_placeholders_come_first_in_their_clause() {
    let name = |name: &str| {
        format!(
            "An expression attribute name used in the document path is not defined; attribute name: {name}"
        )
    };
    let value = |value: &str| {
        format!("An expression attribute value used in expression is not defined; attribute value: {value}")
    };
    check(&[
        ("attribute_exists(#Pictures.RearView, :a) and a=a", "", &name("#Pictures")),
        ("begins_with(Pictures.#RearView)", "", &name("#RearView")),
        ("(#P between :lo and :hi) and (#PC in (:cat1, :cat2))", "", &name("#P")),
        ("#4g > a", "", &name("#4g")),
        ("#_ > a", "", &name("#_")),
        ("(a)between(b.c[45].#d)and(:a)", "", &name("#d")),
        ("begins_with(:hello, #a, #b)", "", &value(":hello")),
        (":a < :b", "", &value(":a")),
        (":_ > a", "", &value(":_")),
        ("a = :b AND #c = :d", "", &value(":b")),
    ]);
}

#[test]
fn operands_are_counted() {
    let count = |name: &str, count: usize| {
        format!(
            "Incorrect number of operands for operator or function; operator or function: {name}, number of operands: \
             {count}"
        )
    };
    check(&[
        ("attribute_exists(things, a) and a=a", "", &count("attribute_exists", 2)),
        ("attribute_not_exists(things, b)", "", &count("attribute_not_exists", 2)),
        ("attribute_type(things)", "", &count("attribute_type", 1)),
        ("begins_with(things)", "", &count("begins_with", 1)),
        ("begins_with(things, size(a), b)", "", &count("begins_with", 3)),
        ("contains(things)", "", &count("contains", 1)),
        ("size(things, a) > b", "", &count("size", 2)),
        (
            &format!("a in ({}b)", "b,".repeat(100)),
            "",
            "The IN operator is provided with too many operands; number of operands: 101",
        ),
    ]);
}

#[test]
fn the_first_operand_stands_once() {
    let same = |operator: &str, path: &str| {
        format!(
            "The first operand must be distinct from the remaining operands for this operator or function; operator: \
             {operator}, first operand: {path}"
        )
    };
    check(&[
        ("a = a", "", &same("=", "[a]")),
        ("a.b[1] <> a.#b[1]", "{#b: \"b\"}", &same("<>", "[a, b, [1]]")),
        ("contains(x, x)", "", &same("contains", "[x]")),
        ("begins_with(a, a)", "", &same("begins_with", "[a]")),
        ("a IN (b, a)", "", &same("IN", "[a]")),
        ("a BETWEEN b AND a", "", &same("BETWEEN", "[a]")),
    ]);
}

#[test]
fn operands_of_the_wrong_type() {
    let wrong = |operator: &str, kind: &str| {
        format!(
            "Incorrect operand type for operator or function; operator or function: {operator}, operand type: {kind}"
        )
    };
    let path =
        |name: &str| format!("Operator or function requires a document path; operator or function: {name}");
    let all_types = [
        ("1", "N"),
        ("\"a\"", "S"),
        ("b\"a\"", "B"),
        ("true", "BOOL"),
        ("null", "NULL"),
        ("[]", "L"),
        ("{}", "M"),
        ("<<\"1\">>", "SS"),
        ("<<1>>", "NS"),
        ("<<b\"1\">>", "BS"),
    ];
    for (value, kind) in all_types {
        let values = format!("{{:a: {value}}}");
        if !matches!(kind, "S" | "N" | "B") {
            check(&[
                ("a < :a", &values, &wrong("<", kind)),
                (":a <= a", &values, &wrong("<=", kind)),
                ("a > :a", &values, &wrong(">", kind)),
                ("a >= :a", &values, &wrong(">=", kind)),
                ("a BETWEEN :a AND b", &values, &wrong("BETWEEN", kind)),
                (":a BETWEEN b AND a", &values, &wrong("BETWEEN", kind)),
            ]);
        }
        if !matches!(kind, "S" | "B") {
            check(&[
                ("begins_with(a, :a)", &values, &wrong("begins_with", kind)),
                ("begins_with(:a, a)", &values, &wrong("begins_with", kind)),
            ]);
        }
        if kind != "S" {
            check(&[("attribute_type(a, :a)", &values, &wrong("attribute_type", kind))]);
        }
        if matches!(kind, "N" | "BOOL" | "NULL") {
            check(&[("size(:a) > a", &values, &wrong("size", kind))]);
        }
    }
    check(&[
        ("attribute_type(a, size(a)) and a=a and a=:a", "{:a: 1}", &wrong("attribute_type", "N")),
        ("attribute_type(ab.bc[1].a, SS)", "", &wrong("attribute_type", "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}")),
        ("begins_with(a, size(a)) and a=:a", "{:a: 1}", &wrong("begins_with", "N")),
        ("size(size(a)) > :a", "{:a: 1}", &wrong("size", "N")),
        (&format!("a < {}b{}", "size(".repeat(600), ")".repeat(600)), "", &wrong("size", "N")),
        ("attribute_not_exists(size(:a))", "{:a: 1}", &wrong("size", "N")),
        ("attribute_not_exists(size(:a))", "{:a: \"1\"}", &path("attribute_not_exists")),
        ("attribute_exists(:a) and a=a", "{:a: \"1\"}", &path("attribute_exists")),
        (
            "attribute_type(a, :a)",
            "{:a: \"String\"}",
            "Invalid attribute type name found; type: String, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}",
        ),
    ]);
}

#[test]
fn bounds_of_between() {
    let types = "The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: \
                 AttributeValue: {S:a}, upper bound operand: AttributeValue: {N:1}";
    let order = "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound \
                 operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: {N:1}";
    let binary = "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound \
                  operand: AttributeValue: {B:java.nio.HeapByteBuffer[pos=0 lim=2 cap=2]}, upper bound operand: \
                  AttributeValue: {B:java.nio.HeapByteBuffer[pos=0 lim=1 cap=1]}";
    check(&[
        ("a BETWEEN :l AND :h", "{:l: \"a\", :h: 1}", types),
        ("a BETWEEN :l AND :h", "{:l: 2, :h: 1}", order),
        ("a BETWEEN :l AND :h", "{:l: b\"bb\", :h: b\"a\"}", binary),
    ]);
}

#[test]
fn of_several_faults_the_one_of_the_lowest_rank_counts() {
    check(&[
        // Parentheses before unknown functions, these before misused ones, these before reserved words.
        ("nope(a) = b AND ((a = b))", "", "The expression has redundant parentheses;"),
        ("size(name) AND nope(a)", "", "Invalid function name; function: nope"),
        (
            "name = a AND size(a)",
            "",
            "The function is not allowed to be used this way in an expression; function: size",
        ),
        ("a = :x AND name = b", "", "Attribute name is a reserved keyword; reserved keyword: name"),
        // Then clause by clause.
        (
            "a < :v AND b = :x",
            "{:v: true}",
            "Incorrect operand type for operator or function; operator or function: <, operand type: BOOL",
        ),
        (
            "begins_with(:v, :x, a)",
            "{:v: true}",
            "An expression attribute value used in expression is not defined; attribute value: :x",
        ),
        (
            "begins_with(:v, a, a)",
            "{:v: true}",
            "Incorrect number of operands for operator or function; operator or function: begins_with, number of \
             operands: 3",
        ),
    ]);
}

#[test]
fn placeholders_that_are_not_used() {
    let condition = |text, placeholders| {
        parse(placeholders, |p| parse_condition(ExpressionKind::Condition, text, p)).unwrap_err()
    };
    assert_eq!(
        condition("a = :v", "{:v: 1, :x: 1, :y: 2, #b: \"b\", #a: \"a\"}"),
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #b}"
    );
    assert_eq!(
        condition("a = :v", "{:v: 1, :x: 1, :y: 2}"),
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:x, :y}"
    );
    // A fault of the expression comes before.
    assert!(condition("a == :v", "{:v: 1, :x: 1}").starts_with("Invalid ConditionExpression: Syntax error;"));
}

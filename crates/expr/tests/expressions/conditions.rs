//! What conditions mean.

use dynamometer_expr::{ExpressionKind, parse_condition};

use crate::notation::{item, parse};

/// Each case: a condition, its placeholders, an item, whether it matches.
fn check(cases: &[(&str, &str, &str, bool)]) {
    for (text, placeholders, stored, expected) in cases {
        let condition = parse(placeholders, |p| parse_condition(ExpressionKind::Condition, text, p))
            .unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(condition.matches(&item(stored)), *expected, "{text} {placeholders} on {stored}");
    }
}

#[test]
fn a_missing_operand_makes_only_not_equal_true() {
    check(&[
        ("a = :v", "{:v: 1}", "{}", false),
        ("a = b", "", "{}", false),
        ("a <> :v", "{:v: 1}", "{}", true),
        ("a <> b", "", "{}", true),
        ("a < :v", "{:v: 1}", "{}", false),
        ("a <= :v", "{:v: 1}", "{}", false),
        ("a > :v", "{:v: 1}", "{}", false),
        ("a >= :v", "{:v: 1}", "{}", false),
        ("a BETWEEN :v AND :v", "{:v: 1}", "{}", false),
        (":v BETWEEN a AND b", "{:v: 1}", "{a: 0}", false),
        ("a IN (:v)", "{:v: 1}", "{}", false),
        ("a IN (b)", "", "{}", false),
        ("contains(a, :v)", "{:v: \"a\"}", "{}", false),
        ("contains(:v, a)", "{:v: \"a\"}", "{}", false),
        ("begins_with(a, :v)", "{:v: \"a\"}", "{}", false),
        ("begins_with(a, b)", "", "{a: \"b\"}", false),
        ("attribute_type(a, :v)", "{:v: \"N\"}", "{}", false),
        ("size(a) = :v", "{:v: 0}", "{}", false),
        ("size(a) <> :v", "{:v: 0}", "{}", true),
        ("size(a) < :v", "{:v: 10}", "{}", false),
        ("NOT a = :v", "{:v: 1}", "{}", true),
        ("attribute_not_exists(a)", "", "{}", true),
        ("attribute_exists(a)", "", "{}", false),
    ]);
}

#[test]
fn comparisons_need_equal_types() {
    check(&[
        ("a = :v", "{:v: 1}", "{a: 1.0}", true),
        ("a = :v", "{:v: 1}", "{a: \"1\"}", false),
        ("a <> :v", "{:v: 1}", "{a: \"1\"}", true),
        ("a < :v", "{:v: \"2\"}", "{a: 1}", false),
        ("a > :v", "{:v: \"2\"}", "{a: 1}", false),
        ("a < :v", "{:v: 2}", "{a: 1}", true),
        ("a < :v", "{:v: 2}", "{a: 10}", false),
        ("a < :v", "{:v: \"2\"}", "{a: \"10\"}", true),
        ("a < b", "", "{a: true, b: true}", false),
        ("a <= b", "", "{a: null, b: null}", false),
        ("a >= b", "", "{a: [1], b: [1]}", false),
        ("a >= :v", "{:v: b\"a\"}", "{a: b\"b\"}", true),
        (":v > a", "{:v: -1}", "{a: -2}", true),
        ("a <= :v", "{:v: \"z\"}", "{a: \"¿\"}", false),
        // By UTF-8 bytes, not by UTF-16 units: U+FF5E is below U+1F600.
        ("a < :v", "{:v: \"😀\"}", "{a: \"～\"}", true),
    ]);
}

#[test]
fn equality_is_deep_and_free_of_order_in_sets_and_maps() {
    check(&[
        ("a = :v", "{:v: {x: 1, y: [<<1, 2>>]}}", "{a: {y: [<<2.0, 1>>], x: 1}}", true),
        ("a = :v", "{:v: [1, 2]}", "{a: [2, 1]}", false),
        ("a = :v", "{:v: <<\"x\", \"y\">>}", "{a: <<\"y\", \"x\">>}", true),
        ("a = :v", "{:v: <<\"x\">>}", "{a: <<\"y\", \"x\">>}", false),
        ("a = :v", "{:v: <<\"x\">>}", "{a: [\"x\"]}", false),
        ("a = :v", "{:v: {x: 1}}", "{a: {x: 1, y: 1}}", false),
        ("a = :v", "{:v: null}", "{a: null}", true),
        ("a = :v", "{:v: false}", "{a: false}", true),
        ("a = :v", "{:v: \"\"}", "{a: \"\"}", true),
        ("a = :v", "{:v: b\"\"}", "{a: \"\"}", false),
        ("a = b", "", "{a: [{}], b: [{}]}", true),
    ]);
}

#[test]
fn between_and_in() {
    check(&[
        ("a BETWEEN :l AND :h", "{:l: 1, :h: 3}", "{a: 1}", true),
        ("a BETWEEN :l AND :h", "{:l: 1, :h: 3}", "{a: 3}", true),
        ("a BETWEEN :l AND :h", "{:l: 1, :h: 3}", "{a: 3.1}", false),
        ("a between :l and :h", "{:l: \"b\", :h: \"b\"}", "{a: \"b\"}", true),
        ("a BETWEEN b AND c", "", "{a: 2, b: 3, c: 1}", false),
        ("a BETWEEN b AND c", "", "{a: 2, b: 1, c: \"3\"}", false),
        (":v BETWEEN a AND b", "{:v: 2}", "{a: 1, b: 3}", true),
        ("size(a) BETWEEN :l AND :h", "{:l: 1, :h: 3}", "{a: \"xyz\"}", true),
        ("a BETWEEN :l AND :h AND b = :l", "{:l: 1, :h: 3}", "{a: 2, b: 1}", true),
        ("a IN (:v, :w)", "{:v: 1, :w: \"x\"}", "{a: \"x\"}", true),
        ("a IN (:v, b)", "{:v: 1}", "{a: [1], b: [1]}", true),
        ("a iN (:v)", "{:v: {x: 1}}", "{a: {x: 2}}", false),
        ("size(a) IN (:v)", "{:v: 2}", "{a: [1, 2]}", true),
        (":v IN (a, b)", "{:v: 2}", "{a: 1, b: 2}", true),
    ]);
}

#[test]
fn functions_of_texts_and_collections() {
    check(&[
        ("begins_with(a, :v)", "{:v: \"ab\"}", "{a: \"abc\"}", true),
        ("begins_with(a, :v)", "{:v: \"\"}", "{a: \"abc\"}", true),
        ("begins_with(a, :v)", "{:v: \"b\"}", "{a: \"abc\"}", false),
        ("begins_with(a, :v)", "{:v: \"A\"}", "{a: \"abc\"}", false),
        ("begins_with(a, :v)", "{:v: b\"ab\"}", "{a: b\"abc\"}", true),
        ("begins_with(a, :v)", "{:v: b\"ab\"}", "{a: \"abc\"}", false),
        ("begins_with(a, :v)", "{:v: \"1\"}", "{a: 12}", false),
        ("begins_with(:v, a)", "{:v: \"abc\"}", "{a: \"ab\"}", true),
        ("contains(a, :v)", "{:v: \"bc\"}", "{a: \"abcd\"}", true),
        ("contains(a, :v)", "{:v: \"ac\"}", "{a: \"abcd\"}", false),
        ("contains(a, :v)", "{:v: b\"aab\"}", "{a: b\"aaab\"}", true),
        ("contains(a, :v)", "{:v: b\"aba\"}", "{a: b\"aabbab\"}", false),
        ("contains(a, :v)", "{:v: b\"\"}", "{a: b\"\"}", true),
        ("contains(a, :v)", "{:v: b\"xx\"}", "{a: b\"x\"}", false),
        ("contains(a, :v)", "{:v: \"x\"}", "{a: <<\"x\", \"y\">>}", true),
        ("contains(a, :v)", "{:v: 1.0}", "{a: <<1, 2>>}", true),
        ("contains(a, :v)", "{:v: \"1\"}", "{a: <<1, 2>>}", false),
        ("contains(a, :v)", "{:v: b\"x\"}", "{a: <<b\"x\">>}", true),
        ("contains(a, :v)", "{:v: <<\"x\">>}", "{a: <<\"x\", \"y\">>}", false),
        ("contains(a, :v)", "{:v: [1]}", "{a: [0, [1]]}", true),
        ("contains(a, :v)", "{:v: [1]}", "{a: [1]}", false),
        ("contains(a, :v)", "{:v: {x: 1}}", "{a: [{x: 1}]}", true),
        ("contains(a, :v)", "{:v: null}", "{a: [null]}", true),
        ("contains(a, :v)", "{:v: \"x\"}", "{a: {x: 1}}", false),
        ("contains(a, :v)", "{:v: \"1\"}", "{a: 123}", false),
        ("contains(:v, a)", "{:v: <<\"x\", \"y\">>}", "{a: \"y\"}", true),
        ("contains(a, b)", "", "{a: [\"x\"], b: \"x\"}", true),
    ]);
}

#[test]
fn size_counts_what_the_type_has() {
    check(&[
        // é is one UTF-16 unit, 𝄞 two.
        ("size(a) = :n", "{:n: 3}", "{a: \"é𝄞\"}", true),
        ("size(a) = :n", "{:n: 2}", "{a: b\"é\"}", true),
        ("size(a) = :n", "{:n: 2}", "{a: [1, [2, 3]]}", true),
        ("size(a) = :n", "{:n: 1}", "{a: {x: {y: 1, z: 2}}}", true),
        ("size(a) = :n", "{:n: 2}", "{a: <<\"x\", \"y\">>}", true),
        ("size(a) = :n", "{:n: 2}", "{a: <<1, 2>>}", true),
        ("size(a) = :n", "{:n: 1}", "{a: <<b\"x\">>}", true),
        ("size(a) = :n", "{:n: 0}", "{a: \"\"}", true),
        ("size(a) >= :n", "{:n: 0}", "{a: 5}", false),
        ("size(a) >= :n", "{:n: 0}", "{a: true}", false),
        ("size(a) >= :n", "{:n: 0}", "{a: null}", false),
        ("size(:v) = a", "{:v: \"abc\"}", "{a: 3}", true),
        ("size(a) < size(b)", "", "{a: \"x\", b: [1, 2]}", true),
        ("size(a) = :n", "{:n: \"1\"}", "{a: \"x\"}", false),
        ("size(a.b[1]) = :n", "{:n: 4}", "{a: {b: [1, \"four\"]}}", true),
    ]);
}

#[test]
fn types_and_existence() {
    check(&[
        ("attribute_exists(a)", "", "{a: null}", true),
        ("attribute_not_exists(a)", "", "{a: null}", false),
        ("attribute_exists(a.b)", "", "{a: {b: 1}}", true),
        ("attribute_exists(a.b)", "", "{a: [1]}", false),
        ("attribute_exists(a[1])", "", "{a: [1]}", false),
        ("attribute_not_exists(a.b.c)", "", "{a: 1}", true),
        ("attribute_exists(a [ 0 ] . b)", "", "{a: [{b: 1}]}", true),
        ("attribute_exists(#a)", "{#a: \"a.b\"}", "{\"a.b\": 1}", true),
        ("attribute_exists(#a)", "{#a: \"a.b\"}", "{a: {b: 1}}", false),
        ("attribute_exists(#a.#b)", "{#a: \"a\", #b: \"name\"}", "{a: {name: 1}}", true),
        ("attribute_exists(A)", "", "{a: 1}", false),
        ("attribute_type(a, :t)", "{:t: \"S\"}", "{a: \"\"}", true),
        ("attribute_type(a, :t)", "{:t: \"N\"}", "{a: 1}", true),
        ("attribute_type(a, :t)", "{:t: \"B\"}", "{a: b\"\"}", true),
        ("attribute_type(a, :t)", "{:t: \"BOOL\"}", "{a: true}", true),
        ("attribute_type(a, :t)", "{:t: \"NULL\"}", "{a: null}", true),
        ("attribute_type(a, :t)", "{:t: \"L\"}", "{a: []}", true),
        ("attribute_type(a, :t)", "{:t: \"M\"}", "{a: {}}", true),
        ("attribute_type(a, :t)", "{:t: \"SS\"}", "{a: <<\"\">>}", true),
        ("attribute_type(a, :t)", "{:t: \"NS\"}", "{a: <<1>>}", true),
        ("attribute_type(a, :t)", "{:t: \"BS\"}", "{a: <<b\"\">>}", true),
        ("attribute_type(a, :t)", "{:t: \"S\"}", "{a: 1}", false),
        ("attribute_type(:v, :t)", "{:v: 1, :t: \"N\"}", "{}", true),
    ]);
}

#[test]
fn precedence_and_parentheses() {
    let values = "{:t: 1, :f: 0}";
    check(&[
        ("a = :t OR a = :t AND a = :f", values, "{a: 1}", true),
        ("(a = :t OR a = :t) AND a = :f", values, "{a: 1}", false),
        ("NOT a = :f AND a = :f", "{:f: 0}", "{a: 1}", false),
        ("NOT (a = :f AND a = :f)", "{:f: 0}", "{a: 1}", true),
        ("not Not NOT a = :f", "{:f: 0}", "{a: 1}", true),
        ("NOT NOT a = :f OR a = :t", values, "{a: 1}", true),
        ("a = :f OR NOT (NOT a = :t)", values, "{a: 1}", true),
        ("((a = :t) AND b = :f)", values, "{a: 1, b: 0}", true),
        ("(a) = (:t)", "{:t: 1}", "{a: 1}", true),
        ("((a) = :t)", "{:t: 1}", "{a: 1}", true),
        ("(size(a)) = :t", "{:t: 1}", "{a: \"x\"}", true),
        ("size((a)) = :t", "{:t: 1}", "{a: \"x\"}", true),
        ("(attribute_exists((a)))", "", "{a: 1}", true),
        ("(a)between(b)and(:t)", "{:t: 1}", "{a: 1, b: 0}", true),
        ("(a)in((:t),(:f))", values, "{a: 0}", true),
        ("NOT (a) = :t", "{:t: 1}", "{a: 0}", true),
        ("\ta\r\n=\n:t ", "{:t: 1}", "{a: 1}", true),
        ("a=:t AND(a=:t)OR a=:f", values, "{a: 0}", true),
    ]);
}

#[test]
fn as_many_operators_and_operands_as_allowed() {
    let deep = format!("a<b {}{}", "or (a<b ".repeat(149), ")".repeat(149));
    let wide = format!("a IN ({}b)", "b,".repeat(99));
    let long = "x".repeat(4096 - "attribute_exists()".len());
    let long = format!("attribute_exists({long})");
    check(&[
        (&deep, "", "{a: 1, b: 2}", true),
        (&wide, "", "{a: 1, b: 1}", true),
        (&long, "", "{}", false),
        (&format!("attribute_exists(a{})", ".a".repeat(31)), "", "{}", false),
        ("attribute_exists(a[2147483647])", "", "{a: [1]}", false),
    ]);
}

//! What projections keep, and their faults.

use dynamometer_expr::parse_projection;

use crate::notation::{item, parse};

#[test]
fn the_structure_is_kept() {
    let stored =
        "{a: 1, b: {c: 2, d: {e: 3, f: 4}}, l: [10, {x: 1, y: 2}, [5, 6, 7], 13], name: 9, \"b.c\": 8}";
    let cases = [
        ("a", "", "{a: 1}"),
        ("b, a", "", "{a: 1, b: {c: 2, d: {e: 3, f: 4}}}"),
        ("b.c", "", "{b: {c: 2}}"),
        ("b.d.f, b.c", "", "{b: {c: 2, d: {f: 4}}}"),
        ("b.d.f, a, b.d.e", "", "{a: 1, b: {d: {e: 3, f: 4}}}"),
        ("#n, #d", "{#n: \"name\", #d: \"b.c\"}", "{name: 9, \"b.c\": 8}"),
        ("l[3], l[0]", "", "{l: [10, 13]}"),
        ("l[1].y, l[1].x", "", "{l: [{x: 1, y: 2}]}"),
        ("l[2][2], l[1].x, l[2][0]", "", "{l: [{x: 1}, [5, 7]]}"),
        ("l[99], l[1]", "", "{l: [{x: 1, y: 2}]}"),
        ("l[99]", "", "{}"),
        ("zz, b.zz, l[0].x, a.b, b.c.d, l[2][0][0]", "", "{}"),
        ("b[0], l.zz, a[0]", "", "{}"),
        ("b.zz, b.c", "", "{b: {c: 2}}"),
        (" a\t,\r\nb . c ", "", "{a: 1, b: {c: 2}}"),
        ("l [ 0 ]", "", "{l: [10]}"),
    ];
    for (text, placeholders, expected) in cases {
        let projection = parse(placeholders, |p| parse_projection(text, p));
        let projection = projection.unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(projection.project(&item(stored)), item(expected), "{text}");
    }
}

#[test]
fn an_empty_map_or_list_is_kept_whole_only() {
    let stored = item("{m: {}, l: [], n: {m: {}}}");
    for (text, expected) in [("m, l", "{m: {}, l: []}"), ("n.m", "{n: {m: {}}}"), ("m.a, l[0]", "{}")] {
        let projection = parse("", |p| parse_projection(text, p)).unwrap();
        assert_eq!(projection.project(&stored), item(expected), "{text}");
    }
}

#[test]
fn top_level_names_are_sorted_and_unique() {
    let projection = parse("", |p| parse_projection("b.c, l[1], a, b.d, l[0]", p)).unwrap();
    assert_eq!(projection.top_level_names().collect::<Vec<_>>(), ["a", "b", "l"]);
    let paths: Vec<String> = projection.paths().iter().map(ToString::to_string).collect();
    assert_eq!(paths, ["[b, c]", "[l, [1]]", "[a]", "[b, d]", "[l, [0]]"]);
}

#[test]
fn faults() {
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
    let reserved = |word: &str| format!("Attribute name is a reserved keyword; reserved keyword: {word}");
    let undefined =
        "An expression attribute name used in the document path is not defined; attribute name: #a"
            .to_string();
    let cases = [
        ("", "", "The expression can not be empty;".to_string()),
        ("a.abORt", "", reserved("abORt")),
        ("#a,ABSoLUTE", "", reserved("ABSoLUTE")),
        ("a,b,a,#a", "", undefined),
        ("a, a", "", overlap("[a]", "[a]")),
        ("a, #a", "{#a: \"a\"}", overlap("[a]", "[a]")),
        ("b[1], b.a, #a.b, a", "{#a: \"a\"}", overlap("[a, b]", "[a]")),
        ("a, #a[1]", "{#a: \"a\"}", overlap("[a]", "[a, [1]]")),
        ("a.b, c, a.b.d[0]", "", overlap("[a, b]", "[a, b, d, [0]]")),
        ("a.b, #a[1], #b", "{#a: \"a\", #b: \"[3]\"}", conflict("[a, b]", "[a, [1]]")),
        ("a.b[1], #a[1], #b", "{#a: \"a\", #b: \"[3]\"}", conflict("[a, b, [1]]", "[a, [1]]")),
        ("a[3].b, #a.#b.b", "{#a: \"a\", #b: \"[3]\"}", conflict("[a, [3], b]", "[a, [3], b]")),
        (
            &format!("a{}", "[0]".repeat(32)),
            "",
            "The document path has too many nesting levels; nesting levels: 33".to_string(),
        ),
        (
            "a[2147483648]",
            "",
            "List index is not within the allowable range; index: [2147483648]".to_string(),
        ),
    ];
    for (text, placeholders, expected) in cases {
        let found = parse(placeholders, |p| parse_projection(text, p)).unwrap_err();
        assert_eq!(found, format!("Invalid ProjectionExpression: {expected}"), "{text}");
    }
    let unused = parse("{#a: \"a\", #b: \"b\"}", |p| parse_projection("a", p)).unwrap_err();
    assert_eq!(unused, "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #b}");
}

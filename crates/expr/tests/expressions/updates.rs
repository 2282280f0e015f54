//! What updates make of items.

use dynamometer_expr::{UpdateFault, parse_update};
use dynamometer_types::number::NumberFault;

use crate::notation::{item, parse};

/// Each case: an update, its placeholders, the item before, the item after.
fn check(cases: &[(&str, &str, &str, &str)]) {
    for (text, placeholders, before, after) in cases {
        let update = parse(placeholders, |p| parse_update(text, p));
        let update = update.unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(update.apply(&item(before), false), Ok(item(after)), "{text} {placeholders} on {before}");
    }
}

/// Each case: an update, its placeholders, the item before, the fault.
fn check_faults(cases: &[(&str, &str, &str, UpdateFault)]) {
    for (text, placeholders, before, fault) in cases {
        let update = parse(placeholders, |p| parse_update(text, p));
        let update = update.unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(update.apply(&item(before), false), Err(*fault), "{text} {placeholders} on {before}");
    }
}

#[test]
fn set_reads_the_item_as_it_was() {
    check(&[
        ("SET a = :v", "{:v: 1}", "{}", "{a: 1}"),
        ("SET a = :v", "{:v: [1, {b: 2}]}", "{a: 5, c: 1}", "{a: [1, {b: 2}], c: 1}"),
        ("SET a = :v, b = a", "{:v: 1}", "{a: 0}", "{a: 1, b: 0}"),
        ("SET a = b, b = a", "", "{a: 1, b: 2}", "{a: 2, b: 1}"),
        ("REMOVE a SET b = a", "", "{a: 1}", "{b: 1}"),
        ("set b = a remove a", "", "{a: 1}", "{b: 1}"),
        ("SET a = a", "", "{a: 1}", "{a: 1}"),
        ("SET #a.#b = :v", "{#a: \"a\", #b: \"x.y\", :v: 1}", "{a: {}}", "{a: {\"x.y\": 1}}"),
        ("SET a = (b)", "", "{b: 1}", "{a: 1, b: 1}"),
        ("SET a = :v", "{:v: \"\"}", "{}", "{a: \"\"}"),
    ]);
    check_faults(&[
        ("SET a = z", "", "{}", UpdateFault::MissingAttribute),
        ("SET x = :v, y = x", "{:v: 4}", "{}", UpdateFault::MissingAttribute),
        ("SET a = b.c", "", "{b: 1}", UpdateFault::MissingAttribute),
        ("SET a = l[3]", "", "{l: [1]}", UpdateFault::MissingAttribute),
    ]);
}

#[test]
fn sums_and_differences() {
    check(&[
        ("SET a = a + :v", "{:v: 1.5}", "{a: 2}", "{a: 3.5}"),
        ("SET a = :v - a", "{:v: 1}", "{a: 2}", "{a: -1}"),
        ("SET a = :v + :v", "{:v: 1}", "{}", "{a: 2}"),
        ("SET a = b-:v", "{:v: 1}", "{b: 1}", "{a: 0, b: 1}"),
        ("SET a = (b + :v)", "{:v: 1}", "{b: 1}", "{a: 2, b: 1}"),
        ("SET a = ((b.c.d)+(e))", "", "{b: {c: {d: 1}}, e: 2}", "{a: 3, b: {c: {d: 1}}, e: 2}"),
        ("SET a = if_not_exists(a, :z) + :v", "{:z: 0, :v: 1}", "{}", "{a: 1}"),
        ("SET a = :v - if_not_exists(a, :z)", "{:z: 0, :v: 1}", "{a: 5}", "{a: -4}"),
        ("SET a = a + b, b = a", "", "{a: 1, b: 2}", "{a: 3, b: 1}"),
    ]);
    check_faults(&[
        ("SET a = a + :v", "{:v: 1}", "{}", UpdateFault::MissingAttribute),
        ("SET a = a + :v", "{:v: 1}", "{a: \"1\"}", UpdateFault::OperandType),
        ("SET a = :v - a", "{:v: 1}", "{a: [1]}", UpdateFault::OperandType),
        ("SET a = :v + :w", "{:v: 1e37, :w: 1e-1}", "{}", UpdateFault::Number(NumberFault::TooPrecise)),
        ("SET a = :v + :v", "{:v: 9e125}", "{}", UpdateFault::Number(NumberFault::Overflow)),
        ("ADD a :v", "{:v: 9e125}", "{a: 9e125}", UpdateFault::Number(NumberFault::Overflow)),
    ]);
}

#[test]
fn functions_of_set() {
    check(&[
        ("SET a = if_not_exists(a, :v)", "{:v: 1}", "{}", "{a: 1}"),
        ("SET a = if_not_exists(a, :v)", "{:v: 1}", "{a: null}", "{a: null}"),
        ("SET b = if_not_exists(a, :v)", "{:v: 1}", "{a: 2}", "{a: 2, b: 2}"),
        ("SET a = if_not_exists(b, if_not_exists(c, :v))", "{:v: 1}", "{}", "{a: 1}"),
        ("SET a = if_not_exists(b.c[0], d)", "", "{d: 1}", "{a: 1, d: 1}"),
        ("SET l = list_append(l, :v)", "{:v: [3]}", "{l: [1, 2]}", "{l: [1, 2, 3]}"),
        ("SET l = list_append(:v, l)", "{:v: [3]}", "{l: [1, 2]}", "{l: [3, 1, 2]}"),
        ("SET l = list_append(:v, :w)", "{:v: [], :w: []}", "{}", "{l: []}"),
        ("SET l = list_append(if_not_exists(l, :e), :v)", "{:e: [], :v: [1]}", "{}", "{l: [1]}"),
        ("SET c = list_append(a, b)", "", "{a: [1], b: [2]}", "{a: [1], b: [2], c: [1, 2]}"),
    ]);
    check_faults(&[
        ("SET a = if_not_exists(b, c)", "", "{}", UpdateFault::MissingAttribute),
        ("SET l = list_append(l, :v)", "{:v: [1]}", "{}", UpdateFault::MissingAttribute),
        ("SET l = list_append(l, :v)", "{:v: [1]}", "{l: \"x\"}", UpdateFault::OperandType),
        ("SET l = list_append(:v, l)", "{:v: [1]}", "{l: <<1>>}", UpdateFault::OperandType),
        ("SET l = list_append(:v, :v) + :n", "{:v: [1], :n: 1}", "{}", UpdateFault::OperandType),
    ]);
}

#[test]
fn nested_paths_need_their_parents() {
    check(&[
        ("SET a.b = :v", "{:v: 1}", "{a: {}}", "{a: {b: 1}}"),
        ("SET a.b.c = :v", "{:v: 1}", "{a: {b: {c: 0, d: 2}}}", "{a: {b: {c: 1, d: 2}}}"),
        ("SET a[1].b = :v", "{:v: 1}", "{a: [0, {}]}", "{a: [0, {b: 1}]}"),
        (
            "SET a.b = :x, a.c.d = :y, b.x = :z REMOVE a.x, b.y",
            "{:x: 10, :y: \"dog\", :z: 17}",
            "{a: {x: 3, y: 4, c: {y: 3}}, b: {x: 1, y: 2}}",
            "{a: {y: 4, b: 10, c: {y: 3, d: \"dog\"}}, b: {x: 17}}",
        ),
        ("REMOVE a.b", "", "{a: {c: 1}}", "{a: {c: 1}}"),
        ("REMOVE a.b", "", "{a: {b: 1}}", "{a: {}}"),
        ("ADD a.n :v", "{:v: 1}", "{a: {}}", "{a: {n: 1}}"),
        ("DELETE a.s :v", "{:v: <<1>>}", "{a: {s: <<1, 2>>}}", "{a: {s: <<2>>}}"),
        ("DELETE a.s :v", "{:v: <<1>>}", "{a: {}}", "{a: {}}"),
        ("DELETE a.s :v", "{:v: <<1>>}", "{a: {s: <<1>>}}", "{a: {}}"),
    ]);
    let invalid = UpdateFault::DocumentPath;
    check_faults(&[
        ("SET a.b = :v", "{:v: 1}", "{}", invalid),
        ("SET a.b = :v", "{:v: 1}", "{a: 1}", invalid),
        ("SET a.b = :v", "{:v: 1}", "{a: [1]}", invalid),
        ("SET a[0] = :v", "{:v: 1}", "{a: {}}", invalid),
        ("SET a[0] = :v", "{:v: 1}", "{}", invalid),
        ("SET a.b.c = :v", "{:v: 1}", "{a: {}}", invalid),
        ("SET a.b.c = :v", "{:v: 1}", "{a: {b: null}}", invalid),
        ("SET a[1].b = :v", "{:v: 1}", "{a: [{}]}", invalid),
        ("SET a = :v, b.c = :v", "{:v: 1}", "{a: 0}", invalid),
        ("REMOVE a.b", "", "{}", invalid),
        ("REMOVE a.b", "", "{a: [1]}", invalid),
        ("REMOVE a[0]", "", "{a: {}}", invalid),
        ("REMOVE a[5].b", "", "{a: [1]}", invalid),
        ("ADD a.n :v", "{:v: 1}", "{}", invalid),
        ("DELETE a.s :v", "{:v: <<1>>}", "{}", invalid),
        // An operand that does not fit wins over a path.
        ("SET x.y = :n ADD a :n", "{:n: 1}", "{a: \"x\"}", UpdateFault::OperandType),
        ("SET x.y = :n DELETE a :s", "{:n: 1, :s: <<1>>}", "{a: \"x\"}", UpdateFault::OperandType),
        ("SET x.y = z", "", "{}", UpdateFault::MissingAttribute),
    ]);
}

#[test]
fn list_elements() {
    check(&[
        ("SET l[1] = :v", "{:v: 9}", "{l: [1, 2, 3]}", "{l: [1, 9, 3]}"),
        ("SET l[3] = :v", "{:v: 9}", "{l: [1, 2, 3]}", "{l: [1, 2, 3, 9]}"),
        ("SET l[99] = :v", "{:v: 9}", "{l: [1]}", "{l: [1, 9]}"),
        ("SET l[99] = :a, l[50] = :b, l[0] = :c", "{:a: 7, :b: 8, :c: 9}", "{l: [1]}", "{l: [9, 8, 7]}"),
        ("SET l[10] = :a, l[9] = :b", "{:a: 10, :b: 9}", "{l: []}", "{l: [9, 10]}"),
        ("SET l[2] = :a, l[1] = :b", "{:a: 2, :b: 1}", "{l: [0]}", "{l: [0, 1, 2]}"),
        ("REMOVE l[0]", "", "{l: [1, 2, 3]}", "{l: [2, 3]}"),
        ("REMOVE l[0], l[1]", "", "{l: [1, 2, 3]}", "{l: [3]}"),
        ("REMOVE l[2], l[0]", "", "{l: [1, 2, 3]}", "{l: [2]}"),
        ("REMOVE l[17]", "", "{l: [1, 2, 3]}", "{l: [1, 2, 3]}"),
        ("REMOVE l[0]", "", "{l: [1]}", "{l: []}"),
        ("REMOVE l[1] SET l[3] = :v", "{:v: 17}", "{l: [2, 3, 4, 5, 6, 7]}", "{l: [2, 4, 17, 6, 7]}"),
        ("SET l[3] = :v REMOVE l[1]", "{:v: 17}", "{l: [2, 3, 4, 5, 6, 7]}", "{l: [2, 4, 17, 6, 7]}"),
        ("REMOVE l[0], l[1].x", "", "{l: [1, {x: 1, y: 2}]}", "{l: [{y: 2}]}"),
        ("REMOVE l[0] SET l[9] = :v", "{:v: 3}", "{l: [1, 2]}", "{l: [2, 3]}"),
        // What one clause appends, no other clause touches.
        ("SET l[1] = :v REMOVE l[2]", "{:v: 2}", "{l: [1]}", "{l: [1, 2]}"),
        ("SET l[1] = :v DELETE l[2] :s", "{:v: <<1>>, :s: <<1>>}", "{l: [1]}", "{l: [1, <<1>>]}"),
        ("SET l[2] = :v ADD l[1] :n", "{:v: 2, :n: 1}", "{l: [0]}", "{l: [0, 1, 2]}"),
        ("ADD l[7] :n", "{:n: 1}", "{l: [0]}", "{l: [0, 1]}"),
        ("DELETE l[0] :s REMOVE l[1]", "{:s: <<1>>}", "{l: [<<1>>, 2, 3]}", "{l: [3]}"),
        ("DELETE l[0] :s SET l[1] = :v", "{:s: <<1>>, :v: 9}", "{l: [<<1>>, 2, 3]}", "{l: [9, 3]}"),
        ("SET m.l[1] = :v, m.l[0] = m.l[1]", "{:v: 9}", "{m: {l: [1, 2]}}", "{m: {l: [2, 9]}}"),
    ]);
}

#[test]
fn add_and_delete() {
    check(&[
        ("ADD n :v", "{:v: 2}", "{n: 1}", "{n: 3}"),
        ("ADD n :v", "{:v: -2}", "{}", "{n: -2}"),
        ("ADD s :v", "{:v: <<\"b\", \"a\">>}", "{s: <<\"a\", \"c\">>}", "{s: <<\"a\", \"b\", \"c\">>}"),
        ("ADD s :v", "{:v: <<1.0, 3>>}", "{s: <<1, 2>>}", "{s: <<1, 2, 3>>}"),
        ("ADD s :v", "{:v: <<b\"b\">>}", "{s: <<b\"a\">>}", "{s: <<b\"a\", b\"b\">>}"),
        ("ADD s :v", "{:v: <<\"a\">>}", "{}", "{s: <<\"a\">>}"),
        ("DELETE s :v", "{:v: <<\"b\", \"x\">>}", "{s: <<\"a\", \"b\">>}", "{s: <<\"a\">>}"),
        ("DELETE s :v", "{:v: <<1>>}", "{s: <<1, 2>>}", "{s: <<2>>}"),
        ("DELETE s :v", "{:v: <<b\"a\">>}", "{s: <<b\"a\">>}", "{}"),
        ("DELETE s :v", "{:v: <<\"b\", \"a\">>}", "{s: <<\"a\", \"b\">>, x: 1}", "{x: 1}"),
        ("DELETE s :v", "{:v: <<\"b\">>}", "{}", "{}"),
    ]);
    check_faults(&[
        ("ADD n :v", "{:v: 2}", "{n: \"1\"}", UpdateFault::OperandType),
        ("ADD n :v", "{:v: 2}", "{n: <<1>>}", UpdateFault::OperandType),
        ("ADD s :v", "{:v: <<\"a\">>}", "{s: <<1>>}", UpdateFault::OperandType),
        ("ADD s :v", "{:v: <<1>>}", "{s: [1]}", UpdateFault::OperandType),
        ("DELETE s :v", "{:v: <<1>>}", "{s: <<\"a\">>}", UpdateFault::OperandType),
        ("DELETE s :v", "{:v: <<1>>}", "{s: 1}", UpdateFault::OperandType),
    ]);
}

#[test]
fn removals_on_a_missing_item_do_nothing() {
    let apply = |text: &str, placeholders: &str| {
        parse(placeholders, |p| parse_update(text, p)).unwrap().apply(&item("{pk: 1}"), true)
    };
    assert_eq!(apply("REMOVE a.b, c[0]", ""), Ok(item("{pk: 1}")));
    assert_eq!(apply("REMOVE a", ""), Ok(item("{pk: 1}")));
    assert_eq!(apply("SET a.b = :v", "{:v: 1}"), Err(UpdateFault::DocumentPath));
    assert_eq!(apply("ADD a :v", "{:v: 1}"), Ok(item("{pk: 1, a: 1}")));
    assert_eq!(apply("SET a = b", ""), Err(UpdateFault::MissingAttribute));
}

#[test]
fn results_nest_at_most_32_levels() {
    let nested = |levels: usize| format!("{}1{}", "[".repeat(levels - 1), "]".repeat(levels - 1));
    let apply = |text: &str, placeholders: &str, before: &str| {
        parse(placeholders, |p| parse_update(text, p)).unwrap().apply(&item(before), false).err()
    };
    let value = |levels: usize| format!("{{:v: {}}}", nested(levels));
    assert_eq!(apply("SET a = :v", &value(32), "{}"), None);
    assert_eq!(apply("SET a = :v", &value(33), "{}"), Some(UpdateFault::TooDeep));
    assert_eq!(apply("SET a.b = :v", &value(31), "{a: {}}"), None);
    assert_eq!(apply("SET a.b = :v", &value(32), "{a: {}}"), Some(UpdateFault::TooDeep));
    let stored = format!("{{a: {}, b: {{}}}}", nested(32));
    assert_eq!(apply("SET b.c = a[0]", "", &stored), None);
    assert_eq!(apply("SET b.c = a", "", &stored), Some(UpdateFault::TooDeep));
    assert_eq!(UpdateFault::TooDeep.to_string(), "Nesting Levels have exceeded supported limits");
}

/// What `UPDATED_OLD` and `UPDATED_NEW` answer.
#[test]
fn the_touched_parts() {
    let stored = "{a: {b: \"dog\", c: [1, 2, 3]}, d: \"cat\"}";
    let cases = [
        ("SET a.b = :v", "{:v: \"hi\"}", "{a: {b: \"dog\"}}", "{a: {b: \"hi\"}}"),
        ("SET a.c[1] = :v", "{:v: 7}", "{a: {c: [2]}}", "{a: {c: [7]}}"),
        ("SET a.c[1] = :v, a.b = :w", "{:v: 8, :w: 9}", "{a: {b: \"dog\", c: [2]}}", "{a: {b: 9, c: [8]}}"),
        ("REMOVE a.c[1], a.c[3]", "", "{a: {c: [2]}}", "{a: {c: [3]}}"),
        ("SET a.x = :v", "{:v: 8}", "{}", "{a: {x: 8}}"),
        ("SET a.c[100] = :v", "{:v: 70}", "{}", "{}"),
        ("REMOVE d", "", "{d: \"cat\"}", "{}"),
        ("SET e = :v REMOVE d", "{:v: 1}", "{d: \"cat\"}", "{e: 1}"),
        ("SET d = :v", "{:v: \"cat\"}", "{d: \"cat\"}", "{d: \"cat\"}"),
    ];
    for (text, placeholders, old, new) in cases {
        let update = parse(placeholders, |p| parse_update(text, p)).unwrap();
        let before = item(stored);
        let after = update.apply(&before, false).unwrap();
        assert_eq!(update.project_targets(&before), item(old), "{text}");
        assert_eq!(update.project_targets(&after), item(new), "{text}");
    }
}

//! Texts that are not of the grammar: the token that AWS names and what it shows around it.

use dynamometer_expr::{
    ExpressionKind, Stage, parse_condition, parse_key_condition, parse_projection, parse_update,
};

use crate::notation::parse;

/// Each case: a text, the token, what is near.
fn check(kind: ExpressionKind, cases: &[(&str, &str, &str)]) {
    for (text, token, near) in cases {
        let found = parse("", |placeholders| {
            let error = match kind {
                ExpressionKind::Projection => parse_projection(text, placeholders).err(),
                ExpressionKind::Update => parse_update(text, placeholders).err(),
                ExpressionKind::KeyCondition => parse_key_condition(text, placeholders).err(),
                kind => parse_condition(kind, text, placeholders).err(),
            };
            assert_eq!(error.as_ref().map(|error| error.stage), Some(Stage::Syntax), "{text}: {error:?}");
            error.map_or(Ok(()), Err)
        });
        let expected = format!("Invalid {kind}: Syntax error; token: \"{token}\", near: \"{near}\"");
        assert_eq!(found.unwrap_err(), expected, "{text}");
    }
}

#[test]
fn conditions() {
    let cases = [
        ("   ", "<EOF>", "   "),
        ("attribute_not_exists(", "<EOF>", "("),
        ("a = = b", "=", "= = b"),
        ("a == :v", "=", "== :v"),
        ("things are not gonna be ok", "are", "things are not"),
        ("a > 4", "4", "> 4"),
        ("attribute_exists(Pictures-RearView)", "-", "Pictures-RearView"),
        ("attribute_exists(\"Pictures.RearView\")", "\"", "(\"Pictures"),
        ("attribute_exists(Pictures..RearView)", ".", "..RearView"),
        ("attribute_exists(Pi#ctures.RearView)", "#ctures", "Pi#ctures."),
        ("attribute_exists(asdf[a])", "a", "[a]"),
        ("attribute_exists()", ")", "()"),
        ("a in b, c", "b", "in b,"),
        ("a in b", "b", "in b"),
        ("a in (b,c,)", ")", ",)"),
        ("a in ()", ")", "()"),
        ("a > between", "between", "> between"),
        ("(a)between(b.(c.d))and(c)", "(", ".(c"),
        ("(a)between(b.c.d)and((c)", "<EOF>", ")"),
        ("#$.b > a", "#", "#$"),
        ("a > :things.stuff", ".", ":things.stuff"),
        ("b[:a] > a", ":a", "[:a]"),
        ("b[#_] > a", "#_", "[#_]"),
        ("ü > a", "ü", "ü >"),
        ("a\u{a0}= b", "\u{a0}", "a\u{a0}="),
        ("(a)between(b.c[4.5].#d)and(:a)", ".", "4.5"),
        ("size(a).b > a", ".", ").b"),
        ("(size(a)).b > a", ".", ").b"),
        ("size(a)[0] > a", "[", ")[0"),
        ("l[00] = b", "0", "00]"),
        ("l[01] = b", "1", "01]"),
        ("l[-1] = b", "-", "[-1"),
        ("_a = b", "_", "_a"),
        ("a", "<EOF>", "a"),
        ("(a)", "<EOF>", ")"),
        ("a AND b = c", "AND", "a AND b"),
        ("(a = b) = c", "=", ") = c"),
        ("a = (b = c)", "=", "b = c"),
        ("a = NOT b", "NOT", "= NOT b"),
        ("NOT a", "<EOF>", "a"),
        ("a = b)", ")", "b)"),
        ("(a = b", "<EOF>", "b"),
        ("a = b,", ",", "b,"),
        ("a = b c = d", "c", "b c ="),
        ("a = b + c", "+", "b + c"),
        ("a != b", "!", "a !="),
        ("a = 'x'", "'", "= 'x"),
        ("size(a = b) > c", "=", "a = b"),
        ("a BETWEEN b OR c", "OR", "b OR c"),
        ("a BETWEEN b AND", "<EOF>", "AND"),
        ("a < b < c", "<", "b < c"),
        ("a =", "<EOF>", "="),
        ("a = ", "<EOF>", "= "),
        ("set = b", "set", "set ="),
        ("a = b AND", "<EOF>", "AND"),
        ("AND a = b", "AND", "AND a"),
        (":v", "<EOF>", ":v"),
        (")", ")", ")"),
        (",", ",", ","),
    ];
    check(ExpressionKind::Condition, &cases);
    check(ExpressionKind::Filter, &cases);
    check(ExpressionKind::KeyCondition, &cases);
    let deep = "(".repeat(4096);
    check(ExpressionKind::Condition, &[(&deep, "<EOF>", "(")]);
}

#[test]
fn projections() {
    check(
        ExpressionKind::Projection,
        &[
            ("!!", "!", "!!"),
            ("whatever(stuff)", "(", "whatever(stuff"),
            (":a", ":a", ":a"),
            ("abort,", "<EOF>", ","),
            ("a,,b", ",", ",,b"),
            ("a..b", ".", "..b"),
            ("a[b]", "b", "[b]"),
            ("(a.b).c", "(", "(a"),
            ("(a)", "(", "(a"),
            ("a-b", "-", "a-b"),
            ("a b", "b", "a b"),
            ("a[0", "<EOF>", "0"),
            ("a.1", "1", ".1"),
            ("a, and", "and", ", and"),
        ],
    );
}

#[test]
fn updates() {
    check(
        ExpressionKind::Update,
        &[
            ("INVALID SYNTAX HERE", "INVALID", "INVALID SYNTAX"),
            ("whatever", "whatever", "whatever"),
            ("SET path = VALUE 1", "1", "VALUE 1"),
            ("set a", "<EOF>", "a"),
            ("add a", "<EOF>", "a"),
            ("delete a", "<EOF>", "a"),
            ("set a=set", "set", "=set"),
            ("remove a = b", "=", "a = b"),
            ("add a = b", "=", "a = b"),
            ("delete a = b", "=", "a = b"),
            ("delete a b", "b", "a b"),
            ("delete a if_not_exist(b)", "if_not_exist", "a if_not_exist("),
            ("add abort b", "b", "abort b"),
            ("remove a b", "b", "a b"),
            ("set a b", "b", "a b"),
            ("set :a = b", ":a", "set :a ="),
            ("remove :a", ":a", "remove :a"),
            ("set a = b / c", "/", "b / c"),
            ("set a = b * c", "*", "b * c"),
            ("set a[1] = \"eight\"", "\"", "= \"eight"),
            ("set a[1] = 1", "1", "= 1"),
            ("SET a = if_not_exist(a, 100)", "100", ", 100)"),
            ("SET if_not_exist(a, b) = a", "(", "if_not_exist(a"),
            ("set (a = (b + c))", "(", "set (a"),
            ("set a = (b.c).d + e", ".", ").d"),
            ("set a = (b.c)[0] + e", "[", ")[0"),
            ("set a = b + c + d", "+", "c + d"),
            ("set a = (b + c) + d", "+", ") + d"),
            ("set a = b + (c + d)", "+", "c + d"),
            ("set a = if_not_exists(a, :v + :w)", "+", ":v + :w"),
            ("set a = b +", "<EOF>", "+"),
            ("SET _123 = :v", "_", "SET _123"),
            ("set a = b,", "<EOF>", ","),
            ("set a = b, remove c", "remove", ", remove c"),
            ("set a = (b", "<EOF>", "b"),
            ("set a = b)", ")", "b)"),
            ("set", "<EOF>", "set"),
            ("set a = f()", ")", "()"),
            ("set a = size(a, (b, c))", ",", "b, c"),
            ("\n", "<EOF>", "\n"),
        ],
    );
}

//! What holds for all expressions.

use dynamometer_expr::{
    Action, Change, Comparator, Condition, ExpressionKind, ExpressionText, Operand, Path, PathStep,
    Placeholders, SetValue, Stage, UpdateOperand, parse_condition, parse_key_condition, parse_projection,
    parse_update,
};
use dynamometer_types::value::{ValueType, sort_set};
use dynamometer_types::{AttributeValue, Item};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::naive;

/// Few names, so that paths often meet values and each other; some need placeholders.
fn name() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        6 => Just("a"),
        3 => Just("b"),
        2 => select(vec!["c", "name", "x.y", "_u", "é", "and"]),
    ];
    name.prop_map(String::from)
}

fn path() -> impl Strategy<Value = Path> {
    let step = prop_oneof![name().prop_map(PathStep::Name), (0u32..5).prop_map(PathStep::Index)];
    let steps = prop_oneof![Just(vec![]), vec(step, 0..3)];
    (name(), steps).prop_map(|(name, steps)| Path::new(name, steps))
}

fn number() -> impl Strategy<Value = AttributeValue> {
    (-3i64..10).prop_map(|n| AttributeValue::N(n.into()))
}

fn text() -> impl Strategy<Value = String> {
    select(vec!["", "a", "ab", "b", "bab", "é𝄞", "N", "2"]).prop_map(String::from)
}

/// A string, number or binary.
fn ordered_scalar() -> impl Strategy<Value = AttributeValue> {
    prop_oneof![
        number(),
        text().prop_map(AttributeValue::s),
        text().prop_map(|text| AttributeValue::B(text.into_bytes())),
    ]
}

fn set() -> impl Strategy<Value = AttributeValue> {
    let deduped = |mut all: Vec<String>| {
        all.sort();
        all.dedup();
        all
    };
    prop_oneof![
        vec(text(), 1..4)
            .prop_map(move |all| AttributeValue::Ss(deduped(all).into_iter().map(Into::into).collect())),
        vec(text(), 1..4).prop_map(move |all| AttributeValue::Bs(
            deduped(all).into_iter().map(String::into_bytes).collect()
        )),
        (vec(-2i64..4, 1..4)).prop_map(|mut all| {
            all.sort_unstable();
            all.dedup();
            AttributeValue::Ns(sort_set(all.into_iter().map(Into::into).collect()).unwrap())
        }),
    ]
}

fn value() -> impl Strategy<Value = AttributeValue> {
    let leaf = prop_oneof![
        4 => ordered_scalar(),
        2 => set(),
        1 => any::<bool>().prop_map(AttributeValue::Bool),
        1 => Just(AttributeValue::Null),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(AttributeValue::L),
            vec((name(), inner), 0..4).prop_map(|members| AttributeValue::M(members.into_iter().collect())),
        ]
    })
}

fn item() -> impl Strategy<Value = Item> {
    (vec((name(), value()), 0..4), vec((name(), ordered_scalar()), 1..3))
        .prop_map(|(values, scalars)| values.into_iter().chain(scalars).collect())
}

/// An item of lists and maps in each other, for updates.
fn document() -> impl Strategy<Value = Item> {
    let leaf = prop_oneof![number(), set(), list()];
    let inner = leaf.prop_recursive(2, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 1..5).prop_map(AttributeValue::L),
            vec((name(), inner), 1..4).prop_map(|members| AttributeValue::M(members.into_iter().collect())),
        ]
    });
    let list = vec(inner.clone(), 1..5).prop_map(AttributeValue::L);
    let map = vec((name(), inner), 1..4).prop_map(|members| AttributeValue::M(members.into_iter().collect()));
    (list, map).prop_map(|(list, map)| {
        [("a", list), ("b", map), ("c", AttributeValue::N(1.into()))].into_iter().collect()
    })
}

/// A path that often leads into a [`document`].
fn document_path() -> impl Strategy<Value = Path> {
    let index = || (0u32..6).prop_map(PathStep::Index);
    let any = || prop_oneof![name().prop_map(PathStep::Name), index()];
    prop_oneof![
        3 => index().prop_map(|at| Path::new("a", vec![at])),
        2 => (index(), any()).prop_map(|(at, step)| Path::new("a", vec![at, step])),
        2 => any().prop_map(|step| Path::new("b", vec![step])),
        2 => (name(), any()).prop_map(|(name, step)| Path::new("b", vec![PathStep::Name(name), step])),
        1 => name().prop_map(Path::top_level),
    ]
}

fn operand() -> impl Strategy<Value = Operand> {
    let sized = prop_oneof![
        path().prop_map(Operand::Path),
        text().prop_map(|text| Operand::Value(AttributeValue::s(text)))
    ];
    prop_oneof![
        4 => path().prop_map(Operand::Path),
        2 => value().prop_map(Operand::Value),
        1 => sized.prop_map(|operand| Operand::Size(Box::new(operand))),
    ]
}

/// An operand that may stand with `<` and BETWEEN.
fn ordered_operand() -> impl Strategy<Value = Operand> {
    prop_oneof![
        3 => path().prop_map(Operand::Path),
        2 => ordered_scalar().prop_map(Operand::Value),
        1 => path().prop_map(|path| Operand::Size(Box::new(Operand::Path(path)))),
    ]
}

/// An operand that may stand in begins_with.
fn text_operand() -> impl Strategy<Value = Operand> {
    prop_oneof![
        path().prop_map(Operand::Path),
        text().prop_map(|text| Operand::Value(AttributeValue::s(text))),
        text().prop_map(|text| Operand::Value(AttributeValue::B(text.into_bytes()))),
    ]
}

fn clause() -> impl Strategy<Value = Condition> {
    let equality = select(vec![Comparator::Equal, Comparator::NotEqual]);
    let ordering = select(vec![
        Comparator::Less,
        Comparator::LessOrEqual,
        Comparator::Greater,
        Comparator::GreaterOrEqual,
    ]);
    let compare = |(left, comparator, right)| Condition::Compare { left, comparator, right };
    let kinds = ValueType::ALL.map(|(kind, _)| kind).to_vec();
    prop_oneof![
        (operand(), equality, operand()).prop_map(compare),
        (ordered_operand(), ordering, ordered_operand()).prop_map(compare),
        (ordered_operand(), path().prop_map(Operand::Path), ordered_operand())
            .prop_map(|(operand, low, high)| Condition::Between { operand, low, high }),
        (operand(), vec(operand(), 1..4)).prop_map(|(operand, list)| Condition::In { operand, list }),
        path().prop_map(Condition::AttributeExists),
        path().prop_map(Condition::AttributeNotExists),
        (operand(), select(kinds)).prop_map(|(operand, kind)| Condition::AttributeType(operand, kind)),
        (text_operand(), text_operand()).prop_map(|(whole, start)| Condition::BeginsWith(whole, start)),
        (operand(), operand()).prop_map(|(whole, part)| Condition::Contains(whole, part)),
    ]
}

fn condition() -> impl Strategy<Value = Condition> {
    clause().prop_recursive(4, 16, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 2..4).prop_map(Condition::And),
            vec(inner.clone(), 2..4).prop_map(Condition::Or),
            inner.prop_map(|condition| Condition::Not(Box::new(condition))),
        ]
    })
}

fn list() -> impl Strategy<Value = AttributeValue> {
    vec(value(), 0..3).prop_map(AttributeValue::L)
}

/// An operand that may stand in list_append, but no list_append itself.
fn list_operand() -> impl Strategy<Value = UpdateOperand> {
    let leaf = prop_oneof![path().prop_map(UpdateOperand::Path), list().prop_map(UpdateOperand::Value)];
    prop_oneof![
        2 => leaf.clone(),
        1 => (path(), leaf).prop_map(|(path, leaf)| UpdateOperand::IfNotExists(path, Box::new(leaf))),
    ]
}

fn set_value() -> impl Strategy<Value = SetValue> {
    let any = prop_oneof![path().prop_map(UpdateOperand::Path), value().prop_map(UpdateOperand::Value)];
    let any = any.prop_recursive(2, 3, 1, |inner| {
        (path(), inner).prop_map(|(path, inner)| UpdateOperand::IfNotExists(path, Box::new(inner)))
    });
    let append = (list_operand(), list_operand())
        .prop_map(|(first, second)| UpdateOperand::ListAppend(Box::new(first), Box::new(second)));
    let addend = prop_oneof![path().prop_map(UpdateOperand::Path), number().prop_map(UpdateOperand::Value)];
    prop_oneof![
        3 => any.prop_map(SetValue::Operand),
        1 => append.prop_map(SetValue::Operand),
        1 => (addend.clone(), addend.clone()).prop_map(|(left, right)| SetValue::Sum(left, right)),
        1 => (addend.clone(), addend).prop_map(|(left, right)| SetValue::Difference(left, right)),
    ]
}

/// Actions of which no path meets another, in the order of their sections.
fn actions() -> impl Strategy<Value = Vec<Action>> {
    let change = prop_oneof![
        2 => prop_oneof![number(), set()].prop_map(|value| Change::Set(SetValue::Operand(UpdateOperand::Value(value)))),
        1 => set_value().prop_map(Change::Set),
        3 => Just(Change::Remove),
        1 => prop_oneof![number(), set()].prop_map(Change::Add),
        1 => set().prop_map(Change::Delete),
    ];
    vec((document_path(), change), 1..6).prop_map(|all| {
        let mut kept: Vec<Action> = vec![];
        for (path, change) in all {
            if !kept.iter().any(|other| meet(&other.path, &path)) {
                kept.push(Action { path, change });
            }
        }
        kept.sort_by_key(|action| match action.change {
            Change::Set(_) => 0,
            Change::Remove => 1,
            Change::Add(_) => 2,
            Change::Delete(_) => 3,
        });
        kept
    })
}

/// Whether paths overlap or conflict.
fn meet(one: &Path, two: &Path) -> bool {
    let mut steps = one.steps().iter().zip(two.steps());
    let branch = steps.find(|(a, b)| a != b);
    let parts = branch.is_some_and(|(a, b)| std::mem::discriminant(a) == std::mem::discriminant(b));
    one.name() == two.name() && !parts
}

/// Paths of which none meets another.
fn paths() -> impl Strategy<Value = Vec<Path>> {
    vec(path(), 1..6).prop_map(|all| {
        let mut kept: Vec<Path> = vec![];
        for path in all {
            if !kept.iter().any(|other| meet(other, &path)) {
                kept.push(path);
            }
        }
        kept
    })
}

/// The update of some actions, by way of its text.
fn update_of(actions: &[Action]) -> dynamometer_expr::Update {
    let update = dynamometer_expr::Update::from_actions(actions.to_vec());
    let text = update.to_expression();
    let placeholders = Placeholders::new(Some(&text.names), Some(&text.values));
    let parsed =
        parse_update(&text.text, &placeholders).unwrap_or_else(|error| panic!("{}: {error}", text.text));
    placeholders.check_all_used().unwrap();
    assert_eq!(parsed, update, "{}", text.text);
    parsed
}

/// Tokens of all grammars, and some of none.
fn token() -> impl Strategy<Value = &'static str> {
    select(vec![
        "a",
        "b",
        "name",
        "#a",
        "#b",
        ":v",
        ":w",
        "AND",
        "or",
        "NOT",
        "BETWEEN",
        "in",
        "SET",
        "remove",
        "ADD",
        "DELETE",
        "=",
        "<>",
        "<",
        "<=",
        ">",
        ">=",
        "+",
        "-",
        ",",
        ".",
        "(",
        ")",
        "[",
        "]",
        "0",
        "1",
        "01",
        "size",
        "contains",
        "begins_with",
        "attribute_exists",
        "attribute_type",
        "if_not_exists",
        "list_append",
        "!",
        "é",
        "#",
        ":",
        "size(",
        "[0]",
        "a.b",
    ])
}

/// Parses a text in every grammar; what parses must print and parse again as the same.
fn parse_all(text: &str) {
    let names = [("#a".to_string(), "x.y".to_string()), ("#b".to_string(), "b".to_string())];
    let values =
        [(":v".to_string(), AttributeValue::N(1.into())), (":w".to_string(), AttributeValue::s("S"))];
    let placeholders = Placeholders::new(Some(&names), Some(&values));
    // Printed, the longest texts can exceed the limit.
    let again = |out: ExpressionText| (out.text.len() <= 4096).then_some((out.text, out.names, out.values));
    if let Ok(condition) = parse_condition(ExpressionKind::Filter, text, &placeholders)
        && let Some((text, names, values)) = again(condition.to_expression())
    {
        let placeholders = Placeholders::new(Some(&names), Some(&values));
        assert_eq!(parse_condition(ExpressionKind::Filter, &text, &placeholders), Ok(condition));
    }
    if let Ok(update) = parse_update(text, &placeholders)
        && let Some((text, names, values)) = again(update.to_expression())
    {
        let placeholders = Placeholders::new(Some(&names), Some(&values));
        assert_eq!(parse_update(&text, &placeholders), Ok(update));
    }
    if let Ok(projection) = parse_projection(text, &placeholders)
        && let Some((text, names, values)) = again(projection.to_expression())
    {
        let placeholders = Placeholders::new(Some(&names), Some(&values));
        assert_eq!(parse_projection(&text, &placeholders), Ok(projection));
    }
    if let Err(error) = parse_key_condition(text, &placeholders) {
        assert!(!error.message.is_empty());
    }
}

proptest! {
    #[test]
    fn a_printed_condition_parses_to_itself(condition in condition()) {
        let text = condition.to_expression();
        let placeholders = Placeholders::new(Some(&text.names), Some(&text.values));
        match parse_condition(ExpressionKind::Condition, &text.text, &placeholders) {
            Ok(parsed) => {
                prop_assert_eq!(parsed, condition);
                prop_assert_eq!(placeholders.check_all_used(), Ok(()));
            }
            // Such as an operand that stands twice.
            Err(error) if error.stage == Stage::Meaning => prop_assume!(false),
            Err(error) => prop_assert!(false, "{}: {}", text.text, error),
        }
    }

    #[test]
    fn conditions_match_as_the_naive_reading_says(condition in condition(), item in item()) {
        prop_assert_eq!(condition.matches(&item), naive::matches(&condition, &item));
    }

    #[test]
    fn scalars_compare_as_the_naive_reading_says(one in ordered_scalar(), two in ordered_scalar()) {
        let item: Item = [("a", one), ("b", two)].into_iter().collect();
        let operand = |name: &str| Operand::Path(Path::top_level(name));
        for comparator in [
            Comparator::Equal,
            Comparator::NotEqual,
            Comparator::Less,
            Comparator::LessOrEqual,
            Comparator::Greater,
            Comparator::GreaterOrEqual,
        ] {
            let condition = Condition::Compare { left: operand("a"), comparator, right: operand("b") };
            prop_assert_eq!(condition.matches(&item), naive::matches(&condition, &item));
            let mirrored = Condition::Compare { left: operand("b"), comparator: comparator.mirrored(), right: operand("a") };
            prop_assert_eq!(condition.matches(&item), mirrored.matches(&item));
        }
    }

    #[test]
    fn bytes_contain_bytes_as_the_naive_reading_says(whole in "[ab]{0,12}", part in "[ab]{0,5}") {
        let condition = Condition::Contains(
            Operand::Path(Path::top_level("a")),
            Operand::Value(AttributeValue::B(part.clone().into_bytes())),
        );
        let item: Item = [("a", AttributeValue::B(whole.clone().into_bytes()))].into_iter().collect();
        prop_assert_eq!(condition.matches(&item), whole.contains(&part));
    }

    #[test]
    fn updates_apply_as_the_naive_reading_says(
        mut actions in actions(), item in document(), only_fitting in any::<bool>(),
    ) {
        if only_fitting {
            // Each reads the item as it was, so that all fit when each does.
            actions.retain(|action| naive::apply(&update_of(std::slice::from_ref(action)), &item).is_some());
            prop_assume!(!actions.is_empty());
        }
        let update = update_of(&actions);
        let expected = naive::apply(&update, &item);
        prop_assert!(expected.is_some() || !only_fitting);
        prop_assert_eq!(update.apply(&item, false).ok(), expected);
    }

    #[test]
    fn a_projection_keeps_what_its_paths_lead_to(paths in paths(), item in item()) {
        let projection = dynamometer_expr::Projection::from_paths(paths.clone());
        let text = projection.to_expression();
        let placeholders = Placeholders::new(Some(&text.names), None);
        prop_assert_eq!(parse_projection(&text.text, &placeholders), Ok(projection.clone()));
        let kept = projection.project(&item);
        for path in paths.iter().filter(|path| !path.steps().iter().any(|step| matches!(step, PathStep::Index(_)))) {
            prop_assert_eq!(path.get(&kept), path.get(&item));
        }
        // Projecting all of an item changes nothing.
        let whole = item.names().map(Path::top_level).collect();
        prop_assert_eq!(dynamometer_expr::Projection::from_paths(whole).project(&item), item);
    }

    #[test]
    fn no_text_stops_a_parser(text in ".{0,80}") {
        parse_all(&text);
    }

    #[test]
    fn no_row_of_tokens_stops_a_parser(tokens in vec(token(), 0..24), spaced in any::<bool>()) {
        parse_all(&tokens.join(if spaced { " " } else { "" }));
    }

    #[test]
    fn no_change_of_a_good_text_stops_a_parser(
        condition in condition(), token in token(), at in any::<prop::sample::Index>(), cut in 0usize..4,
    ) {
        let mut text: Vec<char> = condition.to_expression().text.chars().collect();
        let at = at.index(text.len());
        let end = (at + cut).min(text.len());
        text.splice(at..end, token.chars());
        parse_all(&text.into_iter().collect::<String>());
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "only a thread can have a small stack")]
fn hostile_texts_need_little_stack() {
    let nested = |open: &str, inner: &str, close: &str| {
        let count = (4096 - inner.len()) / (open.len() + close.len());
        format!("{}{inner}{}", open.repeat(count), close.repeat(count))
    };
    let texts = vec![
        "(".repeat(4096),
        nested("(", "a<b", ")"),
        nested("not ", "a<b", ""),
        nested("NOT(", "a<b", ")"),
        nested("a<f(", "b", ")"),
        nested("f(", "b", ")"),
        format!("a < {}", nested("size(", "b", ")").split_off(6)),
        format!("a<b {}{}", "or (a<b ".repeat(400), ")".repeat(400)),
        format!("SET a = {}b{}", "f(".repeat(1300), ")".repeat(1300)),
        format!("SET a = {}b{}", "if_not_exists(a,".repeat(240), ")".repeat(240)),
        format!("SET a = {}", "(".repeat(4000)),
        format!("a{}", ".a".repeat(2000)),
    ];
    let parse = move || {
        let placeholders = Placeholders::new(None, None);
        for text in &texts {
            let _ = parse_condition(ExpressionKind::Filter, text, &placeholders);
            let _ = parse_update(text, &placeholders);
            let _ = parse_projection(text, &placeholders);
            let _ = parse_key_condition(text, &placeholders);
        }
    };
    std::thread::Builder::new().stack_size(96 * 1024).spawn(parse).unwrap().join().unwrap();
}

//! Expressions of every kind: parsed, printed and parsed again, evaluated and applied.

use dynamometer_expr::{
    Condition, ExpressionKind, ExpressionText, Placeholders, parse_condition, parse_key_condition,
    parse_projection, parse_update,
};
use dynamometer_types::limits::NESTING_LEVELS;
use dynamometer_types::{AttributeValue, Item, KeyAttribute, KeySchema, Number, ScalarType};

/// Reads the text as an expression of each kind.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (names, values) = (names(), values());
    let placeholders = || Placeholders::new(Some(&names), Some(&values));
    for kind in [ExpressionKind::Condition, ExpressionKind::Filter] {
        if let Ok(condition) = parse_condition(kind, text, &placeholders()) {
            check_condition(kind, &condition);
        }
    }
    if let Ok(projection) = parse_projection(text, &placeholders()) {
        let printed = projection.to_expression();
        assert_eq!(
            parse_projection(&printed.text, &of(&printed)).as_ref(),
            Ok(&projection),
            "{}",
            printed.text
        );
        for item in items() {
            let projected = projection.project(&item);
            // What is left is a part of the item, so that it has nothing left to lose but list positions.
            assert!(projected.names().all(|name| item.contains(name)));
        }
    }
    if let Ok(update) = parse_update(text, &placeholders()) {
        let printed = update.to_expression();
        let again = parse_update(&printed.text, &of(&printed)).expect("what is printed can be parsed");
        for item in items() {
            for is_new in [true, false] {
                let updated = update.apply(&item, is_new);
                assert_eq!(again.apply(&item, is_new), updated, "{}", printed.text);
                if let Ok(updated) = updated {
                    assert!(updated.values().all(|value| value.depth() <= NESTING_LEVELS));
                    assert!(updated.values().all(is_sound), "{updated:?}");
                    update.project_targets(&updated);
                }
            }
        }
    }
    if let Ok(condition) = parse_key_condition(text, &placeholders()) {
        for schema in schemas() {
            if let Ok(range) = condition.bind(&schema) {
                assert_eq!(range.partition.len(), schema.partition.len());
                assert!(range.sort_prefix.len() + usize::from(range.sort.is_some()) <= schema.sort.len());
            }
        }
    }
}

fn check_condition(kind: ExpressionKind, condition: &Condition) {
    let printed = condition.to_expression();
    // Parentheses that are not needed are not printed, but the text may be longer than a request's may.
    if let Ok(again) = parse_condition(kind, &printed.text, &of(&printed)) {
        for item in items() {
            assert_eq!(again.matches(&item), condition.matches(&item), "{}", printed.text);
        }
    }
    condition.paths();
}

fn of(printed: &ExpressionText) -> Placeholders<'_> {
    let (names, values) = (&printed.names, &printed.values);
    Placeholders::new(
        (!names.is_empty()).then_some(names.as_slice()),
        (!values.is_empty()).then_some(values.as_slice()),
    )
}

/// Sets are sorted and hold no member twice; none is empty.
fn is_sound(value: &AttributeValue) -> bool {
    match value {
        AttributeValue::Ss(set) => !set.is_empty() && set.is_sorted_by(|a, b| a < b),
        AttributeValue::Ns(set) => !set.is_empty() && set.is_sorted_by(|a, b| a < b),
        AttributeValue::Bs(set) => !set.is_empty() && set.is_sorted_by(|a, b| a < b),
        AttributeValue::L(list) => list.iter().all(is_sound),
        AttributeValue::M(map) => map.names().is_sorted_by(|a, b| a < b) && map.values().all(is_sound),
        _ => true,
    }
}

fn number(text: &str) -> AttributeValue {
    AttributeValue::N(text.parse::<Number>().expect("a number"))
}

fn names() -> Vec<(String, String)> {
    [("#a", "a"), ("#b", "b"), ("#d", "d.d"), ("#s", "size"), ("#u", "日本")]
        .map(|(key, name)| (key.to_owned(), name.to_owned()))
        .to_vec()
}

fn values() -> Vec<(String, AttributeValue)> {
    let s = |text: &str| AttributeValue::s(text);
    [
        (":s", s("text")),
        (":e", s("")),
        (":n", number("1")),
        (":m", number("-2.5e3")),
        (":b", AttributeValue::B(vec![0, 1])),
        (":t", AttributeValue::Bool(true)),
        (":z", AttributeValue::Null),
        (":l", AttributeValue::L(vec![s("x"), number("2")])),
        (":p", AttributeValue::M(Item::from_iter([("x", number("1"))]))),
        (":ss", AttributeValue::Ss(vec!["a".into(), "b".into()])),
        (":ns", AttributeValue::Ns(vec![Number::from(1), Number::from(2)])),
        (":bs", AttributeValue::Bs(vec![vec![1]])),
        (":ty", s("S")),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .to_vec()
}

/// An item with every type, one with other types in the same places, and one with nothing.
fn items() -> [Item; 3] {
    let values: Vec<AttributeValue> = values().into_iter().map(|(_, value)| value).collect();
    let letters = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"];
    let plain =
        letters.iter().zip(values.iter().cloned()).map(|(name, value)| (*name, value)).collect::<Item>();
    let mut nested =
        letters.iter().zip(values.into_iter().rev()).map(|(name, value)| (*name, value)).collect::<Item>();
    let deep = (1..NESTING_LEVELS).fold(number("1"), |inner, level| {
        if level % 2 == 0 {
            AttributeValue::L(vec![inner])
        } else {
            AttributeValue::M(Item::from_iter([("a", inner)]))
        }
    });
    nested.insert("a", deep);
    nested.insert("b", AttributeValue::L(vec![AttributeValue::M(plain.clone()), AttributeValue::L(vec![])]));
    [plain, nested, Item::new()]
}

fn schemas() -> [KeySchema; 3] {
    let keys = |names: &[(&str, ScalarType)]| {
        names.iter().map(|(name, kind)| KeyAttribute { name: name.to_string(), scalar_type: *kind }).collect()
    };
    use ScalarType::{B, N, S};
    [
        KeySchema { partition: keys(&[("a", S)]), sort: vec![] },
        KeySchema { partition: keys(&[("a", S)]), sort: keys(&[("b", N)]) },
        KeySchema { partition: keys(&[("a", S), ("b", N)]), sort: keys(&[("c", S), ("d", N), ("e", B)]) },
    ]
}

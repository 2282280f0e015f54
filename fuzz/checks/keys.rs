//! Two keys from any bytes: on disk they must lie in the order of their values, and never be mistaken for each other.

use dynamometer_engine::disk::keys::{entry_key, item_key, object_prefix, partition_prefix, renumbered};
use dynamometer_types::{AttributeValue, Item, KeyAttribute, KeySchema, Number, ScalarType};

/// Cuts the input into two items with equal shapes and compares their keys in a table and in an index.
pub fn check(data: &[u8]) {
    let mut input = Input(data);
    let types = input.byte();
    let [one, two] = [0, 1].map(|_| {
        ["pk", "sk", "a", "b", "c"]
            .iter()
            .enumerate()
            .map(|(at, name)| (*name, input.value(types >> at)))
            .collect()
    });
    let kind = |at: u8| if types >> at & 1 == 0 { ScalarType::B } else { ScalarType::N };
    let key = |name: &str, at: u8| KeyAttribute { name: name.into(), scalar_type: kind(at) };
    let table = KeySchema { partition: vec![key("pk", 0)], sort: vec![key("sk", 1)] };
    let index = KeySchema { partition: vec![key("a", 2), key("b", 3)], sort: vec![key("c", 4)] };
    check_table(&table, &one, &two);
    check_index(&index, &table, &one, &two);
}

fn check_table(table: &KeySchema, one: &Item, two: &Item) {
    let [first, second] = [one, two].map(|item| item_key(1, table, item).expect("the item has its key"));
    let same_key = one.get("pk") == two.get("pk") && one.get("sk") == two.get("sk");
    assert_eq!(first == second, same_key);
    let prefixes =
        [one, two].map(|item| partition_prefix(1, [item.get("pk")].into_iter()).expect("a scalar key"));
    let [prefix, other] = prefixes;
    assert!(first.starts_with(&prefix) && first.starts_with(&object_prefix(1)));
    assert_eq!(renumbered(&first, 2), item_key(2, table, one).expect("the item has its key"));
    if one.get("pk") == two.get("pk") {
        assert_eq!(first.cmp(&second), order(one, two, "sk"));
    } else {
        // Neither lies among the items of the other.
        assert!(!second.starts_with(&prefix) && !first.starts_with(&other));
    }
}

fn check_index(index: &KeySchema, table: &KeySchema, one: &Item, two: &Item) {
    let [first, second] =
        [one, two].map(|item| entry_key(1, index, table, item).expect("the item has the keys"));
    let names = ["a", "b", "c", "pk", "sk"];
    assert_eq!(first == second, names.iter().all(|name| one.get(name) == two.get(name)));
    if one.get("a") == two.get("a") && one.get("b") == two.get("b") {
        let expected = order(one, two, "c").then(order(one, two, "pk")).then(order(one, two, "sk"));
        assert_eq!(first.cmp(&second), expected);
    }
}

fn order(one: &Item, two: &Item, name: &str) -> std::cmp::Ordering {
    match (one.get(name), two.get(name)) {
        (Some(AttributeValue::B(one)), Some(AttributeValue::B(two))) => one.cmp(two),
        (Some(AttributeValue::N(one)), Some(AttributeValue::N(two))) => one.cmp(two),
        other => panic!("{name} is of two types: {other:?}"),
    }
}

/// What is left of the input.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        let Some((byte, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *byte
    }

    /// Some bytes, as a binary or as a number.
    fn value(&mut self, kind: u8) -> AttributeValue {
        if kind & 1 == 0 {
            let length = usize::from(self.byte() % 8);
            return AttributeValue::B((0..length).map(|_| self.byte()).collect());
        }
        let (negative, exponent) = (self.byte() & 1 == 1, i32::from(self.byte() as i8));
        let coefficient = (0..3).fold(0u128, |sum, _| sum << 8 | u128::from(self.byte()));
        AttributeValue::N(Number::from_parts(negative, coefficient, exponent).unwrap_or(Number::ZERO))
    }
}

//! What is written can be read, and a row is written as the item that it holds.

use dynamometer_engine::disk::row::Row;
use dynamometer_types::value::sort_set;
use dynamometer_types::{AttributeValue, Item, Number};
use proptest::prelude::*;
use serde_json::Deserializer;
use smol_str::SmolStr;

use super::shape::LEVELS;
use super::{Encode, Wire};

fn any_number() -> impl Strategy<Value = Number> {
    (any::<bool>(), any::<u64>(), -130i32..80).prop_filter_map("in range", |(negative, digits, e)| {
        Number::from_parts(negative, digits.into(), e).ok()
    })
}

fn set<T: Ord + std::fmt::Debug>(members: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<T>> {
    proptest::collection::vec(members, 1..4).prop_filter_map("no repeat", |members| sort_set(members).ok())
}

fn any_value() -> impl Strategy<Value = AttributeValue> {
    let scalar = prop_oneof![
        ".*".prop_map(AttributeValue::s),
        any_number().prop_map(AttributeValue::N),
        any::<Vec<u8>>().prop_map(AttributeValue::B),
        any::<bool>().prop_map(AttributeValue::Bool),
        Just(AttributeValue::Null),
        set(".*".prop_map(SmolStr::from)).prop_map(AttributeValue::Ss),
        set(any_number()).prop_map(AttributeValue::Ns),
        set(any::<Vec<u8>>()).prop_map(AttributeValue::Bs),
    ];
    scalar.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(AttributeValue::L),
            any_map(inner).prop_map(AttributeValue::M),
        ]
    })
}

fn any_map(value: impl Strategy<Value = AttributeValue>) -> impl Strategy<Value = Item> {
    proptest::collection::vec((".{1,3}", value), 0..4).prop_map(Item::from_iter)
}

fn encoded(value: &impl Encode) -> Vec<u8> {
    let mut out = vec![];
    value.encode(&mut out).unwrap();
    out
}

proptest! {
    #[test]
    fn an_item_comes_back_and_its_row_is_written_alike(item in any_map(any_value())) {
        let json = encoded(&item);
        let mut reader = Deserializer::from_slice(&json);
        prop_assert_eq!(Item::decode(&mut reader, LEVELS).unwrap(), item.clone());
        prop_assert_eq!(encoded(&Row::encode(&item)), json);
    }

    #[test]
    fn a_damaged_row_never_panics(item in any_map(any_value()), at in any::<proptest::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = Row::encode(&item).bytes().to_vec();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = Row::from_stored(bytes.into()).encode(&mut vec![]);
    }
}

#[test]
fn sets_are_written_in_their_order() {
    let body = br#"{"a":{"NS":["10","9","-1.5"]},"b":{"SS":["b","B","a"]},"c":{"N":"-0012.50E1"}}"#;
    let item = Item::decode(&mut Deserializer::from_slice(body), LEVELS).unwrap();
    assert_eq!(
        String::from_utf8(encoded(&item)).unwrap(),
        r#"{"a":{"NS":["-1.5","9","10"]},"b":{"SS":["B","a","b"]},"c":{"N":"-125"}}"#
    );
}

//! Sizes in bytes as DynamoDB counts them: for capacity units, for the 400 KB limit and for table sizes.
//!
//! An item is the sum over its attributes of the UTF-8 bytes of the name and the size of the value. There is no
//! overhead per item (storage billing adds 100 bytes an item; that is the price model's matter).
//!
//! # Source
//! AWS developer guide (2026), "Capacity unit consumption"; number sizes measured (see [`crate::number`]).

use crate::item::Item;
use crate::value::AttributeValue;

/// What a list or a map costs by itself, in bytes.
const COLLECTION_OVERHEAD: u64 = 3;
/// What each list element or map pair costs beyond its content, in bytes.
const ELEMENT_OVERHEAD: u64 = 1;

/// The size of an item in bytes.
pub fn item_size(item: &Item) -> u64 {
    item.iter().map(|(name, value)| attribute_size(name, value)).sum()
}

/// The size of one attribute, name and value, in bytes.
pub fn attribute_size(name: &str, value: &AttributeValue) -> u64 {
    name.len() as u64 + value_size(value)
}

/// The size of a value in bytes.
pub fn value_size(value: &AttributeValue) -> u64 {
    match value {
        AttributeValue::S(text) => text.len() as u64,
        AttributeValue::N(number) => number.size_bytes(),
        AttributeValue::B(bytes) => bytes.len() as u64,
        AttributeValue::Bool(_) | AttributeValue::Null => 1,
        AttributeValue::L(list) => {
            COLLECTION_OVERHEAD
                + list.iter().map(|element| ELEMENT_OVERHEAD + value_size(element)).sum::<u64>()
        }
        AttributeValue::M(map) => COLLECTION_OVERHEAD + ELEMENT_OVERHEAD * map.len() as u64 + item_size(map),
        AttributeValue::Ss(set) => set.iter().map(|member| member.len() as u64).sum(),
        AttributeValue::Ns(set) => set.iter().map(|member| member.size_bytes()).sum(),
        AttributeValue::Bs(set) => set.iter().map(|member| member.len() as u64).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use AttributeValue::{B, Bool, L, M, Ns, Null, Ss};

    fn s(text: &str) -> AttributeValue {
        AttributeValue::s(text)
    }

    fn n(text: &str) -> AttributeValue {
        AttributeValue::N(text.parse().unwrap())
    }

    fn map(pairs: Vec<(&str, AttributeValue)>) -> Item {
        pairs.into_iter().collect()
    }

    fn ns(texts: &[&str]) -> AttributeValue {
        Ns(texts.iter().map(|text| text.parse().unwrap()).collect())
    }

    /// The worked examples: S1 documented by AWS, the others by the same rules.
    #[test]
    fn worked_examples() {
        let order = map(vec![
            ("PK", s("USER#123")),
            ("SK", s("PROFILE")),
            ("EntityType", s("User")),
            ("email", s("a@example.com")),
            ("createdAt", n("1719273600")),
            ("GSI1PK", s("EMAIL#a@example.com")),
            ("GSI1SK", s("USER#123")),
        ]);
        let keys_only: Item = ["PK", "SK", "GSI1PK", "GSI1SK"]
            .iter()
            .map(|name| (*name, order.get(name).unwrap().clone()))
            .collect();
        let cases = [
            ("S1", map(vec![("shirt-color", s("R")), ("shirt-size", s("M"))]), 23),
            ("S2", map(vec![("a", n("1"))]), 3),
            ("S3", map(vec![("pk", s("日本")), ("名前", s("東京"))]), 20),
            ("S4", map(vec![("pk", s("😀"))]), 6),
            (
                "S5",
                map(vec![
                    ("pk", s("USER#1")),
                    ("age", n("30")),
                    ("vip", Bool(true)),
                    ("x", Null),
                    ("bin", B(vec![0; 10])),
                ]),
                32,
            ),
            ("S6", map(vec![("pk", s("k")), ("l", L(vec![])), ("m", M(Item::new()))]), 11),
            ("S7", map(vec![("pk", s("k")), ("l", L(vec![s("ab"), n("1"), L(vec![Bool(true)])]))]), 19),
            ("S8", map(vec![("pk", s("k")), ("m", M(map(vec![("a", s("x")), ("bc", n("-12345"))])))]), 18),
            (
                "S9",
                map(vec![
                    ("pk", s("k")),
                    ("ss", Ss(vec!["a".into(), "bcd".into()])),
                    ("ns", ns(&["-42", "1", "123"])),
                ]),
                19,
            ),
            ("S10", order, 104),
            (
                "S11",
                map(vec![
                    ("event_key_sharded", s("observation$0#obs_1")),
                    ("data_type_indexed", s("value$0")),
                    ("ttl", n("1719273600")),
                    ("value", M(map(vec![("temp", n("36.5")), ("tags", L(vec![s("a"), s("b")]))]))),
                ]),
                96,
            ),
            ("S12", keys_only, 58),
        ];
        for (name, item, bytes) in cases {
            assert_eq!(item_size(&item), bytes, "{name}");
        }
    }
}

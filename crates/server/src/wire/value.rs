//! Reading attribute values and items in the strict form: one type member, known and not faulty.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dynamometer_types::value::{ValueType, sort_set};
use dynamometer_types::{AttributeValue, Item, Number, ValueFault};
use serde::Deserializer;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use smol_str::SmolStr;

use super::codec::{Seed, Text, Wire, irregular};
use super::shape::Shape;

/// Bytes in base64, with padding.
pub(super) struct Base64;

impl Wire for Base64 {
    type Value = Vec<u8>;
    const SHAPE: &'static Shape = &Shape::String;

    fn decode<'de, D: Deserializer<'de>>(input: D, _levels: u8) -> Result<Vec<u8>, D::Error> {
        input.deserialize_str(Text(|text: &str| STANDARD.decode(text).ok()))
    }
}

/// A number in a string.
struct NumberText;

impl Wire for NumberText {
    type Value = Number;
    const SHAPE: &'static Shape = &Shape::String;

    fn decode<'de, D: Deserializer<'de>>(input: D, _levels: u8) -> Result<Number, D::Error> {
        input.deserialize_str(Text(|text: &str| text.parse().ok()))
    }
}

struct TypeName;

impl<'de> DeserializeSeed<'de> for TypeName {
    type Value = ValueType;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<ValueType, D::Error> {
        input.deserialize_identifier(Text(ValueType::from_name))
    }
}

impl Wire for AttributeValue {
    type Value = AttributeValue;
    const SHAPE: &'static Shape = &Shape::Value;

    fn decode<'de, D: Deserializer<'de>>(input: D, levels: u8) -> Result<AttributeValue, D::Error> {
        input.deserialize_map(OneType { levels })
    }
}

struct OneType {
    levels: u8,
}

impl<'de> Visitor<'de> for OneType {
    type Value = AttributeValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an attribute value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<AttributeValue, A::Error> {
        if self.levels == 0 {
            return Err(irregular());
        }
        let Some(kind) = map.next_key_seed(TypeName)? else { return Err(irregular()) };
        let value = self.read(kind, &mut map)?;
        match map.next_key::<IgnoredAny>()? {
            None => Ok(value),
            Some(_) => Err(irregular()),
        }
    }
}

impl OneType {
    fn read<'de, A: MapAccess<'de>>(&self, kind: ValueType, map: &mut A) -> Result<AttributeValue, A::Error> {
        let below = self.levels - 1;
        Ok(match kind {
            ValueType::S => AttributeValue::S(map.next_value_seed(Seed::<SmolStr>::new(0))?),
            ValueType::N => AttributeValue::N(map.next_value_seed(Seed::<NumberText>::new(0))?),
            ValueType::B => AttributeValue::B(map.next_value_seed(Seed::<Base64>::new(0))?),
            ValueType::Bool => AttributeValue::Bool(map.next_value()?),
            ValueType::Null if map.next_value::<bool>()? => AttributeValue::Null,
            ValueType::Null => return Err(irregular()),
            ValueType::L => AttributeValue::L(map.next_value_seed(Seed::<Vec<AttributeValue>>::new(below))?),
            ValueType::M => AttributeValue::M(map.next_value_seed(Seed::<Item>::new(below))?),
            ValueType::Ss => AttributeValue::Ss(set::<SmolStr, A>(map)?),
            ValueType::Ns => AttributeValue::Ns(set::<NumberText, A>(map)?),
            ValueType::Bs => AttributeValue::Bs(set::<Base64, A>(map)?),
        })
    }
}

fn set<'de, C: Wire<Value: Ord>, A: MapAccess<'de>>(map: &mut A) -> Result<Vec<C::Value>, A::Error> {
    let members = map.next_value_seed(Seed::<Vec<C>>::new(0))?;
    if members.is_empty() {
        return Err(irregular());
    }
    sort_set(members).map_err(|_| irregular())
}

impl Wire for Item {
    type Value = Item;
    const SHAPE: &'static Shape = &Shape::Item;

    fn decode<'de, D: Deserializer<'de>>(input: D, levels: u8) -> Result<Item, D::Error> {
        input.deserialize_map(Attributes { levels })
    }
}

struct Attributes {
    levels: u8,
}

impl<'de> Visitor<'de> for Attributes {
    type Value = Item;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("attributes")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Item, A::Error> {
        let mut attributes = Vec::with_capacity(8);
        while let Some(name) = map.next_key_seed(Seed::<SmolStr>::new(0))? {
            if ValueFault::of_name(&name).is_some() {
                return Err(irregular());
            }
            attributes.push((name, map.next_value_seed(Seed::<AttributeValue>::new(self.levels))?));
        }
        Ok(Item::from_unsorted(attributes))
    }
}

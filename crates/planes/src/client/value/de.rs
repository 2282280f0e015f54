//! From DynamoDB to Rust.

use dynamometer_types::{AttributeValue, Number};
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{self, Deserializer, EnumAccess, IntoDeserializer, VariantAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::{ValueError, decimal};

/// A deserializer over an owned value.
pub(super) struct FromValue(pub(super) AttributeValue);

impl<'de> IntoDeserializer<'de, ValueError> for FromValue {
    type Deserializer = FromValue;

    fn into_deserializer(self) -> FromValue {
        self
    }
}

/// The number as an integer of 128 bits, when it is one.
fn whole(number: &Number) -> Option<i128> {
    let scale = 10u128.checked_pow(u32::try_from(number.exponent()).ok()?)?;
    let magnitude = i128::try_from(number.coefficient().checked_mul(scale)?).ok()?;
    Some(if number.is_negative() { -magnitude } else { magnitude })
}

/// The float with exactly the number's digits, when there is one.
fn float(number: &Number) -> Option<f64> {
    let float: f64 = number.to_string().parse().ok()?;
    (float.to_string().parse::<Number>().ok()? == *number).then_some(float)
}

fn short_float(number: &Number) -> Option<f32> {
    let float: f32 = number.to_string().parse().ok()?;
    (float.to_string().parse::<Number>().ok()? == *number).then_some(float)
}

fn elements(values: Vec<AttributeValue>) -> SeqDeserializer<std::vec::IntoIter<FromValue>, ValueError> {
    SeqDeserializer::new(values.into_iter().map(FromValue).collect::<Vec<_>>().into_iter())
}

/// Methods that read an integer of 64 bits or fewer, and leave it to the visitor whether it fits.
macro_rules! integers {
    ($($method:ident),*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
            self.integer(visitor)
        })*
    };
}

impl FromValue {
    fn integer<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        let AttributeValue::N(number) = &self.0 else { return self.deserialize_any(visitor) };
        let Some(whole) = whole(number) else {
            return Err(ValueError::Inexact { number: number.to_string(), wanted: "an integer" });
        };
        if let Ok(small) = i64::try_from(whole) {
            return visitor.visit_i64(small);
        }
        if let Ok(small) = u64::try_from(whole) {
            return visitor.visit_u64(small);
        }
        visitor.visit_i128(whole)
    }
}

impl<'de> Deserializer<'de> for FromValue {
    type Error = ValueError;

    /// A number that is neither an integer of 64 bits nor a float with the same digits comes as its digits.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self.0 {
            AttributeValue::S(text) => visitor.visit_string(text.into()),
            AttributeValue::N(number) => match whole(&number) {
                Some(whole) if i64::try_from(whole).is_ok() || u64::try_from(whole).is_ok() => {
                    FromValue(AttributeValue::N(number)).integer(visitor)
                }
                _ => match float(&number) {
                    Some(float) => visitor.visit_f64(float),
                    None => visitor.visit_string(number.to_string()),
                },
            },
            AttributeValue::B(bytes) => visitor.visit_byte_buf(bytes),
            AttributeValue::Bool(value) => visitor.visit_bool(value),
            AttributeValue::Null => visitor.visit_unit(),
            AttributeValue::L(list) => visitor.visit_seq(elements(list)),
            AttributeValue::M(map) => visitor.visit_map(MapDeserializer::new(
                map.into_iter().map(|(name, value)| (MapKey(name.into()), FromValue(value))),
            )),
            AttributeValue::Ss(set) => {
                visitor.visit_seq(elements(set.into_iter().map(AttributeValue::S).collect()))
            }
            AttributeValue::Ns(set) => {
                visitor.visit_seq(elements(set.into_iter().map(AttributeValue::N).collect()))
            }
            AttributeValue::Bs(set) => {
                visitor.visit_seq(elements(set.into_iter().map(AttributeValue::B).collect()))
            }
        }
    }

    integers! {
        deserialize_i8, deserialize_i16, deserialize_i32, deserialize_i64, deserialize_i128,
        deserialize_u8, deserialize_u16, deserialize_u32, deserialize_u64, deserialize_u128
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        let AttributeValue::N(number) = &self.0 else { return self.deserialize_any(visitor) };
        match short_float(number) {
            Some(float) => visitor.visit_f32(float),
            None => Err(ValueError::Inexact { number: number.to_string(), wanted: "a float of 32 bits" }),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        let AttributeValue::N(number) = &self.0 else { return self.deserialize_any(visitor) };
        match float(number) {
            Some(float) => visitor.visit_f64(float),
            None => Err(ValueError::Inexact { number: number.to_string(), wanted: "a float of 64 bits" }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self.0 {
            AttributeValue::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        match (name, &self.0) {
            (decimal::NAME, AttributeValue::N(number)) => visitor.visit_string(number.to_string()),
            (decimal::NAME, _) => self.deserialize_any(visitor),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        self.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        match self.0 {
            AttributeValue::S(variant) => visitor.visit_enum(variant.into_deserializer()),
            AttributeValue::M(map) if map.len() == 1 => {
                let (variant, value) = map.into_iter().next().expect("a map of one");
                visitor.visit_enum(Variant { variant: variant.into(), value })
            }
            other => Err(de::Error::custom(format_args!(
                "a variant is its name or a map of one, not {}",
                other.value_type().name()
            ))),
        }
    }

    forward_to_deserialize_any! {
        bool char str string bytes byte_buf unit seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A variant that carries a value.
struct Variant {
    variant: String,
    value: AttributeValue,
}

impl<'de> EnumAccess<'de> for Variant {
    type Error = ValueError;
    type Variant = FromValue;

    fn variant_seed<S: de::DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, FromValue), ValueError> {
        let name: de::value::StringDeserializer<ValueError> = self.variant.into_deserializer();
        Ok((seed.deserialize(name)?, FromValue(self.value)))
    }
}

impl<'de> VariantAccess<'de> for FromValue {
    type Error = ValueError;

    fn unit_variant(self) -> Result<(), ValueError> {
        de::Deserialize::deserialize(self)
    }

    fn newtype_variant_seed<S: de::DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, ValueError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Result<V::Value, ValueError> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        self.deserialize_any(visitor)
    }
}

/// A map's key: a string, or what a string says.
struct MapKey(String);

impl<'de> IntoDeserializer<'de, ValueError> for MapKey {
    type Deserializer = MapKey;

    fn into_deserializer(self) -> MapKey {
        self
    }
}

/// Methods that read a key as what its text says; a text that does not say it is handed on, so that the visitor complains.
macro_rules! parsed {
    ($($method:ident => $visit:ident),*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
            match self.0.parse() {
                Ok(value) => visitor.$visit(value),
                Err(_) => visitor.visit_string(self.0),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for MapKey {
    type Error = ValueError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_string(self.0)
    }

    parsed! {
        deserialize_bool => visit_bool,
        deserialize_i8 => visit_i8, deserialize_i16 => visit_i16, deserialize_i32 => visit_i32,
        deserialize_i64 => visit_i64, deserialize_i128 => visit_i128,
        deserialize_u8 => visit_u8, deserialize_u16 => visit_u16, deserialize_u32 => visit_u32,
        deserialize_u64 => visit_u64, deserialize_u128 => visit_u128
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        visitor.visit_enum(self.0.into_deserializer())
    }

    forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
        ignored_any
    }
}

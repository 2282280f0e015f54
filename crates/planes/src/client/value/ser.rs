//! From Rust to DynamoDB.

use dynamometer_types::{AttributeValue, Item, Number};
use serde::ser::{
    Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::{ValueError, decimal};

type Written = Result<AttributeValue, ValueError>;

/// A serializer whose output is the value.
pub(super) struct ToValue;

fn number(text: String) -> Written {
    match text.parse::<Number>() {
        Ok(number) => Ok(AttributeValue::N(number)),
        Err(fault) => Err(ValueError::Number { text, fault }),
    }
}

fn map_of_one(name: &str, value: AttributeValue) -> AttributeValue {
    AttributeValue::M([(name, value)].into_iter().collect())
}

/// Methods that write an integer by its digits.
macro_rules! integers {
    ($($method:ident($type:ty)),*) => {
        $(fn $method(self, value: $type) -> Written {
            number(value.to_string())
        })*
    };
}

/// Methods that write a float by the shortest digits that read back as itself.
macro_rules! floats {
    ($($method:ident($type:ty)),*) => {
        $(fn $method(self, value: $type) -> Written {
            if value.is_finite() {
                number(value.to_string())
            } else {
                Err(ValueError::NotFinite(value.to_string()))
            }
        })*
    };
}

impl Serializer for ToValue {
    type Ok = AttributeValue;
    type Error = ValueError;
    type SerializeSeq = ListWriter;
    type SerializeTuple = ListWriter;
    type SerializeTupleStruct = ListWriter;
    type SerializeTupleVariant = ListWriter;
    type SerializeMap = MapWriter;
    type SerializeStruct = MapWriter;
    type SerializeStructVariant = MapWriter;

    integers! {
        serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64), serialize_i128(i128),
        serialize_u8(u8), serialize_u16(u16), serialize_u32(u32), serialize_u64(u64), serialize_u128(u128)
    }

    fn serialize_bool(self, value: bool) -> Written {
        Ok(AttributeValue::Bool(value))
    }

    floats! { serialize_f32(f32), serialize_f64(f64) }

    fn serialize_char(self, value: char) -> Written {
        Ok(AttributeValue::s(value))
    }

    fn serialize_str(self, value: &str) -> Written {
        Ok(AttributeValue::s(value))
    }

    fn serialize_bytes(self, value: &[u8]) -> Written {
        Ok(AttributeValue::B(value.to_vec()))
    }

    fn serialize_none(self) -> Written {
        Ok(AttributeValue::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Written {
        Ok(AttributeValue::Null)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Written {
        Ok(AttributeValue::Null)
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Written {
        Ok(AttributeValue::s(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Written {
        match (name, value.serialize(ToValue)?) {
            (decimal::NAME, AttributeValue::S(digits)) => number(digits.into()),
            (_, written) => Ok(written),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Written {
        Ok(map_of_one(variant, value.serialize(ToValue)?))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<ListWriter, ValueError> {
        Ok(ListWriter { variant: None, list: Vec::with_capacity(length.unwrap_or(0)) })
    }

    fn serialize_tuple(self, length: usize) -> Result<ListWriter, ValueError> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_struct(self, _name: &'static str, length: usize) -> Result<ListWriter, ValueError> {
        self.serialize_seq(Some(length))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        length: usize,
    ) -> Result<ListWriter, ValueError> {
        Ok(ListWriter { variant: Some(variant), list: Vec::with_capacity(length) })
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<MapWriter, ValueError> {
        Ok(MapWriter { variant: None, key: None, map: Item::new() })
    }

    fn serialize_struct(self, _name: &'static str, length: usize) -> Result<MapWriter, ValueError> {
        self.serialize_map(Some(length))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<MapWriter, ValueError> {
        Ok(MapWriter { variant: Some(variant), key: None, map: Item::new() })
    }
}

/// A list under way, inside a map of one when it belongs to a variant.
pub(super) struct ListWriter {
    variant: Option<&'static str>,
    list: Vec<AttributeValue>,
}

impl ListWriter {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ValueError> {
        self.list.push(value.serialize(ToValue)?);
        Ok(())
    }

    fn finish(self) -> Written {
        let list = AttributeValue::L(self.list);
        Ok(match self.variant {
            Some(variant) => map_of_one(variant, list),
            None => list,
        })
    }
}

/// The four kinds of sequence, which differ only in the name of their method.
macro_rules! sequences {
    ($($trait:ident::$method:ident),*) => {
        $(impl $trait for ListWriter {
            type Ok = AttributeValue;
            type Error = ValueError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ValueError> {
                self.push(value)
            }

            fn end(self) -> Written {
                self.finish()
            }
        })*
    };
}

sequences! {
    SerializeSeq::serialize_element, SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field, SerializeTupleVariant::serialize_field
}

/// A map under way, inside a map of one when it belongs to a variant.
pub(super) struct MapWriter {
    variant: Option<&'static str>,
    /// The key whose value comes next.
    key: Option<String>,
    map: Item,
}

impl MapWriter {
    fn insert<T: Serialize + ?Sized>(&mut self, name: String, value: &T) -> Result<(), ValueError> {
        self.map.insert(name, value.serialize(ToValue)?);
        Ok(())
    }

    fn finish(self) -> Written {
        let map = AttributeValue::M(self.map);
        Ok(match self.variant {
            Some(variant) => map_of_one(variant, map),
            None => map,
        })
    }
}

impl SerializeMap for MapWriter {
    type Ok = AttributeValue;
    type Error = ValueError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), ValueError> {
        self.key = Some(key.serialize(ToKey)?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ValueError> {
        let key =
            self.key.take().ok_or_else(|| ValueError::Custom("a map's value came before its key".into()))?;
        self.insert(key, value)
    }

    fn end(self) -> Written {
        self.finish()
    }
}

/// The two kinds of struct, which differ only in their trait.
macro_rules! structs {
    ($($trait:ident),*) => {
        $(impl $trait for MapWriter {
            type Ok = AttributeValue;
            type Error = ValueError;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<(), ValueError> {
                self.insert(name.to_owned(), value)
            }

            fn end(self) -> Written {
                self.finish()
            }
        })*
    };
}

structs! { SerializeStruct, SerializeStructVariant }

/// A serializer of map keys, which are strings in DynamoDB.
struct ToKey;

type Key = Result<String, ValueError>;
type Never = Impossible<String, ValueError>;

/// Methods that write a key by its text.
macro_rules! keys {
    ($($method:ident($type:ty)),*) => {
        $(fn $method(self, value: $type) -> Key {
            Ok(value.to_string())
        })*
    };
}

/// Methods that refuse what can be no key.
macro_rules! no_keys {
    ($($method:ident($($type:ty),*) -> $ok:ty: $what:literal;)*) => {
        $(fn $method(self, $(_: $type),*) -> Result<$ok, ValueError> {
            Err(ValueError::Key($what))
        })*
    };
}

impl Serializer for ToKey {
    type Ok = String;
    type Error = ValueError;
    type SerializeSeq = Never;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Never;
    type SerializeStruct = Never;
    type SerializeStructVariant = Never;

    keys! {
        serialize_bool(bool), serialize_char(char), serialize_str(&str),
        serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64), serialize_i128(i128),
        serialize_u8(u8), serialize_u16(u16), serialize_u32(u32), serialize_u64(u64), serialize_u128(u128)
    }

    no_keys! {
        serialize_f32(f32) -> String: "a float";
        serialize_f64(f64) -> String: "a float";
        serialize_bytes(&[u8]) -> String: "bytes";
        serialize_none() -> String: "nothing";
        serialize_unit() -> String: "nothing";
        serialize_unit_struct(&'static str) -> String: "nothing";
        serialize_seq(Option<usize>) -> Never: "a list";
        serialize_tuple(usize) -> Never: "a list";
        serialize_tuple_struct(&'static str, usize) -> Never: "a list";
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Never: "a variant with a value";
        serialize_map(Option<usize>) -> Never: "a map";
        serialize_struct(&'static str, usize) -> Never: "a map";
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Never: "a variant with a value";
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Key {
        value.serialize(self)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Key {
        Ok(variant.to_owned())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Key {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Key {
        Err(ValueError::Key("a variant with a value"))
    }
}

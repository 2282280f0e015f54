//! Reading the strict form: one [`Wire`] for each type, on top of serde.

use std::fmt;
use std::marker::PhantomData;

use dynamometer_engine::api::{ApiEnum, Given, Unsupported};
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use smol_str::SmolStr;

use super::shape::{NumberKind, Shape};

/// Something that can be read from the wire. Most types read themselves (`Value = Self`); a type that has several
/// forms on the wire has a codec for each, a type of its own that is never made.
pub trait Wire {
    /// What is read.
    type Value;
    /// The form on the wire.
    const SHAPE: &'static Shape;

    /// Reads the strict form. Attribute values may nest `levels` deep.
    ///
    /// # Errors
    /// On anything that is not the strict form; the error says nothing, the second reader words it.
    fn decode<'de, D: Deserializer<'de>>(input: D, levels: u8) -> Result<Self::Value, D::Error>;
}

/// The error of the strict reader: nobody reads it.
#[cold]
pub fn irregular<E: Error>() -> E {
    E::custom("not the strict form")
}

/// A [`Wire`] as serde wants it.
pub(super) struct Seed<C>(pub u8, PhantomData<C>);

impl<C> Seed<C> {
    pub(super) fn new(levels: u8) -> Seed<C> {
        Seed(levels, PhantomData)
    }
}

impl<'de, C: Wire> DeserializeSeed<'de> for Seed<C> {
    type Value = C::Value;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<C::Value, D::Error> {
        C::decode(input, self.0)
    }
}

/// A member of a structure: `null` is absent.
struct Optional<C>(Seed<C>);

impl<'de, C: Wire> DeserializeSeed<'de> for Optional<C> {
    type Value = Option<C::Value>;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_option(self)
    }
}

impl<'de, C: Wire> Visitor<'de> for Optional<C> {
    type Value = Option<C::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member")
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        self.0.deserialize(input).map(Some)
    }
}

/// Reads a member that reads itself.
pub fn member<'de, T: Wire<Value = T>, A: MapAccess<'de>>(
    map: &mut A,
    levels: u8,
) -> Result<Option<T>, A::Error> {
    coded_member::<T, A>(map, levels)
}

/// Reads a member by a codec.
pub fn coded_member<'de, C: Wire, A: MapAccess<'de>>(
    map: &mut A,
    levels: u8,
) -> Result<Option<C::Value>, A::Error> {
    map.next_value_seed(Optional(Seed::<C>::new(levels)))
}

/// The shape of a field that reads itself.
pub const fn shape_of<S, T: Wire<Value = T>>(_field: fn(&S) -> &Option<T>) -> &'static Shape {
    T::SHAPE
}

/// Reads a text and makes something of it.
pub(super) struct Text<F>(pub F);

impl<T, F: FnOnce(&str) -> Option<T>> Visitor<'_> for Text<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.0)(text).ok_or_else(irregular)
    }
}

impl Wire for String {
    type Value = String;
    const SHAPE: &'static Shape = &Shape::String;

    fn decode<'de, D: Deserializer<'de>>(input: D, _levels: u8) -> Result<String, D::Error> {
        input.deserialize_str(Text(|text: &str| Some(text.to_owned())))
    }
}

impl Wire for SmolStr {
    type Value = SmolStr;
    const SHAPE: &'static Shape = &Shape::String;

    fn decode<'de, D: Deserializer<'de>>(input: D, _levels: u8) -> Result<SmolStr, D::Error> {
        input.deserialize_str(Text(|text: &str| Some(text.into())))
    }
}

impl<E: ApiEnum> Wire for Given<E> {
    type Value = Given<E>;
    const SHAPE: &'static Shape = &Shape::String;

    fn decode<'de, D: Deserializer<'de>>(input: D, _levels: u8) -> Result<Given<E>, D::Error> {
        input.deserialize_str(Text(|text: &str| Some(E::read(text))))
    }
}

macro_rules! wire_by_serde {
    ($($type:ty: $shape:expr),+ $(,)?) => {$(
        impl Wire for $type {
            type Value = $type;
            const SHAPE: &'static Shape = &$shape;

            fn decode<'de, D: Deserializer<'de>>(input: D, _levels: u8) -> Result<$type, D::Error> {
                serde::Deserialize::deserialize(input)
            }
        }
    )+};
}

wire_by_serde! {
    bool: Shape::Bool,
    i32: Shape::Number(NumberKind::Integer),
    i64: Shape::Number(NumberKind::Long),
    f64: Shape::Number(NumberKind::Double),
}

impl Wire for Unsupported {
    type Value = Unsupported;
    const SHAPE: &'static Shape = &Shape::Anything;

    fn decode<'de, D: Deserializer<'de>>(input: D, _levels: u8) -> Result<Unsupported, D::Error> {
        input.deserialize_ignored_any(IgnoredAny).map(|_| Unsupported)
    }
}

impl<C: Wire> Wire for Vec<C> {
    type Value = Vec<C::Value>;
    const SHAPE: &'static Shape = &Shape::List(C::SHAPE);

    fn decode<'de, D: Deserializer<'de>>(input: D, levels: u8) -> Result<Self::Value, D::Error> {
        input.deserialize_seq(Elements(Seed::<C>::new(levels)))
    }
}

struct Elements<C>(Seed<C>);

impl<'de, C: Wire> Visitor<'de> for Elements<C> {
    type Value = Vec<C::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = seq.next_element_seed(Seed::<C>::new(self.0.0))? {
            elements.push(element);
        }
        Ok(elements)
    }
}

/// A map keeps the order of its text; of a key given twice the last stays.
impl<C: Wire> Wire for Vec<(String, C)> {
    type Value = Vec<(String, C::Value)>;
    const SHAPE: &'static Shape = &Shape::Map(C::SHAPE);

    fn decode<'de, D: Deserializer<'de>>(input: D, levels: u8) -> Result<Self::Value, D::Error> {
        input.deserialize_map(Entries(Seed::<C>::new(levels)))
    }
}

struct Entries<C>(Seed<C>);

impl<'de, C: Wire> Visitor<'de> for Entries<C> {
    type Value = Vec<(String, C::Value)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            entries.push((key, map.next_value_seed(Seed::<C>::new(self.0.0))?));
        }
        Ok(if are_keys_distinct(&entries) { entries } else { keep_last(entries) })
    }
}

/// Drops the earlier of two entries with one key.
fn keep_last<T>(mut entries: Vec<(String, T)>) -> Vec<(String, T)> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by(|a, b| entries[*a].0.cmp(&entries[*b].0));
    let mut dropped: Vec<usize> = order
        .windows(2)
        .filter(|pair| entries[pair[0]].0 == entries[pair[1]].0)
        .map(|pair| pair[0])
        .collect();
    dropped.sort_unstable();
    for at in dropped.into_iter().rev() {
        entries.remove(at);
    }
    entries
}

/// Whether the keys are known to be distinct: looked at where that is quick. Almost all maps on the wire are short.
fn are_keys_distinct<T>(entries: &[(String, T)]) -> bool {
    entries.len() <= 16
        && (1..entries.len()).all(|at| entries[..at].iter().all(|(key, _)| *key != entries[at].0))
}

//! The one macro that maps structures.

/// Maps a struct to its structure on the wire: gives it a [`Wire`](crate::wire::Wire), that is a strict reader and
/// the [`Shape`](crate::wire::Shape) that words its errors.
///
/// ```ignore
/// wire_struct! {
///     // The struct, and the structure's name in the service model.
///     QueryRequest: "QueryInput" {
///         "TableName" => table_name,                                // the wire name, and the field
///         "Select" => select,                                       // Option<Given<…>> for enums
///         "ExclusiveStartKey" => exclusive_start_key,
///         "Blob" => blob as Base64,                                 // read by another codec than the field's type
///         "ScanFilter" => scan_filter [33 levels],                  // values may nest deeper than elsewhere
///     }
/// }
/// ```
///
/// The struct derives `Default`, and each field mapped is an `Option` of a type that is [`Wire`](crate::wire::Wire):
/// `String`, `bool`, `i32`, `i64`, `f64`, `Given<an enum>`, `AttributeValue`, `Item`, another mapped struct, a `Vec`
/// of these, or a `Vec<(String, …)>` for a map. Fields not named keep their default. Members that the wire has and
/// the table has not are ignored, as AWS ignores what it does not know (the second reader drops them).
///
/// A request of an operation further wants `impl Request for …` (see [`Request`](crate::wire::Request)).
///
/// A struct that has several structures on the wire gets a codec for each, used with `as`:
///
/// ```ignore
/// wire_struct! { codec TransactPut reads TransactAction: "Put" { "Item" => item, … } }
/// wire_struct! { TransactWriteItem: "TransactWriteItem" { "Put" => put as TransactPut, … } }
/// ```
#[macro_export]
macro_rules! wire_struct {
    (codec $codec:ident reads $type:ident : $($rest:tt)*) => {
        struct $codec;
        $crate::wire_struct! { @impl $codec, $type : $($rest)* }
    };
    (@impl $codec:ident, $type:ident : $wire:literal {
        $($name:literal => $field:ident $(as $coded:ty)? $([$levels:literal levels])?),* $(,)?
    }) => {
        impl $crate::wire::Wire for $codec {
            type Value = $type;
            const SHAPE: &'static $crate::wire::Shape = &$crate::wire::Shape::Structure(
                $crate::wire::shape::Structure {
                    name: $wire,
                    members: &[$($crate::wire::shape::Member {
                        name: $name,
                        shape: $crate::wire_struct!(@shape $type, $field $(, $coded)?),
                        levels: $crate::wire_struct!(@levels $($levels)?),
                    }),*],
                },
            );

            fn decode<'de, D: serde::Deserializer<'de>>(input: D, levels: u8) -> Result<$type, D::Error> {
                #[allow(non_camel_case_types)]
                enum Field { $($field,)* Unknown }

                struct FieldName;

                impl<'de> serde::de::DeserializeSeed<'de> for FieldName {
                    type Value = Field;

                    fn deserialize<D: serde::Deserializer<'de>>(self, input: D) -> Result<Field, D::Error> {
                        input.deserialize_identifier(self)
                    }
                }

                impl serde::de::Visitor<'_> for FieldName {
                    type Value = Field;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("a member name")
                    }

                    fn visit_str<E>(self, name: &str) -> Result<Field, E> {
                        Ok(match name { $($name => Field::$field,)* _ => Field::Unknown })
                    }
                }

                // Not read when no member is mapped.
                #[allow(dead_code)]
                struct Fields(u8);

                impl<'de> serde::de::Visitor<'de> for Fields {
                    type Value = $type;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str($wire)
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$type, A::Error> {
                        #[allow(unused_mut)]
                        let mut structure = <$type as Default>::default();
                        while let Some(field) = map.next_key_seed(FieldName)? {
                            match field {
                                $(Field::$field => {
                                    let levels = $crate::wire_struct!(@limit self.0 $(, $levels)?);
                                    structure.$field =
                                        $crate::wire_struct!(@read map, levels $(, $coded)?)?;
                                })*
                                Field::Unknown => return Err($crate::wire::codec::irregular()),
                            }
                        }
                        Ok(structure)
                    }
                }

                input.deserialize_map(Fields(levels))
            }
        }
    };
    (@shape $type:ident, $field:ident) => { $crate::wire::codec::shape_of(|s: &$type| &s.$field) };
    (@shape $type:ident, $field:ident, $coded:ty) => { <$coded as $crate::wire::Wire>::SHAPE };
    (@levels) => { None };
    (@levels $levels:literal) => { Some($levels) };
    (@limit $around:expr) => { $around };
    (@limit $around:expr, $levels:literal) => { $levels };
    (@read $map:ident, $levels:ident) => { $crate::wire::codec::member(&mut $map, $levels) };
    (@read $map:ident, $levels:ident, $coded:ty) => {
        $crate::wire::codec::coded_member::<$coded, A>(&mut $map, $levels)
    };
    ($type:ident : $($rest:tt)*) => { $crate::wire_struct! { @impl $type, $type : $($rest)* } };
}

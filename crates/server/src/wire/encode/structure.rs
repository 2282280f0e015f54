//! Types that are written as they are, and the macro for structures.

use dynamometer_engine::disk::row::CorruptRow;
use dynamometer_types::Timestamp;

use super::{Encode, Object, write_list, write_string, write_whole};

/// The answer of an operation that answers nothing: no body at all.
impl Encode for () {
    fn encode(&self, _out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        Ok(())
    }
}

impl Encode for String {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        write_string(self, out);
        Ok(())
    }
}

impl Encode for &str {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        write_string(self, out);
        Ok(())
    }
}

impl Encode for std::sync::Arc<str> {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        write_string(self, out);
        Ok(())
    }
}

impl Encode for bool {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        out.extend_from_slice(if *self { b"true" } else { b"false" });
        Ok(())
    }
}

macro_rules! encode_whole_numbers {
    ($($type:ty),+) => {$(
        impl Encode for $type {
            fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
                write_whole(*self, out);
                Ok(())
            }
        }
    )+};
}

encode_whole_numbers!(i32, u32, i64, u64, usize);

/// With at least one digit after the point, as AWS prints doubles: `1.0`.
impl Encode for f64 {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        out.extend_from_slice(format!("{self:?}").as_bytes());
        Ok(())
    }
}

/// Seconds since 1970, with milliseconds behind the point where there are some.
impl Encode for Timestamp {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        (self.millis() as f64 / 1000.0).encode(out)
    }
}

/// `None` leaves its member out.
impl<T: Encode> Encode for Option<T> {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        match self {
            Some(value) => value.encode(out),
            None => {
                out.extend_from_slice(b"null");
                Ok(())
            }
        }
    }

    fn is_absent(&self) -> bool {
        self.as_ref().is_none_or(Encode::is_absent)
    }
}

impl<T: Encode> Encode for Vec<T> {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        write_list(self, out, |element, out| element.encode(out))
    }
}

/// A map.
impl<T: Encode> Encode for Vec<(String, T)> {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        let mut object = Object::open(out);
        for (key, value) in self {
            value.encode(object.entry(key))?;
        }
        object.close();
        Ok(())
    }
}

/// Maps a struct to its structure on the wire for writing, members in this order; `None` members are left out.
///
/// ```ignore
/// encode_struct! { PageResponse { "Items" => items, "Count" => count } }
/// ```
#[macro_export]
macro_rules! encode_struct {
    ($type:ident { $($name:literal => $field:ident),* $(,)? }) => {
        impl $crate::wire::Encode for $type {
            fn encode(
                &self,
                out: &mut Vec<u8>,
            ) -> Result<(), dynamometer_engine::disk::row::CorruptRow> {
                let mut object = $crate::wire::encode::Object::open(out);
                $(object.write($name, &self.$field)?;)*
                object.close();
                Ok(())
            }
        }
    };
}

/// Writes enums of the API by their wire names.
///
/// ```ignore
/// encode_enums! { KeyType, TableStatus }
/// ```
#[macro_export]
macro_rules! encode_enums {
    ($($type:ident),+ $(,)?) => {$(
        impl $crate::wire::Encode for $type {
            fn encode(
                &self,
                out: &mut Vec<u8>,
            ) -> Result<(), dynamometer_engine::disk::row::CorruptRow> {
                $crate::wire::Encode::encode(&self.name(), out)
            }
        }
    )+};
}

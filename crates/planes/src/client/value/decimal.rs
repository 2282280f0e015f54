//! Exact decimals.

use std::fmt::{self, Display};
use std::str::FromStr;

use dynamometer_types::Number;
use dynamometer_types::number::NumberFault;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The name by which this crate's serializer and deserializer know a decimal.
pub(super) const NAME: &str = "$dynamometer::Decimal";

/// A decimal number as DynamoDB holds it: up to 38 significant digits, magnitudes from 1E-130 to 9.99E+125, never rounded.
///
/// It is a DynamoDB number in the tables. Other formats, such as JSON, get its digits as a string, and may give it back as a
/// string or an integer. Equal values are equal: `149.30` is `149.3`.
///
/// ```
/// use dynamometer_planes::Decimal;
/// let price: Decimal = "149.30".parse()?;
/// assert_eq!(price, "149.3".parse()?);
/// assert!("0.1234567890123456789012345678901234567891".parse::<Decimal>().is_err(), "40 digits");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Decimal(Number);

impl Decimal {
    /// Zero.
    pub const ZERO: Decimal = Decimal(Number::ZERO);

    /// The exact sum.
    ///
    /// # Errors
    /// When it needs more than 38 digits or is out of range.
    pub fn checked_add(self, other: Decimal) -> Result<Decimal, NumberFault> {
        self.0.checked_add(&other.0).map(Decimal)
    }

    /// The exact difference.
    ///
    /// # Errors
    /// When it needs more than 38 digits or is out of range.
    pub fn checked_sub(self, other: Decimal) -> Result<Decimal, NumberFault> {
        self.0.checked_sub(&other.0).map(Decimal)
    }
}

impl FromStr for Decimal {
    type Err = NumberFault;

    fn from_str(text: &str) -> Result<Decimal, NumberFault> {
        text.parse().map(Decimal)
    }
}

impl From<i64> for Decimal {
    fn from(whole: i64) -> Decimal {
        Decimal(whole.into())
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(NAME, &self.to_string())
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
        Digits::read(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// For fields of another decimal type: `#[serde(with = "dynamometer_planes::exact")]`. The type must print and parse its own
/// digits, as `rust_decimal::Decimal` and `bigdecimal::BigDecimal` do; the table then holds a number.
pub mod exact {
    use super::{Decimal, Digits, Display, FromStr, de, ser_error};
    use serde::{Deserializer, Serialize, Serializer};

    /// Writes the digits as a number.
    ///
    /// # Errors
    /// When they are no number that DynamoDB holds.
    pub fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        let text = value.to_string();
        text.parse::<Decimal>().map_err(|fault| ser_error(&text, fault))?.serialize(serializer)
    }

    /// Reads the digits of a number.
    ///
    /// # Errors
    /// When it is no number, or the type does not take it.
    pub fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: FromStr,
        T::Err: Display,
        D: Deserializer<'de>,
    {
        Digits::read(deserializer)?.parse().map_err(de::Error::custom)
    }
}

fn ser_error<E: serde::ser::Error>(text: &str, fault: NumberFault) -> E {
    E::custom(format_args!("{text} cannot be held: {fault}"))
}

/// Collects a number's digits from whatever form a format gives it in.
struct Digits;

impl Digits {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_newtype_struct(NAME, Digits)
    }
}

impl<'de> Visitor<'de> for Digits {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a decimal number")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_i64<E: de::Error>(self, whole: i64) -> Result<String, E> {
        Ok(whole.to_string())
    }

    fn visit_u64<E: de::Error>(self, whole: u64) -> Result<String, E> {
        Ok(whole.to_string())
    }

    fn visit_i128<E: de::Error>(self, whole: i128) -> Result<String, E> {
        Ok(whole.to_string())
    }

    fn visit_u128<E: de::Error>(self, whole: u128) -> Result<String, E> {
        Ok(whole.to_string())
    }

    /// A float prints with the shortest digits that read back as itself, which are those it was written with.
    fn visit_f64<E: de::Error>(self, float: f64) -> Result<String, E> {
        Ok(float.to_string())
    }

    /// Formats that do not know the name hand on what is inside.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_any(self)
    }
}

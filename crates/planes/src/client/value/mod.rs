//! Typed values through serde, with numbers exact.
//!
//! [`to_value`] turns what serde can serialize into a DynamoDB value, [`from_value`] turns it back. Numbers never pass
//! through a float that would change them:
//!
//! - integers of up to 38 digits and [`Decimal`] are written and read digit by digit;
//! - a float is written with the shortest digits that read back as the same float, and refused if it is infinite or NaN;
//! - a number is read into a float only if that float has the same digits; otherwise reading fails and names [`Decimal`].
//!
//! Structs, maps and enums become maps, sequences become lists, `None` becomes NULL, bytes become a binary. Sets that
//! another program wrote are read into sequences.

mod de;
mod decimal;
mod ser;

use dynamometer_types::AttributeValue;
use dynamometer_types::limits::NESTING_LEVELS;
use dynamometer_types::number::NumberFault;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub use decimal::{Decimal, exact};

/// Why a value cannot be written to or read from DynamoDB.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// What the type's own serde code says, or what it expected and did not find.
    #[error("{0}")]
    Custom(String),
    /// A map's key that is no string, number, boolean or name of a variant.
    #[error("a map in DynamoDB has strings for keys; this key is {0}")]
    Key(&'static str),
    /// Infinite, or not a number.
    #[error("{0} is no number that DynamoDB can hold")]
    NotFinite(String),
    /// Too many digits, or out of range.
    #[error("{text} cannot be held: {fault}")]
    Number {
        /// The number.
        text: String,
        /// What is wrong with it.
        fault: NumberFault,
    },
    /// Lists and maps in each other, more of them than DynamoDB takes.
    #[error("the value nests {0} levels; DynamoDB takes {NESTING_LEVELS}")]
    Nesting(usize),
    /// The number is not what the type can hold exactly.
    #[error("the number {number} does not fit {wanted} exactly; read it into a Decimal")]
    Inexact {
        /// The number.
        number: String,
        /// The type that was asked for.
        wanted: &'static str,
    },
}

impl serde::ser::Error for ValueError {
    fn custom<T: std::fmt::Display>(message: T) -> ValueError {
        ValueError::Custom(message.to_string())
    }
}

impl serde::de::Error for ValueError {
    fn custom<T: std::fmt::Display>(message: T) -> ValueError {
        ValueError::Custom(message.to_string())
    }
}

/// Turns a serializable value into a DynamoDB value.
///
/// # Errors
/// [`ValueError`], when DynamoDB has no such value.
pub fn to_value<T: Serialize + ?Sized>(value: &T) -> Result<AttributeValue, ValueError> {
    let value = value.serialize(ser::ToValue)?;
    match value.depth() {
        // Said here, because a value that is kept as a blob never meets DynamoDB's own check, and could not be read back.
        depth if depth > NESTING_LEVELS => Err(ValueError::Nesting(depth)),
        _ => Ok(value),
    }
}

/// Turns a DynamoDB value into what serde can deserialize.
///
/// # Errors
/// [`ValueError`], when the value is of another shape or a number does not fit exactly.
pub fn from_value<T: DeserializeOwned>(value: AttributeValue) -> Result<T, ValueError> {
    T::deserialize(de::FromValue(value))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Serialize};

    use super::*;

    fn n(text: &str) -> AttributeValue {
        AttributeValue::N(text.parse().unwrap())
    }

    /// Writes, compares with what is expected, reads back, compares with what was written.
    fn round_trip<T>(value: T, expected: AttributeValue)
    where
        T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug,
    {
        let written = to_value(&value).unwrap();
        assert_eq!(written, expected);
        assert_eq!(from_value::<T>(written).unwrap(), value);
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Shape {
        Nothing,
        Circle(u32),
        Line(i8, i8),
        Box { width: u16 },
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Observation {
        key: String,
        value: Decimal,
        note: Option<String>,
        tags: Vec<String>,
        #[serde(flatten)]
        more: BTreeMap<String, Decimal>,
    }

    #[test]
    fn scalars_lists_and_options_come_back() {
        round_trip("text".to_owned(), AttributeValue::s("text"));
        round_trip(true, AttributeValue::Bool(true));
        round_trip('é', AttributeValue::s("é"));
        round_trip(None::<i32>, AttributeValue::Null);
        round_trip(Some(-5), n("-5"));
        round_trip((), AttributeValue::Null);
        round_trip(vec![1u8, 2], AttributeValue::L(vec![n("1"), n("2")]));
        round_trip((1, "a".to_owned()), AttributeValue::L(vec![n("1"), AttributeValue::s("a")]));
        round_trip(u64::MAX, n("18446744073709551615"));
        round_trip(i128::from(i64::MIN) - 1, n("-9223372036854775809"));
    }

    #[test]
    fn enums_are_names_or_maps_of_one() {
        let map = |name: &str, value| AttributeValue::M([(name, value)].into_iter().collect());
        round_trip(Shape::Nothing, AttributeValue::s("Nothing"));
        round_trip(Shape::Circle(3), map("Circle", n("3")));
        round_trip(Shape::Line(1, -1), map("Line", AttributeValue::L(vec![n("1"), n("-1")])));
        round_trip(Shape::Box { width: 4 }, map("Box", map("width", n("4"))));
    }

    #[test]
    fn map_keys_may_be_numbers_and_variants() {
        let by_number: BTreeMap<i64, bool> = [(-1, true)].into();
        round_trip(by_number, AttributeValue::M([("-1", AttributeValue::Bool(true))].into_iter().collect()));
        let by_list: BTreeMap<Vec<u8>, bool> = [(vec![1], true)].into();
        assert_eq!(to_value(&by_list), Err(ValueError::Key("a list")));
    }

    #[test]
    fn decimals_keep_38_digits_even_in_flattened_maps() {
        const LONG: &str = "1234567890.1234567890123456789012345678";
        let value = Observation {
            key: "USDJPY".into(),
            value: LONG.parse().unwrap(),
            note: None,
            tags: vec![],
            more: [("low".to_owned(), "149.3".parse().unwrap()), ("exact".to_owned(), LONG.parse().unwrap())]
                .into(),
        };
        let written = to_value(&value).unwrap();
        let AttributeValue::M(map) = &written else { panic!("{written:?}") };
        assert_eq!(map.get("value"), Some(&n(LONG)));
        assert_eq!(map.get("exact"), Some(&n(LONG)));
        assert_eq!(map.get("note"), Some(&AttributeValue::Null));
        assert_eq!(from_value::<Observation>(written).unwrap(), value);
    }

    #[test]
    fn a_field_that_an_old_item_lacks_is_none() {
        let old = AttributeValue::M(
            [("key", AttributeValue::s("WTI")), ("value", n("82.5")), ("tags", AttributeValue::L(vec![]))]
                .into_iter()
                .collect(),
        );
        assert_eq!(from_value::<Observation>(old).unwrap().note, None);
    }

    #[test]
    fn floats_are_exact_or_refused() {
        for float in [0.1, 149.3, -1e-7, 123_456_789.125, 1e21, 5e-130] {
            let written = to_value(&float).unwrap();
            assert_eq!(from_value::<f64>(written).unwrap().to_bits(), f64::to_bits(float));
        }
        assert_eq!(to_value(&0.1f32).unwrap(), n("0.1"));
        assert!(matches!(to_value(&f64::NAN), Err(ValueError::NotFinite(_))));
        assert!(matches!(to_value(&1e300), Err(ValueError::Number { .. })));
        let refused = from_value::<f64>(n("0.1234567890123456789")).unwrap_err();
        assert!(refused.to_string().contains("Decimal"), "{refused}");
        assert!(from_value::<f32>(n("0.123456789")).is_err());
    }

    #[test]
    fn integers_that_do_not_fit_are_refused() {
        assert!(from_value::<u8>(n("256")).is_err());
        assert!(from_value::<u8>(n("1.5")).is_err());
        assert!(from_value::<i64>(n("9223372036854775808")).is_err());
        assert!(to_value(&u128::MAX).is_err(), "39 digits");
        assert_eq!(from_value::<u32>(n("1E3")).unwrap(), 1000);
    }

    #[test]
    fn what_nests_deeper_than_dynamodb_takes_is_refused() {
        let nested =
            |levels: usize| (1..levels).fold(serde_json::json!(1), |inner, _| serde_json::json!([inner]));
        assert_eq!(to_value(&nested(32)).unwrap().depth(), 32);
        let refused = to_value(&nested(33)).unwrap_err();
        assert_eq!(refused.to_string(), "the value nests 33 levels; DynamoDB takes 32");
    }

    #[test]
    fn sets_of_others_are_read_as_sequences() {
        let set = AttributeValue::Ss(vec!["a".into(), "b".into()]);
        assert_eq!(from_value::<Vec<String>>(set).unwrap(), ["a", "b"]);
        let set = AttributeValue::Ns(vec![1.into(), 2.into()]);
        assert_eq!(from_value::<std::collections::BTreeSet<u8>>(set).unwrap(), [1, 2].into());
    }

    #[test]
    fn untyped_readers_get_what_is_exact() {
        let json = from_value::<serde_json::Value>(AttributeValue::L(vec![
            n("1"),
            n("0.5"),
            n("0.12345678901234567890"),
        ]))
        .unwrap();
        assert_eq!(json, serde_json::json!([1, 0.5, "0.1234567890123456789"]));
    }

    #[test]
    fn another_decimal_type_is_kept_exact_by_its_text() {
        #[derive(Debug, PartialEq, Serialize, Deserialize)]
        struct Price {
            #[serde(with = "exact")]
            amount: u128, // any type that prints and parses
        }
        let map = AttributeValue::M([("amount", n("12"))].into_iter().collect());
        round_trip(Price { amount: 12 }, map);
    }
}

//! Two lines of text as numbers: what reads must print and read again, sort as it compares, and add up.

use std::cmp::Ordering;

use dynamometer_types::Number;
use dynamometer_types::number::{MAX_DIGITS, MAX_MAGNITUDE, MIN_MAGNITUDE, Reader};

/// Reads both lines with both readers.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (one, two) = text.split_once('\n').unwrap_or((text, "0"));
    let one = [Reader::Stored, Reader::BigDecimal].map(|reader| Number::parse(one, reader));
    let two = [Reader::Stored, Reader::BigDecimal].map(|reader| Number::parse(two, reader));
    let numbers: Vec<Number> = one.into_iter().chain(two).flatten().collect();
    numbers.iter().for_each(check_one);
    for one in &numbers {
        for two in &numbers {
            check_two(one, two);
        }
    }
}

fn check_one(number: &Number) {
    let text = number.to_string();
    for reader in [Reader::Stored, Reader::BigDecimal] {
        assert_eq!(Number::parse(&text, reader), Ok(*number), "{text}");
    }
    let parts = Number::from_parts(number.is_negative(), number.coefficient(), number.exponent());
    assert_eq!(parts, Ok(*number), "{text}");
    assert!(number.coefficient() < 10u128.pow(MAX_DIGITS), "{text}");
    if number.is_zero() {
        assert!(!number.is_negative(), "there is no negative zero");
    } else {
        assert!((MIN_MAGNITUDE..=MAX_MAGNITUDE).contains(&number.magnitude()), "{text}");
        assert_ne!(number.coefficient() % 10, 0, "{text} is not in its one form");
    }
    assert!((1..=21).contains(&number.size_bytes()), "{text} has {} bytes", number.size_bytes());
    assert_eq!(number.negated().negated(), *number);
    if let Some(whole) = number.to_i64() {
        assert_eq!(Number::from(whole), *number);
    }
}

fn check_two(one: &Number, two: &Number) {
    let order = one.cmp(two);
    assert_eq!(key_bytes(one).cmp(&key_bytes(two)), order, "{one} and {two}");
    assert_eq!(one == two, order == Ordering::Equal);
    assert_eq!(two.negated().cmp(&one.negated()), order, "{one} and {two} mirrored");
    let sum = one.checked_add(two);
    assert_eq!(two.checked_add(one), sum, "{one} + {two}");
    assert_eq!(one.checked_sub(&two.negated()), sum, "{one} + {two}");
    if let Ok(sum) = sum {
        check_one(&sum);
        assert_eq!(sum.cmp(one), two.cmp(&Number::ZERO), "{one} + {two} = {sum}");
        // Taking away again is exact, and what it answers was a number before.
        assert_eq!(sum.checked_sub(two), Ok(*one), "{one} + {two} - {two}");
    }
}

fn key_bytes(number: &Number) -> Vec<u8> {
    let mut out = Vec::new();
    number.write_key_bytes(&mut out);
    out
}

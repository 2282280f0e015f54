//! Two lines of text as numbers: what reads must print and read again, sort as it compares, and add up.

use std::cmp::Ordering;

use dynamometer_types::Number;
use dynamometer_types::number::{MAX_DIGITS, MAX_MAGNITUDE, MIN_MAGNITUDE, NumberFault, Reader};

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
    check_sum(one, two, &sum);
    assert_eq!(one.checked_sub(&two.negated()), sum, "{one} + {two}");
    if let Ok(sum) = sum {
        check_one(&sum);
        assert_eq!(sum.cmp(one), two.cmp(&Number::ZERO), "{one} + {two} = {sum}");
        // Taking away again is exact, and what it answers was a number before.
        assert_eq!(sum.checked_sub(two), Ok(*one), "{one} + {two} - {two}");
    }
}

/// Compares a sum with the one that is done in the way of pencil and paper.
fn check_sum(one: &Number, two: &Number, sum: &Result<Number, NumberFault>) {
    let (exponent, digits) = add_on_paper(one, two);
    let significant = digits.iter().skip_while(|digit| **digit == 0).count();
    let zeros = digits.iter().rev().take_while(|digit| **digit == 0).count();
    if significant == 0 {
        assert_eq!(sum, &Ok(Number::ZERO), "{one} + {two}");
        return;
    }
    let magnitude = exponent + significant as i32 - 1;
    let in_range = (MIN_MAGNITUDE..=MAX_MAGNITUDE).contains(&magnitude);
    let is_exact = significant - zeros <= MAX_DIGITS as usize;
    assert_eq!(sum.is_ok(), in_range && is_exact, "{one} + {two}: {sum:?}");
    if let Ok(sum) = sum {
        let coefficient =
            digits[..digits.len() - zeros].iter().fold(0u128, |sum, digit| sum * 10 + u128::from(*digit));
        assert_eq!(
            (sum.coefficient(), sum.exponent()),
            (coefficient, exponent + zeros as i32),
            "{one} + {two}"
        );
    }
}

/// The decimal digits of the sum without its sign, most significant first, and the power of ten of the last.
fn add_on_paper(one: &Number, two: &Number) -> (i32, Vec<u8>) {
    let exponent = one.exponent().min(two.exponent());
    let column = |number: &Number| {
        let mut digits = vec![0u8; (number.exponent() - exponent) as usize];
        let mut rest = number.coefficient();
        while rest > 0 {
            digits.push((rest % 10) as u8);
            rest /= 10;
        }
        digits.resize(320, 0);
        digits
    };
    let (mut large, mut small) = (column(one), column(two));
    if large.iter().rev().lt(small.iter().rev()) {
        std::mem::swap(&mut large, &mut small);
    }
    let sign = if one.is_negative() == two.is_negative() { 1 } else { -1 };
    let mut carry = 0;
    for (digit, other) in large.iter_mut().zip(small) {
        let value = *digit as i32 + sign * i32::from(other) + carry;
        carry = value.div_euclid(10);
        *digit = value.rem_euclid(10) as u8;
    }
    large.reverse();
    (exponent, large)
}

fn key_bytes(number: &Number) -> Vec<u8> {
    let mut out = Vec::new();
    number.write_key_bytes(&mut out);
    out
}

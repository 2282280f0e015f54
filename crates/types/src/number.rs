//! DynamoDB numbers: exact decimals of up to 38 significant digits.
//!
//! # What it is
//! A [`Number`] is `± coefficient × 10^exponent` with a coefficient of at most 38 decimal digits that does not
//! end in 0, so that equal values are equal structures. Zero has one form; there is no negative zero, no
//! infinity and no NaN.
//!
//! # Range
//! The magnitude of a number that is not zero lies from 1E-130 to 9.99…9E+125 (38 nines). Outside, reading and
//! arithmetic answer [`NumberFault::Overflow`] or [`NumberFault::Underflow`]; a value that needs more than 38
//! digits is [`NumberFault::TooPrecise`]. Nothing is ever rounded.
//!
//! # How it prints
//! In plain decimal, never with an exponent: `1E125` prints as `1` and 125 zeros, `.50` as `0.5`, `-0` as `0`.
//!
//! ```
//! use dynamometer_types::Number;
//! let n: Number = "0042.1200".parse().unwrap();
//! assert_eq!(n.to_string(), "42.12");
//! assert_eq!(n, "4212e-2".parse().unwrap());
//! ```
//!
//! # Source
//! Measured on AWS in 2026 (number grammar, range, normal form, the reading of zero with an exponent).

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The most significant digits that a number keeps.
pub const MAX_DIGITS: u32 = 38;
/// The largest power of ten of the leading digit.
pub const MAX_MAGNITUDE: i32 = 125;
/// The smallest power of ten of the leading digit.
pub const MIN_MAGNITUDE: i32 = -130;

/// The most that a number adds to an item's size.
const MAX_BYTES: u64 = 21;

/// An exact decimal number with DynamoDB's precision and range.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number {
    /// High and low half of the coefficient; two halves keep the alignment, and so every value, small.
    high: u64,
    low: u64,
    exponent: i16,
    negative: bool,
}

/// Why a text or a result is not a number that DynamoDB stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberFault {
    /// The text is no decimal number.
    #[error("The parameter cannot be converted to a numeric value")]
    NotNumeric,
    /// More than 38 significant digits.
    #[error("Attempting to store more than 38 significant digits in a Number")]
    TooPrecise,
    /// Magnitude of 1E126 or more.
    #[error("Number overflow. Attempting to store a number with magnitude larger than supported range")]
    Overflow,
    /// Not zero, but nearer to it than 1E-130.
    #[error("Number underflow. Attempting to store a number with magnitude smaller than supported range")]
    Underflow,
}

/// How a text is read: AWS has two readers, which differ only for exponents that no stored number can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The current one: exponents of up to 64 bits are judged by range.
    Stored,
    /// The older one, a Java `BigDecimal`: exponent and scale must fit 32 bits, and the magnitude wraps.
    BigDecimal,
}

impl Number {
    /// Zero.
    pub const ZERO: Number = Number { high: 0, low: 0, exponent: 0, negative: false };

    /// Reads a decimal text.
    ///
    /// # Errors
    /// A [`NumberFault`]: grammar first, then range, then precision (the order AWS reports them in).
    pub fn parse(text: &str, reader: Reader) -> Result<Number, NumberFault> {
        let parts = Parts::split(text)?;
        let exponent = parts.exponent(reader)?;
        let digits = || parts.integer.bytes().chain(parts.fraction.bytes());
        let leading_zeros = digits().take_while(|d| *d == b'0').count();
        let written = parts.integer.len() + parts.fraction.len();
        // The power of ten of the last written digit.
        let last_place = exponent.saturating_sub(parts.fraction.len() as i64);
        if leading_zeros == written {
            // Zero is judged as if its last written digit were 1.
            return Number::check_magnitude(last_place).map(|()| Number::ZERO);
        }
        let trailing_zeros = digits().rev().take_while(|d| *d == b'0').count();
        let significant = written - leading_zeros - trailing_zeros;
        let magnitude = last_place.saturating_add((written - leading_zeros) as i64 - 1);
        // Its precision less its scale: one more than the magnitude.
        if reader == Reader::BigDecimal && magnitude >= i64::from(i32::MAX) - 1 {
            return Err(NumberFault::Underflow);
        }
        Number::check_magnitude(magnitude)?;
        if significant as u32 > MAX_DIGITS {
            return Err(NumberFault::TooPrecise);
        }
        let coefficient = digits()
            .skip(leading_zeros)
            .take(significant)
            .fold(0u128, |acc, digit| acc * 10 + u128::from(digit - b'0'));
        let exponent = last_place + trailing_zeros as i64;
        Ok(Number::from_normal(parts.negative, coefficient, exponent as i16))
    }

    /// The number `± coefficient × 10^exponent`, brought to its normal form.
    ///
    /// # Errors
    /// When it lies outside the range or needs more than 38 digits.
    pub fn from_parts(negative: bool, coefficient: u128, exponent: i32) -> Result<Number, NumberFault> {
        if coefficient == 0 {
            return Ok(Number::ZERO);
        }
        let (coefficient, zeros) = strip_zeros(coefficient);
        let exponent = exponent.saturating_add(zeros);
        let digits = coefficient.ilog10() + 1;
        Number::check_magnitude(i64::from(exponent) + i64::from(digits) - 1)?;
        if digits > MAX_DIGITS {
            return Err(NumberFault::TooPrecise);
        }
        Ok(Number::from_normal(negative, coefficient, exponent as i16))
    }

    fn from_normal(negative: bool, coefficient: u128, exponent: i16) -> Number {
        Number { high: (coefficient >> 64) as u64, low: coefficient as u64, exponent, negative }
    }

    fn check_magnitude(magnitude: i64) -> Result<(), NumberFault> {
        if magnitude > i64::from(MAX_MAGNITUDE) {
            Err(NumberFault::Overflow)
        } else if magnitude < i64::from(MIN_MAGNITUDE) {
            Err(NumberFault::Underflow)
        } else {
            Ok(())
        }
    }

    /// The digits as an integer without trailing zeros; 0 for zero.
    pub fn coefficient(&self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }

    /// The power of ten that the coefficient is multiplied by.
    pub fn exponent(&self) -> i32 {
        i32::from(self.exponent)
    }

    /// Whether the number is below zero.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether the number is zero.
    pub fn is_zero(&self) -> bool {
        self.high == 0 && self.low == 0
    }

    /// The power of ten of the leading digit; 0 for zero.
    pub fn magnitude(&self) -> i32 {
        if self.is_zero() { 0 } else { self.coefficient().ilog10() as i32 + self.exponent() }
    }

    /// The sum, exact.
    ///
    /// # Errors
    /// When the exact sum has more than 38 digits or is out of range.
    pub fn checked_add(&self, other: &Number) -> Result<Number, NumberFault> {
        if self.is_zero() {
            return Ok(*other);
        }
        if other.is_zero() {
            return Ok(*self);
        }
        let (high, low) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let shift = (high.exponent - low.exponent) as u32;
        // A shift this long leaves digits at both ends that 38 places cannot span.
        let scaled = 10u128.checked_pow(shift).and_then(|factor| high.coefficient().checked_mul(factor));
        let (scaled, added) = (scaled.ok_or(NumberFault::TooPrecise)?, low.coefficient());
        let (negative, sum) = if high.negative == low.negative {
            (high.negative, scaled.checked_add(added).ok_or(NumberFault::TooPrecise)?)
        } else {
            (if scaled >= added { high.negative } else { low.negative }, scaled.abs_diff(added))
        };
        Number::from_parts(negative, sum, low.exponent())
    }

    /// The difference, exact.
    ///
    /// # Errors
    /// As [`Number::checked_add`].
    pub fn checked_sub(&self, other: &Number) -> Result<Number, NumberFault> {
        self.checked_add(&other.negated())
    }

    /// The number with the other sign.
    pub fn negated(&self) -> Number {
        Number { negative: !self.negative && !self.is_zero(), ..*self }
    }

    /// Bytes whose order is the order of the numbers; equal numbers have equal bytes.
    ///
    /// A sign byte, then the biased magnitude, then the digits in pairs (1 to 100, so that no byte is 0). A
    /// negative number holds the complement and ends with 255.
    pub fn write_key_bytes(&self, out: &mut Vec<u8>) {
        if self.is_zero() {
            out.push(2);
            return;
        }
        out.push(if self.negative { 1 } else { 3 });
        let flip = |byte: u8| if self.negative { !byte } else { byte };
        out.push(flip((self.magnitude() - MIN_MAGNITUDE) as u8));
        let mut digits = self.coefficient();
        let count = digits.ilog10() + 1;
        if count % 2 == 1 {
            digits *= 10;
        }
        let start = out.len();
        while digits > 0 {
            out.push(flip((digits % 100) as u8 + 1));
            digits /= 100;
        }
        out[start..].reverse();
        if self.negative {
            out.push(u8::MAX);
        }
    }

    /// The number whose [`Self::write_key_bytes`] these are; `None` when they are no number's.
    pub fn from_key_bytes(bytes: &[u8]) -> Option<Number> {
        let (sign, rest) = bytes.split_first()?;
        let negative = match sign {
            2 if rest.is_empty() => return Number::from_parts(false, 0, 0).ok(),
            1 => true,
            3 => false,
            _ => return None,
        };
        let rest = if negative { rest.strip_suffix(&[u8::MAX])? } else { rest };
        let (magnitude, pairs) = rest.split_first()?;
        let flip = |byte: u8| if negative { !byte } else { byte };
        let magnitude = i32::from(flip(*magnitude)) + MIN_MAGNITUDE;
        let mut coefficient = 0_u128;
        for pair in pairs {
            let digits = flip(*pair).checked_sub(1).filter(|digits| *digits < 100)?;
            coefficient = coefficient.checked_mul(100)?.checked_add(u128::from(digits))?;
        }
        // The first pair holds the first digit and the second: the magnitude is that of the first.
        let exponent = magnitude + 1 - 2 * i32::try_from(pairs.len()).ok()?;
        Number::from_parts(negative, coefficient, exponent).ok()
    }

    /// What the number adds to an item's size: 1 byte, and 1 for each pair of digits counted from the decimal
    /// point, and 1 for a minus sign; at most 21. Zero is 1 byte.
    ///
    /// # Source
    /// Measured on AWS by filling items up to 400 KB; the documented formula is off by one for some shapes. The
    /// most is documented.
    pub fn size_bytes(&self) -> u64 {
        if self.is_zero() {
            return 1;
        }
        let first_pair = self.magnitude().div_euclid(2);
        let last_pair = self.exponent().div_euclid(2);
        ((first_pair - last_pair + 1) as u64 + 1 + u64::from(self.negative)).min(MAX_BYTES)
    }

    /// The number as a whole number of 64 bits, when it is one.
    pub fn to_i64(&self) -> Option<i64> {
        if self.exponent < 0 {
            return None;
        }
        let whole = self.coefficient().checked_mul(10u128.checked_pow(self.exponent as u32)?)?;
        let whole = i128::try_from(whole).ok()?;
        i64::try_from(if self.negative { -whole } else { whole }).ok()
    }

    fn cmp_magnitude(&self, other: &Number) -> Ordering {
        self.magnitude().cmp(&other.magnitude()).then_with(|| {
            // Same leading place: bring both coefficients to 38 digits and compare.
            let widen = |n: &Number| {
                let c = n.coefficient();
                c * 10u128.pow(MAX_DIGITS - 1 - c.ilog10())
            };
            widen(self).cmp(&widen(other))
        })
    }
}

/// Takes the trailing zeros off a number that is not 0; answers how many there were. Most numbers fit 64 bits,
/// where a division is ten times cheaper.
fn strip_zeros(mut coefficient: u128) -> (u128, i32) {
    let mut zeros = 0;
    while u64::try_from(coefficient).is_err() && coefficient.is_multiple_of(10) {
        coefficient /= 10;
        zeros += 1;
    }
    if let Ok(mut small) = u64::try_from(coefficient) {
        while small.is_multiple_of(10) {
            small /= 10;
            zeros += 1;
        }
        coefficient = u128::from(small);
    }
    (coefficient, zeros)
}

/// The written parts of a number.
struct Parts<'a> {
    negative: bool,
    integer: &'a str,
    fraction: &'a str,
    /// Digits of the exponent with their sign; `None` when there is no exponent.
    exponent: Option<&'a str>,
}

impl<'a> Parts<'a> {
    fn split(text: &'a str) -> Result<Parts<'a>, NumberFault> {
        let all_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        let (negative, unsigned) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
            Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
            None => (unsigned, None),
        };
        let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let exponent_digits = exponent.map(|e| e.strip_prefix(['+', '-']).unwrap_or(e));
        let well_formed = !(integer.is_empty() && fraction.is_empty())
            && all_digits(integer)
            && all_digits(fraction)
            && exponent_digits.is_none_or(|e| !e.is_empty() && all_digits(e));
        if well_formed {
            Ok(Parts { negative, integer, fraction, exponent })
        } else {
            Err(NumberFault::NotNumeric)
        }
    }

    fn exponent(&self, reader: Reader) -> Result<i64, NumberFault> {
        let Some(text) = self.exponent else { return Ok(0) };
        let exponent: i64 = text.parse().map_err(|_| NumberFault::NotNumeric)?;
        if reader == Reader::BigDecimal {
            let scale = (self.fraction.len() as i64).saturating_sub(exponent);
            if i32::try_from(exponent).is_err() || i32::try_from(scale).is_err() {
                return Err(NumberFault::NotNumeric);
            }
        }
        Ok(exponent)
    }
}

impl FromStr for Number {
    type Err = NumberFault;

    fn from_str(text: &str) -> Result<Number, NumberFault> {
        Number::parse(text, Reader::Stored)
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        Number::from_parts(value < 0, u128::from(value.unsigned_abs()), 0).expect("19 digits are in range")
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        let sign = |n: &Number| if n.is_zero() { 0 } else { 1 - 2 * i8::from(n.negative) };
        sign(self).cmp(&sign(other)).then_with(|| match sign(self) {
            0 => Ordering::Equal,
            1 => self.cmp_magnitude(other),
            _ => other.cmp_magnitude(self),
        })
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = [0u8; 39];
        let mut start = digits.len();
        let mut rest = self.coefficient();
        while start == digits.len() || rest > 0 {
            start -= 1;
            // Halving the width early keeps the common short numbers on 64-bit division.
            if let Ok(small) = u64::try_from(rest) {
                digits[start] = b'0' + (small % 10) as u8;
                rest = u128::from(small / 10);
            } else {
                digits[start] = b'0' + (rest % 10) as u8;
                rest /= 10;
            }
        }
        let digits = std::str::from_utf8(&digits[start..]).map_err(|_| fmt::Error)?;
        if self.negative {
            f.write_str("-")?;
        }
        let point = digits.len() as i32 + self.exponent();
        if self.exponent >= 0 {
            f.write_str(digits)?;
            write_zeros(f, self.exponent as usize)
        } else if point > 0 {
            f.write_str(&digits[..point as usize])?;
            f.write_str(".")?;
            f.write_str(&digits[point as usize..])
        } else {
            f.write_str("0.")?;
            write_zeros(f, -point as usize)?;
            f.write_str(digits)
        }
    }
}

fn write_zeros(f: &mut fmt::Formatter<'_>, count: usize) -> fmt::Result {
    const ZEROS: &str = "00000000000000000000000000000000000000000000000000000000000000000";
    let mut left = count;
    while left > 0 {
        let now = left.min(ZEROS.len());
        f.write_str(&ZEROS[..now])?;
        left -= now;
    }
    Ok(())
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(text: &str) -> Number {
        text.parse().unwrap_or_else(|fault| panic!("{text}: {fault}"))
    }

    #[test]
    fn a_number_is_kept_by_value_and_printed_plainly() {
        let cases = [
            ("0", "0"),
            ("-0", "0"),
            ("0e125", "0"),
            ("0.0e126", "0"),
            ("1", "1"),
            ("+1", "1"),
            ("-1", "-1"),
            (".5", "0.5"),
            ("5.", "5"),
            ("1.e5", "100000"),
            ("+1e2", "100"),
            ("1E+5", "100000"),
            ("1e-5", "0.00001"),
            ("00042", "42"),
            ("3.1400", "3.14"),
            ("1.5E2", "150"),
            ("0042.1200", "42.12"),
            ("-12.34", "-12.34"),
            ("1000", "1000"),
            ("99999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
            ("12345678901234567890123456789012345678e-40", "0.0012345678901234567890123456789012345678"),
        ];
        for (text, printed) in cases {
            assert_eq!(number(text).to_string(), printed, "{text}");
        }
        assert_eq!(number("1E125").to_string(), format!("1{}", "0".repeat(125)));
        assert_eq!(number("1E-130").to_string(), format!("0.{}1", "0".repeat(129)));
    }

    #[test]
    fn faults_are_named_as_aws_names_them() {
        use NumberFault::*;
        let cases = [
            ("", NotNumeric),
            ("abc", NotNumeric),
            ("1.2.3", NotNumeric),
            (" 1", NotNumeric),
            ("1 ", NotNumeric),
            ("0x10", NotNumeric),
            ("1e", NotNumeric),
            ("e5", NotNumeric),
            ("+e2", NotNumeric),
            ("1+2", NotNumeric),
            (".", NotNumeric),
            ("-", NotNumeric),
            ("NaN", NotNumeric),
            ("Infinity", NotNumeric),
            ("1_000", NotNumeric),
            ("1e9223372036854775808", NotNumeric),
            ("123456789012345678901234567890123456789", TooPrecise),
            ("1e126", Overflow),
            ("-1e126", Overflow),
            ("0e126", Overflow),
            ("1e99999999999", Overflow),
            ("1e-131", Underflow),
            ("0e-131", Underflow),
            ("0.0e-130", Underflow),
            ("1e-99999999999", Underflow),
            // Range is judged before precision.
            ("123456789012345678901234567890123456789e126", Overflow),
        ];
        for (text, fault) in cases {
            assert_eq!(text.parse::<Number>(), Err(fault), "{text}");
        }
    }

    #[test]
    fn the_older_reader_is_a_big_decimal() {
        let read = |text| Number::parse(text, Reader::BigDecimal);
        assert_eq!(read("1e2147483648"), Err(NumberFault::NotNumeric));
        assert_eq!(read("1e2147483646"), Err(NumberFault::Underflow));
        assert_eq!(read("1e2147483645"), Err(NumberFault::Overflow));
        assert_eq!(read("1e-2147483647"), Err(NumberFault::Underflow));
        assert_eq!(read("1.5"), Ok(number("1.5")));
    }

    /// Measured on AWS (2026) by filling items up to the 400 KB limit.
    #[test]
    fn sizes_are_those_that_aws_charges() {
        let cases = [
            ("0", 1),
            ("-12345678901234567890123456789012345678", 21),
            ("-1.2345678901234567890123456789012345678", 21),
            ("-0", 1),
            ("1", 2),
            ("12", 2),
            ("123", 3),
            ("1234", 3),
            ("12345", 4),
            ("123456", 4),
            ("1234567", 5),
            ("12345678", 5),
            ("123456789", 6),
            ("1234567891", 6),
            ("12345678912", 7),
            ("123456789123", 7),
            ("1234567890123456789", 11),
            ("12345678901234567890123456789012345678", 20),
            ("0042", 2),
            ("100", 2),
            ("1010", 3),
            ("0.0000001", 2),
            ("1E125", 2),
            ("1E-100", 2),
            ("1.5", 3),
            ("1.2", 3),
            ("1.200", 3),
            ("1.234", 4),
            ("3.14159", 5),
            ("100.5", 4),
            ("0.15", 2),
            ("15", 2),
            ("-42", 3),
            ("-12345", 5),
            ("-1E125", 3),
            ("-0.15", 3),
            ("1719273600", 5),
            ("1700000000", 2),
            ("36.5", 3),
        ];
        for (text, bytes) in cases {
            assert_eq!(number(text).size_bytes(), bytes, "{text}");
        }
    }

    #[test]
    fn arithmetic_is_exact_or_refused() {
        let add = |a: &str, b: &str| number(a).checked_add(&number(b)).map(|n| n.to_string());
        assert_eq!(add("0.1", "0.2"), Ok("0.3".into()));
        // What is added has more digits on the way than the result.
        let (most, rest) = ("9".repeat(38), format!("8{}1", "0".repeat(36)));
        assert_eq!(add(&most, &rest), Ok(format!("18{}", "0".repeat(37))));
        assert_eq!(add(&format!("18{}", "0".repeat(37)), &format!("-{most}")), Ok(rest));
        assert_eq!(add("1e37", "-1e37"), Ok("0".into()));
        assert_eq!(add("99999999999999999999999999999999999999", "1"), Ok(format!("1{}", "0".repeat(38))));
        assert_eq!(add("1e100", "1"), Err(NumberFault::TooPrecise));
        assert_eq!(add("1e38", "1"), Err(NumberFault::TooPrecise));
        assert_eq!(add("9.9e125", "9.9e125"), Err(NumberFault::Overflow));
        assert_eq!(number("5").checked_sub(&number("7.5")).map(|n| n.to_string()), Ok("-2.5".into()));
        assert_eq!(number("1e-130").checked_sub(&number("1e-130")), Ok(Number::ZERO));
    }

    fn any_number() -> impl Strategy<Value = Number> {
        (any::<bool>(), 0u128..10u128.pow(38), 0u32..38, -130i32..88)
            .prop_filter_map("in range", |(neg, c, cut, e)| {
                Number::from_parts(neg, c / 10u128.pow(cut), e).ok()
            })
    }

    proptest! {
        #[test]
        fn printing_and_reading_agree(n in any_number()) {
            prop_assert_eq!(n.to_string().parse::<Number>(), Ok(n));
        }

        #[test]
        fn key_bytes_sort_as_the_numbers(a in any_number(), b in any_number()) {
            let bytes = |n: &Number| { let mut out = vec![]; n.write_key_bytes(&mut out); out };
            prop_assert_eq!(bytes(&a).cmp(&bytes(&b)), a.cmp(&b));
            prop_assert!(!bytes(&a).contains(&0));
            prop_assert_eq!(Number::from_key_bytes(&bytes(&a)), Some(a));
        }

        #[test]
        fn order_is_the_sign_of_the_difference(a in any_number(), b in any_number()) {
            if let Ok(difference) = a.checked_sub(&b) {
                let sign = if difference.is_zero() { Ordering::Equal }
                    else if difference.is_negative() { Ordering::Less } else { Ordering::Greater };
                prop_assert_eq!(a.cmp(&b), sign);
            }
        }
    }
}

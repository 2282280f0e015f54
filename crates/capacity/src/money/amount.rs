//! Amounts of money.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub};
use std::str::FromStr;

use thiserror::Error;

/// Decimals of a pico-dollar.
const DECIMALS: usize = 12;
const PICO: i128 = 1_000_000_000_000;

/// An amount of US dollars in whole pico-dollars (10⁻¹² dollars). May be negative: a credit.
///
/// It prints all of its digits, and at least cents. [`Self::rounded`] prints fewer.
///
/// ```
/// use dynamometer_capacity::money::Money;
/// let price: Money = "0.0000000625".parse().unwrap();
/// assert_eq!(price.picos(), 62_500);
/// assert_eq!((price + Money::from_dollars(3)).to_string(), "3.0000000625");
/// assert_eq!(Money::from_dollars(3).to_string(), "3.00");
/// assert_eq!(Money::from_picos(622_605_363_984).rounded(4), "0.6226");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(i128);

/// A text that is no amount.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("'{0}' is no amount in US dollars: write digits with up to 12 decimals, such as 0.000742")]
pub struct AmountError(String);

impl Money {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// So many whole dollars.
    pub const fn from_dollars(dollars: i64) -> Self {
        Self(dollars as i128 * PICO)
    }

    /// So many pico-dollars.
    pub const fn from_picos(picos: i128) -> Self {
        Self(picos)
    }

    /// The amount in pico-dollars.
    pub const fn picos(self) -> i128 {
        self.0
    }

    /// The amount times `numerator / denominator`, rounded half away from zero to a pico-dollar. Products beyond 10³⁸
    /// pico-dollars lose that precision, and then saturate.
    ///
    /// # Panics
    /// When the denominator is zero.
    #[must_use]
    pub fn times(self, numerator: u128, denominator: u128) -> Self {
        let picos = self.0.unsigned_abs();
        let magnitude = match picos.checked_mul(numerator) {
            Some(product) => product.saturating_add(denominator / 2) / denominator,
            None => (picos / denominator).saturating_mul(numerator),
        };
        let magnitude = i128::try_from(magnitude).unwrap_or(i128::MAX);
        Self(if self.0 < 0 { -magnitude } else { magnitude })
    }

    /// In dollars with exactly so many decimals (at most 12), rounded half away from zero.
    pub fn rounded(self, decimals: usize) -> String {
        let decimals = decimals.min(DECIMALS);
        let unit = 10_u128.pow((DECIMALS - decimals) as u32);
        let scaled = (self.0.unsigned_abs() + unit / 2) / unit;
        let sign = if self.0 < 0 && scaled > 0 { "-" } else { "" };
        let whole_unit = 10_u128.pow(decimals as u32);
        match decimals {
            0 => format!("{sign}{scaled}"),
            _ => format!("{sign}{}.{:0decimals$}", scaled / whole_unit, scaled % whole_unit),
        }
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.rounded(DECIMALS);
        let shortest = all.len() - (DECIMALS - 2);
        let end = all.trim_end_matches('0').len().max(shortest);
        f.write_str(&all[..end])
    }
}

impl FromStr for Money {
    type Err = AmountError;

    fn from_str(text: &str) -> Result<Self, AmountError> {
        let error = || AmountError(text.to_owned());
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if digits.is_empty()
            || digits == "."
            || fraction.len() > DECIMALS
            || !is_number(whole)
            || !is_number(fraction)
        {
            return Err(error());
        }
        let padded = format!("{whole}{fraction:0<DECIMALS$}");
        let picos: i128 = padded.parse().map_err(|_| error())?;
        // More than a trillion dollars is a slip.
        if picos > PICO * PICO {
            return Err(error());
        }
        Ok(Self(if negative { -picos } else { picos }))
    }
}

impl Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Money {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Money {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Neg for Money {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_parse_and_print() {
        for (text, printed) in [
            ("0", "0.00"),
            ("1.5", "1.50"),
            (".5", "0.50"),
            ("30", "30.00"),
            ("0.000742", "0.000742"),
            ("-0.10", "-0.10"),
            ("0.000000000001", "0.000000000001"),
        ] {
            assert_eq!(text.parse::<Money>().unwrap().to_string(), printed);
        }
        for text in [
            "",
            ".",
            "-",
            "1,5",
            "1e3",
            "$1",
            "0.0000000000001",
            "1.-5",
            "99999999999999999999999999999999999",
        ] {
            assert_eq!(text.parse::<Money>(), Err(AmountError(text.to_owned())));
        }
    }

    #[test]
    fn rounding_is_half_away_from_zero() {
        assert_eq!(Money::from_picos(5).times(1, 10), Money::from_picos(1));
        assert_eq!(Money::from_picos(-5).times(1, 10), Money::from_picos(-1));
        assert_eq!(Money::from_picos(4).times(1, 10), Money::ZERO);
        assert_eq!(Money::from_dollars(i64::MAX).times(u128::MAX, 2), Money::from_picos(i128::MAX));
        assert_eq!(Money::from_picos(1_805_555_555_556).rounded(4), "1.8056");
        assert_eq!(Money::from_picos(999_999_999_999).rounded(2), "1.00");
        assert_eq!(Money::from_picos(-1).rounded(2), "0.00");
        assert_eq!(Money::from_dollars(12).rounded(0), "12");
    }
}

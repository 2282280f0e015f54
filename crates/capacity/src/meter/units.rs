//! The unit of account.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// An amount of capacity units: read units or write units, as the context says.
///
/// The smallest charge of the service is half a unit (an eventually consistent read of one block), so the
/// amount is kept as a whole number of halves and every sum is exact.
///
/// It prints as the service writes it in `ConsumedCapacity`: a JSON number with one decimal.
///
/// ```
/// use dynamometer_capacity::CapacityUnits;
/// let page = CapacityUnits::from_halves(5) + CapacityUnits::from_whole(1);
/// assert_eq!(page.to_string(), "3.5");
/// assert_eq!(CapacityUnits::ZERO.to_string(), "0.0");
/// ```
///
/// Sums saturate instead of wrapping: at a million units a second the limit is 290,000 years away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CapacityUnits(u64);

impl CapacityUnits {
    /// Nothing consumed.
    pub const ZERO: Self = Self(0);
    /// Half a unit: the cheapest read there is.
    pub const HALF: Self = Self(1);
    /// One unit: the cheapest write there is.
    pub const ONE: Self = Self(2);

    /// `units` whole units.
    pub const fn from_whole(units: u64) -> Self {
        Self(units.saturating_mul(2))
    }

    /// `halves` half units.
    pub const fn from_halves(halves: u64) -> Self {
        Self(halves)
    }

    /// The amount in half units.
    pub const fn halves(self) -> u64 {
        self.0
    }

    /// Whether nothing was consumed.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Twice the amount: the price of being part of a transaction.
    #[must_use]
    pub const fn doubled(self) -> Self {
        Self(self.0.saturating_mul(2))
    }

    /// The amount as a floating-point number, for wire formats and charts; exact up to 2^52 units.
    pub const fn as_f64(self) -> f64 {
        self.0 as f64 / 2.0
    }
}

impl Add for CapacityUnits {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for CapacityUnits {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for CapacityUnits {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Self::ZERO, Add::add)
    }
}

impl<'a> Sum<&'a CapacityUnits> for CapacityUnits {
    fn sum<I: Iterator<Item = &'a CapacityUnits>>(amounts: I) -> Self {
        amounts.copied().sum()
    }
}

impl fmt::Display for CapacityUnits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0 / 2, if self.0.is_multiple_of(2) { 0 } else { 5 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_the_service_does() {
        for (halves, text) in
            [(0, "0.0"), (1, "0.5"), (2, "1.0"), (267, "133.5"), (u64::MAX, "9223372036854775807.5")]
        {
            assert_eq!(CapacityUnits::from_halves(halves).to_string(), text);
        }
    }

    #[test]
    fn sums_are_exact_and_saturate() {
        let thousand_halves: CapacityUnits = std::iter::repeat_n(CapacityUnits::HALF, 1_000).sum();
        assert_eq!(thousand_halves, CapacityUnits::from_whole(500));
        assert_eq!(
            CapacityUnits::from_halves(u64::MAX) + CapacityUnits::ONE,
            CapacityUnits::from_halves(u64::MAX)
        );
    }
}

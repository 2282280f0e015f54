//! Reads and writes are two independent budgets everywhere.

use std::ops::{Index, IndexMut};

/// One of the two kinds of throughput.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// Read units.
    Read,
    /// Write units.
    Write,
}

impl Dimension {
    /// Both, reads first.
    pub const BOTH: [Self; 2] = [Self::Read, Self::Write];

    /// `Read` or `Write`, as in the names of metrics and throttling reasons.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Read => "Read",
            Self::Write => "Write",
        }
    }
}

/// One value for reads and one for writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PerDimension<T> {
    /// The value for reads.
    pub read: T,
    /// The value for writes.
    pub write: T,
}

impl<T> PerDimension<T> {
    /// The pair of both.
    pub const fn new(read: T, write: T) -> Self {
        Self { read, write }
    }

    /// Applies `change` to each.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> PerDimension<U> {
        PerDimension { read: change(self.read), write: change(self.write) }
    }
}

impl<T: Ord + Copy> PerDimension<T> {
    /// The larger value in each dimension.
    #[must_use]
    pub fn max_each(self, other: Self) -> Self {
        Self { read: self.read.max(other.read), write: self.write.max(other.write) }
    }
}

impl<T> Index<Dimension> for PerDimension<T> {
    type Output = T;

    fn index(&self, dimension: Dimension) -> &T {
        match dimension {
            Dimension::Read => &self.read,
            Dimension::Write => &self.write,
        }
    }
}

impl<T> IndexMut<Dimension> for PerDimension<T> {
    fn index_mut(&mut self, dimension: Dimension) -> &mut T {
        match dimension {
            Dimension::Read => &mut self.read,
            Dimension::Write => &mut self.write,
        }
    }
}

//! The sum of one request, by arm.

use std::sync::Arc;

use super::CapacityUnits;

/// Units by index name, in order of name. Holds only the indexes that were touched.
///
/// A table has at most 25 indexes, so a sorted list is both the smallest and the fastest map; an untouched one
/// allocates nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexUnits(Vec<(Arc<str>, CapacityUnits)>);

impl IndexUnits {
    /// No index touched.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds `units` to the arm of `index`, which exists from then on, even with zero units.
    pub fn add(&mut self, index: &Arc<str>, units: CapacityUnits) {
        match self.0.binary_search_by(|(name, _)| name.as_ref().cmp(index)) {
            Ok(position) => self.0[position].1 += units,
            Err(position) => self.0.insert(position, (index.clone(), units)),
        }
    }

    /// The units of `index`, `None` if it was not touched.
    pub fn get(&self, index: &str) -> Option<CapacityUnits> {
        let position = self.0.binary_search_by(|(name, _)| name.as_ref().cmp(index)).ok()?;
        Some(self.0[position].1)
    }

    /// The touched indexes in order of name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, CapacityUnits)> {
        self.0.iter().map(|(name, units)| (name, *units))
    }

    /// Whether no index was touched; the member is then absent from the answer.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The sum over all indexes.
    pub fn total(&self) -> CapacityUnits {
        self.0.iter().map(|(_, units)| units).sum()
    }

    fn merge(&mut self, other: &Self) {
        for (index, units) in other.iter() {
            self.add(index, units);
        }
    }
}

/// What one request consumed on one table, by arm.
///
/// A request is either a reading or a writing one, so the units need no direction here. A request over several
/// tables has one of these per table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consumption {
    /// The arm of the table itself. Shown also when it is zero, as for a Query on an index.
    pub table: CapacityUnits,
    /// The arms of the local secondary indexes. They are drawn from the table's capacity.
    pub local_indexes: IndexUnits,
    /// The arms of the global secondary indexes. Each is drawn from the index's own capacity.
    pub global_indexes: IndexUnits,
    /// Units that count in the total but in no arm: failed statements of a BatchExecuteStatement beside ones that
    /// succeeded on the same table (measured 2026).
    pub without_arm: CapacityUnits,
}

impl Consumption {
    /// Units of the table arm alone.
    pub fn of_table(units: CapacityUnits) -> Self {
        Self { table: units, ..Self::default() }
    }

    /// The `CapacityUnits` of the answer: all arms together.
    pub fn total(&self) -> CapacityUnits {
        self.table + self.local_indexes.total() + self.global_indexes.total() + self.without_arm
    }

    /// What is drawn from the capacity of the table: all but the global secondary indexes.
    pub fn drawn_from_table(&self) -> CapacityUnits {
        self.table + self.local_indexes.total() + self.without_arm
    }

    /// Adds `other`, arm by arm: the elements of a batch or of a transaction.
    pub fn merge(&mut self, other: &Self) {
        self.table += other.table;
        self.local_indexes.merge(&other.local_indexes);
        self.global_indexes.merge(&other.global_indexes);
        self.without_arm += other.without_arm;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arms_stay_sorted_and_merge() {
        let (a, b, lsi): (Arc<str>, Arc<str>, Arc<str>) = ("a".into(), "b".into(), "lsi".into());
        let mut first = Consumption::of_table(CapacityUnits::ONE);
        first.global_indexes.add(&b, CapacityUnits::ONE);
        let mut second = Consumption::of_table(CapacityUnits::HALF);
        second.global_indexes.add(&a, CapacityUnits::from_whole(3));
        second.global_indexes.add(&b, CapacityUnits::ONE);
        second.local_indexes.add(&lsi, CapacityUnits::ONE);
        second.without_arm = CapacityUnits::from_whole(10);

        first.merge(&second);

        let arms: Vec<_> =
            first.global_indexes.iter().map(|(name, units)| (name.as_ref(), units.halves())).collect();
        assert_eq!(arms, [("a", 6), ("b", 4)]);
        assert_eq!(first.table, CapacityUnits::from_halves(3));
        assert_eq!(first.global_indexes.get("b"), Some(CapacityUnits::from_whole(2)));
        assert_eq!(first.global_indexes.get("lsi"), None);
        assert_eq!(first.drawn_from_table(), CapacityUnits::from_halves(3 + 2 + 20));
        assert_eq!(first.total(), CapacityUnits::from_halves(3 + 2 + 20 + 10));
    }

    #[test]
    fn a_zero_arm_is_still_an_arm() {
        let mut units = IndexUnits::new();
        assert!(units.is_empty());
        units.add(&"gsi".into(), CapacityUnits::ZERO);
        assert_eq!(units.get("gsi"), Some(CapacityUnits::ZERO));
        assert!(!units.is_empty());
    }
}

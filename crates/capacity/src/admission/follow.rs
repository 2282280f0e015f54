//! Settings that were decided elsewhere: a server whose catalog is the truth about a table tells the model.

use dynamometer_types::Timestamp;

use super::PerDimension;
use super::control::is_index;
use super::spec::{BillingMode, TableSpec};
use super::table::TableCapacity;

impl TableCapacity {
    /// Takes over the settings of `spec` at `now`: mode, provisioned throughput, maxima, warm throughput, and which
    /// indexes there are. Nothing is checked and nothing waits. What is in the budgets stays as far as it still fits,
    /// and so do partitions, peaks and counters; what `spec` says of the past is of use for new indexes only.
    pub fn follow(&mut self, now: Timestamp, spec: &TableSpec) {
        let at = self.advance_to(now);
        let constants = self.constants.clone();
        let switches = self.mode != spec.mode;
        self.pending = None;
        self.mode = spec.mode;
        self.was_on_demand |= spec.mode == BillingMode::OnDemand;
        self.has_local_index = spec.has_local_index;
        for slot in &mut self.resources {
            let Some(resource) = slot else { continue };
            let settings = match &resource.name {
                None => Some(&spec.table),
                Some(name) => {
                    spec.indexes.iter().find(|index| index.name == *name).map(|index| &index.resource)
                }
            };
            let Some(settings) = settings else {
                *slot = None;
                continue;
            };
            let provisioned = match spec.mode {
                BillingMode::Provisioned => settings.provisioned,
                BillingMode::OnDemand => PerDimension::default(),
            };
            if switches || provisioned != resource.provisioned {
                resource.provision(at, spec.mode, provisioned, &constants);
            }
            if settings.maximum != resource.maximum {
                resource.cap(at, settings.maximum, &constants);
            }
            let warm = resource.warm.max_each(settings.warm);
            if warm != resource.warm {
                resource.start_warming(at, warm);
            }
        }
        for index in &spec.indexes {
            let is_known = self.resources.iter().any(|resource| is_index(resource, Some(&index.name)));
            if !is_known {
                self.add_index(index, now);
            }
        }
        self.find_next_due();
        self.advance_to(now);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::admission::{IndexSpec, ResourceSpec};
    use crate::{CapacityUnits, Constants};

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn provisioned(read: u64, write: u64) -> TableSpec {
        TableSpec {
            mode: BillingMode::Provisioned,
            table: ResourceSpec::provisioned(read, write),
            ..TableSpec::default()
        }
    }

    #[test]
    fn settings_change_at_the_moment_they_are_told() {
        let constants = Arc::new(Constants::default());
        let mut table = TableCapacity::new(&provisioned(10, 10), constants, at(0));
        // Ten seconds of 10 units are saved, then what a new rate saves counts from its own moment.
        table.follow(at(10_000), &provisioned(100, 10));
        let burst = |table: &mut TableCapacity, now| table.report(at(now))[0].burst.read;
        assert_eq!(burst(&mut table, 10_000), CapacityUnits::from_whole(10));
        assert_eq!(burst(&mut table, 12_000), CapacityUnits::from_whole(210));

        let mut with_index = provisioned(100, 10);
        let resource = ResourceSpec::provisioned(5, 5);
        with_index.indexes.push(IndexSpec { name: "i".into(), resource });
        table.follow(at(13_000), &with_index);
        let id = table.index_id("i");
        assert!(id.is_some());
        table.follow(at(14_000), &TableSpec::default());
        assert_eq!(table.index_id("i"), None);
        let report = table.report(at(14_000));
        assert_eq!((report.len(), report[0].mode, report[0].rate.write), (1, BillingMode::OnDemand, 4_000));
        assert_eq!(report[0].warm.read, 12_000);
    }
}

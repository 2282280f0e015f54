//! The indexes of a table come and go, and a table is set up again.

use dynamometer_types::Timestamp;

use super::PerDimension;
use super::control::{AccountUse, ControlError, is_index, sum};
use super::quotas::{
    check_account_quota, check_maximum, check_table_quota, check_warm_at_creation, check_warm_quota,
};
use super::resource::Resource;
use super::spec::{BillingMode, IndexSpec, ResourceSpec, TableSpec};
use super::table::{ResourceId, TableCapacity};

impl TableCapacity {
    /// Checks the throughput of a global secondary index that is to be added.
    ///
    /// # Errors
    /// As [`super::check_new_table`].
    pub fn check_new_index(&self, index: &IndexSpec, account: &AccountUse<'_>) -> Result<(), ControlError> {
        let (name, resource, constants) = (Some(&*index.name), &index.resource, &self.constants);
        check_warm_at_creation(name, resource, self.mode, constants)?;
        check_maximum(name, resource.maximum, account, constants)?;
        check_warm_quota(name, resource.warm, account, constants)?;
        if self.mode == BillingMode::OnDemand {
            return Ok(());
        }
        check_table_quota(name, resource.provisioned, account, constants)?;
        let here = self.resources.iter().flatten().map(|resource| resource.provisioned);
        let here = here.fold(PerDimension::default(), sum);
        let reserved = sum(account.provisioned_elsewhere, here);
        check_account_quota(
            sum(here, resource.provisioned),
            reserved,
            resource.provisioned,
            account,
            constants,
        )
    }

    /// Adds a global secondary index, which serves at once.
    pub fn add_index(&mut self, index: &IndexSpec, now: Timestamp) -> ResourceId {
        let moment = self.advance_to(now);
        let free = self.resources.iter().position(Option::is_none);
        let number = free.unwrap_or(self.resources.len());
        let seed = self.seed ^ ((number as u64) << 48);
        let name = Some(index.name.clone());
        let resource = Resource::new(name, self.mode, &index.resource, seed, moment, &self.constants);
        match free {
            Some(slot) => self.resources[slot] = Some(resource),
            None => self.resources.push(Some(resource)),
        }
        ResourceId::at(number)
    }

    /// Removes a global secondary index. What is still asked of its number passes and costs nothing.
    pub fn remove_index(&mut self, name: &str) {
        if let Some(resource) = self.resources.iter_mut().find(|resource| is_index(resource, Some(name))) {
            *resource = None;
        }
        self.find_next_due();
    }

    /// The table as it would have to be set up again after a restart: all but the tokens in hand and the heat.
    pub fn spec(&mut self, now: Timestamp) -> TableSpec {
        self.advance_to(now);
        let mut resources = self.resources.iter().flatten().map(|resource| {
            let spec = ResourceSpec {
                provisioned: resource.provisioned,
                maximum: resource.maximum,
                warm: resource.warm,
                previous_peak: PerDimension::new(
                    resource.peaks.read.counted(),
                    resource.peaks.write.counted(),
                ),
                bytes: resource.partitions.iter().map(|(_, partition)| partition.bytes).sum(),
                decreases: resource.decreases,
                last_increase: resource.last_increase,
            };
            (resource.name.clone(), spec)
        });
        let (_, table) = resources.next().unwrap_or_default();
        let indexes =
            resources.filter_map(|(name, resource)| Some(IndexSpec { name: name?, resource })).collect();
        TableSpec {
            mode: self.mode,
            table,
            indexes,
            has_local_index: self.has_local_index,
            switches_to_on_demand: self.switches_to_on_demand.clone(),
            was_on_demand: self.was_on_demand,
            seed: self.seed,
        }
    }
}

//! Changes of throughput: what UpdateTable and CreateTable may ask for, when it takes effect, and what is refused.
//!
//! What depends on nothing but the request (members that exclude each other, missing ones) is checked before this
//! model is asked. Here are the rules that depend on the state: quotas, decreases, switches, warm throughput, and what
//! is under way.
//!
//! # Source
//! Developer Guide 2026, "Service quotas", "Switching capacity modes" and "Warm throughput"; messages and times by
//! control-plane probes, us-west-2 and us-east-1, 2026-10.

use std::sync::Arc;

use dynamometer_types::Timestamp;
use thiserror::Error;

use super::decreases::LongForm;
use super::quotas::{
    check_account_quota, check_changes, check_maximum, check_table_quota, check_warm_at_creation,
    check_warm_quota, invalid, of_target,
};
use super::resource::Resource;
use super::spec::TableSpec;
use super::table::TableCapacity;
use super::{BillingMode, Dimension, PerDimension};
use crate::Constants;

/// A change that the service refuses.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ControlError {
    /// `ValidationException`.
    #[error("{0}")]
    Validation(String),
    /// `LimitExceededException`.
    #[error("{0}")]
    LimitExceeded(String),
    /// `ResourceInUseException`.
    #[error("{0}")]
    ResourceInUse(String),
    /// `ResourceNotFoundException`.
    #[error("{0}")]
    ResourceNotFound(String),
}

impl ControlError {
    /// The name of the exception; its status is 400.
    pub const fn exception(&self) -> &'static str {
        match self {
            Self::Validation(_) => "ValidationException",
            Self::LimitExceeded(_) => "LimitExceededException",
            Self::ResourceInUse(_) => "ResourceInUseException",
            Self::ResourceNotFound(_) => "ResourceNotFoundException",
        }
    }
}

/// What the account has beside this table.
#[derive(Clone, Copy, Debug)]
pub struct AccountUse<'a> {
    /// The region, for messages.
    pub region: &'a str,
    /// The name of this table, for messages.
    pub table: &'a str,
    /// Provisioned units of all other tables and their indexes in the region.
    pub provisioned_elsewhere: PerDimension<u64>,
}

/// The throughput part of an UpdateTable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThroughputUpdate {
    /// `BillingMode`, if given.
    pub mode: Option<BillingMode>,
    /// What is to change of the table and of its indexes.
    pub targets: Vec<TargetUpdate>,
}

/// What is to change of a table or an index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetUpdate {
    /// The index; `None` for the table.
    pub index: Option<Arc<str>>,
    /// `ProvisionedThroughput`.
    pub provisioned: Option<PerDimension<u64>>,
    /// `OnDemandThroughput`, member by member; −1 removes the maximum.
    pub maximum: PerDimension<Option<i64>>,
    /// `WarmThroughput`, member by member.
    pub warm: PerDimension<Option<u64>>,
}

/// An accepted change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpdateOutcome {
    /// When the table leaves UPDATING and the change is in force; `None` if it was at once, or nothing changed.
    pub ready_at: Option<Timestamp>,
    /// When raised warm throughput is served; the table stays ACTIVE meanwhile.
    pub warm_at: Option<Timestamp>,
}

/// Provisioned throughput or mode on its way.
#[derive(Clone, Debug)]
pub(crate) struct PendingUpdate {
    pub ready_at: i64,
    mode: BillingMode,
    provisioned: Vec<(usize, PerDimension<u64>)>,
}

/// The slot of a resource and what it is to have: provisioned or warm throughput.
type Provisions = Vec<(usize, PerDimension<u64>)>;
/// The slot of a resource and the maximum that it is to have.
type Maxima = Vec<(usize, PerDimension<Option<u64>>)>;

/// Checks the throughput of a table that is to be created.
///
/// # Errors
/// LimitExceededException above a quota of the table or the account; ValidationException for warm throughput below what
/// the mode implies.
pub fn check_new_table(
    spec: &TableSpec,
    account: &AccountUse<'_>,
    constants: &Constants,
) -> Result<(), ControlError> {
    let mut requested = PerDimension::default();
    let indexes = spec.indexes.iter().map(|index| (Some(&*index.name), &index.resource));
    for (index, resource) in std::iter::once((None, &spec.table)).chain(indexes) {
        check_warm_at_creation(index, resource, spec.mode, constants)?;
        check_maximum(index, resource.maximum, account, constants)?;
        check_warm_quota(index, resource.warm, account, constants)?;
        if spec.mode == BillingMode::Provisioned {
            check_table_quota(index, resource.provisioned, account, constants)?;
            requested = sum(requested, resource.provisioned);
        }
    }
    check_account_quota(requested, account.provisioned_elsewhere, requested, account, constants)
}

impl TableCapacity {
    /// Changes throughput as UpdateTable does: all of the update or nothing.
    ///
    /// The change is in force at [`UpdateOutcome::ready_at`]; until then the table serves what it served before.
    ///
    /// # Errors
    /// As the service: see [`ControlError`].
    pub fn update(
        &mut self,
        now: Timestamp,
        update: &ThroughputUpdate,
        account: &AccountUse<'_>,
    ) -> Result<UpdateOutcome, ControlError> {
        self.advance_to(now);
        let from = self.mode;
        let to = update.mode.unwrap_or(from);
        if let Some(pending) = &self.pending
            && (update.mode.is_some() || update.targets.iter().any(|target| target.provisioned.is_some()))
        {
            let is_reversal = pending.mode == BillingMode::Provisioned && from == BillingMode::OnDemand;
            if is_reversal && to == BillingMode::OnDemand {
                // Answered well, and dropped: the table ends up provisioned. Measured.
                return Ok(UpdateOutcome { ready_at: Some(millis(pending.ready_at)), warm_at: None });
            }
            return Err(ControlError::ResourceInUse(format!(
                "Attempt to change a resource which is still in use: Table IOPS are currently being updated. Table: {}",
                account.table
            )));
        }
        let provisions = self.plan_provisions(now, from, to, update, account)?;
        let caps = self.plan_caps(to, update, account)?;
        let warms = self.plan_warms(update, account)?;
        let switches = from != to;
        if switches && to == BillingMode::OnDemand {
            self.check_switch(now)?;
        }
        Ok(self.apply(now, to, switches, provisions, caps, warms))
    }

    /// Whether a change of provisioned throughput or of the mode is under way (`TableStatus` UPDATING).
    pub fn is_updating(&mut self, now: Timestamp) -> bool {
        self.advance_to(now);
        self.pending.is_some()
    }

    fn slot_of(&self, target: &TargetUpdate, account: &AccountUse<'_>) -> Result<usize, ControlError> {
        let name = target.index.as_deref();
        self.resources.iter().position(|resource| is_index(resource, name)).ok_or_else(|| {
            let index = name.unwrap_or_default();
            let table = account.table;
            ControlError::ResourceNotFound(format!(
                "Requested resource not found: Index {index} for table {table}"
            ))
        })
    }

    /// The provisioned throughput that the table and its indexes are to have.
    fn plan_provisions(
        &self,
        now: Timestamp,
        from: BillingMode,
        to: BillingMode,
        update: &ThroughputUpdate,
        account: &AccountUse<'_>,
    ) -> Result<Provisions, ControlError> {
        let mut provisions = Provisions::new();
        for target in &update.targets {
            let Some(wanted) = target.provisioned else { continue };
            let slot = self.slot_of(target, account)?;
            let name = target.index.as_deref();
            if to == BillingMode::OnDemand {
                return Err(invalid(format!(
                    "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified{} when BillingMode is \
                     PAY_PER_REQUEST",
                    name.map(|index| format!(" for index: {index}")).unwrap_or_default()
                )));
            }
            let current =
                self.resources[slot].as_ref().map(|resource| resource.provisioned).unwrap_or_default();
            if from == to {
                check_changes(name, current, wanted)?;
            }
            check_table_quota(name, wanted, account, &self.constants)?;
            provisions.push((slot, wanted));
        }
        if to == BillingMode::Provisioned {
            self.check_all_provisioned(from, &provisions)?;
            self.check_sum(from, &provisions, account)?;
        }
        if from == BillingMode::Provisioned {
            for (slot, wanted) in &provisions {
                self.check_decrease(now, *slot, *wanted)?;
            }
        }
        Ok(provisions)
    }

    fn check_all_provisioned(&self, from: BillingMode, provisions: &Provisions) -> Result<(), ControlError> {
        if from == BillingMode::Provisioned {
            return Ok(());
        }
        for (slot, resource) in self.resources.iter().enumerate() {
            let Some(resource) = resource else { continue };
            if provisions.iter().any(|(planned, _)| *planned == slot) {
                continue;
            }
            return Err(invalid(match &resource.name {
                None => "ProvisionedThroughput must be specified when BillingMode is PROVISIONED".to_owned(),
                Some(index) => format!("ProvisionedThroughput must be specified for index: {index}"),
            }));
        }
        Ok(())
    }

    fn check_sum(
        &self,
        from: BillingMode,
        provisions: &Provisions,
        account: &AccountUse<'_>,
    ) -> Result<(), ControlError> {
        let (mut before, mut after, mut requested) =
            <(PerDimension<u64>, PerDimension<u64>, PerDimension<u64>)>::default();
        for (slot, resource) in self.resources.iter().enumerate() {
            let Some(resource) = resource else { continue };
            let planned = provisions.iter().find(|(planned, _)| *planned == slot).map(|(_, wanted)| *wanted);
            if from == BillingMode::Provisioned {
                before = sum(before, resource.provisioned);
            }
            after = sum(after, planned.unwrap_or(resource.provisioned));
            requested = sum(requested, planned.unwrap_or_default());
        }
        let raised = |dimension| if after[dimension] > before[dimension] { after[dimension] } else { 0 };
        let raised = PerDimension::new(raised(Dimension::Read), raised(Dimension::Write));
        let reserved = sum(account.provisioned_elsewhere, before);
        check_account_quota(raised, reserved, requested, account, &self.constants)
    }

    fn check_decrease(
        &self,
        now: Timestamp,
        slot: usize,
        wanted: PerDimension<u64>,
    ) -> Result<(), ControlError> {
        let Some(resource) = &self.resources[slot] else { return Ok(()) };
        if !is_decrease(resource.provisioned, wanted) {
            return Ok(());
        }
        match resource.decreases.wait_until(now, &self.constants) {
            None => Ok(()),
            Some(next) => Err(ControlError::LimitExceeded(format!(
                "Subscriber limit exceeded: Provisioned throughput decreases are limited within a given UTC day. After \
                 the first {} decreases, each subsequent decrease in the same UTC day can be performed at most once \
                 every {} seconds. Number of decreases today: {}. Last decrease at {}. Next decrease can be made at {}",
                self.constants.decreases_per_day,
                self.constants.decrease_interval_ms / 1_000,
                resource.decreases.today(now),
                LongForm(resource.decreases.last().unwrap_or_default()),
                LongForm(next),
            ))),
        }
    }

    /// Switches to on-demand are limited. The wording of the service today is not known; this is that of 2019, with
    /// the number put in.
    fn check_switch(&self, now: Timestamp) -> Result<(), ControlError> {
        let window = i64::try_from(self.constants.mode_switch_window_ms).unwrap_or(i64::MAX);
        let recent: Vec<_> = self.switches_to_on_demand.iter().filter(|at| now - **at < window).collect();
        match (recent.first(), recent.last()) {
            (Some(first), Some(last)) if recent.len() as u64 >= self.constants.mode_switches => {
                Err(ControlError::LimitExceeded(format!(
                    "Subscriber limit exceeded: Update to PayPerRequest mode are limited to {} times in {} hour(s). \
                     Last update at {}. Next update can be made at {}",
                    self.constants.mode_switches,
                    window / 3_600_000,
                    LongForm(**last),
                    LongForm(**first + window),
                )))
            }
            _ => Ok(()),
        }
    }

    /// The maximum on-demand throughput that the table and its indexes are to have.
    fn plan_caps(
        &self,
        to: BillingMode,
        update: &ThroughputUpdate,
        account: &AccountUse<'_>,
    ) -> Result<Maxima, ControlError> {
        let mut caps = Maxima::new();
        for target in &update.targets {
            let slot = self.slot_of(target, account)?;
            let mut maximum =
                self.resources[slot].as_ref().map(|resource| resource.maximum).unwrap_or_default();
            let mut given = false;
            for dimension in Dimension::BOTH {
                let Some(units) = target.maximum[dimension] else { continue };
                given = true;
                let (word, place) = (dimension.word(), of_target(target.index.as_deref(), " : "));
                if to == BillingMode::Provisioned {
                    return Err(invalid(format!(
                        "Max{word}RequestUnits for OnDemandThroughput cannot be specified when the table BillingMode is \
                         PROVISIONED"
                    )));
                }
                if units < 1 && units != -1 {
                    return Err(invalid(format!(
                        "Requested Max{word}RequestUnits for OnDemandThroughput for {place} is outside of valid range"
                    )));
                }
                maximum[dimension] = u64::try_from(units).ok();
            }
            if given {
                check_maximum(target.index.as_deref(), maximum, account, &self.constants)?;
                caps.push((slot, maximum));
            }
        }
        Ok(caps)
    }

    /// The warm throughput that the table and its indexes are to have.
    fn plan_warms(
        &self,
        update: &ThroughputUpdate,
        account: &AccountUse<'_>,
    ) -> Result<Provisions, ControlError> {
        let mut warms = Provisions::new();
        for target in &update.targets {
            if target.warm == PerDimension::default() {
                continue;
            }
            let slot = self.slot_of(target, account)?;
            let mut warm = self.resources[slot].as_ref().map(|resource| resource.warm).unwrap_or_default();
            for dimension in Dimension::BOTH {
                let Some(units) = target.warm[dimension] else { continue };
                if units < warm[dimension] {
                    return Err(invalid(format!(
                        "Requested {}UnitsPerSecond for WarmThroughput for {} is lower than current WarmThroughput, \
                         decreasing WarmThroughput is not supported",
                        dimension.word(),
                        of_target(target.index.as_deref(), " "),
                    )));
                }
                warm[dimension] = units;
            }
            check_warm_quota(target.index.as_deref(), warm, account, &self.constants)?;
            warms.push((slot, warm));
        }
        Ok(warms)
    }

    /// Carries out an update that passed all checks.
    fn apply(
        &mut self,
        now: Timestamp,
        to: BillingMode,
        switches: bool,
        provisions: Provisions,
        caps: Maxima,
        warms: Provisions,
    ) -> UpdateOutcome {
        let constants = self.constants.clone();
        let mut outcome = UpdateOutcome::default();
        for (slot, maximum) in caps {
            if let Some(resource) = &mut self.resources[slot] {
                resource.cap(now.millis(), maximum, &constants);
            }
        }
        for (slot, warm) in warms {
            let Some(resource) = &mut self.resources[slot] else { continue };
            if warm == resource.warm {
                continue;
            }
            let wait = if resource.warm_raised { constants.warm_ms } else { constants.first_warm_ms };
            let ready_at = now.millis().saturating_add_unsigned(wait);
            resource.start_warming(ready_at, warm);
            outcome.warm_at = Some(millis(ready_at));
        }
        if switches || !provisions.is_empty() {
            outcome.ready_at = Some(millis(self.start_update(now, to, switches, provisions)));
        }
        self.find_next_due();
        self.advance_to(now);
        outcome
    }

    fn start_update(
        &mut self,
        now: Timestamp,
        to: BillingMode,
        switches: bool,
        provisions: Provisions,
    ) -> i64 {
        let constants = self.constants.clone();
        let wait = match (switches, to, self.was_on_demand) {
            (false, _, _) => constants.update_throughput_ms,
            (true, BillingMode::Provisioned, _) => constants.switch_to_provisioned_ms,
            (true, BillingMode::OnDemand, true) => constants.switch_to_on_demand_ms,
            (true, BillingMode::OnDemand, false) => constants.first_switch_to_on_demand_ms,
        };
        if !switches {
            for (slot, wanted) in &provisions {
                let Some(resource) = &mut self.resources[*slot] else { continue };
                if is_decrease(resource.provisioned, *wanted) {
                    resource.decreases.record(now, &constants);
                } else {
                    resource.last_increase = Some(now);
                }
            }
        } else if to == BillingMode::OnDemand {
            self.switches_to_on_demand.push(now);
            let keep = usize::try_from(constants.mode_switches).unwrap_or(usize::MAX).max(1);
            let old = self.switches_to_on_demand.len().saturating_sub(keep);
            self.switches_to_on_demand.drain(..old);
        }
        let ready_at = now.millis().saturating_add_unsigned(wait);
        self.pending = Some(PendingUpdate { ready_at, mode: to, provisioned: provisions });
        ready_at
    }

    /// The change is in force from `at` on.
    pub(crate) fn take_effect(&mut self, pending: PendingUpdate, at: i64) {
        let constants = self.constants.clone();
        let switches = pending.mode != self.mode;
        self.mode = pending.mode;
        self.was_on_demand |= pending.mode == BillingMode::OnDemand;
        for (slot, resource) in self.resources.iter_mut().enumerate() {
            let Some(resource) = resource else { continue };
            let planned = pending.provisioned.iter().find(|(planned, _)| *planned == slot);
            match planned {
                Some((_, provisioned)) => resource.provision(at, pending.mode, *provisioned, &constants),
                None if switches => resource.provision(at, pending.mode, PerDimension::default(), &constants),
                None => {}
            }
        }
    }
}

/// Whether the slot holds the index of that name, or the table if there is none.
pub(crate) fn is_index(resource: &Option<Resource>, name: Option<&str>) -> bool {
    resource.as_ref().is_some_and(|resource| resource.name.as_deref() == name)
}

fn is_decrease(current: PerDimension<u64>, wanted: PerDimension<u64>) -> bool {
    wanted.read < current.read || wanted.write < current.write
}

/// The sum in each dimension.
pub(crate) fn sum(one: PerDimension<u64>, other: PerDimension<u64>) -> PerDimension<u64> {
    PerDimension::new(one.read.saturating_add(other.read), one.write.saturating_add(other.write))
}

fn millis(moment: i64) -> Timestamp {
    Timestamp::from_millis(moment)
}

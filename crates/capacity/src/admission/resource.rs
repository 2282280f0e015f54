//! The capacity of one table or one global secondary index: what its throughput is, and the budgets it is spent from.

use std::sync::Arc;

use dynamometer_types::Timestamp;

use super::bucket::{Bucket, Refill, grains};
use super::decreases::Decreases;
use super::heat::{Place, partition_units};
use super::minutes::{MINUTE_MS, Minutes, Peak};
use super::partitions::{Partitions, partitions_for};
use super::{BillingMode, Cause, Counters, Dimension, PerDimension, ResourceSpec};
use crate::Constants;

/// Nothing is due.
pub(crate) const NEVER: i64 = i64::MAX;

/// What every decision of a table depends on beside its state.
pub(crate) struct Context<'a> {
    pub constants: &'a Constants,
    pub has_local_index: bool,
}

/// Units wanted at a place.
pub(crate) struct Want<'a> {
    pub dimension: Dimension,
    pub place: Place<'a>,
    /// Grains.
    pub cost: i64,
}

impl Want<'_> {
    /// The grains that must be in hand: any at all, or all of them when admission is strict.
    pub(crate) fn needed(&self, constants: &Constants) -> i64 {
        if constants.strict_admission == 1 { self.cost } else { 1 }
    }
}

/// What refused a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Blocked {
    pub cause: Cause,
    /// The partition, if it was the partition's own budget.
    pub partition: Option<u32>,
}

impl Blocked {
    pub(crate) const fn by(cause: Cause) -> Self {
        Self { cause, partition: None }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Resource {
    /// The index; `None` for the table.
    pub name: Option<Arc<str>>,
    pub mode: BillingMode,
    /// What is provisioned; zero on demand.
    pub provisioned: PerDimension<u64>,
    /// The maximum on-demand throughput, where one is set.
    pub maximum: PerDimension<Option<u64>>,
    /// What it serves at once: the most ever provisioned, reached, or asked for in advance. Never falls.
    pub warm: PerDimension<u64>,
    /// A raise of warm throughput under way: when it is served, and to what.
    pub warm_pending: Option<(i64, PerDimension<u64>)>,
    /// Whether warm throughput was raised before, which makes the next raise quick.
    pub warm_raised: bool,
    pub decreases: Decreases,
    pub last_increase: Option<Timestamp>,
    pub partitions: Partitions,
    pub counters: PerDimension<Counters>,
    pub minutes: PerDimension<Minutes>,
    pub peaks: PerDimension<Peak>,
    /// Units per second that `main` is filled by.
    rate: PerDimension<u64>,
    /// The throughput of the whole table or index, with its burst when provisioned.
    main: PerDimension<Bucket>,
    /// The configured maximum.
    capped: PerDimension<Bucket>,
    /// When something happens of itself: a minute ends, a peak counts, a split is done.
    pub next_due: i64,
}

impl Resource {
    pub(crate) fn new(
        name: Option<Arc<str>>,
        mode: BillingMode,
        spec: &ResourceSpec,
        seed: u64,
        now: i64,
        constants: &Constants,
    ) -> Self {
        let none = PerDimension::new(Bucket::holding(0, now), Bucket::holding(0, now));
        let mut resource = Self {
            name,
            mode,
            provisioned: match mode {
                BillingMode::Provisioned => spec.provisioned,
                BillingMode::OnDemand => PerDimension::default(),
            },
            maximum: spec.maximum,
            warm: spec.warm,
            warm_pending: None,
            warm_raised: false,
            decreases: spec.decreases,
            last_increase: spec.last_increase,
            partitions: Partitions::new(1, spec.bytes, now, seed, constants),
            counters: PerDimension::default(),
            minutes: PerDimension::new(Minutes::new(now), Minutes::new(now)),
            peaks: spec.previous_peak.map(Peak::of),
            rate: PerDimension::default(),
            main: none,
            capped: none,
            next_due: NEVER,
        };
        resource.rate = resource.current_rate(constants);
        resource.raise_warm(constants);
        let count = resource.partitions_needed(spec.bytes, constants);
        resource.partitions = Partitions::new(count, spec.bytes, now, seed, constants);
        for dimension in Dimension::BOTH {
            // A second's worth, and no burst: that has yet to be saved.
            let second = Refill::new(resource.rate[dimension], constants.bucket_ms);
            resource.main[dimension] = Bucket::holding(second.capacity, now);
            let maximum = Refill::new(resource.maximum[dimension].unwrap_or(0), constants.bucket_ms);
            resource.capped[dimension] = Bucket::holding(maximum.capacity, now);
        }
        resource
    }

    /// Tests one request against the budgets of this resource in the order in which the service names them, and
    /// answers the partition that will serve it. Takes nothing.
    ///
    /// # Errors
    /// The first budget that has nothing left.
    pub(crate) fn check(&mut self, now: i64, want: &Want<'_>, context: &Context<'_>) -> Result<u32, Blocked> {
        let (dimension, needed) = (want.dimension, want.needed(context.constants));
        self.check_whole(now, want, context.constants)?;
        let number = self.partitions.find(want.place);
        self.touch(now, dimension, number, context);
        if !self.partitions.get(number).buckets[dimension].passes(needed) {
            return Err(Blocked { cause: self.partition_cause(context.constants), partition: Some(number) });
        }
        Ok(number)
    }

    /// Tests one request against the budgets of the whole table or index, in the same order.
    ///
    /// # Errors
    /// The first budget that has nothing left.
    pub(crate) fn check_whole(
        &mut self,
        now: i64,
        want: &Want<'_>,
        constants: &Constants,
    ) -> Result<(), Blocked> {
        let (dimension, needed) = (want.dimension, want.needed(constants));
        self.refill(now, dimension, constants);
        if self.maximum[dimension].is_some() && !self.capped[dimension].passes(needed) {
            return Err(Blocked::by(Cause::MaxOnDemandThroughput));
        }
        if !self.is_evenly_shared(constants) && !self.main[dimension].passes(needed) {
            return Err(Blocked::by(self.main_cause(dimension, constants)));
        }
        Ok(())
    }

    /// How many requests like `want` pass at this moment when each takes `cost` grains in all and `partition_cost` of
    /// its partition: the closed form of checking and taking one by one.
    pub(crate) fn passing(
        &self,
        want: &Want<'_>,
        number: u32,
        (cost, partition_cost): (i64, i64),
        constants: &Constants,
    ) -> u64 {
        let needed = want.needed(constants);
        let bucket = &self.partitions.get(number).buckets[want.dimension];
        bucket.passing(needed, partition_cost).min(self.passing_whole(want, cost, constants))
    }

    /// The same by the budgets of the whole only.
    pub(crate) fn passing_whole(&self, want: &Want<'_>, cost: i64, constants: &Constants) -> u64 {
        let (dimension, needed) = (want.dimension, want.needed(constants));
        let mut fewest = u64::MAX;
        if !self.is_evenly_shared(constants) {
            fewest = fewest.min(self.main[dimension].passing(needed, cost));
        }
        if self.maximum[dimension].is_some() {
            fewest = fewest.min(self.capped[dimension].passing(needed, cost));
        }
        fewest
    }

    /// Brings the budgets of the whole table or index to `now`.
    pub(crate) fn refill(&mut self, now: i64, dimension: Dimension, constants: &Constants) {
        if let Some(maximum) = self.maximum[dimension] {
            self.capped[dimension].refill(now, Refill::new(maximum, constants.bucket_ms));
        }
        let refill = self.main_refill(dimension, constants);
        self.main[dimension].refill(now, refill);
    }

    /// Brings a partition to `now`, and looks at its heat when a new second began.
    pub(crate) fn touch(&mut self, now: i64, dimension: Dimension, number: u32, context: &Context<'_>) {
        let refill = self.partition_refill(dimension, context.constants);
        let partition = self.partitions.get_mut(number);
        partition.buckets[dimension].refill(now, refill);
        if partition.heat.roll(now.div_euclid(1_000), context.constants) {
            let planned =
                self.partitions.plan_heat_split(number, now, context.has_local_index, context.constants);
            self.next_due = self.next_due.min(planned.unwrap_or(NEVER));
        }
    }

    /// Takes `halves` half units from the budgets of the whole and from its partition; negative gives back. The budgets
    /// must be at `now` already.
    pub(crate) fn take(&mut self, now: i64, dimension: Dimension, number: u32, halves: i64) {
        self.take_from_whole(now, dimension, halves);
        self.take_from_partition(dimension, number, halves);
    }

    /// Takes from one partition only.
    pub(crate) fn take_from_partition(&mut self, dimension: Dimension, number: u32, halves: i64) {
        self.partitions.get_mut(number).buckets[dimension].take(grains(halves));
    }

    /// Takes from the budgets of the whole only, and counts the consumption.
    pub(crate) fn take_from_whole(&mut self, now: i64, dimension: Dimension, halves: i64) {
        let cost = grains(halves);
        self.main[dimension].take(cost);
        self.capped[dimension].take(cost);
        let minutes = &mut self.minutes[dimension];
        if now >= (minutes.current() + 1) * MINUTE_MS {
            minutes.roll(now);
        }
        minutes.add(halves);
        let minute_end = (minutes.current() + 1) * MINUTE_MS;
        self.next_due = self.next_due.min(minute_end);
        let consumed = &mut self.counters[dimension].consumed_halves;
        *consumed = consumed.saturating_add_signed(halves);
    }

    /// Counts a change in size.
    pub(crate) fn resize(&mut self, now: i64, place: Place<'_>, delta: i64, context: &Context<'_>) {
        let planned = self.partitions.resize(place, delta, now, context.has_local_index, context.constants);
        self.next_due = self.next_due.min(planned.unwrap_or(NEVER));
    }

    /// Does what fell due by `now`, which is no later than [`Self::next_due`] asks for.
    pub(crate) fn run_due(&mut self, now: i64, constants: &Constants) {
        for dimension in Dimension::BOTH {
            let ended = self.minutes[dimension].current();
            if (ended + 1) * MINUTE_MS <= now {
                let counts_at =
                    ((ended + 1) * MINUTE_MS).saturating_add_unsigned(constants.on_demand_growth_ms);
                self.peaks[dimension].note(self.minutes[dimension].current_halves(), counts_at);
                self.minutes[dimension].roll(now);
            }
        }
        let reads_grew = self.peaks.read.advance(now);
        let writes_grew = self.peaks.write.advance(now);
        let mut changed = reads_grew || writes_grew;
        if let Some((_, warm)) = self.warm_pending.take_if(|(ready_at, _)| *ready_at <= now) {
            self.warm = self.warm.max_each(warm);
            self.warm_raised = true;
            changed = true;
        }
        if changed {
            self.retune(now, constants);
        }
        self.partitions.finish_splits(now);
        self.find_next_due();
    }

    fn find_next_due(&mut self) {
        let minute_end = |dimension| match self.minutes[dimension].current_halves() {
            0 => NEVER,
            _ => (self.minutes[dimension].current() + 1) * MINUTE_MS,
        };
        self.next_due = minute_end(Dimension::Read)
            .min(minute_end(Dimension::Write))
            .min(self.peaks.next().unwrap_or(NEVER))
            .min(self.warm_pending.map_or(NEVER, |(ready_at, _)| ready_at))
            .min(self.partitions.next_split().unwrap_or(NEVER));
    }

    /// Begins a raise of warm throughput; a later one replaces it.
    pub(crate) fn start_warming(&mut self, ready_at: i64, warm: PerDimension<u64>) {
        self.warm_pending = Some((ready_at, warm));
        self.find_next_due();
    }

    /// Takes over settings that changed: keeps what is in the buckets as far as they still hold it, and splits the
    /// partitions that are too wide for the new rate.
    pub(crate) fn retune(&mut self, now: i64, constants: &Constants) {
        let rate = self.current_rate(constants);
        for dimension in Dimension::BOTH {
            self.refill(now, dimension, constants);
            self.rate[dimension] = rate[dimension];
            self.refill(now, dimension, constants);
        }
        self.raise_warm(constants);
        let count = self.partitions_needed(0, constants);
        self.partitions.grow_to(count, now, constants);
    }

    /// Changes the mode and the provisioned throughput.
    pub(crate) fn provision(
        &mut self,
        now: i64,
        mode: BillingMode,
        provisioned: PerDimension<u64>,
        constants: &Constants,
    ) {
        for dimension in Dimension::BOTH {
            self.refill(now, dimension, constants);
        }
        if mode != self.mode {
            // The cap belongs to on-demand mode and goes with it.
            self.maximum = PerDimension::default();
        }
        self.mode = mode;
        self.provisioned = provisioned;
        self.retune(now, constants);
        self.find_next_due();
    }

    /// Sets or clears the maximum on-demand throughput.
    pub(crate) fn cap(&mut self, now: i64, maximum: PerDimension<Option<u64>>, constants: &Constants) {
        for dimension in Dimension::BOTH {
            let Some(units) = maximum[dimension] else { continue };
            let full = Refill::new(units, constants.bucket_ms).capacity;
            match self.maximum[dimension] {
                Some(_) => self.refill(now, dimension, constants),
                None => self.capped[dimension] = Bucket::holding(full, now),
            }
        }
        self.maximum = maximum;
    }

    /// What it serves per second in its mode.
    fn current_rate(&self, constants: &Constants) -> PerDimension<u64> {
        let (grown, quota) = (self.grown_rate(constants), table_quota(constants));
        match self.mode {
            BillingMode::Provisioned => grown,
            BillingMode::OnDemand => {
                PerDimension::new(grown.read.min(quota.read), grown.write.min(quota.write))
            }
        }
    }

    /// The same without regard to the quota, which binds requests but not the growth of partitions.
    fn grown_rate(&self, constants: &Constants) -> PerDimension<u64> {
        if self.mode == BillingMode::Provisioned {
            return self.provisioned;
        }
        let peaks = PerDimension::new(self.peaks.read.counted(), self.peaks.write.counted());
        let grown = peaks.map(|peak| peak.saturating_mul(constants.on_demand_growth_factor));
        grown.max_each(self.warm).max_each(on_demand_initial(constants))
    }

    fn raise_warm(&mut self, constants: &Constants) {
        self.warm = self.warm.max_each(self.rate);
        if self.mode == BillingMode::OnDemand {
            self.warm = self.warm.max_each(on_demand_initial(constants));
        }
    }

    fn partitions_needed(&self, bytes: u64, constants: &Constants) -> u64 {
        let by_rate = partitions_for(self.mode, self.grown_rate(constants), bytes, constants);
        by_rate.max(partitions_for(BillingMode::OnDemand, self.warm, bytes, constants))
    }

    fn main_refill(&self, dimension: Dimension, constants: &Constants) -> Refill {
        let held_ms = match self.mode {
            BillingMode::Provisioned => constants.bucket_ms + constants.burst_ms,
            BillingMode::OnDemand => constants.bucket_ms,
        };
        Refill::new(self.rate[dimension], held_ms)
    }

    fn partition_refill(&self, dimension: Dimension, constants: &Constants) -> Refill {
        let physical = Refill::new(partition_units(constants, dimension), constants.partition_bucket_ms);
        if !self.is_evenly_shared(constants) {
            return physical;
        }
        let whole = self.main_refill(dimension, constants);
        let count = self.partitions.len() as i64;
        Refill { per_ms: (whole.per_ms / count).min(physical.per_ms), capacity: whole.capacity / count }
    }

    /// Whether partitions hold the throughput, as in the years before adaptive capacity.
    fn is_evenly_shared(&self, constants: &Constants) -> bool {
        constants.even_share == 1 && self.mode == BillingMode::Provisioned
    }

    fn main_cause(&self, dimension: Dimension, constants: &Constants) -> Cause {
        match self.mode {
            BillingMode::Provisioned => Cause::ProvisionedThroughput,
            BillingMode::OnDemand if self.rate[dimension] >= table_quota(constants)[dimension] => {
                Cause::AccountLimit
            }
            BillingMode::OnDemand => Cause::KeyRangeThroughput,
        }
    }

    fn partition_cause(&self, constants: &Constants) -> Cause {
        match self.is_evenly_shared(constants) {
            true => Cause::ProvisionedThroughput,
            false => Cause::KeyRangeThroughput,
        }
    }

    /// Units per second in force.
    pub(crate) fn rate(&self) -> PerDimension<u64> {
        self.rate
    }

    /// Grains in hand beyond the current second: the burst.
    pub(crate) fn burst_grains(&self, dimension: Dimension, constants: &Constants) -> i64 {
        let second = Refill::new(self.rate[dimension], constants.bucket_ms);
        (self.main[dimension].level() - second.capacity).max(0)
    }

    #[cfg(test)]
    pub(crate) fn forgive_debt(&mut self) {
        for dimension in Dimension::BOTH {
            self.main[dimension].forgive_debt();
        }
    }
}

/// What a new on-demand table or index serves at once.
pub(crate) fn on_demand_initial(constants: &Constants) -> PerDimension<u64> {
    PerDimension::new(constants.on_demand_initial_read_units, constants.on_demand_initial_write_units)
}

/// The quota of one table or index.
pub(crate) fn table_quota(constants: &Constants) -> PerDimension<u64> {
    PerDimension::new(constants.table_quota_read_units, constants.table_quota_write_units)
}

//! One table with its global secondary indexes: admitting requests and settling what they cost.

use std::sync::Arc;

use dynamometer_types::Timestamp;

use super::bucket::{Bucket, Refill, grains};
use super::control::PendingUpdate;
use super::heat::Place;
use super::resource::{Blocked, Context, NEVER, Resource, Want, table_quota};
use super::spec::{BillingMode, TableSpec};
use super::{Cause, Dimension, PerDimension, Refusal, ResourceReport};
use crate::{CapacityUnits, Constants};

/// The table itself or one of its global secondary indexes, by number. A number stays good as long as the index is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceId(u16);

impl ResourceId {
    /// The table itself, with its local secondary indexes.
    pub const TABLE: Self = Self(0);

    pub(crate) fn at(slot: usize) -> Self {
        Self(u16::try_from(slot).unwrap_or(u16::MAX))
    }

    /// The number: 0 for the table, from 1 on for its indexes. Traces name resources by it.
    pub const fn number(self) -> u16 {
        self.0
    }

    /// The resource of that number.
    pub const fn of_number(number: u16) -> Self {
        Self(number)
    }
}

/// One part of a request: units wanted of one table or index at one place.
///
/// A read has one; a write has one for the table, and for each index it changes one, or two when the entry moves from
/// one index key to another. Give the table first and the indexes in order of name: the first that refuses is named.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The table or the index.
    pub resource: ResourceId,
    /// Reads or writes.
    pub dimension: Dimension,
    /// Where in the table or index.
    pub place: Place<'a>,
    /// What the request costs at least. The rest comes with [`TableCapacity::settle`].
    pub floor: CapacityUnits,
}

/// What one part of a request cost in the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exact {
    /// The units in all, floor included.
    pub units: CapacityUnits,
    /// The hash of the last key read, when a Scan went on from its first place over a range of keys: each partition in
    /// between bears its part by width.
    pub through_hash: Option<u64>,
}

impl Exact {
    /// A cost that was all at the place that was asked for.
    pub const fn units(units: CapacityUnits) -> Self {
        Self { units, through_hash: None }
    }
}

impl<'a> Ask<'a> {
    pub(crate) fn want(&self) -> Want<'a> {
        let cost = grains(signed(self.floor.halves()));
        Want { dimension: self.dimension, place: self.place, cost }
    }
}

/// An [`Ask`] that found its partition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arm {
    resource: ResourceId,
    pub dimension: Dimension,
    pub partition: u32,
    hash: u64,
    floor_halves: u64,
}

impl Arm {
    pub(crate) fn of(ask: &Ask<'_>) -> Self {
        Self {
            resource: ask.resource,
            dimension: ask.dimension,
            partition: 0,
            hash: ask.place.hash,
            floor_halves: ask.floor.halves(),
        }
    }

    pub(crate) fn slot(&self) -> usize {
        usize::from(self.resource.0)
    }
}

/// A request that may run. It holds its floor until it is settled or released.
#[must_use = "settle the admission with what the request cost, or release it"]
#[derive(Debug)]
pub struct Admission {
    first: Arm,
    more: Vec<Arm>,
}

impl Admission {
    fn arms(&self) -> impl Iterator<Item = &Arm> {
        std::iter::once(&self.first).chain(&self.more)
    }

    /// How many parts it has, in the order in which they were asked for.
    pub fn parts(&self) -> usize {
        1 + self.more.len()
    }
}

/// The capacity of one table.
#[derive(Clone, Debug)]
pub struct TableCapacity {
    pub(crate) constants: Arc<Constants>,
    /// The table, then its indexes; `None` where an index was deleted.
    pub(crate) resources: Vec<Option<Resource>>,
    pub(crate) mode: BillingMode,
    pub(crate) has_local_index: bool,
    pub(crate) switches_to_on_demand: Vec<Timestamp>,
    pub(crate) was_on_demand: bool,
    pub(crate) seed: u64,
    pub(crate) pending: Option<PendingUpdate>,
    /// The on-demand quota of the table and its indexes together, when the constants say so.
    pub(crate) shared_quota: PerDimension<Bucket>,
    now: i64,
    next_due: i64,
    #[cfg(test)]
    pub(crate) forgives_debt: bool,
}

impl TableCapacity {
    /// The capacity of a table that is as `spec` says at `now`, with one second of throughput in hand and no burst.
    pub fn new(spec: &TableSpec, constants: Arc<Constants>, now: Timestamp) -> Self {
        let moment = now.millis();
        let table = Resource::new(None, spec.mode, &spec.table, spec.seed, moment, &constants);
        let full = |units| Bucket::holding(Refill::new(units, constants.bucket_ms).capacity, moment);
        let mut capacity = Self {
            resources: vec![Some(table)],
            mode: spec.mode,
            has_local_index: spec.has_local_index,
            switches_to_on_demand: spec.switches_to_on_demand.clone(),
            was_on_demand: spec.was_on_demand || spec.mode == BillingMode::OnDemand,
            seed: spec.seed,
            pending: None,
            shared_quota: table_quota(&constants).map(full),
            now: moment,
            next_due: NEVER,
            constants,
            #[cfg(test)]
            forgives_debt: false,
        };
        for index in &spec.indexes {
            capacity.add_index(index, now);
        }
        capacity
    }

    /// The number of an index, for [`Ask`].
    pub fn index_id(&self, name: &str) -> Option<ResourceId> {
        let is_it = |resource: &Option<Resource>| {
            resource.as_ref().is_some_and(|resource| resource.name.as_deref() == Some(name))
        };
        self.resources.iter().position(is_it).map(ResourceId::at)
    }

    /// Whether the request may run. If so its floors are taken; if not nothing is, and the refusal is counted as a
    /// throttle event of the table or index that refused.
    ///
    /// Time never runs backwards here: a `now` before the latest one seen counts as that one.
    ///
    /// # Errors
    /// The first budget, in the order of `asks`, that has nothing left.
    ///
    /// # Panics
    /// When `asks` is empty.
    pub fn admit(&mut self, now: Timestamp, asks: &[Ask<'_>]) -> Result<Admission, Refusal> {
        let now = self.advance_to(now);
        let (first, rest) = asks.split_first().expect("a request asks for something");
        let first = self.check(now, first).map_err(|blocked| self.refuse(first, blocked, 1))?;
        let admission = Admission { first, more: self.check_all(now, rest)? };
        for (arm, ask) in admission.arms().zip(asks) {
            self.take_floors(now, arm, ask.place, 1);
        }
        Ok(admission)
    }

    /// Adds parts to an admitted request that became known later: the index entries that a write turns out to change.
    ///
    /// # Errors
    /// The first budget that has nothing left; then the whole request is refused, and its floors are given back.
    pub fn extend(
        &mut self,
        now: Timestamp,
        mut admission: Admission,
        asks: &[Ask<'_>],
    ) -> Result<Admission, Refusal> {
        let moment = self.advance_to(now);
        let known = admission.more.len();
        for ask in asks {
            match self.check(moment, ask) {
                Ok(arm) => admission.more.push(arm),
                Err(blocked) => {
                    admission.more.truncate(known);
                    self.release(now, admission);
                    return Err(self.refuse(ask, blocked, 1));
                }
            }
        }
        for (arm, ask) in admission.more[known..].iter().zip(asks) {
            self.take_floors(moment, arm, ask.place, 1);
        }
        Ok(admission)
    }

    /// Charges what the request cost beyond its floor, or gives back what it cost less.
    ///
    /// # Panics
    /// When `exact` has not one entry for each part of the admission.
    pub fn settle(&mut self, now: Timestamp, admission: Admission, exact: &[Exact]) {
        assert_eq!(admission.parts(), exact.len(), "one exact cost for each part of a request");
        let now = self.advance_to(now);
        for (arm, exact) in admission.arms().zip(exact) {
            self.settle_arm(now, arm, exact);
        }
    }

    /// Gives everything back: the request was not run, for a part of its transaction was refused.
    pub fn release(&mut self, now: Timestamp, admission: Admission) {
        let now = self.advance_to(now);
        for arm in admission.arms() {
            self.settle_arm(now, arm, &Exact::default());
            if let Some(resource) = &mut self.resources[arm.slot()] {
                resource.counters[arm.dimension].requests -= 1;
            }
        }
    }

    /// Counts that what is stored at a place grew by `bytes_delta`, or shrank: by writes, by time-to-live deletions that
    /// cost no units, by imports. A partition that is full begins to split.
    pub fn resize(&mut self, now: Timestamp, resource: ResourceId, place: Place<'_>, bytes_delta: i64) {
        let now = self.advance_to(now);
        let context = Context { constants: &self.constants, has_local_index: self.has_local_index };
        let Some(resource) = &mut self.resources[usize::from(resource.0)] else { return };
        resource.resize(now, place, bytes_delta, &context);
        self.next_due = self.next_due.min(resource.next_due);
    }

    /// The hashes at which the table's partitions begin at `now`, in order. Those that begin inside one partition key
    /// are left out.
    pub fn partition_starts(&mut self, now: Timestamp) -> Vec<u64> {
        self.advance_to(now);
        let table = self.resources[usize::from(ResourceId::TABLE.0)].iter();
        let starts = table.flat_map(|table| table.partitions.iter().map(|(_, partition)| &partition.start));
        starts.filter(|start| start.sort_key.is_empty()).map(|start| start.hash).collect()
    }

    /// Does everything that fell due by `now`. Every other call does this first; calling it without need changes nothing.
    pub fn advance(&mut self, now: Timestamp) {
        self.advance_to(now);
    }

    /// What was consumed in a whole minute before the current one: `minutes_ago` 1 is the last one that ended. `None`
    /// when the table is younger, or more than an hour back.
    pub fn minute(
        &self,
        now: Timestamp,
        resource: ResourceId,
        dimension: Dimension,
        minutes_ago: u32,
    ) -> Option<CapacityUnits> {
        self.resources[usize::from(resource.0)].as_ref()?.minute(now, i64::from(minutes_ago), dimension)
    }

    /// The table and its indexes as they are at `now`.
    pub fn report(&mut self, now: Timestamp) -> Vec<ResourceReport> {
        self.advance_to(now);
        self.resources.iter().flatten().map(|resource| resource.report(now, &self.constants)).collect()
    }

    pub(crate) fn advance_to(&mut self, now: Timestamp) -> i64 {
        self.now = self.now.max(now.millis());
        while self.next_due <= self.now {
            self.run_due(self.next_due);
        }
        #[cfg(test)]
        if self.forgives_debt {
            self.resources.iter_mut().flatten().for_each(Resource::forgive_debt);
        }
        self.now
    }

    fn run_due(&mut self, at: i64) {
        if let Some(pending) = self.pending.take_if(|pending| pending.ready_at <= at) {
            self.take_effect(pending, at);
        }
        let constants = self.constants.clone();
        for resource in self.resources.iter_mut().flatten() {
            if resource.next_due <= at {
                resource.run_due(at, &constants);
            }
        }
        self.find_next_due();
    }

    pub(crate) fn find_next_due(&mut self) {
        let own = self.pending.as_ref().map_or(NEVER, |pending| pending.ready_at);
        self.next_due = self.resources.iter().flatten().map(|resource| resource.next_due).fold(own, i64::min);
    }

    /// Tests several parts and counts a refusal.
    fn check_all(&mut self, now: i64, asks: &[Ask<'_>]) -> Result<Vec<Arm>, Refusal> {
        let check = |ask| self.check(now, ask).map_err(|blocked| self.refuse(ask, blocked, 1));
        asks.iter().map(check).collect()
    }

    /// Tests one part.
    pub(crate) fn check(&mut self, now: i64, ask: &Ask<'_>) -> Result<Arm, Blocked> {
        let mut arm = Arm::of(ask);
        let context = Context { constants: &self.constants, has_local_index: self.has_local_index };
        let Some(resource) = &mut self.resources[arm.slot()] else { return Ok(arm) };
        let want = ask.want();
        let checked = resource.check(now, &want, &context);
        self.next_due = self.next_due.min(resource.next_due);
        arm.partition = checked?;
        match self.shared_quota_passes(now, &want) {
            true => Ok(arm),
            false => Err(Blocked::by(Cause::AccountLimit)),
        }
    }

    /// Tests one part against the budgets of its table or index as a whole.
    pub(crate) fn check_whole(&mut self, now: i64, ask: &Ask<'_>) -> Result<Arm, Blocked> {
        let arm = Arm::of(ask);
        let Some(resource) = &mut self.resources[arm.slot()] else { return Ok(arm) };
        let want = ask.want();
        resource.check_whole(now, &want, &self.constants)?;
        match self.shared_quota_passes(now, &want) {
            true => Ok(arm),
            false => Err(Blocked::by(Cause::AccountLimit)),
        }
    }

    /// Takes the cost of `count` requests from the budgets of the whole, and counts them.
    pub(crate) fn take_from_whole(&mut self, now: i64, arm: &Arm, count: u64) {
        let halves = signed(arm.floor_halves.saturating_mul(count));
        self.take_shared(arm.dimension, halves);
        let Some(resource) = &mut self.resources[arm.slot()] else { return };
        resource.take_from_whole(now, arm.dimension, halves);
        resource.counters[arm.dimension].requests += count;
        self.next_due = self.next_due.min(resource.next_due);
    }

    /// Counts `count` refusals and words one.
    pub(crate) fn refuse(&mut self, ask: &Ask<'_>, blocked: Blocked, count: u64) -> Refusal {
        let mut refusal = Refusal {
            dimension: ask.dimension,
            cause: blocked.cause,
            index: None,
            mode: self.mode,
            account_limit_as_throttling: self.constants.account_limit_as_throttling == 1,
        };
        let Some(resource) = &mut self.resources[usize::from(ask.resource.0)] else { return refusal };
        refusal.index = resource.name.clone();
        resource.counters[ask.dimension].refuse(blocked.cause, count);
        // What a partition's own budget refused is load on that partition all the same.
        if let Some(number) = blocked.partition {
            let halves = ask.floor.halves().saturating_mul(count);
            let heat = &mut resource.partitions.get_mut(number).heat;
            heat.add_at(ask.dimension, halves, ask.place, &self.constants);
        }
        refusal
    }

    /// Takes the floors of `count` requests.
    pub(crate) fn take_floors(&mut self, now: i64, arm: &Arm, place: Place<'_>, count: u64) {
        let halves = arm.floor_halves.saturating_mul(count);
        self.take_shared(arm.dimension, signed(halves));
        let Some(resource) = &mut self.resources[arm.slot()] else { return };
        resource.take(now, arm.dimension, arm.partition, signed(halves));
        resource.counters[arm.dimension].requests += count;
        let heat = &mut resource.partitions.get_mut(arm.partition).heat;
        heat.add_at(arm.dimension, halves, place, &self.constants);
        self.next_due = self.next_due.min(resource.next_due);
    }

    fn settle_arm(&mut self, now: i64, arm: &Arm, exact: &Exact) {
        let rest = signed(exact.units.halves()) - signed(arm.floor_halves);
        if rest == 0 {
            return;
        }
        self.take_shared(arm.dimension, rest);
        let context = Context { constants: &self.constants, has_local_index: self.has_local_index };
        let Some(resource) = &mut self.resources[arm.slot()] else { return };
        resource.refill(now, arm.dimension, context.constants);
        resource.take_from_whole(now, arm.dimension, rest);
        let from_partition = |resource: &mut Resource, number, part: i64| {
            resource.touch(now, arm.dimension, number, &context);
            resource.take_from_partition(arm.dimension, number, part);
            let heat = &mut resource.partitions.get_mut(number).heat;
            heat.add(arm.dimension, part.max(0).unsigned_abs());
        };
        match exact.through_hash {
            None => from_partition(resource, arm.partition, rest),
            Some(through) => {
                for (number, part) in resource.partitions.spread(arm.partition, arm.hash, through, rest) {
                    from_partition(resource, number, part);
                }
            }
        }
        self.next_due = self.next_due.min(resource.next_due);
    }

    pub(crate) fn has_shared_quota(&self) -> bool {
        self.constants.quota_combined == 1 && self.mode == BillingMode::OnDemand
    }

    fn shared_quota_passes(&mut self, now: i64, want: &Want<'_>) -> bool {
        if !self.has_shared_quota() {
            return true;
        }
        let refill = Refill::new(table_quota(&self.constants)[want.dimension], self.constants.bucket_ms);
        let bucket = &mut self.shared_quota[want.dimension];
        bucket.refill(now, refill);
        bucket.passes(want.needed(&self.constants))
    }

    fn take_shared(&mut self, dimension: Dimension, halves: i64) {
        if self.has_shared_quota() {
            self.shared_quota[dimension].take(grains(halves));
        }
    }
}

pub(crate) fn signed(halves: u64) -> i64 {
    i64::try_from(halves).unwrap_or(i64::MAX)
}

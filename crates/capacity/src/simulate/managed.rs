//! A table as a setting has it: its capacity, its auto scaling, its bill.

use std::sync::Arc;

use dynamometer_types::Timestamp;

use super::outcome::Reason;
use super::setting::{Setting, Throughput};
use crate::Constants;
use crate::admission::{
    AccountUse, BillingMode, Cause, Counters, Dimension, IndexSpec, PerDimension, ResourceId, TableCapacity,
    TableSpec, TargetUpdate, ThroughputUpdate,
};
use crate::autoscaling::{Scaler, Scaling, TargetTracking};
use crate::money::{
    Bill, BillLine, HOURS_PER_MONTH, HourlyPeak, Money, PriceError, PriceItem, RESERVED_LOT, RegionPrices,
    TableClass, Usage, bill, reserved_unit_hours,
};

/// What a load asks of a table or index, in units per second.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Demand {
    /// The index; `None` for the table.
    pub name: Option<Arc<str>>,
    /// In the first minute.
    pub first: PerDimension<u64>,
    /// In the highest minute.
    pub peak: PerDimension<u64>,
}

/// The dimensions of one resource that auto scaling wants to change, and to what.
type Wanted = Vec<(usize, Scaling)>;

struct Scaled {
    slot: usize,
    dimension: Dimension,
    scaler: Scaler,
}

/// What a table or index has come to.
struct Sums {
    name: Option<Arc<str>>,
    counters: PerDimension<Counters>,
    hours: PerDimension<HourlyPeak>,
}

/// A table under a setting.
pub(crate) struct Managed {
    pub capacity: TableCapacity,
    setting: Setting,
    /// How it is billed: as set up.
    mode: BillingMode,
    constants: Arc<Constants>,
    started: Timestamp,
    /// The table, then its indexes by their numbers; the name of one that was removed is empty.
    names: Vec<Option<Arc<str>>>,
    /// What the indexes that were removed had come to.
    gone: Vec<Sums>,
    /// What indexes are asked that come later, by their numbers.
    later: Vec<Demand>,
    provisioned: Vec<PerDimension<u64>>,
    hours: Vec<PerDimension<HourlyPeak>>,
    /// The least units of all resources together so far.
    least: PerDimension<u64>,
    warm_raise: PerDimension<u64>,
    scalers: Vec<Scaled>,
    pub scalings: u64,
    pub scalings_refused: u64,
}

impl Managed {
    /// Sets the table up. `base` has what settings do not choose: bytes, local index, seed.
    pub(crate) fn new(
        setting: Setting,
        demands: &[Demand],
        base: &TableSpec,
        constants: Arc<Constants>,
        now: Timestamp,
    ) -> Self {
        let mut spec = TableSpec { indexes: Vec::new(), ..base.clone() };
        spec.mode = match setting.throughput {
            Throughput::Recorded => base.mode,
            Throughput::OnDemand | Throughput::Warm(_) => BillingMode::OnDemand,
            Throughput::Fixed(_) | Throughput::Scaled { .. } => BillingMode::Provisioned,
        };
        let mut managed = Self {
            capacity: TableCapacity::new(&spec, constants.clone(), now),
            setting,
            mode: spec.mode,
            constants,
            started: now,
            names: demands.iter().map(|demand| demand.name.clone()).collect(),
            gone: Vec::new(),
            later: Vec::new(),
            provisioned: Vec::new(),
            hours: Vec::new(),
            least: PerDimension::new(u64::MAX, u64::MAX),
            warm_raise: PerDimension::default(),
            scalers: Vec::new(),
            scalings: 0,
            scalings_refused: 0,
        };
        for demand in demands {
            let mut resource = match &demand.name {
                None => spec.table.clone(),
                Some(name) => {
                    let known = base.indexes.iter().find(|index| index.name == *name);
                    known.map(|index| index.resource.clone()).unwrap_or_default()
                }
            };
            managed.choose(managed.provisioned.len(), demand, &mut resource);
            managed.provisioned.push(resource.provisioned);
            managed.hours.push(resource.provisioned.map(|units| HourlyPeak::new(units, now)));
            match &demand.name {
                None => spec.table = resource,
                Some(name) => spec.indexes.push(IndexSpec { name: name.clone(), resource }),
            }
        }
        managed.note_least();
        managed.capacity = TableCapacity::new(&spec, managed.constants.clone(), now);
        managed
    }

    /// Counts money from then on, and not from when the table was made, if that was before.
    pub(crate) fn bill_from(&mut self, at: Timestamp) {
        let from = self.started.max(at);
        self.started = from;
        self.hours =
            self.provisioned.iter().map(|units| units.map(|units| HourlyPeak::new(units, from))).collect();
    }

    /// Says what the table and its indexes are asked, by their numbers, those too that come later.
    pub(crate) fn expect(&mut self, demands: Vec<Demand>) {
        self.later = demands;
    }

    /// Chooses the throughput of the resource of a number.
    fn choose(&mut self, slot: usize, demand: &Demand, resource: &mut crate::admission::ResourceSpec) {
        let constants = &self.constants;
        match self.setting.throughput {
            Throughput::Recorded | Throughput::OnDemand => {}
            Throughput::Warm(units) => {
                let quota =
                    PerDimension::new(constants.table_quota_read_units, constants.table_quota_write_units);
                let initial = PerDimension::new(
                    constants.on_demand_initial_read_units,
                    constants.on_demand_initial_write_units,
                );
                let enough = units.unwrap_or(demand.peak.map(|units| units + units.div_ceil(10)));
                let warm = PerDimension::new(enough.read.min(quota.read), enough.write.min(quota.write));
                resource.warm = warm.max_each(initial);
                for dimension in Dimension::BOTH {
                    self.warm_raise[dimension] += resource.warm[dimension] - initial[dimension];
                }
            }
            Throughput::Fixed(units) => {
                resource.provisioned = units.unwrap_or(demand.peak).max_each(PerDimension::new(1, 1));
            }
            Throughput::Scaled { target_percent, least, most, .. } => {
                for dimension in Dimension::BOTH {
                    let policy = TargetTracking {
                        target_basis_points: target_percent * 100,
                        least,
                        most,
                        disable_scale_in: false,
                        scale_out_cooldown_ms: 0,
                        scale_in_cooldown_ms: 0,
                    };
                    // Settings are read with a target and bounds that make sense.
                    let Ok(scaler) = Scaler::new(policy) else { continue };
                    let on_target = (demand.first[dimension] * 100).div_ceil(target_percent);
                    resource.provisioned[dimension] = scaler.within_bounds(on_target);
                    self.scalers.push(Scaled { slot, dimension, scaler });
                }
            }
        }
    }

    fn note_least(&mut self) {
        for dimension in Dimension::BOTH {
            let sum = self.provisioned.iter().map(|units| units[dimension]).sum();
            self.least[dimension] = self.least[dimension].min(sum);
        }
    }

    /// Lets auto scaling look, as it does each minute.
    pub(crate) fn close_minute(&mut self, now: Timestamp) {
        if self.scalers.is_empty() {
            return;
        }
        self.capacity.advance(now);
        let mut wanted = Wanted::new();
        for (number, scaled) in self.scalers.iter().enumerate() {
            let (resource, dimension) = (ResourceId::of_number(scaled.slot as u16), scaled.dimension);
            let minute = |ago| self.capacity.minute(now, resource, dimension, ago);
            let provisioned = self.provisioned[scaled.slot][dimension];
            if let Some(scaling) = scaled.scaler.evaluate(now, provisioned, minute, &self.constants) {
                wanted.push((number, scaling));
            }
        }
        if wanted.is_empty() || self.scale(now, &wanted) {
            return;
        }
        // One refused decrease refuses the whole call: what is to be raised is asked for by itself.
        self.scalings_refused += 1;
        wanted.retain(|(_, scaling)| matches!(scaling, Scaling::Out(_)));
        if !wanted.is_empty() {
            self.scale(now, &wanted);
        }
    }

    /// Changes what is wanted, all or nothing.
    fn scale(&mut self, now: Timestamp, wanted: &Wanted) -> bool {
        let mut provisioned = self.provisioned.clone();
        for (number, scaling) in wanted {
            let scaled = &self.scalers[*number];
            provisioned[scaled.slot][scaled.dimension] = scaling.to();
        }
        let changed: Vec<usize> =
            (0..provisioned.len()).filter(|slot| provisioned[*slot] != self.provisioned[*slot]).collect();
        let target = |slot: &usize| TargetUpdate {
            index: self.names[*slot].clone(),
            provisioned: Some(provisioned[*slot]),
            ..TargetUpdate::default()
        };
        let update = ThroughputUpdate { mode: None, targets: changed.iter().map(target).collect() };
        let account = AccountUse { region: "", table: "", provisioned_elsewhere: PerDimension::default() };
        let Ok(outcome) = self.capacity.update(now, &update, &account) else { return false };
        let in_force = outcome.ready_at.unwrap_or(now);
        for slot in changed {
            for dimension in Dimension::BOTH {
                self.hours[slot][dimension].set(provisioned[slot][dimension], in_force);
            }
        }
        for (number, scaling) in wanted {
            self.scalers[*number].scaler.made(now, *scaling);
        }
        self.scalings += wanted.len() as u64;
        self.provisioned = provisioned;
        self.note_least();
        true
    }

    /// Makes a change of throughput that a trace has.
    pub(crate) fn follow(&mut self, now: Timestamp, update: &ThroughputUpdate, elsewhere: PerDimension<u64>) {
        let account = AccountUse { region: "", table: "", provisioned_elsewhere: elsewhere };
        let Ok(outcome) = self.capacity.update(now, update, &account) else { return };
        let in_force = outcome.ready_at.unwrap_or(now);
        for target in &update.targets {
            let slot = self.names.iter().position(|name| *name == target.index);
            let (Some(slot), Some(units)) = (slot, target.provisioned) else { continue };
            self.provision(slot, units, in_force);
        }
        self.note_least();
    }

    /// Takes over settings that a trace has: all of them, or only which indexes there are. The bill goes on as it began: a table
    /// that changes its mode is still billed in the first.
    pub(crate) fn follow_spec(&mut self, now: Timestamp, spec: &TableSpec, with_throughput: bool) {
        // In the model's order: the number of an index that goes is given to one that comes.
        let is_gone = |name: &&Arc<str>| !spec.indexes.iter().any(|index| index.name == **name);
        let gone: Vec<Arc<str>> = self.names.iter().flatten().filter(is_gone).cloned().collect();
        gone.iter().for_each(|name| self.remove_index(name, now));
        for index in &spec.indexes {
            if !self.names.iter().flatten().any(|name| *name == index.name) {
                self.add_index(index, now);
            }
        }
        if !with_throughput {
            return;
        }
        self.capacity.follow(now, spec);
        let resources = std::iter::once((None, &spec.table));
        let resources =
            resources.chain(spec.indexes.iter().map(|index| (Some(&index.name), &index.resource)));
        for (name, resource) in resources {
            let Some(slot) = self.names.iter().position(|known| known.as_ref() == name) else { continue };
            self.provision(slot, resource.provisioned, now);
        }
        self.note_least();
    }

    /// Adds an index that a trace has.
    pub(crate) fn add_index(&mut self, index: &IndexSpec, now: Timestamp) {
        let mut resource = index.resource.clone();
        let freed = self.names.iter().position(|name| name.as_deref() == Some(""));
        let slot = freed.unwrap_or(self.names.len());
        let asked = self.later.get(slot).cloned().unwrap_or_default();
        let demand = Demand { name: Some(index.name.clone()), ..asked };
        self.choose(slot, &demand, &mut resource);
        let provisioned = resource.provisioned;
        self.capacity.add_index(&IndexSpec { name: index.name.clone(), resource }, now);
        let hours = provisioned.map(|units| HourlyPeak::new(units, now));
        if freed.is_some() {
            self.names[slot] = demand.name;
            self.provisioned[slot] = provisioned;
            self.hours[slot] = hours;
        } else {
            self.names.push(demand.name);
            self.provisioned.push(provisioned);
            self.hours.push(hours);
        }
    }

    /// Removes an index that a trace removes: what was counted on it stays, what is provisioned is not paid any more.
    pub(crate) fn remove_index(&mut self, name: &Arc<str>, now: Timestamp) {
        let slot = self.names.iter().position(|known| known.as_ref() == Some(name));
        let Some(slot) = slot.filter(|_| !name.is_empty()) else { return };
        self.provision(slot, PerDimension::default(), now);
        self.gone.push(self.sums_of(slot));
        self.capacity.remove_index(name);
        self.names[slot] = Some(Arc::from(""));
        self.hours[slot] = PerDimension::new(HourlyPeak::new(0, now), HourlyPeak::new(0, now));
        self.scalers.retain(|scaled| scaled.slot != slot);
        self.note_least();
    }

    fn provision(&mut self, slot: usize, units: PerDimension<u64>, now: Timestamp) {
        self.provisioned[slot] = units;
        for dimension in Dimension::BOTH {
            self.hours[slot][dimension].set(units[dimension], now);
        }
    }

    /// The table, its indexes, and those that were removed.
    fn sums(&self) -> impl Iterator<Item = Sums> {
        let gone = self.gone.iter().map(|gone| Sums { name: gone.name.clone(), ..*gone });
        (0..self.names.len()).map(|slot| self.sums_of(slot)).chain(gone)
    }

    fn sums_of(&self, slot: usize) -> Sums {
        let counters = self.capacity.counters(ResourceId::of_number(slot as u16));
        Sums { name: self.names[slot].clone(), counters, hours: self.hours[slot] }
    }

    /// Units consumed so far by all resources.
    pub(crate) fn consumed_halves(&self) -> PerDimension<u64> {
        let mut sum = PerDimension::default();
        for Sums { counters, .. } in self.sums() {
            sum.read += counters.read.consumed_halves;
            sum.write += counters.write.consumed_halves;
        }
        sum
    }

    pub(crate) fn resources(&self) -> impl Iterator<Item = ResourceId> + use<> {
        (0..self.names.len() as u16).map(ResourceId::of_number)
    }

    /// Adds why requests were refused.
    pub(crate) fn add_reasons(&self, reasons: &mut Vec<Reason>) {
        for Sums { name, counters, .. } in self.sums() {
            for dimension in Dimension::BOTH {
                for cause in Cause::ALL {
                    let count = counters[dimension].refusals(cause);
                    if count > 0 {
                        reasons.push(Reason { index: name.clone(), dimension, cause, count });
                    }
                }
            }
        }
    }

    /// The bill until `end`, what it makes in a month, and what is paid once.
    pub(crate) fn bill(
        &self,
        end: Timestamp,
        storage_bytes: u64,
        prices: &RegionPrices<'_>,
    ) -> Result<(Bill, Money, Money), PriceError> {
        let millis = (end - self.started).unsigned_abs().max(1);
        let seconds = millis.div_ceil(1_000);
        // Hours of the clock that were begun: what was provisioned is paid for all of each.
        let hour = |at: Timestamp| at.millis().div_euclid(3_600_000);
        let hours_begun = (hour(end + -1) - hour(self.started)).unsigned_abs() + 1;
        let mut lines = Vec::new();
        for Sums { counters, hours, .. } in self.sums() {
            let usage = Usage {
                mode: self.mode,
                consumed: PerDimension::new(counters.read.consumed(), counters.write.consumed()),
                // The last hour has ended: without a millisecond less another would have begun.
                provisioned_unit_seconds: hours.map(|hours| hours.unit_seconds(end + -1)),
                ..Usage::default()
            };
            add_lines(&mut lines, bill(&usage, prices)?.lines);
        }
        let mut throughput = Bill { lines };
        if let Throughput::Scaled { reserved: Some(term), .. } = self.setting.throughput {
            self.reserve(term, hours_begun, prices, &mut throughput)?;
        }
        let period_millis = match self.mode {
            BillingMode::OnDemand => millis,
            BillingMode::Provisioned => hours_begun * 3_600_000,
        };
        let month_seconds = u128::from(HOURS_PER_MONTH) * 3_600;
        let stored = |seconds: u128| {
            let storage_byte_seconds = u128::from(storage_bytes) * seconds;
            bill(&Usage { storage_byte_seconds, ..Usage::default() }, prices)
        };
        let month = throughput.total().times(month_seconds * 1_000, u128::from(period_millis))
            + stored(month_seconds)?.total();
        let warming = bill(&Usage { warm_raise: self.warm_raise, ..Usage::default() }, prices)?;
        let once = warming.total();
        throughput.lines.extend(stored(u128::from(seconds))?.lines);
        throughput.lines.extend(warming.lines);
        Ok((throughput, month, once))
    }

    /// Replaces the hourly price of the full lots that were always there by the reserved one.
    fn reserve(
        &self,
        term: crate::money::ReservedTerm,
        hours: u64,
        prices: &RegionPrices<'_>,
        bill: &mut Bill,
    ) -> Result<(), PriceError> {
        let class = TableClass::Standard;
        for (dimension, item) in
            [(Dimension::Read, PriceItem::RcuHour), (Dimension::Write, PriceItem::WcuHour)]
        {
            let lots = self.least[dimension] / RESERVED_LOT;
            let quantity = u128::from(lots * RESERVED_LOT) * u128::from(hours);
            if quantity == 0 {
                continue;
            }
            let plain = prices.price(item, class)?.of(quantity, 1);
            let reserved = reserved_unit_hours(prices, dimension, term, quantity)?;
            // What of the hours is charged at the lower price, and what that saves.
            bill.lines.push(BillLine { item, class, quantity, divisor: 1, amount: reserved - plain });
        }
        Ok(())
    }
}

/// Adds lines to those of the other resources, item by item.
fn add_lines(lines: &mut Vec<BillLine>, more: Vec<BillLine>) {
    for line in more {
        let same = |known: &&mut BillLine| known.item == line.item && known.divisor == line.divisor;
        match lines.iter_mut().find(same) {
            Some(known) => {
                known.quantity += line.quantity;
                known.amount += line.amount;
            }
            None => lines.push(line),
        }
    }
}

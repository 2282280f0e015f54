//! What a design costs: by pattern, entity, table and index; in every plan; as it grows; and what would halve it.
//!
//! Units come from [`crate::plan`], prices and plans from `dynamometer-capacity::money`: there is no arithmetic of money here
//! but sums.

mod advice;
mod growth;

use dynamometer_capacity::CapacityUnits;
use dynamometer_capacity::admission::{BillingMode, Dimension, PerDimension};
use dynamometer_capacity::money::{
    Money, PriceError, QuoteLoad, QuotePlan, RegionPrices, ReservedTerm, TableClass, Usage, bill,
    billed_storage_bytes, quote,
};

use crate::derive::{ALL_PPM, Derived};
use crate::load::{Load, MONTH_SECONDS, units_a_month};
use crate::model::{Action, Design, Target, WriteKind};
use crate::plan::{Arm, Served, Service, member_arms};

pub use advice::{Advice, advise};
pub use growth::{MonthPoint, growth};

/// The share to which provisioned throughput is used under auto scaling, in parts per million.
pub const TARGET_PPM: u64 = 700_000;

/// What a design costs.
#[derive(Clone, Debug)]
pub struct Costs {
    /// By pattern, in the order of the design; nothing for one that is not served.
    pub patterns: Vec<PatternCost>,
    /// By entity, in the order of the design.
    pub entities: Vec<EntityCost>,
    /// By table and index.
    pub targets: Vec<TargetCost>,
    /// The whole in every plan.
    pub plans: Vec<PlanCost>,
    /// Continuous backups, in any plan.
    pub recovery: Money,
    /// Now, and in each of the 36 months to come.
    pub months: Vec<MonthPoint>,
    /// What would make the dearest pattern cheaper.
    pub advice: Option<Advice>,
    /// Entities whose number of items is not said, and whose storage is therefore not in here.
    pub without_count: Vec<usize>,
}

/// What a pattern costs on demand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PatternCost {
    /// Units in a month.
    pub consumed: PerDimension<CapacityUnits>,
    /// Dollars in a month.
    pub month: Money,
}

/// What an entity costs on demand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EntityCost {
    /// Its reads. What reads several entities is shared evenly.
    pub reads: Money,
    /// Its writes, indexes included.
    pub writes: Money,
    /// Its storage, indexes included.
    pub storage: Money,
}

/// What a table or an index costs on demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetCost {
    /// The table or index.
    pub target: Target,
    /// Units in a month.
    pub consumed: PerDimension<CapacityUnits>,
    /// Its throughput on demand.
    pub throughput: Money,
    /// Bytes stored, overhead included.
    pub storage_bytes: u64,
    /// Its storage.
    pub storage: Money,
    /// Of an index: its write units in parts per million of its table's.
    pub amplification_ppm: Option<u64>,
}

/// What the whole costs in a plan.
#[derive(Clone, Debug)]
pub struct PlanCost {
    /// What the plan is called.
    pub name: &'static str,
    /// Throughput and storage; a sentence where a price lacks.
    pub month: Result<(Money, Money), String>,
    /// What is reserved.
    pub reserved: PerDimension<u64>,
    /// What is paid up-front for it.
    pub upfront: Money,
}

/// Bytes that are billed as storage of a table or an index, as far as counts are said.
pub fn storage_bytes(derived: &Derived<'_>, target: Target) -> u64 {
    let of_entity = |at: usize| {
        let entity = &derived.design.entities[at];
        derived.count(entity).map_or(0, |count| entity_storage(derived, at, target, count))
    };
    derived.design.entities_of(target.table).map(|(at, _)| of_entity(at)).fold(0, u64::saturating_add)
}

/// Bytes that so many items of an entity are billed for in a table or an index.
pub(crate) fn entity_storage(derived: &Derived<'_>, entity: usize, target: Target, count: u64) -> u64 {
    let entity = &derived.design.entities[entity];
    let present = entity.present_ppm(derived.design.keys(target));
    let items = (u128::from(count) * u128::from(present) / u128::from(ALL_PPM)) as u64;
    billed_storage_bytes(items, items.saturating_mul(derived.entry_bytes(entity, target)))
}

/// A month of a table with its indexes, as [`quote`] wants it.
pub fn quote_load(derived: &Derived<'_>, load: &Load, table: usize) -> QuoteLoad {
    let mut sum = QuoteLoad { peak_halves: Some(PerDimension::default()), ..QuoteLoad::default() };
    for (target, of_target) in load.targets.iter().filter(|(target, _)| target.table == table) {
        for dimension in Dimension::BOTH {
            sum.consumed[dimension] += of_target.month[dimension];
            if let Some(peak) = &mut sum.peak_halves {
                peak[dimension] += of_target.peak_milli[dimension].div_ceil(500);
            }
        }
        sum.storage_bytes = sum.storage_bytes.saturating_add(storage_bytes(derived, *target));
    }
    sum
}

/// Prices a design.
///
/// # Errors
/// When the region lacks a price that on-demand throughput or storage needs. Plans that lack one say so.
pub fn cost(
    derived: &Derived<'_>,
    services: &[Service],
    load: &Load,
    prices: &RegionPrices<'_>,
) -> Result<Costs, PriceError> {
    let design = derived.design;
    let patterns = services
        .iter()
        .enumerate()
        .map(|(at, service)| pattern_cost(design, at, service, prices))
        .collect::<Result<Vec<_>, _>>()?;
    let targets = design
        .targets()
        .into_iter()
        .map(|target| target_cost(derived, load, target, prices))
        .collect::<Result<Vec<_>, _>>()?;
    let without_count =
        (0..design.entities.len()).filter(|at| design.entities[*at].count.is_none()).collect();
    Ok(Costs {
        entities: entity_costs(derived, services, prices)?,
        plans: plans(derived, load, prices),
        recovery: recovery(derived, prices)?,
        months: growth(derived, load, prices)?,
        advice: advise(design, &patterns, prices),
        patterns,
        targets,
        without_count,
    })
}

/// The price on demand of units of a table's class.
fn on_demand(
    consumed: PerDimension<CapacityUnits>,
    class: TableClass,
    prices: &RegionPrices<'_>,
) -> Result<Money, PriceError> {
    let usage = Usage { mode: BillingMode::OnDemand, class, consumed, ..Usage::default() };
    Ok(bill(&usage, prices)?.total())
}

/// The price of so many bytes for a month.
fn storage(bytes: u64, class: TableClass, prices: &RegionPrices<'_>) -> Result<Money, PriceError> {
    let storage_byte_seconds = u128::from(bytes) * u128::from(MONTH_SECONDS);
    Ok(bill(&Usage { class, storage_byte_seconds, ..Usage::default() }, prices)?.total())
}

/// What a pattern costs on demand.
///
/// # Errors
/// When a price lacks.
pub fn pattern_cost(
    design: &Design,
    pattern: usize,
    service: &Service,
    prices: &RegionPrices<'_>,
) -> Result<PatternCost, PriceError> {
    let mut cost = PatternCost::default();
    let rate = design.patterns[pattern].average_micro();
    for arm in service.served().map_or(&[][..], |served| &served.arms) {
        let mut consumed = PerDimension::default();
        consumed[arm.dimension] = units_a_month(arm.milli_halves, rate);
        cost.consumed[arm.dimension] += consumed[arm.dimension];
        cost.month += on_demand(consumed, design.tables[arm.target.table].class, prices)?;
    }
    Ok(cost)
}

/// What a pattern costs on demand when a call consumes so many thousandths of half units.
///
/// # Errors
/// When a price lacks.
pub fn measured_cost(
    design: &Design,
    pattern: usize,
    milli_halves: u64,
    prices: &RegionPrices<'_>,
) -> Result<Money, PriceError> {
    let of = &design.patterns[pattern];
    let (dimension, table) = match &of.action {
        Action::Read(read) => (Dimension::Read, read.target.table),
        Action::Write(write) => {
            let entity = write.members.first().map(|member| member.entity.value);
            (Dimension::Write, entity.map_or(0, |entity| design.entities[entity].table))
        }
    };
    let mut consumed = PerDimension::default();
    consumed[dimension] = units_a_month(milli_halves, of.average_micro());
    on_demand(consumed, design.tables[table].class, prices)
}

/// What all items and entries cost to store for a month, as far as counts are said.
///
/// # Errors
/// When a price lacks.
pub fn storage_cost(derived: &Derived<'_>, prices: &RegionPrices<'_>) -> Result<Money, PriceError> {
    let mut sum = Money::ZERO;
    for target in derived.design.targets() {
        let class = derived.design.tables[target.table].class;
        sum += storage(storage_bytes(derived, target), class, prices)?;
    }
    Ok(sum)
}

fn target_cost(
    derived: &Derived<'_>,
    load: &Load,
    target: Target,
    prices: &RegionPrices<'_>,
) -> Result<TargetCost, PriceError> {
    let class = derived.design.tables[target.table].class;
    let consumed = load.targets.get(&target).map(|load| load.month).unwrap_or_default();
    let table = load.targets.get(&Target::table(target.table)).map_or(0, |load| load.month.write.halves());
    let storage_bytes = storage_bytes(derived, target);
    let share = (u128::from(consumed.write.halves()) * u128::from(ALL_PPM)).checked_div(u128::from(table));
    Ok(TargetCost {
        target,
        consumed,
        throughput: on_demand(consumed, class, prices)?,
        storage_bytes,
        storage: storage(storage_bytes, class, prices)?,
        amplification_ppm: target.index.and(share).map(|share| share as u64),
    })
}

fn entity_costs(
    derived: &Derived<'_>,
    services: &[Service],
    prices: &RegionPrices<'_>,
) -> Result<Vec<EntityCost>, PriceError> {
    let design = derived.design;
    let mut costs = vec![EntityCost::default(); design.entities.len()];
    for (pattern, service) in design.patterns.iter().zip(services) {
        let Some(served) = service.served() else { continue };
        for (entity, arm, share) in parts(derived, &pattern.action, served) {
            let mut consumed = PerDimension::default();
            consumed[arm.dimension] = units_a_month(arm.milli_halves / share, pattern.average_micro());
            let amount = on_demand(consumed, design.tables[arm.target.table].class, prices)?;
            match arm.dimension {
                Dimension::Read => costs[entity].reads += amount,
                Dimension::Write => costs[entity].writes += amount,
            }
        }
    }
    for target in design.targets() {
        for (at, entity) in design.entities_of(target.table) {
            let bytes = derived.count(entity).map_or(0, |count| entity_storage(derived, at, target, count));
            costs[at].storage += storage(bytes, design.tables[target.table].class, prices)?;
        }
    }
    Ok(costs)
}

/// What a pattern consumes by entity: the arm, and how many share it.
fn parts(derived: &Derived<'_>, action: &Action, served: &Served) -> Vec<(usize, Arm, u64)> {
    match action {
        Action::Read(_) => {
            let shares = (served.entities.len() as u64).max(1);
            let arms =
                |entity: &usize| served.arms.iter().map(|arm| (*entity, *arm, shares)).collect::<Vec<_>>();
            served.entities.iter().flat_map(arms).collect()
        }
        Action::Write(write) => {
            let times = if let WriteKind::Batch(items) = write.kind { items } else { 1 };
            let of_member = |member| {
                let arms = member_arms(derived, write, member).into_iter();
                arms.map(move |arm| Arm { milli_halves: arm.milli_halves.saturating_mul(times), ..arm })
            };
            let members = write.members.iter();
            members.flat_map(|member| of_member(member).map(|arm| (member.entity.value, arm, 1))).collect()
        }
    }
}

/// The whole in every plan. Reservations are of the account, so that tables share their lots.
pub fn plans(derived: &Derived<'_>, load: &Load, prices: &RegionPrices<'_>) -> Vec<PlanCost> {
    let loads: Vec<QuoteLoad> =
        (0..derived.design.tables.len()).map(|table| quote_load(derived, load, table)).collect();
    let mut whole = QuoteLoad::default();
    for load in &loads {
        for dimension in Dimension::BOTH {
            whole.consumed[dimension] += load.consumed[dimension];
        }
        whole.storage_bytes = whole.storage_bytes.saturating_add(load.storage_bytes);
    }
    let ia = TableClass::StandardInfrequentAccess;
    let plans = [
        ("on-demand", QuotePlan::OnDemand(TableClass::Standard)),
        ("provisioned, 70 %", QuotePlan::Provisioned(TableClass::Standard, TARGET_PPM)),
        ("reserved 1 y, 70 %", QuotePlan::Reserved(ReservedTerm::OneYear, TARGET_PPM)),
        ("reserved 3 y, 70 %", QuotePlan::Reserved(ReservedTerm::ThreeYears, TARGET_PPM)),
        ("Standard-IA, on-demand", QuotePlan::OnDemand(ia)),
        ("Standard-IA, 70 %", QuotePlan::Provisioned(ia, TARGET_PPM)),
    ];
    let price = |(name, plan): (&'static str, QuotePlan)| match quote(prices, &whole, plan) {
        Ok(quote) => PlanCost {
            name,
            month: Ok((quote.throughput, quote.storage)),
            reserved: quote.reserved,
            upfront: quote.upfront,
        },
        Err(error) => PlanCost {
            name,
            month: Err(error.to_string()),
            reserved: PerDimension::default(),
            upfront: Money::ZERO,
        },
    };
    plans.into_iter().map(price).collect()
}

/// Continuous backups of the tables that have them, local indexes included.
fn recovery(derived: &Derived<'_>, prices: &RegionPrices<'_>) -> Result<Money, PriceError> {
    let mut sum = Money::ZERO;
    for (at, table) in derived.design.tables.iter().enumerate() {
        if !table.recovery.as_ref().is_some_and(|recovery| recovery.value) {
            continue;
        }
        let targets = derived.design.targets().into_iter();
        let own = targets.filter(|target| derived.design.capacity_of(*target) == Target::table(at));
        let bytes: u64 = own.map(|target| storage_bytes(derived, target)).fold(0, u64::saturating_add);
        let pitr_byte_seconds = u128::from(bytes) * u128::from(MONTH_SECONDS);
        sum += bill(&Usage { class: table.class, pitr_byte_seconds, ..Usage::default() }, prices)?.total();
    }
    Ok(sum)
}

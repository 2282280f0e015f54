//! The months to come: more items, and more traffic.
//!
//! Items grow as `growth` says, or else by what the patterns put and delete; those that expire stay at what their life makes
//! of the puts. Traffic grows by `traffic-growth`, compound.

use dynamometer_capacity::CapacityUnits;
use dynamometer_capacity::admission::{Dimension, PerDimension};
use dynamometer_capacity::money::{Money, PriceError, QuoteLoad, QuotePlan, RegionPrices, quote};

use super::{TARGET_PPM, entity_storage};
use crate::derive::{ALL_PPM, Derived};
use crate::load::{Load, MONTH_SECONDS};
use crate::model::{Action, Growth, MemberKind, WriteKind};

/// How far it is looked ahead.
pub const MONTHS: u32 = 36;

/// A month to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonthPoint {
    /// How many months from now.
    pub month: u32,
    /// Bytes stored, overhead included.
    pub storage_bytes: u64,
    /// The storage's price.
    pub storage: Money,
    /// Throughput on demand, in each table's class.
    pub on_demand: Money,
    /// Throughput provisioned at 70 %.
    pub provisioned: Money,
}

/// Now, and each month to come.
///
/// # Errors
/// When a price lacks.
pub fn growth(
    derived: &Derived<'_>,
    load: &Load,
    prices: &RegionPrices<'_>,
) -> Result<Vec<MonthPoint>, PriceError> {
    (0..=MONTHS).map(|month| point(derived, load, prices, month)).collect()
}

fn point(
    derived: &Derived<'_>,
    load: &Load,
    prices: &RegionPrices<'_>,
    month: u32,
) -> Result<MonthPoint, PriceError> {
    let design = derived.design;
    let traffic_ppm = compound(ALL_PPM, design.traffic_growth_ppm, month);
    let mut point = MonthPoint {
        month,
        storage_bytes: 0,
        storage: Money::ZERO,
        on_demand: Money::ZERO,
        provisioned: Money::ZERO,
    };
    for (at, table) in design.tables.iter().enumerate() {
        let mut of_table = QuoteLoad::default();
        for (target, of_target) in load.targets.iter().filter(|(target, _)| target.table == at) {
            for dimension in Dimension::BOTH {
                let halves = u128::from(of_target.month[dimension].halves()) * u128::from(traffic_ppm);
                of_table.consumed[dimension] +=
                    CapacityUnits::from_halves((halves / u128::from(ALL_PPM)) as u64);
            }
            for (entity, _) in design.entities_of(at) {
                let count = items_at(derived, entity, month).unwrap_or(0);
                of_table.storage_bytes =
                    of_table.storage_bytes.saturating_add(entity_storage(derived, entity, *target, count));
            }
        }
        let on_demand = quote(prices, &of_table, QuotePlan::OnDemand(table.class))?;
        let provisioned = quote(prices, &of_table, QuotePlan::Provisioned(table.class, TARGET_PPM))?;
        point.storage_bytes = point.storage_bytes.saturating_add(of_table.storage_bytes);
        point.storage += on_demand.storage;
        point.on_demand += on_demand.throughput;
        point.provisioned += provisioned.throughput;
    }
    Ok(point)
}

/// An amount that grows by parts per million each month.
fn compound(amount: u64, ppm: u64, months: u32) -> u64 {
    let grown = (0..months).fold(u128::from(amount), |amount, _| {
        amount.saturating_add(amount * u128::from(ppm) / u128::from(ALL_PPM))
    });
    u64::try_from(grown).unwrap_or(u64::MAX)
}

/// How many items of an entity there will be; `None` where nothing tells.
pub fn items_at(derived: &Derived<'_>, entity: usize, month: u32) -> Option<u64> {
    let of = &derived.design.entities[entity];
    let count = derived.count(of);
    let added = added_micro(derived, entity);
    let growing = |micro: u64| {
        let items = u128::from(micro) * u128::from(MONTH_SECONDS) * u128::from(month) / 1_000_000;
        u64::try_from(items).unwrap_or(u64::MAX)
    };
    let grown = match of.growth {
        Some(Growth::MonthlyPpm(ppm)) => compound(count?, ppm, month),
        Some(Growth::PerSecondMicro(micro)) => count.unwrap_or(0).saturating_add(growing(micro)),
        None if added == PerDimension::default() => return count,
        None => {
            let more = growing(added.write).saturating_sub(growing(added.read));
            count.unwrap_or(0).saturating_add(more)
        }
    };
    let Some(life) = &of.expires_after else { return Some(grown) };
    // What expires is at most what comes in a life.
    let comes = match of.growth {
        Some(Growth::PerSecondMicro(micro)) => micro,
        _ => added.write,
    };
    let steady = whole(u128::from(comes) * u128::from(life.value) / 1_000_000);
    Some(grown.min(steady.max(count.unwrap_or(0))))
}

/// What does not fit is as much as fits.
fn whole(amount: u128) -> u64 {
    u64::try_from(amount).unwrap_or(u64::MAX)
}

/// New items (in `write`) and deleted ones (in `read`), in millionths per second.
fn added_micro(derived: &Derived<'_>, entity: usize) -> PerDimension<u64> {
    let mut sums = PerDimension::new(0_u64, 0_u64);
    for pattern in &derived.design.patterns {
        let Action::Write(write) = &pattern.action else { continue };
        let times = if let WriteKind::Batch(items) = write.kind { items } else { 1 };
        let succeeds = ALL_PPM - write.fails_ppm.as_ref().map_or(0, |share| share.value.min(ALL_PPM));
        let rate = u128::from(pattern.average_micro()) * u128::from(times) * u128::from(succeeds)
            / u128::from(ALL_PPM);
        for member in write.members.iter().filter(|member| member.entity.value == entity) {
            match member.kind {
                MemberKind::Put => {
                    let new =
                        rate * u128::from(ALL_PPM - write.replaces_ppm.min(ALL_PPM)) / u128::from(ALL_PPM);
                    sums.write = sums.write.saturating_add(whole(new));
                }
                MemberKind::Delete => sums.read = sums.read.saturating_add(whole(rate)),
                MemberKind::Update | MemberKind::Check => {}
            }
        }
    }
    sums
}

//! On-demand or provisioned, Standard or Standard-IA, reserved or not.
//!
//! Shares are given in parts per million: 290,000 is a utilisation of 0.29.

use thiserror::Error;

use super::usage::HOURS_PER_MONTH;
use super::{Money, PriceError, PriceItem, RegionPrices, TableClass, Usage, bill};
use crate::CapacityUnits;
use crate::admission::{BillingMode, Dimension, PerDimension};

const MILLION: u128 = 1_000_000;
const SECONDS_PER_HOUR: u128 = 3_600;
const HOURS_PER_YEAR: u128 = 8_760;

/// A comparison that cannot be made.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CompareError {
    /// The utilisation is no share.
    #[error(
        "the utilization must be above 0 and at most 1 (1000000 parts per million), not {0} parts per million"
    )]
    Utilization(u64),
    /// A price is missing.
    #[error(transparent)]
    Price(#[from] PriceError),
}

/// The price of a million consumed units in either mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// On demand.
    pub on_demand: Money,
    /// Provisioned, at the utilisation that was asked for.
    pub provisioned: Money,
}

impl Comparison {
    /// The cheaper mode; on-demand when they cost the same.
    pub fn cheaper(&self) -> BillingMode {
        match self.provisioned < self.on_demand {
            true => BillingMode::Provisioned,
            false => BillingMode::OnDemand,
        }
    }
}

/// What a million consumed units cost on demand, and provisioned when the throughput is used to a share of
/// `utilization_ppm`.
///
/// # Errors
/// When the utilisation is 0 or above 1, or a price is missing.
pub fn compare_per_million(
    prices: &RegionPrices<'_>,
    dimension: Dimension,
    class: TableClass,
    utilization_ppm: u64,
) -> Result<Comparison, CompareError> {
    if utilization_ppm == 0 || utilization_ppm > 1_000_000 {
        return Err(CompareError::Utilization(utilization_ppm));
    }
    let on_demand = prices.price(request_unit(dimension), class)?.of(MILLION, 1);
    let hours = MILLION * MILLION;
    let used_per_hour = SECONDS_PER_HOUR * u128::from(utilization_ppm);
    let provisioned = prices.price(unit_hour(dimension), class)?.of(hours, used_per_hour);
    Ok(Comparison { on_demand, provisioned })
}

/// How many times more a unit costs on demand than provisioned and fully used, in parts per million: 3,461,538.
///
/// # Errors
/// When a price is missing.
pub fn on_demand_ratio_ppm(
    prices: &RegionPrices<'_>,
    dimension: Dimension,
    class: TableClass,
) -> Result<u64, CompareError> {
    let full = compare_per_million(prices, dimension, class, 1_000_000)?;
    Ok(ratio_ppm(full.on_demand, full.provisioned))
}

/// The utilisation from which on provisioned throughput is cheaper, in parts per million: 288,889.
///
/// # Errors
/// When a price is missing.
pub fn break_even_ppm(
    prices: &RegionPrices<'_>,
    dimension: Dimension,
    class: TableClass,
) -> Result<u64, CompareError> {
    let full = compare_per_million(prices, dimension, class, 1_000_000)?;
    Ok(ratio_ppm(full.provisioned, full.on_demand))
}

/// One amount in parts per million of another, rounded; 0 of nothing.
fn ratio_ppm(one: Money, other: Money) -> u64 {
    let (one, other) = (one.picos().unsigned_abs(), other.picos().unsigned_abs());
    let rounded = (one * MILLION + other / 2).checked_div(other).unwrap_or(0);
    u64::try_from(rounded).unwrap_or(u64::MAX)
}

/// How long throughput is reserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReservedTerm {
    /// One year.
    OneYear,
    /// Three years.
    ThreeYears,
}

impl ReservedTerm {
    const fn years(self) -> u128 {
        match self {
            Self::OneYear => 1,
            Self::ThreeYears => 3,
        }
    }

    pub(crate) const fn items(self, dimension: Dimension) -> (PriceItem, PriceItem) {
        match (self, dimension) {
            (Self::OneYear, Dimension::Read) => {
                (PriceItem::Reserved1yRcuUpfront, PriceItem::Reserved1yRcuHour)
            }
            (Self::OneYear, Dimension::Write) => {
                (PriceItem::Reserved1yWcuUpfront, PriceItem::Reserved1yWcuHour)
            }
            (Self::ThreeYears, Dimension::Read) => {
                (PriceItem::Reserved3yRcuUpfront, PriceItem::Reserved3yRcuHour)
            }
            (Self::ThreeYears, Dimension::Write) => {
                (PriceItem::Reserved3yWcuUpfront, PriceItem::Reserved3yWcuHour)
            }
        }
    }
}

/// What a reserved unit costs for an hour, the up-front payment spread over the term. It is due whether used or not.
///
/// # Errors
/// When a price is missing.
pub fn reserved_per_unit_hour(
    prices: &RegionPrices<'_>,
    dimension: Dimension,
    term: ReservedTerm,
) -> Result<Money, PriceError> {
    reserved_unit_hours(prices, dimension, term, 1)
}

/// What so many reserved units times hours cost, the up-front payment spread over the term.
pub(crate) fn reserved_unit_hours(
    prices: &RegionPrices<'_>,
    dimension: Dimension,
    term: ReservedTerm,
    unit_hours: u128,
) -> Result<Money, PriceError> {
    let (upfront, hourly) = term.items(dimension);
    let upfront = prices.price(upfront, TableClass::Standard)?;
    let hourly = prices.price(hourly, TableClass::Standard)?;
    Ok(upfront.of(unit_hours, HOURS_PER_YEAR * term.years()) + hourly.of(unit_hours, 1))
}

/// What a reservation saves against the plain provisioned price, in parts per million.
///
/// # Errors
/// When a price is missing.
pub fn reserved_saving_ppm(
    prices: &RegionPrices<'_>,
    dimension: Dimension,
    term: ReservedTerm,
) -> Result<u64, PriceError> {
    let plain = prices.price(unit_hour(dimension), TableClass::Standard)?.of(1, 1);
    Ok(ratio_ppm(plain - reserved_per_unit_hour(prices, dimension, term)?, plain))
}

/// A month of a table or of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonthlyLoad {
    /// Units consumed in the month.
    pub consumed: PerDimension<CapacityUnits>,
    /// Bytes stored on average, overhead included.
    pub storage_bytes: u64,
    /// To what share provisioned throughput would be used, in parts per million: 700,000 is the usual target of auto
    /// scaling when the load is smooth enough to follow.
    pub utilization_ppm: u64,
}

/// A way to pay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Plan {
    /// Requests are paid one by one.
    OnDemand(TableClass),
    /// Throughput is paid by the hour.
    Provisioned(TableClass),
    /// Throughput is paid by the hour, its full hundreds reserved. Standard class only.
    Reserved(ReservedTerm),
}

/// What a month costs in a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanCost {
    /// The plan.
    pub plan: Plan,
    /// Reads and writes.
    pub throughput: Money,
    /// Storage.
    pub storage: Money,
    /// Units per second that would be provisioned; zero on demand.
    pub provisioned: PerDimension<u64>,
}

impl PlanCost {
    /// Both together.
    pub fn total(&self) -> Money {
        self.throughput + self.storage
    }
}

/// Reserved throughput comes in lots of so many units.
pub(crate) const RESERVED_LOT: u64 = 100;

/// A month in every plan that the region has prices for, the cheapest first. Free tier and one-time charges are left
/// out.
///
/// # Errors
/// When the utilisation is 0 or above 1.
pub fn compare_plans(prices: &RegionPrices<'_>, load: &MonthlyLoad) -> Result<Vec<PlanCost>, CompareError> {
    if load.utilization_ppm == 0 || load.utilization_ppm > 1_000_000 {
        return Err(CompareError::Utilization(load.utilization_ppm));
    }
    let plans = [
        Plan::OnDemand(TableClass::Standard),
        Plan::OnDemand(TableClass::StandardInfrequentAccess),
        Plan::Provisioned(TableClass::Standard),
        Plan::Provisioned(TableClass::StandardInfrequentAccess),
        Plan::Reserved(ReservedTerm::OneYear),
        Plan::Reserved(ReservedTerm::ThreeYears),
    ];
    let mut costs: Vec<PlanCost> =
        plans.iter().filter_map(|plan| plan_cost(prices, load, *plan).ok()).collect();
    costs.sort_by_key(PlanCost::total);
    Ok(costs)
}

fn plan_cost(prices: &RegionPrices<'_>, load: &MonthlyLoad, plan: Plan) -> Result<PlanCost, PriceError> {
    let (mode, class) = match plan {
        Plan::OnDemand(class) => (BillingMode::OnDemand, class),
        Plan::Provisioned(class) => (BillingMode::Provisioned, class),
        Plan::Reserved(_) => (BillingMode::Provisioned, TableClass::Standard),
    };
    let month_seconds = u128::from(HOURS_PER_MONTH) * SECONDS_PER_HOUR;
    let provisioned = match mode {
        BillingMode::OnDemand => PerDimension::default(),
        BillingMode::Provisioned => load.consumed.map(|units| provisioned_for(units, load.utilization_ppm)),
    };
    let usage = Usage {
        mode,
        class,
        consumed: load.consumed,
        provisioned_unit_seconds: provisioned.map(|units| u128::from(units) * month_seconds),
        storage_byte_seconds: u128::from(load.storage_bytes) * month_seconds,
        ..Usage::default()
    };
    let bill = bill(&usage, prices)?;
    let storage = bill.of(PriceItem::StorageGbMonth);
    let mut throughput = bill.total() - storage;
    if let Plan::Reserved(term) = plan {
        for dimension in Dimension::BOTH {
            let lots = u128::from(provisioned[dimension] / RESERVED_LOT);
            let unit_hours = lots * u128::from(RESERVED_LOT) * u128::from(HOURS_PER_MONTH);
            let plain = prices.price(unit_hour(dimension), class)?.of(unit_hours, 1);
            let reserved = reserved_per_unit_hour(prices, dimension, term)?.times(unit_hours, 1);
            throughput = throughput - plain + reserved;
        }
    }
    Ok(PlanCost { plan, throughput, storage, provisioned })
}

/// The units per second, at least one, that serve so many units a month at a share of utilisation.
fn provisioned_for(consumed: CapacityUnits, utilization_ppm: u64) -> u64 {
    let per_unit = u128::from(HOURS_PER_MONTH) * SECONDS_PER_HOUR * u128::from(utilization_ppm);
    let units = (u128::from(consumed.halves()) * MILLION).div_ceil(2 * per_unit);
    u64::try_from(units).unwrap_or(u64::MAX).max(1)
}

const fn request_unit(dimension: Dimension) -> PriceItem {
    match dimension {
        Dimension::Read => PriceItem::ReadRequestUnit,
        Dimension::Write => PriceItem::WriteRequestUnit,
    }
}

pub(crate) const fn unit_hour(dimension: Dimension) -> PriceItem {
    match dimension {
        Dimension::Read => PriceItem::RcuHour,
        Dimension::Write => PriceItem::WcuHour,
    }
}

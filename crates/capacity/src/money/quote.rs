//! What a steady load costs a month, plan by plan, to the pico-dollar.
//!
//! [`compare_plans`](super::compare_plans) prices tables as they would be set up, in whole units. Here throughput is what it
//! is on average when auto scaling follows the load, so nothing is rounded but the amounts.

use super::compare::{RESERVED_LOT, reserved_unit_hours, unit_hour};
use super::usage::HOURS_PER_MONTH;
use super::{Money, PriceError, PriceItem, RegionPrices, ReservedTerm, TableClass, Usage, bill};
use crate::CapacityUnits;
use crate::admission::{BillingMode, Dimension, PerDimension};

const MONTH_SECONDS: u128 = HOURS_PER_MONTH as u128 * 3_600;
const MILLION: u128 = 1_000_000;
const GB: u128 = 1 << 30;

/// A way to pay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotePlan {
    /// Requests are paid one by one.
    OnDemand(TableClass),
    /// Throughput is paid by the hour, and used to a share in parts per million.
    Provisioned(TableClass, u64),
    /// Throughput is paid by the hour, always enough for the load's own peak.
    AtPeak,
    /// Throughput is paid by the hour, used to a share in parts per million; its full hundreds are reserved.
    Reserved(ReservedTerm, u64),
}

/// A month of a table with its indexes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuoteLoad {
    /// Units consumed in the month.
    pub consumed: PerDimension<CapacityUnits>,
    /// Half units per second at the load's own peak, where that is known.
    pub peak_halves: Option<PerDimension<u64>>,
    /// Bytes stored on average, overhead included.
    pub storage_bytes: u64,
    /// Whether what is free each month is taken off.
    pub free_tier: bool,
}

/// What a month costs in a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quote {
    /// The plan.
    pub plan: QuotePlan,
    /// Reads and writes.
    pub throughput: Money,
    /// Storage.
    pub storage: Money,
    /// Units per second that are reserved; zero in other plans.
    pub reserved: PerDimension<u64>,
    /// What is paid up-front for those, once for the term; a part of it is in `throughput`.
    pub upfront: Money,
}

impl Quote {
    /// Throughput and storage.
    pub fn total(&self) -> Money {
        self.throughput + self.storage
    }
}

/// The price of a month in a plan.
///
/// # Errors
/// When the region lacks a price that the plan needs.
pub fn quote(prices: &RegionPrices<'_>, load: &QuoteLoad, plan: QuotePlan) -> Result<Quote, PriceError> {
    let class = match plan {
        QuotePlan::OnDemand(class) | QuotePlan::Provisioned(class, _) => class,
        QuotePlan::AtPeak | QuotePlan::Reserved(..) => TableClass::Standard,
    };
    let mut quote = Quote {
        plan,
        throughput: Money::ZERO,
        storage: storage(prices, load, class)?,
        reserved: PerDimension::default(),
        upfront: Money::ZERO,
    };
    if let QuotePlan::OnDemand(_) = plan {
        let usage = Usage { mode: BillingMode::OnDemand, class, consumed: load.consumed, ..Usage::default() };
        quote.throughput = bill(&usage, prices)?.total();
        return Ok(quote);
    }
    for dimension in Dimension::BOTH {
        let mut unit_seconds = provisioned(load, plan, dimension);
        let hourly = prices.price(unit_hour(dimension), class)?;
        if let QuotePlan::Reserved(term, _) = plan {
            let average = unit_seconds.0 / (unit_seconds.1 * MONTH_SECONDS);
            let units = average / u128::from(RESERVED_LOT) * u128::from(RESERVED_LOT);
            quote.reserved[dimension] = u64::try_from(units).unwrap_or(u64::MAX);
            let (upfront, _) = term.items(dimension);
            quote.upfront += prices.price(upfront, class)?.of(units, 1);
            let unit_hours = units * u128::from(HOURS_PER_MONTH);
            quote.throughput += reserved_unit_hours(prices, dimension, term, unit_hours)?;
            unit_seconds.0 -= units * MONTH_SECONDS * unit_seconds.1;
        }
        let free = match (load.free_tier && class == TableClass::Standard, dimension) {
            (false, _) => 0,
            (true, Dimension::Read) => free_quantity(prices, PriceItem::FreeRcu),
            (true, Dimension::Write) => free_quantity(prices, PriceItem::FreeWcu),
        };
        let paid = unit_seconds.0.saturating_sub(free * MONTH_SECONDS * unit_seconds.1);
        quote.throughput += hourly.of(paid, 3_600 * unit_seconds.1);
    }
    Ok(quote)
}

/// Provisioned units times seconds in the month, as a fraction.
fn provisioned(load: &QuoteLoad, plan: QuotePlan, dimension: Dimension) -> (u128, u128) {
    let halves = u128::from(load.consumed[dimension].halves());
    match (plan, load.peak_halves) {
        (QuotePlan::AtPeak, Some(peak)) => (u128::from(peak[dimension]) * MONTH_SECONDS, 2),
        (QuotePlan::Provisioned(_, ppm) | QuotePlan::Reserved(_, ppm), _) => {
            (halves * MILLION, 2 * u128::from(ppm.max(1)))
        }
        _ => (halves, 2),
    }
}

/// A quantity that is free each month; it stands in the price table as an amount.
fn free_quantity(prices: &RegionPrices<'_>, item: PriceItem) -> u128 {
    prices
        .price(item, TableClass::Standard)
        .map_or(0, |free| free.amount.picos().unsigned_abs() / 1_000_000_000_000)
}

fn storage(prices: &RegionPrices<'_>, load: &QuoteLoad, class: TableClass) -> Result<Money, PriceError> {
    let free = match load.free_tier && class == TableClass::Standard {
        true => free_quantity(prices, PriceItem::FreeStorageGb) * GB,
        false => 0,
    };
    match u128::from(load.storage_bytes).saturating_sub(free) {
        0 => Ok(Money::ZERO),
        bytes => Ok(prices.price(PriceItem::StorageGbMonth, class)?.of(bytes, GB)),
    }
}

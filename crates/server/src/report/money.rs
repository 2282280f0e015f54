//! What was used, as the price table takes it.

use dynamometer_capacity::CapacityUnits;
use dynamometer_capacity::admission::{BillingMode, PerDimension};
use dynamometer_capacity::money::{
    CompareError, HOURS_PER_MONTH, Money, MonthlyLoad, Plan, PriceError, PriceItem, RegionPrices,
    ReservedTerm, TableClass, Usage, bill, billed_storage_bytes, compare_plans, free_tier,
};
use dynamometer_engine::throughput::{ResourceUse, TableUse, ThroughputUse};

use super::{MoneyReport, PlanReport};

const MONTH_MS: u128 = HOURS_PER_MONTH as u128 * 3_600_000;
/// How well provisioned throughput is used in the comparison: the usual target of auto scaling.
const UTILIZATION_PPM: u64 = 700_000;

/// The price table of a region over the time of a report.
pub(super) struct Pricing<'a> {
    pub(super) prices: RegionPrices<'a>,
    /// From the first request to the last.
    pub(super) span_ms: u128,
}

impl Pricing<'_> {
    /// What a table or index used so far.
    pub(super) fn so_far(&self, table: &TableUse, resource: &ResourceUse) -> Result<Money, PriceError> {
        let on_demand = Usage {
            class: class_of(table),
            consumed: resource.on_demand_units,
            storage_byte_seconds: storage_bytes(resource) * self.span_ms / 1_000,
            stream_reads: stream_reads(table, resource),
            ..Usage::default()
        };
        let provisioned = Usage {
            mode: BillingMode::Provisioned,
            class: class_of(table),
            provisioned_unit_seconds: resource.provisioned_unit_seconds,
            ..Usage::default()
        };
        Ok(bill(&on_demand, &self.prices)?.total() + bill(&provisioned, &self.prices)?.total())
    }

    /// What a table or index uses in a month at this rate. A local index draws from its table: it has no throughput of
    /// its own to pay when provisioned.
    pub(super) fn month_usage(&self, table: &TableUse, resource: &ResourceUse) -> Usage {
        let seconds = MONTH_MS / 1_000;
        let is_local = resource.capacity.index.is_none() && resource.index.is_some();
        let provisioned = if is_local { PerDimension::default() } else { resource.capacity.provisioned };
        Usage {
            mode: resource.capacity.mode,
            class: class_of(table),
            consumed: consumed(resource).map(|units| self.month_of(units)),
            provisioned_unit_seconds: provisioned.map(|units| u128::from(units) * seconds),
            storage_byte_seconds: storage_bytes(resource) * seconds,
            stream_reads: self.month_of_count(stream_reads(table, resource)),
            ..Usage::default()
        }
    }

    pub(super) fn month(&self, table: &TableUse, resource: &ResourceUse) -> Result<Money, PriceError> {
        Ok(bill(&self.month_usage(table, resource), &self.prices)?.total())
    }

    /// Units in a month at this rate.
    fn month_of(&self, units: CapacityUnits) -> CapacityUnits {
        CapacityUnits::from_halves(self.month_of_count(units.halves()))
    }

    /// What is counted in a month at this rate.
    fn month_of_count(&self, count: u64) -> u64 {
        u64::try_from(u128::from(count) * MONTH_MS / self.span_ms).unwrap_or(u64::MAX)
    }

    /// Units on demand: so far, and in a month at this rate.
    pub(super) fn on_demand(
        &self,
        table: &TableUse,
        consumed: PerDimension<CapacityUnits>,
    ) -> Result<(Money, Money), PriceError> {
        let price = |consumed| {
            let usage = Usage { class: class_of(table), consumed, ..Usage::default() };
            Ok(bill(&usage, &self.prices)?.total())
        };
        Ok((price(consumed)?, price(consumed.map(|units| self.month_of(units)))?))
    }

    /// All tables together.
    pub(super) fn total(&self, used: &ThroughputUse) -> Result<MoneyReport, PriceError> {
        let all = || used.tables.iter().flat_map(|table| table.resources.iter().map(move |one| (table, one)));
        let mut so_far = Money::ZERO;
        let mut usages = Vec::new();
        for (table, resource) in all() {
            so_far += self.so_far(table, resource)?;
            usages.push(self.month_usage(table, resource));
        }
        let (mut month, mut storage) = (Money::ZERO, Money::ZERO);
        for usage in &usages {
            let bill = bill(usage, &self.prices)?;
            month += bill.total();
            storage += bill.of(PriceItem::StorageGbMonth);
        }
        let free = free_tier(&usages, HOURS_PER_MONTH, &self.prices)?.total();
        Ok(MoneyReport {
            dollars_so_far: dollars(so_far),
            dollars_a_month: dollars(month),
            storage_dollars_a_month: dollars(storage),
            free_tier_dollars_a_month: dollars(-free),
            plans: self.plans(&usages),
        })
    }

    /// The month in every plan: each table and index by itself, for each has throughput of its own.
    fn plans(&self, usages: &[Usage]) -> Vec<PlanReport> {
        let mut sums: Vec<(Plan, Money)> = Vec::new();
        for usage in usages {
            let load = MonthlyLoad {
                consumed: usage.consumed,
                storage_bytes: u64::try_from(usage.storage_byte_seconds * 1_000 / MONTH_MS)
                    .unwrap_or(u64::MAX),
                utilization_ppm: UTILIZATION_PPM,
            };
            let costs: Result<_, CompareError> = compare_plans(&self.prices, &load);
            for cost in costs.unwrap_or_default() {
                match sums.iter_mut().find(|(plan, _)| *plan == cost.plan) {
                    Some((_, sum)) => *sum += cost.total(),
                    None => sums.push((cost.plan, cost.total())),
                }
            }
        }
        sums.sort_by_key(|(_, sum)| *sum);
        let report =
            |(plan, sum)| PlanReport { plan: plan_name(plan).to_owned(), dollars_a_month: dollars(sum) };
        sums.into_iter().map(report).collect()
    }
}

/// The name of the plan that the comparison with on-demand is about.
pub(super) const PROVISIONED: &str = "provisioned at 70 %";
/// The name of the plan of requests paid one by one.
pub(super) const ON_DEMAND: &str = "on-demand";

fn plan_name(plan: Plan) -> &'static str {
    match plan {
        Plan::OnDemand(TableClass::Standard) => ON_DEMAND,
        Plan::OnDemand(TableClass::StandardInfrequentAccess) => "on-demand, Standard-IA",
        Plan::Provisioned(TableClass::Standard) => PROVISIONED,
        Plan::Provisioned(TableClass::StandardInfrequentAccess) => "provisioned at 70 %, Standard-IA",
        Plan::Reserved(ReservedTerm::OneYear) => "provisioned at 70 %, reserved for a year",
        Plan::Reserved(ReservedTerm::ThreeYears) => "provisioned at 70 %, reserved for three years",
    }
}

/// Dollars to six decimals, for JSON.
pub(super) fn dollars(amount: Money) -> f64 {
    amount.rounded(6).parse().unwrap_or(0.0)
}

/// Units consumed in all.
pub(super) fn consumed(resource: &ResourceUse) -> PerDimension<CapacityUnits> {
    let mut sum = PerDimension::<CapacityUnits>::default();
    for (operation, used) in &resource.operations {
        sum[operation.dimension()] += used.units();
    }
    sum
}

/// GetRecords calls, which are paid once for the table.
fn stream_reads(table: &TableUse, resource: &ResourceUse) -> u64 {
    if resource.index.is_none() { table.stream.reads } else { 0 }
}

fn storage_bytes(resource: &ResourceUse) -> u128 {
    u128::from(billed_storage_bytes(resource.items, resource.bytes))
}

fn class_of(table: &TableUse) -> TableClass {
    match table.class {
        dynamometer_engine::api::TableClass::Standard => TableClass::Standard,
        dynamometer_engine::api::TableClass::StandardInfrequentAccess => TableClass::StandardInfrequentAccess,
    }
}

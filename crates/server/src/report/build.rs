//! From what the engine counted to the report.

use dynamometer_capacity::admission::{BillingMode, Cause, Dimension, PerDimension};
use dynamometer_capacity::money::{Money, PriceTable};
use dynamometer_capacity::{CapacityUnits, Constants};
use dynamometer_engine::catalog::IndexKind;
use dynamometer_engine::throughput::{HotKey, ResourceUse, TableUse, ThroughputUse};

use super::advice::advise;
use super::coverage::coverage_report;
use super::money::{Pricing, consumed, dollars};
use super::{KeyReport, OperationReport, Report, ResourceReport, TableReport, Throttles};
use crate::coverage::Coverage;

/// The report of what was counted, at the prices of a region, held against a design if there is one.
pub fn build(used: &ThroughputUse, prices: &PriceTable, region: &str, coverage: Option<&Coverage>) -> Report {
    let span_ms = used.span.map_or(0, |(first, last)| (last - first).max(1_000));
    let seconds = span_ms as f64 / 1_000.0;
    let priced = prices.region(region);
    let pricing = match &priced {
        Ok(prices) if span_ms > 0 => {
            Some(Pricing { prices: *prices, span_ms: span_ms.unsigned_abs().into() })
        }
        _ => None,
    };
    let total = pricing.as_ref().map(|pricing| pricing.total(used));
    let missing = match (&priced, &total) {
        (Err(error), _) | (_, Some(Err(error))) => Some(error.to_string()),
        _ => None,
    };
    let mut report = Report {
        throttle: used.throttle.word().to_owned(),
        region: region.to_owned(),
        from: used.span.map(|(first, _)| first.to_string()),
        to: used.span.map(|(_, last)| last.to_string()),
        seconds,
        tables: used.tables.iter().map(|table| table_report(table, pricing.as_ref(), seconds)).collect(),
        money: total.and_then(Result::ok),
        money_missing: missing,
        advice: Vec::new(),
        coverage: None,
    };
    report.advice = advise(&report);
    report.coverage = coverage.map(|coverage| {
        let prices = priced.as_ref().map_err(ToString::to_string);
        coverage_report(coverage, &report.tables, prices)
    });
    report
}

fn table_report(table: &TableUse, pricing: Option<&Pricing<'_>>, seconds: f64) -> TableReport {
    let mode = table.resources.first().map_or(BillingMode::OnDemand, |resource| resource.capacity.mode);
    let mut writes = table.resources.iter().map(|resource| consumed(resource).write.as_f64());
    let (of_table, of_indexes) = (writes.next().unwrap_or(0.0), writes.sum::<f64>());
    let is_indexed = table.resources.len() > 1 && of_table > 0.0;
    TableReport {
        table: table.name.clone(),
        billing_mode: match mode {
            BillingMode::Provisioned => "PROVISIONED".to_owned(),
            BillingMode::OnDemand => "PAY_PER_REQUEST".to_owned(),
        },
        table_class: table.class.name().to_owned(),
        resources: table.resources.iter().map(|one| resource_report(table, one, pricing, seconds)).collect(),
        index_write_amplification: is_indexed.then(|| rounded(of_indexes / of_table, 3)),
    }
}

fn resource_report(
    table: &TableUse,
    resource: &ResourceUse,
    pricing: Option<&Pricing<'_>>,
    seconds: f64,
) -> ResourceReport {
    let units = consumed(resource);
    let requests = |dimension| -> u64 {
        let of_dimension =
            resource.operations.iter().filter(|(operation, _)| operation.dimension() == dimension);
        of_dimension.map(|(_, used)| used.requests).sum()
    };
    let (reads, writes) = (requests(Dimension::Read), requests(Dimension::Write));
    let per_second = |amount: f64| if seconds > 0.0 { rounded(amount / seconds, 3) } else { 0.0 };
    let is_local = matches!(resource.index, Some((_, IndexKind::Local)));
    let capacity = &resource.capacity;
    let keys = |dimension: Dimension| {
        resource.hottest[dimension].iter().map(|key| key_report(key, dimension, units, seconds)).collect()
    };
    let money = |price: &dyn Fn(&Pricing<'_>) -> Option<Money>| pricing.and_then(price).map(dollars);
    ResourceReport {
        index: resource.index.as_ref().map(|(name, _)| name.to_string()),
        kind: match resource.index {
            None => "table",
            Some((_, IndexKind::Global)) => "global index",
            Some((_, IndexKind::Local)) => "local index",
        }
        .to_owned(),
        reads,
        writes,
        read_units: units.read.as_f64(),
        write_units: units.write.as_f64(),
        reads_per_second: per_second(reads as f64),
        writes_per_second: per_second(writes as f64),
        read_units_per_second: per_second(units.read.as_f64()),
        write_units_per_second: per_second(units.write.as_f64()),
        served_read_units_per_second: capacity.rate.read,
        served_write_units_per_second: capacity.rate.write,
        burst_read_units: capacity.burst.read.as_f64(),
        burst_write_units: capacity.burst.write.as_f64(),
        partitions: capacity.partitions.len(),
        // Those of a local index are its table's, and shown there.
        throttles: if is_local { Vec::new() } else { throttles(resource) },
        operations: operations(table, resource, pricing),
        hottest_read_keys: keys(Dimension::Read),
        hottest_write_keys: keys(Dimension::Write),
        items: resource.items,
        stored_bytes: resource.bytes,
        reads_within_100_ms_of_a_write: resource.reads_soon_after_write,
        dollars_so_far: money(&|pricing| pricing.so_far(table, resource).ok()),
        dollars_a_month: money(&|pricing| pricing.month(table, resource).ok()),
    }
}

fn throttles(resource: &ResourceUse) -> Vec<Throttles> {
    let kind = if resource.index.is_some() { "Index" } else { "Table" };
    let mut throttles = Vec::new();
    for dimension in Dimension::BOTH {
        for cause in Cause::ALL {
            let events = resource.capacity.counters[dimension].refusals(cause);
            if events > 0 {
                let reason = format!("{kind}{}{}", dimension.word(), cause.word());
                throttles.push(Throttles { reason, events });
            }
        }
    }
    throttles
}

fn operations(
    table: &TableUse,
    resource: &ResourceUse,
    pricing: Option<&Pricing<'_>>,
) -> Vec<OperationReport> {
    let report = |(operation, used): &(dynamometer_engine::throughput::Operation, _)| {
        let used: &dynamometer_engine::throughput::OperationUse = used;
        let mut units = PerDimension::<CapacityUnits>::default();
        units[operation.dimension()] = used.units();
        let money = pricing.and_then(|pricing| pricing.on_demand(table, units).ok());
        OperationReport {
            operation: operation.name().to_owned(),
            requests: used.requests,
            units: used.units().as_f64(),
            filtered_out_units: used.filtered_units().as_f64(),
            throttled_requests: used.throttled,
            transaction_conflicts: used.conflicts,
            on_demand_dollars_so_far: money.map(|(so_far, _)| dollars(so_far)),
            on_demand_dollars_a_month: money.map(|(_, month)| dollars(month)),
        }
    };
    resource.operations.iter().map(report).collect()
}

fn key_report(
    key: &HotKey,
    dimension: Dimension,
    all: PerDimension<CapacityUnits>,
    seconds: f64,
) -> KeyReport {
    let (units, busiest) = (key.units.as_f64(), key.busiest_second_units.as_f64());
    let percent = |part: f64, whole: f64| if whole > 0.0 { rounded(100.0 * part / whole, 1) } else { 0.0 };
    KeyReport {
        key: key.key.clone(),
        units,
        units_at_most_too_many: key.over_by_units.as_f64(),
        share_of_units_percent: percent(units, all[dimension].as_f64()),
        units_per_second: if seconds > 0.0 { rounded(units / seconds, 3) } else { 0.0 },
        busiest_second_units: busiest,
        busiest_second_share_of_partition_percent: percent(busiest, partition_limit(dimension)),
        throttled_requests: key.throttled,
    }
}

/// What a partition serves a second.
pub(super) fn partition_limit(dimension: Dimension) -> f64 {
    let constants = Constants::default();
    let units = match dimension {
        Dimension::Read => constants.partition_read_units,
        Dimension::Write => constants.partition_write_units,
    };
    units as f64
}

pub(super) fn rounded(value: f64, decimals: i32) -> f64 {
    let unit = 10_f64.powi(decimals);
    (value * unit).round() / unit
}

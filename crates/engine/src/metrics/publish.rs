//! From what was counted to AWS's metrics. Names, dimensions and what is published when: "DynamoDB metrics and
//! dimensions" (Developer Guide, 2026).

use std::sync::Arc;

use dynamometer_capacity::Constants;
use dynamometer_capacity::admission::{Cause, Dimension, PerDimension};
use dynamometer_cloudwatch::CloudWatch;
use dynamometer_cloudwatch::insights::RuleMinute;
use dynamometer_cloudwatch::metric::{MetricId, Unit};
use dynamometer_cloudwatch::series::MINUTE_MS;
use dynamometer_cloudwatch::shelf::Standing;
use dynamometer_cloudwatch::statistics::{Datum, StatisticSet};
use dynamometer_types::Timestamp;

use crate::api::BillingMode;
use crate::catalog::Table;
use crate::catalog::record::{InsightsRecord, OnDemandRecord, TableRecord, ThroughputRecord};
use crate::scaling::Tracked;
use crate::throughput::{ClosedMinute, ClosedResource, Operation, key_values};

/// How often settings and quotas are published.
pub(super) const SETTINGS_MS: i64 = 5 * MINUTE_MS;

/// Publishes under a name and dimensions. There may be no room for another metric: the others go on.
fn publish(
    cloudwatch: &mut CloudWatch,
    name: &str,
    dimensions: &[(&str, &str)],
    unit: Unit,
    at_ms: i64,
    datum: &Datum,
) {
    let metric = MetricId::dynamodb(name, dimensions);
    let _ = cloudwatch.shelf.publish(metric, unit, Timestamp::from_millis(at_ms), datum);
}

/// A count of events, of which there are some.
fn events(count: u64) -> Datum {
    StatisticSet::of(1.0, count as f64).into()
}

/// `TableName`, and the index.
fn dimensions<'a>(table: &'a str, index: Option<&'a str>) -> Vec<(&'a str, &'a str)> {
    let mut dimensions = vec![("TableName", table)];
    dimensions.extend(index.map(|index| ("GlobalSecondaryIndexName", index)));
    dimensions
}

/// Publishes what a table counted in a minute.
pub(super) fn minute(cloudwatch: &mut CloudWatch, table: &Table, minute: &ClosedMinute) {
    let name = table.record.name.as_str();
    for resource in &minute.resources {
        consumption(cloudwatch, name, minute.begin_ms, resource);
        contributors(cloudwatch, table, minute.begin_ms, resource);
    }
    for operation in Operation::ALL {
        let at = *operation as usize;
        let dimensions = [("TableName", name), ("Operation", operation.metric().name())];
        let mut publish = |metric: &str, unit: Unit, datum: Option<Datum>| {
            if let Some(datum) = datum {
                publish(cloudwatch, metric, &dimensions, unit, minute.begin_ms, &datum);
            }
        };
        let throttled = u64::from(minute.table.throttled[at]);
        publish("ThrottledRequests", Unit::COUNT, (throttled > 0).then(|| events(throttled)));
        let latency = minute.table.latency[at].as_ref();
        publish("SuccessfulRequestLatency", Unit::MILLISECONDS, latency.and_then(|l| l.to_datum()));
        let returned = minute.table.returned[at].to_set(1.0);
        publish("ReturnedItemCount", Unit::COUNT, returned.map(Datum::from));
    }
    for (label, stream) in &minute.table.streams {
        let dimensions = [("TableName", name), ("Operation", "GetRecords"), ("StreamLabel", label.as_str())];
        for (metric, unit, datum) in [
            ("SuccessfulRequestLatency", Unit::MILLISECONDS, stream.latency.to_datum()),
            ("ReturnedRecordsCount", Unit::COUNT, stream.records.to_set(1.0).map(Datum::from)),
            ("ReturnedBytes", Unit::BYTES, stream.bytes.to_set(1.0).map(Datum::from)),
        ] {
            if let Some(datum) = datum {
                publish(cloudwatch, metric, &dimensions, unit, minute.begin_ms, &datum);
            }
        }
    }
    let failed = u64::from(minute.table.failed_conditions);
    for (metric, datum) in [
        ("ConditionalCheckFailedRequests", (failed > 0).then(|| events(failed))),
        ("TransactionConflict", minute.table.conflicts.to_set(1.0).map(Datum::from)),
    ] {
        if let Some(datum) = datum {
            publish(cloudwatch, metric, &[("TableName", name)], Unit::COUNT, minute.begin_ms, &datum);
        }
    }
}

/// That nothing was consumed: tables that target tracking looks after have a datapoint each minute, so that an idle one
/// is scaled in. Source: measured on AWS, 2026; what AWS publishes for it is assumed.
pub(super) fn idle(scaled: &Tracked) -> Standing {
    let name = format!("Consumed{}CapacityUnits", scaled.dimension.word());
    let metric = MetricId::dynamodb(&name, &dimensions(&scaled.table, scaled.index.as_deref()));
    let datum = StatisticSet::of(0.0, 0.0).into();
    Standing { metric, unit: Unit::COUNT, period_ms: MINUTE_MS, datum }
}

/// Publishes what stands of the period that ends with a minute, unless something was published of it.
pub(super) fn standing(cloudwatch: &mut CloudWatch, standing: &Standing, end_ms: i64) {
    let begin_ms = end_ms - standing.period_ms;
    let minute = (begin_ms, begin_ms + MINUTE_MS);
    if cloudwatch.shelf.read(&standing.metric, None, minute, MINUTE_MS).is_empty() {
        let at = Timestamp::from_millis(begin_ms);
        let _ = cloudwatch.shelf.publish(standing.metric.clone(), standing.unit, at, &standing.datum);
    }
}

/// Publishes how many items time to live deleted.
pub(super) fn expired(cloudwatch: &mut CloudWatch, table: &Table, begin_ms: i64, count: u64) {
    let dimensions = [("TableName", table.record.name.as_str())];
    let metric = "TimeToLiveDeletedItemCount";
    publish(cloudwatch, metric, &dimensions, Unit::COUNT, begin_ms, &events(count));
}

fn consumption(cloudwatch: &mut CloudWatch, table: &str, begin_ms: i64, resource: &ClosedResource) {
    let dimensions = dimensions(table, resource.index.as_deref());
    for dimension in Dimension::BOTH {
        let word = dimension.word();
        if let Some(set) = resource.counted.consumed[dimension].to_set(2.0) {
            let name = format!("Consumed{word}CapacityUnits");
            publish(cloudwatch, &name, &dimensions, Unit::COUNT, begin_ms, &set.into());
        }
        let throttles = resource.counted.throttles[dimension];
        let mut all = 0;
        for cause in Cause::ALL {
            let count = u64::from(throttles[cause as usize]);
            all += count;
            if count > 0 {
                let name = format!("{word}{}ThrottleEvents", cause_word(cause));
                publish(cloudwatch, &name, &dimensions, Unit::COUNT, begin_ms, &events(count));
            }
        }
        if all > 0 {
            let name = format!("{word}ThrottleEvents");
            publish(cloudwatch, &name, &dimensions, Unit::COUNT, begin_ms, &events(all));
        }
    }
}

/// As it stands in the name of the metric.
fn cause_word(cause: Cause) -> &'static str {
    match cause {
        Cause::ProvisionedThroughput => "ProvisionedThroughput",
        Cause::KeyRangeThroughput => "KeyRangeThroughput",
        Cause::AccountLimit => "AccountLimit",
        Cause::MaxOnDemandThroughput => "MaxOnDemandThroughput",
    }
}

/// Publishes what the rules of a table or index saw.
fn contributors(cloudwatch: &mut CloudWatch, table: &Table, begin_ms: i64, resource: &ClosedResource) {
    let index = resource.index.as_deref();
    let Some((insights, key)) = insights_of(table, index) else { return };
    for seen in &resource.contributors {
        // Accesses are counted in half units, throttles one by one.
        let one = if seen.kind.is_of_throttles() { 1.0 } else { 2.0 };
        let Some(set) = seen.counted.to_set(one) else { continue };
        let contributors = seen.ranked().into_iter().map(|(weight, stored)| {
            let values = key_values(stored, key, index.is_some());
            let shown = if seen.kind.is_of_items() { values.len() } else { key.partition.len() };
            (values.into_iter().take(shown).collect(), weight as f64 / one)
        });
        let minute = RuleMinute { contributors: contributors.collect(), unique: seen.distinct(), set };
        let name = insights.rule_name(seen.kind, &table.record.name, index);
        cloudwatch.insights.publish(&name, begin_ms, minute);
    }
}

fn insights_of<'t>(
    table: &'t Table,
    index: Option<&str>,
) -> Option<(&'t InsightsRecord, &'t dynamometer_types::KeySchema)> {
    match index {
        None => Some((table.record.insights.as_ref()?, &table.key)),
        Some(index) => {
            let setting = table.record.global_indexes.iter().find(|known| known.name == index)?;
            Some((setting.insights.as_ref()?, &table.index(index)?.key))
        }
    }
}

/// Publishes failures: `failing` is the table and the operation when they are the server's.
pub(super) fn failures(
    cloudwatch: &mut CloudWatch,
    begin_ms: i64,
    failing: Option<&(String, String)>,
    count: u64,
) {
    let datum = events(count);
    match failing {
        None => publish(cloudwatch, "UserErrors", &[], Unit::COUNT, begin_ms, &datum),
        Some((table, operation)) => {
            let dimensions = [("TableName", table.as_str()), ("Operation", operation.as_str())];
            publish(cloudwatch, "SystemErrors", &dimensions, Unit::COUNT, begin_ms, &datum);
        }
    }
}

/// What is set and what the quotas are, as of a time; it is published every five minutes. A database without tables has
/// none of it.
pub(super) fn settings<'t>(
    tables: impl Iterator<Item = &'t Arc<Table>>,
    end: Timestamp,
    constants: &Constants,
) -> Vec<Standing> {
    let mut settings = Vec::new();
    let records: Vec<TableRecord> = tables.filter_map(|table| table.record.clone().settled(end)).collect();
    if records.is_empty() {
        return settings;
    }
    let mut one = |name: &str, dimensions: &[(&str, &str)], unit: Unit, value: f64| {
        let (metric, datum) = (MetricId::dynamodb(name, dimensions), StatisticSet::of(value, 1.0).into());
        settings.push(Standing { metric, unit, period_ms: SETTINGS_MS, datum });
    };
    let mut provisioned = PerDimension::new(0.0, 0.0);
    let mut largest = PerDimension::new(0.0_f64, 0.0_f64);
    for record in &records {
        for (index, throughput, on_demand) in resources(record) {
            let dimensions = dimensions(&record.name, index);
            let units = units_of(throughput);
            let maximum = PerDimension::new(on_demand.max_read, on_demand.max_write);
            for dimension in Dimension::BOTH {
                let word = dimension.word();
                if record.billing.mode == BillingMode::Provisioned {
                    let name = format!("Provisioned{word}CapacityUnits");
                    one(&name, &dimensions, Unit::COUNT, units[dimension]);
                    provisioned[dimension] += units[dimension];
                    largest[dimension] = largest[dimension].max(units[dimension]);
                } else if let Some(maximum) = maximum[dimension] {
                    let name = format!("OnDemandMax{word}RequestUnits");
                    one(&name, &dimensions, Unit::COUNT, maximum as f64);
                }
            }
        }
    }
    let account = PerDimension::new(constants.account_quota_read_units, constants.account_quota_write_units);
    let table = PerDimension::new(constants.table_quota_read_units, constants.table_quota_write_units);
    for dimension in Dimension::BOTH {
        let word = dimension.word();
        let (account, table) = (account[dimension] as f64, table[dimension] as f64);
        one(&format!("AccountMax{word}s"), &[], Unit::COUNT, account);
        one(&format!("AccountMaxTableLevel{word}s"), &[], Unit::COUNT, table);
        let share = 100.0 * provisioned[dimension] / account;
        one(&format!("AccountProvisioned{word}CapacityUtilization"), &[], Unit::PERCENT, share);
        let share = 100.0 * largest[dimension] / table;
        one(&format!("MaxProvisionedTable{word}CapacityUtilization"), &[], Unit::PERCENT, share);
    }
    settings
}

/// The table and its global indexes, with what is provisioned and the most that on demand may use.
fn resources(
    record: &TableRecord,
) -> impl Iterator<Item = (Option<&str>, &ThroughputRecord, &OnDemandRecord)> {
    let indexes = record.global_indexes.iter();
    let indexes = indexes.map(|index| (Some(index.name.as_str()), &index.throughput, &index.on_demand));
    std::iter::once((None, &record.throughput, &record.on_demand)).chain(indexes)
}

fn units_of(throughput: &ThroughputRecord) -> PerDimension<f64> {
    PerDimension::new(throughput.read as f64, throughput.write as f64)
}

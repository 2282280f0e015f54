//! What to do: each rule looks at the report and says what it saw, with its figures, and the remedy.
//!
//! The remedies are AWS's own ("Best practices for designing and using partition keys", "… secondary indexes", "Querying
//! and scanning") and those of the design guides that name them: sharding, sparse indexes, filters moved into keys.

use dynamometer_capacity::admission::Dimension;
use dynamometer_capacity::quantity::thousands;

use super::build::partition_limit;
use super::money::{ON_DEMAND, PROVISIONED};
use super::{Advice, KeyReport, Report, ResourceReport, TableReport, Throttles};

/// From how many units on a rule speaks: less says nothing about a design.
const ENOUGH_UNITS: f64 = 20.0;

/// All that the rules say, the most pressing first.
pub(super) fn advise(report: &Report) -> Vec<Advice> {
    let mut advice = Vec::new();
    for rule in
        [throttles, hot_keys, filters, reads_after_writes, conflicts, scans, index_writes, unread_indexes]
    {
        for table in &report.tables {
            for resource in &table.resources {
                let place = Place { report, table, resource };
                advice.extend(rule(&place));
            }
        }
    }
    advice.extend(billing_mode(report));
    advice
}

/// What a rule looks at.
struct Place<'a> {
    report: &'a Report,
    table: &'a TableReport,
    resource: &'a ResourceReport,
}

impl Place<'_> {
    /// `Orders`, or `Orders/GSI1`.
    fn name(&self) -> String {
        match &self.resource.index {
            None => self.table.table.clone(),
            Some(index) => format!("{}/{index}", self.table.table),
        }
    }

    fn advice(&self, kind: &str, sentence: String, remedy: impl Into<String>) -> Advice {
        Advice {
            kind: kind.to_owned(),
            table: self.table.table.clone(),
            index: self.resource.index.clone(),
            sentence,
            remedy: remedy.into(),
        }
    }
}

fn throttles(place: &Place<'_>) -> Vec<Advice> {
    let verb = if place.report.throttle == "enforce" { "were" } else { "would have been" };
    let one = |throttled: &Throttles| {
        let Throttles { reason, events } = throttled;
        let sentence = format!("{}: {events} {} {verb} throttled ({reason}).", place.name(), kind_of(reason));
        place.advice("throttles", sentence, throttle_remedy(place.resource, reason))
    };
    place.resource.throttles.iter().map(one).collect()
}

fn dimension_of(reason: &str) -> Dimension {
    if reason.contains("Write") { Dimension::Write } else { Dimension::Read }
}

fn kind_of(reason: &str) -> &'static str {
    match dimension_of(reason) {
        Dimension::Write => "writes",
        Dimension::Read => "reads",
    }
}

fn throttle_remedy(resource: &ResourceReport, reason: &str) -> String {
    let dimension = dimension_of(reason);
    let (rate, keys) = match dimension {
        Dimension::Read => (resource.read_units_per_second, &resource.hottest_read_keys),
        Dimension::Write => (resource.write_units_per_second, &resource.hottest_write_keys),
    };
    let word = dimension.word();
    if reason.ends_with("ProvisionedThroughputExceeded") {
        // Auto scaling's usual target of 70 % leaves room for what comes unevenly.
        let units = (rate / 0.7).ceil().max(1.0);
        format!(
            "provision about {units} {word}CapacityUnits ({rate:.1} a second were used, at 70 %), or switch to on-demand"
        )
    } else if reason.ends_with("MaxOnDemandThroughputExceeded") {
        format!("raise Max{word}RequestUnits, or set it to -1 to remove it")
    } else if reason.ends_with("AccountLimitExceeded") {
        "ask AWS for a higher table quota, or spread the load over time".to_owned()
    } else {
        match keys.iter().max_by_key(|key| key.throttled_requests).filter(|key| key.throttled_requests > 0) {
            Some(key) => format!(
                "spread {} over several partition keys ({}#0, {}#1, …){}",
                key.key,
                key.key,
                key.key,
                if dimension == Dimension::Read { ", or cache it" } else { "" }
            ),
            None => {
                "raise the table's warm throughput before the load comes, or let the load grow more slowly"
                    .into()
            }
        }
    }
}

fn hot_keys(place: &Place<'_>) -> Vec<Advice> {
    let resource = place.resource;
    let hottest = [
        (Dimension::Read, resource.hottest_read_keys.first(), resource.read_units),
        (Dimension::Write, resource.hottest_write_keys.first(), resource.write_units),
    ];
    let one = |(dimension, key, all): (Dimension, Option<&KeyReport>, f64)| {
        let key = key.filter(|key| {
            all >= ENOUGH_UNITS
                && key.share_of_units_percent >= 50.0
                && key.busiest_second_share_of_partition_percent >= 1.0
        })?;
        let what = if dimension == Dimension::Read { "read" } else { "write" };
        let times = partition_limit(dimension) / key.busiest_second_units;
        if times <= 1.0 && key.throttled_requests > 0 {
            // Said already, with the same remedy: it is throttled.
            return None;
        }
        let sentence = format!(
            "{}: {} takes {:.0} % of all {what} units, {:.1} in its busiest second; at {times:.1} times this load its \
             partition throttles{}.",
            place.name(),
            key.key,
            key.share_of_units_percent.min(100.0),
            key.busiest_second_units,
            if resource.index.is_some() && dimension == Dimension::Write {
                " the table's writes"
            } else {
                ""
            },
        );
        let remedy = match (dimension, &resource.index) {
            (Dimension::Write, Some(_)) => {
                format!(
                    "shard {} (add #0 to #n to the index key), or index only the items that are looked for",
                    key.key
                )
            }
            (Dimension::Write, None) => format!("shard {} over several partition keys", key.key),
            (Dimension::Read, _) => format!("cache {}, or keep copies under several partition keys", key.key),
        };
        Some(place.advice("hot-key", sentence, remedy))
    };
    hottest.into_iter().filter_map(one).collect()
}

fn filters(place: &Place<'_>) -> Vec<Advice> {
    let one = |operation: &super::OperationReport| {
        let share = operation.filtered_out_units / operation.units;
        if operation.filtered_out_units < ENOUGH_UNITS / 2.0 || share < 0.5 {
            return None;
        }
        // What is provisioned is paid for whatever is dropped.
        let cost = operation
            .on_demand_dollars_a_month
            .filter(|_| place.table.billing_mode == "PAY_PER_REQUEST")
            .map(|dollars| format!(" ({} a month)", dollars_text(dollars * share)));
        let sentence = format!(
            "{}: the filters of {} drop {:.0} % of what it pays for{}.",
            place.name(),
            operation.operation,
            100.0 * share,
            cost.unwrap_or_default()
        );
        let remedy = "move what is filtered by into the sort key, or into a sparse index that holds only what is wanted";
        Some(place.advice("filter", sentence, remedy))
    };
    place.resource.operations.iter().filter_map(one).collect()
}

fn reads_after_writes(place: &Place<'_>) -> Vec<Advice> {
    let count = place.resource.reads_within_100_ms_of_a_write;
    if count == 0 {
        return Vec::new();
    }
    let (reads, they) =
        if count == 1 { ("1 read".to_owned(), "it") } else { (format!("{count} reads"), "they") };
    let same = if place.resource.index.is_some() { "key" } else { "item or key" };
    let sentence = format!(
        "{}: {reads} came within 100 ms of a write to the same {same}; on AWS {they} may not see it.",
        place.name()
    );
    let remedy = match place.resource.kind.as_str() {
        "global index" => {
            "read the item from the table with ConsistentRead, or do without what was just written; rehearse it: \
             dyno serve --index-lag 50ms..2s"
        }
        _ => {
            "ask with ConsistentRead where it matters, for twice the units; rehearse it: dyno serve --read-lag 10ms..500ms"
        }
    };
    vec![place.advice("read-after-write", sentence, remedy)]
}

fn conflicts(place: &Place<'_>) -> Vec<Advice> {
    let count: u64 = place.resource.operations.iter().map(|operation| operation.transaction_conflicts).sum();
    if count == 0 {
        return Vec::new();
    }
    let items = if count == 1 { "1 item was" } else { &format!("{count} items were") };
    let sentence = format!(
        "{}: {items} refused because a transaction with the same item was in progress.",
        place.name()
    );
    let remedy = "try again after a pause that grows and varies, or keep what everybody writes out of transactions; \
                  rehearse it: POST /_dyno/faults";
    vec![place.advice("conflicts", sentence, remedy)]
}

fn scans(place: &Place<'_>) -> Vec<Advice> {
    let is_scan = |operation: &&super::OperationReport| {
        ["Scan", "ExecuteStatementScan"].contains(&operation.operation.as_str())
    };
    let scans = || place.resource.operations.iter().filter(is_scan);
    let units: f64 = scans().map(|scan| scan.units).sum();
    if units < ENOUGH_UNITS {
        return Vec::new();
    }
    let share = 100.0 * units / place.resource.read_units;
    if share < 10.0 {
        return Vec::new();
    }
    let requests: u64 = scans().map(|scan| scan.requests).sum();
    let sentence = format!("{}: {requests} scans make {share:.0} % of its read units.", place.name());
    let remedy = "query by a key, of the table or of an index; leave scans to exports";
    vec![place.advice("scan", sentence, remedy)]
}

fn index_writes(place: &Place<'_>) -> Vec<Advice> {
    let Some(amplification) = place.table.index_write_amplification else { return Vec::new() };
    if place.resource.index.is_some() || amplification < 2.0 || place.resource.write_units < ENOUGH_UNITS {
        return Vec::new();
    }
    let sentence = format!(
        "{}: each write unit of the table costs {amplification:.1} more in its {} indexes.",
        place.name(),
        place.table.resources.len() - 1
    );
    let remedy = "project only what is read from an index, and give its key only to the items that are looked for there";
    vec![place.advice("index-writes", sentence, remedy)]
}

fn unread_indexes(place: &Place<'_>) -> Vec<Advice> {
    let resource = place.resource;
    if resource.index.is_none() || resource.reads > 0 || resource.write_units < ENOUGH_UNITS {
        return Vec::new();
    }
    // A local index of a provisioned table has no throughput of its own: nothing is paid for it alone.
    let cost = resource
        .dollars_a_month
        .filter(|dollars| *dollars >= 0.005)
        .map(|dollars| format!(" ({} a month)", dollars_text(dollars)))
        .unwrap_or_default();
    let sentence = format!("{}: written {} times and never read{cost}.", place.name(), resource.writes);
    vec![place.advice("unread-index", sentence, "delete the index if nothing else needs it")]
}

/// Dollars with cents, and commas between thousands.
fn dollars_text(value: f64) -> String {
    let cents = (value.abs() * 100.0).round() as u64;
    format!("${}.{:02}", thousands(&(cents / 100).to_string()), cents % 100)
}

/// Whether the other mode would be cheaper by a fifth and a dollar.
fn billing_mode(report: &Report) -> Option<Advice> {
    let money = report.money.as_ref()?;
    let cost_of =
        |name: &str| money.plans.iter().find(|plan| plan.plan == name).map(|plan| plan.dollars_a_month);
    let all_are = |mode: &str| report.tables.iter().all(|table| table.billing_mode == mode);
    let (now, other, name, remedy) = if all_are("PAY_PER_REQUEST") {
        let remedy = "if the load is this steady: BillingMode PROVISIONED with auto scaling at 70 %";
        (cost_of(ON_DEMAND)?, cost_of(PROVISIONED)?, PROVISIONED, remedy)
    } else if all_are("PROVISIONED") {
        let remedy = "provision less, let auto scaling do it, or BillingMode PAY_PER_REQUEST";
        (money.dollars_a_month, cost_of(ON_DEMAND)?, ON_DEMAND, remedy)
    } else {
        return None;
    };
    if now - other < 1.0 || other > 0.8 * now {
        return None;
    }
    Some(Advice {
        kind: "billing-mode".to_owned(),
        table: report.tables.first()?.table.clone(),
        index: None,
        sentence: format!(
            "All tables: this load costs {} a month, and {} {name}.",
            dollars_text(now),
            dollars_text(other)
        ),
        remedy: remedy.to_owned(),
    })
}

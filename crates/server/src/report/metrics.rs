//! `/metrics`: the counters as Prometheus text (exposition format 0.0.4).

use std::fmt::Write;

use dynamometer_capacity::admission::{Cause, Dimension};
use dynamometer_engine::catalog::IndexKind;
use dynamometer_engine::throughput::{ResourceUse, TableUse, ThroughputUse};

/// One metric: name, what it is, whether it only grows, and its samples.
struct Metric {
    name: &'static str,
    help: &'static str,
    kind: &'static str,
    samples: String,
}

impl Metric {
    fn counter(name: &'static str, help: &'static str) -> Metric {
        Metric { name, help, kind: "counter", samples: String::new() }
    }

    fn gauge(name: &'static str, help: &'static str) -> Metric {
        Metric { kind: "gauge", ..Metric::counter(name, help) }
    }

    fn add(&mut self, labels: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.samples, "{}{{{labels}}} {value}", self.name);
    }
}

/// The counters of all tables that were used.
pub fn metrics(used: &ThroughputUse) -> String {
    let mut requests =
        Metric::counter("dyno_requests_total", "Requests that ran; each element of a batch is one.");
    let mut units = Metric::counter("dyno_consumed_capacity_units_total", "Capacity units consumed.");
    let mut filtered =
        Metric::counter("dyno_filtered_capacity_units_total", "Units paid for items that a filter dropped.");
    let mut throttles = Metric::counter(
        "dyno_throttle_events_total",
        "Throttle events by reason; with --throttle report the requests ran.",
    );
    let mut served = Metric::gauge("dyno_served_capacity_units_per_second", "What is served at once now.");
    let mut burst = Metric::gauge("dyno_burst_capacity_units", "Unused provisioned throughput in hand.");
    let mut partitions = Metric::gauge("dyno_partitions", "Partitions of the capacity model.");
    let mut items = Metric::gauge("dyno_items", "Items, or index entries, stored.");
    let mut bytes = Metric::gauge("dyno_stored_bytes", "Bytes stored, without what billing adds.");
    let mut conflicts = Metric::counter(
        "dyno_transaction_conflicts_total",
        "Items that were refused because a transaction with them was in progress.",
    );
    let mut soon = Metric::counter(
        "dyno_reads_soon_after_write_total",
        "Eventually consistent reads of an item or a partition key within 100 ms of a write to it.",
    );
    let mut expired = Metric::counter("dyno_ttl_deleted_items_total", "Items that time to live deleted.");
    let mut stream_reads = Metric::counter("dyno_stream_reads_total", "GetRecords calls.");
    let mut stream_records = Metric::counter("dyno_stream_records_total", "Records that they answered.");
    let mut stream_bytes = Metric::counter("dyno_stream_bytes_total", "Bytes of those records.");
    for table in &used.tables {
        let place = format!("table=\"{}\"", table.name);
        for (metric, count) in [
            (&mut expired, table.expired_items),
            (&mut stream_reads, table.stream.reads),
            (&mut stream_records, table.stream.records),
            (&mut stream_bytes, table.stream.bytes),
        ] {
            if count > 0 {
                metric.add(&place, count);
            }
        }
    }
    for (table, resource) in
        used.tables.iter().flat_map(|table| table.resources.iter().map(move |one| (table, one)))
    {
        let place = labels(table, resource);
        for (operation, counted) in &resource.operations {
            let labels = format!("{place},operation=\"{}\"", operation.name());
            requests.add(&labels, counted.requests);
            units.add(&labels, counted.units());
            if counted.conflicts > 0 {
                conflicts.add(&labels, counted.conflicts);
            }
            if counted.filtered_halves > 0 {
                filtered.add(&labels, counted.filtered_units());
            }
        }
        items.add(&place, resource.items);
        bytes.add(&place, resource.bytes);
        if resource.reads_soon_after_write > 0 {
            soon.add(&place, resource.reads_soon_after_write);
        }
        // A local index draws from its table.
        if matches!(resource.index, Some((_, IndexKind::Local))) {
            continue;
        }
        partitions.add(&place, resource.capacity.partitions.len());
        for dimension in Dimension::BOTH {
            let labels = format!("{place},dimension=\"{}\"", dimension.word().to_lowercase());
            served.add(&labels, resource.capacity.rate[dimension]);
            burst.add(&labels, resource.capacity.burst[dimension]);
            for cause in Cause::ALL {
                let events = resource.capacity.counters[dimension].refusals(cause);
                if events > 0 {
                    let kind = if resource.index.is_some() { "Index" } else { "Table" };
                    let reason = format!("{kind}{}{}", dimension.word(), cause.word());
                    throttles.add(&format!("{place},reason=\"{reason}\""), events);
                }
            }
        }
    }
    let all = [
        requests,
        units,
        filtered,
        throttles,
        conflicts,
        served,
        burst,
        partitions,
        items,
        bytes,
        soon,
        expired,
        stream_reads,
        stream_records,
        stream_bytes,
    ];
    let mut text = String::new();
    for metric in all.iter().filter(|metric| !metric.samples.is_empty()) {
        let Metric { name, help, kind, samples } = metric;
        let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{samples}");
    }
    text
}

/// `table="Orders",index=""`. Names hold nothing that would have to be escaped.
fn labels(table: &TableUse, resource: &ResourceUse) -> String {
    let index = resource.index.as_ref().map_or("", |(name, _)| name);
    format!("table=\"{}\",index=\"{index}\"", table.name)
}

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

    /// Adds what happened at all.
    fn add_some(&mut self, labels: &str, count: u64) {
        if count > 0 {
            self.add(labels, count);
        }
    }
}

/// All metrics, in the order in which they are shown.
struct Metrics {
    requests: Metric,
    units: Metric,
    filtered: Metric,
    throttles: Metric,
    conflicts: Metric,
    served: Metric,
    burst: Metric,
    partitions: Metric,
    items: Metric,
    bytes: Metric,
    soon: Metric,
    expired: Metric,
    stream_reads: Metric,
    stream_records: Metric,
    stream_bytes: Metric,
}

/// The counters of all tables that were used.
pub fn metrics(used: &ThroughputUse) -> String {
    let mut metrics = Metrics::new();
    for table in &used.tables {
        metrics.add_table(table);
        for resource in &table.resources {
            metrics.add_resource(table, resource);
        }
    }
    metrics.text()
}

impl Metrics {
    fn new() -> Metrics {
        Metrics {
            requests: Metric::counter(
                "dyno_requests_total",
                "Requests that ran; each element of a batch is one.",
            ),
            units: Metric::counter("dyno_consumed_capacity_units_total", "Capacity units consumed."),
            filtered: Metric::counter(
                "dyno_filtered_capacity_units_total",
                "Units paid for items that a filter dropped.",
            ),
            throttles: Metric::counter(
                "dyno_throttle_events_total",
                "Throttle events by reason; with --throttle report the requests ran.",
            ),
            conflicts: Metric::counter(
                "dyno_transaction_conflicts_total",
                "Items that were refused because a transaction with them was in progress.",
            ),
            served: Metric::gauge("dyno_served_capacity_units_per_second", "What is served at once now."),
            burst: Metric::gauge("dyno_burst_capacity_units", "Unused provisioned throughput in hand."),
            partitions: Metric::gauge("dyno_partitions", "Partitions of the capacity model."),
            items: Metric::gauge("dyno_items", "Items, or index entries, stored."),
            bytes: Metric::gauge("dyno_stored_bytes", "Bytes stored, without what billing adds."),
            soon: Metric::counter(
                "dyno_reads_soon_after_write_total",
                "Eventually consistent reads of an item or a partition key within 100 ms of a write to it.",
            ),
            expired: Metric::counter("dyno_ttl_deleted_items_total", "Items that time to live deleted."),
            stream_reads: Metric::counter("dyno_stream_reads_total", "GetRecords calls."),
            stream_records: Metric::counter("dyno_stream_records_total", "Records that they answered."),
            stream_bytes: Metric::counter("dyno_stream_bytes_total", "Bytes of those records."),
        }
    }

    /// What is counted of a table alone.
    fn add_table(&mut self, table: &TableUse) {
        let place = format!("table=\"{}\"", table.name);
        self.expired.add_some(&place, table.expired_items);
        self.stream_reads.add_some(&place, table.stream.reads);
        self.stream_records.add_some(&place, table.stream.records);
        self.stream_bytes.add_some(&place, table.stream.bytes);
    }

    /// What is counted of a table or an index.
    fn add_resource(&mut self, table: &TableUse, resource: &ResourceUse) {
        let place = labels(table, resource);
        for (operation, counted) in &resource.operations {
            let labels = format!("{place},operation=\"{}\"", operation.name());
            self.requests.add(&labels, counted.requests);
            self.units.add(&labels, counted.units());
            self.conflicts.add_some(&labels, counted.conflicts);
            if counted.filtered_halves > 0 {
                self.filtered.add(&labels, counted.filtered_units());
            }
        }
        self.items.add(&place, resource.items);
        self.bytes.add(&place, resource.bytes);
        self.soon.add_some(&place, resource.reads_soon_after_write);
        // A local index draws from its table.
        if !matches!(resource.index, Some((_, IndexKind::Local))) {
            self.add_capacity(&place, resource);
        }
    }

    /// The capacity model of a table or a global index.
    fn add_capacity(&mut self, place: &str, resource: &ResourceUse) {
        let kind = if resource.index.is_some() { "Index" } else { "Table" };
        self.partitions.add(place, resource.capacity.partitions.len());
        for dimension in Dimension::BOTH {
            let labels = format!("{place},dimension=\"{}\"", dimension.word().to_lowercase());
            self.served.add(&labels, resource.capacity.rate[dimension]);
            self.burst.add(&labels, resource.capacity.burst[dimension]);
            for cause in Cause::ALL {
                let events = resource.capacity.counters[dimension].refusals(cause);
                let reason = format!("{kind}{}{}", dimension.word(), cause.word());
                self.throttles.add_some(&format!("{place},reason=\"{reason}\""), events);
            }
        }
    }

    /// The metrics that have samples.
    fn text(&self) -> String {
        let all = [
            &self.requests,
            &self.units,
            &self.filtered,
            &self.throttles,
            &self.conflicts,
            &self.served,
            &self.burst,
            &self.partitions,
            &self.items,
            &self.bytes,
            &self.soon,
            &self.expired,
            &self.stream_reads,
            &self.stream_records,
            &self.stream_bytes,
        ];
        let mut text = String::new();
        for metric in all.into_iter().filter(|metric| !metric.samples.is_empty()) {
            let Metric { name, help, kind, samples } = metric;
            let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{samples}");
        }
        text
    }
}

/// `table="Orders",index=""`. Names hold nothing that would have to be escaped.
fn labels(table: &TableUse, resource: &ResourceUse) -> String {
    let index = resource.index.as_ref().map_or("", |(name, _)| name);
    format!("table=\"{}\",index=\"{index}\"", table.name)
}

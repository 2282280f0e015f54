//! From what the catalog says of a table to what the capacity model takes.

use dynamometer_capacity::admission::{self, IndexSpec, PerDimension, ResourceSpec, TableSpec};
use dynamometer_types::Timestamp;

use crate::api::BillingMode;
use crate::catalog::record::{
    Change, Lifecycle, OnDemandRecord, Status, TableRecord, ThroughputRecord, WarmRecord,
};

/// The table at `now` as the model takes it, without what only the store knows: the bytes.
pub(crate) fn spec_of(record: &TableRecord, now: Timestamp) -> TableSpec {
    let mode = match record.billing.mode {
        BillingMode::Provisioned => admission::BillingMode::Provisioned,
        BillingMode::PayPerRequest => admission::BillingMode::OnDemand,
    };
    let indexes =
        record.global_indexes.iter().filter(|index| !matches!(index.lifecycle, Lifecycle::Deleting { .. }));
    TableSpec {
        mode,
        table: resource(&record.throughput, &record.on_demand, &record.warm, now),
        indexes: indexes
            .map(|index| IndexSpec {
                name: index.name.as_str().into(),
                resource: resource(&index.throughput, &index.on_demand, &index.warm, now),
            })
            .collect(),
        has_local_index: !record.local_indexes.is_empty(),
        was_on_demand: record.billing.pay_per_request_since_ms.is_some(),
        seed: u64::from(record.id),
        ..TableSpec::default()
    }
}

fn resource(
    throughput: &ThroughputRecord,
    on_demand: &OnDemandRecord,
    warm: &WarmRecord,
    now: Timestamp,
) -> ResourceSpec {
    let units = |units: i64| u64::try_from(units).unwrap_or(0);
    let maximum = |units: Option<i64>| units.and_then(|units| u64::try_from(units).ok());
    let is_warm = warm.lifecycle.status(now) != Status::Updating;
    ResourceSpec {
        provisioned: PerDimension::new(units(throughput.read), units(throughput.write)),
        maximum: PerDimension::new(maximum(on_demand.max_read), maximum(on_demand.max_write)),
        // What is being warmed up is not there yet; what the mode implies, the model knows itself.
        warm: if is_warm {
            PerDimension::new(units(warm.read), units(warm.write))
        } else {
            PerDimension::default()
        },
        ..ResourceSpec::default()
    }
}

/// When the settings of a record are in force.
pub(crate) fn in_force_from(record: &TableRecord, now: Timestamp) -> Timestamp {
    let throughput = std::iter::once(record.lifecycle)
        .chain(record.global_indexes.iter().map(|index| index.lifecycle))
        .filter(|lifecycle| matches!(lifecycle, Lifecycle::Updating { change: Change::Throughput, .. }));
    let warm = std::iter::once(record.warm.lifecycle)
        .chain(record.global_indexes.iter().map(|index| index.warm.lifecycle));
    let pending = throughput.chain(warm).filter_map(|lifecycle| match lifecycle {
        Lifecycle::Updating { until_ms, .. } => Some(Timestamp::from_millis(until_ms)),
        _ => None,
    });
    pending.max().unwrap_or(now)
}

/// From when on a table that nobody has used yet saves up what it does not use: since it was made, or last changed.
pub(crate) fn unused_since(record: &TableRecord, now: Timestamp) -> Timestamp {
    let changes = [
        record.throughput.last_increase_ms,
        record.throughput.last_decrease_ms,
        record.billing.pay_per_request_since_ms,
    ];
    let last = changes.into_iter().flatten().fold(record.created_ms, i64::max);
    Timestamp::from_millis(last).min(now)
}

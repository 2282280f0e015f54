//! What the live state shows.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dynamometer_capacity::CapacityUnits;
use dynamometer_capacity::admission::{PerDimension, ResourceReport};
use dynamometer_types::key::ESCAPED_END;
use dynamometer_types::{KeySchema, Number, ScalarType, Timestamp};

use super::hottest::Tracked;
use super::live::Resource;
use super::{Operation, OperationUse, ThrottleMode};
use crate::api::TableClass;
use crate::catalog::{IndexKind, Table};
use crate::engine::Engine;

/// What was counted on the tables of a database since the server started.
#[derive(Clone, Debug)]
pub struct ThroughputUse {
    /// What becomes of requests that the model refuses.
    pub throttle: ThrottleMode,
    /// The first and the last request; `None` when there was none.
    pub span: Option<(Timestamp, Timestamp)>,
    /// The tables that were used, in order of name.
    pub tables: Vec<TableUse>,
}

/// What was counted on one table.
#[derive(Clone, Debug)]
pub struct TableUse {
    /// Its name.
    pub name: String,
    /// Its class.
    pub class: TableClass,
    /// The table itself, then its indexes.
    pub resources: Vec<ResourceUse>,
    /// Items that time to live deleted.
    pub expired_items: u64,
    /// What was read of its streams.
    pub stream: StreamUse,
}

/// What was read of a table's streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamUse {
    /// GetRecords calls: one streams read request unit each, also when they answered nothing.
    pub reads: u64,
    /// Records that they answered.
    pub records: u64,
    /// Bytes of those records.
    pub bytes: u64,
}

/// What was counted on one table or index.
#[derive(Clone, Debug)]
pub struct ResourceUse {
    /// The index and its kind; `None` for the table itself.
    pub index: Option<(Arc<str>, IndexKind)>,
    /// What each operation did; those that did nothing are left out.
    pub operations: Vec<(Operation, OperationUse)>,
    /// The keys with the most units, hottest first.
    pub hottest: PerDimension<Vec<HotKey>>,
    /// Units consumed while on demand.
    pub on_demand_units: PerDimension<CapacityUnits>,
    /// Provisioned units times seconds, each begun hour in full.
    pub provisioned_unit_seconds: PerDimension<u128>,
    /// Items or entries stored now.
    pub items: u64,
    /// Bytes stored now, without what billing adds.
    pub bytes: u64,
    /// Eventually consistent reads of an item, and queries of a partition key, within 100 ms of a write to it; one write
    /// among many may be missed.
    pub reads_soon_after_write: u64,
    /// Throughput, budgets, refusals and partitions; of a local index those of its table.
    pub capacity: ResourceReport,
}

/// A partition key and what it got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HotKey {
    /// The key, as far as it is kept: values of several attributes joined by `#`, binary ones in hexadecimal.
    pub key: String,
    /// Units, never too few.
    pub units: CapacityUnits,
    /// By how many these may be too many.
    pub over_by_units: CapacityUnits,
    /// Units in its busiest second.
    pub busiest_second_units: CapacityUnits,
    /// Requests of the key that the model refused.
    pub throttled: u64,
}

/// How many of the keys that are kept are shown.
const SHOWN_KEYS: usize = 10;

impl Engine {
    /// What was counted on the tables of a database.
    pub fn throughput_use(&self, namespace: &str, now: Timestamp) -> ThroughputUse {
        let version = self.catalog.version();
        let mut tables = Vec::new();
        let mut span: Option<(Timestamp, Timestamp)> = None;
        for table in version.tables(namespace) {
            let Some((table_use, table_span)) = self.table_use(table, now) else { continue };
            tables.push(table_use);
            span = match (span, table_span) {
                (Some((first, last)), Some((from, to))) => Some((first.min(from), last.max(to))),
                (one, other) => one.or(other),
            };
        }
        ThroughputUse { throttle: self.config.throttle, span, tables }
    }

    #[allow(clippy::type_complexity)]
    fn table_use(&self, table: &Table, now: Timestamp) -> Option<(TableUse, Option<(Timestamp, Timestamp)>)> {
        let class = table.record.table_class.map_or(TableClass::Standard, |record| record.class);
        table.live.peek(table, now, |state| {
            let reports = state.capacity.report(now);
            let resources = state.resources.iter().filter_map(|resource| {
                let name = match &resource.index {
                    Some((name, IndexKind::Global)) => Some(name),
                    _ => None,
                };
                let capacity = reports.iter().find(|report| report.index.as_ref() == name)?.clone();
                let key = match &resource.index {
                    None => &table.key,
                    Some((name, _)) => &table.index(name)?.key,
                };
                let (items, bytes) = self.stored(resource.object);
                Some(resource_use(resource, capacity, key, (items, bytes), now))
            });
            let resources = resources.collect();
            let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
            let free = &table.live.free;
            let stream = StreamUse {
                reads: count(&free.stream_reads),
                records: count(&free.stream_records),
                bytes: count(&free.stream_bytes),
            };
            let (name, expired_items) = (table.record.name.clone(), count(&free.expired_items));
            (TableUse { name, class, resources, expired_items, stream }, state.span)
        })
    }
}

fn resource_use(
    resource: &Resource,
    capacity: ResourceReport,
    key: &KeySchema,
    (items, bytes): (u64, u64),
    now: Timestamp,
) -> ResourceUse {
    let operations =
        Operation::ALL.iter().map(|operation| (*operation, resource.operations[*operation as usize]));
    let hottest = |sketch: &Option<Box<super::hottest::Hottest>>| {
        let ranked = sketch.as_ref().map(|sketch| sketch.ranked()).unwrap_or_default();
        ranked.into_iter().take(SHOWN_KEYS).map(|(halves, tracked)| hot_key(halves, tracked, key)).collect()
    };
    ResourceUse {
        index: resource.index.clone(),
        operations: operations.filter(|(_, used)| *used != OperationUse::default()).collect(),
        hottest: PerDimension::new(hottest(&resource.hottest.read), hottest(&resource.hottest.write)),
        on_demand_units: resource.on_demand_halves.map(CapacityUnits::from_halves),
        provisioned_unit_seconds: resource.provisioned.map(|peak| peak.unit_seconds(now)),
        items,
        bytes,
        reads_soon_after_write: resource.soon_reads,
        capacity,
    }
}

fn hot_key(halves: u64, tracked: &Tracked, key: &KeySchema) -> HotKey {
    HotKey {
        key: label(tracked.label(), key),
        units: CapacityUnits::from_halves(halves),
        over_by_units: CapacityUnits::from_halves(tracked.over_by),
        busiest_second_units: CapacityUnits::from_halves(tracked.busiest),
        throttled: tracked.refused,
    }
}

/// A partition key from the first bytes of a stored key; `…` where it was cut off.
fn label(stored: &[u8], key: &KeySchema) -> String {
    let mut parts = key_values(stored, key, true);
    parts.truncate(key.partition.len());
    parts.join("#")
}

/// The values of a key from the first bytes of a stored one, partition key first; `…` where it was cut off. The sort
/// key of an index is escaped, that of a table is not.
pub(crate) fn key_values(mut stored: &[u8], key: &KeySchema, of_index: bool) -> Vec<String> {
    let mut values = Vec::with_capacity(key.partition.len() + key.sort.len());
    for (at, attribute) in key.partition.iter().chain(&key.sort).enumerate() {
        if at >= key.partition.len() && !of_index {
            values.push(shown(attribute.scalar_type, stored));
            break;
        }
        let (value, rest, is_whole) = unescape(stored);
        let mut text = shown(attribute.scalar_type, &value);
        if !is_whole {
            text.push('…');
        }
        values.push(text);
        stored = rest;
        if !is_whole {
            break;
        }
    }
    values
}

pub(super) fn shown(scalar_type: ScalarType, ordered: &[u8]) -> String {
    match scalar_type {
        ScalarType::S => String::from_utf8_lossy(ordered).into_owned(),
        ScalarType::N => {
            Number::from_key_bytes(ordered).map_or_else(|| hexadecimal(ordered), |number| number.to_string())
        }
        ScalarType::B => hexadecimal(ordered),
    }
}

/// The first escaped value, what follows it, and whether its end is there.
pub(super) fn unescape(escaped: &[u8]) -> (Vec<u8>, &[u8], bool) {
    let mut value = Vec::new();
    let mut at = 0;
    while at < escaped.len() {
        if escaped[at] != 0 {
            value.push(escaped[at]);
            at += 1;
            continue;
        }
        if escaped[at..].starts_with(&ESCAPED_END) {
            return (value, &escaped[at + ESCAPED_END.len()..], true);
        }
        value.push(0);
        at += 2;
    }
    (value, &[], false)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use dynamometer_types::{AttributeValue, KeyAttribute};

    use super::*;
    use crate::disk::keys::push_escaped;

    #[test]
    fn keys_are_shown_as_they_were_given() {
        let number: Number = "-12.5".parse().unwrap();
        let cases = [
            (vec![AttributeValue::s("USER#1")], "USER#1"),
            (vec![AttributeValue::N(number)], "-12.5"),
            (vec![AttributeValue::s("a\0b"), AttributeValue::s("c")], "a\0b#c"),
            (vec![AttributeValue::B(vec![0, 255])], "00ff"),
        ];
        for (values, expected) in cases {
            let mut stored = Vec::new();
            let mut partition = Vec::new();
            for (at, value) in values.iter().enumerate() {
                push_escaped(value, &mut stored).unwrap();
                let scalar_type = [ScalarType::S, ScalarType::N, ScalarType::B]
                    .into_iter()
                    .find(|scalar_type| scalar_type.admits(value))
                    .unwrap();
                partition.push(KeyAttribute { name: format!("k{at}"), scalar_type });
            }
            let key = KeySchema { partition, sort: Vec::new() };
            assert_eq!(label(&stored, &key), expected);
            stored.truncate(1);
            assert!(label(&stored, &key).ends_with('…'), "{expected}");
        }
    }
}

//! Parts of answers that several operations share.

use dynamometer_capacity::meter::Consumption;
use dynamometer_types::{Item, KeySchema};

use crate::api::{
    CapacityArms, CapacityKind, ConsumedCapacity, Given, ItemCollectionMetrics, ReturnConsumedCapacity,
    ReturnItemCollectionMetrics, known_or,
};

const GIGABYTE: u64 = 1 << 30;

/// What the answer tells of the consumed capacity of one table; `kind` in the answers of transactions only.
pub(crate) fn consumed_capacity(
    asked: &Option<Given<ReturnConsumedCapacity>>,
    table_name: &str,
    consumption: &Consumption,
    kind: Option<CapacityKind>,
) -> Option<ConsumedCapacity> {
    let arms = match known_or(asked, ReturnConsumedCapacity::None) {
        ReturnConsumedCapacity::None => return None,
        ReturnConsumedCapacity::Total => None,
        ReturnConsumedCapacity::Indexes => Some(CapacityArms {
            table: consumption.table,
            local_secondary_indexes: owned(consumption.local_indexes.iter()),
            global_secondary_indexes: owned(consumption.global_indexes.iter()),
        }),
    };
    Some(ConsumedCapacity {
        table_name: table_name.to_owned(),
        capacity_units: consumption.total(),
        kind,
        arms,
    })
}

fn owned<'a, N: Clone + 'a, U>(arms: impl Iterator<Item = (&'a N, U)>) -> Vec<(N, U)> {
    arms.map(|(name, units)| (name.clone(), units)).collect()
}

/// What the answer tells of an item collection's size; only tables with local indexes have one.
pub(crate) fn collection_metrics(
    asked: &Option<Given<ReturnItemCollectionMetrics>>,
    table_key: &KeySchema,
    key_holder: &Item,
    collection_bytes: Option<u64>,
) -> Option<ItemCollectionMetrics> {
    if known_or(asked, ReturnItemCollectionMetrics::None) == ReturnItemCollectionMetrics::None {
        return None;
    }
    let gigabytes = (collection_bytes? / GIGABYTE) as f64;
    let partition = &table_key.partition;
    Some(ItemCollectionMetrics {
        item_collection_key: partition
            .iter()
            .filter_map(|a| Some((a.name.clone(), key_holder.get(&a.name)?.clone())))
            .collect(),
        size_estimate_range_gb: [gigabytes, gigabytes + 1.0],
    })
}

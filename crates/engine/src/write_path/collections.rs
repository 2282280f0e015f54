//! Item collections: how large each is, and the bound on it.
//!
//! The size of a collection is a counter of the store. Growth that is queued is not in there yet, so the size as the queue
//! leaves it is kept beside a latch of the collection's own, as the images of items are beside theirs. Only tables with
//! local indexes have collections in this sense.

use std::collections::HashMap;

use bytes::Bytes;
use dynamometer_store::{Keyspace, Store, decode_pair, encode_pair};
use dynamometer_types::limits::ITEM_COLLECTION_BYTES;
use dynamometer_types::{ApiError, Item};

use super::PlannedWrite;
use super::latch::{Done, Held, Latches};
use crate::catalog::Table;
use crate::disk::keys::partition_prefix;
use crate::engine::internal_error;

/// The collections that some writes change: items and bytes of each, as the queue and the writes so far leave it.
#[derive(Default)]
pub(super) struct Collections {
    pairs: HashMap<Bytes, [i64; 2]>,
    /// Whether one of them was seen in the queue.
    pub(super) saw_queued: bool,
}

/// What a write does to an item collection.
pub(super) struct CollectionGrowth {
    /// The key of its counter, and of its latch.
    pub(super) key: Bytes,
    pub(super) growth: [i64; 2],
    pub(super) bytes_after: u64,
}

impl Collections {
    /// Grows a collection; answers `None`, and lets it be, when it would grow beyond 10 GB.
    pub(super) fn grow(
        &mut self,
        store: &dyn Store,
        held: &Held<'_>,
        (table, key_holder): (&Table, &Item),
        growth: [i64; 2],
    ) -> Result<Option<CollectionGrowth>, ApiError> {
        let key = key_of(table, key_holder).ok_or_else(|| internal_error("an item without its key"))?;
        let pair = match self.pairs.get(&key) {
            Some(pair) => *pair,
            None => {
                let queued = held.queued(&key);
                self.saw_queued |= queued.is_some();
                let row = match queued {
                    Some(row) => row,
                    None => store.get(Keyspace::Counters, &key).map_err(internal_error)?,
                };
                decode_pair(row.as_deref()).map_err(internal_error)?
            }
        };
        let after = [pair[0] + growth[0], pair[1] + growth[1]];
        let bytes_after = after[1].max(0) as u64;
        if growth[1] > 0 && bytes_after > ITEM_COLLECTION_BYTES {
            return Ok(None);
        }
        self.pairs.insert(key.clone(), after);
        Ok(Some(CollectionGrowth { key, growth, bytes_after }))
    }

    /// Takes back the growth of a write that is left out after all.
    pub(super) fn take_back(&mut self, collection: &CollectionGrowth) {
        if let Some(pair) = self.pairs.get_mut(&collection.key) {
            *pair = [pair[0] - collection.growth[0], pair[1] - collection.growth[1]];
        }
    }

    /// Keeps the sizes beside the latches until the batch is done. Answers the keys to forget then.
    pub(super) fn remember(self, held: &mut Held<'_>, done: &Done) -> impl Iterator<Item = Bytes> {
        for (key, pair) in &self.pairs {
            held.remember(key, Some(Bytes::copy_from_slice(&encode_pair(*pair))), done);
        }
        self.pairs.into_keys()
    }
}

impl Latches {
    /// Takes the latches that some writes need: those of their items and of the collections that these are in, and that of
    /// `other`.
    pub(crate) fn hold_for(&self, writes: &[PlannedWrite<'_>], other: Option<&Bytes>) -> Held<'_> {
        let grows = writes.iter().filter(|write| write.table.has_local_indexes());
        let collections: Vec<Bytes> =
            grows.filter_map(|write| key_of(&write.table, write.key_holder)).collect();
        self.hold(writes.iter().map(|write| &write.key).chain(&collections).chain(other))
    }
}

/// The key of a collection: what the keys of its items begin with.
fn key_of(table: &Table, key_holder: &Item) -> Option<Bytes> {
    let partition = table.key.partition.iter().map(|attribute| key_holder.get(&attribute.name));
    partition_prefix(table.id(), partition).map(Bytes::from)
}

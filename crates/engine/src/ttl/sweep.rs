//! Deleting what has expired.

use std::collections::HashMap;
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use bytes::Bytes;
use dynamometer_store::{Batch, Direction, Keyspace, StoreError};
use dynamometer_types::{ApiError, Item, Timestamp};
use parking_lot::Mutex;

use super::{TOO_OLD_SECONDS, TimeToLive, is_expired};
use crate::admin::is_kept;
use crate::catalog::record::Lifecycle;
use crate::catalog::{Table, Version};
use crate::disk::keys::{
    ObjectId, after_prefix, expiry_start, item_key_of_expiry, object_prefix, second_of_expiry,
};
use crate::disk::row::{CorruptRow, Row};
use crate::engine::{Engine, internal_error};
use crate::throughput::ItemAction;
use crate::write_path::{Behalf, Effect, OldImage, PlannedWrite, Stop, WriteOperation};

/// How many items one batch deletes: their latches are held together, for as long as it takes to read them.
const CHUNK_ITEMS: usize = 100;

/// Deletes an item if it has expired, whatever it was when the index was read.
struct Expire {
    now: Timestamp,
}

impl WriteOperation for Expire {
    fn effects(&self, table: &Table, old: &OldImage) -> Result<Effect<'_>, ApiError> {
        let second = match (TimeToLive::of(table), old.row()) {
            (Some(ttl), Some(row)) => ttl.second_of_row(row).map_err(internal_error)?,
            _ => None,
        };
        Ok(if second.is_some_and(|second| is_expired(second, self.now)) {
            Effect::Delete
        } else {
            Effect::Keep
        })
    }

    fn action(&self) -> ItemAction {
        ItemAction::Delete
    }
}

/// An item that is due, by its key on disk, and its key attributes.
type DueItem = (Bytes, Item);

/// From which second on each index was looked at last: what lies before was too old to be deleted then.
#[derive(Default)]
pub(crate) struct Oldest(Mutex<HashMap<ObjectId, u64>>);

impl Engine {
    /// When the next item expires of all tables; a time that is over means at once.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) fn expiry_due(&self) -> Result<Option<Timestamp>, StoreError> {
        let version = self.catalog.version();
        let mut next: Option<Timestamp> = None;
        for ttl in tables_with_time_to_live(&version).filter_map(|table| TimeToLive::of(table)) {
            let oldest = self.oldest.0.lock().get(&ttl.index).copied().unwrap_or(0);
            let start = expiry_start(ttl.index, oldest);
            let mut first = None;
            self.expiry_rows(ttl, Bound::Included(&start), &mut |key| {
                first = Some(due_at(key, self.config.ttl_delay_ms));
                ControlFlow::Break(())
            })?;
            next = next.into_iter().chain(first).min();
        }
        Ok(next)
    }

    /// Deletes what has expired on all tables, oldest first within each.
    ///
    /// # Errors
    /// When the store fails or holds a row that cannot be read.
    pub(crate) fn delete_expired(&self, now: Timestamp) -> Result<(), StoreError> {
        let version = self.catalog.version();
        let mut looked_at = HashMap::new();
        for table in tables_with_time_to_live(&version) {
            let Some(ttl) = TimeToLive::of(table) else { continue };
            if self.jobs_are_stopped() {
                return Ok(());
            }
            let oldest = u64::try_from(now.seconds() - TOO_OLD_SECONDS).unwrap_or(0);
            self.delete_expired_of(table, ttl, oldest, now)?;
            looked_at.insert(ttl.index, oldest);
        }
        *self.oldest.0.lock() = looked_at;
        Ok(())
    }

    fn delete_expired_of(
        &self,
        table: &Arc<Table>,
        ttl: TimeToLive<'_>,
        oldest: u64,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut from = Bound::Included(expiry_start(ttl.index, oldest));
        loop {
            let mut due = Vec::new();
            self.expiry_rows(ttl, from.as_ref().map(Vec::as_slice), &mut |key| {
                if due_at(key, self.config.ttl_delay_ms) > now || due.len() >= CHUNK_ITEMS {
                    return ControlFlow::Break(());
                }
                due.push(Bytes::copy_from_slice(key));
                ControlFlow::Continue(())
            })?;
            let Some(last) = due.last() else { return Ok(()) };
            from = Bound::Excluded(last.to_vec());
            self.delete_items(table, &due, now)?;
            self.drop_strays(table, ttl, &due)?;
            if self.jobs_are_stopped() {
                return Ok(());
            }
        }
    }

    /// Visits the rows of an index from a key on.
    fn expiry_rows(
        &self,
        ttl: TimeToLive<'_>,
        from: Bound<&[u8]>,
        visit: &mut dyn FnMut(&[u8]) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let end = after_prefix(&object_prefix(ttl.index));
        let end = end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let view = self.store.snapshot()?;
        view.range(Keyspace::Expiry, from, end, Direction::Forward, &mut |key, _| visit(key))
    }

    /// Deletes the items of some rows that have expired still.
    fn delete_items(&self, table: &Arc<Table>, rows: &[Bytes], now: Timestamp) -> Result<(), StoreError> {
        let operation = Expire { now };
        loop {
            let record = &table.record;
            let current = self.catalog.table(&record.namespace, &record.name);
            let Some(current) = current.filter(|current| current.record.expiry_id == record.expiry_id) else {
                return Ok(());
            };
            let items = self.items_of(&current, rows)?;
            let plans: Vec<PlannedWrite<'_>> = items
                .iter()
                .map(|(key, holder)| PlannedWrite {
                    table: Arc::clone(&current),
                    key: key.clone(),
                    key_holder: holder,
                    operation: &operation,
                })
                .collect();
            let (started, in_conflict) = self.start_free(Behalf::of_time_to_live(now), &plans);
            match started {
                Ok(started) => {
                    started.wait(self)?;
                    if !in_conflict.is_empty() {
                        // Behind the transactions that have these items: they are due still, and then looked at again.
                        self.store.commit(Batch::new()).wait()?;
                    }
                    return Ok(());
                }
                Err(Stop::TableChanged) => {}
                // They are due still, and looked at again.
                Err(Stop::Refused { .. }) => return Ok(()),
                Err(Stop::Failed(error)) => return Err(StoreError::Unavailable(error.message.into())),
            }
        }
    }

    /// Drops rows of the index that no item of that second has. There are none, unless a fault has left them; but one
    /// would be due for ever.
    fn drop_strays(&self, table: &Table, ttl: TimeToLive<'_>, rows: &[Bytes]) -> Result<(), StoreError> {
        let mut left = Vec::new();
        for row in rows {
            if self.store.get(Keyspace::Expiry, row)?.is_some() {
                left.push((row, Bytes::from(item_key_of_expiry(row, table.id()))));
            }
        }
        if left.is_empty() {
            return Ok(());
        }
        let mut batch = Batch::new();
        let held = self.latches.hold(left.iter().map(|(_, key)| key));
        for (row, key) in &left {
            let item = match held.queued(key) {
                Some(image) => image,
                None => self.store.get(Keyspace::Items, key)?,
            };
            let second = item.map(|item| ttl.second_of_row(&Row::from_stored(item))).transpose();
            if second.map_err(CorruptRow::into_store_error)?.flatten() != second_of_expiry(row) {
                batch.delete(Keyspace::Expiry, (*row).clone());
            }
        }
        let commit = self.store.commit(batch);
        drop(held);
        commit.wait().map(drop)
    }

    /// The items of some rows of the index that are there still.
    fn items_of(&self, table: &Table, rows: &[Bytes]) -> Result<Vec<DueItem>, StoreError> {
        let mut items = Vec::with_capacity(rows.len());
        for row in rows {
            let key = Bytes::from(item_key_of_expiry(row, table.id()));
            let Some(stored) = self.store.get(Keyspace::Items, &key)? else { continue };
            let keys = Row::from_stored(stored).part(|name| table.key.contains(name));
            items.push((key, keys.map_err(CorruptRow::into_store_error)?));
        }
        Ok(items)
    }
}

fn tables_with_time_to_live(version: &Version) -> impl Iterator<Item = &Arc<Table>> {
    version.all_tables().filter(|table| {
        let is_going = matches!(table.record.lifecycle, Lifecycle::Deleting { .. });
        TimeToLive::of(table).is_some() && !is_going && !is_kept(&table.record.namespace)
    })
}

/// When the item of a row of the index is to be deleted.
fn due_at(key: &[u8], delay_ms: i64) -> Timestamp {
    let second = second_of_expiry(key).and_then(|second| i64::try_from(second).ok());
    let millis = second.and_then(|second| second.checked_mul(1000)?.checked_add(delay_ms));
    Timestamp::from_millis(millis.unwrap_or(i64::MAX))
}

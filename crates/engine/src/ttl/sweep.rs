//! Deleting what has expired.

use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use bytes::Bytes;
use dynamometer_store::{Direction, Keyspace, StoreError};
use dynamometer_types::{ApiError, Item, Timestamp};

use super::{TOO_OLD_SECONDS, TimeToLive, is_expired};
use crate::admin::is_kept;
use crate::catalog::Table;
use crate::catalog::record::Status;
use crate::disk::keys::{after_prefix, expiry_start, item_key_of_expiry, object_prefix, second_of_expiry};
use crate::disk::row::{CorruptRow, Row};
use crate::engine::{Engine, internal_error};
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
}

/// An item that is due, by its key on disk, and its key attributes.
type DueItem = (Bytes, Item);

/// What a look at an index of expiry times finds.
struct Due {
    /// Rows of the index.
    rows: Vec<Bytes>,
    /// When the next one is due after these; `None` when there is none.
    next: Option<Timestamp>,
}

impl Engine {
    /// Deletes what has expired on all tables, oldest first within each. Answers when the next item is due.
    ///
    /// # Errors
    /// When the store fails or holds a row that cannot be read.
    pub(crate) fn delete_expired(&self, now: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        let version = self.catalog.version();
        let mut next: Option<Timestamp> = None;
        for table in version.all_tables().filter(|table| !is_kept(&table.record.namespace)) {
            let is_there = matches!(table.record.lifecycle.status(now), Status::Active | Status::Updating);
            if is_there && !self.jobs_are_stopped() && TimeToLive::of(table).is_some() {
                next = next.into_iter().chain(self.delete_expired_of(table, now)?).min();
            }
        }
        Ok(next)
    }

    fn delete_expired_of(&self, table: &Arc<Table>, now: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        let Some(ttl) = TimeToLive::of(table) else { return Ok(None) };
        let oldest = u64::try_from(now.seconds() - TOO_OLD_SECONDS).unwrap_or(0);
        let mut from = Bound::Included(expiry_start(ttl.index, oldest));
        loop {
            let due = self.due_rows(ttl, &from, now)?;
            let Some(last) = due.rows.last() else { return Ok(due.next) };
            from = Bound::Excluded(last.to_vec());
            if !self.delete_items(table, &due.rows, now)? || self.jobs_are_stopped() {
                // The rest is looked at again.
                return Ok(Some(now + 1));
            }
        }
    }

    /// The next rows of an index, as far as they are due.
    fn due_rows(
        &self,
        ttl: TimeToLive<'_>,
        from: &Bound<Vec<u8>>,
        now: Timestamp,
    ) -> Result<Due, StoreError> {
        let end = after_prefix(&object_prefix(ttl.index));
        let end = end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let mut due = Due { rows: Vec::new(), next: None };
        let start = from.as_ref().map(Vec::as_slice);
        self.store.snapshot()?.range(Keyspace::Expiry, start, end, Direction::Forward, &mut |key, _| {
            let at = due_at(key, self.config.ttl_delay_ms);
            if at > now {
                due.next = Some(at);
                return ControlFlow::Break(());
            }
            due.rows.push(Bytes::copy_from_slice(key));
            if due.rows.len() < CHUNK_ITEMS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(due)
    }

    /// Deletes the items of some rows that have expired still. False when this has to be tried again.
    fn delete_items(&self, table: &Arc<Table>, rows: &[Bytes], now: Timestamp) -> Result<bool, StoreError> {
        let operation = Expire { now };
        loop {
            let record = &table.record;
            let current = self.catalog.table(&record.namespace, &record.name);
            let Some(current) = current.filter(|current| current.record.expiry_id == record.expiry_id) else {
                return Ok(true);
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
            let started = {
                let mut held = self.latches.hold(plans.iter().map(|plan| &plan.key));
                self.start_writes(Behalf::of_time_to_live(now), &plans, &mut held, |_| None)
            };
            match started {
                Ok(started) => return started.wait(self).map(|()| true),
                Err(Stop::TableChanged) => {}
                Err(Stop::Refused { .. }) => return Ok(false),
                Err(Stop::Failed(error)) => return Err(StoreError::Unavailable(error.message.into())),
            }
        }
    }

    /// The items of some rows of the index that are there still.
    fn items_of(&self, table: &Table, rows: &[Bytes]) -> Result<Vec<DueItem>, StoreError> {
        let mut items = Vec::with_capacity(rows.len());
        for row in rows {
            let key = Bytes::from(item_key_of_expiry(row, table.id()));
            let Some(stored) = self.store.get(Keyspace::Items, &key)? else { continue };
            let keys = key_attributes(table, &Row::from_stored(stored));
            items.push((key, keys.map_err(CorruptRow::into_store_error)?));
        }
        Ok(items)
    }
}

/// When the item of a row of the index is to be deleted.
fn due_at(key: &[u8], delay_ms: i64) -> Timestamp {
    let second = second_of_expiry(key).and_then(|second| i64::try_from(second).ok());
    let millis = second.and_then(|second| second.checked_mul(1000)?.checked_add(delay_ms));
    Timestamp::from_millis(millis.unwrap_or(i64::MAX))
}

fn key_attributes(table: &Table, row: &Row) -> Result<Item, CorruptRow> {
    let names = table.key.attributes().map(|attribute| attribute.name.as_str());
    let pairs = names.map(|name| Ok((name.to_owned(), row.attribute(name)?.ok_or(CorruptRow)?)));
    Ok(Item::from_unsorted(pairs.collect::<Result<_, CorruptRow>>()?))
}

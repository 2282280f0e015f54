//! Filling the index of expiry times of a table that has items already.

use std::ops::Bound;

use dynamometer_store::{Batch, Keyspace, StoreError};

use super::TimeToLive;
use crate::catalog::Table;
use crate::catalog::jobs::Job;
use crate::disk::keys::ObjectId;
use crate::disk::row::{CorruptRow, Row};
use crate::engine::Engine;
use crate::jobs::{Chunk, first_row, read_chunk};

impl Engine {
    /// Writes the rows of an index of expiry times. Writers have maintained it since it was declared, so a row is written
    /// as its item is now, under its latch.
    pub(crate) fn fill_expiry(
        &self,
        job: &Job,
        namespace: &str,
        table: &str,
        table_id: ObjectId,
        expiry_id: ObjectId,
    ) -> Result<(), StoreError> {
        let view = self.cut(Batch::new())?;
        let mut from = first_row(table_id);
        loop {
            if self.jobs_are_stopped() {
                return Ok(());
            }
            let current = self.catalog.table(namespace, table);
            let still = |table: &Table| table.id() == table_id && table.record.expiry_id == Some(expiry_id);
            // The table may have been deleted, or time to live disabled, while this went on.
            let Some(current) = current.filter(|table| still(table)) else { break };
            let chunk = read_chunk(&*view, Keyspace::Items, &from, table_id)?;
            let Some((last, _)) = chunk.last() else { break };
            from = Bound::Excluded(last.to_vec());
            self.fill_expiry_of(&current, &chunk)?;
        }
        let mut batch = Batch::new();
        job.finish(&mut batch);
        self.store.commit(batch).wait().map(drop)
    }

    fn fill_expiry_of(&self, table: &Table, chunk: &Chunk) -> Result<(), StoreError> {
        let Some(ttl) = TimeToLive::of(table) else { return Ok(()) };
        let mut batch = Batch::new();
        let held = self.latches.hold(chunk.iter().map(|(key, _)| key));
        for (key, _) in chunk {
            let row = match held.queued(key) {
                Some(image) => image,
                None => self.store.get(Keyspace::Items, key)?,
            };
            let Some(row) = row.map(Row::from_stored) else { continue };
            let second = ttl.second_of_row(&row).map_err(CorruptRow::into_store_error)?;
            if let Some(entry) = ttl.row(key, second) {
                batch.put(Keyspace::Expiry, entry, &b""[..]);
            }
        }
        let commit = self.store.commit(batch);
        drop(held);
        commit.wait().map(drop)
    }
}

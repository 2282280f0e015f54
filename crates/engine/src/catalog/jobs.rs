//! Work on rows that a change of the catalog leaves behind, kept in the store until it is done.
//!
//! A job is written in the batch of the change that causes it, so it can neither be lost nor run for a change that
//! never was. Running it twice does no harm. Its row is `id` (big-endian) with the [`Job`] as JSON.

use std::ops::{Bound, ControlFlow};

use dynamometer_store::{Batch, Keyspace, Store, StoreError};
use dynamometer_types::Timestamp;
use serde::{Deserialize, Serialize};

use super::Draft;
use crate::disk::keys::ObjectId;

/// The format of [`Job`] rows. A newer one is refused.
pub const JOB_FORMAT: u32 = 1;

/// A piece of work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Always [`JOB_FORMAT`].
    pub format: u32,
    /// Its number.
    pub id: ObjectId,
    /// When it may start, milliseconds since the epoch.
    pub not_before_ms: i64,
    /// What is to be done.
    pub work: Work,
}

/// What a job does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Work {
    /// Writes the entries of a new index from the items of its table, then calls [`Draft::finish_backfill`]. When
    /// the table or the index is gone, there is nothing to do: their rows have a [`Work::Purge`] of their own.
    Backfill {
        /// The database of the table.
        namespace: String,
        /// The table's name.
        table: String,
        /// The table's number, by which a later table of that name is told apart.
        table_id: ObjectId,
        /// The index's number.
        index_id: ObjectId,
    },
    /// Writes the rows of an index of expiry times that was declared on a table with items. When the table or the index is
    /// gone, there is nothing to do.
    FillExpiry {
        /// The database of the table.
        namespace: String,
        /// The table's name.
        table: String,
        /// The table's number.
        table_id: ObjectId,
        /// The index's number.
        expiry_id: ObjectId,
    },
    /// Brings the table's row up to date by [`Catalog::settle`](super::Catalog::settle), then deletes all rows and
    /// counters of these tables and indexes.
    Purge {
        /// The database of the table.
        namespace: String,
        /// The table's name.
        table: String,
        /// The numbers whose rows are to go.
        objects: Vec<ObjectId>,
    },
}

impl Job {
    /// Whether it may start.
    pub fn is_due(&self, now: Timestamp) -> bool {
        now.millis() >= self.not_before_ms
    }

    /// Whether it is still to be done.
    ///
    /// # Errors
    /// When the store fails.
    pub fn is_pending(&self, store: &dyn Store) -> Result<bool, StoreError> {
        Ok(store.get(Keyspace::Jobs, &self.id.to_be_bytes())?.is_some())
    }

    /// Puts the end of the job into a batch.
    pub fn finish(&self, batch: &mut Batch) {
        batch.delete(Keyspace::Jobs, self.id.to_be_bytes().to_vec());
    }
}

/// The jobs of a store, oldest first.
///
/// # Errors
/// When a row cannot be read, or is of a newer format.
pub fn pending_jobs(store: &dyn Store) -> Result<Vec<Job>, StoreError> {
    let mut jobs = Vec::new();
    let mut fault = None;
    let mut visit = |key: &[u8], value: &bytes::Bytes| match read_job(key, value) {
        Ok(job) => {
            jobs.push(job);
            ControlFlow::Continue(())
        }
        Err(sentence) => {
            fault = Some(sentence);
            ControlFlow::Break(())
        }
    };
    let (start, end) = (Bound::Unbounded, Bound::Unbounded);
    store.snapshot()?.range(Keyspace::Jobs, start, end, dynamometer_store::Direction::Forward, &mut visit)?;
    match fault {
        Some(sentence) => Err(StoreError::Corrupt(sentence.into())),
        None => Ok(jobs),
    }
}

fn read_job(key: &[u8], value: &[u8]) -> Result<Job, String> {
    let job: Job = serde_json::from_slice(value).map_err(|e| format!("job {key:02x?}: {e}"))?;
    if job.format > JOB_FORMAT {
        return Err(format!("job {} is of format {}, newer than this build", job.id, job.format));
    }
    Ok(job)
}

impl Draft {
    /// Adds a job to the change.
    pub fn add_job(&mut self, not_before: Timestamp, work: Work) -> Job {
        let job = Job { format: JOB_FORMAT, id: self.new_id(), not_before_ms: not_before.millis(), work };
        let row = serde_json::to_vec(&job).expect("a job has only strings for keys");
        self.batch.put(Keyspace::Jobs, job.id.to_be_bytes().to_vec(), row);
        job
    }

    /// Marks an index as filled, so that reads are let in. Answers whether the index is still there to be marked.
    pub fn finish_backfill(&mut self, namespace: &str, table: &str, index_id: ObjectId) -> bool {
        let Some(table) = self.table(namespace, table) else { return false };
        let mut record = table.record.clone();
        let Some(index) = record.global_indexes.iter_mut().find(|index| index.id == index_id) else {
            return false;
        };
        index.backfilling = false;
        self.put(record);
        true
    }
}

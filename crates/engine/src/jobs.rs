//! The row work that changes of the catalog leave behind: filling new indexes, clearing away what was deleted; and what
//! falls due by time alone: expired items ([`crate::ttl`]) and shards of streams ([`crate::streams`]).
//!
//! The server runs the [`timed_jobs`] from a thread of its own; everything here may block. A job that was cut off by a
//! crash begins anew.
//!
//! # Filling an index while writes go on
//! From the version of the catalog that declares the index, every write maintains it as if it were complete, rows and
//! counters. The job makes a cut through the queue of writes: a batch that is committed alone, while all latches are
//! held, with a snapshot behind it. Items of the snapshot are counted as they were at the cut, because later writes
//! count only their differences; their entries are written as the items are now, under their latches.

use std::ops::{Bound, ControlFlow};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use dynamometer_store::{Batch, Direction, Keyspace, Snapshot, StoreError};
use dynamometer_types::Timestamp;

use crate::catalog::jobs::{Job, Work, pending_jobs};
use crate::catalog::{Draft, Index, Table};
use crate::disk::keys::{ObjectId, after_prefix, object_prefix};
use crate::disk::row::{CorruptRow, Row};
use crate::engine::Engine;
use crate::ops::token_is_expired;
use crate::write_path::{Image, count_entry, write_entry};

/// Work that falls due by time. It has to be a function of the time that it is run at, so that a clock which is moved
/// by a test finds what a clock that ran would have found.
pub trait TimedJob: Send + Sync {
    /// What it is, for the log.
    fn name(&self) -> &'static str;

    /// When there is something to do next, by the rows and settings as they are now; a time that is over means at
    /// once, `None` never. Asked often: before and after every job that runs.
    ///
    /// # Errors
    /// When it cannot be found out. The job is then asked again later.
    fn next_due(&self) -> Result<Option<Timestamp>, JobError>;

    /// Whether it may be done later for all of the time that has passed, as long as that is before any other job runs
    /// and before a moved clock answers. So a month in which nothing else falls due is done at once.
    fn may_wait(&self) -> bool {
        false
    }

    /// Whether it changes items: those who follow streams are to hear of that before a moved clock goes on.
    fn changes_items(&self) -> bool {
        false
    }

    /// How many times it falls due by a calendar until a time, whatever happens until then: counted up to `most`.
    fn due_until(&self, _until: Timestamp, _most: u64) -> u64 {
        0
    }

    /// Does what is due at `now`, or a part of it. Afterwards [`TimedJob::next_due`] must name a later time, unless
    /// more is left to do or an error is answered: the job is run again until it does.
    ///
    /// # Errors
    /// When it could not be done. It is tried again later.
    fn run(&self, now: Timestamp) -> Result<(), JobError>;
}

/// Why a job could not be done: for the log.
pub type JobError = Box<dyn std::error::Error + Send + Sync>;

/// The timed jobs of an engine. Of several that are due at one time, an earlier one runs first.
pub fn timed_jobs(engine: &Arc<Engine>) -> Vec<Arc<dyn TimedJob>> {
    vec![
        Arc::new(RowWork(Arc::clone(engine))),
        Arc::new(Expiry(Arc::clone(engine))),
        Arc::new(StreamUpkeep(Arc::clone(engine))),
        Arc::new(AutoScaling(Arc::clone(engine))),
        Arc::new(TokenSweep::new(Arc::clone(engine))),
        // The last: a minute is over when all that fell due in it is done.
        Arc::new(MinuteClosing(Arc::clone(engine))),
    ]
}

/// The jobs in the store.
struct RowWork(Arc<Engine>);

impl TimedJob for RowWork {
    fn name(&self) -> &'static str {
        "background work on rows"
    }

    fn next_due(&self) -> Result<Option<Timestamp>, JobError> {
        let jobs = pending_jobs(&*self.0.store)?;
        // A copy that is under way ends its job itself.
        let waiting = jobs.iter().filter(|job| !self.0.copies.holds(job.id));
        Ok(waiting.map(|job| Timestamp::from_millis(job.not_before_ms)).min())
    }

    fn run(&self, now: Timestamp) -> Result<(), JobError> {
        Ok(self.0.run_jobs(now)?)
    }
}

/// What expires by time to live.
struct Expiry(Arc<Engine>);

impl TimedJob for Expiry {
    fn name(&self) -> &'static str {
        "deletion of expired items"
    }

    fn next_due(&self) -> Result<Option<Timestamp>, JobError> {
        Ok(self.0.expiry_due()?)
    }

    fn changes_items(&self) -> bool {
        true
    }

    fn run(&self, now: Timestamp) -> Result<(), JobError> {
        Ok(self.0.delete_expired(now)?)
    }
}

/// What falls due on streams.
struct StreamUpkeep(Arc<Engine>);

impl TimedJob for StreamUpkeep {
    fn name(&self) -> &'static str {
        "upkeep of streams"
    }

    fn next_due(&self) -> Result<Option<Timestamp>, JobError> {
        Ok(self.0.streams_due())
    }

    fn may_wait(&self) -> bool {
        self.0.streams_may_wait()
    }

    fn run(&self, now: Timestamp) -> Result<(), JobError> {
        Ok(self.0.keep_streams(now)?)
    }
}

/// What falls due in auto scaling.
struct AutoScaling(Arc<Engine>);

impl TimedJob for AutoScaling {
    fn name(&self) -> &'static str {
        "auto scaling"
    }

    fn next_due(&self) -> Result<Option<Timestamp>, JobError> {
        Ok(self.0.scaling_due())
    }

    fn due_until(&self, until: Timestamp, most: u64) -> u64 {
        self.0.scheduled_until(until, most)
    }

    fn run(&self, now: Timestamp) -> Result<(), JobError> {
        Ok(self.0.run_scaling(now)?)
    }
}

/// Clears away the tokens of transactions that are out of date. Nobody sees when: such a token counts for nothing.
struct TokenSweep {
    engine: Arc<Engine>,
    next_ms: AtomicI64,
}

impl TokenSweep {
    /// Sweeps are this far apart.
    const EVERY_MS: i64 = 60 * 60 * 1000;

    fn new(engine: Arc<Engine>) -> TokenSweep {
        TokenSweep { engine, next_ms: AtomicI64::new(i64::MIN) }
    }
}

impl TimedJob for TokenSweep {
    fn name(&self) -> &'static str {
        "clearing expired transaction tokens"
    }

    fn next_due(&self) -> Result<Option<Timestamp>, JobError> {
        Ok(Some(Timestamp::from_millis(self.next_ms.load(Ordering::Relaxed))))
    }

    fn may_wait(&self) -> bool {
        true
    }

    fn run(&self, now: Timestamp) -> Result<(), JobError> {
        self.next_ms.store(now.millis() + Self::EVERY_MS, Ordering::Relaxed);
        Ok(self.engine.sweep_tokens(now)?)
    }
}

/// Publishes what was counted in minutes that are over, and lets alarms look at it.
struct MinuteClosing(Arc<Engine>);

impl TimedJob for MinuteClosing {
    fn name(&self) -> &'static str {
        "closing minutes for CloudWatch"
    }

    fn next_due(&self) -> Result<Option<Timestamp>, JobError> {
        Ok(Some(self.0.minutes_due()))
    }

    fn may_wait(&self) -> bool {
        // Minutes are closed one by one whenever that is.
        true
    }

    fn run(&self, now: Timestamp) -> Result<(), JobError> {
        Ok(self.0.close_minutes(now)?)
    }
}

/// How many rows a job handles in one batch.
const CHUNK_ROWS: usize = 500;
/// How many bytes of rows a job handles in one batch, about.
const CHUNK_BYTES: usize = 1 << 20;

/// Where the rows of tables, indexes and streams are: each begins with the number of its object.
pub(crate) const ROWS_OF_OBJECTS: [Keyspace; 5] =
    [Keyspace::Items, Keyspace::IndexEntries, Keyspace::Counters, Keyspace::Streams, Keyspace::Expiry];

/// Some rows.
pub(crate) type Chunk = Vec<(Bytes, Bytes)>;

/// A view of the store, when it could be had.
type View = Result<Box<dyn Snapshot>, StoreError>;

impl Engine {
    /// Runs every job that is due. A second caller waits for the first.
    ///
    /// # Errors
    /// Those of the first job that failed, when the store fails or holds a row that cannot be read. It stays, to be
    /// tried again.
    pub fn run_jobs(&self, now: Timestamp) -> Result<(), StoreError> {
        let _one_at_a_time = self.running_jobs.lock();
        let mut failure = None;
        let jobs = pending_jobs(&*self.store)?;
        // The catalog must be at least as new as the jobs: writers that plan from here on know of them.
        self.catalog.pass_change();
        for job in jobs {
            if self.jobs_are_stopped() {
                break;
            }
            if !job.is_due(now) {
                continue;
            }
            // One job that cannot be done holds up no other.
            if let Err(error) = self.run_job(&job, now) {
                failure.get_or_insert(error);
            }
        }
        failure.map_or(Ok(()), Err)
    }

    fn run_job(&self, job: &Job, now: Timestamp) -> Result<(), StoreError> {
        // In this order: a copy that is done takes its job out before it lets go of it.
        if self.copies.holds(job.id) || !job.is_pending(&*self.store)? {
            return Ok(());
        }
        match &job.work {
            Work::Backfill { namespace, table, table_id, index_id } => {
                self.backfill(job, namespace, table, *table_id, *index_id)
            }
            Work::FillExpiry { namespace, table, table_id, expiry_id } => {
                self.fill_expiry(job, namespace, table, *table_id, *expiry_id)
            }
            Work::Purge { namespace, table, objects } => {
                if let Some(leaving) = self.catalog.table(namespace, table)
                    && objects.contains(&leaving.id())
                {
                    self.departing(leaving);
                }
                if let Some(commit) = self.catalog.settle(&*self.store, namespace, table, now) {
                    commit.wait()?;
                }
                self.purge(job, objects)
            }
        }
    }

    /// Deletes the tokens of transactions whose ten minutes are over.
    ///
    /// # Errors
    /// When the store fails.
    pub fn sweep_tokens(&self, now: Timestamp) -> Result<(), StoreError> {
        let snapshot = self.store.snapshot()?;
        let mut expired = Vec::new();
        snapshot.range(
            Keyspace::Tokens,
            Bound::Unbounded,
            Bound::Unbounded,
            Direction::Forward,
            &mut |key, row| {
                if token_is_expired(row, now) {
                    expired.push(Bytes::copy_from_slice(key));
                }
                ControlFlow::Continue(())
            },
        )?;
        for keys in expired.chunks(CHUNK_ROWS) {
            let mut batch = Batch::new();
            let held = self.latches.hold(keys.iter());
            for key in keys {
                let renewed = held.queued(key).is_some();
                if !renewed
                    && self.store.get(Keyspace::Tokens, key)?.is_some_and(|row| token_is_expired(&row, now))
                {
                    batch.delete(Keyspace::Tokens, key.clone());
                }
            }
            let commit = self.store.commit(batch);
            drop(held);
            commit.wait()?;
        }
        Ok(())
    }

    fn backfill(
        &self,
        job: &Job,
        namespace: &str,
        table: &str,
        table_id: ObjectId,
        index_id: ObjectId,
    ) -> Result<(), StoreError> {
        // The index's counters start at zero for all that is queued after the cut.
        let mut at_cut = Batch::new();
        at_cut.delete(Keyspace::Counters, object_prefix(index_id).to_vec());
        let snapshot = self.cut(at_cut)?;
        let mut from = first_row(table_id);
        loop {
            if self.jobs_are_stopped() {
                return Ok(());
            }
            // The table may have been deleted, or the index, while this went on.
            let current = self.catalog.table(namespace, table).filter(|table| table.id() == table_id);
            let Some(current) = current else { break };
            let Some(index) = current.indexes.iter().find(|index| index.id == index_id) else { break };
            let chunk = read_chunk(&*snapshot, Keyspace::Items, &from, table_id)?;
            let Some((last, _)) = chunk.last() else { break };
            from = Bound::Excluded(last.to_vec());
            self.fill(&current, index, &chunk)?;
        }
        let finish = |draft: &mut Draft| {
            draft.finish_backfill(namespace, table, index_id);
            job.finish(&mut draft.batch);
            Ok::<(), StoreError>(())
        };
        let ((), commit) = self.catalog.change(&*self.store, finish)?;
        commit.wait().map(drop)
    }

    /// Cuts the queue of writes with a batch: answers a view of it and all that was queued before, and of nothing
    /// that is queued after.
    pub(crate) fn cut(&self, mut batch: Batch) -> Result<Box<dyn Snapshot>, StoreError> {
        let view: Arc<Mutex<Option<View>>> = Arc::default();
        batch.alone = true;
        let (store, slot) = (Arc::clone(&self.store), Arc::clone(&view));
        batch.when_done(move |_| {
            if let Ok(mut slot) = slot.lock() {
                *slot = Some(store.snapshot());
            }
        });
        let all = self.latches.hold_all();
        let commit = self.store.commit(batch);
        drop(all);
        commit.wait()?;
        let view = view.lock().map(|mut view| view.take()).unwrap_or_default();
        view.unwrap_or_else(|| Err(StoreError::Unavailable("the cut was not taken".into())))
    }

    /// Writes the entries of some items as they are now, and counts them as they were at the cut.
    fn fill(&self, table: &Table, index: &Index, chunk: &[(Bytes, Bytes)]) -> Result<(), StoreError> {
        let mut batch = Batch::new();
        let held = self.latches.hold(chunk.iter().map(|(key, _)| key));
        for (key, row_at_cut) in chunk {
            let row = match held.queued(key) {
                Some(image) => image,
                None => self.store.get(Keyspace::Items, key)?,
            };
            if let Some(row) = row {
                with_image(table, row, |image| write_entry(index, table, image, &mut batch))?;
            }
            with_image(table, row_at_cut.clone(), |image| count_entry(index, table, image, &mut batch))?;
        }
        let commit = self.store.commit(batch);
        drop(held);
        commit.wait().map(drop)
    }

    fn purge(&self, job: &Job, objects: &[ObjectId]) -> Result<(), StoreError> {
        // Writers that planned on the table before it went have joined the queue when this is through.
        self.latches.pass_all();
        self.store.commit(Batch::new()).wait()?;
        for object in objects {
            for keyspace in ROWS_OF_OBJECTS {
                self.clear(keyspace, *object)?;
            }
        }
        if self.jobs_are_stopped() {
            return Ok(());
        }
        let mut batch = Batch::new();
        job.finish(&mut batch);
        self.store.commit(batch).wait().map(drop)
    }

    fn clear(&self, keyspace: Keyspace, object: ObjectId) -> Result<(), StoreError> {
        let snapshot = self.store.snapshot()?;
        let mut from = first_row(object);
        loop {
            let chunk = read_chunk(&*snapshot, keyspace, &from, object)?;
            let Some((last, _)) = chunk.last() else { return Ok(()) };
            if self.jobs_are_stopped() {
                return Ok(());
            }
            from = Bound::Excluded(last.to_vec());
            let mut batch = Batch::new();
            for (key, _) in chunk {
                batch.delete(keyspace, key);
            }
            self.store.commit(batch).wait()?;
        }
    }
}

/// Where the rows of a table or index begin.
pub(crate) fn first_row(object: ObjectId) -> Bound<Vec<u8>> {
    Bound::Included(object_prefix(object).to_vec())
}

/// The next rows of a table or index.
pub(crate) fn read_chunk(
    snapshot: &dyn Snapshot,
    keyspace: Keyspace,
    from: &Bound<Vec<u8>>,
    object: ObjectId,
) -> Result<Chunk, StoreError> {
    let end = after_prefix(&object_prefix(object));
    let end = end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
    let (mut rows, mut bytes) = (Vec::new(), 0);
    snapshot.range(
        keyspace,
        from.as_ref().map(Vec::as_slice),
        end,
        Direction::Forward,
        &mut |key, value| {
            rows.push((Bytes::copy_from_slice(key), value.clone()));
            bytes += key.len() + value.len();
            if rows.len() >= CHUNK_ROWS || bytes >= CHUNK_BYTES {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        },
    )?;
    Ok(rows)
}

/// Gives the item of a stored row as the indexes of its table see it.
fn with_image(table: &Table, row: Bytes, then: impl FnOnce(Image<'_>)) -> Result<(), StoreError> {
    let row = Row::from_stored(row);
    let item = row.part(|name| table.indexes_need(name));
    let image = item.as_ref().map_err(|corrupt| *corrupt).and_then(|item| Image::new(item, &row));
    image.map(then).map_err(CorruptRow::into_store_error)
}

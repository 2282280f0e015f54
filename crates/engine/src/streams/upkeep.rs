//! What becomes of shards with time: they split with the partitions of their table, are replaced when they are old, and
//! are trimmed a day after.
//!
//! Everything here can be cut off at any moment and done again: a shard's rows are deleted before the shard is taken
//! out of the catalog.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use dynamometer_store::{Appended, Batch, Direction, Keyspace, Snapshot, StoreError};
use dynamometer_types::Timestamp;
use parking_lot::Mutex;

use super::read::{after, each_row, shard_ends};
use super::{Closes, RETENTION_MS};
use crate::admin::is_kept;
use crate::catalog::stream::{Shard, StreamRow};
use crate::catalog::{Draft, Stream, Version};
use crate::disk::keys::ObjectId;
use crate::disk::stream::{Mark, ShardRow, shard_prefix};
use crate::engine::Engine;

/// How old an open shard becomes before another takes its place.
///
/// # Source
/// Observed on AWS: about four hours. That it is exactly four is assumed.
const SHARD_LIFE_MS: i64 = 4 * 60 * 60 * 1000;
/// How many lives of shards are lived one by one at the end of a long time: after a day and two lives, nothing is left of
/// the shards that there were before.
const LIVES_TO_LIVE: i64 = RETENTION_MS / SHARD_LIFE_MS + 2;
/// How many rows are trimmed in one batch.
const CHUNK_ROWS: usize = 500;

/// When each stream is to be looked at again. A stream that is not known yet is looked at now.
#[derive(Default)]
pub(crate) struct Dues(Mutex<HashMap<ObjectId, Timestamp>>);

impl Engine {
    /// When there is something to do next on the streams, as far as is known; a time that is over means at once.
    pub(crate) fn streams_due(&self) -> Option<Timestamp> {
        let version = self.catalog.version();
        let dues = self.dues.0.lock();
        let due = |stream: &Arc<Stream>| match dues.get(&stream.row.id) {
            Some(due) if self.new_starts(stream).is_empty() => *due,
            _ => Timestamp::default(),
        };
        live_streams(&version).map(due).min()
    }

    /// Whether all that is due is due at a time that is known, so that it can be done later as of then.
    pub(crate) fn streams_may_wait(&self) -> bool {
        self.streams_due().is_none_or(|due| due > Timestamp::default())
    }

    /// Does what is due on all streams, each thing as of the time at which it fell due.
    ///
    /// # Errors
    /// When the store fails. What was not done is tried again.
    pub(crate) fn keep_streams(&self, now: Timestamp) -> Result<(), StoreError> {
        let version = self.catalog.version();
        let mut dues = HashMap::new();
        for stream in live_streams(&version) {
            if self.jobs_are_stopped() {
                return Ok(());
            }
            let due = self.dues.0.lock().get(&stream.row.id).copied();
            let due = match due {
                Some(due) => self.keep_stream_until(stream, due, now)?,
                None => Some(now),
            };
            self.split_shards(stream, now)?;
            let due = match due {
                Some(due) if due <= now => self.keep_stream(stream, now)?,
                due => due,
            };
            dues.extend(due.map(|due| (stream.row.id, due)));
        }
        *self.dues.0.lock() = dues;
        Ok(())
    }

    /// Where partitions of a stream's table begin, as they are known to, and no open shard does.
    fn new_starts(&self, stream: &Stream) -> Vec<u64> {
        let row = &stream.row;
        let table = self.catalog.table(&row.namespace, &row.table).filter(|_| row.is_enabled());
        let starts = table.and_then(|table| table.live.partition_starts());
        starts.into_iter().flatten().filter(|start| stream.starts().all(|known| known != *start)).collect()
    }

    /// Splits the shards in which a partition has been split since.
    fn split_shards(&self, stream: &Arc<Stream>, now: Timestamp) -> Result<(), StoreError> {
        let new = self.new_starts(stream);
        if new.is_empty() {
            return Ok(());
        }
        self.replace_shards(stream, now, |shard, end| {
            let is_within = |start: &u64| *start > shard.from_hash && end.is_none_or(|end| *start < end);
            let within = new.iter().copied().filter(is_within);
            let starts: Vec<u64> = std::iter::once(shard.from_hash).chain(within).collect();
            (starts.len() > 1).then_some(starts)
        })
    }

    /// Replaces the open shards for which `starts` answers where its successors begin; it is told where the shard ends.
    fn replace_shards(
        &self,
        stream: &Stream,
        now: Timestamp,
        starts: impl Fn(&Shard, Option<u64>) -> Option<Vec<u64>>,
    ) -> Result<(), StoreError> {
        let ((), commit) = self.change_shards(|draft| {
            let Some(current) = current(draft.version(), stream) else {
                return Ok(((), Closes::Nothing));
            };
            let mut row = current.row.clone();
            let mut open: Vec<Shard> = row.open_shards().cloned().collect();
            open.sort_unstable_by_key(|shard| shard.from_hash);
            for (at, shard) in open.iter().enumerate() {
                if let Some(starts) = starts(shard, open.get(at + 1).map(|next| next.from_hash)) {
                    draft.replace_shard(&mut row, shard.number, &starts, now);
                }
            }
            draft.put_stream(row);
            Ok::<_, StoreError>(((), Closes::Shards))
        })?;
        commit.wait().map(drop)
    }

    /// Does what falls due on a stream from `due` until `now`, and answers when it is due after that.
    fn keep_stream_until(
        &self,
        stream: &Stream,
        mut due: Timestamp,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, StoreError> {
        while due < now && !self.jobs_are_stopped() {
            let Some(known) = current(&self.catalog.version(), stream) else { return Ok(None) };
            due = due + self.skip_lives(&known, now)?;
            let Some(known) = current(&self.catalog.version(), stream) else { return Ok(None) };
            match self.keep_stream(&known, due)? {
                Some(next) => due = next,
                None => return Ok(None),
            }
        }
        Ok(Some(due))
    }

    /// Lets the lives of open shards go by of which nothing would be left at `now`: no record comes meanwhile, so in each
    /// life every open shard is replaced by one. Answers how long that takes, milliseconds.
    fn skip_lives(&self, stream: &Stream, now: Timestamp) -> Result<i64, StoreError> {
        let Some(youngest) = stream.row.open_shards().map(|shard| shard.created_ms).max() else {
            return Ok(0);
        };
        let lives = (now.millis() - youngest) / SHARD_LIFE_MS - LIVES_TO_LIVE;
        if lives <= 0 {
            return Ok(0);
        }
        let skip = |draft: &mut Draft| {
            let Some(current) = current(draft.version(), stream) else { return Ok(()) };
            let mut row: StreamRow = current.row.clone();
            let replaced = u32::try_from(lives * row.open_shards().count() as i64).ok();
            // Numbers only have to differ: when there is no room for so many, they go on where they are.
            row.next_shard =
                replaced.and_then(|count| row.next_shard.checked_add(count)).unwrap_or(row.next_shard);
            for shard in row.shards.iter_mut().filter(|shard| shard.closed_ms.is_none()) {
                shard.created_ms += lives * SHARD_LIFE_MS;
            }
            draft.put_stream(row);
            Ok::<_, StoreError>(())
        };
        let ((), commit) = self.catalog.change(&*self.store, skip)?;
        commit.wait()?;
        Ok(lives * SHARD_LIFE_MS)
    }

    /// Rolls and trims one stream; answers when it is due again, or `None` when it is gone.
    fn keep_stream(&self, stream: &Arc<Stream>, now: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        let is_old = |shard: &Shard| shard.created_ms + SHARD_LIFE_MS <= now.millis();
        if stream.row.open_shards().any(is_old) {
            self.replace_shards(stream, now, |shard, _| is_old(shard).then(|| vec![shard.from_hash]))?;
        }
        let version = self.catalog.version();
        let Some(stream) = current(&version, stream) else { return Ok(None) };
        let (mut gone, mut due) = (Vec::new(), Vec::new());
        for shard in &stream.row.shards {
            match self.trim(stream.row.id, shard, now)? {
                Some(at) => due.push(at),
                None => gone.push(shard.number),
            }
            let end_of_life = shard.closed_ms.is_none().then_some(shard.created_ms + SHARD_LIFE_MS);
            due.extend(end_of_life.map(Timestamp::from_millis));
        }
        if !gone.is_empty() {
            self.forget_shards(&stream, &gone)?;
        }
        Ok(due.into_iter().min())
    }

    /// Deletes the records of a shard that are older than a day, and the whole of a shard that was closed a day ago.
    /// Answers when the next one is due; `None` when nothing of the shard is left.
    fn trim(&self, stream: ObjectId, shard: &Shard, now: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        let view = self.store.snapshot()?;
        let horizon = Timestamp::from_millis(now.millis() - RETENTION_MS);
        let is_over = shard.closed_ms.is_some_and(|closed| closed <= horizon.millis());
        let mut from = Appended::default();
        loop {
            let chunk = old_rows(&*view, stream, shard.number, from, horizon, is_over)?;
            let mut batch = Batch::new();
            let prefix = shard_prefix(stream, shard.number);
            for at in &chunk.old {
                batch.delete(Keyspace::Streams, at.key(&prefix));
            }
            if let Some(trimmed) = chunk.old.last().copied() {
                from = after(trimmed);
                if let Some(start) = shard_ends(&*view, stream, shard.number)?.filter(|_| !is_over) {
                    let mark = Mark::Start { trimmed };
                    batch.put(Keyspace::Streams, start.start.key(&prefix), mark.encode());
                }
                self.store.commit(batch).wait()?;
            }
            if self.jobs_are_stopped() && !chunk.is_last {
                return Ok(Some(now));
            }
            if chunk.is_last {
                let at_close = shard.closed_ms.map(|closed| Timestamp::from_millis(closed + RETENTION_MS));
                let at_record = chunk.next.map(|created| created + RETENTION_MS);
                // An open shard without records is looked at when its life is over.
                let idle = Timestamp::from_millis(shard.created_ms + SHARD_LIFE_MS);
                return Ok((!is_over).then(|| at_record.or(at_close).unwrap_or(idle)));
            }
        }
    }

    /// Takes shards out of the catalog whose rows are gone, and the stream when it has none left.
    fn forget_shards(&self, stream: &Stream, gone: &[u32]) -> Result<(), StoreError> {
        let change = |draft: &mut Draft| {
            let Some(current) = current(draft.version(), stream) else { return Ok(()) };
            let mut row: StreamRow = current.row.clone();
            row.shards.retain(|shard| !gone.contains(&shard.number));
            if row.shards.is_empty() {
                draft.remove_stream(&row);
            } else {
                draft.put_stream(row);
            }
            Ok::<_, StoreError>(())
        };
        let ((), commit) = self.catalog.change(&*self.store, change)?;
        commit.wait().map(drop)
    }
}

/// The streams on which time works: those of kept states stand still.
fn live_streams(version: &Version) -> impl Iterator<Item = &Arc<Stream>> {
    version.all_streams().filter(|stream| !is_kept(&stream.row.namespace))
}

/// The stream as a version of the catalog has it; `None` when it is gone.
pub(super) fn current(version: &Version, stream: &Stream) -> Option<Arc<Stream>> {
    let row = &stream.row;
    version.stream(&row.namespace, &row.table, &row.label).filter(|found| found.row.id == row.id).cloned()
}

/// Rows that are to go.
struct OldRows {
    old: Vec<Appended>,
    /// When the first record that stays was made, if there is one.
    next: Option<Timestamp>,
    /// Whether no more are to go.
    is_last: bool,
}

/// The next rows of a shard from a place on that were made before `horizon`; all rows, marks too, when `all` go.
fn old_rows(
    view: &dyn Snapshot,
    stream: ObjectId,
    shard: u32,
    from: Appended,
    horizon: Timestamp,
    all: bool,
) -> Result<OldRows, StoreError> {
    let mut rows = OldRows { old: Vec::new(), next: None, is_last: true };
    each_row(view, stream, shard, from, Direction::Forward, &mut |at, row| {
        if rows.old.len() >= CHUNK_ROWS {
            rows.is_last = false;
            return ControlFlow::Break(());
        }
        match row {
            _ if all => rows.old.push(at),
            ShardRow::Mark(_) => {}
            ShardRow::Record(record) if record.created <= horizon => rows.old.push(at),
            ShardRow::Record(record) => {
                rows.next = Some(record.created);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    })?;
    Ok(rows)
}

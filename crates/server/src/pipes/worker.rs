//! The thread of one pipe: reads the shards of its streams, sends batches, and writes how far it is.
//!
//! A shard is read after its parent, one batch of it is on its way at a time, and its position moves only when records
//! are done or given up: so the records of an item arrive in order and at least once. What waits in memory is at most a
//! batch and a page of each shard.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use dynamometer_engine::Engine;
use dynamometer_engine::api::Record;
use dynamometer_engine::catalog::Stream;
use dynamometer_engine::catalog::stream::Shard;
use dynamometer_engine::pipes::{Position, ShardKey};
use dynamometer_engine::streams::{ShardRead, StreamRecord, after};
use dynamometer_store::{Appended, StoreError};
use serde_json::Value;
use tokio::runtime::Runtime;

use super::batch::{Condition, Entry, Next, Outcome, Work, follow, take, too_old};
use super::definition::{Source, StartingPosition};
use super::target::{DeadLetter, invoke, tell};
use super::{Pipe, Surroundings};
use crate::wire::lambda_record;

/// The longest event that is sent, in bytes: Lambda's limit for an invocation.
const MOST_EVENT_BYTES: usize = 6_000_000;
/// How much of a shard is read at a time.
const PAGE_RECORDS: usize = 1_000;
const PAGE_BYTES: usize = 1 << 20;
/// The pause after a first failure; it doubles with each that follows, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// How long a pipe sleeps when there is nothing to do.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A pipe at work.
pub(super) struct Worker {
    pub(super) pipe: Arc<Pipe>,
    pub(super) around: Arc<Surroundings>,
    pub(super) runtime: Runtime,
    pub(super) lanes: HashMap<ShardKey, Lane>,
}

/// A shard on its way.
#[derive(Default)]
pub(super) struct Lane {
    position: Position,
    /// Where to read on; before the position's, what was read waits below.
    read_at: Appended,
    /// Whether the shard is closed and all of it was read.
    is_read: bool,
    /// What was read and is in no batch yet.
    pending: VecDeque<Entry>,
    queue: VecDeque<Work>,
    /// Records that were given up and that the dead-letter target was not told of yet.
    given_up: Option<(usize, Condition)>,
    pause: Duration,
    not_before: Option<Instant>,
}

/// Whether a round got anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Some,
    None,
}

impl Worker {
    /// Works until the pipe is stopped.
    pub(super) fn run(mut self) {
        while let Some(asked) = self.pipe.signal.asked() {
            match self.round() {
                Ok(Progress::Some) => {}
                Ok(Progress::None) => self.pipe.signal.settle(asked, LOOK_EVERY),
                Err(error) => {
                    self.pipe.note(|stats| stats.last_result = format!("PROBLEM: {error}"));
                    self.pipe.signal.settle(asked, LONGEST_PAUSE);
                }
            }
        }
        // A name that is still looked up holds up no stop.
        self.runtime.shutdown_background();
    }

    /// Goes once over all shards that may be read.
    fn round(&mut self) -> Result<Progress, StoreError> {
        let streams = streams_of(&self.around.engine, &self.pipe);
        let mut lanes = std::mem::take(&mut self.lanes);
        let outcome = self.go_over(&streams, &mut lanes);
        self.lanes = lanes;
        outcome
    }

    fn go_over(
        &self,
        streams: &[Arc<Stream>],
        lanes: &mut HashMap<ShardKey, Lane>,
    ) -> Result<Progress, StoreError> {
        let mut progress = Progress::None;
        for stream in streams {
            let mut is_done = true;
            for shard in &stream.row.shards {
                let key = (stream.row.id, shard.number);
                // A parent that is gone has nothing left to read.
                let parent = shard.parent.filter(|parent| stream.shard(*parent).is_some());
                let may_begin = parent.is_none_or(|parent| {
                    lanes.get(&(stream.row.id, parent)).is_some_and(|lane| lane.position.is_done)
                });
                if may_begin {
                    let lane = lanes.entry(key).or_default();
                    if !lane.position.is_done && self.step(stream, shard, lane)? == Progress::Some {
                        progress = Progress::Some;
                    }
                    is_done &= lane.position.is_done;
                } else {
                    is_done = false;
                }
                if self.pipe.signal.is_stopped() {
                    return Ok(Progress::None);
                }
            }
            // What a table's next stream has came after all of this one.
            if !is_done {
                break;
            }
        }
        self.forget_gone(streams, lanes)?;
        Ok(progress)
    }

    /// Takes one step in a shard: tells of records given up, or sends a batch, or reads.
    fn step(&self, stream: &Stream, shard: &Shard, lane: &mut Lane) -> Result<Progress, StoreError> {
        if lane.not_before.is_some_and(|at| Instant::now() < at) {
            return Ok(Progress::None);
        }
        let key = (stream.row.id, shard.number);
        if let Some((count, condition)) = lane.given_up {
            return self.tell_dead(stream, shard, lane, count, condition);
        }
        if lane.queue.is_empty() {
            self.fill(stream, shard, lane)?;
            self.cut(lane);
        }
        let now = self.around.clock.now();
        let Some(work) = lane.queue.front() else {
            // Nothing of what was read is to be sent: it is done.
            if lane.pending.is_empty() && (lane.read_at > lane.position.next || lane.is_read) {
                let position = Position { next: lane.read_at, is_done: lane.is_read };
                self.save(key, lane, position)?;
                return Ok(Progress::Some);
            }
            return Ok(Progress::None);
        };
        let pipe = &self.pipe.definition;
        let next = match too_old(work, now, pipe) {
            Some(next) => next,
            None => {
                let Some(outcome) = self.interruptible(invoke(pipe, &work.entries)) else {
                    return Ok(Progress::None);
                };
                self.pipe.note(|stats| stats.count(&outcome));
                follow(&mut lane.queue, &outcome, pipe)
            }
        };
        match next {
            Next::Advance(count) => self.advance(key, lane, count)?,
            Next::Again => lane.wait_longer(),
            Next::GiveUp(count, condition) => lane.given_up = Some((count, condition)),
        }
        Ok(Progress::Some)
    }

    /// Moves the position behind the first records of the queue.
    fn advance(&self, key: ShardKey, lane: &mut Lane, count: usize) -> Result<(), StoreError> {
        let done = take(&mut lane.queue, count);
        lane.pause = Duration::ZERO;
        lane.not_before = None;
        let Some(last) = done.last() else { return Ok(()) };
        let is_last = lane.queue.is_empty() && lane.pending.is_empty();
        let next = if is_last { lane.read_at } else { last.after };
        self.save(key, lane, Position { next, is_done: is_last && lane.is_read })
    }

    fn save(&self, key: ShardKey, lane: &mut Lane, position: Position) -> Result<(), StoreError> {
        let pipe = &self.pipe;
        self.around.engine.save_pipe(&pipe.namespace, &pipe.definition.name, &[(key, position)], &[])?;
        lane.position = position;
        Ok(())
    }

    /// Tells the dead-letter target of the first records of the queue; they are done when it has taken them.
    fn tell_dead(
        &self,
        stream: &Stream,
        shard: &Shard,
        lane: &mut Lane,
        count: usize,
        condition: Condition,
    ) -> Result<Progress, StoreError> {
        let definition = &self.pipe.definition;
        let Some(work) = lane.queue.front() else {
            lane.given_up = None;
            return Ok(Progress::Some);
        };
        let told = match &definition.on_failure {
            None => Ok(()),
            Some(destination) => {
                let letter = DeadLetter {
                    entries: &work.entries[..count.min(work.entries.len())],
                    condition,
                    invocations: work.failures,
                    stream_arn: &stream.row.arn,
                    shard_id: &shard.id(),
                    function_arn: &self.around.function_arn(&definition.function_name),
                    now: self.around.clock.now(),
                };
                let Some(told) = self.interruptible(tell(destination, &letter)) else {
                    return Ok(Progress::None);
                };
                told
            }
        };
        match told {
            Ok(()) => {
                self.pipe.note(|stats| stats.given_up_records += count as u64);
                lane.given_up = None;
                self.advance((stream.row.id, shard.number), lane, count)?;
            }
            Err(why) => {
                self.pipe.note(|stats| stats.last_result = format!("PROBLEM: dead-letter target: {why}"));
                lane.wait_longer();
            }
        }
        Ok(Progress::Some)
    }

    /// Reads until there is a batch by its records or its bytes, or nothing more.
    fn fill(&self, stream: &Stream, shard: &Shard, lane: &mut Lane) -> Result<(), StoreError> {
        let definition = &self.pipe.definition;
        let mut bytes: usize = lane.pending.iter().map(Entry::event_bytes).sum();
        while !lane.is_read && lane.pending.len() < definition.batch_size && bytes <= MOST_EVENT_BYTES {
            if self.pipe.signal.is_stopped() {
                break;
            }
            let read = self.around.engine.read_shard(
                stream,
                shard.number,
                lane.read_at,
                PAGE_RECORDS,
                PAGE_BYTES,
            )?;
            let page = match read {
                ShardRead::Page(page) => page,
                ShardRead::Gone => {
                    lane.is_read = true;
                    break;
                }
                ShardRead::Trimmed => {
                    let words = "PROBLEM: records were trimmed, a day old, before they were delivered";
                    self.pipe.note(|stats| stats.last_result = words.into());
                    lane.read_at = Appended::default();
                    continue;
                }
            };
            let is_empty = page.records.is_empty();
            for change in page.records {
                if let Some(entry) = self.entry(stream, change)? {
                    bytes += entry.event_bytes();
                    lane.pending.push_back(entry);
                }
            }
            (lane.read_at, lane.is_read) = (page.next, page.is_end);
            if is_empty {
                break;
            }
        }
        Ok(())
    }

    /// A record as it is sent; `None` when no filter lets it through.
    fn entry(&self, stream: &Stream, change: StreamRecord) -> Result<Option<Entry>, StoreError> {
        let (sequence_number, created) = (change.sequence_number, change.created);
        let record = Record {
            event_id: change.event_id(stream),
            aws_region: Arc::clone(&self.around.region),
            view_type: stream.row.view_type,
            change,
        };
        let json = lambda_record(&record, &stream.row.arn);
        let json = json.map_err(|corrupt| StoreError::Corrupt(corrupt.to_string().into()))?;
        let filters = &self.pipe.definition.filters;
        if !filters.is_empty() {
            let event: Value = serde_json::from_slice(&json).unwrap_or_default();
            if !filters.iter().any(|filter| filter.matches(&event)) {
                self.pipe.note(|stats| stats.filtered_records += 1);
                return Ok(None);
            }
        }
        let sequence = sequence_number.0;
        Ok(Some(Entry {
            json,
            sequence_number: sequence_number.to_string(),
            after: after(sequence),
            created,
        }))
    }

    /// Makes a batch of what was read, when it is full or has waited for long enough.
    fn cut(&self, lane: &mut Lane) {
        let definition = &self.pipe.definition;
        let Some(first) = lane.pending.front() else { return };
        let has_waited = self.around.clock.now() - first.created >= definition.window_ms;
        let (mut count, mut bytes) = (0, 0);
        for entry in lane.pending.iter().take(definition.batch_size) {
            bytes += entry.event_bytes();
            if count > 0 && bytes > MOST_EVENT_BYTES {
                break;
            }
            count += 1;
        }
        let is_full = count == definition.batch_size || bytes > MOST_EVENT_BYTES;
        if is_full || has_waited || lane.is_read {
            lane.queue.push_back(Work { entries: lane.pending.drain(..count).collect(), failures: 0 });
        }
    }

    /// Forgets the positions of shards that are no more.
    fn forget_gone(
        &self,
        streams: &[Arc<Stream>],
        lanes: &mut HashMap<ShardKey, Lane>,
    ) -> Result<(), StoreError> {
        let is_there = |(stream, shard): &ShardKey| {
            streams.iter().any(|known| known.row.id == *stream && known.shard(*shard).is_some())
        };
        let gone: Vec<ShardKey> = lanes.keys().filter(|key| !is_there(key)).copied().collect();
        if !gone.is_empty() {
            let pipe = &self.pipe;
            self.around.engine.save_pipe(&pipe.namespace, &pipe.definition.name, &[], &gone)?;
            lanes.retain(|key, _| is_there(key));
        }
        Ok(())
    }

    /// Waits for something, unless the pipe is stopped meanwhile.
    fn interruptible<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        self.runtime.block_on(async {
            tokio::select! {
                done = work => Some(done),
                () = self.pipe.signal.stopped() => None,
            }
        })
    }
}

impl Lane {
    fn at(position: Position) -> Lane {
        Lane { position, read_at: position.next, ..Lane::default() }
    }

    fn wait_longer(&mut self) {
        self.pause = (self.pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
        self.not_before = Some(Instant::now() + self.pause);
    }
}

/// The streams that a pipe reads, oldest first.
fn streams_of(engine: &Engine, pipe: &Pipe) -> Vec<Arc<Stream>> {
    let version = engine.catalog().version();
    let is_meant = |stream: &&Arc<Stream>| match &pipe.definition.source {
        Source::Table(table) => stream.row.table == *table,
        Source::Stream(arn) => stream.row.arn == *arn,
    };
    let mut streams: Vec<Arc<Stream>> = version.streams(&pipe.namespace).filter(is_meant).cloned().collect();
    streams.sort_by_key(|stream| (stream.row.created_ms, stream.row.id));
    streams
}

/// Where a pipe goes on, or begins when it was never there.
///
/// # Errors
/// When the store fails.
pub(super) fn begin(engine: &Engine, pipe: &Pipe) -> Result<HashMap<ShardKey, Lane>, StoreError> {
    let Pipe { namespace, definition, .. } = pipe;
    if let Some(positions) = engine.pipe_positions(namespace, &definition.name)? {
        return Ok(positions.into_iter().map(|(shard, position)| (shard, Lane::at(position))).collect());
    }
    let mut positions = Vec::new();
    if definition.starting_position == StartingPosition::Latest {
        for stream in streams_of(engine, pipe) {
            for shard in &stream.row.shards {
                let last =
                    engine.shard_ends(&stream, shard.number)?.map(|ends| ends.last).unwrap_or_default();
                let is_done = shard.closed_ms.is_some();
                positions.push(((stream.row.id, shard.number), Position { next: after(last), is_done }));
            }
        }
    }
    engine.save_pipe(namespace, &definition.name, &positions, &[])?;
    Ok(positions.into_iter().map(|(shard, position)| (shard, Lane::at(position))).collect())
}

impl super::Stats {
    fn count(&mut self, outcome: &Outcome) {
        self.invocations += 1;
        match outcome {
            Outcome::Done => self.last_result = "OK".into(),
            Outcome::Failed(why) | Outcome::Unreachable(why) => {
                self.failed_invocations += 1;
                self.last_result = format!("PROBLEM: {why}");
            }
            Outcome::FailedFrom(number) => {
                self.failed_invocations += 1;
                self.last_result = format!("PROBLEM: the function reported a failure from {number} on");
            }
        }
    }
}

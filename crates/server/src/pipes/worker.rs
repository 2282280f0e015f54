//! The thread of one pipe: reads the shards of its streams, sends batches, and writes how far it is.
//!
//! A shard is read after its parent, so many of its batches as the pipe may have are on their way at a time
//! ([`lane`](super::lane)), and its position moves only when records are done or given up: so the records of an item
//! arrive in order and at least once. All decisions are made on the thread, between the rounds in which it waits.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::Duration;

use dynamometer_engine::Engine;
use dynamometer_engine::api::Record;
use dynamometer_engine::catalog::Stream;
use dynamometer_engine::catalog::stream::Shard;
use dynamometer_engine::disk::row::CorruptRow;
use dynamometer_engine::pipes::{Position, ShardKey};
use dynamometer_engine::streams::{ShardRead, StreamRecord, after};
use dynamometer_store::{Appended, Commit, StoreError};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use super::batch::{Entry, Next, Outcome, follow, take, too_old};
use super::definition::{Source, StartingPosition};
use super::lane::Lane;
use super::target::{DeadLetter, Origin, event, invoke, tell};
use super::{NOTHING_YET, Pipe, Surroundings, window};
use crate::clock::Clock;
use crate::panics::text_of;
use crate::wire::{Encode, lambda_record};

/// How much of a shard is read at a time.
const PAGE_RECORDS: usize = 1_000;
const PAGE_BYTES: usize = 1 << 20;
/// How long a pipe sleeps when there is nothing to do, and after the store has failed.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const AFTER_A_FAULT: Duration = Duration::from_secs(10);
/// By the wall's clock, a record may be written so much later than its request arrived.
const GRACE_MS: i64 = 1_000;

/// A pipe at work.
pub(super) struct Worker {
    pub(super) pipe: Arc<Pipe>,
    pub(super) around: Arc<Surroundings>,
    pub(super) runtime: Runtime,
    pub(super) lanes: HashMap<ShardKey, Lane>,
    /// What is on its way.
    pub(super) tasks: JoinSet<Finished>,
    /// Whether there was a stream when the pipe looked last.
    pub(super) has_source: bool,
    /// Whether positions are on their way to the disk. The next ones wait, so they are written in their order.
    pub(super) is_saving: bool,
}

/// How something went that was on its way.
pub(super) enum Finished {
    /// Of a track of a lane.
    Sent {
        lane: ShardKey,
        track: usize,
        what: Sent,
    },
    Saved(Vec<(ShardKey, Position)>, Result<(), StoreError>),
}

pub(super) enum Sent {
    Invoked(Outcome, Option<Value>),
    Told(Result<(), String>),
}

/// Whether a round got anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Some,
    None,
}

impl Worker {
    /// Works until the pipe is stopped. After a panic the pipe stands still, and says so: nobody has to wait for it.
    pub(super) fn run_guarded(self) {
        let pipe = self.pipe.clone();
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.run())) {
            let problem = format!(
                "PROBLEM: the pipe stands still after a defect of the server ({}): start the server again, or POST the \
                 pipe again",
                text_of(&*panic)
            );
            pipe.note(|stats| stats.last_result = problem);
            pipe.signal.stop();
        }
    }

    /// Works until the pipe is stopped.
    fn run(mut self) {
        while let Some(asked) = self.pipe.signal.asked() {
            let outcome = match self.round() {
                Ok(Progress::Some) if self.tasks.is_empty() => continue,
                Ok(_) if self.tasks.is_empty() => {
                    self.pipe.signal.settle(asked);
                    self.wait(LOOK_EVERY)
                }
                Ok(_) => self.wait(LOOK_EVERY),
                Err(error) => Err(error),
            };
            if let Err(error) = outcome {
                self.pipe.note(|stats| stats.last_result = format!("PROBLEM: {error}"));
                self.pipe.signal.settle(asked);
                self.sleep(AFTER_A_FAULT);
            }
        }
        // What is done need not be sent again. When that fails, it is.
        let _ = self.commit(&self.moved()).wait();
        // What is on its way is cut off, and a name that is still looked up holds up no stop.
        self.runtime.shutdown_background();
    }

    /// Waits until something is finished or somebody asks; so long at most. Then takes in all that is finished.
    fn wait(&mut self, longest: Duration) -> Result<(), StoreError> {
        let (tasks, signal) = (&mut self.tasks, &self.pipe.signal);
        let first = self.runtime.block_on(async {
            tokio::select! {
                biased;
                Some(finished) = tasks.join_next() => Some(finished),
                () = signal.woken() => None,
                () = tokio::time::sleep(longest) => None,
            }
        });
        let others: Vec<_> = std::iter::from_fn(|| self.tasks.try_join_next()).collect();
        let finished = first.into_iter().chain(others).map(|one| {
            one.unwrap_or_else(|error| {
                // Nothing is cut off while the pipe runs: it panicked, and nobody knows what it carried.
                resume_unwind(error.into_panic())
            })
        });
        finished.map(|one| self.take_in(one)).fold(Ok(()), Result::and)
    }

    /// Waits until somebody asks, so long at most.
    fn sleep(&self, longest: Duration) {
        self.runtime.block_on(async {
            tokio::select! {
                () = self.pipe.signal.woken() => {}
                () = tokio::time::sleep(longest) => {}
            }
        });
    }

    /// Goes once over all shards that may be read, and saves how far they are.
    fn round(&mut self) -> Result<Progress, StoreError> {
        let mut progress = Progress::None;
        if self.pipe.definition.is_enabled {
            let streams = streams_of(&self.around.engine, &self.pipe);
            self.note_source(!streams.is_empty());
            self.take_up(&streams)?;
            progress = self.go_over(&streams)?;
            self.forget_gone(&streams)?;
        }
        self.save();
        Ok(progress)
    }

    /// Says when there is nothing to read, and when there is again.
    fn note_source(&mut self, is_there: bool) {
        if is_there == self.has_source {
            return;
        }
        self.has_source = is_there;
        let source = self.pipe.definition.source.text();
        self.pipe.note(|stats| {
            stats.last_result = match is_there {
                true => NOTHING_YET.into(),
                false => format!("PROBLEM: {source} is not there, or has no stream"),
            };
        });
    }

    /// Takes up the shards that came since the last round: from the beginning, but for those of a state of the database
    /// that was brought back.
    fn take_up(&mut self, streams: &[Arc<Stream>]) -> Result<(), StoreError> {
        let keys = |stream: &Arc<Stream>| {
            let id = stream.row.id;
            stream.row.shards.iter().map(move |shard| (id, shard.number)).collect::<Vec<ShardKey>>()
        };
        let new: Vec<ShardKey> =
            streams.iter().flat_map(keys).filter(|key| !self.lanes.contains_key(key)).collect();
        if new.is_empty() {
            return Ok(());
        }
        // Positions are in the change that shows a state, which may be on its way to the disk.
        let Pipe { namespace, definition, .. } = &*self.pipe;
        let begun = self.around.engine.begun_pipe_by_now(namespace, &definition.name)?;
        let mut positions = begun.unwrap_or_default().positions;
        for key in new {
            let position = positions.remove(&key).unwrap_or_default();
            self.lanes.insert(key, Lane::at(position, definition));
        }
        Ok(())
    }

    fn go_over(&mut self, streams: &[Arc<Stream>]) -> Result<Progress, StoreError> {
        let mut progress = Progress::None;
        for stream in streams {
            let mut is_done = true;
            for shard in &stream.row.shards {
                let key = (stream.row.id, shard.number);
                // A parent that is gone has nothing left to read.
                let parent = shard.parent.filter(|parent| stream.shard(*parent).is_some());
                if parent.is_none_or(|parent| self.is_done(&(stream.row.id, parent))) {
                    if !self.is_done(&key) && self.step(stream, shard)? == Progress::Some {
                        progress = Progress::Some;
                    }
                    is_done &= self.is_done(&key);
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
        Ok(progress)
    }

    /// Whether a shard was begun, and all of it is delivered.
    fn is_done(&self, shard: &ShardKey) -> bool {
        self.lanes.get(shard).is_some_and(Lane::is_done)
    }

    /// Takes one step in a shard: reads, and sends what each of its tracks has to send.
    fn step(&mut self, stream: &Stream, shard: &Shard) -> Result<Progress, StoreError> {
        let key = (stream.row.id, shard.number);
        // All shards of the round were taken up before it.
        let Some(mut lane) = self.lanes.remove(&key) else { return Ok(Progress::None) };
        let read = self.fill(stream, shard, &mut lane);
        let mut progress = Progress::None;
        if read.is_ok() {
            for track in 0..lane.tracks.len() {
                if self.send(stream, shard, &mut lane, track) {
                    progress = Progress::Some;
                }
            }
            // A shard whose last record no filter let through is done without anything being sent.
            if lane.is_done() {
                progress = Progress::Some;
            }
        }
        self.lanes.insert(key, lane);
        read.map(|()| progress)
    }

    /// Sends what a track has to send, if it may. Answers whether it did.
    fn send(&mut self, stream: &Stream, shard: &Shard, lane: &mut Lane, track: usize) -> bool {
        if !lane.tracks[track].is_ready() {
            return false;
        }
        let definition = &self.pipe.definition;
        let now = self.around.clock.now();
        let grace_ms = if matches!(*self.around.clock, Clock::Wall) { GRACE_MS } else { 0 };
        lane.cut(track, definition, now, grace_ms);
        let (window, track_at) = (lane.window.as_ref(), &mut lane.tracks[track]);
        let Some(work) = track_at.queue.front() else { return false };
        if track_at.given_up.is_none()
            && let Some((count, condition)) = too_old(work, now, definition)
        {
            track_at.given_up = Some((count, condition));
        }
        let shard_id = shard.id();
        let origin = Origin { stream_arn: &stream.row.arn, shard_id: &shard_id, window };
        let (lane, pipe) = ((stream.row.id, shard.number), self.pipe.clone());
        let finished = move |what| Finished::Sent { lane, track, what };
        match track_at.given_up {
            None => {
                let event = event(work, work.entries.len(), origin);
                let task = async move {
                    let (outcome, state) = invoke(&pipe, event).await;
                    finished(Sent::Invoked(outcome, state))
                };
                self.tasks.spawn_on(task, self.runtime.handle());
            }
            Some((count, condition)) => {
                let (region, account) = place(&stream.row.arn);
                let function_arn = &definition.function.arn(region, account);
                let letter = DeadLetter { work, count, condition, origin, function_arn, now };
                let destination = definition.on_failure.clone();
                let letter = destination.map(|destination| (letter.body(&destination), destination));
                let task = async move {
                    let told = match letter {
                        Some((body, destination)) => tell(&pipe, &destination, body).await,
                        None => Ok(()),
                    };
                    finished(Sent::Told(told))
                };
                self.tasks.spawn_on(task, self.runtime.handle());
            }
        }
        track_at.is_busy = true;
        true
    }

    /// Decides what follows from something that is finished.
    fn take_in(&mut self, finished: Finished) -> Result<(), StoreError> {
        match finished {
            Finished::Sent { lane, track, what } => self.take_in_sent(lane, track, what),
            Finished::Saved(positions, outcome) => {
                self.is_saving = false;
                outcome?;
                for (key, position) in positions {
                    if let Some(lane) = self.lanes.get_mut(&key) {
                        lane.saved = position;
                    }
                }
            }
        }
        Ok(())
    }

    fn take_in_sent(&mut self, lane: ShardKey, track: usize, what: Sent) {
        let Some(lane) = self.lanes.get_mut(&lane) else { return };
        let track = &mut lane.tracks[track];
        track.is_busy = false;
        match what {
            Sent::Invoked(outcome, state) => {
                self.pipe.note(|stats| stats.count(&outcome));
                let closing = track.queue.front().and_then(|work| work.closing);
                match follow(&mut track.queue, &outcome, &self.pipe.definition) {
                    Next::Advance(count) => {
                        take(&mut track.queue, count);
                        track.went_on();
                        lane.window = lane.window.take().and_then(|open| window::after(open, closing, state));
                    }
                    Next::Again => track.wait_longer(),
                    Next::GiveUp(count, condition) => track.given_up = Some((count, condition)),
                }
            }
            Sent::Told(Ok(())) => {
                let count = track.given_up.take().map_or(0, |(count, _)| count);
                let given_up = take(&mut track.queue, count).len() as u64;
                track.went_on();
                self.pipe.note(|stats| stats.given_up_records += given_up);
            }
            Sent::Told(Err(why)) => {
                self.pipe.note(|stats| stats.last_result = format!("PROBLEM: dead-letter target: {why}"));
                track.wait_longer();
            }
        }
    }

    /// Writes how far the lanes are that moved, while others are on their way.
    fn save(&mut self) {
        let moved = self.moved();
        if self.is_saving || moved.is_empty() {
            return;
        }
        let commit = self.commit(&moved);
        let task = async move { Finished::Saved(moved, commit.await.map(drop)) };
        self.tasks.spawn_on(task, self.runtime.handle());
        self.is_saving = true;
    }

    /// The lanes that are elsewhere than the store knows.
    fn moved(&self) -> Vec<(ShardKey, Position)> {
        let moved = self.lanes.iter().filter(|(_, lane)| lane.has_moved());
        moved.map(|(key, lane)| (*key, lane.position())).collect()
    }

    fn commit(&self, positions: &[(ShardKey, Position)]) -> Commit {
        self.around.engine.save_pipe(&self.pipe.namespace, &self.pipe.definition.name, positions, &[])
    }

    /// Reads until there is a batch for each track by its records or its bytes, or nothing more.
    fn fill(&self, stream: &Stream, shard: &Shard, lane: &mut Lane) -> Result<(), StoreError> {
        while lane.wants_more(&self.pipe.definition) && !self.pipe.signal.is_stopped() {
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
                    lane.push(entry);
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
            aws_region: place(&stream.row.arn).0.into(),
            view_type: stream.row.view_type,
            change,
        };
        let corrupt = |error: CorruptRow| StoreError::Corrupt(error.to_string().into());
        let json = lambda_record(&record, &stream.row.arn).map_err(corrupt)?;
        let mut keys = Vec::new();
        record.change.keys.encode(&mut keys).map_err(corrupt)?;
        let filters = &self.pipe.definition.filters;
        if !filters.is_empty() {
            let event: Value = serde_json::from_slice(&json).unwrap_or_default();
            if !filters.iter().any(|filter| filter.matches(&event)) {
                self.pipe.note(|stats| stats.filtered_records += 1);
                return Ok(None);
            }
        }
        Ok(Some(Entry { json, sequence_number, created, item_hash: crc32fast::hash(&keys) }))
    }

    /// Forgets the positions of shards that are no more, and says so when records went with them.
    fn forget_gone(&mut self, streams: &[Arc<Stream>]) -> Result<(), StoreError> {
        let is_there = |(stream, shard): &ShardKey| {
            streams.iter().any(|known| known.row.id == *stream && known.shard(*shard).is_some())
        };
        // What is on its way may still get there.
        let gone: Vec<ShardKey> = self
            .lanes
            .iter()
            .filter(|(key, lane)| !is_there(key) && !lane.is_busy())
            .map(|(key, _)| *key)
            .collect();
        if gone.is_empty() {
            return Ok(());
        }
        let pipe = &self.pipe;
        self.around.engine.save_pipe(&pipe.namespace, &pipe.definition.name, &[], &gone).wait()?;
        let lost: usize =
            gone.iter().filter_map(|key| self.lanes.remove(key)).map(|lane| lane.records()).sum();
        if lost > 0 {
            pipe.note(|stats| {
                stats.given_up_records += lost as u64;
                // Others may not even have been read.
                stats.last_result = format!(
                    "PROBLEM: at least {lost} records went with their shard before they were delivered"
                );
            });
        }
        Ok(())
    }
}

/// Region and account of an ARN. Databases that are isolated have regions of their own.
fn place(arn: &str) -> (&str, &str) {
    let mut parts = arn.split(':').skip(3);
    (parts.next().unwrap_or_default(), parts.next().unwrap_or_default())
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

/// Where a pipe goes on, or begins when it was never there or read another source. With a definition it is kept.
///
/// # Errors
/// When the store fails.
pub(super) fn begin(
    engine: &Engine,
    pipe: &Pipe,
    kept: Option<String>,
) -> Result<HashMap<ShardKey, Lane>, StoreError> {
    let Pipe { namespace, definition, .. } = pipe;
    let source = definition.source.text();
    let is_same = |of: &Option<String>| of.as_deref().is_none_or(|of| of == source);
    let begun = engine.begun_pipe(namespace, &definition.name)?.filter(|begun| is_same(&begun.source));
    let positions = match (begun, definition.starting_position) {
        (Some(begun), _) => begun.positions,
        (None, StartingPosition::TrimHorizon) => HashMap::new(),
        (None, StartingPosition::Latest) => behind_all(engine, pipe)?,
    };
    engine.begin_pipe(namespace, &definition.name, source, kept, &positions)?;
    let lane = |(shard, position)| (shard, Lane::at(position, definition));
    Ok(positions.into_iter().map(lane).collect())
}

/// The positions behind all records that there are.
fn behind_all(engine: &Engine, pipe: &Pipe) -> Result<HashMap<ShardKey, Position>, StoreError> {
    let mut positions = HashMap::new();
    for stream in streams_of(engine, pipe) {
        for shard in &stream.row.shards {
            let last = engine.shard_ends(&stream, shard.number)?.map(|ends| ends.last).unwrap_or_default();
            let position = Position { next: after(last), is_done: shard.closed_ms.is_some(), window: None };
            positions.insert((stream.row.id, shard.number), position);
        }
    }
    Ok(positions)
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

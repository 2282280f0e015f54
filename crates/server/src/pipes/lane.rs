//! A shard on its way: what was read of it and is not done yet.
//!
//! A lane has as many tracks as the pipe may have batches of a shard on their way. The records of an item are all in one
//! track, and a track sends one batch after the other: so they stay in order. The lane's position is that of the oldest
//! record that is not done in any track.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use dynamometer_engine::pipes::{OpenWindow, Position};
use dynamometer_store::Appended;
use dynamometer_types::Timestamp;

use super::batch::{Condition, Entry, Work};
use super::definition::Definition;
use super::window::{self, Closing};

/// The longest event that is sent, in bytes: Lambda's limit for an invocation.
const MOST_EVENT_BYTES: usize = 6_000_000;
/// The pause after a first failure; it doubles with each that follows, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// A shard on its way.
pub(super) struct Lane {
    /// What is known to be durable.
    pub(super) saved: Position,
    /// Where to read on; before the position's, what was read waits in the tracks.
    pub(super) read_at: Appended,
    /// Whether the shard is closed and all of it was read.
    pub(super) is_read: bool,
    pub(super) tracks: Vec<Track>,
    pub(super) window: Option<OpenWindow>,
}

/// The batches of a lane that follow one another.
#[derive(Default)]
pub(super) struct Track {
    /// What was read and is in no batch yet.
    pending: VecDeque<Entry>,
    pending_bytes: usize,
    pub(super) queue: VecDeque<Work>,
    /// Whether the first batch of the queue, or what is told of it, is on its way.
    pub(super) is_busy: bool,
    /// Records that were given up and that the dead-letter target was not told of yet.
    pub(super) given_up: Option<(usize, Condition)>,
    pause: Duration,
    not_before: Option<Instant>,
}

impl Lane {
    pub(super) fn at(position: Position, pipe: &Definition) -> Lane {
        let window = position.window.clone().filter(|_| pipe.tumbling_window_ms.is_some());
        let tracks = (0..pipe.parallel_batches).map(|_| Track::default()).collect();
        Lane { read_at: position.next, is_read: position.is_done, saved: position, tracks, window }
    }

    /// How far the lane is.
    pub(super) fn position(&self) -> Position {
        Position { next: self.next(), is_done: self.is_done(), window: self.window.clone() }
    }

    /// Whether the lane is elsewhere than the store knows.
    pub(super) fn has_moved(&self) -> bool {
        let Position { next, is_done, window } = &self.saved;
        self.next() != *next || self.is_done() != *is_done || self.window != *window
    }

    /// Whether all of the shard is delivered, and nothing will come.
    pub(super) fn is_done(&self) -> bool {
        self.is_read && self.window.is_none() && self.tracks.iter().all(|track| track.first().is_none())
    }

    /// How many records wait or are on their way.
    pub(super) fn records(&self) -> usize {
        self.tracks.iter().map(Track::records).sum()
    }

    /// Whether something is on its way.
    pub(super) fn is_busy(&self) -> bool {
        self.tracks.iter().any(|track| track.is_busy)
    }

    /// Where the oldest record stands that is not done; where to read on without one.
    fn next(&self) -> Appended {
        self.tracks.iter().filter_map(Track::first).min().unwrap_or(self.read_at)
    }

    /// Whether to read on: a track has nothing on its way and no full batch, and what waits in all is not too much.
    pub(super) fn wants_more(&self, pipe: &Definition) -> bool {
        let most = 2 * pipe.batch_size * self.tracks.len();
        let bytes: usize = self.tracks.iter().map(|track| track.pending_bytes).sum();
        let is_short = |track: &Track| track.queue.is_empty() && !track.is_full(pipe);
        !self.is_read
            && self.records() < most
            && bytes <= MOST_EVENT_BYTES * self.tracks.len()
            && self.tracks.iter().any(is_short)
    }

    pub(super) fn push(&mut self, entry: Entry) {
        let at = entry.item_hash as usize % self.tracks.len();
        let track = &mut self.tracks[at];
        track.pending_bytes += entry.event_bytes();
        track.pending.push_back(entry);
    }

    /// Makes a batch of what waits in a track, when it is full or has waited for long enough. `grace_ms` is how much later
    /// than its time a record may still come.
    pub(super) fn cut(&mut self, track: usize, pipe: &Definition, now: Timestamp, grace_ms: i64) {
        let is_read = self.is_read;
        let (track, window) = (&mut self.tracks[track], &mut self.window);
        if !track.queue.is_empty() {
            return;
        }
        let mut most = pipe.batch_size;
        // Whether nothing that comes later can join the batch.
        let mut is_last = is_read;
        if let Some(length_ms) = pipe.tumbling_window_ms {
            if window.is_none() {
                *window = track.pending.front().map(|first| window::open(first.created, length_ms));
            }
            let Some(window) = window else { return };
            if window::is_too_large(window) {
                return track.queue.push_back(Work::closing(Closing::Early));
            }
            let in_window =
                track.pending.iter().take_while(|entry| window::holds(window, entry.created)).count();
            is_last |= in_window < track.pending.len() || now.millis() >= window.end_ms + grace_ms;
            if in_window == 0 {
                if is_last {
                    track.queue.push_back(Work::closing(Closing::Final));
                }
                return;
            }
            most = most.min(in_window);
        }
        let Some(first) = track.pending.front() else { return };
        // A record of a time that is still to come waits for nobody: the clock was set back since.
        let is_waiting = (0..pipe.batching_window_ms).contains(&(now - first.created));
        if track.is_full(pipe) || !is_waiting || is_last {
            track.cut(most);
        }
    }
}

impl Track {
    /// Where the oldest record stands that is not done.
    fn first(&self) -> Option<Appended> {
        let queued = self.queue.iter().find_map(|work| work.entries.first());
        queued.or(self.pending.front()).map(|entry| entry.sequence_number.0)
    }

    fn records(&self) -> usize {
        self.pending.len() + self.queue.iter().map(|work| work.entries.len()).sum::<usize>()
    }

    /// Whether what waits is a whole batch, by its records or its bytes.
    fn is_full(&self, pipe: &Definition) -> bool {
        self.pending.len() >= pipe.batch_size || self.pending_bytes > MOST_EVENT_BYTES
    }

    fn cut(&mut self, most: usize) {
        let (mut count, mut bytes) = (0, 0);
        for entry in self.pending.iter().take(most) {
            if count > 0 && bytes + entry.event_bytes() > MOST_EVENT_BYTES {
                break;
            }
            bytes += entry.event_bytes();
            count += 1;
        }
        self.pending_bytes -= bytes;
        self.queue.push_back(Work::of(self.pending.drain(..count).collect()));
    }

    /// Whether something may be sent.
    pub(super) fn is_ready(&self) -> bool {
        !self.is_busy && self.not_before.is_none_or(|at| Instant::now() >= at)
    }

    pub(super) fn wait_longer(&mut self) {
        self.pause = (self.pause * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
        self.not_before = Some(Instant::now() + self.pause);
    }

    pub(super) fn went_on(&mut self) {
        self.pause = Duration::ZERO;
        self.not_before = None;
    }
}

#[cfg(test)]
mod tests {
    use dynamometer_engine::streams::SequenceNumber;

    use super::super::batch::{self, tests::pipe};
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_000_000);

    fn entry(sequence: u64, item_hash: u32, created_ms: i64) -> Entry {
        Entry {
            json: Vec::new(),
            sequence_number: SequenceNumber(Appended { sequence, place: 0 }),
            created: Timestamp::from_millis(created_ms),
            item_hash,
        }
    }

    fn lane(pipe: &Definition, entries: &[(u32, i64)]) -> Lane {
        let mut lane = Lane::at(Position::default(), pipe);
        for (at, (hash, created)) in (1..).zip(entries) {
            lane.push(entry(at, *hash, *created));
            lane.read_at = Appended { sequence: at + 1, place: 0 };
        }
        lane
    }

    /// The sequence numbers of the batch that a track would send.
    fn cut(lane: &mut Lane, track: usize, pipe: &Definition) -> Option<Vec<u64>> {
        lane.cut(track, pipe, NOW, 0);
        let work = lane.tracks[track].queue.front()?;
        Some(work.entries.iter().map(|entry| entry.sequence_number.0.sequence).collect())
    }

    #[test]
    fn an_items_records_are_in_one_track_and_the_position_is_that_of_the_oldest() {
        let pipe = pipe(r#"{"ParallelizationFactor":2,"BatchSize":2}"#);
        let mut lane = lane(&pipe, &[(2, 0), (3, 0), (2, 0), (5, 0), (2, 0)]);
        assert_eq!(cut(&mut lane, 0, &pipe), Some(vec![1, 3]));
        assert_eq!(cut(&mut lane, 1, &pipe), Some(vec![2, 4]));
        assert_eq!(lane.position().next.sequence, 1);
        batch::take(&mut lane.tracks[1].queue, 2);
        assert_eq!(lane.position().next.sequence, 1);
        batch::take(&mut lane.tracks[0].queue, 2);
        assert_eq!(lane.position().next.sequence, 5);
        assert_eq!(cut(&mut lane, 0, &pipe), Some(vec![5]));
        batch::take(&mut lane.tracks[0].queue, 1);
        assert_eq!(lane.position(), Position { next: lane.read_at, ..Position::default() });
    }

    #[test]
    fn a_track_that_is_stuck_holds_up_reading_only_when_much_waits() {
        let pipe = pipe(r#"{"ParallelizationFactor":2,"BatchSize":1}"#);
        let mut lane = lane(&pipe, &[(0, 0), (0, 0)]);
        assert!(lane.wants_more(&pipe), "the second track has nothing");
        cut(&mut lane, 0, &pipe);
        lane.push(entry(3, 0, 0));
        assert!(lane.wants_more(&pipe));
        lane.push(entry(4, 0, 0));
        assert!(!lane.wants_more(&pipe), "twice what may be on its way");
    }

    #[test]
    fn records_wait_for_others_as_long_as_the_batching_window_and_not_for_the_clock() {
        let at = |pipe: &Definition, created_ms: i64| cut(&mut lane(pipe, &[(0, created_ms)]), 0, pipe);
        let window = pipe(r#"{"MaximumBatchingWindowInSeconds":10}"#);
        assert_eq!(at(&window, 995_000), None);
        assert_eq!(at(&window, 990_000), Some(vec![1]));
        // The clock was set back.
        assert_eq!(at(&window, 1_000_001), Some(vec![1]));
        assert_eq!(at(&pipe("{}"), 1_000_001), Some(vec![1]));
    }

    #[test]
    fn windows_end_with_a_later_record_with_their_time_and_with_the_shard() {
        let pipe = pipe(r#"{"TumblingWindowInSeconds":100,"MaximumBatchingWindowInSeconds":300}"#);
        let closing = |lane: &Lane| lane.tracks[0].queue.front().and_then(|work| work.closing);
        // Two windows that are over, and the one that begins now.
        let mut over = lane(&pipe, &[(0, 800_000), (0, 899_999), (0, 950_000), (0, 1_000_000)]);
        for expected in [vec![1, 2], vec![], vec![3], vec![]] {
            assert_eq!(cut(&mut over, 0, &pipe), Some(expected.clone()));
            assert_eq!(closing(&over), expected.is_empty().then_some(Closing::Final));
            batch::take(&mut over.tracks[0].queue, 10);
            if expected.is_empty() {
                over.window = None;
            }
        }
        assert_eq!(cut(&mut over, 0, &pipe), None, "others may come");
        over.is_read = true;
        assert_eq!(cut(&mut over, 0, &pipe), Some(vec![4]));
        batch::take(&mut over.tracks[0].queue, 1);
        assert!(!over.is_done());
        assert_eq!(cut(&mut over, 0, &pipe), Some(vec![]));
        // A record that comes late is of the window that is open.
        let mut late = lane(&pipe, &[(0, 1_000_000), (0, 999_999)]);
        late.is_read = true;
        assert_eq!(cut(&mut late, 0, &pipe), Some(vec![1, 2]));
        // By the time alone: the grace is for records that are still to come.
        let mut quiet = lane(&pipe, &[(0, 899_000)]);
        assert_eq!(cut(&mut quiet, 0, &pipe), Some(vec![1]));
        batch::take(&mut quiet.tracks[0].queue, 1);
        quiet.cut(0, &pipe, Timestamp::from_millis(900_999), 1_000);
        assert_eq!(closing(&quiet), None);
        quiet.cut(0, &pipe, Timestamp::from_millis(901_000), 1_000);
        assert_eq!(closing(&quiet), Some(Closing::Final));
        // A state that is too large is handed over first.
        let mut large = lane(&pipe, &[(0, 1_000_000)]);
        large.window = Some(OpenWindow { state: "x".repeat(2 << 20), ..window::open(NOW, 100_000) });
        assert_eq!((cut(&mut large, 0, &pipe), closing(&large)), (Some(vec![]), Some(Closing::Early)));
    }
}

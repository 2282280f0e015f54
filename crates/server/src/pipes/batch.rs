//! What becomes of a batch after an invocation: pure decisions.

use std::collections::VecDeque;

use dynamometer_engine::streams::SequenceNumber;
use dynamometer_types::Timestamp;

use super::definition::Definition;
use super::window::Closing;

/// A record on its way.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    /// The record in Lambda's form.
    pub(super) json: Vec<u8>,
    pub(super) sequence_number: SequenceNumber,
    pub(super) created: Timestamp,
    /// The same for all records of an item.
    pub(super) item_hash: u32,
}

impl Entry {
    /// What it adds to an event, its comma included.
    pub(super) fn event_bytes(&self) -> usize {
        self.json.len() + 1
    }
}

/// Records that are sent together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Work {
    pub(super) entries: Vec<Entry>,
    /// Whether it ends a window; then there are no records.
    pub(super) closing: Option<Closing>,
    /// How often an invocation with them failed.
    pub(super) failures: u64,
}

impl Work {
    pub(super) fn of(entries: Vec<Entry>) -> Work {
        Work { entries, closing: None, failures: 0 }
    }

    pub(super) fn closing(closing: Closing) -> Work {
        Work { entries: Vec::new(), closing: Some(closing), failures: 0 }
    }
}

/// How an invocation went.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// All records are done.
    Done,
    /// The function failed, with a word about how.
    Failed(String),
    /// The function did all before the record of this sequence number.
    FailedFrom(String),
    /// Nobody was there to run it, with a word about why. It does not count as a failure.
    Unreachable(String),
}

/// Why records are given up, in Lambda's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    RetryAttemptsExhausted,
    RecordAgeExceeded,
}

impl Condition {
    pub(super) fn word(self) -> &'static str {
        match self {
            Condition::RetryAttemptsExhausted => "RetryAttemptsExhausted",
            Condition::RecordAgeExceeded => "RecordAgeExceeded",
        }
    }
}

/// What is to be done about the first batch of a queue.
#[derive(Debug, PartialEq)]
pub(super) enum Next {
    /// So many of its records are done; go on at once.
    Advance(usize),
    /// Try again after a pause.
    Again,
    /// Its first records are given up.
    GiveUp(usize, Condition),
}

/// Decides what follows an invocation of the first batch; cuts it in two when the pipe bisects. Batches are sent in the
/// order of the queue, and the next one only when the first is done: so the records of an item stay in order.
pub(super) fn follow(queue: &mut VecDeque<Work>, outcome: &Outcome, pipe: &Definition) -> Next {
    let Some(work) = queue.front_mut() else { return Next::Advance(0) };
    let count = work.entries.len();
    match outcome {
        Outcome::Done => Next::Advance(count),
        Outcome::Unreachable(_) => Next::Again,
        Outcome::FailedFrom(number) => {
            match work.entries.iter().position(|entry| entry.sequence_number.to_string() == *number) {
                // Some progress: what is left is a batch of its own.
                Some(done) if done > 0 => Next::Advance(done),
                // The first one failed, or one that was not sent: all of it.
                _ => after_failure(queue, pipe),
            }
        }
        Outcome::Failed(_) => after_failure(queue, pipe),
    }
}

fn after_failure(queue: &mut VecDeque<Work>, pipe: &Definition) -> Next {
    let Some(work) = queue.front_mut() else { return Next::Advance(0) };
    let count = work.entries.len();
    if pipe.bisects && count > 1 {
        // To cut is not to try again: the halves begin anew.
        let second = work.entries.split_off(count / 2);
        work.failures = 0;
        queue.insert(1, Work::of(second));
        return Next::Again;
    }
    work.failures += 1;
    match pipe.most_retries {
        // What ends a window is tried until the function has taken it: the shard waits, as on AWS.
        _ if work.closing.is_some() => Next::Again,
        Some(most) if work.failures > most => Next::GiveUp(count, Condition::RetryAttemptsExhausted),
        _ => Next::Again,
    }
}

/// Whether the first records of a batch have become too old to be sent.
pub(super) fn too_old(work: &Work, now: Timestamp, pipe: &Definition) -> Option<(usize, Condition)> {
    let most = pipe.most_age_ms?;
    let old = work.entries.iter().take_while(|entry| now - entry.created > most).count();
    (old > 0).then_some((old, Condition::RecordAgeExceeded))
}

/// Takes records off the front of the first batch.
pub(super) fn take(queue: &mut VecDeque<Work>, count: usize) -> Vec<Entry> {
    let Some(work) = queue.front_mut() else { return Vec::new() };
    let rest = work.entries.split_off(count.min(work.entries.len()));
    let taken = std::mem::replace(&mut work.entries, rest);
    work.failures = 0;
    if work.entries.is_empty() {
        queue.pop_front();
    }
    taken
}

#[cfg(test)]
pub(super) mod tests {
    use dynamometer_store::Appended;

    use super::super::definition::{Asked, EXAMPLE};
    use super::*;

    pub(in super::super) fn pipe(change: &str) -> Definition {
        let mut pipe: serde_json::Value = serde_json::from_str(EXAMPLE).unwrap();
        let change: serde_json::Value = serde_json::from_str(change).unwrap();
        pipe.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        Asked::read_all(&pipe.to_string()).unwrap().remove(0).check().unwrap()
    }

    fn entries(count: u64) -> VecDeque<Work> {
        let entry = |n: u64| Entry {
            json: Vec::new(),
            sequence_number: SequenceNumber(Appended { sequence: n, place: 0 }),
            created: Timestamp::from_millis(n as i64 * 1_000),
            item_hash: 0,
        };
        VecDeque::from([Work::of((0..count).map(entry).collect())])
    }

    /// Sends what is in the queue to a function that cannot bear some records. Answers the invocations and what was given
    /// up, both by sequence number.
    fn run(pipe: &Definition, count: u64, poison: &[&str]) -> (Vec<Vec<String>>, Vec<String>) {
        let (mut queue, mut invocations, mut given_up) = (entries(count), Vec::new(), Vec::new());
        let name = |entry: &Entry| entry.sequence_number.0.sequence.to_string();
        let names = |entries: &[Entry]| -> Vec<String> { entries.iter().map(name).collect() };
        while let Some(work) = queue.front() {
            assert!(invocations.len() < 200, "no end");
            let sent = names(&work.entries);
            let bad = sent.iter().position(|name| poison.contains(&name.as_str()));
            let outcome = match bad {
                None => Outcome::Done,
                Some(first) if pipe.reports_failures => {
                    Outcome::FailedFrom(work.entries[first].sequence_number.to_string())
                }
                Some(_) => Outcome::Failed(String::new()),
            };
            invocations.push(sent);
            match follow(&mut queue, &outcome, pipe) {
                Next::Advance(done) => drop(take(&mut queue, done)),
                Next::Again => {}
                Next::GiveUp(count, Condition::RetryAttemptsExhausted) => {
                    given_up.extend(names(&take(&mut queue, count)));
                }
                other => panic!("{other:?}"),
            }
        }
        (invocations, given_up)
    }

    #[test]
    fn without_bisecting_the_whole_batch_is_given_up() {
        let (invocations, given_up) = run(&pipe(r#"{"MaximumRetryAttempts":2}"#), 3, &["1"]);
        assert_eq!(invocations.len(), 3, "once, and two more times");
        assert_eq!(given_up, ["0", "1", "2"]);
    }

    #[test]
    fn bisecting_finds_the_record_that_fails() {
        let bisects = pipe(r#"{"MaximumRetryAttempts":1,"BisectBatchOnFunctionError":true}"#);
        let (invocations, given_up) = run(&bisects, 8, &["5"]);
        assert_eq!(given_up, ["5"]);
        // 8, 0-3, 4-7, 4-5, 4, 5, 5 again, 6-7.
        let lengths: Vec<usize> = invocations.iter().map(Vec::len).collect();
        assert_eq!(lengths, [8, 4, 4, 2, 1, 1, 1, 2]);
    }

    #[test]
    fn reported_failures_go_on_from_the_first() {
        let reports =
            pipe(r#"{"MaximumRetryAttempts":1,"FunctionResponseTypes":["ReportBatchItemFailures"]}"#);
        let (invocations, given_up) = run(&reports, 4, &["2"]);
        let lengths: Vec<usize> = invocations.iter().map(Vec::len).collect();
        assert_eq!(lengths, [4, 2, 2]);
        assert_eq!(given_up, ["2", "3"]);
        let both = pipe(
            r#"{"MaximumRetryAttempts":0,"BisectBatchOnFunctionError":true,
                "FunctionResponseTypes":["ReportBatchItemFailures"]}"#,
        );
        assert_eq!(run(&both, 4, &["2"]).1, ["2"]);
    }

    #[test]
    fn an_unreachable_target_costs_no_attempt() {
        let (mut queue, pipe) = (entries(1), pipe(r#"{"MaximumRetryAttempts":0}"#));
        for _ in 0..50 {
            assert_eq!(follow(&mut queue, &Outcome::Unreachable(String::new()), &pipe), Next::Again);
        }
        assert_eq!(
            follow(&mut queue, &Outcome::Failed(String::new()), &pipe),
            Next::GiveUp(1, Condition::RetryAttemptsExhausted)
        );
    }

    #[test]
    fn what_ends_a_window_is_never_given_up() {
        let (mut queue, pipe) =
            (VecDeque::from([Work::closing(Closing::Final)]), pipe(r#"{"MaximumRetryAttempts":0}"#));
        assert_eq!(follow(&mut queue, &Outcome::Failed(String::new()), &pipe), Next::Again);
        assert_eq!(follow(&mut queue, &Outcome::Done, &pipe), Next::Advance(0));
        assert!(take(&mut queue, 0).is_empty() && queue.is_empty());
    }

    #[test]
    fn records_are_given_up_when_they_are_too_old() {
        let (queue, pipe) = (entries(3), pipe(r#"{"MaximumRecordAgeInSeconds":60}"#));
        let at = |millis| too_old(&queue[0], Timestamp::from_millis(millis), &pipe);
        assert_eq!(at(60_000), None);
        assert_eq!(at(61_500), Some((2, Condition::RecordAgeExceeded)));
    }
}

//! Sending: every call at its time, whether those before it have been answered or not, and measuring from that time on.
//!
//! A server that falls behind is not given a rest: what waits for a free place waits on the clock of its own latency.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::latencies::Latencies;
use super::requests::{Maker, Request};
use crate::client::{CallError, Client, Service};

/// What came of a pattern.
#[derive(Default)]
pub(super) struct Outcome {
    /// Calls that were due.
    pub(super) asked: u64,
    /// Calls that were answered well.
    pub(super) done: u64,
    /// Calls that were throttled, in part or whole.
    pub(super) throttled: u64,
    /// Other failures, by their words, with how many.
    pub(super) errors: BTreeMap<String, u64>,
    /// Consumed units, in half units.
    pub(super) halves: u64,
    /// From when a call was due to its answer.
    pub(super) latencies: Latencies,
}

/// A pattern to be called: so often, in millionths a second.
pub(super) struct Stream<'d> {
    pub(super) maker: Maker<'d>,
    pub(super) rate_micro: u64,
}

enum Answer {
    Done,
    Throttled,
    Failed(String),
}

/// Calls the patterns for a time, and gives what came of each, in their order.
pub(super) async fn run(
    client: Arc<Client>,
    mut streams: Vec<Stream<'_>>,
    duration: Duration,
    most_at_once: usize,
) -> Vec<Outcome> {
    let outcomes: Arc<Vec<Mutex<Outcome>>> = Arc::new(streams.iter().map(|_| Mutex::default()).collect());
    let places = Arc::new(Semaphore::new(most_at_once));
    let mut due: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    for (at, stream) in streams.iter_mut().enumerate() {
        due.push(Reverse((stream.maker.pause_ns(stream.rate_micro), at)));
    }
    let began = Instant::now();
    let mut progress = Progress::new(duration);
    while let Some(Reverse((at_ns, number))) = due.pop() {
        if at_ns >= duration.as_nanos() as u64 {
            continue;
        }
        let at = began + Duration::from_nanos(at_ns);
        progress.sleep_until(at, began, &outcomes).await;
        let stream = &mut streams[number];
        due.push(Reverse((at_ns + stream.maker.pause_ns(stream.rate_micro), number)));
        let requests = stream.maker.next();
        with(&outcomes[number], |outcome| outcome.asked += 1);
        let Ok(place) = places.clone().acquire_owned().await else { break };
        let (client, outcomes) = (client.clone(), outcomes.clone());
        tokio::spawn(async move {
            let (answer, halves) = send_all(&client, requests).await;
            let latency_us = at.elapsed().as_micros() as u64;
            with(&outcomes[number], |outcome| outcome.count(answer, halves, latency_us));
            drop(place);
        });
    }
    // Those that are on their way are waited for.
    let _ = places.acquire_many(most_at_once as u32).await;
    progress.clear();
    outcomes.iter().map(|outcome| with(outcome, std::mem::take)).collect()
}

fn with<T>(outcome: &Mutex<Outcome>, change: impl FnOnce(&mut Outcome) -> T) -> T {
    match outcome.lock() {
        Ok(mut outcome) => change(&mut outcome),
        Err(poisoned) => change(&mut poisoned.into_inner()),
    }
}

/// Sends the requests of one call, and gives the worst answer and the units of all.
async fn send_all(client: &Client, requests: Vec<Request>) -> (Answer, u64) {
    let (mut worst, mut halves) = (Answer::Done, 0);
    for request in requests {
        match client.call_once(Service::DynamoDb, request.operation, &request.body).await {
            Ok(answer) => {
                halves += consumed_halves(&answer["ConsumedCapacity"]);
                let is_left = |name: &str| answer[name].as_object().is_some_and(|left| !left.is_empty());
                if is_left("UnprocessedItems") || is_left("UnprocessedKeys") {
                    worst = Answer::Throttled;
                }
            }
            Err(error) if is_throttle(&error) => worst = Answer::Throttled,
            Err(error) => return (Answer::Failed(format!("{}: {error}", request.operation)), halves),
        }
    }
    (worst, halves)
}

/// Whether a call, or a part of it, was refused for its throughput.
pub(super) fn is_throttle(error: &CallError) -> bool {
    let kinds = ["ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"];
    kinds.iter().any(|kind| error.is(kind))
        || error.is("TransactionCanceledException") && {
            let text = error.to_string();
            text.contains("ThrottlingError") || text.contains("ProvisionedThroughputExceeded")
        }
}

/// `CapacityUnits` of one table, or of several.
fn consumed_halves(consumed: &Value) -> u64 {
    match consumed {
        Value::Array(tables) => tables.iter().map(consumed_halves).sum(),
        one => one["CapacityUnits"].as_f64().map_or(0, |units| (units * 2.0).round() as u64),
    }
}

impl Outcome {
    fn count(&mut self, answer: Answer, halves: u64, latency_us: u64) {
        self.halves += halves;
        self.latencies.add(latency_us);
        match answer {
            Answer::Done => self.done += 1,
            Answer::Throttled => self.throttled += 1,
            Answer::Failed(words) => *self.errors.entry(words).or_default() += 1,
        }
    }
}

/// A line on a terminal that says how far it is.
struct Progress {
    duration: Duration,
    is_terminal: bool,
    shown: u64,
}

impl Progress {
    fn new(duration: Duration) -> Progress {
        Progress { duration, is_terminal: std::io::stderr().is_terminal(), shown: 0 }
    }

    /// Sleeps, and wakes up each second to tell.
    async fn sleep_until(&mut self, at: Instant, began: Instant, outcomes: &[Mutex<Outcome>]) {
        loop {
            let second = began.elapsed().as_secs();
            if self.is_terminal && second > self.shown {
                self.shown = second;
                self.show(second, outcomes);
            }
            let next = began + Duration::from_secs(second + 1);
            if at <= next || !self.is_terminal {
                return tokio::time::sleep_until(at).await;
            }
            tokio::time::sleep_until(next).await;
        }
    }

    fn show(&self, second: u64, outcomes: &[Mutex<Outcome>]) {
        let (mut done, mut throttled, mut failed) = (0, 0, 0);
        for outcome in outcomes {
            with(outcome, |outcome| {
                done += outcome.done;
                throttled += outcome.throttled;
                failed += outcome.errors.values().sum::<u64>();
            });
        }
        let all = self.duration.as_secs();
        let _ = write!(
            std::io::stderr(),
            "\r\x1b[K{second} of {all} s: {done} done, {throttled} throttled, {failed} failed"
        );
    }

    fn clear(&self) {
        if self.is_terminal {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

//! First in, first out without a thread: whoever commits does the work, also for those who come meanwhile.

use std::collections::VecDeque;

use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::commit::{Outcome, tell};
use crate::{Batch, Commit};

/// Applies batches one at a time, in the order of the calls, each with its `on_done` calls before the next.
///
/// No lock is held meanwhile, so that an `on_done` call may commit in its turn.
#[derive(Default)]
pub(crate) struct Line(Mutex<State>);

#[derive(Default)]
struct State {
    busy: bool,
    waiting: VecDeque<(Batch, oneshot::Sender<Outcome>)>,
}

impl Line {
    /// Applies `batch` here and now, or leaves it to the thread that is applying one already.
    pub fn commit(&self, batch: Batch, apply: impl Fn(Batch) -> Outcome) -> Commit {
        let mut state = self.0.lock();
        if state.busy {
            let (reply, commit) = Commit::pending();
            state.waiting.push_back((batch, reply));
            return commit;
        }
        state.busy = true;
        drop(state);
        let outcome = apply_one(batch, &apply);
        while let Some((batch, reply)) = self.next() {
            // Nobody has to listen.
            let _ = reply.send(apply_one(batch, &apply));
        }
        Commit::ready(outcome)
    }

    fn next(&self) -> Option<(Batch, oneshot::Sender<Outcome>)> {
        let mut state = self.0.lock();
        let next = state.waiting.pop_front();
        state.busy = next.is_some();
        next
    }
}

fn apply_one(mut batch: Batch, apply: impl Fn(Batch) -> Outcome) -> Outcome {
    let on_done = std::mem::take(&mut batch.on_done);
    let outcome = apply(batch);
    tell(on_done, &outcome);
    outcome
}

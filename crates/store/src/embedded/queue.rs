//! The queue between the threads that commit and the one that writes.

use std::collections::VecDeque;

use parking_lot::{Condvar, Mutex};
use tokio::sync::oneshot;

use crate::commit::{Outcome, tell};
use crate::{Batch, Commit, StoreError};

/// One group is at most this many batches …
const GROUP_BATCHES: usize = 256;
/// … and, unless a single batch is larger, this many bytes of keys and values.
const GROUP_BYTES: usize = 8 << 20;

/// A batch that waits for its outcome.
pub(super) struct Request {
    pub batch: Batch,
    size_bytes: usize,
    reply: oneshot::Sender<Outcome>,
}

impl Request {
    /// Tells everybody who wants to know.
    pub fn answer(self, outcome: Outcome) {
        tell(self.batch.on_done, &outcome);
        // Nobody has to listen.
        let _ = self.reply.send(outcome);
    }
}

/// First in, first out. Holding batches is all it does: pushing never waits for the disk.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Request>,
    writer_sleeps: bool,
    closed: bool,
}

impl Queue {
    /// Appends a batch. After [`close`](Queue::close) it is answered here and now.
    pub fn push(&self, batch: Batch) -> Commit {
        let (reply, commit) = Commit::pending();
        let size_bytes = batch.size_bytes();
        let request = Request { batch, size_bytes, reply };
        let mut state = self.state.lock();
        if state.closed {
            drop(state);
            request.answer(Err(StoreError::closed()));
            return commit;
        }
        state.waiting.push_back(request);
        // A wake-up is a system call: only when somebody sleeps.
        let wake = std::mem::take(&mut state.writer_sleeps);
        drop(state);
        if wake {
            self.wake.notify_one();
        }
        commit
    }

    /// Waits for batches and moves the next group into `group`, which must be empty. False once the queue is
    /// closed and empty.
    pub fn take(&self, group: &mut Vec<Request>) -> bool {
        let mut state = self.state.lock();
        while state.waiting.is_empty() {
            if state.closed {
                return false;
            }
            state.writer_sleeps = true;
            self.wake.wait(&mut state);
        }
        state.writer_sleeps = false;
        let mut bytes = 0;
        while let Some(next) = state.waiting.front() {
            bytes += next.size_bytes;
            let alone = next.batch.alone;
            let full = group.len() == GROUP_BATCHES || bytes > GROUP_BYTES;
            if !group.is_empty() && (full || alone) {
                break;
            }
            group.extend(state.waiting.pop_front());
            if alone {
                break;
            }
        }
        true
    }

    /// Takes no more batches; those that wait are still to be taken.
    pub fn close(&self) {
        self.state.lock().closed = true;
        self.wake.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Keyspace;

    fn queue_of(sizes: &[usize]) -> Queue {
        let queue = Queue::default();
        for size in sizes {
            let mut batch = Batch::new();
            batch.put(Keyspace::Items, "k", vec![0; *size]);
            drop(queue.push(batch));
        }
        queue
    }

    #[test]
    fn a_batch_that_stands_alone_shares_no_group() {
        let queue = Queue::default();
        for alone in [false, false, true, true, false] {
            let mut batch = Batch::new();
            batch.put(Keyspace::Items, "k", "v");
            batch.alone = alone;
            drop(queue.push(batch));
        }
        queue.close();
        let (mut groups, mut group) = (vec![], vec![]);
        while queue.take(&mut group) {
            groups.push(group.len());
            group.clear();
        }
        assert_eq!(groups, [2, 1, 1, 1]);
    }

    #[test]
    fn groups_are_bounded_in_batches_and_bytes() {
        let mb = 1 << 20;
        let cases: [(Vec<usize>, Vec<usize>); 4] = [
            (vec![1; 300], vec![256, 44]),
            (vec![3 * mb; 5], vec![2, 2, 1]),
            (vec![20 * mb, 1, 1], vec![1, 2]),
            (vec![1, 20 * mb, 1], vec![1, 1, 1]),
        ];
        for (sizes, expected) in cases {
            let queue = queue_of(&sizes);
            queue.close();
            let mut groups = vec![];
            let mut group = vec![];
            while queue.take(&mut group) {
                groups.push(group.len());
                group.clear();
            }
            assert_eq!(groups, expected);
        }
    }
}

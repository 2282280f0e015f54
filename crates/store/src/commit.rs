//! The handle of a queued batch.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::sync::oneshot;

use crate::{OnDone, StoreError};

/// The mark of an acknowledged batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Committed {
    /// Rises by at least one from batch to batch, in commit order, as long as the store is open. When the store is
    /// opened again it goes on above all numbers that stand in the keys of [`Append`](crate::Append)s; others can
    /// come again.
    pub sequence: u64,
}

/// What becomes of a batch.
pub(crate) type Outcome = Result<Committed, StoreError>;

/// Makes the `on_done` calls of one batch. A call that panics harms nobody else.
pub(crate) fn tell(on_done: Vec<OnDone>, outcome: &Outcome) {
    for call in on_done {
        // The panic hook has reported it already.
        let _ = catch_unwind(AssertUnwindSafe(|| call(outcome)));
    }
}

/// A batch on its way: a future that resolves to its outcome, on any runtime.
///
/// Dropping it does not take the batch back.
#[must_use = "a batch is acknowledged only when its Commit has resolved to Ok"]
pub struct Commit(State);

enum State {
    Done(Option<Outcome>),
    Waiting(oneshot::Receiver<Outcome>),
}

impl Commit {
    /// A commit whose outcome is known already, for engines that need no queue.
    pub fn ready(outcome: Result<Committed, StoreError>) -> Self {
        Commit(State::Done(Some(outcome)))
    }

    /// A commit and the end through which its outcome is told. If that end is dropped untold, the outcome
    /// is [`StoreError::Unavailable`].
    pub fn pending() -> (oneshot::Sender<Result<Committed, StoreError>>, Self) {
        let (sender, receiver) = oneshot::channel();
        (sender, Commit(State::Waiting(receiver)))
    }

    /// Waits on this thread for the outcome. For tests and background threads; panics inside a runtime.
    ///
    /// # Errors
    /// Those of the batch; see [`StoreError`].
    pub fn wait(self) -> Result<Committed, StoreError> {
        match self.0 {
            State::Done(outcome) => outcome.unwrap_or_else(|| Err(gone())),
            State::Waiting(receiver) => receiver.blocking_recv().unwrap_or_else(|_| Err(gone())),
        }
    }
}

impl Future for Commit {
    type Output = Result<Committed, StoreError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            State::Done(outcome) => Poll::Ready(outcome.take().unwrap_or_else(|| Err(gone()))),
            State::Waiting(receiver) => {
                Pin::new(receiver).poll(context).map(|told| told.unwrap_or_else(|_| Err(gone())))
            }
        }
    }
}

/// The outcome when nobody is left to tell one. The batch may or may not have been written.
fn gone() -> StoreError {
    StoreError::Unavailable("the writer ended before it could tell the outcome".into())
}

//! The writer thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::background::Background;
use super::counters::Counters;
use super::database::Database;
use super::group::Group;
use super::queue::{Queue, Request};
use crate::StoreError;
use crate::commit::Outcome;
use crate::sequence::Sequence;

/// The one that writes: takes what waits, writes it as one, tells everybody, and so on.
pub(super) struct Writer {
    database: Arc<Database>,
    background: Arc<Background>,
    counters: Counters,
    sequence: Sequence,
    /// What every batch is answered after a write has failed.
    poison: Option<StoreError>,
}

impl Writer {
    pub fn new(database: Arc<Database>, background: Arc<Background>, sequence: Sequence) -> Self {
        Writer { database, background, counters: Counters::default(), sequence, poison: None }
    }

    /// Works until the queue is closed and empty.
    pub fn run(mut self, queue: &Queue) {
        let mut requests = Vec::new();
        while queue.take(&mut requests) {
            let outcomes = self.outcomes(&mut requests);
            for (request, outcome) in requests.drain(..).zip(outcomes) {
                request.answer(outcome);
            }
        }
    }

    /// Commits a group and says what became of each batch in it.
    fn outcomes(&mut self, requests: &mut [Request]) -> Vec<Outcome> {
        if let Some(poison) = &self.poison {
            return vec![Err(poison.clone()); requests.len()];
        }
        // A panic in the engine must not leave anybody waiting for an answer.
        let attempt = catch_unwind(AssertUnwindSafe(|| self.commit(requests)));
        let attempt = attempt.unwrap_or_else(|_| Err(StoreError::Unavailable("the writer panicked".into())));
        attempt.unwrap_or_else(|error| {
            self.poison = Some(StoreError::poisoned(&error));
            self.background.fail(error.clone());
            vec![Err(error); requests.len()]
        })
    }

    /// Fails as a whole when the group cannot be written; then nothing of it may be acknowledged, not even
    /// a failed check, which can rest on what an earlier batch of the group would have written.
    fn commit(&mut self, requests: &mut [Request]) -> Result<Vec<Outcome>, StoreError> {
        self.background.wait_for_room()?;
        let mut group = Group::new(&self.database, &mut self.counters, &mut self.sequence, requests);
        let mut staged = Vec::with_capacity(requests.len());
        for request in requests {
            match group.stage(&mut request.batch) {
                Err(error) if !error.concerns_one_batch() => return Err(error),
                outcome => staged.push(outcome),
            }
        }
        group.commit()?;
        Ok(staged)
    }
}

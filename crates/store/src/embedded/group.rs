//! Makes one commit out of a group of batches.

use std::collections::HashMap;

use bytes::Bytes;

use super::counters::Counters;
use super::database::Database;
use super::queue::Request;
use crate::batch::check_keys;
use crate::sequence::{Sequence, rows_of};
use crate::{Batch, Check, Committed, Keyspace, StoreError, Write};

/// A group in the making: batches are staged one after the other, each seeing those before it.
pub(super) struct Group<'a> {
    database: &'a Database,
    counters: &'a mut Counters,
    sequence: &'a mut Sequence,
    appends: bool,
    /// In order. Of several writes to one key the engine keeps the last.
    writes: Vec<Write>,
    /// What the group has written so far, for the checks of later batches in it. None when no batch of
    /// the group checks anything, which is the usual case.
    overlay: Option<HashMap<(Keyspace, Bytes), Option<Bytes>>>,
}

impl<'a> Group<'a> {
    /// Starts a group that will consist of `requests`.
    pub fn new(
        database: &'a Database,
        counters: &'a mut Counters,
        sequence: &'a mut Sequence,
        requests: &[Request],
    ) -> Self {
        let mut rows = 0;
        let mut checks = false;
        for request in requests {
            rows += request.batch.writes.len() + request.batch.appends.len();
            checks |= !request.batch.checks.is_empty();
            counters.expect(&request.batch);
        }
        let writes = Vec::with_capacity(rows + 1);
        Group { database, counters, sequence, appends: false, writes, overlay: checks.then(HashMap::new) }
    }

    /// Adds a batch, emptying it, or leaves the group as it was. Answers what the batch is to be told when the group is
    /// committed.
    ///
    /// # Errors
    /// A check that does not hold or a key that cannot be stored concern this batch alone. A failed read concerns the
    /// group: what stands behind it cannot be known.
    pub fn stage(&mut self, batch: &mut Batch) -> Result<Committed, StoreError> {
        check_keys(batch)?;
        self.check(&batch.checks)?;
        let database = self.database;
        self.counters.load(&batch.adds, |keyspace, key| database.get(keyspace, key))?;
        for write in batch.writes.drain(..) {
            self.write(write);
        }
        for add in batch.adds.drain(..) {
            self.counters.add(add);
        }
        let sequence = self.sequence.next();
        self.appends |= !batch.appends.is_empty();
        for row in rows_of(batch, sequence) {
            self.write(row);
        }
        Ok(Committed { sequence })
    }

    /// Writes the group. All of it is durable and visible on return, or nothing is acknowledged.
    pub fn commit(mut self) -> Result<(), StoreError> {
        if self.appends {
            self.writes.extend(self.sequence.reserve());
        }
        let counters = self.counters.finish_group();
        self.writes.extend(counters);
        // A group of nothing but failed checks has nothing to write, nor to wait for.
        if self.writes.is_empty() { Ok(()) } else { self.database.commit(self.writes) }
    }

    fn check(&self, checks: &[Check]) -> Result<(), StoreError> {
        for (index, check) in checks.iter().enumerate() {
            let holds = match check {
                Check::KeyAbsent { keyspace, key } => self.current(*keyspace, key)?.is_none(),
                Check::StillHolds { keyspace, key, value } => {
                    self.current(*keyspace, key)?.as_ref() == Some(value)
                }
            };
            if !holds {
                return Err(StoreError::Conflict { check: index });
            }
        }
        Ok(())
    }

    /// The value of a key after the batches staged so far.
    fn current(&self, keyspace: Keyspace, key: &Bytes) -> Result<Option<Bytes>, StoreError> {
        if let Some(row) = self.counters.current(keyspace, key) {
            return Ok(row);
        }
        let staged = self.overlay.as_ref().and_then(|overlay| overlay.get(&(keyspace, key.clone())));
        staged.map_or_else(|| self.database.get(keyspace, key), |value| Ok(value.clone()))
    }

    fn write(&mut self, write: Write) {
        if self.counters.concerns(write.keyspace()) {
            self.counters.note(&write);
        }
        if let Some(overlay) = &mut self.overlay {
            overlay.insert((write.keyspace(), write.key().clone()), write.value().cloned());
        }
        self.writes.push(write);
    }
}

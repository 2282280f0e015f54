//! Makes one batch of the engine out of a group of ours.

use std::collections::HashMap;

use bytes::Bytes;

use super::counters::Counters;
use super::queue::Request;
use super::tree::Tree;
use crate::batch::check_keys;
use crate::sequence::{Sequence, rows_of};
use crate::{Batch, Check, Committed, Keyspace, StoreError, Write};

/// A group in the making: batches are staged one after the other, each seeing those before it.
pub(super) struct Group<'a> {
    tree: &'a Tree,
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
        tree: &'a Tree,
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
        Group { tree, counters, sequence, appends: false, writes, overlay: checks.then(HashMap::new) }
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
        let tree = self.tree;
        self.counters.load(&batch.adds, |keyspace, key| tree.get(keyspace, key))?;
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
        // A group of nothing but failed checks has nothing to write, nor to wait for.
        if self.writes.is_empty() && counters.is_empty() {
            return Ok(());
        }
        let mut batch = self.tree.batch(self.writes.len() + counters.len());
        let mut items = Vec::with_capacity(self.writes.len());
        for write in self.writes.into_iter().chain(counters) {
            match write {
                Write::Put { keyspace, key, value } => {
                    self.tree.count_row(key.len() + value.len());
                    if keyspace == Keyspace::Items {
                        items.push((key.clone(), Some(value.clone())));
                    }
                    batch.insert(self.tree.keyspace(keyspace)?, key, value);
                }
                Write::Delete { keyspace, key } => {
                    self.tree.count_row(key.len());
                    if keyspace == Keyspace::Items {
                        items.push((key.clone(), None));
                    }
                    batch.remove(self.tree.keyspace(keyspace)?, key);
                }
            }
        }
        self.tree.commit(batch, items)
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
        staged.map_or_else(|| self.tree.get(keyspace, key), |value| Ok(value.clone()))
    }

    fn write(&mut self, write: Write) {
        let (Write::Put { keyspace, key, .. } | Write::Delete { keyspace, key }) = &write;
        if self.counters.concerns(*keyspace) {
            self.counters.note(&write);
        }
        if let Some(overlay) = &mut self.overlay {
            let value = match &write {
                Write::Put { value, .. } => Some(value.clone()),
                Write::Delete { .. } => None,
            };
            overlay.insert((*keyspace, key.clone()), value);
        }
        self.writes.push(write);
    }
}

//! A batch: the one unit that a store applies whole or not at all.

use std::fmt;

use bytes::Bytes;

use crate::{Committed, Keyspace, StoreError};

/// A call that learns what became of a batch; see [`Batch::on_done`].
pub type OnDone = Box<dyn FnOnce(&Result<Committed, StoreError>) + Send>;

/// One atomic unit of change.
///
/// The parts take effect in this order: all `checks`, then `writes` in their order, then `adds`.
#[derive(Default)]
pub struct Batch {
    /// What must hold when the batch's turn comes, else nothing of it is applied and the outcome is
    /// [`StoreError::Conflict`]. They see all batches that were queued earlier.
    pub checks: Vec<Check>,
    /// Puts and deletes. Of several writes to one key the last one stays.
    pub writes: Vec<Write>,
    /// Changes to counters. A counter that a batch adds to must not be among its `writes`.
    pub adds: Vec<Add>,
    /// Called exactly once each, in this order, with the outcome: in the order of the queue, before the
    /// [`Commit`](crate::Commit) resolves, also when the store failed or was closed.
    ///
    /// They run on the store's own thread or, in the memory engine, inside a call of `commit`: short work in
    /// memory only. They may commit, but not wait for it. A panic in one is caught and does not reach the others.
    pub on_done: Vec<OnDone>,
    /// Whether the batch is committed by itself: a snapshot that an `on_done` call takes then holds this batch and
    /// all before it, and nothing after it.
    pub alone: bool,
}

/// A condition on one key, for batches that rest on what was read before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// The key has no value.
    KeyAbsent {
        /// Where the key is looked up.
        keyspace: Keyspace,
        /// The key.
        key: Bytes,
    },
    /// The key still has exactly this value.
    StillHolds {
        /// Where the key is looked up.
        keyspace: Keyspace,
        /// The key.
        key: Bytes,
        /// The value it must have.
        value: Bytes,
    },
}

/// One change of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Sets the value, whether or not there was one.
    Put {
        /// Where the key lives.
        keyspace: Keyspace,
        /// The key, 1 to 65,535 bytes.
        key: Bytes,
        /// The value.
        value: Bytes,
    },
    /// Removes the key, if it is there.
    Delete {
        /// Where the key lives.
        keyspace: Keyspace,
        /// The key, 1 to 65,535 bytes.
        key: Bytes,
    },
}

/// A change to a pair of counters, without reading it first.
///
/// The row holds two signed 64-bit numbers ([`encode_pair`](crate::encode_pair)); an absent row is `[0, 0]`, and
/// a row that becomes `[0, 0]` is removed. The store adds up all changes that it commits together and writes
/// each touched row once, so a counter that every request touches costs neither a read nor a row for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Add {
    /// Where the row lives.
    pub keyspace: Keyspace,
    /// Key of the row, 1 to 65,535 bytes.
    pub key: Bytes,
    /// What is added to the first and to the second number. Sums wrap around at the 64-bit limits.
    pub deltas: [i64; 2],
}

impl Batch {
    /// An empty batch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a put.
    pub fn put(&mut self, keyspace: Keyspace, key: impl Into<Bytes>, value: impl Into<Bytes>) -> &mut Self {
        self.writes.push(Write::Put { keyspace, key: key.into(), value: value.into() });
        self
    }

    /// Appends a delete.
    pub fn delete(&mut self, keyspace: Keyspace, key: impl Into<Bytes>) -> &mut Self {
        self.writes.push(Write::Delete { keyspace, key: key.into() });
        self
    }

    /// Appends a change to a pair of counters.
    pub fn add(&mut self, keyspace: Keyspace, key: impl Into<Bytes>, deltas: [i64; 2]) -> &mut Self {
        self.adds.push(Add { keyspace, key: key.into(), deltas });
        self
    }

    /// Appends the condition that a key is absent.
    pub fn check_absent(&mut self, keyspace: Keyspace, key: impl Into<Bytes>) -> &mut Self {
        self.checks.push(Check::KeyAbsent { keyspace, key: key.into() });
        self
    }

    /// Appends the condition that a key still has this value.
    pub fn check_holds(
        &mut self,
        keyspace: Keyspace,
        key: impl Into<Bytes>,
        value: impl Into<Bytes>,
    ) -> &mut Self {
        self.checks.push(Check::StillHolds { keyspace, key: key.into(), value: value.into() });
        self
    }

    /// Appends a call that learns the outcome; see [`on_done`](Batch::on_done).
    pub fn when_done(
        &mut self,
        call: impl FnOnce(&Result<Committed, StoreError>) + Send + 'static,
    ) -> &mut Self {
        self.on_done.push(Box::new(call));
        self
    }

    /// Whether nothing would be checked or changed. Such a batch still takes its turn in the queue.
    pub fn is_empty(&self) -> bool {
        self.checks.is_empty() && self.writes.is_empty() && self.adds.is_empty()
    }

    /// Bytes of all keys and values to write.
    pub fn size_bytes(&self) -> usize {
        let writes = self.writes.iter().map(|write| match write {
            Write::Put { key, value, .. } => key.len() + value.len(),
            Write::Delete { key, .. } => key.len(),
        });
        writes.sum::<usize>() + self.adds.iter().map(|add| add.key.len() + 16).sum::<usize>()
    }
}

/// The longest key that a store takes, in bytes.
pub const MAX_KEY_BYTES: usize = u16::MAX as usize;

/// Refuses what no engine can store, before any of it is applied.
pub(crate) fn check_keys(batch: &Batch) -> Result<(), StoreError> {
    let written = batch.writes.iter().map(|write| match write {
        Write::Put { key, .. } | Write::Delete { key, .. } => key,
    });
    for key in written.chain(batch.adds.iter().map(|add| &add.key)) {
        if key.is_empty() || key.len() > MAX_KEY_BYTES {
            let text = format!("a key has {} bytes, and must have 1 to {MAX_KEY_BYTES}", key.len());
            return Err(StoreError::Invalid(text.into()));
        }
    }
    Ok(())
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("checks", &self.checks)
            .field("writes", &self.writes)
            .field("adds", &self.adds)
            .field("on_done", &self.on_done.len())
            .finish()
    }
}

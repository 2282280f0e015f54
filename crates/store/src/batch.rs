//! A batch: the one unit that a store applies whole or not at all.

use std::fmt;

use bytes::Bytes;

use crate::{Committed, Keyspace, StoreError};

/// A call that learns what became of a batch; see [`Batch::on_done`].
pub type OnDone = Box<dyn FnOnce(&Result<Committed, StoreError>) + Send>;

/// One atomic unit of change.
///
/// The parts take effect in this order: all `checks`, then `writes` in their order, then `adds`, then `appends`.
#[derive(Default)]
pub struct Batch {
    /// What must hold when the batch's turn comes, else nothing of it is applied and the outcome is
    /// [`StoreError::Conflict`]. They see all batches that were queued earlier.
    pub checks: Vec<Check>,
    /// Puts and deletes. Of several writes to one key the last one stays.
    pub writes: Vec<Write>,
    /// Changes to counters. A counter that a batch adds to must not be among its `writes`.
    pub adds: Vec<Add>,
    /// Rows whose keys the store makes. A batch has at most 2³² of them.
    pub appends: Vec<Append>,
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

impl Write {
    /// Where the key lives.
    pub fn keyspace(&self) -> Keyspace {
        let (Write::Put { keyspace, .. } | Write::Delete { keyspace, .. }) = self;
        *keyspace
    }

    /// The key.
    pub fn key(&self) -> &Bytes {
        let (Write::Put { key, .. } | Write::Delete { key, .. }) = self;
        key
    }

    /// What becomes of the key: its value, or `None` when it goes.
    pub fn value(&self) -> Option<&Bytes> {
        match self {
            Write::Put { value, .. } => Some(value),
            Write::Delete { .. } => None,
        }
    }

    /// Bytes of key and value.
    pub fn size_bytes(&self) -> usize {
        self.key().len() + self.value().map_or(0, Bytes::len)
    }
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

/// A new row whose key says when it was committed: `prefix`, then the batch's place in the order of all commits, then
/// the row's place among the appends of its batch ([`Appended`]).
///
/// So rows of one prefix lie in the order of their commits, and a reader that goes from key to key misses none: what
/// commits later gets a higher key, whoever began first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Append {
    /// Where the row lives. Its other rows, if any, must not end as an appended key does.
    pub keyspace: Keyspace,
    /// What the key begins with, up to 65,523 bytes.
    pub prefix: Bytes,
    /// The value.
    pub value: Bytes,
}

/// Where an appended row stands in the order of all commits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Appended {
    /// That of the batch: [`Committed::sequence`], from 1.
    pub sequence: u64,
    /// The place within the batch, from 0.
    pub place: u32,
}

impl Appended {
    /// How many bytes an appended key has behind its prefix.
    pub const BYTES: usize = 12;

    /// The key of the row below `prefix`.
    pub fn key(self, prefix: &[u8]) -> Vec<u8> {
        [prefix, &self.sequence.to_be_bytes(), &self.place.to_be_bytes()].concat()
    }

    /// Where the row of a key stands. `None` for a key that is too short to be an appended one.
    pub fn of_key(key: &[u8]) -> Option<Appended> {
        let (_, end) = key.split_last_chunk::<{ Appended::BYTES }>()?;
        let number = |bytes: &[u8]| bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        Some(Appended { sequence: number(&end[..8]), place: number(&end[8..]) as u32 })
    }
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

    /// Appends a row whose key the store makes; see [`Append`].
    pub fn append(
        &mut self,
        keyspace: Keyspace,
        prefix: impl Into<Bytes>,
        value: impl Into<Bytes>,
    ) -> &mut Self {
        self.appends.push(Append { keyspace, prefix: prefix.into(), value: value.into() });
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
        self.checks.is_empty() && self.writes.is_empty() && self.adds.is_empty() && self.appends.is_empty()
    }

    /// Bytes of all keys and values to write.
    pub fn size_bytes(&self) -> usize {
        let writes = self.writes.iter().map(Write::size_bytes);
        let adds = self.adds.iter().map(|add| add.key.len() + 16);
        let appends = self.appends.iter().map(|row| row.prefix.len() + Appended::BYTES + row.value.len());
        writes.chain(adds).chain(appends).sum()
    }
}

/// The longest key that a store takes, in bytes.
pub const MAX_KEY_BYTES: usize = u16::MAX as usize;

/// Refuses what no engine can store, before any of it is applied.
pub(crate) fn check_keys(batch: &Batch) -> Result<(), StoreError> {
    let written = batch.writes.iter().map(Write::key);
    let added = batch.adds.iter().map(|add| &add.key);
    let appended = batch.appends.iter().map(|row| row.prefix.len() + Appended::BYTES);
    for bytes in written.chain(added).map(Bytes::len).chain(appended) {
        if bytes == 0 || bytes > MAX_KEY_BYTES {
            let text = format!("a key has {bytes} bytes, and must have 1 to {MAX_KEY_BYTES}");
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
            .field("appends", &self.appends)
            .field("on_done", &self.on_done.len())
            .finish()
    }
}

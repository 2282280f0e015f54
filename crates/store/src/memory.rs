//! The memory engine: sorted maps that share their nodes with every snapshot of them.

use std::ops::{Bound, ControlFlow};
use std::path::Path;
use std::sync::OnceLock;

use bytes::Bytes;
use imbl::OrdMap;
use parking_lot::RwLock;

use crate::batch::check_keys;
use crate::commit::Outcome;
use crate::line::Line;
use crate::pair::{row_of, sum};
use crate::range::is_empty_range;
use crate::sequence::{Sequence, rows_of};
use crate::{
    Add, Batch, Check, Commit, Committed, Direction, Keyspace, Snapshot, Store, StoreError, StoreInfo, Write,
    decode_pair,
};

/// A store that lives as long as its process.
///
/// The thread that calls [`commit`](Store::commit) applies the batch itself, so its [`Commit`] is resolved at once,
/// unless another thread is at it: that one then goes on with this batch. A snapshot is a copy of a pointer for each
/// keyspace; while it lives, writers copy the nodes that they change. A read waits at most for the changes of
/// one batch in memory.
#[derive(Default)]
pub struct MemoryStore {
    line: Line,
    maps: RwLock<Maps>,
    /// What every batch is answered, once the store is closed or a batch has failed for a reason beyond itself.
    stopped: OnceLock<StoreError>,
}

#[derive(Clone, Default)]
struct Maps {
    keyspaces: [OrdMap<Bytes, Bytes>; Keyspace::COUNT],
    size_bytes: u64,
    sequence: Sequence,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// A second store with the same content, independent from now on. Takes no time: both share what
    /// neither has changed yet.
    pub fn fork(&self) -> Self {
        MemoryStore { maps: RwLock::new(self.maps.read().clone()), ..Self::default() }
    }

    fn apply(&self, batch: Batch) -> Outcome {
        if let Some(reason) = self.stopped.get() {
            return Err(reason.clone());
        }
        let applied = self.maps.write().apply(batch);
        if let Err(error) = &applied
            && !error.concerns_one_batch()
        {
            let _ = self.stopped.set(StoreError::poisoned(error));
        }
        applied
    }
}

impl Store for MemoryStore {
    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        Ok(self.maps.read().get(keyspace, key).cloned())
    }

    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        Ok(Box::new(self.maps.read().clone()))
    }

    fn commit(&self, batch: Batch) -> Commit {
        self.line.commit(batch, |batch| self.apply(batch))
    }

    fn info(&self) -> StoreInfo {
        StoreInfo {
            engine: "memory",
            durable: false,
            shared_by_several: false,
            format_version: 0,
            data_dir: None,
            disk_bytes: self.maps.read().size_bytes,
            failure: self.stopped.get().map(StoreError::to_string),
        }
    }

    /// Writes a folder that opens as an [`EmbeddedStore`](crate::EmbeddedStore).
    fn checkpoint(&self, to: &Path) -> Result<(), StoreError> {
        crate::embedded::write_checkpoint(&*self.snapshot()?, to)
    }

    fn close(&self) -> Result<(), StoreError> {
        let _ = self.stopped.set(StoreError::closed());
        Ok(())
    }
}

impl Maps {
    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Option<&Bytes> {
        self.keyspaces[keyspace.index()].get(key)
    }

    /// Applies a batch whole, or leaves everything as it is.
    fn apply(&mut self, mut batch: Batch) -> Outcome {
        check_keys(&batch)?;
        self.check(&batch.checks)?;
        for add in &batch.adds {
            decode_pair(self.get(add.keyspace, &add.key).map(|row| &row[..]))?;
        }
        for write in batch.writes.drain(..) {
            self.write(write);
        }
        batch.adds.drain(..).try_for_each(|add| self.add(add))?;
        let sequence = self.sequence.next();
        if !batch.appends.is_empty() {
            self.sequence.reserve().into_iter().for_each(|write| self.write(write));
        }
        for row in rows_of(&mut batch, sequence) {
            self.write(row);
        }
        Ok(Committed { sequence })
    }

    fn write(&mut self, write: Write) {
        match write {
            Write::Put { keyspace, key, value } => self.put(keyspace, key, value),
            Write::Delete { keyspace, key } => self.delete(keyspace, &key),
        }
    }

    fn check(&self, checks: &[Check]) -> Result<(), StoreError> {
        let failed = checks.iter().position(|check| match check {
            Check::KeyAbsent { keyspace, key } => self.get(*keyspace, key).is_some(),
            Check::StillHolds { keyspace, key, value } => self.get(*keyspace, key) != Some(value),
        });
        failed.map_or(Ok(()), |check| Err(StoreError::Conflict { check }))
    }

    fn add(&mut self, add: Add) -> Result<(), StoreError> {
        let pair = decode_pair(self.get(add.keyspace, &add.key).map(|row| &row[..]))?;
        match row_of(sum(pair, add.deltas)) {
            Some(row) => self.put(add.keyspace, add.key, row),
            None => self.delete(add.keyspace, &add.key),
        }
        Ok(())
    }

    fn put(&mut self, keyspace: Keyspace, key: Bytes, value: Bytes) {
        self.size_bytes += (key.len() + value.len()) as u64;
        let key_bytes = key.len();
        if let Some(old) = self.keyspaces[keyspace.index()].insert(key, value) {
            self.size_bytes -= (key_bytes + old.len()) as u64;
        }
    }

    fn delete(&mut self, keyspace: Keyspace, key: &Bytes) {
        if let Some(old) = self.keyspaces[keyspace.index()].remove(key) {
            self.size_bytes -= (key.len() + old.len()) as u64;
        }
    }
}

impl Snapshot for Maps {
    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        Ok(Maps::get(self, keyspace, key).cloned())
    }

    fn range(
        &self,
        keyspace: Keyspace,
        start: Bound<&[u8]>,
        end: Bound<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &Bytes) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        if is_empty_range(start, end) {
            return Ok(());
        }
        let mut rows = self.keyspaces[keyspace.index()].range::<_, [u8]>((start, end));
        while let Some((key, value)) = match direction {
            Direction::Forward => rows.next(),
            Direction::Reverse => rows.next_back(),
        } {
            if visit(key, value).is_break() {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_follows_the_content() {
        let store = MemoryStore::new();
        let commit = |batch: Batch| -> Outcome { store.commit(batch).wait() };
        let mut batch = Batch::new();
        batch.put(Keyspace::Items, "key", "value").put(Keyspace::Items, "key", "val");
        batch.put(Keyspace::Streams, "a", "b").add(Keyspace::Counters, "c", [1, 2]);
        commit(batch).unwrap();
        assert_eq!(store.info().disk_bytes, 6 + 2 + 17);
        let mut batch = Batch::new();
        batch.delete(Keyspace::Items, "key").delete(Keyspace::Items, "other");
        batch.delete(Keyspace::Streams, "a").add(Keyspace::Counters, "c", [-1, -2]);
        commit(batch).unwrap();
        assert_eq!(store.info().disk_bytes, 0);
    }

    #[test]
    fn a_fork_goes_its_own_way() {
        let store = MemoryStore::new();
        store.commit(std::mem::take(Batch::new().put(Keyspace::Items, "a", "1"))).wait().unwrap();
        let fork = store.fork();
        store.commit(std::mem::take(Batch::new().put(Keyspace::Items, "a", "2"))).wait().unwrap();
        assert_eq!(fork.get(Keyspace::Items, b"a").unwrap().unwrap(), "1");
        assert_eq!(store.get(Keyspace::Items, b"a").unwrap().unwrap(), "2");
    }
}

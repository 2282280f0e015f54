//! Rows that are read by key again and again, each in one piece of memory.
//!
//! To find a row in memtables and tables takes more than the rest of a read by key, so rows that were read once are kept.
//! Ranges are read past this cache, and rows that are only written do not enter it.
//!
//! # What is kept is what the view shows
//! Every key has one of a number of slots, which counts the changes of its keys. The writer holds the slots of the keys
//! that it has changed while it publishes the new view, and for that time their rows are absent here: nobody sees a row
//! before or after the rest of its batch. A reader that has missed keeps the row that it found in the view only when the
//! count is the same as before it looked.

use std::hash::BuildHasher;

use bytes::Bytes;
use foldhash::fast::RandomState;
use parking_lot::{Mutex, MutexGuard};
use quick_cache::Weighter;
use quick_cache::sync::{Cache, DefaultLifecycle};

use crate::StoreError;

/// More than the keys of a usual group, so that a reader seldom finds its slot held. A power of two.
const SLOTS: usize = 1024;
/// What a row takes beside its bytes, about.
const ENTRY_BYTES: u64 = 128;
/// The size of items that the cache is prepared for.
const USUAL_ROW_BYTES: u64 = 1024;

/// A change of a row: what it becomes, or `None` when it goes.
pub(super) type RowChange = (Bytes, Option<Bytes>);

/// The rows of one keyspace that are kept.
pub(super) struct RowCache {
    /// `None` while the row is being changed.
    rows: Cache<Bytes, Option<Bytes>, RowWeight, RandomState>,
    slots: Box<[Mutex<u64>]>,
    hasher: RandomState,
}

#[derive(Clone)]
struct RowWeight;

impl Weighter<Bytes, Option<Bytes>> for RowWeight {
    fn weight(&self, key: &Bytes, row: &Option<Bytes>) -> u64 {
        ENTRY_BYTES + (key.len() + row.as_ref().map_or(0, Bytes::len)) as u64
    }
}

impl RowCache {
    /// Keeps about `bytes` of rows.
    pub fn new(bytes: u64) -> Self {
        let hasher = RandomState::default();
        let items = (bytes / USUAL_ROW_BYTES) as usize;
        RowCache {
            rows: Cache::with(items, bytes, RowWeight, hasher.clone(), DefaultLifecycle::default()),
            slots: (0..SLOTS).map(|_| Mutex::default()).collect(),
            hasher,
        }
    }

    /// The row of a key; when it is not here, what `read` finds in the view.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn get(
        &self,
        key: &[u8],
        read: impl FnOnce() -> Result<Option<Bytes>, StoreError>,
    ) -> Result<Option<Bytes>, StoreError> {
        if let Some(Some(row)) = self.rows.get(key) {
            return Ok(Some(row));
        }
        let slot = &self.slots[self.slot_of(key)];
        let before = slot.try_lock().map(|changes| *changes);
        let found = read()?;
        if let (Some(before), Some(row)) = (before, &found)
            && let Some(changes) = slot.try_lock()
            && *changes == before
        {
            // Copied, because the row that was found may be a part of a whole block.
            self.rows.insert(Bytes::copy_from_slice(key), Some(Bytes::copy_from_slice(row)));
        }
        Ok(found)
    }

    /// Lets readers see these changes: here, and by `publish` in the view. For the writer alone.
    pub fn publish(&self, changes: Vec<RowChange>, publish: impl FnOnce()) {
        let mut slots: Vec<usize> = changes.iter().map(|(key, _)| self.slot_of(key)).collect();
        slots.sort_unstable();
        slots.dedup();
        let mut held: Vec<MutexGuard<'_, u64>> = slots.into_iter().map(|at| self.slots[at].lock()).collect();
        held.iter_mut().for_each(|changes| **changes += 1);
        let is_kept = |(key, _): &RowChange| self.rows.replace(key.clone(), None, true).is_ok();
        let kept: Vec<RowChange> = changes.into_iter().filter(is_kept).collect();
        publish();
        for (key, row) in kept {
            match row {
                // It may have been evicted meanwhile.
                Some(row) => drop(self.rows.replace(key, Some(row), true)),
                None => drop(self.rows.remove(&key)),
            }
        }
    }

    fn slot_of(&self, key: &[u8]) -> usize {
        self.hasher.hash_one(key) as usize % SLOTS
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    fn bytes(number: u64) -> Option<Bytes> {
        Some(Bytes::copy_from_slice(&number.to_be_bytes()))
    }

    fn never() -> Result<Option<Bytes>, StoreError> {
        panic!("the row is here")
    }

    #[test]
    fn a_row_that_was_read_is_here_until_it_is_deleted() {
        let cache = RowCache::new(1 << 20);
        let key = Bytes::from_static(b"key");
        assert_eq!(cache.get(&key, || Ok(bytes(1))).unwrap(), bytes(1));
        assert_eq!(cache.get(&key, never).unwrap(), bytes(1));
        cache.publish(vec![(key.clone(), bytes(2)), (key.clone(), bytes(3))], || {
            assert_eq!(cache.get(&key, || Ok(bytes(1))).unwrap(), bytes(1), "as in the view");
        });
        assert_eq!(cache.get(&key, never).unwrap(), bytes(3));
        cache.publish(vec![(key.clone(), None)], || ());
        assert_eq!(cache.get(&key, || Ok(None)).unwrap(), None);
        cache.publish(vec![(key.clone(), bytes(4))], || ());
        assert_eq!(cache.get(&key, || Ok(bytes(5))).unwrap(), bytes(5), "what is only written is not kept");
    }

    #[test]
    fn a_row_that_was_read_before_it_changed_is_not_kept() {
        let cache = RowCache::new(1 << 20);
        let key = Bytes::from_static(b"key");
        let read = || {
            cache.publish(vec![(key.clone(), bytes(2))], || ());
            Ok(bytes(1))
        };
        assert_eq!(cache.get(&key, read).unwrap(), bytes(1));
        assert_eq!(cache.get(&key, || Ok(bytes(2))).unwrap(), bytes(2));
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let cache = RowCache::new(1 << 20);
        for number in 0..10_000u64 {
            let row = || Ok(Some(Bytes::from(vec![0; 1000])));
            cache.get(&number.to_be_bytes(), row).unwrap();
        }
        assert!(cache.rows.weight() <= 1 << 20, "{}", cache.rows.weight());
        assert!(cache.rows.len() > 500, "{}", cache.rows.len());
    }

    #[test]
    fn readers_never_see_a_row_go_back() {
        let cache = RowCache::new(1 << 20);
        let view = AtomicU64::new(0);
        let key = Bytes::from_static(b"key");
        let look = || {
            let row = cache.get(&key, || Ok(bytes(view.load(Ordering::SeqCst)))).unwrap().unwrap();
            u64::from_be_bytes(row[..].try_into().unwrap())
        };
        const CHANGES: u64 = 20_000;
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let mut last = 0;
                    while last < CHANGES {
                        let published = view.load(Ordering::SeqCst);
                        let seen = look();
                        assert!(seen >= last.max(published), "{seen} after {last}, {published} was out");
                        last = seen;
                    }
                });
            }
            for number in 1..=CHANGES {
                cache.publish(vec![(key.clone(), bytes(number))], || view.store(number, Ordering::SeqCst));
            }
        });
    }
}

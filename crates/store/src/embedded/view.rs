//! What readers see.

use std::collections::VecDeque;
use std::ops::{Bound, ControlFlow};
use std::sync::{Arc, OnceLock, Weak};

use bytes::Bytes;
use lsm_tree::{AbstractTree, AnyTree, Guard, SeqNo};
use parking_lot::Mutex;

use super::database::store_error;
use crate::range::is_empty_range;
use crate::{Direction, Keyspace, MAX_KEY_BYTES, Snapshot, StoreError};

/// The trees of the keyspaces that exist.
pub(super) type Trees = Arc<[Option<AnyTree>; Keyspace::COUNT]>;

pub(super) fn trees(open: &[OnceLock<AnyTree>; Keyspace::COUNT]) -> Trees {
    Arc::new(std::array::from_fn(|index| open[index].get().cloned()))
}

/// Everything that was committed at one moment.
pub(super) struct View {
    /// What has a lower number is seen.
    pub seqno: SeqNo,
    pub trees: Trees,
}

impl View {
    pub fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        let Some(tree) = &self.trees[keyspace.index()] else { return Ok(None) };
        if key.len() > MAX_KEY_BYTES {
            return Ok(None);
        }
        Ok(tree.get(key, self.seqno).map_err(store_error)?.map(Bytes::from))
    }
}

impl Snapshot for Arc<View> {
    fn get(&self, keyspace: Keyspace, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        View::get(self, keyspace, key)
    }

    fn range(
        &self,
        keyspace: Keyspace,
        start: Bound<&[u8]>,
        end: Bound<&[u8]>,
        direction: Direction,
        visit: &mut dyn FnMut(&[u8], &Bytes) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let Some(tree) = &self.trees[keyspace.index()] else { return Ok(()) };
        if is_empty_range(start, end) {
            return Ok(());
        }
        let bounds = (shorten(start, Bound::Excluded), shorten(end, Bound::Included));
        let mut rows = tree.range::<&[u8], _>(bounds, self.seqno, None);
        while let Some(row) = match direction {
            Direction::Forward => rows.next(),
            Direction::Reverse => rows.next_back(),
        } {
            let (key, value) = row.into_inner().map_err(store_error)?;
            if visit(&key, &Bytes::from(value)).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// The engine panics when it is asked for keys that are longer than it can store. No stored key lies
/// between such a bound and its first [`MAX_KEY_BYTES`] bytes, but one may equal these.
fn shorten<'a>(bound: Bound<&'a [u8]>, cut: fn(&'a [u8]) -> Bound<&'a [u8]>) -> Bound<&'a [u8]> {
    match bound {
        Bound::Included(key) | Bound::Excluded(key) if key.len() > MAX_KEY_BYTES => {
            cut(&key[..MAX_KEY_BYTES])
        }
        bound => bound,
    }
}

/// The views that somebody may still read from, oldest first.
#[derive(Default)]
pub(super) struct Views(Mutex<VecDeque<(SeqNo, Weak<View>)>>);

impl Views {
    /// Adds the newest.
    pub fn push(&self, view: &Arc<View>) {
        let mut views = self.0.lock();
        drop_unused(&mut views);
        if views.len() == views.capacity() {
            // One that is read from for long keeps those behind it in the list.
            views.retain(|(_, view)| view.strong_count() > 0);
        }
        views.push_back((view.seqno, Arc::downgrade(view)));
    }

    /// The number of the oldest. The newest is always in use.
    pub fn oldest(&self) -> SeqNo {
        let mut views = self.0.lock();
        drop_unused(&mut views);
        views.front().map_or(0, |(seqno, _)| *seqno)
    }
}

fn drop_unused(views: &mut VecDeque<(SeqNo, Weak<View>)>) {
    while views.front().is_some_and(|(_, view)| view.strong_count() == 0) {
        views.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_that_is_read_from_for_long_is_the_oldest_and_keeps_no_others() {
        let views = Views::default();
        let view = |seqno| Arc::new(View { seqno, trees: Arc::default() });
        let oldest = view(1);
        views.push(&oldest);
        for seqno in 2..10_000 {
            views.push(&view(seqno));
        }
        let newest = view(10_000);
        views.push(&newest);
        assert_eq!(views.oldest(), 1);
        assert!(views.0.lock().len() < 10, "{}", views.0.lock().len());
        drop(oldest);
        assert_eq!(views.oldest(), 10_000);
    }
}

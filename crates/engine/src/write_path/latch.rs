//! Latches: one writer at a time for each item, and what it has queued.
//!
//! A latch is held while a write reads the old image, decides, and joins the store's queue; never while the disk
//! works. The image that a write has queued is kept beside the latch until it is committed, so that the next
//! writer of the item builds on it without waiting: a key that everybody updates is limited by the processor, not
//! by the disk's sync. Because the store commits in the order of the queue, and a failed commit fails all that
//! follow, an image that was built on can never be lost while its successor stays.
//!
//! # Transactions in progress
//! Whoever takes the latch of an item of a write transaction between its queueing and its being durable meets it: the
//! keys of such transactions, those that are only checked included, are kept beside the latch too. Others do not wait
//! for it, as on AWS: they are told of a conflict, see [`Held::in_transaction`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use dynamometer_types::key::partition_hash;
use foldhash::HashMap;
use parking_lot::{Mutex, MutexGuard};

/// More stripes than writers, so that two keys seldom share one. A power of two.
const STRIPES: usize = 1024;

/// All latches of an engine.
pub(crate) struct Latches {
    stripes: Box<[Mutex<Stripe>]>,
}

/// The queued images of the keys that share a latch.
#[derive(Default)]
struct Stripe {
    queued: HashMap<Bytes, Queued>,
    /// The keys of write transactions in progress.
    transactions: HashMap<Bytes, Done>,
}

/// The image of a key that waits for its commit; `None` when the key was deleted.
struct Queued {
    image: Option<Bytes>,
    done: Done,
}

/// Whether a batch is committed (or has failed); set by the store, read under the latch.
#[derive(Clone, Default)]
pub(crate) struct Done(Arc<AtomicBool>);

impl Done {
    /// The batch left the queue: its rows are in the store, or the store is out of service.
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The latches of some keys, held.
pub(crate) struct Held<'a> {
    /// Stripe numbers, ascending, with their guards.
    guards: Vec<(usize, MutexGuard<'a, Stripe>)>,
}

impl Latches {
    pub(crate) fn new() -> Latches {
        Latches { stripes: (0..STRIPES).map(|_| Mutex::default()).collect() }
    }

    /// Takes the latches of keys, in one order for all, so that no two writers wait for each other.
    pub(crate) fn hold<'k>(&self, keys: impl Iterator<Item = &'k Bytes>) -> Held<'_> {
        let mut stripes: Vec<usize> = keys.map(|key| stripe_of(key)).collect();
        stripes.sort_unstable();
        stripes.dedup();
        Held { guards: stripes.into_iter().map(|at| (at, self.stripes[at].lock())).collect() }
    }

    /// Takes all latches: nobody is between reading an image and joining the queue.
    pub(crate) fn hold_all(&self) -> Held<'_> {
        Held { guards: self.stripes.iter().map(Mutex::lock).enumerate().collect() }
    }

    /// Waits until every writer that holds a latch now has joined the queue or given up.
    pub(crate) fn pass_all(&self) {
        for stripe in &self.stripes {
            drop(stripe.lock());
        }
    }

    /// Forgets the images of a batch that is done.
    pub(crate) fn forget<'k>(&self, keys: impl Iterator<Item = &'k Bytes>, done: &Done) {
        for key in keys {
            let stripe = &mut *self.stripes[stripe_of(key)].lock();
            if stripe.queued.get(key).is_some_and(|queued| Arc::ptr_eq(&queued.done.0, &done.0)) {
                stripe.queued.remove(key);
            }
            if stripe.transactions.get(key).is_some_and(|mark| Arc::ptr_eq(&mark.0, &done.0)) {
                stripe.transactions.remove(key);
            }
        }
    }
}

impl Held<'_> {
    /// The image that is queued for a key: `None` when none is, `Some(None)` when its deletion is.
    pub(crate) fn queued(&self, key: &Bytes) -> Option<Option<Bytes>> {
        let queued = self.stripe(key).queued.get(key)?;
        (!queued.done.is_set()).then(|| queued.image.clone())
    }

    /// Whether a write transaction with this key is in progress.
    pub(crate) fn in_transaction(&self, key: &Bytes) -> bool {
        let transactions = &self.stripe(key).transactions;
        !transactions.is_empty() && transactions.get(key).is_some_and(|done| !done.is_set())
    }

    /// Marks a key as part of a write transaction that has joined the queue.
    pub(crate) fn enter_transaction(&mut self, key: &Bytes, done: &Done) {
        let at = self.position(key);
        let transactions = &mut self.guards[at].1.transactions;
        // As with images.
        transactions.retain(|_, done| !done.is_set());
        transactions.insert(key.clone(), done.clone());
    }

    /// Remembers an image that has joined the queue.
    pub(crate) fn remember(&mut self, key: &Bytes, image: Option<Bytes>, done: &Done) {
        let at = self.position(key);
        let queued = &mut self.guards[at].1.queued;
        // A caller that went away leaves its images behind, which may be large. There are few in a stripe: to look costs
        // next to nothing.
        queued.retain(|_, image| !image.done.is_set());
        queued.insert(key.clone(), Queued { image, done: done.clone() });
    }

    fn stripe(&self, key: &Bytes) -> &Stripe {
        &self.guards[self.position(key)].1
    }

    fn position(&self, key: &Bytes) -> usize {
        let stripe = stripe_of(key);
        self.guards
            .binary_search_by_key(&stripe, |(at, _)| *at)
            .expect("only keys that are held are asked for")
    }
}

fn stripe_of(key: &[u8]) -> usize {
    partition_hash(key) as usize % STRIPES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Bytes {
        Bytes::copy_from_slice(text.as_bytes())
    }

    #[test]
    fn an_image_is_seen_until_it_is_done() {
        let latches = Latches::new();
        let (key, done) = (key("a"), Done::default());
        latches.hold([&key].into_iter()).remember(&key, Some(Bytes::from_static(b"1")), &done);
        assert_eq!(latches.hold([&key].into_iter()).queued(&key), Some(Some(Bytes::from_static(b"1"))));
        done.set();
        assert_eq!(latches.hold([&key].into_iter()).queued(&key), None);
    }

    #[test]
    fn forgetting_leaves_the_image_of_a_later_batch() {
        let latches = Latches::new();
        let (key, first, second) = (key("a"), Done::default(), Done::default());
        latches.hold([&key].into_iter()).remember(&key, None, &first);
        latches.hold([&key].into_iter()).remember(&key, Some(Bytes::from_static(b"2")), &second);
        latches.forget([&key].into_iter(), &first);
        assert_eq!(latches.hold([&key].into_iter()).queued(&key), Some(Some(Bytes::from_static(b"2"))));
        latches.forget([&key].into_iter(), &second);
        assert_eq!(latches.hold([&key].into_iter()).queued(&key), None);
    }

    #[test]
    fn images_of_callers_that_went_away_do_not_pile_up() {
        let latches = Latches::new();
        let keys: Vec<Bytes> = (0..200_000).map(|n| key(&n.to_string())).collect();
        for key in &keys {
            let done = Done::default();
            latches.hold([key].into_iter()).remember(key, None, &done);
            done.set();
        }
        let kept: usize = latches.stripes.iter().map(|stripe| stripe.lock().queued.len()).sum();
        assert!(kept <= STRIPES, "{kept} images kept");
    }

    #[test]
    fn a_key_is_in_a_transaction_until_that_is_done() {
        let latches = Latches::new();
        let (key, done) = (key("a"), Done::default());
        latches.hold([&key].into_iter()).enter_transaction(&key, &done);
        assert!(latches.hold([&key].into_iter()).in_transaction(&key));
        done.set();
        assert!(!latches.hold([&key].into_iter()).in_transaction(&key));
        latches.forget([&key].into_iter(), &done);
        assert!(latches.stripes.iter().all(|stripe| stripe.lock().transactions.is_empty()));
    }

    #[test]
    fn many_keys_are_held_once_each_stripe() {
        let latches = Latches::new();
        let keys: Vec<Bytes> = (0..5000).map(|n| key(&n.to_string())).collect();
        let held = latches.hold(keys.iter());
        assert!(held.guards.len() <= STRIPES);
        assert_eq!(held.queued(&keys[0]), None);
    }
}

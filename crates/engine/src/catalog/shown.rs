//! Which version of the catalog is shown, and whether it is durable.
//!
//! A change is shown when its rows have joined the store's queue, because writers that know of it have to come behind it
//! there. It is durable a moment later, and until then nobody outside may hear of it: answers that can rest on it are
//! [held back](Shown::is_settled). When it turns out that it could not be kept, what is durable is shown again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use arc_swap::{ArcSwap, Guard};
use dynamometer_store::Batch;

use super::Version;

/// The version that is shown.
pub(super) struct Shown {
    current: ArcSwap<Version>,
    /// The newest version that is durable.
    durable: ArcSwap<Version>,
    /// Changes that are under way: shown or about to be, and not known to be durable.
    under_way: AtomicU64,
    /// Changes that could not be kept.
    lost: AtomicU64,
}

/// A change that has not been shown yet.
pub(super) struct Coming {
    version: Arc<Version>,
    is_lost: Arc<AtomicBool>,
}

impl Shown {
    pub(super) fn new(version: Version) -> Arc<Shown> {
        let version = Arc::new(version);
        Arc::new(Shown {
            current: ArcSwap::new(Arc::clone(&version)),
            durable: ArcSwap::new(version),
            under_way: AtomicU64::new(0),
            lost: AtomicU64::new(0),
        })
    }

    pub(super) fn load(&self) -> Guard<Arc<Version>> {
        self.current.load()
    }

    /// How many changes could not be kept so far.
    pub(super) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Acquire)
    }

    /// Whether all that is shown is durable.
    pub(super) fn is_settled(&self) -> bool {
        self.under_way.load(Ordering::Acquire) == 0
    }

    /// Follows the batch of a change, which is to be queued next.
    pub(super) fn follow(self: &Arc<Self>, version: Version, batch: &mut Batch) -> Coming {
        let coming = Coming { version: Arc::new(version), is_lost: Arc::default() };
        let (shown, version, is_lost) =
            (Arc::clone(self), Arc::clone(&coming.version), Arc::clone(&coming.is_lost));
        // It ends twice: when it is kept or lost, and when it is shown. Either can come first.
        self.under_way.fetch_add(2, Ordering::AcqRel);
        batch.when_done(move |outcome| {
            match outcome {
                Ok(_) => shown.durable.store(version),
                Err(_) => {
                    is_lost.store(true, Ordering::Release);
                    shown.current.store(shown.durable.load_full());
                    shown.lost.fetch_add(1, Ordering::AcqRel);
                }
            }
            shown.under_way.fetch_sub(1, Ordering::AcqRel);
        });
        coming
    }

    /// Shows a change whose batch has joined the queue.
    pub(super) fn show(&self, coming: Coming) {
        self.current.store(coming.version);
        if coming.is_lost.load(Ordering::Acquire) {
            self.current.store(self.durable.load_full());
        }
        self.under_way.fetch_sub(1, Ordering::AcqRel);
    }
}

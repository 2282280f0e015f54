//! Who is told what, and when.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use parking_lot::Mutex;

use super::{all_succeed, commit, put, read, text};
use crate::{Batch, Keyspace, Store, StoreError};

pub(super) fn everybody_is_told_once_and_before_the_commit_resolves(store: &Arc<dyn Store>) {
    let told = Arc::new(Mutex::new(vec![]));
    let listen = |batch: &mut Batch, name: String| {
        let told = Arc::clone(&told);
        batch.when_done(move |outcome| {
            told.lock().push(format!("{name} {}", if outcome.is_ok() { "ok" } else { "failed" }));
        });
    };
    let mut commits = vec![];
    let mut expected = vec![];
    for n in 0..30 {
        let mut batch = Batch::new();
        listen(&mut batch, format!("{n} first"));
        listen(&mut batch, format!("{n} second"));
        let outcome = match n % 3 {
            0 => {
                batch.put(Keyspace::Items, "k", "v");
                "ok"
            }
            1 => {
                batch.check_absent(Keyspace::Items, "k").put(Keyspace::Items, "k", "v");
                "failed"
            }
            _ => "ok",
        };
        expected.extend([format!("{n} first {outcome}"), format!("{n} second {outcome}")]);
        commits.push(store.commit(batch));
    }
    for (n, commit) in commits.into_iter().enumerate() {
        let _ = commit.wait();
        assert!(told.lock().len() >= 2 * (n + 1), "resolved before it was told");
    }
    assert_eq!(*told.lock(), expected);
}

pub(super) fn a_call_may_panic_or_commit(store: &Arc<dyn Store>) {
    let inner = Arc::new(Mutex::new(None));
    let after = Arc::new(AtomicBool::new(false));
    let outcome = commit(&**store, |batch| {
        batch.put(Keyspace::Items, "a", "v");
        // Quiet: resuming a panic does not run the hook that prints it.
        batch.when_done(|_| std::panic::resume_unwind(Box::new("on purpose")));
        let (store, inner) = (Arc::clone(store), Arc::clone(&inner));
        batch.when_done(move |_| {
            let mut batch = Batch::new();
            batch.put(Keyspace::Items, "b", "v");
            *inner.lock() = Some(store.commit(batch));
        });
        let after = Arc::clone(&after);
        batch.when_done(move |_| after.store(true, Ordering::Relaxed));
    });
    outcome.expect("a write");
    assert!(after.load(Ordering::Relaxed), "a call after the one that panicked was left out");
    let inner = inner.lock().take().expect("the commit from within");
    inner.wait().expect("a write");
    assert_eq!(read(&**store, Keyspace::Items, "b"), "v");
    put(&**store, Keyspace::Items, "c", "v");
}

pub(super) fn a_batch_that_stands_alone_shows_its_moment(store: &Arc<dyn Store>) {
    let moments = Arc::new(Mutex::new(vec![]));
    let mut commits = vec![];
    for n in 0..60 {
        let mut batch = Batch::new();
        batch.put(Keyspace::Items, "n", text(&n.to_string()));
        if n % 3 == 0 {
            batch.alone = true;
            let (store, moments) = (Arc::clone(store), Arc::clone(&moments));
            batch.when_done(move |_| moments.lock().push((n, store.snapshot().expect("a snapshot"))));
        }
        commits.push(store.commit(batch));
    }
    all_succeed(commits);
    let moments = std::mem::take(&mut *moments.lock());
    assert_eq!(moments.len(), 20);
    for (n, snapshot) in moments {
        let seen = snapshot.get(Keyspace::Items, b"n").expect("a read");
        assert_eq!(super::shown(seen), n.to_string());
    }
}

pub(super) fn a_dropped_commit_goes_ahead(store: &Arc<dyn Store>) {
    for n in 0..10 {
        let mut batch = Batch::new();
        batch.put(Keyspace::Items, text(&n.to_string()), "v");
        drop(store.commit(batch));
    }
    // Whatever comes later is told later.
    commit(&**store, |_| {}).expect("an empty batch");
    for n in 0..10 {
        assert_eq!(read(&**store, Keyspace::Items, &n.to_string()), "v");
    }
}

/// Runs a future on this thread.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        std::thread::park();
    }
}

pub(super) fn a_commit_is_a_future(store: &Arc<dyn Store>) {
    let mut batch = Batch::new();
    batch.put(Keyspace::Items, "k", "v");
    let first = block_on(store.commit(batch)).expect("a write");
    assert_eq!(read(&**store, Keyspace::Items, "k"), "v");
    let mut batch = Batch::new();
    batch.check_absent(Keyspace::Items, "k");
    let outcome = block_on(store.commit(batch));
    assert!(matches!(outcome, Err(StoreError::Conflict { check: 0 })));
    let next = block_on(store.commit(Batch::new())).expect("an empty batch");
    assert!(next.sequence > first.sequence);
}

pub(super) fn a_closed_store_answers_what_was_queued_and_refuses_the_rest(store: &Arc<dyn Store>) {
    let told = Arc::new(AtomicU32::new(0));
    let batch = |key: &str| {
        let mut batch = Batch::new();
        batch.put(Keyspace::Items, text(key), "v");
        let told = Arc::clone(&told);
        batch.when_done(move |_| {
            told.fetch_add(1, Ordering::Relaxed);
        });
        batch
    };
    let queued: Vec<_> = (0..50).map(|n| store.commit(batch(&n.to_string()))).collect();
    store.close().expect("a close");
    assert_eq!(told.load(Ordering::Relaxed), 50);
    all_succeed(queued);
    let late = store.commit(batch("late")).wait();
    assert!(matches!(late, Err(StoreError::Unavailable(_))), "{late:?}");
    assert_eq!(told.load(Ordering::Relaxed), 51);
    store.close().expect("a second close");
    // Readers may finish what they are at.
    assert_eq!(read(&**store, Keyspace::Items, "49"), "v");
    assert_eq!(read(&**store, Keyspace::Items, "late"), "-");
    assert!(store.snapshot().is_ok());
}

//! The same work, failing at each commit in turn and in each way: what was acknowledged is there, what was not is wholly
//! there or wholly absent, and items, indexes and counters agree.
//!
//! Several clients are at work at once: their requests wait together in the queue of a store that is slow now and then,
//! so that the batch that fails has others behind it that were built on it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::disallowed_methods, reason = "threads, waiting and the environment are the test's own")]

mod bank;
mod clients;
mod collections;
#[path = "../common/mod.rs"]
mod common;
mod jobs;
mod kept;
mod tables;

use std::sync::Arc;

use bank::Bank;
use clients::Clients;
use common::World;
use common::agree::check_nothing_is_left_over;
use dynamometer_store::MemoryStore;
use dynamometer_store::fault::{Fault, FaultStore};

/// The faults after which the store takes no more.
const LAST: [Fault; 3] = [Fault::Refused, Fault::Full, Fault::Unanswered];

/// Sets up the bank and lets the clients work; the commit of this number, counted from then on, fails.
fn work(seed: u64, fail_at: Option<(u64, Fault)>) -> (Arc<FaultStore>, Bank, u64) {
    let store = Arc::new(FaultStore::new(MemoryStore::new()));
    let world = World::on(Arc::clone(&store) as _);
    let bank = Bank::open(world, false);
    let before = store.commits();
    if let Some((at, fault)) = fail_at {
        store.fail_at(before + at, fault);
    }
    Clients::new(seed, &bank, &store).run();
    let commits = store.commits() - before;
    (store, bank, commits)
}

#[test]
fn whichever_commit_fails_what_was_acknowledged_is_there() {
    common::with_seeds(2, |seed| {
        let (_, bank, commits) = work(seed, None);
        bank.check_all_went_well();
        assert!(commits > 40, "too little happens: {commits} commits");
        for at in 1..=commits {
            for fault in LAST {
                let told = common::TellOnFailure(format!("commit {at} of {commits}, {fault:?}"));
                let (store, bank, _) = work(seed, Some((at, fault)));
                bank.check_nothing_is_acknowledged_any_more();
                let recovered = World::on(Arc::new(store.crash()));
                bank.check_recovered(&recovered);
                bank.finish_what_failed(&recovered);
                check_nothing_is_left_over(&recovered);
                told.defuse();
            }
        }
    });
}

/// A store that fails once and goes on, as one over a network may. Only a single client is at work: behind a failed
/// batch no other may have been built on it.
#[test]
fn a_commit_that_fails_alone_leaves_nothing_behind() {
    let mut at = 0;
    loop {
        at += 1;
        let store = Arc::new(FaultStore::new(MemoryStore::new()));
        let bank = Bank::open(World::on(Arc::clone(&store) as _), true);
        let before = store.commits();
        store.fail_at(before + at, Fault::Hiccup);
        bank.run_alone();
        let recovered = World::on(Arc::new(store.crash()));
        bank.check_recovered(&recovered);
        if store.commits() - before < at {
            break;
        }
    }
    assert!(at > 20, "too little happens: {at} commits");
}

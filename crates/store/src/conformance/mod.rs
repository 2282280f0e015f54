//! What every engine must do, as cases that run against any [`Store`].
//!
//! An engine's tests run all of [`CASES`], each on a fresh and empty store, and, if it keeps a folder, all of
//! [`FOLDER_CASES`], each on a fresh folder. A case panics when the engine does not conform.

mod appends;
mod batches;
mod counters;
mod folders;
mod model;
mod outcomes;
mod reads;

use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;

use crate::{Batch, Commit, Committed, Direction, Keyspace, Snapshot, Store, StoreError};

/// One case, for an empty store.
pub type Case = fn(&Arc<dyn Store>);

/// Opens the engine under test on a folder.
pub type Open = dyn Fn(&Path) -> Result<Arc<dyn Store>, StoreError>;

/// One case for an engine that keeps a folder. The path is that of an empty folder, for the case to use as it likes.
pub type FolderCase = fn(&Open, &Path);

macro_rules! named {
    ($($module:ident :: $case:ident),* $(,)?) => { &[$((stringify!($case), $module::$case)),*] };
}

/// The cases for every engine, by name.
pub const CASES: &[(&str, Case)] = named![
    reads::a_value_is_read_back_replaced_and_removed,
    reads::keyspaces_are_separate,
    reads::a_range_visits_what_lies_between_its_bounds,
    reads::a_range_may_have_bounds_that_no_key_can_have,
    reads::a_range_stops_when_it_is_told,
    reads::a_snapshot_does_not_change,
    reads::a_reader_never_sees_half_a_batch_nor_goes_back,
    batches::the_last_write_of_a_key_stays,
    batches::batches_commit_in_the_order_of_the_calls,
    batches::a_failed_check_applies_nothing,
    batches::checks_see_earlier_batches_that_are_still_queued,
    batches::checks_let_one_of_many_win,
    batches::large_batches_pass,
    batches::keys_that_cannot_be_stored_are_refused,
    appends::appended_keys_rise_with_the_order_of_commits,
    appends::a_reader_that_pages_misses_no_append,
    appends::a_batch_that_fails_appends_nothing,
    counters::adds_are_exact_from_many_threads,
    counters::adds_mix_with_writes_and_checks,
    counters::a_row_that_is_no_pair_stops_the_store,
    outcomes::everybody_is_told_once_and_before_the_commit_resolves,
    outcomes::a_call_may_panic_or_commit,
    outcomes::a_batch_that_stands_alone_shows_its_moment,
    outcomes::a_dropped_commit_goes_ahead,
    outcomes::a_commit_is_a_future,
    outcomes::a_closed_store_answers_what_was_queued_and_refuses_the_rest,
    model::random_batches_equal_a_sorted_map,
];

/// The cases for engines that keep a folder, by name.
pub const FOLDER_CASES: &[(&str, FolderCase)] = named![
    folders::what_was_acknowledged_is_there_after_a_close,
    folders::what_was_acknowledged_is_there_after_a_drop,
    folders::what_was_acknowledged_is_there_after_a_power_cut,
    folders::counters_go_on_after_a_reopen,
    folders::appended_keys_go_on_rising_after_a_reopen_and_in_a_checkpoint,
    folders::a_folder_has_one_user_at_a_time,
    folders::foreign_and_newer_folders_are_refused,
    folders::a_checkpoint_opens_as_an_equal_store,
    folders::a_checkpoint_is_of_one_moment,
    folders::a_checkpoint_spares_folders_that_hold_something,
];

/// Runs every case, each on a new store.
///
/// # Panics
/// When a case fails, after naming it on standard error.
pub fn run(new: impl Fn() -> Arc<dyn Store>) {
    for (name, case) in CASES {
        named_case(name, || case(&new()));
    }
}

/// Runs every folder case, each below a folder of its own inside `dir`.
///
/// # Panics
/// When a case fails, after naming it on standard error.
pub fn run_folders(open: &Open, dir: &Path) {
    for (name, case) in FOLDER_CASES {
        let path = dir.join(name);
        std::fs::create_dir(&path).expect("a folder for the case");
        named_case(name, || case(open, &path));
    }
}

/// Says which case it was when one panics.
fn named_case(name: &str, case: impl FnOnce()) {
    struct Name<'a>(&'a str);
    impl Drop for Name<'_> {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("in the case {}", self.0);
            }
        }
    }
    let _name = Name(name);
    case();
}

/// Commits and waits.
fn commit(store: &dyn Store, build: impl FnOnce(&mut Batch)) -> Result<Committed, StoreError> {
    let mut batch = Batch::new();
    build(&mut batch);
    store.commit(batch).wait()
}

/// Waits for batches, all of which must succeed.
fn all_succeed(commits: impl IntoIterator<Item = Commit>) {
    for commit in commits {
        commit.wait().expect("a write");
    }
}

/// Commits a put and waits for it to be done.
fn put(store: &dyn Store, keyspace: Keyspace, key: &str, value: &str) {
    commit(store, |batch| {
        batch.put(keyspace, text(key), text(value));
    })
    .expect("a put");
}

fn text(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

/// Reads a value as text, or `-` when there is none.
fn read(store: &dyn Store, keyspace: Keyspace, key: &str) -> String {
    shown(store.get(keyspace, key.as_bytes()).expect("a read"))
}

fn shown(value: Option<Bytes>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| String::from_utf8_lossy(&value).into_owned())
}

type Rows = Vec<(Vec<u8>, Bytes)>;

/// The rows of a range, at most `limit` of them.
fn rows(
    snapshot: &dyn Snapshot,
    keyspace: Keyspace,
    (start, end): (Bound<&[u8]>, Bound<&[u8]>),
    direction: Direction,
    limit: usize,
) -> Rows {
    let mut rows = vec![];
    snapshot
        .range(keyspace, start, end, direction, &mut |key, value| {
            rows.push((key.to_vec(), value.clone()));
            if rows.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
        .expect("a range");
    rows
}

/// Everything in a keyspace.
fn all(snapshot: &dyn Snapshot, keyspace: Keyspace) -> BTreeMap<Vec<u8>, Bytes> {
    let everything = (Bound::Unbounded, Bound::Unbounded);
    rows(snapshot, keyspace, everything, Direction::Forward, usize::MAX).into_iter().collect()
}

/// Everything in the store but the store's own.
fn content(store: &dyn Store) -> Vec<BTreeMap<Vec<u8>, Bytes>> {
    let snapshot = store.snapshot().expect("a snapshot");
    let own = |keyspace: &&Keyspace| **keyspace != Keyspace::Sequence;
    Keyspace::ALL.iter().filter(own).map(|keyspace| all(&*snapshot, *keyspace)).collect()
}

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    /// A number below `limit`.
    fn below(&mut self, limit: u64) -> u64 {
        // xorshift64: good enough to choose test cases.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

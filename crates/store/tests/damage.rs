//! What a start makes of a log that a power cut has torn.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use dynamometer_store::{
    Batch, Durability, EmbeddedOptions, EmbeddedStore, Keyspace, Snapshot, Store, StoreError,
};

const BATCHES: u32 = 60;

/// The batch with number `n` leaves its number in three keyspaces, and a row of its own.
fn batch(n: u32) -> Batch {
    let mut batch = Batch::new();
    for keyspace in [Keyspace::Items, Keyspace::IndexEntries, Keyspace::Streams] {
        batch.put(keyspace, "last", n.to_string());
    }
    batch.put(Keyspace::Items, format!("row {n:04}"), vec![n as u8 | 1; 1500]);
    batch.add(Keyspace::Counters, "count", [1, i64::from(n)]);
    batch
}

/// Batches 1 up to the one that is answered are there, whole, and no others.
fn last_batch(snapshot: &dyn Snapshot) -> u32 {
    let get = |keyspace, key: &str| snapshot.get(keyspace, key.as_bytes()).expect("a read");
    let last = |keyspace| {
        let value = get(keyspace, "last");
        value.map_or(0, |value| String::from_utf8_lossy(&value).parse::<u32>().expect("a number"))
    };
    let n = last(Keyspace::Items);
    assert_eq!((last(Keyspace::IndexEntries), last(Keyspace::Streams)), (n, n));
    for row in 1..=BATCHES {
        let value = get(Keyspace::Items, &format!("row {row:04}"));
        assert_eq!(value.is_some(), row <= n, "row {row}, with {n} batches");
        assert!(value.is_none_or(|value| value[..] == vec![row as u8 | 1; 1500]));
    }
    let count = dynamometer_store::decode_pair(get(Keyspace::Counters, "count").as_deref()).expect("a pair");
    assert_eq!(count, [i64::from(n), i64::from(n * (n + 1) / 2)]);
    n
}

/// A folder as a power cut leaves it, with the place of its log and, for each batch, where it ends in the log.
struct Image {
    dir: tempfile::TempDir,
    ends: Vec<u64>,
}

impl Image {
    /// Made once, for all tests.
    fn get() -> &'static Self {
        static IMAGE: OnceLock<Image> = OnceLock::new();
        IMAGE.get_or_init(Image::new)
    }

    fn new() -> Self {
        let live = tempfile::tempdir().expect("a folder");
        let store = EmbeddedStore::open(live.path(), &EmbeddedOptions::default()).expect("an open");
        let ends = (1..=BATCHES).map(|n| {
            store.commit(batch(n)).wait().expect("a write");
            written(&log_of(live.path())).len() as u64
        });
        let ends = ends.collect();
        let dir = tempfile::tempdir().expect("a folder");
        copy(live.path(), dir.path());
        Image { dir, ends }
    }

    /// Opens a copy whose log has been damaged.
    fn open_damaged(&self, damage: impl FnOnce(&mut Vec<u8>)) -> Result<u32, StoreError> {
        self.open_damaged_with(&EmbeddedOptions::default(), damage)
    }

    fn open_damaged_with(
        &self,
        options: &EmbeddedOptions,
        damage: impl FnOnce(&mut Vec<u8>),
    ) -> Result<u32, StoreError> {
        let dir = tempfile::tempdir().expect("a folder");
        copy(self.dir.path(), dir.path());
        let log = log_of(dir.path());
        let mut bytes = fs::read(&log).expect("the log");
        damage(&mut bytes);
        fs::write(&log, bytes).expect("the log");
        let n = {
            let store = EmbeddedStore::open(dir.path(), options)?;
            let n = last_batch(&*store.snapshot()?);
            // It goes on from there.
            (n + 1..=BATCHES).for_each(|n| drop(store.commit(batch(n))));
            n
        };
        let store = EmbeddedStore::open(dir.path(), options)?;
        assert_eq!(last_batch(&*store.snapshot()?), BATCHES);
        Ok(n)
    }
}

fn log_of(folder: &Path) -> PathBuf {
    let mut logs = logs_of(folder);
    let log = logs.pop().expect("a log");
    assert!(logs.is_empty(), "more than one log");
    log
}

/// The files of a log, oldest first.
fn logs_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dynamometer_store::engine_files(folder).join("log")).expect("a folder");
    let mut logs: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    logs.sort_by_key(|path| path.file_stem().and_then(|stem| stem.to_str()?.parse::<u64>().ok()));
    logs
}

/// What stands in a log: it is filled with zeros in advance.
fn written(log: &Path) -> Vec<u8> {
    let mut bytes = fs::read(log).expect("the log");
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    bytes.truncate(end);
    bytes
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a file");
        }
    }
}

/// A full disk has room again for a start, which writes little, and for what the start was for.
#[test]
fn a_start_gives_back_what_was_filled_ahead() {
    let image = Image::get();
    let dir = tempfile::tempdir().expect("a folder");
    copy(image.dir.path(), dir.path());
    let end = image.ends[BATCHES as usize - 1];
    let bytes = || -> Vec<u64> {
        logs_of(dir.path()).iter().map(|log| fs::metadata(log).expect("a file").len()).collect()
    };
    assert!(bytes()[0] > end, "{:?}", bytes());
    let store = EmbeddedStore::open(dir.path(), &EmbeddedOptions::default()).expect("an open");
    assert_eq!(bytes(), [end, 0]);
    store.commit(batch(1)).wait().expect("a write");
}

#[test]
fn a_log_cut_off_anywhere_keeps_all_whole_batches() {
    let image = Image::get();
    let (start, end) = (image.ends[BATCHES as usize - 4], image.ends[BATCHES as usize - 1]);
    for cut in (start..=end).step_by(701).chain([end - 1, end]) {
        let whole = image.ends.iter().filter(|end| **end <= cut).count() as u32;
        let cut = cut as usize;
        let cut_off = image.open_damaged(|log| log.truncate(cut)).expect("an open");
        assert_eq!(cut_off, whole, "cut off at {cut}");
        let zeroed = image.open_damaged(|log| log[cut..].fill(0)).expect("an open");
        assert_eq!(zeroed, whole, "zeroed from {cut}");
    }
}

#[test]
fn a_hole_in_the_last_batch_loses_that_batch_alone() {
    let image = Image::get();
    let (start, end) = (image.ends[BATCHES as usize - 2] as usize, image.ends[BATCHES as usize - 1] as usize);
    for at in (start..end).step_by(307) {
        let hole = at..end.min(at + 512);
        let left = image.open_damaged(|log| log[hole].fill(0)).expect("an open");
        assert!(left == BATCHES - 1, "{left} batches with a hole at {at} of {start} to {end}");
    }
}

/// Whole batches follow the damage: they were acknowledged, so the start must not go on without them.
#[test]
fn a_hole_in_an_earlier_batch_is_refused() {
    let image = Image::get();
    let (start, end) = (image.ends[10] as usize, image.ends[11] as usize);
    for at in (start..end).step_by(401) {
        let hole = at..end.min(at + 100);
        let error = image.open_damaged(|log| log[hole].fill(0)).expect_err("an open");
        assert!(
            matches!(&error, StoreError::Corrupt(text) if text.contains("is damaged at byte")),
            "{error}"
        );
    }
}

/// Without syncs nothing more is promised than what comes before the damage.
#[test]
fn without_syncs_a_hole_cuts_off_what_follows() {
    let image = Image::get();
    let options = EmbeddedOptions { durability: Durability::Os, ..EmbeddedOptions::default() };
    let (start, end) = (image.ends[10] as usize, image.ends[11] as usize);
    for at in (start..end).step_by(801) {
        let hole = at..end.min(at + 100);
        let left = image.open_damaged_with(&options, |log| log[hole].fill(0)).expect("an open");
        assert_eq!(left, 11);
    }
}

/// Opens a store whose memtables are written again and again, so that files of the log are used again, and ends it
/// without a close. Answers how many batches were written.
fn store_with_used_logs(folder: &Path) -> u32 {
    let options = EmbeddedOptions { memtable_bytes: 16 << 10, ..EmbeddedOptions::default() };
    let store = EmbeddedStore::open(folder, &options).expect("an open");
    for n in 1..=BATCHES - 10 {
        store.commit(batch(n)).wait().expect("a write");
    }
    // From here on into the log alone.
    drop(store);
    let store = EmbeddedStore::open(folder, &EmbeddedOptions::default()).expect("an open");
    for n in BATCHES - 9..=BATCHES {
        store.commit(batch(n)).wait().expect("a write");
    }
    BATCHES
}

/// What a file held before it was used again is never taken for what is written now.
#[test]
fn logs_that_were_used_before_are_read_up_to_what_was_written_last() {
    let dir = tempfile::tempdir().expect("a folder");
    let written = store_with_used_logs(dir.path());
    for _ in 0..3 {
        let store = EmbeddedStore::open(dir.path(), &EmbeddedOptions::default()).expect("an open");
        assert_eq!(last_batch(&*store.snapshot().expect("a snapshot")), written);
    }
}

/// A whole file of the log is missing, between one that is there and one that names a group in it.
#[test]
fn a_missing_file_of_the_log_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    for n in 1..=3 {
        let store = EmbeddedStore::open(dir.path(), &EmbeddedOptions::default()).expect("an open");
        store.commit(batch(n)).wait().expect("a write");
    }
    let logs = logs_of(dir.path());
    assert_eq!(logs.len(), 3);
    fs::remove_file(&logs[1]).expect("a file");
    let error = EmbeddedStore::open(dir.path(), &EmbeddedOptions::default()).map(drop).expect_err("an open");
    assert!(matches!(&error, StoreError::Corrupt(text) if text.contains("is damaged at byte")), "{error}");
    let options = EmbeddedOptions { durability: Durability::Os, ..EmbeddedOptions::default() };
    drop(EmbeddedStore::open(dir.path(), &options).expect("an open"));
    let store = EmbeddedStore::open(dir.path(), &EmbeddedOptions::default()).expect("an open");
    assert_eq!(last_batch(&*store.snapshot().expect("a snapshot")), 1);
}

/// A copy that was made in part must not be served as if it were all.
#[test]
fn what_is_missing_of_a_folder_is_told() {
    let live = tempfile::tempdir().expect("a folder");
    let store = EmbeddedStore::open(live.path(), &EmbeddedOptions::default()).expect("an open");
    (1..=BATCHES).for_each(|n| drop(store.commit(batch(n))));
    store.close().expect("a close");
    drop(store);
    for (missing, words) in [
        ("log", "there is no log"),
        ("items/current", "is missing"),
        ("streams", "is missing"),
        ("items/tables", "files are missing"),
    ] {
        let dir = tempfile::tempdir().expect("a folder");
        copy(live.path(), dir.path());
        let missing = dynamometer_store::engine_files(dir.path()).join(missing);
        let removed = if missing.is_dir() { fs::remove_dir_all(&missing) } else { fs::remove_file(&missing) };
        removed.expect("a removal");
        let error = EmbeddedStore::open(dir.path(), &EmbeddedOptions::default()).err().expect("no open");
        assert!(matches!(&error, StoreError::Corrupt(text) if text.contains(words)), "{error}");
    }
}

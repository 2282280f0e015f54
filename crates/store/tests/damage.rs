//! What a start makes of a log that a power cut has torn.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use dynamometer_store::{Batch, Durability, FjallOptions, FjallStore, Keyspace, Snapshot, Store, StoreError};

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
        let store = FjallStore::open(live.path(), &FjallOptions::default()).expect("an open");
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
        self.open_damaged_with(&FjallOptions::default(), damage)
    }

    fn open_damaged_with(
        &self,
        options: &FjallOptions,
        damage: impl FnOnce(&mut Vec<u8>),
    ) -> Result<u32, StoreError> {
        let dir = tempfile::tempdir().expect("a folder");
        copy(self.dir.path(), dir.path());
        let log = log_of(dir.path());
        let mut bytes = fs::read(&log).expect("the log");
        damage(&mut bytes);
        fs::write(&log, bytes).expect("the log");
        let n = {
            let store = FjallStore::open(dir.path(), options)?;
            let n = last_batch(&*store.snapshot()?);
            // It goes on from there.
            (n + 1..=BATCHES).for_each(|n| drop(store.commit(batch(n))));
            n
        };
        let store = FjallStore::open(dir.path(), options)?;
        assert_eq!(last_batch(&*store.snapshot()?), BATCHES);
        Ok(n)
    }
}

fn log_of(folder: &Path) -> PathBuf {
    let entries = fs::read_dir(dynamometer_store::engine_files(folder)).expect("a folder");
    let mut logs = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "jnl"));
    let log = logs.next().expect("a log");
    assert!(logs.next().is_none(), "more than one log");
    log
}

/// The start of a log, which is all of it that is written here: the engine makes the file larger in advance.
fn written(log: &Path) -> Vec<u8> {
    let mut bytes = vec![];
    let file = fs::File::open(log).expect("the log");
    file.take(256 << 10).read_to_end(&mut bytes).expect("the log");
    assert!(bytes.len() < 200 << 10 || bytes[200 << 10..].iter().all(|byte| *byte == 0), "it is longer");
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
        } else if entry.path().extension().is_some_and(|extension| extension == "jnl") {
            fs::write(to, written(&entry.path())).expect("a file");
        } else {
            fs::copy(entry.path(), to).expect("a file");
        }
    }
}

#[test]
fn a_log_cut_off_anywhere_keeps_all_whole_batches() {
    let image = Image::get();
    let (start, end) = (image.ends[BATCHES as usize - 4], image.ends[BATCHES as usize - 1]);
    for cut in (start..=end).step_by(701).chain([end - 1, end]) {
        let whole = image.ends.iter().filter(|end| **end <= cut).count() as u32;
        let cut_off = image.open_damaged(|log| log.truncate(cut as usize)).expect("an open");
        assert_eq!(cut_off, whole, "cut off at {cut}");
        let zeroed = image.open_damaged(|log| log[cut as usize..].fill(0)).expect("an open");
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
    let options = FjallOptions { durability: Durability::Os, ..FjallOptions::default() };
    let (start, end) = (image.ends[10] as usize, image.ends[11] as usize);
    for at in (start..end).step_by(801) {
        let hole = at..end.min(at + 100);
        let left = image.open_damaged_with(&options, |log| log[hole].fill(0)).expect("an open");
        assert_eq!(left, 11);
    }
}

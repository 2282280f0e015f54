//! A disk that takes no more: an honest error, nothing acknowledged that is not there, and reads go on.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use dynamometer_store::{Batch, EmbeddedOptions, EmbeddedStore, Keyspace, Store, StoreError};

const FOLDER: &str = "DYNO_TEST_FULL_FOLDER";
const ROW: usize = 1 << 20;

fn batch(n: u32) -> Batch {
    let mut batch = Batch::new();
    batch.put(Keyspace::Items, n.to_be_bytes().to_vec(), vec![n as u8; ROW]);
    batch.put(Keyspace::Streams, n.to_be_bytes().to_vec(), "record");
    batch.add(Keyspace::Counters, "count", [1, 0]);
    batch
}

/// The system refuses to let any file grow past a limit, which only the log reaches.
#[test]
fn a_write_that_fails_is_told_and_loses_nothing() {
    if let Ok(folder) = std::env::var(FOLDER) {
        return write_until_it_fails(Path::new(&folder));
    }
    let dir = tempfile::tempdir().expect("a folder");
    // The unit is 512 or 1,024 bytes, depending on the shell. Past the limit there is a signal; without it,
    // an error.
    let script =
        "trap '' XFSZ; ulimit -f 133000; exec \"$0\" --exact a_write_that_fails_is_told_and_loses_nothing";
    let program = std::env::current_exe().expect("this program");
    let output = Command::new("sh").args(["-c", script]).arg(program).env(FOLDER, dir.path()).output();
    let output = output.expect("a child");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));

    let acknowledged = std::fs::read_to_string(dir.path().join("acknowledged")).expect("the child's count");
    let acknowledged: u32 = acknowledged.parse().expect("a number");
    assert!(acknowledged > 10, "{acknowledged}");
    let store = EmbeddedStore::open(dir.path().join("store"), &EmbeddedOptions::default()).expect("an open");
    for n in 0..acknowledged {
        for keyspace in [Keyspace::Items, Keyspace::Streams] {
            assert!(store.get(keyspace, &n.to_be_bytes()).expect("a read").is_some(), "{n} is lost");
        }
    }
    let count = store.get(Keyspace::Counters, b"count").expect("a read");
    let [count, _] = dynamometer_store::decode_pair(count.as_deref()).expect("a pair");
    // The batch that failed may be there or not, but not in part.
    let after = store.get(Keyspace::Items, &acknowledged.to_be_bytes()).expect("a read").is_some();
    assert_eq!(count, i64::from(acknowledged + u32::from(after)));
    store.commit(batch(acknowledged)).wait().expect("a write after the restart");
}

fn write_until_it_fails(folder: &Path) {
    // Nothing but the log is written.
    let options = EmbeddedOptions { memtable_bytes: 1 << 40, ..EmbeddedOptions::default() };
    let store = EmbeddedStore::open(folder.join("store"), &options).expect("an open");
    assert_eq!(store.info().failure, None);
    let mut acknowledged = 0;
    let error = loop {
        match store.commit(batch(acknowledged)).wait() {
            Ok(_) => acknowledged += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::Io(_) | StoreError::Full(_)), "{error:?}");
    // From now on nothing is acknowledged, and everybody is told.
    let told = Arc::new(AtomicU32::new(0));
    let late: Vec<_> = (0..20)
        .map(|n| {
            let mut batch = batch(acknowledged + n);
            let told = Arc::clone(&told);
            batch.when_done(move |outcome| {
                assert!(outcome.is_err());
                told.fetch_add(1, Ordering::Relaxed);
            });
            store.commit(batch)
        })
        .collect();
    for commit in late {
        let error = commit.wait().expect_err("a commit after a failed one");
        assert!(matches!(&error, StoreError::Unavailable(text) if text.contains("an earlier write failed")));
    }
    assert_eq!(told.load(Ordering::Relaxed), 20);
    // Readers still see what was acknowledged, and only that.
    let last = (acknowledged - 1).to_be_bytes();
    assert!(store.get(Keyspace::Items, &last).expect("a read").is_some());
    assert_eq!(store.get(Keyspace::Items, &acknowledged.to_be_bytes()).expect("a read"), None);
    assert!(store.info().failure.is_some());
    let closed = store.close().expect_err("the cause");
    assert_eq!(closed.to_string(), error.to_string());
    std::fs::write(folder.join("acknowledged"), acknowledged.to_string()).expect("the count");
}

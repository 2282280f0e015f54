//! Engines that keep a folder: what is there after the process has gone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;
use std::{fs, io};

use super::appends::places_below;
use super::{Open, Random, all_succeed, commit, content, put, read, text};
use crate::{Batch, FORMAT_VERSION, Keyspace, Store, StoreError};

/// Commits some of everything, and waits for it.
fn fill(store: &dyn Store, seed: u64) {
    let mut random = Random(seed);
    let mut commits = vec![];
    for n in 0..200_u64 {
        let mut batch = Batch::new();
        for _ in 0..random.below(4) {
            let keyspace = Keyspace::ALL[random.below(Keyspace::COUNT as u64) as usize];
            let key = format!("key {}", random.below(80));
            if keyspace == Keyspace::Counters {
                batch.add(keyspace, text(&key), [1, n as i64]);
            } else if random.below(4) == 0 {
                batch.delete(keyspace, text(&key));
            } else {
                batch.put(keyspace, text(&key), vec![n as u8; random.below(2000) as usize]);
            }
        }
        commits.push(store.commit(batch));
    }
    all_succeed(commits);
}

pub(super) fn what_was_acknowledged_is_there_after_a_close(open: &Open, dir: &Path) {
    let mut before = None;
    for round in 1..=3 {
        let store = open(dir).expect("an open");
        if let Some(before) = before {
            assert_eq!(content(&*store), before);
        }
        fill(&*store, round);
        before = Some(content(&*store));
        store.close().expect("a close");
    }
}

pub(super) fn what_was_acknowledged_is_there_after_a_drop(open: &Open, dir: &Path) {
    let mut before = None;
    for round in 1..=3 {
        let store = open(dir).expect("an open");
        if let Some(before) = before {
            assert_eq!(content(&*store), before);
        }
        fill(&*store, round);
        before = Some(content(&*store));
    }
}

/// The files as they are on disk at one moment, with the store still open, are what a power cut leaves.
pub(super) fn what_was_acknowledged_is_there_after_a_power_cut(open: &Open, dir: &Path) {
    let mut from = dir.join("0");
    let mut before = None;
    for round in 1..=3 {
        let store = open(&from).expect("an open");
        if let Some(before) = before {
            assert_eq!(content(&*store), before);
        }
        fill(&*store, round);
        before = Some(content(&*store));
        let to = dir.join(round.to_string());
        copy(&from, &to);
        from = to;
    }
}

/// Copies a folder as it is at one moment: again, when a merge of tables has changed it meanwhile.
fn copy(from: &Path, to: &Path) {
    loop {
        let before = files(from).expect("the files of a folder");
        // In order of name a folder comes before what is in it.
        let copied = before.iter().try_for_each(|(name, file)| match file {
            None => fs::create_dir(to.join(name)),
            Some(_) => fs::copy(from.join(name), to.join(name)).map(drop),
        });
        if copied.is_ok() && files(from).is_ok_and(|after| after == before) {
            return;
        }
        fs::remove_dir_all(to).expect("the copy goes");
    }
}

/// A folder and what is below it: of each file its length and the time of its last change, `None` for folders.
fn files(folder: &Path) -> io::Result<BTreeMap<PathBuf, Option<(u64, SystemTime)>>> {
    let (mut files, mut folders) = (BTreeMap::from([(PathBuf::new(), None)]), vec![PathBuf::new()]);
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(folder.join(&inner))? {
            let entry = entry?;
            let (name, meta) = (inner.join(entry.file_name()), entry.metadata()?);
            if meta.is_dir() {
                folders.push(name.clone());
                files.insert(name, None);
            } else {
                files.insert(name, Some((meta.len(), meta.modified()?)));
            }
        }
    }
    Ok(files)
}

pub(super) fn counters_go_on_after_a_reopen(open: &Open, dir: &Path) {
    for round in 1..=4 {
        let store = open(dir).expect("an open");
        for _ in 0..10 {
            let mut batch = Batch::new();
            batch.add(Keyspace::Counters, "n", [1, -1]);
            store.commit(batch).wait().expect("an add");
        }
        let row = store.get(Keyspace::Counters, b"n").expect("a read");
        assert_eq!(crate::decode_pair(row.as_deref()).expect("a pair"), [10 * round, -10 * round]);
        if round % 2 == 0 {
            store.close().expect("a close");
        }
    }
}

pub(super) fn appended_keys_go_on_rising_after_a_reopen_and_in_a_checkpoint(open: &Open, dir: &Path) {
    let append = |store: &dyn Store| {
        commit(store, |batch| {
            batch.append(Keyspace::Streams, text("p:"), text("v"));
        })
        .expect("a write")
        .sequence
    };
    let (path, copy) = (dir.join("store"), dir.join("copy"));
    let mut last = 0;
    for round in 0..5 {
        let store = open(&path).expect("an open");
        // What was appended may be gone by now: the numbers do not depend on it.
        for at in places_below(&*store, "p:") {
            commit(&*store, |batch| {
                batch.delete(Keyspace::Streams, at.key(b"p:"));
            })
            .expect("a write");
        }
        for _ in 0..3 {
            let next = append(&*store);
            assert!(next > last, "{next} came after {last}");
            last = next;
        }
        if round % 2 == 0 {
            store.close().expect("a close");
        }
    }
    open(&path).expect("an open").checkpoint(&copy).expect("a checkpoint");
    let next = append(&*open(&copy).expect("an open"));
    assert!(next > last, "{next} came after {last} in a copy");
}

/// The error must name the folder.
fn refused(open: &Open, dir: &Path, expected: &str) {
    match open(dir) {
        Ok(_) => panic!("{} was opened", dir.display()),
        Err(error @ StoreError::Folder { .. }) => {
            let sentence = error.to_string();
            assert!(sentence.contains(expected), "{sentence}");
            assert!(sentence.contains(&dir.display().to_string()), "{sentence}");
        }
        Err(error) => panic!("{error:?}"),
    }
}

pub(super) fn a_folder_has_one_user_at_a_time(open: &Open, dir: &Path) {
    let store = open(dir).expect("an open");
    refused(open, dir, &format!("process {}", std::process::id()));
    put(&*store, Keyspace::Items, "k", "v");
    drop(store);
    let store = open(dir).expect("an open");
    assert_eq!(read(&*store, Keyspace::Items, "k"), "v");
}

pub(super) fn foreign_and_newer_folders_are_refused(open: &Open, dir: &Path) {
    let foreign = dir.join("foreign");
    fs::create_dir(&foreign).expect("a folder");
    fs::write(foreign.join("letter.txt"), "Dear").expect("a file");
    refused(open, &foreign, "letter.txt");
    assert_eq!(fs::read_dir(&foreign).expect("a folder").count(), 1, "something was left in it");

    let newer = dir.join("newer");
    drop(open(&newer).expect("an open"));
    let format = newer.join("FORMAT");
    let line = fs::read_to_string(&format).expect("the format file");
    let (before, _) = line.rsplit_once(' ').expect("a version");
    fs::write(&format, format!("{before} {}\n", FORMAT_VERSION + 1)).expect("a file");
    refused(open, &newer, &format!("disk format {}", FORMAT_VERSION + 1));
}

pub(super) fn a_checkpoint_opens_as_an_equal_store(open: &Open, dir: &Path) {
    let (from, to) = (dir.join("from"), dir.join("to"));
    let store = open(&from).expect("an open");
    fill(&*store, 7);
    let before = content(&*store);
    store.checkpoint(&to).expect("a checkpoint");
    put(&*store, Keyspace::Items, "later", "v");
    drop(store);
    let copy = open(&to).expect("an open");
    assert_eq!(content(&*copy), before);
    // It is a store like any other, and goes its own way.
    fill(&*copy, 8);
    let before = content(&*copy);
    drop(copy);
    assert_eq!(content(&*open(&to).expect("an open")), before);
    assert_eq!(read(&*open(&from).expect("an open"), Keyspace::Items, "later"), "v");
}

pub(super) fn a_checkpoint_is_of_one_moment(open: &Open, dir: &Path) {
    let (from, to) = (dir.join("from"), dir.join("to"));
    let store: Arc<dyn Store> = open(&from).expect("an open");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut n = 0;
            while !stop.load(Ordering::Relaxed) {
                n += 1;
                commit(&*store, |batch| {
                    for keyspace in Keyspace::ALL {
                        batch.put(keyspace, "n", text(&n.to_string()));
                    }
                })
                .expect("a write");
            }
        });
        // Stop the writer also when the checkpoint fails.
        let result = store.checkpoint(&to);
        stop.store(true, Ordering::Relaxed);
        result.expect("a checkpoint");
    });
    let copy = open(&to).expect("an open");
    let numbers = Keyspace::ALL.map(|keyspace| read(&*copy, keyspace, "n"));
    assert!(numbers.iter().all(|n| *n == numbers[0]), "{numbers:?}");
}

pub(super) fn a_checkpoint_spares_folders_that_hold_something(open: &Open, dir: &Path) {
    let (from, to) = (dir.join("from"), dir.join("to"));
    let store = open(&from).expect("an open");
    put(&*store, Keyspace::Items, "k", "v");
    store.checkpoint(&to).expect("a checkpoint");
    for target in [&to, &from] {
        let error = store.checkpoint(target).expect_err("a second checkpoint to one folder");
        assert!(error.to_string().contains("is not empty"), "{error}");
    }
}

//! Every engine, held against the conformance suite.

use std::sync::Arc;

use dynamometer_store::fault::FaultStore;
use dynamometer_store::{Durability, FjallOptions, FjallStore, MemoryStore, Store, conformance};

/// A store that removes its folder.
struct InTempDir {
    dir: tempfile::TempDir,
    options: FjallOptions,
}

impl InTempDir {
    fn new(options: FjallOptions) -> Self {
        InTempDir { dir: tempfile::tempdir().expect("a folder"), options }
    }

    /// Each call makes a store in a new folder, which is removed with `self`.
    fn store(&self) -> Arc<dyn Store> {
        let path = tempfile::tempdir_in(&self.dir).expect("a folder").keep();
        Arc::new(FjallStore::open(path, &self.options).expect("a new store"))
    }

    fn run_folders(&self) {
        let options = self.options.clone();
        conformance::run_folders(
            &move |path| Ok(Arc::new(FjallStore::open(path, &options)?)),
            self.dir.path(),
        );
    }
}

fn without_sync() -> FjallOptions {
    FjallOptions { durability: Durability::Os, ..FjallOptions::default() }
}

/// So small that memtables are written, and tables merged, all the time.
fn tiny_memtables() -> FjallOptions {
    FjallOptions { memtable_bytes: 16 << 10, cache_bytes: 1 << 20, ..FjallOptions::default() }
}

#[test]
fn memory() {
    conformance::run(|| Arc::new(MemoryStore::new()));
}

#[test]
fn fjall() {
    let place = InTempDir::new(FjallOptions::default());
    conformance::run(|| place.store());
}

#[test]
fn fjall_without_sync() {
    let place = InTempDir::new(without_sync());
    conformance::run(|| place.store());
}

#[test]
fn fjall_with_tiny_memtables() {
    let place = InTempDir::new(tiny_memtables());
    conformance::run(|| place.store());
    place.run_folders();
}

#[test]
fn fjall_in_folders() {
    InTempDir::new(FjallOptions::default()).run_folders();
}

#[test]
fn fjall_without_sync_in_folders() {
    InTempDir::new(without_sync()).run_folders();
}

#[test]
fn faults_that_are_never_due() {
    conformance::run(|| Arc::new(FaultStore::new(MemoryStore::new())));
}

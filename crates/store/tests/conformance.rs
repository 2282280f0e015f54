//! Every engine, held against the conformance suite.

use std::sync::Arc;

use dynamometer_store::fault::FaultStore;
use dynamometer_store::{Durability, EmbeddedOptions, EmbeddedStore, MemoryStore, Store, conformance};

/// A store that removes its folder.
struct InTempDir {
    dir: tempfile::TempDir,
    options: EmbeddedOptions,
}

impl InTempDir {
    fn new(options: EmbeddedOptions) -> Self {
        InTempDir { dir: tempfile::tempdir().expect("a folder"), options }
    }

    /// Each call makes a store in a new folder, which is removed with `self`.
    fn store(&self) -> Arc<dyn Store> {
        let path = tempfile::tempdir_in(&self.dir).expect("a folder").keep();
        Arc::new(EmbeddedStore::open(path, &self.options).expect("a new store"))
    }

    fn run_folders(&self) {
        let options = self.options.clone();
        conformance::run_folders(
            &move |path| Ok(Arc::new(EmbeddedStore::open(path, &options)?)),
            self.dir.path(),
        );
    }
}

fn without_sync() -> EmbeddedOptions {
    EmbeddedOptions { durability: Durability::Os, ..EmbeddedOptions::default() }
}

/// So small that memtables are written, and tables merged, all the time.
fn tiny_memtables() -> EmbeddedOptions {
    EmbeddedOptions { memtable_bytes: 16 << 10, cache_bytes: 1 << 20, ..EmbeddedOptions::default() }
}

#[test]
fn memory() {
    conformance::run(|| Arc::new(MemoryStore::new()));
}

#[test]
fn embedded() {
    let place = InTempDir::new(EmbeddedOptions::default());
    conformance::run(|| place.store());
}

#[test]
fn embedded_without_sync() {
    let place = InTempDir::new(without_sync());
    conformance::run(|| place.store());
}

#[test]
fn embedded_with_tiny_memtables() {
    let place = InTempDir::new(tiny_memtables());
    conformance::run(|| place.store());
    place.run_folders();
}

#[test]
fn embedded_in_folders() {
    InTempDir::new(EmbeddedOptions::default()).run_folders();
}

#[test]
fn embedded_without_sync_in_folders() {
    InTempDir::new(without_sync()).run_folders();
}

#[test]
fn faults_that_are_never_due() {
    conformance::run(|| Arc::new(FaultStore::new(MemoryStore::new())));
}

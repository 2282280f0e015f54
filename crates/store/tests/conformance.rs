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
    fn new(durability: Durability) -> Self {
        let options = FjallOptions { durability, ..FjallOptions::default() };
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

#[test]
fn memory() {
    conformance::run(|| Arc::new(MemoryStore::new()));
}

#[test]
fn fjall() {
    let place = InTempDir::new(Durability::Sync);
    conformance::run(|| place.store());
}

#[test]
fn fjall_without_sync() {
    let place = InTempDir::new(Durability::Os);
    conformance::run(|| place.store());
}

#[test]
fn fjall_in_folders() {
    InTempDir::new(Durability::Sync).run_folders();
}

#[test]
fn fjall_without_sync_in_folders() {
    InTempDir::new(Durability::Os).run_folders();
}

#[test]
fn faults_that_are_never_due() {
    conformance::run(|| Arc::new(FaultStore::new(MemoryStore::new())));
}

//! Random operations on the engine and on a sorted map: both must tell the same story.
//!
//! The table has a local index, a global one, one with keys of several attributes, and one that comes and goes while
//! writes go on, also in the middle of being filled.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::disallowed_methods, reason = "threads, waiting and the environment are the test's own")]

#[path = "../common/mod.rs"]
mod common;
mod draw;
mod drive;
mod late_keys;
mod megabytes;
mod naive;
mod pages;
mod statements;

use std::sync::Arc;

use common::{in_memory, on_disk, with_seeds};
use drive::Drive;

#[test]
fn the_engine_on_memory_does_what_a_sorted_map_does() {
    with_seeds(24, |seed| Drive::new(seed, in_memory()).run(160));
}

#[test]
fn the_engine_on_disk_does_what_a_sorted_map_does() {
    with_seeds(3, |seed| {
        let (folder, store) = on_disk();
        let mut drive = Drive::new(1000 + seed, Arc::clone(&store));
        drive.run(120);
        drop((drive, store));
        drop(folder);
    });
}

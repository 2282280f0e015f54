//! The golden scenarios: what AWS answers, request by request, as text files under `tests/golden`.
//!
//! A case is a file; `tests/golden/README.md` tells how to write one. Each file runs in an empty database of its own, in
//! process, on the memory store and on the embedded one. Environment variables:
//!
//! - `GOLDEN=query/` runs only the files whose path contains the text.
//! - `UPDATE_GOLDEN=1` rewrites the answers in the files to what came back. Read the diff: the files say what AWS
//!   does, not what we do.
//! - `DYNO_GOLDEN_ENDPOINT=http://127.0.0.1:8000` runs the files over HTTP against a running server, which is
//!   emptied before each (`POST /_dyno/reset`). Those in `throttling/` are left out.

#![allow(clippy::unwrap_used)]

mod golden_runner;

use std::path::Path;

use dynamometer_engine::throughput::ThrottleMode;
use golden_runner::endpoint::{Endpoint, Http, Shared};
use golden_runner::run_all;

#[test]
fn scenarios_hold_in_memory() {
    if http_endpoint().is_none() {
        let engines = [Shared::in_memory(ThrottleMode::Report), Shared::in_memory(ThrottleMode::Enforce)];
        run_all(|number, file| Some(in_process(&engines, number, file)));
    }
}

#[test]
fn scenarios_hold_on_disk() {
    // Rewriting needs one engine only.
    if http_endpoint().is_none() && std::env::var_os("UPDATE_GOLDEN").is_none() {
        let engines = [Shared::on_disk(ThrottleMode::Report), Shared::on_disk(ThrottleMode::Enforce)];
        run_all(|number, file| Some(in_process(&engines, number, file)));
    }
}

#[test]
fn scenarios_hold_over_http() {
    if let Some(address) = http_endpoint() {
        run_all(|_, file| (!is_throttled(file)).then(|| Endpoint::Http(Http::emptied(&address))));
    }
}

/// A database on the first engine, or on the second where throttling is enforced.
fn in_process([plain, throttled]: &[Shared; 2], number: usize, file: &Path) -> Endpoint {
    let engine = if is_throttled(file) { throttled } else { plain };
    Endpoint::InProcess(engine.database(&format!("key-{number}")))
}

/// Whether a scenario is about throttling: it runs with `--throttle enforce`, all others would run into limits that
/// their clock, which stands still, never lifts.
fn is_throttled(file: &Path) -> bool {
    file.parent().is_some_and(|folder| folder.ends_with("throttling"))
}

fn http_endpoint() -> Option<String> {
    std::env::var("DYNO_GOLDEN_ENDPOINT").ok()
}

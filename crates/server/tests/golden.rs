//! The golden scenarios: what AWS answers, request by request, as text files under `tests/golden`.
//!
//! A case is a file; `tests/golden/README.md` tells how to write one. Each file runs in an empty database of its own, in
//! process, on the memory store and on the embedded one. Environment variables:
//!
//! - `GOLDEN=query/` runs only the files whose path contains the text.
//! - `UPDATE_GOLDEN=1` rewrites the answers in the files to what came back. Read the diff: the files say what AWS
//!   does, not what we do.
//! - `DYNO_GOLDEN_ENDPOINT=http://127.0.0.1:8000` runs the files over HTTP against a running server, which is
//!   emptied before each (`POST /_dyno/reset`). Those in `throttling/` and those with flags are left out.

#![allow(clippy::unwrap_used)]

mod golden_runner;

use std::path::Path;

use dynamometer_engine::EngineConfig;
use dynamometer_engine::lag::LagRange;
use dynamometer_engine::throughput::ThrottleMode;
use dynamometer_types::parse_duration_range_ms;
use golden_runner::endpoint::{Endpoint, Http, Shared};
use golden_runner::run_all;

#[test]
fn scenarios_hold_in_memory() {
    if http_endpoint().is_none() {
        let engines = [Shared::in_memory(ThrottleMode::Report), Shared::in_memory(ThrottleMode::Enforce)];
        run_all(|number, file| Some(in_process(&engines, Shared::in_memory_with, number, file)));
    }
}

#[test]
fn scenarios_hold_on_disk() {
    // Rewriting needs one engine only.
    if http_endpoint().is_none() && std::env::var_os("UPDATE_GOLDEN").is_none() {
        let engines = [Shared::on_disk(ThrottleMode::Report), Shared::on_disk(ThrottleMode::Enforce)];
        run_all(|number, file| Some(in_process(&engines, Shared::on_disk_with, number, file)));
    }
}

#[test]
fn scenarios_hold_over_http() {
    if let Some(address) = http_endpoint() {
        run_all(|_, file| {
            (!is_throttled(file) && serve_flags(file).is_none())
                .then(|| Endpoint::Http(Http::emptied(&address)))
        });
    }
}

/// A database on the first engine, or on the second where throttling is enforced; on one of its own when the file has
/// flags.
fn in_process(
    [plain, throttled]: &[Shared; 2],
    other: impl Fn(EngineConfig) -> Shared,
    number: usize,
    file: &Path,
) -> Endpoint {
    if let Some(flags) = serve_flags(file) {
        return Endpoint::InProcess(other(config_of(&flags)).database(&format!("key-{number}")));
    }
    let engine = if is_throttled(file) { throttled } else { plain };
    Endpoint::InProcess(engine.database(&format!("key-{number}")))
}

/// Whether a scenario is about throttling: it runs with `--throttle enforce`, all others would run into limits that
/// their clock, which stands still, never lifts.
fn is_throttled(file: &Path) -> bool {
    file.parent().is_some_and(|folder| folder.ends_with("throttling"))
}

/// The flags of a scenario's `serve:` line.
fn serve_flags(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().find_map(|line| line.strip_prefix("serve: ")).map(str::to_owned)
}

/// What the flags of `dyno serve` that scenarios use ask of the engine.
fn config_of(flags: &str) -> EngineConfig {
    let mut config = EngineConfig::default();
    let words: Vec<&str> = flags.split_whitespace().collect();
    for pair in words.chunks(2) {
        let [flag, value] = pair else { panic!("a flag without a value: {flags}") };
        let range = || {
            let (from_ms, to_ms) = parse_duration_range_ms(value).unwrap();
            LagRange { from_ms, to_ms }
        };
        match *flag {
            "--index-lag" => config.lag.index = range(),
            "--read-lag" => config.lag.read = range(),
            _ => panic!("scenarios do not know {flag}"),
        }
    }
    config
}

fn http_endpoint() -> Option<String> {
    std::env::var("DYNO_GOLDEN_ENDPOINT").ok()
}

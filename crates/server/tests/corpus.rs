//! The inputs that fuzzing has found worth keeping, each through the check of its target.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../../../fuzz/checks/cloudwatch.rs"]
mod cloudwatch;
#[path = "../../../fuzz/checks/decode.rs"]
mod decode;
#[path = "../../../fuzz/checks/expressions.rs"]
mod expressions;
#[path = "../../../fuzz/checks/keys.rs"]
mod keys;
#[path = "../../../fuzz/checks/numbers.rs"]
mod numbers;
#[path = "../../../fuzz/checks/partiql.rs"]
mod partiql;
#[path = "../../../fuzz/checks/patterns.rs"]
mod patterns;
#[path = "../../../fuzz/checks/requests.rs"]
mod requests;
#[path = "../../../fuzz/checks/rows.rs"]
mod rows;
#[path = "../../../fuzz/checks/sigv4.rs"]
mod sigv4;

use std::path::Path;

/// Runs a check on every input of a target.
fn replay(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut inputs = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let told = Told(path.display().to_string());
        check(&std::fs::read(&path).unwrap());
        std::mem::forget(told);
        inputs += 1;
    }
    assert!(inputs > 0, "{} holds nothing", folder.display());
}

/// Says which input it was, when a check panics.
struct Told(String);

impl Drop for Told {
    fn drop(&mut self) {
        eprintln!("failed on {}", self.0);
    }
}

macro_rules! replays {
    ($($target:ident)+) => {$(
        #[test]
        fn $target() {
            replay(stringify!($target), crate::$target::check);
        }
    )+};
}

mod replayed {
    use super::replay;

    replays! { cloudwatch decode expressions keys numbers partiql patterns requests rows sigv4 }
}

//! See `checks/cloudwatch.rs`.

#![no_main]

#[path = "../checks/cloudwatch.rs"]
mod cloudwatch;

libfuzzer_sys::fuzz_target!(|data: &[u8]| cloudwatch::check(data));

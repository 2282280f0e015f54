#![no_main]

#[path = "../checks/numbers.rs"]
mod numbers;

libfuzzer_sys::fuzz_target!(|data: &[u8]| numbers::check(data));

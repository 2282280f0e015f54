#![no_main]

#[path = "../checks/patterns.rs"]
mod patterns;

libfuzzer_sys::fuzz_target!(|data: &[u8]| patterns::check(data));

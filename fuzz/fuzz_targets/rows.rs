#![no_main]

#[path = "../checks/rows.rs"]
mod rows;

libfuzzer_sys::fuzz_target!(|data: &[u8]| rows::check(data));

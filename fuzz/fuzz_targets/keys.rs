#![no_main]

#[path = "../checks/keys.rs"]
mod keys;

libfuzzer_sys::fuzz_target!(|data: &[u8]| keys::check(data));

#![no_main]

#[path = "../checks/requests.rs"]
mod requests;

libfuzzer_sys::fuzz_target!(|data: &[u8]| requests::check(data));

#![no_main]

#[path = "../checks/sigv4.rs"]
mod sigv4;

libfuzzer_sys::fuzz_target!(|data: &[u8]| sigv4::check(data));

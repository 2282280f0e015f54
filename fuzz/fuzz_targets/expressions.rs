#![no_main]

#[path = "../checks/expressions.rs"]
mod expressions;

libfuzzer_sys::fuzz_target!(|data: &[u8]| expressions::check(data));

#![no_main]

#[path = "../checks/partiql.rs"]
mod partiql;

libfuzzer_sys::fuzz_target!(|data: &[u8]| partiql::check(data));

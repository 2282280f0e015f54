//! How long one admission with its settlement takes: `cargo run --release -p dynamometer-capacity --example admit_cost`.
//!
//! On a busy machine count instructions instead: run the built example with a number of requests, such as 100000, under
//! `valgrind --tool=callgrind`, and again with twice as many; the difference is what they cost.

// An example may look at the clock and print; the library does neither.
#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use dynamometer_capacity::admission::{
    Ask, BillingMode, Dimension, Exact, IndexSpec, Place, ResourceId, ResourceSpec, TableCapacity, TableSpec,
};
use dynamometer_capacity::{CapacityUnits, Constants};
use dynamometer_types::Timestamp;

const REQUESTS: u64 = 5_000_000;

fn main() {
    let requests = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(REQUESTS);
    let on_demand = TableSpec::default();
    let mut provisioned = TableSpec { mode: BillingMode::Provisioned, ..TableSpec::default() };
    provisioned.table = ResourceSpec::provisioned(40_000, 40_000);
    measure("on-demand, one read", &on_demand, false, requests);
    measure("provisioned, one read", &provisioned, false, requests);
    provisioned.indexes =
        vec![IndexSpec { name: "i".into(), resource: ResourceSpec::provisioned(1, 40_000) }];
    measure("provisioned, write with one index entry", &provisioned, true, requests);
}

fn measure(what: &str, spec: &TableSpec, with_index: bool, requests: u64) {
    let mut table = TableCapacity::new(spec, Arc::new(Constants::default()), Timestamp::from_millis(0));
    let index = table.index_id("i");
    let dimension = if with_index { Dimension::Write } else { Dimension::Read };
    let started = Instant::now();
    let mut admitted = 0_u64;
    for request in 0..requests {
        // Ten thousand requests a second, over keys that jump around.
        let now = Timestamp::from_millis((request / 10) as i64);
        let place = Place { hash: request.wrapping_mul(0x9e37_79b9_7f4a_7c15), sort_key: b"2026-10-09#0001" };
        let floor = CapacityUnits::HALF;
        let ask = |resource| Ask { resource, dimension, place, floor };
        let exact = Exact::units(CapacityUnits::ONE);
        let outcome = table.admit(now, &[ask(ResourceId::TABLE)]);
        let outcome = match (outcome, index) {
            (Ok(admission), Some(index)) => table.extend(now, admission, &[ask(index)]),
            (outcome, _) => outcome,
        };
        if let Ok(admission) = black_box(outcome) {
            let parts = [exact; 2];
            let exact = &parts[..admission.parts()];
            table.settle(now, admission, exact);
            admitted += 1;
        }
    }
    let each = started.elapsed().as_nanos() as u64 / requests;
    let state = std::mem::size_of::<TableCapacity>();
    println!(
        "{what}: {each} ns each, {}% admitted, {state} bytes and its partitions",
        admitted * 100 / requests
    );
}

//! How long a month of load takes to simulate: `cargo run --release -p dynamometer-capacity --example simulate_month`.
//!
//! A month of per-second load on 1,000 keys under eight settings. Give `hot` to have one key over a partition's limit all
//! the time, which is the worst case.

// An example may look at the clock and print; the library does neither.
#![allow(clippy::print_stdout, clippy::disallowed_methods)]

use std::sync::Arc;
use std::time::Instant;

use dynamometer_capacity::admission::Dimension;
use dynamometer_capacity::money::PriceTable;
use dynamometer_capacity::simulate::{
    KeySpace, Load, Schedule, Setting, Size, Skew, Spike, Stream, simulate,
};
use dynamometer_capacity::{Consistency, Constants};
use dynamometer_types::Timestamp;

fn main() {
    let days = std::env::args().nth(2).and_then(|days| days.parse().ok()).unwrap_or(30);
    let hot = std::env::args().nth(1).as_deref() == Some("hot");
    let start = Timestamp::from_millis(1_782_864_000_000);
    let stream = |name: &str, dimension, per_second: u64| Stream {
        name: name.into(),
        dimension,
        milli_per_second: per_second * 1_000,
        sizes: vec![Size { bytes: 700, weight: 3 }, Size { bytes: 1_500, weight: 1 }],
        consistency: Consistency::Eventual,
        keys: 0,
        index: None,
        gather_ppm: 0,
        schedule: Schedule::DAY,
    };
    let load = Load {
        start,
        minutes: days * 1_440,
        key_spaces: vec![KeySpace {
            name: "keys".into(),
            count: 1_000,
            items_per_key: 1,
            skew: if hot { Skew::Hot(900_000) } else { Skew::Zipf(100) },
        }],
        indexes: Vec::new(),
        streams: vec![
            stream("reads", Dimension::Read, 900),
            stream("writes", Dimension::Write, if hot { 2_000 } else { 200 }),
        ],
        spikes: vec![Spike { at: start + 36_000_000, times_milli: 12_000, seconds: 1_200 }],
        storage_bytes: 0,
        seed: 1,
    };
    let settings = "on-demand,warm,prov:70,prov:50,fixed:peak,fixed:500/300,reserved:1y,shards:10";
    let settings = Setting::parse_list(settings).expect("these are settings");
    let prices = PriceTable::builtin();
    let prices = prices.region("us-east-1").expect("it has prices");
    let started = Instant::now();
    let outcomes = simulate(&load, &settings, &prices, &Arc::new(Constants::default()), |_| {})
        .expect("the load is sound");
    println!("{} settings, {} minutes: {} ms", settings.len(), load.minutes, started.elapsed().as_millis());
    for outcome in outcomes {
        let worst = outcome.worst.map(|worst| format!("{} {}", worst.at, worst.refused_ppm / 10_000));
        println!(
            "{:24} {:>6} ppm   worst {:34} {:>8} M units   ${}   {} scalings ({} refused) {:?}",
            outcome.setting.to_string(),
            outcome.refused_ppm(),
            worst.unwrap_or_default(),
            outcome.units().halves() / 2_000_000,
            outcome.month.map(|month| month.rounded(2)).unwrap_or_default(),
            outcome.scalings,
            outcome.scalings_refused,
            outcome.reasons.first().map(|reason| reason.text()),
        );
    }
}

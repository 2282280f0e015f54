//! The simulator against what is known of the model, and against the long way round.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use dynamometer_capacity::admission::{
    Ask, BillingMode, Cause, Dimension, PerDimension, Place, ResourceId, ResourceSpec, TableCapacity,
    TableSpec,
};
use dynamometer_capacity::money::PriceTable;
use dynamometer_capacity::simulate::*;
use dynamometer_capacity::trace::{Event, EventKind, HEADER, TraceOutcome, TracePart, TraceReader};
use dynamometer_capacity::{CapacityUnits, Consistency, Constants};
use dynamometer_types::Timestamp;

/// 2026-07-01T00:00:00Z.
const START: Timestamp = Timestamp::from_millis(1_782_864_000_000);

fn stream(dimension: Dimension, per_second: u64, bytes: u64) -> Stream {
    Stream {
        name: "requests".into(),
        dimension,
        milli_per_second: per_second * 1_000,
        sizes: vec![Size { bytes, weight: 1 }],
        consistency: Consistency::Strong,
        keys: 0,
        index: None,
        gather_ppm: 0,
        schedule: Schedule::FLAT,
    }
}

fn load(minutes: u64, skew: Skew, streams: Vec<Stream>) -> Load {
    let space = |count| KeySpace { name: "keys".into(), count, items_per_key: 1, skew };
    Load {
        start: START,
        minutes,
        key_spaces: vec![space(1_000), KeySpace { skew: Skew::Uniform, ..space(2) }],
        indexes: Vec::new(),
        streams,
        spikes: Vec::new(),
        storage_bytes: 0,
        seed: 1,
    }
}

fn play(load: &Load, settings: &str) -> Vec<Outcome> {
    let prices = PriceTable::builtin();
    let prices = prices.region("us-east-1").unwrap();
    let settings = Setting::parse_list(settings).unwrap();
    simulate(load, &settings, &prices, &Arc::new(Constants::default()), |_| {}).unwrap()
}

/// Requests served per second on average after the first minute.
fn served(outcome: &Outcome) -> u64 {
    let minutes = &outcome.minutes[1..];
    let served: u64 = minutes.iter().map(|point| point.all_asked() - point.all_refused()).sum();
    served / (60 * minutes.len() as u64)
}

#[track_caller]
fn assert_near(value: u64, expected: u64, percent: u64) {
    assert!(value.abs_diff(expected) * 100 <= percent * expected, "{value}, expected about {expected}");
}

#[test]
fn a_seed_gives_the_same_bytes_and_another_one_others() {
    let mut load = load(20, Skew::Zipf(110), vec![stream(Dimension::Write, 3_000, 900)]);
    let settings = "on-demand,prov:70,fixed:5/900,shards:4";
    let first = format!("{:?}", play(&load, settings));
    assert_eq!(first, format!("{:?}", play(&load, settings)));
    // A setting's outcome does not depend on those beside it.
    assert_eq!(format!("{:?}", &play(&load, settings)[1..2]), format!("{:?}", play(&load, "prov:70")));
    load.seed = 2;
    assert_ne!(first, format!("{:?}", play(&load, settings)));
}

#[test]
fn one_key_gets_what_one_partition_serves_and_shards_get_more() {
    let load = load(10, Skew::Hot(1_000_000), vec![stream(Dimension::Write, 2_000, 1_000)]);
    let outcomes = play(&load, "on-demand,warm:12000/20000,shards:10");
    for outcome in &outcomes[..2] {
        assert_near(served(outcome), 1_000, 2);
        assert_eq!(outcome.reasons[0].cause, Cause::KeyRangeThroughput, "{:?}", outcome.setting);
    }
    assert_near(served(&outcomes[2]), 2_000, 2);
    assert!(outcomes[2].refused_ppm() < 20_000, "{}", outcomes[2].refused_ppm());
}

#[test]
fn a_hot_partition_is_split_where_that_helps() {
    let partitions = |load: &Load| {
        let outcome = &play(load, "on-demand")[0];
        (
            outcome.minutes[0].partitions,
            outcome.minutes.last().unwrap().partitions,
            outcome.minutes.last().unwrap().all_refused(),
        )
    };
    let writes = vec![stream(Dimension::Write, 1_500, 1_000)];
    // One hot item, or ever larger sort keys: nothing helps.
    let hot = load(30, Skew::Hot(1_000_000), writes.clone());
    let (first, last, refused) = partitions(&hot);
    assert!(first == last && refused > 20_000, "{first} {last} {refused}");
    let (first, last, refused) = partitions(&load(30, Skew::Time(60), writes.clone()));
    assert!(first == last && refused > 20_000, "{first} {last} {refused}");
    // One key with many items is cut between them.
    let mut many = hot;
    many.key_spaces[0].items_per_key = 1_000;
    let (first, last, refused) = partitions(&many);
    assert!(last > first && refused < 2_000, "{first} {last} {refused}");
}

#[test]
fn provisioned_throughput_is_served_and_paid() {
    let load = load(60, Skew::Uniform, vec![stream(Dimension::Write, 200, 1_000)]);
    let outcomes = play(&load, "fixed:1/100,fixed:1/300,on-demand");
    assert_near(served(&outcomes[0]), 100, 1);
    assert_eq!(outcomes[0].reasons[0].cause, Cause::ProvisionedThroughput);
    assert_eq!(outcomes[1].refused, PerDimension::default());
    // 0.00065 × 730 × units, and 0.00013 × 730 for the read unit.
    let month = |outcome: &Outcome| outcome.month.unwrap().to_string();
    assert_eq!(month(&outcomes[0]), "47.5449");
    assert_eq!(month(&outcomes[1]), "142.4449");
    // 200 × 2,628,000 units of 0.625 a million, give or take chance.
    let picos = outcomes[2].month.unwrap().picos().unsigned_abs();
    assert_near(picos as u64 / 1_000_000_000, 328_500, 1);
}

#[test]
fn auto_scaling_follows_a_slow_load_and_comes_late_for_a_spike() {
    let mut load = load(12 * 60, Skew::Uniform, vec![stream(Dimension::Write, 200, 1_000)]);
    load.streams[0].schedule = Schedule::DAY;
    let quiet = &play(&load, "prov:70")[0];
    assert!(quiet.refused_ppm() < 100, "{}", quiet.refused_ppm());
    assert!(quiet.scalings > 5);
    load.spikes = vec![Spike { at: START + 6 * 3_600_000, times_milli: 12_000, seconds: 1_200 }];
    let outcomes = play(&load, "prov:70,on-demand,reserved:1y");
    let worst = outcomes[0].worst.unwrap();
    assert!((1..4).contains(&((worst.at - load.spikes[0].at) / 60_000)), "{}", worst.at);
    assert!(worst.refused_ppm > 600_000);
    // What on-demand serves at once is enough here.
    assert!(outcomes[1].refused_ppm() < 1_000, "{}", outcomes[1].refused_ppm());
    assert!(outcomes[2].month <= outcomes[0].month);
}

#[test]
fn warming_helps_where_growth_is_too_fast_and_is_paid_once() {
    let mut load = load(40, Skew::Uniform, vec![stream(Dimension::Write, 3_000, 1_000)]);
    load.spikes = vec![Spike { at: START + 600_000, times_milli: 4_000, seconds: 600 }];
    let outcomes = play(&load, "on-demand,warm");
    assert!(outcomes[0].worst.unwrap().refused_ppm > 500_000);
    // Chance gives some partition more than its share of the keys.
    assert!(outcomes[1].refused_ppm() < 10_000, "{}", outcomes[1].refused_ppm());
    // From 4,000 to 13,200 write units at 0.00065, and nothing for reads.
    assert_eq!(outcomes[1].once.to_string(), "5.98");
    assert_eq!(outcomes[0].once.to_string(), "0.00");
}

#[test]
fn an_index_of_few_keys_holds_the_table_back_and_is_named() {
    let mut load = load(10, Skew::Uniform, vec![stream(Dimension::Write, 3_000, 1_000)]);
    load.indexes =
        vec![IndexLoad { name: "byStatus".into(), keys: 1, entry_bytes: 300, write_share_ppm: 1_000_000 }];
    let outcome = &play(&load, "on-demand")[0];
    assert_eq!(outcome.reasons[0].text(), "IndexWriteKeyRangeThroughputExceeded (byStatus)");
    // Two keys, a partition each.
    assert_near(served(outcome), 2_000, 5);
    // Sparse enough, it holds nothing back, and costs its share.
    load.indexes[0].write_share_ppm = 250_000;
    let outcome = &play(&load, "on-demand")[0];
    assert!(outcome.refused_ppm() < 1_000);
    assert_near(outcome.consumed.write.halves() / 2, outcome.asked.write * 5 / 4, 1);
}

#[test]
fn reads_that_gather_ask_every_shard() {
    let mut load = load(5, Skew::Hot(500_000), vec![stream(Dimension::Read, 4_000, 8_192)]);
    let units = |load: &Load| play(load, "warm:40000/4000+shards:4")[0].consumed.read.halves() / 2;
    let known = units(&load);
    load.streams[0].gather_ppm = 1_000_000;
    // Half of the reads become four, each for a quarter of the page: one unit instead of two.
    assert_near(units(&load), known + known / 2, 2);
}

/// Every request by itself, on a key drawn by its weight, through the plain interface.
fn the_long_way(load: &Load, shares: &dyn Fn(u64) -> u64, minutes: u64, per_second: u64) -> u64 {
    let spec = TableSpec { seed: load.seed, ..TableSpec::default() };
    let mut capacity = TableCapacity::new(&spec, Arc::new(Constants::default()), START);
    let mut random = 42_u64;
    let mut served = 0;
    for second in 0..minutes * 60 {
        let now = START + (second * 1_000) as i64;
        for _ in 0..per_second {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let key = shares((random >> 33) % 1_000_000);
            let hash = (key + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let ask = Ask {
                resource: ResourceId::TABLE,
                dimension: Dimension::Write,
                place: Place::of_hash(hash),
                floor: CapacityUnits::ONE,
            };
            if let Ok(admission) = capacity.admit(now, &[ask]) {
                let exact = dynamometer_capacity::admission::Exact::units(CapacityUnits::ONE);
                capacity.settle(now, admission, &[exact]);
                served += u64::from(second >= 60);
            }
        }
    }
    served / ((minutes - 1) * 60)
}

#[test]
fn the_short_cut_serves_as_many_as_the_long_way() {
    for hot_percent in [0, 40, 60] {
        let load = load(4, Skew::Hot(hot_percent * 10_000), vec![stream(Dimension::Write, 2_500, 1_000)]);
        let short = served(&play(&load, "on-demand")[0]);
        let shares = |point: u64| if point < hot_percent * 10_000 { 0 } else { 1 + point % 999 };
        let long = the_long_way(&load, &shares, 4, 2_500);
        assert_near(short, long, 3);
    }
}

#[test]
fn loads_that_make_no_sense_are_refused() {
    let fine = load(10, Skew::Uniform, vec![stream(Dimension::Write, 1, 1)]);
    let settings = [Setting::ON_DEMAND];
    let prices = PriceTable::builtin();
    let prices = prices.region("us-east-1").unwrap();
    let refusal = |change: &dyn Fn(&mut Load)| {
        let mut load = fine.clone();
        change(&mut load);
        simulate(&load, &settings, &prices, &Arc::default(), |_| {}).unwrap_err().to_string()
    };
    for (text, expected) in [
        (refusal(&|load| load.minutes = 0), "a simulation lasts from one minute"),
        (refusal(&|load| load.streams.clear()), "there is nothing to simulate"),
        (refusal(&|load| load.streams[0].milli_per_second = u64::MAX / 2_000), "stream requests would reach"),
        (refusal(&|load| load.streams[0].keys = 9), "stream requests names keys"),
        (refusal(&|load| load.key_spaces[0].count = 0), "keys: from 1 to 100000 keys, not 0"),
        (refusal(&|load| load.streams[0].sizes.clear()), "stream requests needs an item size"),
    ] {
        assert!(text.starts_with(expected), "{text}");
    }
}

/// Two minutes of writes to a table of ten units, some of them refused.
fn trace() -> Vec<Event> {
    let spec = TableSpec {
        mode: BillingMode::Provisioned,
        table: ResourceSpec::provisioned(10, 10),
        ..TableSpec::default()
    };
    let mut capacity = TableCapacity::new(&spec, Arc::default(), START);
    let mut events = vec![Event {
        table: 1,
        at: START,
        kind: EventKind::Table { name: "Orders".into(), spec: Box::new(spec) },
    }];
    for request in 0..2_400 {
        let at = START + request as i64 * 50;
        let part = TracePart {
            resource: ResourceId::TABLE,
            dimension: Dimension::Write,
            hash: request,
            sort_key: Box::default(),
            floor: CapacityUnits::ONE,
        };
        let answer = capacity.admit(at, &[part.ask()]);
        let outcome = TraceOutcome::of(&answer);
        events.push(Event { table: 1, at, kind: EventKind::Admit { request, parts: vec![part], outcome } });
        let exact = vec![dynamometer_capacity::admission::Exact::units(CapacityUnits::ONE)];
        if let Ok(admission) = answer {
            capacity.settle(at, admission, &exact);
        }
        events.push(Event { table: 1, at, kind: EventKind::Settle { request, exact } });
    }
    events
}

#[test]
fn a_trace_is_played_under_other_settings() {
    let prices = PriceTable::builtin();
    let prices = prices.region("us-east-1").unwrap();
    let mut text = format!("{HEADER}\n");
    trace().iter().for_each(|event| event.write_to(&mut text));
    let mut reader = TraceReader::new("x");
    let events: Vec<Event> = text.lines().filter_map(|line| reader.read(line).unwrap()).collect();
    let settings = Setting::parse_list("recorded,on-demand,fixed:10/10,fixed:peak,prov:70").unwrap();
    let outcomes = replay_under(&events, &settings, &prices).unwrap();
    assert_eq!((outcomes[0].differing, outcomes[0].asked.write), (Some(0), 2_400));
    assert_near(outcomes[0].refused.write, 1_190, 1);
    assert_eq!(outcomes[1].refused.write, 0);
    assert_eq!(outcomes[1].consumed.write, CapacityUnits::from_whole(2_400));
    assert_eq!(outcomes[2].refused, outcomes[0].refused);
    assert_eq!(outcomes[2].month, outcomes[0].month, "recorded as provisioned, and priced so");
    assert_eq!(outcomes[3].refused.write, 0);
    let shards = Setting::parse_list("shards:2").unwrap();
    let refused = replay_under(&events, &shards, &prices).unwrap_err().to_string();
    assert!(refused.contains("cannot be played on a trace"), "{refused}");
    assert_eq!(replay_under(&events[..1], &settings, &prices), Err(ReplayUnderError::Empty));
}

//! Random loads, held by an auditor that shares no code with the model.
//!
//! The auditor sees only what was granted: when, from which table or index, for which item, how many units. It knows
//! the rules as sums over windows of time, where the model knows them as buckets: in no window may more be granted than
//! the rate yields in it, what may be saved up beforehand, and the last request's overshoot. The numbers are a
//! hundredth of the real ones, so that short loads reach every limit.

use std::collections::BTreeMap;
use std::sync::Arc;

use dynamometer_types::Timestamp;

use super::*;
use crate::{CapacityUnits, Constants};

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
/// The dearest request of the loads, in half units.
const DEAREST: i64 = 60;
/// Requests that may be under way at a time, each of which may overshoot.
const UNDER_WAY: usize = 3;

fn small() -> Constants {
    Constants {
        partition_read_units: 30,
        partition_write_units: 10,
        on_demand_initial_read_units: 120,
        on_demand_initial_write_units: 40,
        table_quota_read_units: 400,
        table_quota_write_units: 100,
        burst_ms: 20_000,
        on_demand_growth_ms: 120_000,
        heat_seconds: 5,
        heat_window_seconds: 10,
        split_ms: 10_000,
        ..Constants::default()
    }
}

/// A small generator of our own, so that a seed means the same load for ever.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn one_in(&mut self, bound: u64) -> bool {
        self.below(bound) == 0
    }
}

/// Units that were granted.
#[derive(Clone, Debug, PartialEq)]
struct Grant {
    at: i64,
    /// 0 for the table, then the indexes.
    resource: usize,
    dimension: Dimension,
    item: (u64, u8),
    halves: i64,
}

/// What a load did: its grants, and how often each cause refused.
#[derive(Debug, Default, PartialEq)]
struct Trace {
    grants: Vec<Grant>,
    refusals: BTreeMap<String, u64>,
}

fn spec_of(random: &mut Random) -> TableSpec {
    let mode = if random.one_in(2) { BillingMode::Provisioned } else { BillingMode::OnDemand };
    let resource = |random: &mut Random, most_writes: u64| ResourceSpec {
        provisioned: PerDimension::new(5 + random.below(60), 1 + random.below(most_writes)),
        maximum: match mode == BillingMode::OnDemand && random.one_in(2) {
            true => PerDimension::new(Some(20 + random.below(50)), Some(1 + random.below(most_writes))),
            false => PerDimension::default(),
        },
        ..ResourceSpec::default()
    };
    let table = resource(random, 25);
    // Weaker than the table, so that they are what refuses.
    let indexes = (0..random.below(3))
        .map(|number| IndexSpec { name: format!("index{number}").into(), resource: resource(random, 5) })
        .collect();
    TableSpec {
        mode,
        table,
        indexes,
        has_local_index: random.one_in(3),
        seed: random.0,
        ..TableSpec::default()
    }
}

/// One request: an item of the table, and perhaps an entry of an index; what it costs shows when it is settled.
struct Request {
    parts: Vec<(ResourceId, Dimension, (u64, u8))>,
    cost: i64,
}

fn request_of(random: &mut Random, indexes: usize) -> Request {
    let dimension = if random.one_in(2) { Dimension::Read } else { Dimension::Write };
    let item = |random: &mut Random| match random.below(10) {
        0..4 => (7 << 60, b'x'),
        4..7 => (3 << 60, random.below(40) as u8),
        _ => (random.below(16) << 60, random.below(3) as u8),
    };
    let mut parts = vec![(ResourceId::TABLE, dimension, item(random))];
    if indexes > 0 && dimension == Dimension::Write && random.one_in(2) {
        let index = 1 + random.below(indexes as u64) as usize;
        parts.push((ResourceId::at(index), dimension, item(random)));
    }
    let cost = if random.one_in(20) { DEAREST } else { 2 + random.below(8) as i64 };
    Request { parts, cost }
}

fn run(seed: u64, constants: Constants, forgives_debt: bool) -> (TableSpec, Trace) {
    let mut random = Random(seed);
    let spec = spec_of(&mut random);
    let mut table = TableCapacity::new(&spec, Arc::new(constants), Timestamp::from_millis(0));
    table.forgives_debt = forgives_debt;
    let (mut trace, mut now) = (Trace::default(), 0);
    let mut under_way: Vec<(Admission, Request)> = Vec::new();
    for _ in 0..20_000 {
        now += if random.one_in(2_000) { 5 * MINUTE } else { random.below(30) as i64 };
        let at = Timestamp::from_millis(now);
        if under_way.len() == UNDER_WAY || (!under_way.is_empty() && random.one_in(2)) {
            let (admission, request) = under_way.remove(0);
            settle(&mut table, at, admission, &request, &mut trace);
        }
        let request = request_of(&mut random, spec.indexes.len());
        let asks: Vec<_> = request
            .parts
            .iter()
            .map(|(resource, dimension, (hash, sort_key))| Ask {
                resource: *resource,
                dimension: *dimension,
                place: Place { hash: *hash, sort_key: std::slice::from_ref(sort_key) },
                floor: CapacityUnits::HALF,
            })
            .collect();
        let (first, rest) = asks.split_at(1);
        match table.admit(at, first).and_then(|admission| table.extend(at, admission, rest)) {
            Ok(admission) => under_way.push((admission, request)),
            Err(refusal) => *trace.refusals.entry(refusal.reason()).or_default() += 1,
        }
    }
    let at = Timestamp::from_millis(now);
    for (admission, request) in under_way {
        settle(&mut table, at, admission, &request, &mut trace);
    }
    check_counters(&mut table, at, &trace);
    (spec, trace)
}

fn settle(
    table: &mut TableCapacity,
    at: Timestamp,
    admission: Admission,
    request: &Request,
    trace: &mut Trace,
) {
    let exact = Exact::units(CapacityUnits::from_halves(request.cost.unsigned_abs()));
    table.settle(at, admission, &vec![exact; request.parts.len()]);
    for (resource, dimension, item) in &request.parts {
        let resource = (0..9).find(|slot| ResourceId::at(*slot) == *resource).unwrap();
        let grant =
            Grant { at: at.millis(), resource, dimension: *dimension, item: *item, halves: request.cost };
        trace.grants.push(grant);
    }
}

/// The model counts as consumed what the trace saw, and as refused what it answered.
fn check_counters(table: &mut TableCapacity, at: Timestamp, trace: &Trace) {
    let mut refusals = 0;
    for (number, report) in table.report(at).iter().enumerate() {
        for dimension in Dimension::BOTH {
            let granted: i64 = of(trace, number, dimension).map(|grant| grant.halves).sum();
            assert_eq!(report.counters[dimension].consumed_halves as i64, granted);
            refusals += report.counters[dimension].all_refusals();
        }
    }
    assert_eq!(refusals, trace.refusals.values().sum::<u64>());
}

fn of(trace: &Trace, resource: usize, dimension: Dimension) -> impl Iterator<Item = &Grant> {
    trace.grants.iter().filter(move |grant| (grant.resource, grant.dimension) == (resource, dimension))
}

/// The most that any window held beyond what `rate` units a second yield in it, in half units.
fn largest_excess<'a>(grants: impl Iterator<Item = &'a Grant>, rate: u64) -> i64 {
    // Half units times a thousand, so that milliseconds need no division.
    let (mut total, mut lowest, mut excess) = (0_i64, i64::MAX, 0);
    for grant in grants {
        let yielded = 2 * rate as i64 * grant.at;
        lowest = lowest.min(total - yielded);
        total += grant.halves * 1_000;
        excess = excess.max(total - yielded - lowest);
    }
    excess / 1_000
}

/// What the requests under way may have overshot.
const OVERSHOOT: i64 = (UNDER_WAY as i64 + 1) * DEAREST;

/// Everything that a trace breaks, by rule.
fn audit(spec: &TableSpec, trace: &Trace, constants: &Constants) -> Vec<String> {
    let mut broken = Vec::new();
    let resources = std::iter::once(&spec.table).chain(spec.indexes.iter().map(|index| &index.resource));
    for (number, resource) in resources.enumerate() {
        for dimension in Dimension::BOTH {
            let mut limit = |what: &str, excess: i64, saved: i64| {
                if excess > saved + OVERSHOOT {
                    broken
                        .push(format!("{what} of {number} for {}: {excess} over {saved}", dimension.word()));
                }
            };
            let grants = || of(trace, number, dimension);
            match spec.mode {
                BillingMode::Provisioned => {
                    let rate = resource.provisioned[dimension];
                    let saved = 2 * rate as i64 * (SECOND + constants.burst_ms as i64) / SECOND;
                    limit("provisioned throughput", largest_excess(grants(), rate), saved);
                }
                BillingMode::OnDemand => {
                    let (minute, over, rate) = worst_minute(grants(), dimension, constants);
                    limit(&format!("growth at minute {minute}"), over, 2 * rate);
                    if let Some(maximum) = resource.maximum[dimension] {
                        limit("maximum", largest_excess(grants(), maximum), 2 * maximum as i64);
                    }
                }
            }
            let partition = match dimension {
                Dimension::Read => constants.partition_read_units,
                Dimension::Write => constants.partition_write_units,
            };
            let mut items: BTreeMap<(u64, u8), Vec<&Grant>> = BTreeMap::new();
            grants().for_each(|grant| items.entry(grant.item).or_default().push(grant));
            for grants in items.into_values() {
                let excess = largest_excess(grants.into_iter(), partition);
                limit("partition of one item", excess, 2 * partition as i64);
            }
        }
    }
    broken
}

/// The minute that held most beyond what on-demand growth allows: its number, the excess in half units, and the rate.
fn worst_minute<'a>(
    grants: impl Iterator<Item = &'a Grant>,
    dimension: Dimension,
    constants: &Constants,
) -> (i64, i64, i64) {
    let (initial, quota) = match dimension {
        Dimension::Read => (constants.on_demand_initial_read_units, constants.table_quota_read_units),
        Dimension::Write => (constants.on_demand_initial_write_units, constants.table_quota_write_units),
    };
    let mut minutes: BTreeMap<i64, i64> = BTreeMap::new();
    grants.for_each(|grant| *minutes.entry(grant.at / MINUTE).or_default() += grant.halves);
    let mut worst = (0, 0, 0);
    for (minute, halves) in &minutes {
        // What counts at the end of this minute: twice the highest minute that ended long enough ago.
        let counts_until = minute + 1 - constants.on_demand_growth_ms as i64 / MINUTE;
        let peak = minutes.range(..counts_until).map(|(_, halves)| halves / 120).max().unwrap_or(0);
        let rate = (2 * peak).max(initial as i64).min(quota as i64);
        let over = halves - 120 * rate;
        if over > worst.1 {
            worst = (*minute, over, rate);
        }
    }
    worst
}

const SEEDS: std::ops::Range<u64> = 0..12;

#[test]
fn never_more_is_granted_than_the_rules_allow() {
    let mut refusals: BTreeMap<String, u64> = BTreeMap::new();
    for seed in SEEDS {
        let (spec, trace) = run(seed, small(), false);
        assert_eq!(audit(&spec, &trace, &small()), Vec::<String>::new(), "seed {seed}");
        assert!(trace.grants.len() > 1_000, "seed {seed} serves something");
        trace.refusals.into_iter().for_each(|(reason, count)| *refusals.entry(reason).or_default() += count);
    }
    // The loads reach every limit that they are meant to.
    for reason in [
        "TableReadProvisionedThroughputExceeded",
        "TableWriteKeyRangeThroughputExceeded",
        "TableReadMaxOnDemandThroughputExceeded",
        "IndexWriteProvisionedThroughputExceeded",
        "IndexWriteKeyRangeThroughputExceeded",
        "IndexWriteMaxOnDemandThroughputExceeded",
    ] {
        assert!(refusals.get(reason).is_some_and(|count| *count > 100), "{reason}: {refusals:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_trace() {
    for seed in 0..2 {
        assert_eq!(run(seed, small(), false), run(seed, small(), false));
    }
    assert_ne!(run(0, small(), false).1, run(1, small(), false).1);
}

#[test]
fn the_auditor_catches_a_planted_fault() {
    let forgiving = SEEDS.filter(|seed| {
        let (spec, trace) = run(*seed, small(), true);
        !audit(&spec, &trace, &small()).is_empty()
    });
    assert!(forgiving.count() > 0, "debts that are forgiven");
    let generous = Constants { partition_write_units: 12, ..small() };
    let caught = SEEDS.filter(|seed| {
        let (spec, trace) = run(*seed, generous.clone(), false);
        audit(&spec, &trace, &small()).iter().any(|rule| rule.starts_with("partition"))
    });
    assert!(caught.count() > 0, "a partition that serves a fifth too much");
}

/// The state as far as it decides about the future.
fn state_of(table: &TableCapacity) -> String {
    format!("{:?}", table.resources)
}

#[test]
fn a_run_of_requests_is_the_same_as_one_by_one() {
    for seed in 0..40 {
        let mut random = Random(seed);
        let spec = spec_of(&mut random);
        let constants = Constants {
            strict_admission: random.below(2),
            even_share: random.below(2),
            quota_combined: random.below(2),
            ..small()
        };
        let mut at_once = TableCapacity::new(&spec, Arc::new(constants), Timestamp::from_millis(0));
        let mut one_by_one = at_once.clone();
        let mut now = 0;
        for _ in 0..300 {
            now += random.below(2_000) as i64;
            let at = Timestamp::from_millis(now);
            let request = request_of(&mut random, spec.indexes.len());
            let floor = CapacityUnits::from_halves(request.cost.unsigned_abs());
            let asks: Vec<_> = request
                .parts
                .iter()
                .map(|(resource, dimension, (hash, _))| Ask {
                    resource: *resource,
                    dimension: *dimension,
                    place: Place::of_hash(*hash),
                    floor,
                })
                .collect();
            let count = random.below(60);
            let granted = at_once.admit_run(at, &asks, count);
            let (mut served, mut refusal) = (0, None);
            for _ in 0..count {
                match one_by_one.admit(at, &asks) {
                    Ok(admission) => {
                        one_by_one.settle(at, admission, &vec![Exact::units(floor); asks.len()]);
                        served += 1;
                    }
                    Err(refused) => refusal = Some(refused),
                }
            }
            assert_eq!(granted, Granted { count: served, refusal }, "seed {seed} at {now}");
        }
        assert_eq!(state_of(&at_once), state_of(&one_by_one), "seed {seed}");
    }
}

#[test]
fn looking_at_the_clock_in_between_changes_nothing() {
    for seed in 0..10 {
        let mut random = Random(seed);
        let spec = spec_of(&mut random);
        let mut seldom = TableCapacity::new(&spec, Arc::new(small()), Timestamp::from_millis(0));
        let mut often = seldom.clone();
        let mut now = 0;
        for _ in 0..2_000 {
            let before = now;
            now += if random.one_in(100) { 3 * MINUTE } else { random.below(200) as i64 };
            for step in 1..4 {
                often.advance(Timestamp::from_millis(before + (now - before) * step / 4));
            }
            let ask = Ask {
                resource: ResourceId::TABLE,
                dimension: Dimension::Write,
                place: Place::of_hash(random.below(8) << 61),
                floor: CapacityUnits::from_whole(1 + random.below(4)),
            };
            let at = Timestamp::from_millis(now);
            let count = 1 + random.below(20);
            assert_eq!(seldom.admit_run(at, &[ask], count), often.admit_run(at, &[ask], count), "at {now}");
        }
        assert_eq!(seldom.report(Timestamp::from_millis(now)), often.report(Timestamp::from_millis(now)));
    }
}

//! The capacity model against what is documented or measured of the service: A1 to A36, each on a virtual clock.
//!
//! Rates are those of the steady state. Buckets hold a second, so the first second of a load may pass up to twice the rate.

mod control;
mod on_demand;
mod partitions;
mod provisioned;
mod requests;
mod scaling;

use std::sync::Arc;

use dynamometer_capacity::admission::{
    AccountUse, Ask, Dimension, PerDimension, Place, Refusal, ResourceId, ResourceSpec, TableCapacity,
    TableSpec,
};
use dynamometer_capacity::{CapacityUnits, Constants};
use dynamometer_types::Timestamp;

/// 2026-10-09T00:00:00Z.
const MIDNIGHT: i64 = 1_791_504_000_000;
const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/T";
const ACCOUNT: AccountUse<'static> =
    AccountUse { region: "us-east-1", table: "T", provisioned_elsewhere: PerDimension::new(0, 0) };

fn at_ms(ms: i64) -> Timestamp {
    Timestamp::from_millis(MIDNIGHT + ms)
}

fn provisioned(read: u64, write: u64) -> TableSpec {
    TableSpec {
        mode: dynamometer_capacity::admission::BillingMode::Provisioned,
        table: ResourceSpec::provisioned(read, write),
        ..TableSpec::default()
    }
}

fn units(whole: u64) -> CapacityUnits {
    CapacityUnits::from_whole(whole)
}

/// A table under load, at a moment of the virtual clock.
struct Rig {
    table: TableCapacity,
    ms: i64,
    /// The keys of an even load: a multiple of the partitions that it is to fill.
    keys: u64,
    last_refusal: Option<Refusal>,
}

/// How a load is spread over keys, by the number of the request.
type Keys<'a> = &'a dyn Fn(u64) -> (u64, Vec<u8>);

impl Rig {
    fn new(spec: &TableSpec) -> Self {
        Self::with(spec, Constants::default())
    }

    fn with(spec: &TableSpec, constants: Constants) -> Self {
        Self {
            table: TableCapacity::new(spec, Arc::new(constants), at_ms(0)),
            ms: 0,
            keys: 400,
            last_refusal: None,
        }
    }

    fn now(&self) -> Timestamp {
        at_ms(self.ms)
    }

    fn wait(&mut self, seconds: i64) {
        self.ms += seconds * 1_000;
        self.table.advance(self.now());
    }

    /// Sends `per_second` requests of `cost` each second for `seconds`, in steps of 10 ms, each step to one key.
    /// Answers the requests served, second by second.
    fn load(
        &mut self,
        dimension: Dimension,
        cost: CapacityUnits,
        per_second: u64,
        seconds: u64,
        keys: Keys<'_>,
    ) -> Vec<u64> {
        let mut served = Vec::new();
        let mut request = 0;
        for _ in 0..seconds {
            let mut in_second = 0;
            for step in 0..100 {
                let count = per_second * (step + 1) / 100 - per_second * step / 100;
                let (hash, sort_key) = keys(request);
                request += 1;
                let place = Place { hash, sort_key: &sort_key };
                let ask = Ask { resource: ResourceId::TABLE, dimension, place, floor: cost };
                let granted = self.table.admit_run(self.now(), &[ask], count);
                in_second += granted.count;
                self.last_refusal = granted.refusal.or(self.last_refusal.take());
                self.ms += 10;
            }
            served.push(in_second);
        }
        served
    }

    /// The same, with each step spread evenly over all keys. For rates that fill many partitions.
    fn load_evenly(&mut self, dimension: Dimension, per_second: u64, seconds: u64) -> Vec<u64> {
        let keys = self.keys;
        let mut served = Vec::new();
        for _ in 0..seconds {
            let mut in_second = 0;
            for key in 0..keys {
                let count = per_second * (key + 1) / keys - per_second * key / keys;
                // The keys of one second come in an order that jumps around, spread over the second.
                let place = Place::of_hash(u64::MAX / (2 * keys) * (key * 37 % keys * 2 + 1));
                let now = at_ms(self.ms + (key * 1_000 / keys) as i64);
                let ask = Ask { resource: ResourceId::TABLE, dimension, place, floor: CapacityUnits::ONE };
                let granted = self.table.admit_run(now, &[ask], count);
                in_second += granted.count;
                self.last_refusal = granted.refusal.or(self.last_refusal.take());
            }
            self.ms += 1_000;
            served.push(in_second);
        }
        served
    }

    fn reason(&self) -> String {
        self.last_refusal.as_ref().map(Refusal::reason).unwrap_or_default()
    }

    fn exception(&self) -> &'static str {
        self.last_refusal.as_ref().map_or("none", |refusal| refusal.exception().name())
    }

    fn partitions(&mut self) -> usize {
        let now = self.now();
        self.table.report(now)[0].partitions.len()
    }
}

/// One partition key, one item.
fn one_item(_: u64) -> (u64, Vec<u8>) {
    (42 << 56, b"item".to_vec())
}

/// Asserts that from the tenth second on each serves `expected`, give or take two in a hundred.
#[track_caller]
fn assert_steady(served: &[u64], expected: u64) {
    for (second, count) in served.iter().enumerate().skip(10) {
        assert_near(*count, expected, &format!("second {second}"));
    }
}

/// Asserts that from the second minute on each serves `expected` a second on average.
#[track_caller]
fn assert_steady_minutes(served: &[u64], expected: u64) {
    for (minute, seconds) in served.chunks_exact(60).enumerate().skip(1) {
        assert_near(seconds.iter().sum::<u64>() / 60, expected, &format!("minute {minute}"));
    }
}

#[track_caller]
fn assert_near(count: u64, expected: u64, what: &str) {
    assert!(
        count.abs_diff(expected) * 100 <= 2 * expected,
        "{what}: {count} served, expected about {expected}"
    );
}

//! A25 to A28 and A36: auto scaling on a provisioned table.

use super::control::provision;
use super::*;
use Dimension::Read;
use dynamometer_capacity::admission::ThroughputUpdate;
use dynamometer_capacity::autoscaling::{Scaler, TargetTracking};

struct Scaled {
    rig: Rig,
    scaler: Scaler,
    /// Minutes from the start, and the throughput that was set.
    changes: Vec<(i64, u64)>,
}

impl Scaled {
    fn new(read: u64, least: u64) -> Self {
        let policy = TargetTracking {
            target_basis_points: 7_000,
            least,
            most: 1_000,
            disable_scale_in: false,
            scale_out_cooldown_ms: 0,
            scale_in_cooldown_ms: 0,
        };
        Self {
            rig: Rig::new(&provisioned(read, 1)),
            scaler: Scaler::new(policy).expect("a sound policy"),
            changes: Vec::new(),
        }
    }

    fn provisioned(&mut self) -> u64 {
        let now = self.rig.now();
        self.rig.table.report(now)[0].provisioned.read
    }

    fn set(&mut self, read: u64) {
        let update = ThroughputUpdate { mode: None, targets: vec![provision(read, 1)] };
        self.rig.table.update(self.rig.now(), &update, &ACCOUNT).expect("an update within the limits");
    }

    /// So many minutes of a load, with a look at the policy after each.
    fn run(&mut self, per_second: u64, minutes: u64) {
        for _ in 0..minutes {
            self.rig.load(Read, units(1), per_second, 60, &one_item);
            let (now, provisioned) = (self.rig.now(), self.provisioned());
            let minute = |ago| self.rig.table.minute(now, ResourceId::TABLE, Read, ago);
            if let Some(scaling) = self.scaler.evaluate(now, provisioned, minute, &Constants::default()) {
                self.set(scaling.to());
                self.scaler.made(now, scaling);
                self.changes.push((self.rig.ms / 60_000, scaling.to()));
            }
        }
    }
}

#[test]
fn a25_a26_out_after_two_minutes_and_in_after_fifteen() {
    let mut scaled = Scaled::new(100, 5);
    scaled.run(60, 5);
    scaled.run(90, 10);
    // Minutes five and six were above; the second of them is seen at the end of the eighth.
    assert_eq!(scaled.changes, [(8, 129)]);
    scaled.run(10, 30);
    // Fifteen quiet minutes end at 30; the last of them is seen a minute later.
    assert_eq!(scaled.changes[1..], [(31, 15)]);
}

#[test]
fn a27_thresholds_of_the_alarms() {
    let scaled = Scaled::new(1, 1);
    assert_eq!(scaled.scaler.alarm_thresholds(1, &Constants::default()), (420_000, 300_000));
}

#[test]
fn a28_between_the_thresholds_nothing_happens() {
    let mut scaled = Scaled::new(100, 5);
    scaled.run(60, 60);
    assert_eq!(scaled.changes, []);
}

#[test]
fn a36_an_idle_table_raised_by_hand_is_cut_back() {
    let mut scaled = Scaled::new(5, 5);
    scaled.run(0, 30);
    assert_eq!(scaled.changes, []);
    scaled.set(50);
    scaled.run(0, 2);
    assert_eq!(scaled.changes, [(31, 5)]);
}

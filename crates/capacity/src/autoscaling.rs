//! Auto scaling: target tracking as Application Auto Scaling does it for DynamoDB.
//!
//! Each minute the consumption of the closed minutes is compared with two thresholds: above the target for two
//! minutes in a row, throughput is raised; 20 points below the target for fifteen, it is lowered. Either way it is set so
//! that the busiest of those minutes would have been on target. A closed minute is seen late (`metric_delay_ms`), which
//! is why auto scaling does not help against short spikes.
//!
//! # Source
//! Developer Guide 2026, "Managing throughput with auto scaling"; Application Auto Scaling user guide 2026; thresholds
//! from alarms that it made. The amount of a change is described there in words; the formula is assumed. That an idle
//! table is scaled in, also right after a raise by hand, was measured.

use dynamometer_types::Timestamp;
use thiserror::Error;

use crate::{CapacityUnits, Constants};

const MINUTE_MS: i64 = 60_000;

/// A target tracking policy on the reads or the writes of one table or index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetTracking {
    /// The utilisation to keep, in hundredths of a percent: 2,000 to 9,000.
    pub target_basis_points: u64,
    /// The least throughput.
    pub least: u64,
    /// The most throughput.
    pub most: u64,
    /// Never lower throughput.
    pub disable_scale_in: bool,
    /// After a raise, how long only a larger one acts. The default of the service is 0 for DynamoDB.
    pub scale_out_cooldown_ms: u64,
    /// After a change, how long throughput is not lowered. The default of the service is 0 for DynamoDB.
    pub scale_in_cooldown_ms: u64,
}

/// A policy that makes no sense.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PolicyError {
    /// The target is out of range.
    #[error("the target utilization must be from 20 to 90 percent, not {}", *.0 as f64 / 100.0)]
    Target(u64),
    /// The bounds are not in order.
    #[error(
        "the minimum capacity must be at least 1 and at most the maximum; got minimum {least}, maximum {most}"
    )]
    Bounds {
        /// The least throughput given.
        least: u64,
        /// The most throughput given.
        most: u64,
    },
}

/// A change of throughput that a policy asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scaling {
    /// Raise to so many units per second.
    Out(u64),
    /// Lower to so many units per second.
    In(u64),
}

impl Scaling {
    /// The throughput to set.
    pub const fn to(self) -> u64 {
        match self {
            Self::Out(units) | Self::In(units) => units,
        }
    }
}

/// What an alarm on consumed units shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alarm {
    /// Not all of its minutes are known.
    InsufficientData,
    /// One of its minutes at least keeps to the threshold.
    Ok,
    /// All of its minutes are beyond the threshold.
    Breached {
        /// The units per second that would put the busiest of these minutes on target, within the bounds.
        wants: u64,
    },
}

/// The two alarms of a policy on consumed units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alarms {
    /// Raises throughput.
    pub high: Alarm,
    /// Lowers it.
    pub low: Alarm,
}

/// A policy with the changes that it made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scaler {
    policy: TargetTracking,
    last: Option<(Timestamp, Scaling)>,
}

impl Scaler {
    /// A policy that has changed nothing yet.
    ///
    /// # Errors
    /// When target or bounds are out of range.
    pub fn new(policy: TargetTracking) -> Result<Self, PolicyError> {
        if !(2_000..=9_000).contains(&policy.target_basis_points) {
            return Err(PolicyError::Target(policy.target_basis_points));
        }
        if policy.least == 0 || policy.least > policy.most {
            return Err(PolicyError::Bounds { least: policy.least, most: policy.most });
        }
        Ok(Self { policy, last: None })
    }

    /// The policy.
    pub fn policy(&self) -> &TargetTracking {
        &self.policy
    }

    /// The thresholds of the two alarms at this throughput, in ten-thousandths of a unit per minute: above the first it
    /// is raised, below the second lowered. One unit at 70 percent: 420,000 and 300,000, that is 42.0 and 30.0.
    pub fn alarm_thresholds(&self, provisioned: u64, constants: &Constants) -> (u64, u64) {
        let target = self.policy.target_basis_points;
        let low = target.saturating_sub(constants.scale_in_margin_percent * 100);
        (target * provisioned * 60, low * provisioned * 60)
    }

    /// `provisioned` if it is within the bounds, or the bound that it has to be moved to, as happens at once when bounds
    /// are set.
    pub fn within_bounds(&self, provisioned: u64) -> u64 {
        provisioned.clamp(self.policy.least, self.policy.most)
    }

    /// What the two alarms show at `now`.
    ///
    /// `minute` gives the units consumed in the minute that began so many whole minutes before the current one (1 is
    /// the last that ended), `None` where there is no data; such as [`TableCapacity::minute`] does.
    ///
    /// [`TableCapacity::minute`]: crate::admission::TableCapacity::minute
    pub fn alarms(
        &self,
        now: Timestamp,
        provisioned: u64,
        minute: impl Fn(u32) -> Option<CapacityUnits>,
        constants: &Constants,
    ) -> Alarms {
        let newest = first_visible(now, constants);
        let (high, low) = self.alarm_thresholds(provisioned, constants);
        let seen = |count: u64| -> Option<Vec<u64>> {
            (0..count as u32).map(|ago| minute(newest + ago).map(|units| units.halves() * 5_000)).collect()
        };
        let alarm = |count: u64, is_breaching: &dyn Fn(u64) -> bool| match seen(count) {
            None => Alarm::InsufficientData,
            Some(sums) if sums.iter().all(|sum| is_breaching(*sum)) => {
                Alarm::Breached { wants: self.on_target(&sums) }
            }
            Some(_) => Alarm::Ok,
        };
        Alarms {
            high: alarm(constants.scale_out_minutes, &|sum| sum > high),
            low: alarm(constants.scale_in_minutes, &|sum| sum < low),
        }
    }

    /// What the policy asks for at `now`, to be called once a minute; `minute` as for [`Scaler::alarms`].
    pub fn evaluate(
        &self,
        now: Timestamp,
        provisioned: u64,
        minute: impl Fn(u32) -> Option<CapacityUnits>,
        constants: &Constants,
    ) -> Option<Scaling> {
        self.asks_for(now, provisioned, self.alarms(now, provisioned, minute, constants))
    }

    /// What the policy asks for at `now`, when its alarms show this.
    pub fn asks_for(&self, now: Timestamp, provisioned: u64, alarms: Alarms) -> Option<Scaling> {
        match (alarms.high, alarms.low) {
            (Alarm::Breached { wants }, _) => {
                (wants > provisioned && self.may_scale_out(now, wants)).then_some(Scaling::Out(wants))
            }
            (_, Alarm::Breached { wants }) => {
                (wants < provisioned && self.may_scale_in(now)).then_some(Scaling::In(wants))
            }
            _ => None,
        }
    }

    /// Takes note that a change was accepted. One that was refused, for there were too many decreases, is simply not
    /// noted, and asked for again.
    pub fn made(&mut self, now: Timestamp, scaling: Scaling) {
        self.last = Some((now, scaling));
    }

    /// The throughput at which the largest of the sums, in ten-thousandths of a unit per minute, is on target.
    fn on_target(&self, sums: &[u64]) -> u64 {
        let largest = sums.iter().max().copied().unwrap_or_default();
        self.within_bounds(largest.div_ceil(60 * self.policy.target_basis_points))
    }

    fn may_scale_out(&self, now: Timestamp, wanted: u64) -> bool {
        match self.last {
            Some((at, Scaling::Out(before))) if is_within(now, at, self.policy.scale_out_cooldown_ms) => {
                wanted > before
            }
            _ => true,
        }
    }

    fn may_scale_in(&self, now: Timestamp) -> bool {
        let is_cooling =
            self.last.is_some_and(|(at, _)| is_within(now, at, self.policy.scale_in_cooldown_ms));
        !self.policy.disable_scale_in && !is_cooling
    }
}

fn is_within(now: Timestamp, since: Timestamp, span_ms: u64) -> bool {
    (now - since).unsigned_abs() < span_ms
}

/// How many minutes back the newest one is that can be seen.
fn first_visible(now: Timestamp, constants: &Constants) -> u32 {
    let into_minute = now.millis().rem_euclid(MINUTE_MS).unsigned_abs();
    let waited = constants.metric_delay_ms.saturating_sub(into_minute);
    1 + u32::try_from(waited.div_ceil(MINUTE_MS.unsigned_abs())).unwrap_or(u32::MAX - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaler(target_percent: u64) -> Scaler {
        Scaler::new(TargetTracking {
            target_basis_points: target_percent * 100,
            least: 5,
            most: 1_000,
            disable_scale_in: false,
            scale_out_cooldown_ms: 0,
            scale_in_cooldown_ms: 0,
        })
        .unwrap()
    }

    /// A history of units per second, the newest minute last, evaluated at a full minute.
    fn evaluate(scaler: &Scaler, provisioned: u64, history: &[u64]) -> Option<Scaling> {
        let minute = |ago: u32| {
            // One minute is not visible yet.
            let back = (ago - 1) as usize;
            let rate = history.get(history.len().checked_sub(back)?)?;
            Some(CapacityUnits::from_whole(rate * 60))
        };
        scaler.evaluate(Timestamp::from_millis(0), provisioned, minute, &Constants::default())
    }

    #[test]
    fn target_tracking() {
        let scaler = scaler(70);
        let quiet = [10; 15];
        let almost = [[90].as_slice(), &[10; 14]].concat();
        let cases: &[(&str, u64, &[u64], Option<Scaling>)] = &[
            ("two minutes above", 100, &[90, 90], Some(Scaling::Out(129))),
            ("the larger of both", 100, &[80, 90], Some(Scaling::Out(129))),
            ("one minute above", 100, &[70, 90], None),
            ("dead band", 100, &[60; 20], None),
            ("fifteen below", 129, &quiet, Some(Scaling::In(15))),
            ("fourteen below", 129, &almost, None),
            ("too young to tell", 129, &[10; 14], None),
            ("not below the minimum", 100, &[0; 15], Some(Scaling::In(5))),
            ("not above the maximum", 900, &[2_000, 2_000], Some(Scaling::Out(1_000))),
            ("at the maximum", 1_000, &[2_000, 2_000], None),
        ];
        for (name, provisioned, history, expected) in cases {
            assert_eq!(evaluate(&scaler, *provisioned, history), *expected, "{name}");
        }
    }

    #[test]
    fn cooldowns_hold_back_what_is_smaller() {
        let mut scaler = scaler(70);
        scaler.policy.scale_out_cooldown_ms = 60_001;
        scaler.policy.scale_in_cooldown_ms = 60_001;
        scaler.made(Timestamp::from_millis(-60_000), Scaling::Out(129));
        assert_eq!(evaluate(&scaler, 100, &[80, 80]), None);
        assert_eq!(evaluate(&scaler, 100, &[95, 95]), Some(Scaling::Out(136)));
        assert_eq!(evaluate(&scaler, 129, &[10; 15]), None);
        scaler.policy.scale_in_cooldown_ms = 60_000;
        assert_eq!(evaluate(&scaler, 129, &[10; 15]), Some(Scaling::In(15)));
        scaler.policy.disable_scale_in = true;
        assert_eq!(evaluate(&scaler, 129, &[10; 15]), None);
    }

    #[test]
    fn senseless_policies_are_refused() {
        let policy = *scaler(70).policy();
        assert_eq!(
            Scaler::new(TargetTracking { target_basis_points: 1_999, ..policy }),
            Err(PolicyError::Target(1_999))
        );
        assert_eq!(
            PolicyError::Target(1_999).to_string(),
            "the target utilization must be from 20 to 90 percent, not 19.99"
        );
        let error = Scaler::new(TargetTracking { least: 9, most: 8, ..policy }).unwrap_err();
        assert_eq!(error, PolicyError::Bounds { least: 9, most: 8 });
    }

    #[test]
    fn minutes_are_seen_late() {
        let constants = Constants::default();
        for (millis, newest) in [(0, 2), (59_999, 2), (60_000, 2), (30_000, 2)] {
            assert_eq!(first_visible(Timestamp::from_millis(millis), &constants), newest, "at {millis} ms");
        }
        let prompt = Constants { metric_delay_ms: 0, ..Constants::default() };
        assert_eq!(first_visible(Timestamp::from_millis(0), &prompt), 1);
        let half = Constants { metric_delay_ms: 30_000, ..Constants::default() };
        assert_eq!(first_visible(Timestamp::from_millis(29_999), &half), 2);
        assert_eq!(first_visible(Timestamp::from_millis(30_000), &half), 1);
    }
}

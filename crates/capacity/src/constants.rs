//! Every number that the capacity model believes in, with its origin.
//!
//! The service publishes some of its rules and keeps others to itself. So that nobody mistakes a guess for a fact,
//! each number stands here once with a mark and a source, can be listed ([`CONSTANTS`]), read and changed by name
//! ([`Constants::set`]). A changed constant takes effect with the next decision of a model that is given it.

use thiserror::Error;

/// How sure a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// AWS says so in its documentation.
    Documented,
    /// Others measured it on the real service.
    Measured,
    /// Neither: the plainest rule that agrees with what is known.
    Assumed,
}

impl Mark {
    /// The mark as one lower-case word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Documented => "documented",
            Self::Measured => "measured",
            Self::Assumed => "assumed",
        }
    }
}

/// What is known of one constant.
#[derive(Debug)]
pub struct ConstantInfo {
    /// Its name: that of the field in [`Constants`].
    pub name: &'static str,
    /// What it means, in a sentence.
    pub meaning: &'static str,
    /// What it counts: `units/s`, `ms`, `flag` (0 or 1) and so on.
    pub unit: &'static str,
    /// The value unless changed.
    pub default: u64,
    /// The smallest value that makes sense.
    pub smallest: u64,
    /// The largest value that makes sense.
    pub largest: u64,
    /// How sure the default is.
    pub mark: Mark,
    /// Where the default comes from.
    pub source: &'static str,
    get: fn(&Constants) -> u64,
    slot: fn(&mut Constants) -> &mut u64,
}

/// A constant could not be changed.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ConstantError {
    /// There is no constant of that name.
    #[error("there is no constant '{name}'; the names are: {known}")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// All names there are, separated by commas.
        known: String,
    },
    /// The value makes no sense for it.
    #[error("constant '{name}' must be from {smallest} to {largest} {unit}, not {value}")]
    OutOfRange {
        /// The constant.
        name: &'static str,
        /// The value that was given.
        value: u64,
        /// The smallest value allowed.
        smallest: u64,
        /// The largest value allowed.
        largest: u64,
        /// What it counts.
        unit: &'static str,
    },
}

macro_rules! constants {
    ($( $(#[doc = $meaning:literal])+ $name:ident: $default:literal $unit:literal, $smallest:literal to $largest:literal, $mark:ident, $source:literal; )+) => {
        /// The numbers of the capacity model; [`CONSTANTS`] tells the mark and source of each.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Constants {
            $( $(#[doc = $meaning])+ pub $name: u64, )+
        }

        impl Default for Constants {
            fn default() -> Self {
                Self { $( $name: $default, )+ }
            }
        }

        /// All constants, in the order in which the model's documentation lists them.
        pub static CONSTANTS: &[ConstantInfo] = &[ $(
            ConstantInfo {
                name: stringify!($name),
                meaning: concat!($($meaning),+),
                unit: $unit,
                default: $default,
                smallest: $smallest,
                largest: $largest,
                mark: Mark::$mark,
                source: $source,
                get: |constants| constants.$name,
                slot: |constants| &mut constants.$name,
            },
        )+ ];
    };
}

constants! {
    /// Read units a second that one partition serves.
    partition_read_units: 3000 "units/s", 1 to 1_000_000, Documented, "Developer Guide 2026, Designing partition keys";
    /// Write units a second that one partition serves.
    partition_write_units: 1000 "units/s", 1 to 1_000_000, Documented, "Developer Guide 2026, Designing partition keys";
    /// Bytes that one partition holds before it is split.
    partition_bytes: 10_737_418_240 "bytes", 1_024 to 1_099_511_627_776, Documented, "Developer Guide 2026, Partitions and data distribution";
    /// How much unused partition throughput is kept for the next moment.
    partition_bucket_ms: 1000 "ms", 1 to 600_000, Assumed, "the limits are given per second";
    /// How much unused throughput of a table or index is kept beside the burst.
    bucket_ms: 1000 "ms", 1 to 600_000, Assumed, "the limits are given per second";
    /// How much unused provisioned throughput is kept for bursts.
    burst_ms: 300_000 "ms", 0 to 3_600_000, Documented, "Developer Guide 2026, Burst and adaptive capacity";
    /// Read units a second that a new on-demand table or index serves at once.
    on_demand_initial_read_units: 12_000 "units/s", 1 to 10_000_000, Documented, "Developer Guide 2026, Warm throughput";
    /// Write units a second that a new on-demand table or index serves at once.
    on_demand_initial_write_units: 4000 "units/s", 1 to 10_000_000, Documented, "Developer Guide 2026, Warm throughput";
    /// On-demand serves at once this many times the previous peak.
    on_demand_growth_factor: 2 "times", 1 to 100, Documented, "Developer Guide 2026, On-demand capacity mode";
    /// How long until a new peak counts as the previous one. The guide says that throttling can happen within this time; taken strictly.
    on_demand_growth_ms: 1_800_000 "ms", 0 to 86_400_000, Documented, "Developer Guide 2026, On-demand capacity mode";
    /// The table quota, also that of each index: read units a second.
    table_quota_read_units: 40_000 "units/s", 1 to 100_000_000, Documented, "Developer Guide 2026, Service quotas";
    /// The table quota, also that of each index: write units a second.
    table_quota_write_units: 40_000 "units/s", 1 to 100_000_000, Documented, "Developer Guide 2026, Service quotas";
    /// The account quota: the sum of provisioned read units in the region.
    account_quota_read_units: 80_000 "units/s", 1 to 1_000_000_000, Documented, "Developer Guide 2026, Service quotas";
    /// The account quota: the sum of provisioned write units in the region.
    account_quota_write_units: 80_000 "units/s", 1 to 1_000_000_000, Documented, "Developer Guide 2026, Service quotas";
    /// A second is hot when a partition is asked for this share of its limit.
    heat_percent: 90 "percent", 1 to 100, Assumed, "unpublished; AWS speaks of sustained high throughput";
    /// A partition is hot when this many seconds of its window were.
    heat_seconds: 48 "seconds", 1 to 60, Assumed, "unpublished";
    /// The window in which hot seconds are counted.
    heat_window_seconds: 60 "seconds", 1 to 60, Assumed, "unpublished";
    /// Heat is not split when one item, one item collection or one growing end makes this share of it.
    heat_dominant_percent: 90 "percent", 51 to 100, Assumed, "AWS Database Blog, Scaling DynamoDB, part 3, names the cases without figures";
    /// How long a split for heat or size takes.
    split_ms: 300_000 "ms", 0 to 86_400_000, Assumed, "AWS Database Blog, Scaling DynamoDB, part 3: minutes";
    /// The most partitions that the model keeps for one table or index; it bounds memory and nothing else.
    largest_partition_count: 4096 "partitions", 1 to 1_000_000, Assumed, "our choice";
    /// Throughput decreases of a table or index that are free of waiting in one UTC day.
    decreases_per_day: 4 "decreases", 0 to 1000, Measured, "control-plane probes, us-west-2, 2026-10";
    /// After those, a decrease must be this long after the one before.
    decrease_interval_ms: 3_600_000 "ms", 0 to 86_400_000, Measured, "control-plane probes, us-west-2, 2026-10";
    /// Count decreases as the guide words it (one more each full hour, at most four in hand) instead of as measured.
    decrease_by_guide: 0 "flag", 0 to 1, Documented, "Developer Guide 2026, Service quotas";
    /// Switches from provisioned to on-demand in the window.
    mode_switches: 4 "switches", 0 to 1000, Documented, "Developer Guide 2026, Switching capacity modes";
    /// The rolling window of those switches.
    mode_switch_window_ms: 86_400_000 "ms", 0 to 604_800_000, Documented, "Developer Guide 2026, Switching capacity modes";
    /// Time in UPDATING after a change of provisioned throughput.
    update_throughput_ms: 2000 "ms", 0 to 3_600_000, Measured, "control-plane probes, us-west-2, 2026-10: 1 to 2 s";
    /// Time in UPDATING on the first switch to on-demand of a table created as provisioned.
    first_switch_to_on_demand_ms: 130_000 "ms", 0 to 3_600_000, Measured, "control-plane probes, us-west-2, 2026-10: 129 to 172 s";
    /// Time in UPDATING on the switch to on-demand of a table that was so before.
    switch_to_on_demand_ms: 5000 "ms", 0 to 3_600_000, Measured, "control-plane probes, us-west-2, 2026-10: 4 to 5 s";
    /// Time in UPDATING on the switch from on-demand to provisioned.
    switch_to_provisioned_ms: 80_000 "ms", 0 to 3_600_000, Measured, "control-plane probes, us-west-2, 2026-10: 55 to 98 s";
    /// Time until the first raise of warm throughput is served.
    first_warm_ms: 400_000 "ms", 0 to 86_400_000, Measured, "control-plane probes, us-west-2, 2026-10: 272 to 514 s";
    /// Time until a further raise of warm throughput is served.
    warm_ms: 2000 "ms", 0 to 86_400_000, Measured, "control-plane probes, us-west-2, 2026-10";
    /// How long after its end a minute of consumption is seen by auto scaling.
    metric_delay_ms: 60_000 "ms", 0 to 3_600_000, Assumed, "the guide says up to a few minutes for metric and alarm together";
    /// Minutes in a row above the target before auto scaling raises throughput.
    scale_out_minutes: 2 "minutes", 1 to 60, Documented, "Developer Guide 2026, Managing throughput with auto scaling";
    /// Minutes in a row below the lower threshold before auto scaling lowers throughput.
    scale_in_minutes: 15 "minutes", 1 to 60, Documented, "Developer Guide 2026, Managing throughput with auto scaling";
    /// The lower threshold is this many points of utilisation below the target.
    scale_in_margin_percent: 20 "points", 0 to 89, Measured, "alarms that auto scaling made: 42.0 and 30.0 for one unit at 70 percent";
    /// Admit a request only when its whole cost is there, instead of letting it go into debt.
    strict_admission: 0 "flag", 0 to 1, Assumed, "a 400 KB item costs 100 units, and yet is read from tables of one unit";
    /// Bind each partition to its even share of provisioned throughput, as before adaptive capacity (about 2018).
    even_share: 0 "flag", 0 to 1, Documented, "Elhemali and others, USENIX ATC 2022";
    /// Count the on-demand quota for a table and its indexes together, as one page of the guide has it.
    quota_combined: 0 "flag", 0 to 1, Documented, "Developer Guide 2026: Service quotas and Throttling by account disagree";
    /// Answer a quota refusal with ThrottlingException, as one page of the guide has it, instead of RequestLimitExceeded.
    account_limit_as_throttling: 0 "flag", 0 to 1, Documented, "Developer Guide 2026: Throttling pages disagree";
}

impl Constants {
    /// Each constant with its value here.
    pub fn iter(&self) -> impl Iterator<Item = (&'static ConstantInfo, u64)> {
        CONSTANTS.iter().map(|info| (info, (info.get)(self)))
    }

    /// The value of the constant called `name`.
    pub fn get(&self, name: &str) -> Option<u64> {
        CONSTANTS.iter().find(|info| info.name == name).map(|info| (info.get)(self))
    }

    /// Changes the constant called `name`.
    ///
    /// # Errors
    /// An unknown name is answered with all names, a senseless value with the range.
    pub fn set(&mut self, name: &str, value: u64) -> Result<(), ConstantError> {
        let Some(info) = CONSTANTS.iter().find(|info| info.name == name) else {
            let known: Vec<_> = CONSTANTS.iter().map(|info| info.name).collect();
            return Err(ConstantError::Unknown { name: name.to_owned(), known: known.join(", ") });
        };
        if value < info.smallest || value > info.largest {
            return Err(ConstantError::OutOfRange {
                name: info.name,
                value,
                smallest: info.smallest,
                largest: info.largest,
                unit: info.unit,
            });
        }
        *(info.slot)(self) = value;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_is_listed_once_with_a_sane_default_and_a_source() {
        let constants = Constants::default();
        let mut names = std::collections::BTreeSet::new();
        for (info, value) in constants.iter() {
            assert!(names.insert(info.name), "{} twice", info.name);
            assert_eq!(value, info.default, "{}", info.name);
            assert!((info.smallest..=info.largest).contains(&value), "{}", info.name);
            assert!(!info.source.is_empty() && info.meaning.trim().ends_with('.'), "{}", info.name);
        }
    }

    #[test]
    fn constants_change_by_name_within_their_range() {
        let mut constants = Constants::default();
        constants.set("burst_ms", 60_000).unwrap();
        assert_eq!((constants.burst_ms, constants.get("burst_ms")), (60_000, Some(60_000)));
        let error = constants.set("even_share", 2).unwrap_err();
        assert_eq!(error.to_string(), "constant 'even_share' must be from 0 to 1 flag, not 2");
        let error = constants.set("burts_ms", 1).unwrap_err().to_string();
        assert!(
            error.starts_with("there is no constant 'burts_ms'; the names are: partition_read_units, "),
            "{error}"
        );
    }
}

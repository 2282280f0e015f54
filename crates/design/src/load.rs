//! What all patterns together ask of each table and index, and of its hottest keys.
//!
//! Averages are what is paid, peaks are what throttles. The peaks of all patterns are taken to coincide, and so are the
//! hottest keys of patterns that ask for the same key: it is the case to be ready for.

use std::collections::BTreeMap;

use dynamometer_capacity::CapacityUnits;
use dynamometer_capacity::admission::{Dimension, PerDimension};
use dynamometer_capacity::money::HOURS_PER_MONTH;
use dynamometer_types::KeySchema;

use crate::derive::{ALL_PPM, Derived};
use crate::model::{Action, Design, Member, MemberKind, Pattern, Read, Target, WriteKind};
use crate::plan::{Arm, Served, Service, member_arms};
use crate::template::Template;
use crate::yaml::Span;

/// What is asked of a table or an index, in thousandths of units per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TargetLoad {
    /// On average.
    pub average_milli: PerDimension<u64>,
    /// In the busiest second.
    pub peak_milli: PerDimension<u64>,
    /// Units in a month.
    pub month: PerDimension<CapacityUnits>,
}

/// What is asked of the hottest partition key of a kind.
#[derive(Clone, Debug)]
pub struct Heat {
    /// The table or index whose partitions it is about.
    pub target: Target,
    /// The kind of key.
    pub template: Template,
    /// Where the kind is said.
    pub span: Span,
    /// Thousandths of units per second on the hottest key in the busiest second, as far as shares are known.
    pub hottest_milli: PerDimension<u64>,
    /// Thousandths of units per second on all keys of the kind in the busiest second.
    pub peak_milli: PerDimension<u64>,
    /// The same on average.
    pub average_milli: PerDimension<u64>,
    /// The patterns that ask for it.
    pub patterns: Vec<usize>,
    /// Whether some pattern's share on the hottest key is not known.
    pub share_unknown: bool,
}

/// Everything that is asked.
#[derive(Clone, Debug, Default)]
pub struct Load {
    /// By table and index, local indexes apart from their table.
    pub targets: BTreeMap<Target, TargetLoad>,
    /// By kind of partition key; local indexes heat their table.
    pub heat: Vec<Heat>,
}

impl Load {
    /// What is drawn from the throughput of a table or a global index: of a table also what its local indexes consume.
    pub fn drawn_from(&self, design: &Design, target: Target) -> TargetLoad {
        let mut sum = TargetLoad::default();
        for (_, load) in self.targets.iter().filter(|(own, _)| design.capacity_of(**own) == target) {
            for dimension in Dimension::BOTH {
                let add = |sum: &mut PerDimension<u64>, of: &PerDimension<u64>| {
                    sum[dimension] = sum[dimension].saturating_add(of[dimension]);
                };
                add(&mut sum.average_milli, &load.average_milli);
                add(&mut sum.peak_milli, &load.peak_milli);
                sum.month[dimension] += load.month[dimension];
            }
        }
        sum
    }
}

/// Thousandths of half units a call, and millionths of calls a second, in thousandths of units a second.
pub fn milli_units_per_second(milli_halves: u64, rate_micro: u64) -> u64 {
    let product = u128::from(milli_halves) * u128::from(rate_micro);
    u64::try_from(product / 2_000_000).unwrap_or(u64::MAX)
}

/// Thousandths of half units a call, and millionths of calls a second, in units a month.
pub fn units_a_month(milli_halves: u64, rate_micro: u64) -> CapacityUnits {
    let product = u128::from(milli_halves) * u128::from(rate_micro) * u128::from(MONTH_SECONDS);
    CapacityUnits::from_halves(u64::try_from(product / 1_000_000_000).unwrap_or(u64::MAX))
}

/// Seconds in a month, as bills count them.
pub const MONTH_SECONDS: u64 = HOURS_PER_MONTH * 3_600;

/// Sums up what all patterns ask.
pub fn load(derived: &Derived<'_>, services: &[Service]) -> Load {
    let mut load = Load::default();
    for target in derived.design.targets() {
        load.targets.insert(target, TargetLoad::default());
    }
    for (at, (pattern, service)) in derived.design.patterns.iter().zip(services).enumerate() {
        let Some(served) = service.served() else { continue };
        for arm in &served.arms {
            let average = milli_units_per_second(arm.milli_halves, pattern.average_micro());
            let peak = milli_units_per_second(arm.milli_halves, pattern.peak_micro());
            let target = load.targets.entry(arm.target).or_default();
            target.average_milli[arm.dimension] = target.average_milli[arm.dimension].saturating_add(average);
            target.peak_milli[arm.dimension] = target.peak_milli[arm.dimension].saturating_add(peak);
            target.month[arm.dimension] += units_a_month(arm.milli_halves, pattern.average_micro());
        }
        for (arm, keys) in heated(derived, pattern, served) {
            let average = milli_units_per_second(arm.milli_halves, pattern.average_micro());
            let peak = milli_units_per_second(arm.milli_halves, pattern.peak_micro());
            add_heat(derived, &mut load.heat, at, &arm, (average, peak), keys);
        }
    }
    load
}

/// A kind of partition key, where it is said, and the share on the hottest.
type HotKey = (Template, Span, Option<u64>);

/// What a pattern asks of which kinds of partition key.
fn heated(derived: &Derived<'_>, pattern: &Pattern, served: &Served) -> Vec<(Arm, HotKey)> {
    let mut heated = Vec::new();
    match &pattern.action {
        Action::Read(read) => {
            for arm in &served.arms {
                let keys = keys_of_read(derived, pattern, read, arm);
                // Several entities share what the arm consumes.
                let part = arm.milli_halves / (keys.len() as u64).max(1);
                heated.extend(keys.into_iter().map(|key| (Arm { milli_halves: part, ..*arm }, key)));
            }
        }
        Action::Write(write) => {
            let times = if let WriteKind::Batch(items) = write.kind { items } else { 1 };
            for member in &write.members {
                for arm in member_arms(derived, write, member) {
                    let arm = Arm { milli_halves: arm.milli_halves.saturating_mul(times), ..arm };
                    heated.extend(key_of_write(derived, pattern, member, &arm).map(|key| (arm, key)));
                }
            }
        }
    }
    heated.retain(|(arm, _)| arm.milli_halves > 0);
    heated
}

/// The kinds of partition key that a read asks for.
fn keys_of_read(derived: &Derived<'_>, pattern: &Pattern, read: &Read, arm: &Arm) -> Vec<HotKey> {
    let design = derived.design;
    let keys = design.keys(arm.target);
    let declared = pattern.hottest_ppm.as_ref().map(|share| share.value);
    let is_whole =
        read.key.iter().map(|asked| &asked.attribute.value).eq(keys.partition.iter().map(|key| &key.name));
    if let Some(asked) = read.partition().filter(|_| is_whole) {
        let own = design
            .entities_of(arm.target.table)
            .filter_map(|(_, entity)| entity.partition(keys))
            .find(|own| own.writes_what(&asked));
        // A gathered read asks every shard once for each call, so that the shards share it.
        let shards = read.gather.as_ref().and_then(|name| derived.distinct(name)).unwrap_or(1).max(1);
        let share = declared.or_else(|| match asked.is_constant() {
            true => Some(ALL_PPM),
            false if shards > 1 => Some(derived.hottest_ppm(&asked)?.max(ALL_PPM / shards)),
            false => match &own {
                Some(own) => hottest_of_keys_ppm(derived, own, keys, arm.target.table),
                None => derived.hottest_ppm(&asked),
            },
        });
        let template = own.unwrap_or(asked);
        return vec![(template.value, template.span, share)];
    }
    let entities = read.entities.iter().map(|entity| &design.entities[entity.value]);
    let entities = entities.filter(|entity| entity.table == arm.target.table);
    entities
        .filter_map(|entity| {
            let key = entity.partition(keys)?;
            let share = declared.or_else(|| derived.hottest_of_items_ppm(entity, keys));
            Some((key.value, key.span, share))
        })
        .collect()
}

/// The share of a query for a kind of partition key that goes to the hottest: of the entity that spreads it most, for any key
/// that some entity has can be asked for.
fn hottest_of_keys_ppm(
    derived: &Derived<'_>,
    asked: &Template,
    keys: &KeySchema,
    table: usize,
) -> Option<u64> {
    let entities = derived.design.entities_of(table).map(|(_, entity)| entity);
    let same = entities.filter(|entity| entity.partition(keys).is_some_and(|own| own.value == *asked));
    let shares = same.map(|entity| derived.hottest_of_items_ppm(entity, keys));
    shares.min_by_key(|share| share.unwrap_or(0)).flatten()
}

/// The kind of partition key that a write goes to.
fn key_of_write(derived: &Derived<'_>, pattern: &Pattern, member: &Member, arm: &Arm) -> Option<HotKey> {
    let entity = &derived.design.entities[member.entity.value];
    let key = entity.partition(derived.design.keys(arm.target))?;
    // What is said of the pattern is said of the table's keys; an index has others.
    let of_table = arm.target.index.is_none();
    let declared = pattern.hottest_ppm.as_ref().filter(|_| of_table);
    let share = declared.map(|share| share.value).or_else(|| match member.kind {
        // A put makes a new item, whose key is none of those that are there.
        MemberKind::Put => derived.hottest_ppm(&key),
        _ if of_table => derived.hottest_of_items_ppm(entity, derived.design.keys(arm.target)),
        _ => derived.hottest_ppm(&key),
    });
    Some((key.value, key.span, share))
}

fn add_heat(
    derived: &Derived<'_>,
    heat: &mut Vec<Heat>,
    pattern: usize,
    arm: &Arm,
    (average, peak): (u64, u64),
    (template, span, share): HotKey,
) {
    let target = derived.design.capacity_of(arm.target);
    let at = match heat.iter().position(|known| known.target == target && known.template == template) {
        Some(at) => at,
        None => {
            heat.push(Heat {
                target,
                template,
                span,
                hottest_milli: PerDimension::default(),
                peak_milli: PerDimension::default(),
                average_milli: PerDimension::default(),
                patterns: Vec::new(),
                share_unknown: false,
            });
            heat.len() - 1
        }
    };
    let entry = &mut heat[at];
    entry.average_milli[arm.dimension] = entry.average_milli[arm.dimension].saturating_add(average);
    entry.peak_milli[arm.dimension] = entry.peak_milli[arm.dimension].saturating_add(peak);
    match share {
        Some(share) => {
            let hottest = (u128::from(peak) * u128::from(share) / u128::from(ALL_PPM)) as u64;
            entry.hottest_milli[arm.dimension] = entry.hottest_milli[arm.dimension].saturating_add(hottest);
        }
        None => entry.share_unknown = true,
    }
    if !entry.patterns.contains(&pattern) {
        entry.patterns.push(pattern);
    }
}

impl Heat {
    /// The share of a partition's limit that the hottest key takes, in parts per million.
    pub fn of_limit_ppm(&self, dimension: Dimension) -> u64 {
        let limit = partition_limit(dimension);
        (u128::from(self.hottest_milli[dimension]) * u128::from(ALL_PPM) / u128::from(limit * 1_000)) as u64
    }

    /// The dimension in which the hottest key is nearer to the limit.
    pub fn worse(&self) -> Dimension {
        match self.of_limit_ppm(Dimension::Read) > self.of_limit_ppm(Dimension::Write) {
            true => Dimension::Read,
            false => Dimension::Write,
        }
    }

    /// How many shards cure it: what the hottest key takes by the limit, rounded up, twice for headroom; one if it is cool.
    ///
    /// # Source
    /// Our rule: N = ⌈peak units / limit⌉ × 2, from 80 % of the limit on.
    pub fn shards(&self) -> u64 {
        let dimension = self.worse();
        if self.of_limit_ppm(dimension) < 800_000 {
            return 1;
        }
        self.hottest_milli[dimension].div_ceil(partition_limit(dimension) * 1_000) * 2
    }
}

/// Units per second that a partition serves.
pub fn partition_limit(dimension: Dimension) -> u64 {
    let constants = dynamometer_capacity::Constants::default();
    match dimension {
        Dimension::Read => constants.partition_read_units,
        Dimension::Write => constants.partition_write_units,
    }
}

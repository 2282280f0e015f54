//! Playing a synthetic load, second by second, under all settings at once.

use std::sync::Arc;

use dynamometer_types::Timestamp;

use super::load::Load;
use super::managed::{Demand, Managed};
use super::outcome::{MinutePoint, Outcome, worst_minute};
use super::plan::{Arm, Class, Plan, Variant, part_of};
use super::random::Random;
use super::setting::Setting;
use crate::admission::{
    Dimension, PerDimension, ResourceId, ResourceSpec, RunPart, TableCapacity, TableSpec,
};
use crate::money::{Money, RegionPrices};
use crate::{CapacityUnits, Constants};

/// The keys drawn in a second for one hot partition; but at least two for each cost.
const DRAWS: u64 = 4;

/// Plays the load under each setting. `on_minute` is told after each minute of the load how many are done.
///
/// Each setting meets the same requests in the same seconds. A request that is refused is not tried again.
///
/// # Errors
/// When the load does not make sense.
pub fn simulate(
    load: &Load,
    settings: &[Setting],
    prices: &RegionPrices<'_>,
    constants: &Arc<Constants>,
    mut on_minute: impl FnMut(u64),
) -> Result<Vec<Outcome>, super::LoadError> {
    load.check()?;
    if settings.iter().any(|setting| setting.throughput == super::Throughput::Recorded) {
        return Err(super::LoadError(
            "the setting 'recorded' is for traces: this load was not recorded".to_owned(),
        ));
    }
    let demands = demands(load);
    let mut machines: Vec<Machine> =
        settings.iter().map(|setting| Machine::new(load, *setting, &demands, constants)).collect();
    let mut random = Random::new(load.seed);
    let mut arrivals = vec![0; load.streams.len()];
    for minute in 0..load.minutes {
        let begins = load.start + (minute * 60_000) as i64;
        let base: Vec<u64> =
            load.streams.iter().map(|stream| stream.schedule.rate(stream.milli_per_second, begins)).collect();
        let times = |second: u64| load.times_milli(begins + (second * 1_000) as i64);
        let has_spike = load.spikes.iter().any(|spike| {
            spike.at < begins + 60_000 && begins < spike.at + (spike.seconds.saturating_mul(1_000)) as i64
        });
        let most = if has_spike { (0..60).map(times).max().unwrap_or(1_000) } else { 1_000 };
        let highest: Vec<u64> = base.iter().map(|rate| rate * most.max(1_000) / 1_000).collect();
        for machine in &mut machines {
            machine.begin_minute(load, begins, &highest);
        }
        for second in 0..60 {
            let now = begins + (second * 1_000) as i64;
            let times = if has_spike { times(second) } else { 1_000 };
            for (count, rate) in arrivals.iter_mut().zip(&base) {
                *count = random.arrivals(rate * times / 1_000);
            }
            let draw = random.next();
            for machine in &mut machines {
                machine.second(now, &arrivals, draw);
            }
        }
        for machine in &mut machines {
            machine.end_minute();
        }
        on_minute(minute + 1);
    }
    let end = load.start + (load.minutes * 60_000) as i64;
    Ok(machines.into_iter().map(|machine| machine.outcome(load, end, prices)).collect())
}

/// What the load asks of the table and of each index.
fn demands(load: &Load) -> Vec<Demand> {
    let none = Demand::default();
    let indexes = load.indexes.iter().map(|index| Demand { name: Some(index.name.clone()), ..none.clone() });
    let mut demands: Vec<Demand> = std::iter::once(none.clone()).chain(indexes).collect();
    let most_times = load.spikes.iter().map(|spike| spike.times_milli).max().unwrap_or(0).max(1_000);
    for stream in &load.streams {
        let first = stream.schedule.rate(stream.milli_per_second, load.start);
        let peak = u128::from(load.peak_milli(stream)) * u128::from(most_times) / 1_000;
        // Millionths of half a unit for each request, and thousandths of a request.
        let units = |micro_halves: u128, milli: u128| (micro_halves * milli).div_ceil(2_000_000_000) as u64;
        let mut add = |slot: usize, micro_halves: u128| {
            demands[slot].first[stream.dimension] += units(micro_halves, u128::from(first));
            demands[slot].peak[stream.dimension] += units(micro_halves, peak);
        };
        add(stream.index.map_or(0, |index| index + 1), u128::from(stream.mean_micro_halves()));
        if stream.dimension == Dimension::Write {
            for (number, index) in load.indexes.iter().enumerate() {
                let entry = crate::meter::write_blocks(index.entry_bytes);
                add(number + 1, u128::from(entry) * 2 * u128::from(index.write_share_ppm));
            }
        }
    }
    demands
}

/// Half units to one sort key, where sort keys grow: fewer than the model takes for one sample, so that it sees them grow.
const HALVES_PER_RUN: u64 = 25;
const MOST_RUNS: u64 = 256;
/// The seconds of load that a sample of a hot partition covers, and some more.
const SAMPLED_SECONDS: i64 = 15;

/// One setting under way.
struct Machine {
    setting: Setting,
    managed: Managed,
    plan: Plan,
    constants: Arc<Constants>,
    point: MinutePoint,
    before: PerDimension<u64>,
    minutes: Vec<MinutePoint>,
    turn: usize,
}

impl Machine {
    fn new(load: &Load, setting: Setting, demands: &[Demand], constants: &Arc<Constants>) -> Self {
        let base = TableSpec {
            table: ResourceSpec { bytes: load.storage_bytes, ..ResourceSpec::default() },
            seed: load.seed,
            ..TableSpec::default()
        };
        Self {
            setting,
            managed: Managed::new(setting, demands, &base, constants.clone(), load.start),
            plan: Plan::new(load, setting.shards, constants),
            constants: constants.clone(),
            point: MinutePoint::default(),
            before: PerDimension::default(),
            minutes: Vec::with_capacity(load.minutes as usize),
            turn: 0,
        }
    }

    fn begin_minute(&mut self, load: &Load, now: Timestamp, rates_milli: &[u64]) {
        self.managed.close_minute(now);
        self.managed.capacity.advance(now);
        self.plan.refresh(load, &self.managed.capacity, now, rates_milli, &self.constants);
    }

    /// Plays one second: `arrivals` by stream, `draw` a random number that all settings share.
    fn second(&mut self, now: Timestamp, arrivals: &[u64], draw: u64) {
        // Each kind of request gets its turn to be first.
        self.turn = (self.turn + 1) % self.plan.variants.len().max(1);
        let (before, after) = self.plan.variants.split_at_mut(self.turn);
        for (number, variant) in after.iter_mut().chain(before).enumerate() {
            let count = part_of(arrivals[variant.stream], variant.share, &mut variant.carry);
            if count > 0 {
                let draw = draw.wrapping_add(number as u64 * 0x517c_c1b7_2722_0a95);
                play(&mut self.managed, &mut self.point, variant, now, count, draw);
            }
        }
    }

    fn end_minute(&mut self) {
        let capacity = &mut self.managed.capacity;
        let counters = capacity.counters(ResourceId::TABLE);
        let consumed = PerDimension::new(counters.read.consumed_halves, counters.write.consumed_halves);
        self.point.consumed_halves =
            PerDimension::new(consumed.read - self.before.read, consumed.write - self.before.write);
        self.before = consumed;
        self.point.allowed = capacity.rate(ResourceId::TABLE);
        self.point.partitions = self
            .managed
            .resources()
            .map(|resource| self.managed.capacity.partition_count(resource) as u64)
            .sum();
        self.minutes.push(std::mem::take(&mut self.point));
    }

    fn outcome(self, load: &Load, end: Timestamp, prices: &RegionPrices<'_>) -> Outcome {
        let mut outcome = outcome(self.setting, load.start, self.minutes, &[&self.managed]);
        match self.managed.bill(end, load.storage_bytes, prices) {
            Ok((bill, month, once)) => {
                (outcome.bill, outcome.month, outcome.once) = (Ok(bill), Some(month), once)
            }
            Err(missing) => outcome.bill = Err(missing.to_string()),
        }
        outcome
    }
}

/// Sums up what happened, without the bill.
pub(super) fn outcome(
    setting: Setting,
    start: Timestamp,
    minutes: Vec<MinutePoint>,
    tables: &[&Managed],
) -> Outcome {
    let sum = |of: &dyn Fn(&MinutePoint) -> u64| minutes.iter().map(of).sum();
    let (asked, refused) = (
        PerDimension::new(sum(&|point| point.asked.read), sum(&|point| point.asked.write)),
        PerDimension::new(sum(&|point| point.refused.read), sum(&|point| point.refused.write)),
    );
    let mut reasons = Vec::new();
    let mut consumed = PerDimension::<CapacityUnits>::default();
    for table in tables {
        table.add_reasons(&mut reasons);
        let halves = table.consumed_halves();
        consumed.read += CapacityUnits::from_halves(halves.read);
        consumed.write += CapacityUnits::from_halves(halves.write);
    }
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.count));
    Outcome {
        setting,
        asked,
        refused,
        consumed,
        reasons,
        worst: worst_minute(start, &minutes),
        bill: Err(String::new()),
        month: None,
        once: Money::ZERO,
        minutes,
        scalings: tables.iter().map(|table| table.scalings).sum(),
        scalings_refused: tables.iter().map(|table| table.scalings_refused).sum(),
        differing: None,
    }
}

/// Plays `count` requests of a variant at one second.
fn play(
    managed: &mut Managed,
    point: &mut MinutePoint,
    variant: &mut Variant,
    now: Timestamp,
    count: u64,
    draw: u64,
) {
    let Variant { classes, arms, cells, .. } = variant;
    let dimension = arms[0].dimension;
    let runs_each = (DRAWS / classes.len() as u64).max(2);
    for (class_number, class) in classes.iter_mut().enumerate() {
        let Class { halves, share, carry } = class;
        let of_class = part_of(count, *share, carry);
        if of_class == 0 {
            continue;
        }
        for cell in cells.iter_mut() {
            let in_cell = cell.part(class_number, of_class);
            if in_cell == 0 {
                continue;
            }
            // A calm cell is one run; a hot one several, each on a key of its own.
            let growing = cell.growing && heat_matters(&managed.capacity, arms, &cell.groups, now);
            let runs = match (growing, cell.hot) {
                (true, _) => (in_cell * *halves / HALVES_PER_RUN).clamp(runs_each, MOST_RUNS).min(in_cell),
                (false, true) => in_cell.min(runs_each),
                (false, false) => 1,
            };
            let draw = draw ^ ((class_number as u64) << 48);
            let request = Request {
                arms,
                groups: &cell.groups,
                halves: *halves,
                now,
                draw,
                runs,
                growing: cell.growing,
            };
            let served = match arms.len() {
                1 => request.play::<1>(&mut managed.capacity, in_cell),
                2 => request.play::<2>(&mut managed.capacity, in_cell),
                _ => request.play::<MOST_ARMS>(&mut managed.capacity, in_cell),
            };
            point.asked[dimension] += in_cell;
            point.refused[dimension] += in_cell - served;
        }
    }
}

/// Whether the sort keys of a growing load are about to be looked at.
fn heat_matters(capacity: &TableCapacity, arms: &[Arm], groups: &[usize], now: Timestamp) -> bool {
    let mut buffer = [0; 16];
    arms.iter().zip(groups).any(|(arm, group)| {
        let Some((_, spot)) = arm.groups[*group].members.first() else { return false };
        let place = arm.spots[*spot as usize].place(now, 0, &mut buffer);
        capacity.looks_at_heat_within(now, arm.resource, place, SAMPLED_SECONDS)
    })
}

/// Equal requests at one moment.
struct Request<'a> {
    arms: &'a [Arm],
    /// The group of each arm.
    groups: &'a [usize],
    halves: u64,
    now: Timestamp,
    draw: u64,
    runs: u64,
    /// Each run goes to a larger sort key than the one before.
    growing: bool,
}

impl Request<'_> {
    /// Plays so many of them, with at most `N` arms; answers how many were served.
    fn play<const N: usize>(&self, capacity: &mut TableCapacity, count: u64) -> u64 {
        let mut random = Random::new(self.draw);
        let first_point = random.next();
        let (mut served, mut waiting) = (0, 0);
        let mut spots = [None; N];
        for run in 0..self.runs {
            let requests = count * (run + 1) / self.runs - count * run / self.runs;
            let mut drawn = [None; N];
            for (number, ((arm, group), drawn)) in
                self.arms.iter().zip(self.groups).zip(&mut drawn).enumerate()
            {
                let group = &arm.groups[*group];
                // Evenly over the table's keys, so that few draws show all the weights; by chance over an index's.
                let point = match number {
                    0 => first_point.wrapping_add((u64::MAX / self.runs) * run),
                    _ => random.next(),
                };
                *drawn = group.hot.then(|| group.draw(point));
            }
            if run > 0 && (drawn != spots || self.growing) {
                served += self.play_on(capacity, &spots, waiting, run);
                waiting = 0;
            }
            (spots, waiting) = (drawn, waiting + requests);
        }
        served + self.play_on(capacity, &spots, waiting, self.runs)
    }

    fn play_on<const N: usize>(
        &self,
        capacity: &mut TableCapacity,
        spots: &[Option<u32>; N],
        count: u64,
        run: u64,
    ) -> u64 {
        let mut buffers = [[0; 16]; N];
        let none = RunPart {
            resource: ResourceId::TABLE,
            dimension: Dimension::Read,
            place: None,
            cost: CapacityUnits::ZERO,
        };
        let mut parts = [none; N];
        for (((arm, spot), part), buffer) in self.arms.iter().zip(spots).zip(&mut parts).zip(&mut buffers) {
            let place = spot.map(|spot| arm.spots[spot as usize].place(self.now, run, buffer));
            let cost = CapacityUnits::from_halves(arm.halves.unwrap_or(self.halves));
            *part = RunPart { resource: arm.resource, dimension: arm.dimension, place, cost };
        }
        capacity.admit_spread(self.now, &parts[..self.arms.len().min(N)], count).count
    }
}

/// A table has at most 20 global secondary indexes by default, and the table is one more.
const MOST_ARMS: usize = 21;

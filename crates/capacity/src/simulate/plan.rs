//! How the requests of a load fall on the partitions of one setting.
//!
//! A second of load is not played key by key. Requests whose partitions are far from their limits are one run
//! ([`TableCapacity::admit_spread`]); only where a partition may be hot its requests are played by themselves, on a few
//! keys drawn by weight, so that the model sees its load, and what makes it. Which partitions may be hot is worked out
//! whenever the rates or the partitions change.

use dynamometer_types::Timestamp;

use super::keys::{SortKey, Spot, WHOLE, spots};
use super::load::{Load, Stream};
use super::random::mix;
use crate::Constants;
use crate::admission::{Dimension, ResourceId, TableCapacity};

/// A part of a stream whose requests touch the same indexes and have the same sizes.
pub(crate) struct Variant {
    pub stream: usize,
    /// Its share of the stream's requests, of [`WHOLE`]; more when each of them becomes several.
    pub share: u64,
    pub classes: Vec<Class>,
    pub arms: Vec<Arm>,
    pub cells: Vec<Cell>,
    pub carry: u64,
}

/// Requests of one cost.
#[derive(Clone, Debug)]
pub(crate) struct Class {
    pub halves: u64,
    pub share: u64,
    pub carry: u64,
}

/// What a request asks of the table or an index.
pub(crate) struct Arm {
    pub resource: ResourceId,
    pub dimension: Dimension,
    /// Half units; `None` where the class tells.
    pub halves: Option<u64>,
    space: usize,
    shards: Shards,
    pub spots: Vec<Spot>,
    partitions: Vec<u32>,
    pub groups: Vec<Group>,
}

/// Places of one hot partition, or all that are on calm ones.
pub(crate) struct Group {
    pub hot: bool,
    share: u64,
    /// Numbers of spots, with the sum of shares up to and with each.
    pub members: Vec<(u64, u32)>,
}

/// One combination of groups, one for each arm.
pub(crate) struct Cell {
    pub groups: Vec<usize>,
    pub hot: bool,
    /// Whether its requests go to ever larger sort keys of a hot partition.
    pub growing: bool,
    share: u64,
    pub carry: Vec<u64>,
}

/// Which keys of a space are divided, and whether this arm is about them, the others, or all.
#[derive(Clone, Debug)]
struct Shards {
    count: u64,
    divided: Vec<u64>,
    which: Which,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    All,
    Divided,
    Others,
}

/// Splits `count` by a share, and keeps what is left over for the next time.
pub(crate) fn part_of(count: u64, share: u64, carry: &mut u64) -> u64 {
    let exact = u128::from(count) * u128::from(share) + u128::from(*carry);
    *carry = (exact as u64) & (WHOLE - 1);
    (exact >> WHOLE.ilog2()) as u64
}

fn share_of(part: u128, whole: u128) -> u64 {
    (part * u128::from(WHOLE)).checked_div(whole).unwrap_or(0) as u64
}

/// A key is worth dividing when at its peak it takes this share of what a partition serves, in percent.
const WORTH_DIVIDING_PERCENT: u64 = 50;

/// The keys of each space that are worth dividing.
pub(crate) fn hot_keys(load: &Load, constants: &Constants) -> Vec<Vec<u64>> {
    let most_times = load.spikes.iter().map(|spike| spike.times_milli).max().unwrap_or(0).max(1_000);
    let mut hot = Vec::new();
    for (number, space) in load.key_spaces.iter().enumerate() {
        let spots = spots(space, space_seed(load, number), load.start, |_| 1);
        let on_table = |dimension| {
            let here = load.streams.iter().filter(|stream| {
                stream.keys == number && stream.index.is_none() && stream.dimension == dimension
            });
            here.map(|stream| micro_halves(stream, load.peak_milli(stream))).sum::<u128>()
                * u128::from(most_times)
                / 1_000
        };
        let of_limit =
            |dimension, limit: u64| (on_table(dimension) * 100 / 2).div_ceil(u128::from(limit) * 1_000_000);
        // How many hundredths of a partition the whole space takes.
        let percent = of_limit(Dimension::Read, constants.partition_read_units)
            .max(of_limit(Dimension::Write, constants.partition_write_units));
        let mut keys: Vec<u64> = Vec::new();
        let mut shares: std::collections::BTreeMap<u64, u64> = std::collections::BTreeMap::new();
        for spot in &spots {
            *shares.entry(spot.key).or_default() += spot.share;
        }
        for (key, share) in shares {
            if percent * u128::from(share) >= u128::from(WORTH_DIVIDING_PERCENT) * u128::from(WHOLE) {
                keys.push(key);
            }
        }
        // A time-ordered space has one key at a time, and each gets the same load.
        if matches!(space.skew, super::Skew::Time(_)) && !keys.is_empty() {
            keys = vec![u64::MAX];
        }
        hot.push(keys);
    }
    hot
}

/// Millionths of half a unit per second.
fn micro_halves(stream: &Stream, milli_per_second: u64) -> u128 {
    u128::from(stream.mean_micro_halves()) * u128::from(milli_per_second) / 1_000
}

fn space_seed(load: &Load, space: usize) -> u64 {
    mix(load.seed ^ mix(space as u64 + 1))
}

impl Shards {
    fn of(&self, key: u64) -> u64 {
        if self.divides(key) { self.count } else { 1 }
    }

    fn divides(&self, key: u64) -> bool {
        self.count > 1
            && (self.divided.first() == Some(&u64::MAX) || self.divided.binary_search(&key).is_ok())
    }
}

/// All variants of a load under so many shards, not yet placed.
pub(crate) fn variants(load: &Load, shards: u64, constants: &Constants) -> Vec<Variant> {
    let hot = if shards > 1 { hot_keys(load, constants) } else { vec![Vec::new(); load.key_spaces.len()] };
    let mut variants = Vec::new();
    for (number, stream) in load.streams.iter().enumerate() {
        let divided = |which| Shards { count: shards, divided: hot[stream.keys].clone(), which };
        match stream.dimension {
            Dimension::Write => write_variants(load, number, divided(Which::All), &mut variants),
            Dimension::Read if hot[stream.keys].is_empty() || stream.index.is_some() => {
                let whole = Shards { count: 1, ..divided(Which::All) };
                variants.push(read_variant(load, number, whole, WHOLE, 1));
            }
            Dimension::Read => {
                let gather = share_of(u128::from(stream.gather_ppm), 1_000_000);
                variants.push(read_variant(load, number, divided(Which::All), WHOLE - gather, 1));
                variants.push(read_variant(load, number, divided(Which::Others), gather, 1));
                variants.push(read_variant(load, number, divided(Which::Divided), gather, shards));
            }
        }
    }
    variants
}

/// Reads, each of which asks so many parts of a key for a part of the page.
fn read_variant(load: &Load, number: usize, shards: Shards, share: u64, parts: u64) -> Variant {
    let stream = &load.streams[number];
    let resource = stream.index.map_or(ResourceId::TABLE, |index| ResourceId::of_number(index as u16 + 1));
    let arm = Arm::new(resource, Dimension::Read, None, stream.keys, shards);
    let classes = classes(stream, parts);
    Variant { stream: number, share, classes, arms: vec![arm], cells: Vec::new(), carry: 0 }
}

/// Writes, by the indexes that they change: an entry in a sparse index comes with those in all that are less sparse.
fn write_variants(load: &Load, number: usize, shards: Shards, variants: &mut Vec<Variant>) {
    let stream = &load.streams[number];
    let mut steps: Vec<u64> = load.indexes.iter().map(|index| index.write_share_ppm).collect();
    steps.extend([0, 1_000_000]);
    steps.sort_unstable();
    steps.dedup();
    for range in steps.windows(2) {
        let mut arms = vec![Arm::new(ResourceId::TABLE, Dimension::Write, None, stream.keys, shards.clone())];
        for (slot, index) in load.indexes.iter().enumerate() {
            if index.write_share_ppm >= range[1] {
                let halves = crate::meter::meter_index_write(None, Some(index.entry_bytes), false, false);
                let resource = ResourceId::of_number(slot as u16 + 1);
                let none = Shards { count: 1, divided: Vec::new(), which: Which::All };
                let halves = halves.map(|units| units.halves());
                arms.push(Arm::new(resource, Dimension::Write, halves, index.keys, none));
            }
        }
        let share = share_of(u128::from(range[1] - range[0]), 1_000_000);
        variants.push(Variant {
            stream: number,
            share,
            classes: classes(stream, 1),
            arms,
            cells: Vec::new(),
            carry: 0,
        });
    }
}

/// The costs of a stream, equal ones together; each request is one of `parts` of a size.
fn classes(stream: &Stream, parts: u64) -> Vec<Class> {
    let weights: u128 = stream.sizes.iter().map(|size| u128::from(size.weight)).sum();
    let mut classes: Vec<Class> = Vec::new();
    for size in &stream.sizes {
        let halves = stream.cost(size.bytes.div_ceil(parts)).halves();
        let share = share_of(u128::from(size.weight), weights);
        match classes.iter_mut().find(|class| class.halves == halves) {
            Some(class) => class.share += share,
            None => classes.push(Class { halves, share, carry: 0 }),
        }
    }
    // What rounding lost goes to the first.
    let sum: u64 = classes.iter().map(|class| class.share).sum();
    if let Some(first) = classes.first_mut() {
        first.share += WHOLE - sum;
    }
    classes.retain(|class| class.share > 0);
    classes
}

impl Arm {
    fn new(
        resource: ResourceId,
        dimension: Dimension,
        halves: Option<u64>,
        space: usize,
        shards: Shards,
    ) -> Self {
        Self {
            resource,
            dimension,
            halves,
            space,
            shards,
            spots: Vec::new(),
            partitions: Vec::new(),
            groups: Vec::new(),
        }
    }

    /// Finds the places of this moment and their partitions; answers the share of the space that they make.
    fn locate(&mut self, load: &Load, capacity: &TableCapacity, now: Timestamp) {
        let space = &load.key_spaces[self.space];
        let mut found = spots(space, space_seed(load, self.space), now, |key| self.shards.of(key));
        match self.shards.which {
            Which::All => {}
            Which::Divided => found.retain(|spot| self.shards.divides(spot.key)),
            Which::Others => found.retain(|spot| !self.shards.divides(spot.key)),
        }
        self.spots = found;
        self.find_partitions(capacity, now);
    }

    fn find_partitions(&mut self, capacity: &TableCapacity, now: Timestamp) {
        let mut buffer = [0; 16];
        let find = |spot: &Spot| capacity.partition_of(self.resource, spot.place(now, 0, &mut buffer));
        self.partitions = self.spots.iter().map(find).collect();
    }

    fn is_growing(&self) -> bool {
        self.spots.iter().any(|spot| spot.sort == SortKey::Growing)
    }

    /// The sum of the shares of its places.
    fn covered(&self) -> u64 {
        self.spots.iter().map(|spot| spot.share).sum()
    }

    /// Groups the places: each hot partition by itself, the rest together.
    fn group(&mut self, hot: &[bool]) {
        let mut groups: Vec<(Option<u32>, Group)> = Vec::new();
        for (number, (spot, partition)) in self.spots.iter().zip(&self.partitions).enumerate() {
            let is_hot = hot.get(*partition as usize).copied().unwrap_or(false);
            let wanted = is_hot.then_some(*partition);
            let at = groups.iter().position(|(partition, _)| *partition == wanted).unwrap_or_else(|| {
                groups.push((wanted, Group { hot: is_hot, share: 0, members: Vec::new() }));
                groups.len() - 1
            });
            let group = &mut groups[at].1;
            group.share += spot.share;
            if is_hot {
                group.members.push((group.share, number as u32));
            }
        }
        self.groups = groups.into_iter().map(|(_, group)| group).collect();
    }
}

impl Group {
    /// The place at a point of the group: `point` is below 2^64.
    pub(crate) fn draw(&self, point: u64) -> u32 {
        let at = ((u128::from(point) * u128::from(self.share)) >> 64) as u64;
        let found = self.members.partition_point(|(until, _)| *until <= at);
        self.members[found.min(self.members.len() - 1)].1
    }
}

/// Where the load of all streams falls, as long as partitions stay the same.
pub(crate) struct Plan {
    pub variants: Vec<Variant>,
    /// For each resource and dimension, for each partition: micro half units for each request of each stream.
    weights: Vec<[Vec<Vec<u64>>; 2]>,
    /// For each resource: which partitions may be hot.
    hot: Vec<Vec<bool>>,
    counts: Vec<usize>,
    time_keys: Vec<u64>,
    all_hot: bool,
}

impl Plan {
    pub(crate) fn new(load: &Load, shards: u64, constants: &Constants) -> Self {
        Self {
            variants: variants(load, shards, constants),
            weights: Vec::new(),
            hot: Vec::new(),
            counts: Vec::new(),
            time_keys: Vec::new(),
            all_hot: constants.even_share == 1,
        }
    }

    /// Brings the plan up to date with the partitions, the newest keys and the rates (thousandths per second, by stream) of a
    /// minute. Answers nothing; cheap when nothing changed.
    pub(crate) fn refresh(
        &mut self,
        load: &Load,
        capacity: &TableCapacity,
        now: Timestamp,
        rates_milli: &[u64],
        constants: &Constants,
    ) {
        let resources = (0..=load.indexes.len() as u16).map(ResourceId::of_number);
        let counts: Vec<usize> = resources.map(|resource| capacity.partition_count(resource)).collect();
        let time_keys: Vec<u64> = load
            .key_spaces
            .iter()
            .map(|space| match space.skew {
                super::Skew::Time(minutes) => super::keys::time_key(minutes, now),
                _ => 0,
            })
            .collect();
        let is_new = self.hot.is_empty();
        let moved = is_new || time_keys != self.time_keys;
        let split = counts != self.counts;
        if moved {
            self.variants
                .iter_mut()
                .flat_map(|variant| &mut variant.arms)
                .for_each(|arm| arm.locate(load, capacity, now));
            if is_new {
                self.share_out(load);
            }
        } else {
            let arms = self.variants.iter_mut().flat_map(|variant| &mut variant.arms);
            arms.filter(|arm| split || arm.is_growing()).for_each(|arm| arm.find_partitions(capacity, now));
        }
        if moved || split {
            self.weigh(load, &counts);
        }
        let hot = self.hot_partitions(rates_milli, constants);
        if moved || split || hot != self.hot {
            self.hot = hot;
            self.variants.iter_mut().for_each(|variant| variant.regroup(&self.hot));
        }
        (self.counts, self.time_keys) = (counts, time_keys);
    }

    /// Reads of divided keys and of the others: each variant gets the share of the requests that its places make, times
    /// the shards that each of them asks.
    fn share_out(&mut self, load: &Load) {
        for variant in &mut self.variants {
            let [arm, ..] = &variant.arms[..] else { continue };
            if arm.shards.which == Which::All || load.streams[variant.stream].dimension == Dimension::Write {
                continue;
            }
            let times = if arm.shards.which == Which::Divided { arm.shards.count } else { 1 };
            let covered = u128::from(arm.covered()) * u128::from(times);
            variant.share =
                share_of(u128::from(variant.share) * covered, u128::from(WHOLE) * u128::from(WHOLE));
        }
        self.variants.retain(|variant| variant.share > 0);
    }

    fn weigh(&mut self, load: &Load, counts: &[usize]) {
        let streams = load.streams.len();
        let empty = |count: &usize| [vec![vec![0; streams]; *count], vec![vec![0; streams]; *count]];
        self.weights = counts.iter().map(empty).collect();
        for variant in &self.variants {
            let mean: u128 =
                variant.classes.iter().map(|class| u128::from(class.halves) * u128::from(class.share)).sum();
            for arm in &variant.arms {
                let halves_micro = match arm.halves {
                    Some(halves) => u128::from(halves) * 1_000_000,
                    None => mean * 1_000_000 / u128::from(WHOLE),
                };
                let covered = u128::from(arm.covered().max(1));
                let weights = &mut self.weights[usize::from(arm.resource.number())][arm.dimension as usize];
                for (spot, partition) in arm.spots.iter().zip(&arm.partitions) {
                    let requests = u128::from(variant.share) * u128::from(spot.share) / covered;
                    let Some(weights) = weights.get_mut(*partition as usize) else { continue };
                    weights[variant.stream] += (halves_micro * requests / u128::from(WHOLE)) as u64;
                }
            }
        }
    }

    /// The partitions whose load comes near what they serve, chance included.
    fn hot_partitions(&self, rates_milli: &[u64], constants: &Constants) -> Vec<Vec<bool>> {
        let limits = [constants.partition_read_units, constants.partition_write_units];
        let near = NEAR_PERCENT.min(constants.heat_percent.saturating_sub(5));
        let is_hot = |weights: &[Vec<Vec<u64>>; 2], partition: usize| {
            (0..2).any(|dimension| {
                let each = weights[dimension][partition].iter().zip(rates_milli);
                let micro: u128 =
                    each.map(|(weight, rate)| u128::from(*weight) * u128::from(*rate) / 1_000).sum();
                let halves = (micro / 1_000_000) as u64;
                // Four deviations, of requests that cost some units.
                let chance = 4 * (halves * COSTLY_HALVES).isqrt();
                (halves + chance) * 100 >= 2 * limits[dimension] * near
            })
        };
        let of_resource = |weights: &[Vec<Vec<u64>>; 2]| {
            (0..weights[0].len()).map(|partition| self.all_hot || is_hot(weights, partition)).collect()
        };
        self.weights.iter().map(of_resource).collect()
    }
}

/// A partition may be hot from this share of its limit on.
const NEAR_PERCENT: u64 = 85;
/// Half units of a request that makes loads uneven.
const COSTLY_HALVES: u64 = 4;

impl Variant {
    fn regroup(&mut self, hot: &[Vec<bool>]) {
        for arm in &mut self.arms {
            let hot = hot.get(usize::from(arm.resource.number())).map(Vec::as_slice).unwrap_or_default();
            arm.group(hot);
        }
        let mut cells =
            vec![Cell { groups: Vec::new(), hot: false, growing: false, share: WHOLE, carry: Vec::new() }];
        for arm in &self.arms {
            let covered = u128::from(arm.covered().max(1));
            let mut next = Vec::with_capacity(cells.len() * arm.groups.len());
            for cell in &cells {
                for (number, group) in arm.groups.iter().enumerate() {
                    let mut groups = cell.groups.clone();
                    groups.push(number);
                    let share = (u128::from(cell.share) * u128::from(group.share) / covered) as u64;
                    let growing = cell.growing || (group.hot && arm.is_growing());
                    next.push(Cell { groups, hot: cell.hot || group.hot, growing, share, carry: Vec::new() });
                }
            }
            cells = next;
        }
        // What rounding lost goes to the last.
        let sum: u64 = cells.iter().map(|cell| cell.share).sum();
        if let Some(last) = cells.last_mut() {
            last.share += WHOLE.saturating_sub(sum);
        }
        let classes = self.classes.len();
        cells.iter_mut().for_each(|cell| cell.carry = vec![0; classes]);
        self.cells = cells;
    }
}

impl Cell {
    /// How many of `count` requests of a class fall on this cell.
    pub(crate) fn part(&mut self, class: usize, count: u64) -> u64 {
        part_of(count, self.share, &mut self.carry[class])
    }
}

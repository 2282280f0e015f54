//! How hot a partition is, and where to cut it.
//!
//! A partition counts the units that it was asked for, served or refused, second by second, and remembers which of
//! the last seconds were hot. Beside that it keeps a small sample of the keys behind the load, one key for every
//! so many units, so that each key stands in the sample in proportion to its load. When the partition has been hot
//! for long enough, the sample says where to cut so that both halves get half of the heat, or that no cut would
//! help: all heat on one item, on one item collection that a local secondary index holds together, or on the
//! growing end of one item collection.
//!
//! # Source
//! That splits follow the observed keys, and the three cases in which they do not help: AWS Database Blog, "Scaling
//! DynamoDB", part 3; Developer Guide 2026, "Burst and adaptive capacity". Thresholds and the sample are assumed.

use super::{Dimension, PerDimension};
use crate::Constants;

/// Where a request goes: the hash of its partition key, and its sort key as bytes that compare as the table orders
/// them (empty without one, and for a Query where its walk begins).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place<'a> {
    /// The hash of the partition key; partitions divide its whole range.
    pub hash: u64,
    /// The sort key in comparable bytes.
    pub sort_key: &'a [u8],
}

impl Place<'static> {
    /// A place by its partition key alone.
    pub const fn of_hash(hash: u64) -> Self {
        Self { hash, sort_key: &[] }
    }
}

/// A boundary between partitions: a place that is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Boundary {
    pub hash: u64,
    pub sort_key: Box<[u8]>,
}

impl Boundary {
    pub(crate) fn place(&self) -> Place<'_> {
        Place { hash: self.hash, sort_key: &self.sort_key }
    }

    fn of(place: Place<'_>) -> Self {
        Self { hash: place.hash, sort_key: place.sort_key.into() }
    }
}

/// Why a hot partition is not split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoSplit {
    /// One item makes the heat, and an item is never divided.
    SingleItem,
    /// One item collection makes the heat, and the table's local secondary index keeps it in one partition.
    LocalIndexCollection,
    /// Requests go to ever larger sort keys of one partition key: the upper half would have all of them again.
    IncreasingSortKeys,
    /// The model keeps no more partitions (`largest_partition_count`).
    TooManyPartitions,
}

/// What to do with a hot partition.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Cut here: the place becomes the first of the right half.
    Cut(Boundary),
    /// No cut helps.
    Never(NoSplit),
    /// Too few keys seen to tell.
    Unknown,
}

/// Keys kept per hot partition.
const SAMPLE_SIZE: usize = 64;
/// Samples that a partition at its limit yields per second; the sample then covers its last eight seconds.
const SAMPLES_PER_SECOND: u64 = 8;
/// With fewer than this no verdict is given.
const SAMPLES_NEEDED: usize = 16;
/// A sample that saw nothing for this long is of the past.
const SAMPLE_SECONDS: i64 = 60;

#[derive(Clone, Debug, Default)]
struct Sample {
    hash: u64,
    sort_key: Vec<u8>,
}

/// Keys in proportion to their load: the latest [`SAMPLE_SIZE`], in order of arrival from `oldest` on.
#[derive(Clone, Debug)]
pub(crate) struct Sampler {
    seen: Vec<Sample>,
    oldest: usize,
    last_second: i64,
    /// Weight until the next sample. Drawn at random around its mean, or a load that cycles through its keys would
    /// be sampled in step and show one key only.
    due_in: u64,
    random: u64,
}

impl Sampler {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seen: Vec::new(), oldest: 0, last_second: 0, due_in: 0, random: seed }
    }

    /// Counts load of `weight` at `place`, and keeps the place whenever another `stride` of weight, on average, went by.
    pub(crate) fn offer(&mut self, place: Place<'_>, weight: u64, stride: u64, second: i64) {
        let mut left = weight;
        while left >= self.due_in {
            left -= self.due_in;
            self.due_in = 1 + self.next_random() % (2 * stride.max(1) - 1);
            self.keep(place, second);
        }
        self.due_in -= left;
    }

    fn keep(&mut self, place: Place<'_>, second: i64) {
        if second - self.last_second > SAMPLE_SECONDS {
            self.seen.clear();
            self.oldest = 0;
        }
        self.last_second = second;
        if self.seen.len() < SAMPLE_SIZE {
            self.seen.push(Sample { hash: place.hash, sort_key: place.sort_key.to_vec() });
            return;
        }
        let slot = &mut self.seen[self.oldest];
        slot.hash = place.hash;
        slot.sort_key.clear();
        slot.sort_key.extend_from_slice(place.sort_key);
        self.oldest = (self.oldest + 1) % SAMPLE_SIZE;
    }

    /// SplitMix64: small, fast and the same everywhere. Nothing but the sampling distance depends on it.
    fn next_random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn in_order_of_arrival(&self) -> impl Iterator<Item = Place<'_>> {
        let (newer, older) = self.seen.split_at(self.oldest);
        older.iter().chain(newer).map(|sample| Place { hash: sample.hash, sort_key: &sample.sort_key })
    }

    /// Whether enough was sampled to tell where the halves are.
    pub(crate) fn is_telling(&self) -> bool {
        self.seen.len() >= 4
    }

    /// The cut that halves what was sampled, if it has more than one place.
    pub(crate) fn middle(&self, between_keys_only: bool) -> Option<Boundary> {
        let mut sorted: Vec<Place<'_>> = self.in_order_of_arrival().collect();
        sorted.sort_unstable();
        let cut = middle_cut(&sorted, between_keys_only)?;
        Some(if between_keys_only { Boundary::of(Place::of_hash(cut.hash)) } else { Boundary::of(cut) })
    }

    /// The share of the sample at or beyond `cut`, in 256ths; half when nothing was sampled.
    pub(crate) fn share_from(&self, cut: Place<'_>) -> u64 {
        let beyond = self.in_order_of_arrival().filter(|place| *place >= cut).count() as u64;
        (256 * beyond).checked_div(self.seen.len() as u64).unwrap_or(128)
    }

    /// The cut that halves the sampled load, or why there is none.
    pub(crate) fn verdict(&self, has_local_index: bool, constants: &Constants) -> Verdict {
        let count = self.seen.len();
        if count < SAMPLES_NEEDED {
            return Verdict::Unknown;
        }
        let arrivals: Vec<Place<'_>> = self.in_order_of_arrival().collect();
        let mut sorted = arrivals.clone();
        sorted.sort_unstable();
        let dominant = |share: usize| share as u64 * 100 >= count as u64 * constants.heat_dominant_percent;
        if dominant(largest_run(&sorted, |left, right| left == right).1) {
            return Verdict::Never(NoSplit::SingleItem);
        }
        let (collection, share) = largest_run(&sorted, |left, right| left.hash == right.hash);
        if dominant(share) && has_local_index {
            return Verdict::Never(NoSplit::LocalIndexCollection);
        }
        if dominant(share) && is_growing(&arrivals, collection.hash, constants.heat_dominant_percent) {
            return Verdict::Never(NoSplit::IncreasingSortKeys);
        }
        match middle_cut(&sorted, has_local_index) {
            Some(cut) if has_local_index => Verdict::Cut(Boundary::of(Place::of_hash(cut.hash))),
            Some(cut) => Verdict::Cut(Boundary::of(cut)),
            None if has_local_index => Verdict::Never(NoSplit::LocalIndexCollection),
            None => Verdict::Never(NoSplit::SingleItem),
        }
    }
}

/// The longest run of equal neighbours: its first member and its length.
fn largest_run<'a>(sorted: &[Place<'a>], same: impl Fn(Place<'a>, Place<'a>) -> bool) -> (Place<'a>, usize) {
    let mut largest = (sorted[0], 0);
    for run in sorted.chunk_by(|left, right| same(*left, *right)) {
        if run.len() > largest.1 {
            largest = (run[0], run.len());
        }
    }
    largest
}

/// Whether nearly every request to the partition key went beyond the largest sort key seen before it.
fn is_growing(arrivals: &[Place<'_>], hash: u64, percent: u64) -> bool {
    let mut largest: Option<&[u8]> = None;
    let (mut later, mut beyond) = (0_u64, 0_u64);
    for place in arrivals.iter().filter(|place| place.hash == hash) {
        if let Some(before) = largest {
            later += 1;
            beyond += u64::from(place.sort_key > before);
        }
        largest = largest.max(Some(place.sort_key));
    }
    later > 0 && beyond * 100 >= later * percent
}

/// The place at which to begin the right half, so that the halves are as equal as can be. With a local secondary index
/// only between two partition keys.
fn middle_cut<'a>(sorted: &[Place<'a>], between_keys_only: bool) -> Option<Place<'a>> {
    let differs = |at: usize| match between_keys_only {
        true => sorted[at - 1].hash != sorted[at].hash,
        false => sorted[at - 1] != sorted[at],
    };
    let half = sorted.len() / 2;
    (1..sorted.len()).filter(|at| differs(*at)).min_by_key(|at| at.abs_diff(half)).map(|at| sorted[at])
}

/// The recent load of one partition.
#[derive(Clone, Debug)]
pub(crate) struct Heat {
    second: i64,
    /// Half units asked for in this second.
    asked: PerDimension<u64>,
    /// The seconds before, latest in the lowest bit: whether each was hot.
    hot_seconds: u64,
    /// No verdict before this second: the last one was that no split helps.
    look_again_at: i64,
    pub sampler: Sampler,
}

/// The seconds between two looks at a hot partition that cannot be split.
const LOOK_AGAIN_SECONDS: i64 = 60;

impl Heat {
    pub(crate) fn new(second: i64, seed: u64) -> Self {
        Self {
            second,
            asked: PerDimension::default(),
            hot_seconds: 0,
            look_again_at: 0,
            sampler: Sampler::new(seed),
        }
    }

    /// Starts a new second if one began. Answers whether the partition is hot and due for a verdict.
    pub(crate) fn roll(&mut self, second: i64, constants: &Constants) -> bool {
        let gap = second - self.second;
        if gap <= 0 {
            return false;
        }
        let hot = Dimension::BOTH.iter().any(|dimension| {
            self.asked[*dimension].saturating_mul(100)
                >= 2 * partition_units(constants, *dimension) * constants.heat_percent
        });
        let latest = (self.hot_seconds << 1) | u64::from(hot);
        self.hot_seconds = if gap <= 64 { latest << (gap - 1) } else { 0 };
        self.asked = PerDimension::default();
        self.second = second;
        let window = u64::MAX >> (64 - constants.heat_window_seconds);
        let hot_count = u64::from((self.hot_seconds & window).count_ones());
        hot_count >= constants.heat_seconds && second >= self.look_again_at
    }

    /// Counts load of `halves` half units.
    pub(crate) fn add(&mut self, dimension: Dimension, halves: u64) {
        self.asked[dimension] = self.asked[dimension].saturating_add(halves);
    }

    /// Counts load and samples its place. Reads and writes weigh by their share of the partition's limits.
    pub(crate) fn add_at(
        &mut self,
        dimension: Dimension,
        halves: u64,
        place: Place<'_>,
        constants: &Constants,
    ) {
        self.add(dimension, halves);
        let other = match dimension {
            Dimension::Read => constants.partition_write_units,
            Dimension::Write => constants.partition_read_units,
        };
        let full_second = 2 * constants.partition_read_units * constants.partition_write_units;
        let stride = full_second / SAMPLES_PER_SECOND;
        self.sampler.offer(place, halves.saturating_mul(other), stride, self.second);
    }

    pub(crate) fn look_again_later(&mut self) {
        self.look_again_at = self.second + LOOK_AGAIN_SECONDS;
    }

    /// The second before which a hot partition is not looked at.
    pub(crate) fn looks_again_at(&self) -> i64 {
        self.look_again_at
    }

    /// How many of the last 64 seconds were hot.
    pub(crate) fn hot_count(&self) -> u32 {
        self.hot_seconds.count_ones()
    }
}

/// The limit of one partition in units per second.
pub(crate) fn partition_units(constants: &Constants, dimension: Dimension) -> u64 {
    match dimension {
        Dimension::Read => constants.partition_read_units,
        Dimension::Write => constants.partition_write_units,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(keys: &[(u64, &str)], has_local_index: bool) -> Verdict {
        let mut sampler = Sampler::new(1);
        for (hash, sort_key) in keys {
            sampler.keep(Place { hash: *hash, sort_key: sort_key.as_bytes() }, 0);
        }
        sampler.verdict(has_local_index, &Constants::default())
    }

    fn cut(hash: u64, sort_key: &str) -> Verdict {
        Verdict::Cut(Boundary { hash, sort_key: sort_key.as_bytes().into() })
    }

    #[test]
    fn cuts_follow_the_load() {
        let shuffled = |count: u64| (0..count).map(move |n| n * 37 % count);
        let names: Vec<String> = shuffled(64).map(|n| format!("{n:02}")).collect();
        let one_key: Vec<_> = names.iter().map(|name| (7, name.as_str())).collect();
        let growing_names: Vec<String> = (0..64).map(|n| format!("{n:02}")).collect();
        let growing: Vec<_> = growing_names.iter().map(|name| (7, name.as_str())).collect();
        let two_growing: Vec<_> =
            growing.iter().enumerate().map(|(n, (_, name))| (n as u64 % 2, *name)).collect();
        let many_keys: Vec<_> = shuffled(64).map(|hash| (hash, "")).collect();
        let one_item: Vec<_> = (0..60).map(|n| (if n % 15 == 0 { n } else { 99 }, "x")).collect();
        let hot_and_rest: Vec<_> = (0..60).map(|n| (if n % 2 == 0 { 30 } else { n }, "x")).collect();
        let cases = [
            ("few", verdict(&one_key[..10], false), Verdict::Unknown),
            ("even keys", verdict(&many_keys, false), cut(32, "")),
            ("even keys, LSI", verdict(&many_keys, true), cut(32, "")),
            ("one key, many items", verdict(&one_key, false), cut(7, "32")),
            ("one key, LSI", verdict(&one_key, true), Verdict::Never(NoSplit::LocalIndexCollection)),
            ("growing", verdict(&growing, false), Verdict::Never(NoSplit::IncreasingSortKeys)),
            ("two growing", verdict(&two_growing, false), cut(1, "01")),
            ("two growing, LSI", verdict(&two_growing, true), cut(1, "")),
            ("one item", verdict(&one_item, false), Verdict::Never(NoSplit::SingleItem)),
            ("half on one item", verdict(&hot_and_rest, false), cut(30, "x")),
        ];
        for (name, got, expected) in cases {
            assert_eq!(got, expected, "{name}");
        }
    }

    #[test]
    fn the_sample_holds_keys_in_proportion_and_does_not_fall_into_step() {
        let mut sampler = Sampler::new(5);
        for round in 0..10_000_u64 {
            sampler.offer(Place::of_hash(round % 5), 1, 25, 0);
        }
        let mut seen = [0; 5];
        for place in sampler.in_order_of_arrival() {
            seen[place.hash as usize] += 1;
        }
        assert!(seen.iter().all(|count| (5..=25).contains(count)), "{seen:?}");
    }

    #[test]
    fn a_partition_is_hot_after_48_hot_seconds_of_60() {
        let constants = Constants::default();
        let mut heat = Heat::new(0, 1);
        let mut hot_at = None;
        for second in 0..200 {
            if heat.roll(second, &constants) && hot_at.is_none() {
                hot_at = Some(second);
            }
            let asked = if second % 10 == 0 { 100 } else { 950 };
            heat.add(Dimension::Write, asked * 2);
        }
        // Nine of ten seconds are hot: the 48th hot one is second 53, known when 54 begins.
        assert_eq!(hot_at, Some(54));
        assert!(!heat.roll(300, &constants), "a quiet minute cools it");
    }
}

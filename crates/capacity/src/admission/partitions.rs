//! The partitions of one table or index.
//!
//! They divide the range of the partition key's hash, and below one hash the range of its sort keys. Partitions are
//! only ever split, never merged, so a partition keeps its number for good: a split leaves the left part under the
//! old number and adds the right part under a new one.
//!
//! # Source
//! Developer Guide 2026, "Partitions and data distribution"; AWS Database Blog, "Scaling DynamoDB", part 3 (never
//! merged). How the service counts partitions is unpublished; see [`partitions_for`].

use super::bucket::{Bucket, Refill};
use super::heat::{Boundary, Heat, NoSplit, Place, Sampler, Verdict};
use super::{BillingMode, PerDimension};
use crate::Constants;

/// How many partitions a table or index needs to serve `rate` evenly and hold `bytes`.
///
/// Provisioned: ⌈reads / 3,000 + writes / 1,000⌉, the rule of the guide before 2018. On-demand: the larger of both
/// parts, which makes four of a new table's 12,000 and 4,000. Either way at least ⌈bytes / 10 GB⌉.
pub(crate) fn partitions_for(
    mode: BillingMode,
    rate: PerDimension<u64>,
    bytes: u64,
    constants: &Constants,
) -> u64 {
    let (read_limit, write_limit) = (constants.partition_read_units, constants.partition_write_units);
    let for_rate = match mode {
        BillingMode::OnDemand => rate.read.div_ceil(read_limit).max(rate.write.div_ceil(write_limit)),
        BillingMode::Provisioned => {
            let both = u128::from(rate.read) * u128::from(write_limit)
                + u128::from(rate.write) * u128::from(read_limit);
            let count = both.div_ceil(u128::from(read_limit) * u128::from(write_limit));
            u64::try_from(count).unwrap_or(u64::MAX)
        }
    };
    for_rate.max(bytes.div_ceil(constants.partition_bytes)).clamp(1, constants.largest_partition_count)
}

/// Whether a write that makes an item collection grow, indexes included, has to be refused with
/// ItemCollectionSizeLimitExceededException: a local secondary index keeps the collection in one partition, which is full.
/// Writes that make it shrink still pass.
///
/// # Source
/// Documented: Developer Guide 2026, "Local secondary indexes", item collection size limit.
pub fn exceeds_item_collection_limit(bytes_before: u64, bytes_after: u64, constants: &Constants) -> bool {
    bytes_after > bytes_before && bytes_after > constants.partition_bytes
}

/// One partition.
#[derive(Clone, Debug)]
pub(crate) struct Partition {
    /// Its first place; the next partition's first place is its end.
    pub start: Boundary,
    pub bytes: u64,
    pub buckets: PerDimension<Bucket>,
    pub heat: Heat,
    /// Where growth of the data went: one place for every sixteenth of a partition's size.
    growth: Sampler,
    /// A split under way: when it is done, and where it cuts.
    pub split: Option<(i64, Boundary)>,
    /// Why the last look at it led to no split.
    pub no_split: Option<NoSplit>,
    /// The size at which it is looked at for being full: its limit, or more if the last look found no cut.
    full_at_bytes: u64,
}

impl Partition {
    fn new(start: Boundary, bytes: u64, buckets: PerDimension<Bucket>, now: i64, seed: u64) -> Self {
        let second = now.div_euclid(1_000);
        let seed = seed ^ start.hash;
        Self {
            start,
            bytes,
            buckets,
            heat: Heat::new(second, seed),
            growth: Sampler::new(!seed),
            split: None,
            no_split: None,
            full_at_bytes: 0,
        }
    }
}

/// All partitions of one table or index.
#[derive(Clone, Debug)]
pub(crate) struct Partitions {
    slots: Vec<Partition>,
    /// The slots in order of their start.
    order: Vec<u32>,
    /// The hash part of each start, in the same order, so that most look-ups touch nothing else.
    start_hashes: Vec<u64>,
    seed: u64,
}

impl Partitions {
    /// `count` partitions of equal width, with full buckets and `bytes` spread over them.
    pub(crate) fn new(count: u64, bytes: u64, now: i64, seed: u64, constants: &Constants) -> Self {
        let count = count.max(1);
        let full = |units| {
            let refill = Refill::new(units, constants.partition_bucket_ms);
            Bucket::holding(refill.capacity, now)
        };
        let buckets =
            PerDimension::new(full(constants.partition_read_units), full(constants.partition_write_units));
        let mut partitions = Self { slots: Vec::new(), order: Vec::new(), start_hashes: Vec::new(), seed };
        for number in 0..count {
            let hash = ((u128::from(number) << 64) / u128::from(count)) as u64;
            let share = bytes / count + u64::from(number < bytes % count);
            let start = Boundary { hash, sort_key: Box::default() };
            partitions.order.push(partitions.slots.len() as u32);
            partitions.start_hashes.push(hash);
            partitions.slots.push(Partition::new(start, share, buckets, now, seed));
        }
        partitions
    }

    /// The number of the partition that holds `place`.
    pub(crate) fn find(&self, place: Place<'_>) -> u32 {
        self.order[self.rank(place)]
    }

    /// The position of that partition in order of start.
    fn rank(&self, place: Place<'_>) -> usize {
        let mut after = self.start_hashes.partition_point(|hash| *hash <= place.hash);
        // Only partitions that begin inside this very partition key need their sort keys compared. That an empty one is
        // never larger is asked first: comparing no bytes at a dangling address is slow on some machines.
        let begins_behind = |after: usize| {
            let start = &self.slots[self.order[after - 1] as usize].start.sort_key;
            !start.is_empty() && **start > *place.sort_key
        };
        while after > 1 && self.start_hashes[after - 1] == place.hash && begins_behind(after) {
            after -= 1;
        }
        after.saturating_sub(1)
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn get(&self, number: u32) -> &Partition {
        &self.slots[number as usize]
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> &mut Partition {
        &mut self.slots[number as usize]
    }

    /// The partitions in order of their start, each with its number.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Partition)> {
        self.order.iter().map(|number| (*number, &self.slots[*number as usize]))
    }

    /// The hashes that the partition at `rank` covers: how many there are, none if it lies within one partition key.
    fn width(&self, rank: usize) -> u128 {
        let end = self.start_hashes.get(rank + 1).map_or(1 << 64, |hash| u128::from(*hash));
        end - u128::from(self.start_hashes[rank])
    }

    /// Splits so that the place becomes the first of a new partition. The new one takes over the budgets as they
    /// are, so that no key gains by the split itself, and the bytes by `right_share` of 256.
    fn split_at(&mut self, cut: Boundary, right_share: u64, now: i64) {
        let rank = self.rank(cut.place());
        let left = self.get_mut(self.order[rank]);
        if left.start == cut {
            return;
        }
        let right_bytes = (u128::from(left.bytes) * u128::from(right_share) / 256) as u64;
        let (left_bytes, buckets) = (left.bytes - right_bytes, left.buckets);
        let (left_start, hash) = (left.start.clone(), cut.hash);
        let number = self.slots.len() as u32;
        let seed = self.seed ^ (u64::from(number) << 32);
        self.slots[self.order[rank] as usize] = Partition::new(left_start, left_bytes, buckets, now, seed);
        self.slots.push(Partition::new(cut, right_bytes, buckets, now, !seed));
        self.order.insert(rank + 1, number);
        self.start_hashes.insert(rank + 1, hash);
    }

    /// Halves every partition that is wider than one of `count` equal ones, until none is: so that load which is
    /// spread evenly meets no partition before it meets the table's own limit.
    pub(crate) fn grow_to(&mut self, count: u64, now: i64, constants: &Constants) {
        let widest = (1_u128 << 64).div_ceil(u128::from(count.max(1)));
        let mut rank = 0;
        while rank < self.order.len() && (self.len() as u64) < constants.largest_partition_count {
            let width = self.width(rank);
            if width <= widest || width < 2 {
                rank += 1;
                continue;
            }
            let hash = self.start_hashes[rank] + (width / 2) as u64;
            self.split_at(Boundary { hash, sort_key: Box::default() }, 128, now);
        }
    }

    /// Looks at a hot partition and starts a split if one helps; answers when it will be done.
    pub(crate) fn plan_heat_split(
        &mut self,
        number: u32,
        now: i64,
        has_local_index: bool,
        constants: &Constants,
    ) -> Option<i64> {
        let is_full = self.len() as u64 >= constants.largest_partition_count;
        let partition = self.get_mut(number);
        if partition.split.is_some() {
            return None;
        }
        let verdict = match is_full {
            true => Verdict::Never(NoSplit::TooManyPartitions),
            false => partition.heat.sampler.verdict(has_local_index, constants),
        };
        partition.heat.look_again_later();
        partition.start_split(verdict, now, constants)
    }

    /// Counts a change in size at `place`, and starts a split of a partition that is full; answers when it will be done.
    pub(crate) fn resize(
        &mut self,
        place: Place<'_>,
        delta: i64,
        now: i64,
        has_local_index: bool,
        constants: &Constants,
    ) -> Option<i64> {
        let is_full = self.len() as u64 >= constants.largest_partition_count;
        let number = self.find(place);
        let partition = self.get_mut(number);
        partition.bytes = partition.bytes.saturating_add_signed(delta);
        if delta > 0 {
            let stride = (constants.partition_bytes / 16).max(1);
            partition.growth.offer(place, delta.unsigned_abs(), stride, 0);
        }
        let looked_at = partition.full_at_bytes.max(constants.partition_bytes);
        if partition.bytes < looked_at || partition.split.is_some() {
            return None;
        }
        partition.full_at_bytes = partition.bytes + constants.partition_bytes / 16;
        let verdict = match is_full {
            true => Verdict::Never(NoSplit::TooManyPartitions),
            false => self.size_verdict(number, has_local_index),
        };
        self.get_mut(number).start_split(verdict, now, constants)
    }

    /// The cut that halves the bytes: by where growth was seen, or in the middle when the data was there before.
    fn size_verdict(&self, number: u32, has_local_index: bool) -> Verdict {
        let partition = self.get(number);
        if partition.growth.is_telling() {
            return match partition.growth.middle(has_local_index) {
                Some(cut) => Verdict::Cut(cut),
                None if has_local_index => Verdict::Never(NoSplit::LocalIndexCollection),
                None => Verdict::Never(NoSplit::SingleItem),
            };
        }
        let rank = self.rank(partition.start.place());
        match self.width(rank) {
            0 | 1 => Verdict::Unknown,
            width => Verdict::Cut(Boundary {
                hash: self.start_hashes[rank] + (width / 2) as u64,
                sort_key: Box::default(),
            }),
        }
    }

    /// Divides `halves` over the partitions that a walk from `from_hash`, in partition `first`, through `through_hash`
    /// met, by the width that it walked in each.
    pub(crate) fn spread(
        &self,
        first: u32,
        from_hash: u64,
        through_hash: u64,
        halves: i64,
    ) -> Vec<(u32, i64)> {
        let start = self.rank(self.get(first).start.place());
        let last = self.rank(Place::of_hash(through_hash)).max(start);
        let walked = u128::from(through_hash.saturating_sub(from_hash)) + 1;
        let (mut parts, mut begun, mut given) = (Vec::with_capacity(last - start + 1), 0, 0);
        for rank in start..=last {
            let end = match self.start_hashes.get(rank + 1) {
                Some(end) if rank < last => u128::from(end.saturating_sub(from_hash)),
                _ => walked,
            };
            let until = (i128::from(halves) * end.max(begun) as i128 / walked as i128) as i64;
            parts.push((self.order[rank], until - given));
            (begun, given) = (end.max(begun), until);
        }
        parts
    }

    /// When the next split is done, if any is under way.
    pub(crate) fn next_split(&self) -> Option<i64> {
        self.slots
            .iter()
            .filter_map(|partition| partition.split.as_ref().map(|(ready_at, _)| *ready_at))
            .min()
    }

    /// Carries out the splits that are done by `now`.
    pub(crate) fn finish_splits(&mut self, now: i64) {
        for number in 0..self.slots.len() {
            let due = self.slots[number].split.as_ref().is_some_and(|(ready_at, _)| *ready_at <= now);
            if let Some((_, cut)) = self.slots[number].split.take_if(|_| due) {
                let right_share = self.slots[number].growth.share_from(cut.place());
                self.split_at(cut, right_share, now);
            }
        }
    }
}

impl Partition {
    fn start_split(&mut self, verdict: Verdict, now: i64, constants: &Constants) -> Option<i64> {
        match verdict {
            Verdict::Cut(cut) if cut != self.start => {
                let ready_at = now.saturating_add_unsigned(constants.split_ms);
                self.no_split = None;
                self.split = Some((ready_at, cut));
                Some(ready_at)
            }
            Verdict::Never(reason) => {
                self.no_split = Some(reason);
                None
            }
            Verdict::Cut(_) | Verdict::Unknown => None,
        }
    }
}

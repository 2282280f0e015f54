//! Where an event is put, and which places a reader must look at.
//!
//! Two things are spread. The event's own key carries a shard (`observation$0#…`), and so does the partition of
//! `index_unified_timeline` (`all$0`, `20260601$3`). Each event has a partition key of its own, so the table itself never
//! gets hot; the heat is in the unified timeline, whose partition takes every write that falls into it. One takes about
//! 1,000 writes a second; the number of timeline shards is what raises that.
//!
//! | policy | event | timeline |
//! | --- | --- | --- |
//! | [`Shards::Constant`] | `$0` | `all$0` |
//! | [`Shards::Hash`] | `$<hash of the id>` | `all$<the same>` |
//! | [`Shards::Day`] | `$20260601` | `20260601$<hash of the id>` |
//! | [`Shards::RequestId`] | `$<request's id>` | `all$<hash of the request's id>` |
//!
//! Start with the constant. To go on, raise the count: readers look at all shards from 0, so what lies in fewer stays
//! readable. When the policy itself changes, name the old one with [`Sharding::formerly`].

use std::collections::BTreeSet;
use std::num::NonZeroU16;

use dynamometer_types::Timestamp;

use super::keys::{EventKey, Id, Kind, day};

/// How events are spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shards {
    /// All in shard 0.
    Constant,
    /// Over a number of shards, by the event's id.
    Hash(NonZeroU16),
    /// By the day of the event; each day's timeline over a number of shards.
    Day(NonZeroU16),
    /// By the request that wrote it; the timeline over a number of shards. Events written without a request's id count
    /// their own id as one.
    RequestId(NonZeroU16),
}

/// How events are spread now, and how they were before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sharding {
    now: Shards,
    before: Vec<Shards>,
}

/// Where an event goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// In its key.
    pub(crate) shard: String,
    /// Its partition of the unified timeline.
    pub(crate) bucket: String,
}

/// The partitions of the unified timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Buckets {
    /// Those that span all time.
    pub(crate) steady: Vec<String>,
    /// How many there are for each day; 0 when none is kept by day.
    pub(crate) per_day: u16,
}

/// The shard of an id among `count`: a hash that is easy to write in any language, so that programs in several share
/// their shards. For each UTF-16 unit `c`: `h = h * 31 + c`, in 32 bits; then `h mod count`.
///
/// ```
/// use dynamometer_planes::shard_of;
/// use std::num::NonZeroU16;
/// assert_eq!(shard_of("order-12345", NonZeroU16::new(10).unwrap()), 4);
/// ```
pub fn shard_of(id: &str, count: NonZeroU16) -> u16 {
    let hash = id.encode_utf16().fold(0u32, |hash, unit| hash.wrapping_mul(31).wrapping_add(u32::from(unit)));
    (hash % u32::from(count.get())) as u16
}

impl Sharding {
    /// Spread so from the beginning.
    pub fn new(now: Shards) -> Sharding {
        Sharding { now, before: Vec::new() }
    }

    /// Spread otherwise before: what was written then stays readable. Not needed when only a count was raised, or when
    /// [`Shards::Constant`] became [`Shards::Hash`].
    #[must_use]
    pub fn formerly(mut self, before: Shards) -> Sharding {
        self.before.push(before);
        self
    }

    /// Where a new event goes.
    pub(crate) fn place(&self, id: &Id, at: Timestamp, request: Option<&Id>) -> Place {
        match self.now {
            Shards::Constant => Place { shard: "0".into(), bucket: "all$0".into() },
            Shards::Hash(count) => {
                let shard = shard_of(id.as_str(), count).to_string();
                Place { bucket: format!("all${shard}"), shard }
            }
            Shards::Day(count) => {
                let shard = day(at);
                Place { bucket: format!("{shard}${}", shard_of(id.as_str(), count)), shard }
            }
            Shards::RequestId(count) => {
                let request = request.unwrap_or(id);
                let bucket = format!("all${}", shard_of(request.as_str(), count));
                Place { shard: request.to_string(), bucket }
            }
        }
    }

    /// Every partition of the unified timeline in which something may lie.
    pub(crate) fn buckets(&self) -> Buckets {
        let (mut steady, mut per_day) = (0, 0);
        for policy in self.policies() {
            match policy {
                Shards::Constant => steady = steady.max(1),
                Shards::Hash(count) | Shards::RequestId(count) => steady = steady.max(count.get()),
                Shards::Day(count) => per_day = per_day.max(count.get()),
            }
        }
        Buckets { steady: (0..steady).map(|shard| format!("all${shard}")).collect(), per_day }
    }

    /// Every key that an event of a kind with an id may have. A count may have been any smaller one before.
    ///
    /// `None` when the shard does not follow from the id: it is a day or a request.
    pub(crate) fn candidates(&self, kind: &Kind, id: &Id) -> Option<Vec<EventKey>> {
        let mut shards = BTreeSet::new();
        for policy in self.policies() {
            match policy {
                Shards::Constant => {
                    shards.insert(0);
                }
                Shards::Hash(count) => {
                    let counts = (1..=count.get()).filter_map(NonZeroU16::new);
                    shards.extend(counts.map(|count| shard_of(id.as_str(), count)));
                }
                Shards::Day(_) | Shards::RequestId(_) => return None,
            }
        }
        Some(shards.into_iter().map(|shard| EventKey::new(kind, &shard.to_string(), id)).collect())
    }

    fn policies(&self) -> impl Iterator<Item = Shards> {
        std::iter::once(self.now).chain(self.before.iter().copied())
    }
}

impl Default for Sharding {
    /// The constant shard, with which a design begins.
    fn default() -> Sharding {
        Sharding::new(Shards::Constant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(count: u16) -> NonZeroU16 {
        NonZeroU16::new(count).unwrap()
    }

    fn id(text: &str) -> Id {
        Id::new(text).unwrap()
    }

    const KIND: Kind = Kind::literal("observation");

    #[test]
    fn the_hash_is_the_one_that_other_languages_use() {
        let cases = [
            ("", 0),
            ("a", 7),
            ("evt-1", 9),
            ("evt-2", 0),
            ("order-12345", 4),
            ("日本", 7),
            ("550e8400-e29b-41d4-a716-446655440000", 5),
        ];
        for (text, shard) in cases {
            assert_eq!(shard_of(text, count(10)), shard, "{text}");
        }
    }

    #[test]
    fn each_policy_places_as_its_table_says() {
        let at: Timestamp = "2026-06-01T10:00:00Z".parse().unwrap();
        let request = id("req-7");
        let cases = [
            (Shards::Constant, "0", "all$0"),
            (Shards::Hash(count(10)), "9", "all$9"),
            (Shards::Day(count(10)), "20260601", "20260601$9"),
            (Shards::RequestId(count(1)), "req-7", "all$0"),
        ];
        for (policy, shard, bucket) in cases {
            let place = Sharding::new(policy).place(&id("evt-1"), at, Some(&request));
            assert_eq!((place.shard.as_str(), place.bucket.as_str()), (shard, bucket));
        }
        let alone = Sharding::new(Shards::RequestId(count(10))).place(&id("evt-1"), at, None);
        assert_eq!((alone.shard.as_str(), alone.bucket.as_str()), ("evt-1", "all$9"));
    }

    #[test]
    fn whatever_was_written_under_a_smaller_count_is_still_looked_at() {
        let at = Timestamp::from_millis(0);
        let now = Sharding::new(Shards::Hash(count(16)));
        for smaller in 1..=16 {
            let then = Sharding::new(Shards::Hash(count(smaller)));
            for event in ["evt-1", "evt-2", "日本", "x"].map(id) {
                let place = then.place(&event, at, None);
                let key = EventKey::new(&KIND, &place.shard, &event);
                assert!(now.candidates(&KIND, &event).unwrap().contains(&key));
                assert!(now.buckets().steady.contains(&place.bucket));
            }
        }
    }

    #[test]
    fn former_policies_are_looked_at_too() {
        let sharding = Sharding::new(Shards::Day(count(2))).formerly(Shards::Hash(count(3)));
        let buckets = sharding.buckets();
        assert_eq!(
            buckets,
            Buckets { steady: vec!["all$0".into(), "all$1".into(), "all$2".into()], per_day: 2 }
        );
        assert_eq!(sharding.candidates(&KIND, &id("a")), None);
    }
}

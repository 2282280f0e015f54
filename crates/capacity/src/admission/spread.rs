//! Many equal requests at one moment, some of whose places do not matter.
//!
//! What [`TableCapacity::admit_run`] is for one key, this is for many: as long as no partition comes near its limit, only
//! the budgets of the whole table or index can refuse, and a second of even load is one step however many keys it
//! touches. The caller vouches for the calm of the partitions; for keys where it cannot, it gives the place.

use dynamometer_types::Timestamp;

use super::heat::Place;
use super::table::{Arm, Ask, ResourceId, TableCapacity};
use super::{Counters, Dimension, Granted, PerDimension};
use crate::CapacityUnits;

/// One part of a request of a run: as [`Ask`], with its whole cost, and perhaps without a place.
#[derive(Clone, Copy, Debug)]
pub struct RunPart<'a> {
    /// The table or the index.
    pub resource: ResourceId,
    /// Reads or writes.
    pub dimension: Dimension,
    /// Where in the table or index; `None` when the run is spread over partitions that are all far from their limits.
    pub place: Option<Place<'a>>,
    /// What each request costs.
    pub cost: CapacityUnits,
}

impl<'a> RunPart<'a> {
    fn ask(&self) -> Ask<'a> {
        Ask {
            resource: self.resource,
            dimension: self.dimension,
            place: self.place.unwrap_or(Place::of_hash(0)),
            floor: self.cost,
        }
    }
}

/// Parts whose arms need no allocation.
const FEW: usize = 4;

impl TableCapacity {
    /// Serves as many of `count` equal requests as pass at this moment. Parts without a place take from the budgets of
    /// the whole table or index only, and leave no heat.
    ///
    /// # Panics
    /// When `parts` is empty.
    pub fn admit_spread(&mut self, now: Timestamp, parts: &[RunPart<'_>], count: u64) -> Granted {
        assert!(!parts.is_empty(), "a request asks for something");
        let now = self.advance_to(now);
        let mut few = [Arm::of(&parts[0].ask()); FEW];
        let mut many = Vec::new();
        let arms = if parts.len() <= FEW {
            &mut few[..parts.len()]
        } else {
            many.resize(parts.len(), few[0]);
            &mut many[..]
        };
        let mut granted = Granted { count: 0, refusal: None };
        // The second round finds the refusal that ended the first, if one did.
        while granted.count < count {
            for (arm, part) in arms.iter_mut().zip(parts) {
                let ask = part.ask();
                let checked = match part.place {
                    Some(_) => self.check(now, &ask),
                    None => self.check_whole(now, &ask),
                };
                match checked {
                    Ok(passed) => *arm = passed,
                    Err(blocked) => {
                        granted.refusal = Some(self.refuse(&ask, blocked, count - granted.count));
                        return granted;
                    }
                }
            }
            let served = self.passing_spread(parts, arms).min(count - granted.count);
            for (arm, part) in arms.iter().zip(parts) {
                match part.place {
                    Some(place) => self.take_floors(now, arm, place, served),
                    None => self.take_from_whole(now, arm, served),
                }
            }
            granted.count += served;
        }
        granted
    }

    /// How many requests of these parts pass.
    fn passing_spread(&self, parts: &[RunPart<'_>], arms: &[Arm]) -> u64 {
        let both = || parts.iter().zip(arms);
        let mut fewest = u64::MAX;
        for (part, arm) in both() {
            let Some(resource) = &self.resources[arm.slot()] else { continue };
            let is_here = |other: &Arm| other.slot() == arm.slot() && other.dimension == arm.dimension;
            let whole =
                both().filter(|(_, other)| is_here(other)).map(|(part, _)| part.ask().want().cost).sum();
            let want = part.ask().want();
            let passing = match part.place {
                None => resource.passing_whole(&want, whole, &self.constants),
                Some(_) => {
                    let same = |(other, there): &(&RunPart<'_>, &Arm)| {
                        other.place.is_some() && is_here(there) && there.partition == arm.partition
                    };
                    let partition = both().filter(same).map(|(part, _)| part.ask().want().cost).sum();
                    resource.passing(&want, arm.partition, (whole, partition), &self.constants)
                }
            };
            fewest = fewest.min(passing);
            if self.has_shared_quota() {
                let all = both().filter(|(_, other)| other.dimension == arm.dimension);
                let all = all.map(|(part, _)| part.ask().want().cost).sum();
                let quota = &self.shared_quota[arm.dimension];
                fewest = fewest.min(quota.passing(want.needed(&self.constants), all));
            }
        }
        fewest
    }

    /// The partition of a table or index that holds a place, by a number that stays good until the partition is split.
    pub fn partition_of(&self, resource: ResourceId, place: Place<'_>) -> u32 {
        let resource = self.resources.get(usize::from(resource.number())).and_then(Option::as_ref);
        resource.map_or(0, |resource| resource.partitions.find(place))
    }

    /// Whether the heat of the partition that holds a place may be looked at within so many seconds: then the keys of the load
    /// decide, and not its amount alone.
    pub(crate) fn looks_at_heat_within(
        &self,
        now: Timestamp,
        resource: ResourceId,
        place: Place<'_>,
        seconds: i64,
    ) -> bool {
        let resource = self.resources.get(usize::from(resource.number())).and_then(Option::as_ref);
        resource.is_some_and(|resource| {
            let partition = resource.partitions.get(resource.partitions.find(place));
            partition.split.is_none() && partition.heat.looks_again_at() <= now.seconds() + seconds
        })
    }

    /// How many partitions a table or index has. They only grow in number, so an equal count means the same partitions.
    pub fn partition_count(&self, resource: ResourceId) -> usize {
        let resource = self.resources.get(usize::from(resource.number())).and_then(Option::as_ref);
        resource.map_or(0, |resource| resource.partitions.len())
    }

    /// The sums of a table or index since the start.
    pub fn counters(&self, resource: ResourceId) -> PerDimension<Counters> {
        let resource = self.resources.get(usize::from(resource.number())).and_then(Option::as_ref);
        resource.map_or(PerDimension::default(), |resource| resource.counters)
    }

    /// How many numbers of resources are in use: the table's, and those of its indexes, deleted ones included.
    pub fn resource_count(&self) -> usize {
        self.resources.len()
    }

    /// The units per second that a table or index serves as of the last event: what is provisioned, or what on-demand
    /// has grown to, within its quota.
    pub fn rate(&self, resource: ResourceId) -> PerDimension<u64> {
        let resource = self.resources.get(usize::from(resource.number())).and_then(Option::as_ref);
        resource.map_or(PerDimension::default(), |resource| resource.rate())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Constants;
    use crate::admission::{BillingMode, IndexSpec, ResourceSpec, TableSpec};

    fn table(mode: BillingMode) -> TableCapacity {
        let spec = TableSpec {
            mode,
            table: ResourceSpec::provisioned(500, 120),
            indexes: vec![IndexSpec { name: "i".into(), resource: ResourceSpec::provisioned(1, 90) }],
            ..TableSpec::default()
        };
        TableCapacity::new(&spec, Arc::new(Constants::default()), Timestamp::from_millis(0))
    }

    /// Far from the partitions' limits, a spread run decides as one request after the other over all keys.
    #[test]
    fn a_spread_run_decides_as_its_requests_would_one_by_one() {
        for mode in [BillingMode::Provisioned, BillingMode::OnDemand] {
            let (mut spread, mut single) = (table(mode), table(mode));
            let index = spread.index_id("i").unwrap();
            for second in 0..600_i64 {
                let now = Timestamp::from_millis(second * 1_000);
                let count = 40 + (second as u64 * 37) % 150;
                let part = |resource, place| RunPart {
                    resource,
                    dimension: Dimension::Write,
                    place,
                    cost: CapacityUnits::ONE,
                };
                let parts = [part(ResourceId::TABLE, None), part(index, None)];
                let served = spread.admit_spread(now, &parts, count).count;
                let mut one_by_one = 0;
                for request in 0..count {
                    let place = Some(Place::of_hash(request.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
                    let parts = [part(ResourceId::TABLE, place), part(index, place)];
                    one_by_one += single.admit_spread(now, &parts, 1).count;
                }
                assert_eq!(served, one_by_one, "{mode:?}, second {second}");
            }
            let now = Timestamp::from_millis(600_000);
            for (left, right) in spread.report(now).iter().zip(single.report(now)) {
                assert_eq!(left.counters, right.counters);
                assert_eq!(left.burst, right.burst);
            }
        }
    }

    #[test]
    fn with_all_places_given_it_is_a_run() {
        let (mut spread, mut run) = (table(BillingMode::Provisioned), table(BillingMode::Provisioned));
        for second in 0..400_i64 {
            let now = Timestamp::from_millis(second * 500);
            let place = Place::of_hash((second as u64).wrapping_mul(0x1234_5678_9abc_def1));
            let (resource, dimension, cost) =
                (ResourceId::TABLE, Dimension::Read, CapacityUnits::from_halves(3));
            let part = RunPart { resource, dimension, place: Some(place), cost };
            let ask = Ask { resource, dimension, place, floor: cost };
            assert_eq!(spread.admit_spread(now, &[part], 300), run.admit_run(now, &[ask], 300));
        }
    }
}

//! Where the requests of a key space go: places with their weights.

use dynamometer_types::Timestamp;

use super::load::{KeySpace, Skew};
use super::random::{mix, zipf_weight};
use crate::admission::Place;

/// A place that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub hash: u64,
    pub sort: SortKey,
    /// Its share of the key space, of [`WHOLE`].
    pub share: u64,
    /// The partition key that it belongs to.
    pub key: u64,
}

/// The sort key of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SortKey {
    /// One item for each key.
    None,
    /// One of several.
    Item(u64),
    /// Larger with each request.
    Growing,
}

/// All of a key space, as a share.
pub(crate) const WHOLE: u64 = 1 << 40;
/// The places that stand for the items of one key.
const MOST_ITEMS: u64 = 32;
/// Keys with less than this share stand for themselves, whatever items they have: `WHOLE` / 512.
const SHARE_TO_DIVIDE: u64 = WHOLE >> 9;

impl Spot {
    /// The place at a moment; `draw` tells requests of one second apart. `buffer` holds the sort key.
    pub(crate) fn place<'b>(&self, now: Timestamp, draw: u64, buffer: &'b mut [u8; 16]) -> Place<'b> {
        let sort_key = match self.sort {
            SortKey::None => &buffer[..0],
            SortKey::Item(item) => {
                buffer[..8].copy_from_slice(&item.to_be_bytes());
                &buffer[..8]
            }
            SortKey::Growing => {
                buffer[..8].copy_from_slice(&now.millis().to_be_bytes());
                buffer[8..].copy_from_slice(&draw.to_be_bytes());
                &buffer[..]
            }
        };
        Place { hash: self.hash, sort_key }
    }
}

/// The places of a key space at a moment. `shards_of` tells into how many each key is divided.
pub(crate) fn spots(
    space: &KeySpace,
    space_seed: u64,
    now: Timestamp,
    shards_of: impl Fn(u64) -> u64,
) -> Vec<Spot> {
    let mut spots = Vec::new();
    let mut add = |key: u64, share: u64, growing: bool| {
        let shards = shards_of(key).max(1);
        for shard in 0..shards {
            let hash = mix(mix(space_seed ^ mix(key)).wrapping_add(shard));
            let share = share / shards;
            if growing {
                spots.push(Spot { hash, sort: SortKey::Growing, share, key });
                continue;
            }
            let items = if share < SHARE_TO_DIVIDE { 1 } else { space.items_per_key.min(MOST_ITEMS) };
            for item in 0..items {
                let sort = if items == 1 { SortKey::None } else { SortKey::Item(item) };
                spots.push(Spot { hash, sort, share: share / items, key });
            }
        }
    };
    if let Skew::Time(minutes) = space.skew {
        add(time_key(minutes, now), WHOLE, true);
        return spots;
    }
    let weights: Vec<u64> = (0..space.count).map(|key| weight(space, key)).collect();
    let sum: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
    for (key, weight) in weights.into_iter().enumerate() {
        let share = (u128::from(weight) * u128::from(WHOLE)).checked_div(sum).unwrap_or(0) as u64;
        add(key as u64, share, false);
    }
    spots
}

/// The newest key of a time-ordered key space.
pub(crate) fn time_key(minutes: u64, now: Timestamp) -> u64 {
    now.millis().div_euclid(60_000).div_euclid(i64::try_from(minutes).unwrap_or(i64::MAX)) as u64
}

fn weight(space: &KeySpace, key: u64) -> u64 {
    match space.skew {
        Skew::Uniform | Skew::Time(_) => 1,
        Skew::Zipf(hundredths) => zipf_weight(key + 1, hundredths),
        Skew::Hot(_) if space.count == 1 => 1,
        Skew::Hot(ppm) if key == 0 => ppm * (space.count - 1),
        Skew::Hot(ppm) => 1_000_000 - ppm,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(skew: Skew, count: u64) -> Vec<f64> {
        let space = KeySpace { name: "k".into(), count, items_per_key: 1, skew };
        let spots = spots(&space, 1, Timestamp::default(), |_| 1);
        spots.iter().map(|spot| spot.share as f64 / WHOLE as f64).collect()
    }

    #[test]
    fn skews_give_each_key_its_share() {
        assert_eq!(shares(Skew::Uniform, 4), [0.25; 4]);
        let hot = shares(Skew::Hot(300_000), 8);
        assert!((hot[0] - 0.3).abs() < 1e-9 && (hot[1] - 0.1).abs() < 1e-9, "{hot:?}");
        let zipf = shares(Skew::Zipf(100), 3);
        assert!((zipf[0] - 6.0 / 11.0).abs() < 1e-6 && (zipf[2] - 2.0 / 11.0).abs() < 1e-6, "{zipf:?}");
        assert_eq!(shares(Skew::Time(60), 1_000), [1.0]);
    }

    #[test]
    fn shards_and_items_divide_a_key() {
        let space = KeySpace { name: "k".into(), count: 2, items_per_key: 4, skew: Skew::Uniform };
        let spots = spots(&space, 1, Timestamp::default(), |key| if key == 0 { 3 } else { 1 });
        let of = |key| spots.iter().filter(|spot| spot.key == key).collect::<Vec<_>>();
        assert_eq!((of(0).len(), of(1).len()), (12, 4));
        let mut hashes: Vec<_> = of(0).iter().map(|spot| spot.hash).collect();
        hashes.dedup();
        assert_eq!(hashes.len(), 3);
    }
}

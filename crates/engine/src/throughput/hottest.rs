//! The partition keys that get the most units since the server started; their error bound is that of
//! [`Heaviest`](super::heaviest).

use super::heaviest::Heaviest;

/// How many keys are kept for each table or index, for reads and for writes.
pub const TRACKED_KEYS: usize = 64;
/// How much of a key is kept to show it by.
const LABEL_BYTES: usize = 64;

/// A partition key that is kept.
#[derive(Clone, Debug)]
pub(crate) struct Tracked {
    /// Half units that may belong to keys which had this place before.
    pub(crate) over_by: u64,
    /// Requests refused.
    pub(crate) refused: u64,
    /// Half units in its busiest second so far.
    pub(crate) busiest: u64,
    second: i64,
    in_second: u64,
    label: [u8; LABEL_BYTES],
    label_length: u8,
}

impl Tracked {
    fn new(key: &[u8], over_by: u64) -> Tracked {
        let length = key.len().min(LABEL_BYTES);
        let mut label = [0; LABEL_BYTES];
        label[..length].copy_from_slice(&key[..length]);
        Tracked {
            over_by,
            refused: 0,
            busiest: 0,
            second: i64::MIN,
            in_second: 0,
            label,
            label_length: length as u8,
        }
    }

    /// The beginning of the key's stored bytes.
    pub(crate) fn label(&self) -> &[u8] {
        &self.label[..usize::from(self.label_length)]
    }

    fn add(&mut self, halves: u64, second: i64) {
        if self.second != second {
            self.second = second;
            self.in_second = 0;
        }
        self.in_second += halves;
        self.busiest = self.busiest.max(self.in_second);
    }
}

/// The keys of one table or index, for reads or for writes.
pub(crate) type Hottest = Heaviest<Tracked, TRACKED_KEYS>;

impl Hottest {
    /// Counts units of the key with this hash, of which `key` are the stored bytes.
    pub(crate) fn count(&mut self, hash: u64, key: &[u8], halves: u64, second: i64) {
        self.add(hash, halves, |over_by| Tracked::new(key, over_by)).add(halves, second);
    }

    /// Counts a refusal of a key, if the key is kept.
    pub(crate) fn refuse(&mut self, hash: u64) {
        if let Some(tracked) = self.get_mut(hash) {
            tracked.refused += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_second_and_refusals_are_kept() {
        let mut hottest = Hottest::new();
        for (second, halves) in [(1, 2), (1, 2), (2, 3), (5, 1)] {
            hottest.count(7, b"a", halves, second);
        }
        hottest.refuse(7);
        hottest.refuse(8);
        let ranked = hottest.ranked();
        assert_eq!((ranked[0].0, ranked[0].1.busiest, ranked[0].1.refused), (8, 4, 1));
        assert_eq!(ranked[0].1.label(), b"a");
    }
}

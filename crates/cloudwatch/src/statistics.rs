//! Statistic sets, and percentiles within a stated error.

/// What is known of the values of one series in one period. Merging two gives what all of their values would have given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StatisticSet {
    /// How many values.
    pub samples: f64,
    /// Their sum.
    pub sum: f64,
    /// The smallest.
    pub minimum: f64,
    /// The largest.
    pub maximum: f64,
}

impl StatisticSet {
    /// `samples` times one value.
    pub fn of(value: f64, samples: f64) -> StatisticSet {
        StatisticSet { samples, sum: value * samples, minimum: value, maximum: value }
    }

    /// Takes another in.
    pub fn merge(&mut self, other: &StatisticSet) {
        // A set without samples says that there was nothing: its bounds are none.
        if self.samples == 0.0 && other.samples > 0.0 {
            (self.minimum, self.maximum) = (other.minimum, other.maximum);
        } else if other.samples > 0.0 || self.samples == 0.0 {
            self.minimum = self.minimum.min(other.minimum);
            self.maximum = self.maximum.max(other.maximum);
        }
        self.samples += other.samples;
        self.sum += other.sum;
    }
}

/// How many values fell where: buckets whose width is a 32nd of their power of two.
///
/// # Error bound
/// A percentile is the middle of its bucket, so it is off by at most 1/64 (1.6 %) of the value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Histogram(Vec<(i64, f64)>);

/// Bits of a double's fraction that a bucket leaves open: 52 less the five that are kept.
const OPEN_BITS: u32 = 47;

/// How many buckets a power of two has.
pub const BUCKETS_A_DOUBLING: u32 = 1 << (52 - OPEN_BITS);

/// The bucket of a value: the leading bits of the double, which order as the values do.
pub fn bucket_of(value: f64) -> i64 {
    let bits = (value.abs().to_bits() >> OPEN_BITS) as i64;
    if value < 0.0 { -bits } else { bits }
}

/// The middle of a bucket.
fn middle_of(bucket: i64) -> f64 {
    let low = bucket.unsigned_abs() << OPEN_BITS;
    let middle = if low == 0 { 0.0 } else { f64::from_bits(low | 1 << (OPEN_BITS - 1)) };
    if bucket < 0 { -middle } else { middle }
}

impl Histogram {
    /// Adds a value.
    pub fn add(&mut self, value: f64, samples: f64) {
        self.add_to(bucket_of(value), samples);
    }

    /// Adds to a bucket of [`bucket_of`].
    pub fn add_to(&mut self, bucket: i64, samples: f64) {
        match self.0.binary_search_by_key(&bucket, |(known, _)| *known) {
            Ok(at) => self.0[at].1 += samples,
            Err(at) => self.0.insert(at, (bucket, samples)),
        }
    }

    /// Takes another in.
    pub fn merge(&mut self, other: &Histogram) {
        for (bucket, samples) in &other.0 {
            self.add_to(*bucket, *samples);
        }
    }

    /// Buckets in use.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value below which `percent` of the values lie.
    fn percentile(&self, percent: f64) -> Option<f64> {
        let all: f64 = self.0.iter().map(|(_, samples)| samples).sum();
        let rank = all * percent / 100.0;
        let mut below = 0.0;
        let reached = self.0.iter().find(|(_, samples)| {
            below += samples;
            below >= rank
        });
        reached.or(self.0.last()).map(|(bucket, _)| middle_of(*bucket))
    }
}

/// What is kept of a period.
#[derive(Clone, Debug, PartialEq)]
pub struct Datum {
    /// Exact.
    pub set: StatisticSet,
    /// For percentiles, where single values are known.
    pub histogram: Option<Box<Histogram>>,
}

impl From<StatisticSet> for Datum {
    fn from(set: StatisticSet) -> Datum {
        Datum { set, histogram: None }
    }
}

impl Datum {
    /// Takes another in. Percentiles are lost when one of the two has none.
    pub fn merge(&mut self, other: &Datum) {
        match (&mut self.histogram, &other.histogram) {
            (Some(mine), Some(theirs)) => mine.merge(theirs),
            (mine, _) => *mine = None,
        }
        self.set.merge(&other.set);
    }

    /// A statistic of the period; nothing for percentiles of values that are not known.
    pub fn statistic(&self, statistic: Statistic) -> Option<f64> {
        let StatisticSet { samples, sum, minimum, maximum } = self.set;
        match statistic {
            Statistic::SampleCount => Some(samples),
            Statistic::Sum => Some(sum),
            Statistic::Average => Some(if samples == 0.0 { 0.0 } else { sum / samples }),
            Statistic::Minimum => Some(minimum),
            Statistic::Maximum => Some(maximum),
            // Of one value, however it came, every percentile is known.
            Statistic::Percentile(_) if minimum == maximum => Some(minimum),
            Statistic::Percentile(percent) => {
                let value = self.histogram.as_ref()?.percentile(percent)?;
                Some(value.clamp(minimum, maximum))
            }
        }
    }
}

/// A statistic that may be asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    /// How many values.
    SampleCount,
    /// Sum over count.
    Average,
    /// The sum.
    Sum,
    /// The smallest.
    Minimum,
    /// The largest.
    Maximum,
    /// `p99.9`.
    Percentile(f64),
}

impl Statistic {
    /// The five with names, in the model's order.
    pub const NAMED: [(&'static str, Statistic); 5] = [
        ("SampleCount", Statistic::SampleCount),
        ("Average", Statistic::Average),
        ("Sum", Statistic::Sum),
        ("Minimum", Statistic::Minimum),
        ("Maximum", Statistic::Maximum),
    ];

    /// Their names.
    pub const NAMES: [&'static str; 5] = ["SampleCount", "Average", "Sum", "Minimum", "Maximum"];

    /// Reads a name or a percentile. Trimmed means, winsorized means, percentile ranks and their kin are not there.
    pub fn read(text: &str) -> Option<Statistic> {
        if let Some((_, statistic)) = Statistic::NAMED.iter().find(|(name, _)| *name == text) {
            return Some(*statistic);
        }
        let digits = text.strip_prefix('p')?;
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
            return None;
        }
        let percent: f64 = digits.parse().ok()?;
        (0.0..=100.0).contains(&percent).then_some(Statistic::Percentile(percent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_merge_as_their_values_would() {
        let mut set = StatisticSet::of(0.5, 2.0);
        set.merge(&StatisticSet::of(3.0, 1.0));
        assert_eq!(set, StatisticSet { samples: 3.0, sum: 4.0, minimum: 0.5, maximum: 3.0 });
        let mut idle = StatisticSet::of(0.0, 0.0);
        idle.merge(&set);
        assert_eq!(idle, set, "an idle minute has no smallest value");
        set.merge(&StatisticSet::of(0.0, 0.0));
        assert_eq!(idle, set);
    }

    #[test]
    fn percentiles_are_within_a_64th() {
        let mut histogram = Histogram::default();
        for value in 1..=10_000 {
            histogram.add(f64::from(value) / 10.0, 1.0);
        }
        for percent in [1.0, 10.0, 50.0, 90.0, 99.0, 99.9] {
            let value = histogram.percentile(percent).unwrap();
            let exact = percent * 10.0;
            assert!((value - exact).abs() <= exact / 64.0, "p{percent}: {value} for {exact}");
        }
        assert!(histogram.len() < 13 * BUCKETS_A_DOUBLING as usize);
    }

    #[test]
    fn negative_values_and_zero_have_their_places() {
        let mut histogram = Histogram::default();
        for value in [-8.0, 0.0, 8.0] {
            histogram.add(value, 1.0);
        }
        let of = |percent| histogram.percentile(percent).unwrap();
        assert!(of(10.0) < -7.9 && of(50.0) == 0.0 && of(100.0) > 7.9);
    }

    #[test]
    fn statistics_are_read_by_name() {
        assert_eq!(Statistic::read("p99.9"), Some(Statistic::Percentile(99.9)));
        assert_eq!(Statistic::read("Sum"), Some(Statistic::Sum));
        for other in ["p", "p101", "pNaN", "tm99", "TM(1%:99%)", "PR(:300)", "sum", "iqm"] {
            assert_eq!(Statistic::read(other), None, "{other}");
        }
    }
}

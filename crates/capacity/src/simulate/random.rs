//! Random numbers and powers in integers, so that a seed gives the same load on every machine.

/// SplitMix64's mixing of one number: neighbours become strangers.
pub(crate) fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A SplitMix64 sequence.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

/// Above this mean the normal distribution stands in for Poisson's.
const SMALL_MEAN_MILLI: u64 = 16_000;

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    pub(crate) fn next(&mut self) -> u64 {
        let drawn = mix(self.0);
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        drawn
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// How many requests come in a second in which `mean_milli` thousandths are expected: Poisson, as independent
    /// clients make it.
    pub(crate) fn arrivals(&mut self, mean_milli: u64) -> u64 {
        match mean_milli {
            0 => 0,
            1..=SMALL_MEAN_MILLI => self.few(mean_milli),
            _ => self.many(mean_milli),
        }
    }

    /// Knuth's method: multiply uniform numbers until the product falls below e^-mean.
    fn few(&mut self, mean_milli: u64) -> u64 {
        let floor = exp_of_minus_milli(mean_milli);
        let (mut product, mut count) = (u64::MAX, 0);
        loop {
            product = ((u128::from(product) * u128::from(self.next())) >> 64) as u64;
            if product <= floor {
                return count;
            }
            count += 1;
        }
    }

    /// The mean, give or take: the sum of twelve uniform numbers has a deviation of one of them.
    fn many(&mut self, mean_milli: u64) -> u64 {
        let sum: u64 = (0..3)
            .map(|_| self.next())
            .flat_map(|drawn| (0..4).map(move |at| drawn >> (16 * at) & 0xffff))
            .sum();
        let deviations = sum as i64 - 6 * 65_536;
        let deviation_milli = (u128::from(mean_milli) * 1_000).isqrt() as i64;
        let milli =
            mean_milli as i64 + (i128::from(deviation_milli) * i128::from(deviations) / 65_536) as i64;
        // Rounded by chance, so that no half request is lost.
        let up = self.below(1_000) < (milli.max(0) % 1_000) as u64;
        (milli.max(0) / 1_000) as u64 + u64::from(up)
    }
}

/// The binary logarithm of a number from 1 on, with 32 binary places.
fn log2(number: u64) -> u64 {
    let whole = number.max(1).ilog2();
    let mut mantissa = u128::from(number.max(1)) << (63 - whole);
    let mut places = 0;
    for _ in 0..32 {
        mantissa = (mantissa * mantissa) >> 63;
        places <<= 1;
        if mantissa >> 64 != 0 {
            places |= 1;
            mantissa >>= 1;
        }
    }
    (u64::from(whole) << 32) | places
}

/// 2 to the power of minus `exponent`, which has 32 binary places; the result has 64.
fn exp2_of_minus(exponent: u64) -> u64 {
    let whole = exponent >> 32;
    if whole >= 64 {
        return 0;
    }
    let mut power = u64::MAX;
    let mut root = 1_u128 << 63;
    for place in (0..32).rev() {
        // 2^-(1/2), 2^-(1/4) and so on, as one root after the other.
        root = (root << 64).isqrt();
        if exponent >> place & 1 == 1 {
            power = ((u128::from(power) * root) >> 64) as u64;
        }
    }
    power >> whole
}

/// e to the power of minus so many thousandths, with 64 binary places.
fn exp_of_minus_milli(milli: u64) -> u64 {
    // log2(e) is 6_196_328_019 / 2^32.
    exp2_of_minus((u128::from(milli) * 6_196_328_019 / 1_000) as u64)
}

/// `rank` to the power of minus `hundredths` / 100, with 40 binary places: the weight of a key by Zipf's law.
pub(crate) fn zipf_weight(rank: u64, hundredths: u64) -> u64 {
    let exponent = u128::from(log2(rank)) * u128::from(hundredths) / 100;
    exp2_of_minus(u64::try_from(exponent).unwrap_or(u64::MAX)) >> 24
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_near_the_true_ones() {
        for (rank, hundredths) in [(1, 100), (2, 100), (3, 100), (10, 50), (1_000, 99), (7, 250), (5, 0)] {
            let expected = (rank as f64).powf(-(hundredths as f64) / 100.0) * (1_u64 << 40) as f64;
            let weight = zipf_weight(rank, hundredths) as f64;
            assert!(
                (weight - expected).abs() <= expected * 1e-6 + 2.0,
                "{rank}^-{hundredths}/100: {weight}, {expected}"
            );
        }
        for milli in [1, 500, 1_000, 16_000] {
            let expected = (-(milli as f64) / 1_000.0).exp();
            let got = exp_of_minus_milli(milli) as f64 / 2_f64.powi(64);
            assert!((got - expected).abs() < expected * 1e-6, "e^-{milli}/1000: {got}, {expected}");
        }
    }

    #[test]
    fn arrivals_have_the_mean_and_the_variance_of_a_poisson_process() {
        for mean_milli in [200, 3_000, 16_000, 17_500, 900_000] {
            let mut random = Random::new(7);
            let count = 20_000;
            let drawn: Vec<f64> = (0..count).map(|_| random.arrivals(mean_milli) as f64).collect();
            let expected = mean_milli as f64 / 1_000.0;
            let mean = drawn.iter().sum::<f64>() / count as f64;
            let variance = drawn.iter().map(|n| (n - mean).powi(2)).sum::<f64>() / count as f64;
            assert!((mean - expected).abs() < 5.0 * (expected / count as f64).sqrt(), "{mean} of {expected}");
            assert!((variance / expected - 1.0).abs() < 0.06, "variance {variance} of {expected}");
        }
    }
}

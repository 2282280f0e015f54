//! Random numbers that are the same for the same seed.

/// SplitMix64.
#[derive(Clone, Debug)]
pub(super) struct Random {
    state: u64,
}

impl Random {
    /// A stream of its own for each number.
    pub(super) fn new(seed: u64, stream: u64) -> Random {
        Random { state: mix(seed ^ mix(stream.wrapping_add(1))) }
    }

    pub(super) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state)
    }

    /// From 0 to below `end`.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end.max(1))) >> 64) as u64
    }

    /// Whether something happens that happens so often, in parts per million.
    pub(super) fn happens(&mut self, ppm: u64) -> bool {
        self.below(1_000_000) < ppm
    }

    /// Nanoseconds until the next of events that come `rate_micro` times in a million seconds, independently of each other.
    pub(super) fn pause_ns(&mut self, rate_micro: u64) -> u64 {
        // 53 bits, from just above 0 to 1.
        let uniform = ((self.next() >> 11) + 1) as f64 / (1_u64 << 53) as f64;
        let seconds = -uniform.ln() * 1e6 / rate_micro.max(1) as f64;
        (seconds * 1e9).min(1e18) as u64
    }
}

/// The finaliser of SplitMix64.
pub(super) fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

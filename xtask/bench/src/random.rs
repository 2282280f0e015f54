//! A small random generator, and letters that do not compress.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// Letters to copy from: larger than a storage engine's block or a compressor's window.
const POOL: usize = 1 << 20;

/// A seed that no other call in this or another run gets: tokens made from it are new.
pub fn new_seed() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    since.as_nanos() as u64 ^ COUNT.fetch_add(1, Ordering::Relaxed).rotate_right(8)
}

/// splitmix64 with a pool of letters.
pub struct Random {
    state: u64,
    pool: Vec<u8>,
}

impl Random {
    /// A generator that a seed repeats.
    pub fn new(seed: u64) -> Random {
        let mut random = Random { state: seed, pool: Vec::new() };
        random.pool = (0..POOL).map(|_| b'a' + random.below(26) as u8).collect();
        random
    }

    /// A number from 0 up to but not including `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }

    /// Fills with letters from a random place of the pool.
    pub fn letters(&mut self, out: &mut [u8]) {
        let from = self.below((POOL - out.len()) as u64) as usize;
        out.copy_from_slice(&self.pool[from..from + out.len()]);
    }
}

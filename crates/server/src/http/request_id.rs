//! Request ids in AWS's form: 52 characters of `[0-9A-Z]`.

use http::HeaderValue;
use std::sync::atomic::{AtomicU64, Ordering};

const LENGTH: usize = 52;
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHIJKLMNOPQRSTUV";
const BITS_PER_CHARACTER: u32 = 5;
/// The characters that a 64-bit number takes, and that differ from one id of a connection to the next.
const CHARACTERS_PER_WORD: usize = 13;

/// A source of request ids for one connection, without anything that connections share. As in AWS's ids, the end stays
/// the same: here for a connection. The beginning is a counter, mixed with a seed.
#[derive(Debug)]
pub(super) struct RequestIds {
    seed: u64,
    count: AtomicU64,
    template: [u8; LENGTH],
}

impl RequestIds {
    /// The ids of the `connection`-th connection of a server with this seed.
    pub(super) fn new(server_seed: u128, connection: u64) -> RequestIds {
        let (low, high) = (server_seed as u64, (server_seed >> 64) as u64);
        let mut state = mix(low ^ mix(high)).wrapping_add(connection);
        let mut template = [0; LENGTH];
        for word in template.chunks_mut(CHARACTERS_PER_WORD) {
            state = mix(state);
            write_word(word, state);
        }
        RequestIds { seed: mix(state), count: AtomicU64::new(0), template }
    }

    /// The next id, ready to be sent.
    pub(super) fn next(&self) -> HeaderValue {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let mut text = self.template;
        write_word(&mut text[..CHARACTERS_PER_WORD], mix(self.seed.wrapping_add(count)));
        HeaderValue::from_bytes(&text).expect("the alphabet is visible ASCII")
    }
}

fn write_word(characters: &mut [u8], mut bits: u64) {
    for character in characters {
        *character = ALPHABET[(bits & 31) as usize];
        bits >>= BITS_PER_CHARACTER;
    }
}

/// The finaliser of SplitMix64: a bijection whose every output bit depends on every input bit.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_have_the_form_of_aws_and_never_repeat() {
        let mut seen = HashSet::new();
        for connection in 0..50 {
            let ids = RequestIds::new(7, connection);
            for _ in 0..200 {
                let id = ids.next().to_str().unwrap().to_owned();
                assert_eq!(id.len(), 52);
                assert!(id.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()), "{id}");
                assert!(seen.insert(id));
            }
        }
    }

    #[test]
    fn another_seed_gives_other_ids() {
        assert_ne!(RequestIds::new(1, 0).next(), RequestIds::new(2, 0).next());
        assert_ne!(RequestIds::new(1, 0).next(), RequestIds::new(1 << 64, 0).next());
    }
}

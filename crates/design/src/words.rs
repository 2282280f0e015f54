//! Rates and sizes in words, as people write them before they know.
//!
//! | rate | Japanese | average | peak |
//! | --- | --- | --- | --- |
//! | very high | 非常に高 | 100/s | 500/s |
//! | high | 高 | 20/s | 100/s |
//! | medium | 中 | 2/s | 10/s |
//! | low | 低 | 0.1/s | 0.5/s |
//! | rare | まれ | 1/h | 1/min |
//!
//! | size | Japanese | bytes |
//! | --- | --- | --- |
//! | tiny | 極小 | 100B |
//! | small | 小 | 500B |
//! | medium | 中 | 2KB |
//! | large | 大 | 10KB |
//! | very large | 特大 | 100KB |
//!
//! They are our choice. A file's `words` go before them, and every output shows the number that a word became.

use crate::model::Rate;

/// A rate in words: the words, the average and the peak in millionths per second.
const RATES: &[(&[&str], u64, u64)] = &[
    (&["very high", "非常に高", "非常に高い"], 100_000_000, 500_000_000),
    (&["high", "高", "高い"], 20_000_000, 100_000_000),
    (&["medium", "中", "中程度"], 2_000_000, 10_000_000),
    (&["low", "低", "低い"], 100_000, 500_000),
    (&["rare", "まれ"], 278, 16_667),
];

/// A size in words: the words and the bytes.
const SIZES: &[(&[&str], u64)] = &[
    (&["tiny", "極小"], 100),
    (&["small", "小"], 500),
    (&["medium", "中"], 2_048),
    (&["large", "大"], 10_240),
    (&["very large", "特大"], 102_400),
];

/// How many times the average the busiest second is when nobody said.
pub const PEAK_TIMES: u64 = 5;

/// The words of a file, its own ones first.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// Its own rates.
    pub rates: Vec<(String, Rate)>,
    /// Its own sizes, in bytes.
    pub sizes: Vec<(String, u64)>,
}

impl Words {
    /// The rate that a word stands for.
    pub fn rate(&self, word: &str) -> Option<Rate> {
        let own = self.rates.iter().find(|(known, _)| known == word).map(|(_, rate)| rate.clone());
        let built_in = || {
            let (_, average, peak) = RATES.iter().find(|(words, ..)| words.contains(&word))?;
            Some(Rate { average_micro: *average, peak_micro: *peak, word: None })
        };
        own.or_else(built_in).map(|rate| Rate { word: Some(word.to_owned()), ..rate })
    }

    /// The bytes that a word stands for.
    pub fn size(&self, word: &str) -> Option<u64> {
        let own = self.sizes.iter().find(|(known, _)| known == word).map(|(_, size)| *size);
        own.or_else(|| SIZES.iter().find(|(words, _)| words.contains(&word)).map(|(_, size)| *size))
    }

    /// All words for rates.
    pub fn rate_words(&self) -> Vec<&str> {
        let own = self.rates.iter().map(|(word, _)| word.as_str());
        own.chain(RATES.iter().flat_map(|(words, ..)| words.iter().copied())).collect()
    }

    /// The file's own words for rates, and one for each of the built-in.
    pub fn rate_words_to_show(&self) -> Vec<&str> {
        let own = self.rates.iter().map(|(word, _)| word.as_str());
        own.chain(RATES.iter().filter_map(|(words, ..)| words.first().copied())).collect()
    }

    /// All words for sizes.
    pub fn size_words(&self) -> Vec<&str> {
        let own = self.sizes.iter().map(|(word, _)| word.as_str());
        own.chain(SIZES.iter().flat_map(|(words, _)| words.iter().copied())).collect()
    }
}

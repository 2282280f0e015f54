//! Time, chance and waiting: the three things that a test wants to hold in its hand.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use dynamometer_types::Timestamp;

/// What the library needs of the world beside DynamoDB. [`TokioRuntime`] is the real one.
pub trait Runtime: Send + Sync + 'static {
    /// The time.
    fn now(&self) -> Timestamp;
    /// 128 random bits: ids and names are made of them, and waiting times.
    fn random(&self) -> u128;
    /// Waits.
    fn sleep(&self, span: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

/// The system's clock and randomness, and Tokio's timer.
#[derive(Clone, Copy, Debug, Default)]
pub struct TokioRuntime;

impl Runtime for TokioRuntime {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn random(&self) -> u128 {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).expect("every system that runs Tokio has a source of randomness");
        u128::from_le_bytes(bytes)
    }

    fn sleep(&self, span: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(tokio::time::sleep(span))
    }
}

/// How often and how patiently is tried again what DynamoDB left undone: unprocessed items of a batch, transactions that
/// met another. (Throttled and failed requests are retried by the SDK itself, as its own configuration says.)
///
/// The n-th wait is a random part of `first · 2ⁿ`, at most `longest`, so that clients that failed together do not
/// come back together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// Tries in all.
    pub attempts: u32,
    /// The most that the first wait takes.
    pub first: Duration,
    /// The most that any wait takes.
    pub longest: Duration,
}

impl Default for Retry {
    /// Ten tries, about ten seconds in all.
    fn default() -> Retry {
        Retry { attempts: 10, first: Duration::from_millis(50), longest: Duration::from_secs(5) }
    }
}

impl Retry {
    /// The wait after the `tried`-th failure (from 1), or `None` when that was the last try.
    pub(crate) fn wait(&self, tried: u32, random: u128) -> Option<Duration> {
        if tried >= self.attempts {
            return None;
        }
        let doubled = self.first.saturating_mul(2u32.saturating_pow(tried - 1)).min(self.longest);
        let part = random % (doubled.as_micros() + 1);
        Some(Duration::from_micros(u64::try_from(part).unwrap_or(u64::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_then_end() {
        let retry =
            Retry { attempts: 5, first: Duration::from_millis(100), longest: Duration::from_millis(300) };
        let most: Vec<Option<u64>> = (1..=5)
            .map(|tried| {
                let doubled = [100_000u128, 200_000, 300_000, 300_000, 0][tried as usize - 1];
                retry.wait(tried, doubled).map(|wait| wait.as_micros() as u64)
            })
            .collect();
        assert_eq!(most, [Some(100_000), Some(200_000), Some(300_000), Some(300_000), None]);
        assert_eq!(retry.wait(1, 100_001), Some(Duration::ZERO), "a random part, zero included");
    }
}

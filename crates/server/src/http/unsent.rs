//! Answers that their clients have not taken yet, kept from filling the memory.
//!
//! A client that asks for 16 MB and reads nothing holds them until its connection times out. So requests wait while more
//! than [`Limits::unsent_bytes`](super::Limits::unsent_bytes) of answers are unsent, and who waits has clients that take
//! nothing cut off. How large an answer will be is not known before it is there, so the sum can pass the limit by what the
//! threads are at work on just then. Small answers are not counted, as the number of connections bounds them; so most
//! requests cost a look at one number.

use bytes::Bytes;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

/// The bytes of large answers on their way.
#[derive(Debug)]
pub(super) struct Unsent {
    bytes: AtomicUsize,
    limit: usize,
    room_again: Notify,
}

impl Unsent {
    pub(super) fn new(limit: usize) -> Arc<Unsent> {
        Arc::new(Unsent { bytes: AtomicUsize::new(0), limit, room_again: Notify::new() })
    }

    /// Waits until another answer may come into being; false when that was not so for all of `patience`.
    pub(super) async fn room(&self, patience: Duration) -> bool {
        let wait = async {
            loop {
                let told = self.room_again.notified();
                if self.has_room() {
                    return;
                }
                told.await;
            }
        };
        tokio::time::timeout(patience, wait).await.is_ok()
    }

    /// Whether another answer may come into being.
    pub(super) fn has_room(&self) -> bool {
        self.bytes.load(Ordering::Relaxed) < self.limit
    }

    /// Counts an answer until nothing of it is in memory any more.
    pub(super) fn count(self: &Arc<Unsent>, answer: Bytes) -> Bytes {
        self.bytes.fetch_add(answer.len(), Ordering::Relaxed);
        Bytes::from_owner(Counted { answer, of: self.clone() })
    }
}

/// An answer that is counted as long as it lives.
struct Counted {
    answer: Bytes,
    of: Arc<Unsent>,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.answer
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let length = self.answer.len();
        let before = self.of.bytes.fetch_sub(length, Ordering::Relaxed);
        if before >= self.of.limit && before - length < self.of.limit {
            self.of.room_again.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn there_is_room_again_when_an_answer_is_gone() {
        let unsent = Unsent::new(100);
        let first = unsent.count(vec![1; 60].into());
        assert!(unsent.room(SOON).await);
        let second = unsent.count(vec![2; 60].into());
        assert_eq!((first.len(), second[0]), (60, 2));
        assert!(!unsent.room(SOON).await, "120 of 100 bytes");
        // The connection keeps what it has not written.
        let rest = second.slice(50..);
        drop(second);
        assert!(!unsent.room(SOON).await);
        let waiter = tokio::spawn({
            let unsent = unsent.clone();
            async move { unsent.room(Duration::from_secs(60)).await }
        });
        tokio::task::yield_now().await;
        drop(rest);
        assert!(waiter.await.unwrap());
        drop(first);
        assert_eq!(unsent.bytes.load(Ordering::Relaxed), 0);
    }
}

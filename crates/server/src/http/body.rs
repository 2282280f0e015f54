//! Reading a body without letting anyone fill the memory.
//!
//! Small bodies (`Limits::free_body_bytes`) cost nothing to admit, because the number of connections bounds their
//! sum; so the hot path takes no shared lock. A larger one reserves its whole size *before* it is read, from one budget:
//! the declared length, or the largest allowed size once a chunked one proves not to be small. An encoded body reserves
//! the largest decoded size as well, and gives back what it did not need. One reservation for each request, never a
//! second while holding one, so requests cannot block each other.

use super::config::HttpConfig;
use super::watch::{Phase, Watch};
use bytes::{Bytes, BytesMut};
use hyper::body::{Body, Incoming};
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use tokio::sync::{Semaphore, SemaphorePermit};

/// A client that sends too much is listened to for this many times the limit, so that it reads the answer rather than
/// a reset connection.
const DISCARD_FACTOR: usize = 4;

/// The bytes of large bodies that may be in memory at a time.
#[derive(Debug)]
pub(super) struct Budget {
    free: Semaphore,
    total_bytes: usize,
}

/// Held while a body is in memory.
pub(super) struct Reservation<'a> {
    permit: Option<SemaphorePermit<'a>>,
}

impl Reservation<'_> {
    /// Gives back what a body of `bytes` does not need.
    pub(super) fn shrink_to(&mut self, bytes: usize) {
        if let Some(permit) = &mut self.permit {
            drop(permit.split(permit.num_permits().saturating_sub(bytes)));
        }
    }
}

/// Why there is no body.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BodyError {
    /// More than the limit was announced or sent.
    TooLarge,
    /// The budget stayed used up.
    Busy,
    /// The connection broke, or the chunks are malformed.
    Broken,
}

impl Budget {
    pub(super) fn new(total_bytes: usize) -> Budget {
        let total_bytes = total_bytes.min(Semaphore::MAX_PERMITS).min(u32::MAX as usize);
        Budget { free: Semaphore::new(total_bytes), total_bytes }
    }

    async fn reserve(&self, bytes: usize, config: &HttpConfig) -> Result<Reservation<'_>, BodyError> {
        if bytes <= config.limits.free_body_bytes {
            return Ok(Reservation { permit: None });
        }
        // Larger than the whole budget: admitted when nothing else is in memory.
        let permits = bytes.min(self.total_bytes) as u32;
        match tokio::time::timeout(config.timeouts.budget, self.free.acquire_many(permits)).await {
            Ok(Ok(permit)) => Ok(Reservation { permit: Some(permit) }),
            _ => Err(BodyError::Busy),
        }
    }
}

/// Reads the whole body as sent. A body that arrives in one piece, as most do, is not copied.
///
/// `is_held_back` says that the client sends the body only when it is asked to (`Expect: 100-continue`), as the first
/// look at the body does.
///
/// # Errors
/// See [`BodyError`]; the body was then read to its end, or the connection is of no more use.
pub(super) async fn read_body<'a>(
    mut body: Incoming,
    is_encoded: bool,
    is_held_back: bool,
    config: &HttpConfig,
    budget: &'a Budget,
    watch: &Watch,
) -> Result<(Bytes, Reservation<'a>), BodyError> {
    let limit = config.limits.body_bytes;
    let declared = body.size_hint().exact().map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    if declared.is_some_and(|bytes| bytes > limit) {
        if !is_held_back {
            discard(body, watch, limit).await;
        }
        return Err(BodyError::TooLarge);
    }
    let decoded = if is_encoded { limit } else { 0 };
    if let Some(bytes) = declared {
        let reservation = budget.reserve(bytes + decoded, config).await?;
        let bytes = read_declared(&mut body, bytes, watch).await?;
        return Ok((bytes, reservation));
    }
    let mut reservation = budget.reserve(decoded, config).await?;
    let mut whole = BytesMut::new();
    while let Some(piece) = next_piece(&mut body, watch).await? {
        let length = whole.len() + piece.len();
        if length > limit {
            drop((whole, reservation));
            discard(body, watch, limit).await;
            return Err(BodyError::TooLarge);
        }
        if length > config.limits.free_body_bytes && whole.len() <= config.limits.free_body_bytes {
            drop(reservation);
            reservation = budget.reserve(limit + decoded, config).await?;
        }
        whole.extend_from_slice(&piece);
    }
    Ok((whole.freeze(), reservation))
}

async fn read_declared(body: &mut Incoming, length: usize, watch: &Watch) -> Result<Bytes, BodyError> {
    let Some(first) = next_piece(body, watch).await? else { return Ok(Bytes::new()) };
    if first.len() >= length {
        return Ok(first);
    }
    let mut whole = BytesMut::with_capacity(length);
    whole.extend_from_slice(&first);
    while let Some(piece) = next_piece(body, watch).await? {
        whole.extend_from_slice(&piece);
    }
    Ok(whole.freeze())
}

/// Reads on without keeping, as far as that is worth while.
async fn discard(mut body: Incoming, watch: &Watch, limit: usize) {
    let mut left = limit.saturating_mul(DISCARD_FACTOR);
    while let Ok(Some(piece)) = next_piece(&mut body, watch).await {
        match left.checked_sub(piece.len()) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}

/// The next piece of data; `None` at the end. While it waits, the connection's patience for bodies runs.
async fn next_piece(body: &mut Incoming, watch: &Watch) -> Result<Option<Bytes>, BodyError> {
    loop {
        let frame = poll_fn(|cx| {
            let polled = Pin::new(&mut *body).poll_frame(cx);
            match (&polled, watch.phase()) {
                (Poll::Pending, Phase::Working) => watch.enter_body(),
                (Poll::Ready(None | Some(Err(_))), Phase::Body) => watch.enter(Phase::Working),
                _ => {}
            }
            polled
        });
        match frame.await {
            None => return Ok(None),
            Some(Err(_)) => return Err(BodyError::Broken),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    if body.is_end_stream() && watch.phase() == Phase::Body {
                        watch.enter(Phase::Working);
                    }
                    return Ok(Some(data));
                }
            }
        }
    }
}

/// Reads and drops a small body that nobody wants, so that the connection can be used again.
pub(super) async fn skip_body(body: Incoming, config: &HttpConfig, watch: &Watch) {
    let is_small =
        body.size_hint().upper().is_some_and(|bytes| bytes <= config.limits.free_body_bytes as u64);
    if is_small && !body.is_end_stream() {
        discard(body, watch, config.limits.free_body_bytes).await;
    }
}

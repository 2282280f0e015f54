//! The unified timeline: all events of all publishers, merged from every shard in the order of time.
//!
//! Each shard is a partition of `index_unified_timeline`. A reader asks all of them at once for a few events, takes the
//! newest (or oldest) of the heads again and again, and asks a shard for more when its events are used up. Timelines kept
//! by day are opened some days at a time, and only as far as the page reaches.
//!
//! A cursor holds the time of the last event that was given and, for the shards that gave events of that very time, which.
//! So it is as short for a thousand shards as for one, and it stays good when the number of shards is raised: whatever was
//! not given lies at or beyond that time, in whatever shard.

use std::collections::{BTreeMap, VecDeque};

use dynamometer_types::Timestamp;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::read::index_listing;
use super::{DataPlane, Recorded};
use crate::client::cursor::{Cursor, CursorError, Page, Take};
use crate::client::error::Error;
use crate::client::planes::Inner;
use crate::client::query::{Listing, Place, Range};
use crate::client::row::{Row, names, read_time};
use crate::schema::UNIFIED_TIMELINE;

/// How many shards are asked at once.
const AT_ONCE: usize = 32;
/// The least events that a shard is asked for, if the page is that large.
const LEAST: usize = 5;
const DAY_MS: i64 = 86_400_000;

/// A span of time: from a time on, until before another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    from: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl Span {
    /// All time.
    pub const ALL: Span = Span { from: None, until: None };

    /// From this time on.
    pub fn since(from: Timestamp) -> Span {
        Span { from: Some(from), until: None }
    }

    /// Until before this time.
    #[must_use]
    pub fn until(self, until: Timestamp) -> Span {
        Span { until: Some(until), ..self }
    }

    /// Bounds of `timeline`, both part of the range. A full second is also met when another program wrote it without
    /// decimals: `…:05Z` sorts after all parts of that second.
    fn bounds(self) -> (String, String) {
        let from = self.from.map_or("0".to_owned(), |from| {
            let text = from.to_string();
            text.strip_suffix(".000Z").map(str::to_owned).unwrap_or(text)
        });
        let until = self.until.map_or(":".to_owned(), |until| {
            let text = Timestamp::from_millis(until.millis() - 1).to_string();
            text.strip_suffix(".999Z").map(|second| format!("{second}Z")).unwrap_or(text)
        });
        (from, until)
    }
}

/// A place in the timeline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Reached {
    /// The time of the last event that was given, as it is written.
    last: String,
    /// The shards that gave events of that time, and the last of each.
    ties: BTreeMap<String, Place>,
}

impl DataPlane {
    /// All events of all publishers, by time.
    ///
    /// # Errors
    /// A cursor of another list, a value of another shape, or what DynamoDB says. [`Error::Underspecified`], when
    /// timelines are kept by day and the span has no beginning: there is no first day.
    pub async fn timeline<T: DeserializeOwned>(
        &self,
        span: Span,
        take: &Take,
    ) -> Result<Page<Recorded<T>>, Error> {
        let list = format!("timeline {span:?} {}", take.newest_first);
        let reached = match &take.after {
            Some(cursor) => Some(cursor.place::<Reached>(&list)?),
            None => None,
        };
        let mut merge = Merge::new(&self.inner, span, take, reached)?;
        let mut rows = Vec::new();
        while rows.len() < take.limit {
            match merge.next().await? {
                Some(row) => rows.push(row),
                None => break,
            }
        }
        let next = merge.place().map(|reached| Cursor::new(&list, reached));
        Ok(Page { items: self.recorded_all(rows).await?, next })
    }
}

/// A shard that is being read.
struct Source {
    bucket: String,
    listing: Listing,
    rows: VecDeque<Row>,
    /// Where the next request begins.
    start: Option<Place>,
    /// There is nothing after `rows`.
    is_done: bool,
}

impl Source {
    /// Asks until there is an event or nothing more.
    async fn fill(&mut self, inner: &Inner, newest_first: bool, mut limit: usize) -> Result<(), Error> {
        while self.rows.is_empty() && !self.is_done {
            let fetched = inner.fetch(&self.listing, newest_first, self.start.as_ref(), limit).await?;
            self.rows.extend(fetched.rows);
            self.is_done = fetched.next.is_none();
            self.start = fetched.next;
            // Much has expired and waits for its deletion.
            limit = limit.saturating_mul(2);
        }
        Ok(())
    }
}

/// The merge of all shards.
struct Merge<'a> {
    inner: &'a Inner,
    newest_first: bool,
    limit: usize,
    bounds: (String, String),
    sources: Vec<Source>,
    days: Days,
    reached: Reached,
}

/// The days whose shards are still to be opened.
struct Days {
    /// How many shards each has; 0 when none is kept by day.
    shards: u16,
    /// The next to be opened and the last, as days since 1970, in the order of reading.
    next: i64,
    last: i64,
    newest_first: bool,
}

impl Days {
    fn is_empty(&self) -> bool {
        self.shards == 0 || if self.newest_first { self.next < self.last } else { self.next > self.last }
    }

    /// The next day.
    fn pop(&mut self) -> i64 {
        let day = self.next;
        self.next += if self.newest_first { -1 } else { 1 };
        day
    }

    /// Whether an event of this time must wait until further days are opened.
    fn must_wait(&self, timeline: &str) -> bool {
        if self.is_empty() {
            return false;
        }
        let border = Timestamp::from_millis(self.next * DAY_MS).to_string();
        let date = |text: &str| text.get(..10).unwrap_or(text).to_owned();
        if self.newest_first { date(timeline) <= date(&border) } else { date(timeline) >= date(&border) }
    }
}

impl<'a> Merge<'a> {
    fn new(inner: &'a Inner, span: Span, take: &Take, reached: Option<Reached>) -> Result<Merge<'a>, Error> {
        let (mut from, mut until) = span.bounds();
        if let Some(reached) = &reached {
            // Compared as text, as the index does.
            if take.newest_first { until = reached.last.clone() } else { from = reached.last.clone() }
        }
        let buckets = inner.sharding.buckets();
        let days = days(inner, span, take.newest_first, reached.as_ref(), buckets.per_day)?;
        let mut merge = Merge {
            inner,
            newest_first: take.newest_first,
            limit: take.limit,
            bounds: (from, until),
            sources: Vec::new(),
            days,
            reached: reached.unwrap_or_default(),
        };
        for bucket in buckets.steady {
            merge.open(bucket);
        }
        Ok(merge)
    }

    fn open(&mut self, bucket: String) {
        let (from, until) = self.bounds.clone();
        let start = self.reached.ties.get(&bucket).cloned();
        // A forged cursor may turn the bounds around, which DynamoDB would call a mistake of ours.
        let is_done = from > until;
        let listing = index_listing(&UNIFIED_TIMELINE, &bucket, Range::Between(from, until));
        self.sources.push(Source { bucket, listing, rows: VecDeque::new(), start, is_done });
    }

    /// Opens the shards of the next days, about as many as are asked at once.
    fn open_days(&mut self) {
        let mut opened = 0;
        while opened < AT_ONCE / 2 && !self.days.is_empty() {
            let day = crate::client::keys::day(Timestamp::from_millis(self.days.pop() * DAY_MS));
            for shard in 0..self.days.shards {
                self.open(format!("{day}${shard}"));
                opened += 1;
            }
        }
    }

    /// The next event.
    async fn next(&mut self) -> Result<Option<Row>, Error> {
        loop {
            self.sources.retain(|source| !(source.is_done && source.rows.is_empty()));
            self.fill().await?;
            let Some(position) = self.head()? else {
                if self.days.is_empty() && self.sources.iter().all(|source| source.is_done) {
                    return Ok(None);
                }
                self.open_days();
                continue;
            };
            let source = &mut self.sources[position];
            let timeline = source.rows[0].need(names::TIMELINE)?.to_owned();
            if self.days.must_wait(&timeline) {
                self.open_days();
                continue;
            }
            let Some(row) = source.rows.pop_front() else { continue };
            if timeline != self.reached.last {
                self.reached = Reached { last: timeline, ties: BTreeMap::new() };
            }
            self.reached.ties.insert(source.bucket.clone(), source.listing.place(&row)?);
            return Ok(Some(row));
        }
    }

    /// Asks every shard that has run dry, all at once.
    async fn fill(&mut self) -> Result<(), Error> {
        let share = self.limit / self.sources.len().max(1) + 1;
        let ask = share.max(LEAST).min(self.limit);
        let (inner, newest_first) = (self.inner, self.newest_first);
        let asked = self.sources.iter_mut().map(|source| source.fill(inner, newest_first, ask));
        stream::iter(asked).buffer_unordered(AT_ONCE).try_collect::<()>().await
    }

    /// The shard whose head comes next. Of equal times that of the first shard, so that the order is always the same.
    fn head(&self) -> Result<Option<usize>, Error> {
        let mut best: Option<(usize, &str)> = None;
        for (position, source) in self.sources.iter().enumerate() {
            let Some(row) = source.rows.front() else { continue };
            let time = row.need(names::TIMELINE)?;
            let is_better =
                best.is_none_or(|(_, best)| if self.newest_first { time > best } else { time < best });
            if is_better {
                best = Some((position, time));
            }
        }
        Ok(best.map(|(position, _)| position))
    }

    /// Where to go on, when there is anything left.
    fn place(self) -> Option<Reached> {
        let is_left = |source: &Source| !source.rows.is_empty() || !source.is_done;
        (!self.days.is_empty() || self.sources.iter().any(is_left)).then_some(self.reached)
    }
}

/// The days that a span touches, beginning where the last page ended.
fn days(
    inner: &Inner,
    span: Span,
    newest_first: bool,
    reached: Option<&Reached>,
    shards: u16,
) -> Result<Days, Error> {
    if shards == 0 {
        return Ok(Days { shards, next: 0, last: 0, newest_first });
    }
    let from = span.from.ok_or(Error::Underspecified(
        "a timeline that is kept by day has no first day: give the span a beginning with Span::since",
    ))?;
    let day = |time: Timestamp| time.millis().div_euclid(DAY_MS);
    // Without an end, events that were dated a little into the future are met too.
    let end = span.until.map_or(inner.runtime.now().millis() + DAY_MS, |until| until.millis() - 1);
    let (first, last) = (day(from), end.div_euclid(DAY_MS));
    let resumed = match reached {
        Some(reached) => Some(day(read_time(&reached.last).ok_or(CursorError::Damaged)?)),
        None => None,
    };
    Ok(if newest_first {
        Days { shards, next: resumed.unwrap_or(last).min(last), last: first, newest_first }
    } else {
        Days { shards, next: resumed.unwrap_or(first).max(first), last, newest_first }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn bounds_meet_whole_seconds_with_and_without_decimals() {
        let span = Span::since(at("2026-06-01T00:00:00Z")).until(at("2026-06-02T00:00:00Z"));
        let (from, until) = span.bounds();
        for inside in [
            "2026-06-01T00:00:00Z",
            "2026-06-01T00:00:00.000Z",
            "2026-06-01T00:00:00+00:00",
            "2026-06-01T23:59:59.999Z",
            "2026-06-01T23:59:59Z",
        ] {
            assert!(*from <= *inside && *inside <= *until, "{inside}");
        }
        for outside in ["2026-05-31T23:59:59.999Z", "2026-05-31T23:59:59Z", "2026-06-02T00:00:00.000Z"] {
            assert!(!(*from <= *outside && *outside <= *until), "{outside}");
        }
        let (from, until) = Span::ALL.bounds();
        assert!(*from <= *"1970-01-01T00:00:00Z" && *"9999-12-31T23:59:59Z" <= *until);
    }

    #[test]
    fn what_lies_in_days_that_are_not_open_waits() {
        let mut days = Days { shards: 1, next: 20_000, last: 19_999, newest_first: true };
        // 20,000 days after 1970 is 2024-10-04.
        assert!(days.must_wait("2024-10-04T12:00:00.000Z"));
        assert!(!days.must_wait("2024-10-05T00:00:00.000Z"));
        assert_eq!((days.pop(), days.pop()), (20_000, 19_999));
        assert!(days.is_empty());
        assert!(!days.must_wait("1970-01-01T00:00:00.000Z"));
        let days = Days { shards: 1, next: 20_000, last: 20_001, newest_first: false };
        assert!(days.must_wait("2024-10-04T12:00:00.000Z"));
        assert!(!days.must_wait("2024-10-03T23:59:59.999Z"));
    }
}

//! The unified timeline over all shards.

use std::num::NonZeroU16;
use std::time::Duration;

use dynamometer_planes::{
    Cursor, Error, Event, EventKey, Id, Kind, Planes, ResourceKey, Sharding, Shards, Span, Take, Timestamp,
};

use crate::stage::{BEGINNING, Stage, after};

const KIND: Kind = Kind::literal("event");
const DAY: i64 = 86_400_000;

fn count(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap()
}

/// What a timeline should give: times and keys, in the order of time.
type Expected = Vec<(Timestamp, EventKey)>;

/// Records events at these times, several publishers in turn. Their values are the times.
async fn record(planes: &Planes, times: impl IntoIterator<Item = i64>) -> Expected {
    let mut recorded = Vec::new();
    for (number, millis) in times.into_iter().enumerate() {
        let publisher: ResourceKey = format!("events#user{}", number % 3).parse().unwrap();
        let event = Event::new(&KIND, &millis).unwrap().at(after(millis));
        let event = event.request(Id::new(format!("request-{}", number % 7)).unwrap());
        recorded.push((after(millis), planes.data().record(event.published_by(&publisher)).await.unwrap()));
    }
    recorded
}

/// Reads the whole timeline in pages, each by a process of its own that knows the cursor's text alone.
async fn read(planes: impl Fn() -> Planes, span: Span, first: Take, limit: usize) -> Expected {
    let (mut seen, mut take) = (Vec::new(), first);
    loop {
        let page = planes().data().timeline::<i64>(span, &take).await.unwrap();
        assert!(page.next.is_none() || page.items.len() == limit, "a page with a next one is full");
        for event in page.items {
            assert_eq!(event.at, Some(after(event.value)));
            seen.push((event.at.unwrap(), event.key));
        }
        match page.next {
            Some(cursor) => take = take.after(cursor.to_string().parse::<Cursor>().unwrap()),
            None => return seen,
        }
    }
}

/// The same events, each once, in the order of time.
fn assert_is(seen: &Expected, expected: &Expected, newest_first: bool, what: &str) {
    let times: Vec<Timestamp> = seen.iter().map(|(at, _)| *at).collect();
    let in_order = if newest_first { times.iter().rev().is_sorted() } else { times.is_sorted() };
    assert!(in_order, "{what}: {times:?}");
    let sorted = |events: &Expected| {
        let mut events = events.clone();
        events.sort();
        events
    };
    assert_eq!(sorted(seen), sorted(expected), "{what}");
}

/// Many times, unordered, with some shared by several events.
fn times() -> Vec<i64> {
    (0..31).map(|number| (number * 37 % 23) / 2 * 1000).collect()
}

#[tokio::test]
async fn all_shards_are_merged_in_order_with_every_policy_page_size_and_direction() {
    let policies = [
        Shards::Constant,
        Shards::Hash(count(1)),
        Shards::Hash(count(13)),
        Shards::Day(count(1)),
        Shards::Day(count(3)),
        Shards::RequestId(count(5)),
    ];
    for policy in policies {
        let stage = Stage::new();
        let planes = || stage.builder().sharding(Sharding::new(policy)).build();
        let expected = record(&planes(), times()).await;
        for limit in [1, 2, 7, 100] {
            for take in [Take::newest(limit), Take::oldest(limit)] {
                let newest_first = take == Take::newest(limit);
                let seen = read(planes, Span::since(after(0)), take, limit).await;
                assert_is(&seen, &expected, newest_first, &format!("{policy:?} by {limit}"));
            }
        }
    }
}

#[tokio::test]
async fn days_are_walked_over_gaps_and_only_as_far_as_the_page_needs() {
    let stage = Stage::new();
    let planes = || stage.builder().sharding(Sharding::new(Shards::Day(count(2)))).build();
    stage.world.pass(Duration::from_secs(100 * 86_400));
    let times = [0, 1, DAY - 1, DAY, 40 * DAY, 40 * DAY, 41 * DAY, 99 * DAY];
    let expected = record(&planes(), times).await;
    for limit in [1, 3, 50] {
        for take in [Take::newest(limit), Take::oldest(limit)] {
            let newest_first = take == Take::newest(limit);
            let seen = read(planes, Span::since(after(0)), take, limit).await;
            assert_is(&seen, &expected, newest_first, &format!("by {limit}"));
        }
    }
    let span = Span::since(after(DAY)).until(after(41 * DAY));
    let seen = read(planes, span, Take::newest(10), 10).await;
    assert_is(&seen, &expected[3..6].to_vec(), true, "the end is not part of a span");
    let error = planes().data().timeline::<i64>(Span::ALL, &Take::newest(1)).await.unwrap_err();
    assert!(matches!(error, Error::Underspecified(_)), "{error}");
}

#[tokio::test]
async fn raising_the_count_keeps_what_was_written_readable_even_between_two_pages() {
    let stage = Stage::new();
    let with = |sharding: Sharding| stage.builder().sharding(sharding).build();
    let hash = |shards| Sharding::new(Shards::Hash(count(shards)));
    let mut expected = record(&with(Sharding::default()), [0, 10, 20, 30]).await;
    expected.extend(record(&with(hash(4)), [5, 15, 25, 35]).await);
    let first = with(hash(4)).data().timeline::<i64>(Span::ALL, &Take::newest(3)).await.unwrap();
    expected.extend(record(&with(hash(16)), [1, 2, 3]).await);
    let mut seen: Expected = first.items.into_iter().map(|event| (event.at.unwrap(), event.key)).collect();
    let rest = Take::newest(100).after(first.next.unwrap());
    let rest = with(hash(16)).data().timeline::<i64>(Span::ALL, &rest).await.unwrap();
    seen.extend(rest.items.into_iter().map(|event| (event.at.unwrap(), event.key)));
    assert_is(&seen, &expected, true, "4, then 16 shards");

    // Another policy, with the old one named.
    let by_day = || with(Sharding::new(Shards::Day(count(2))).formerly(Shards::Hash(count(16))));
    expected.extend(record(&by_day(), [4, DAY + 1, 22]).await);
    stage.world.pass(Duration::from_secs(2 * 86_400));
    for limit in [1, 4] {
        let seen = read(by_day, Span::since(after(0)), Take::newest(limit), limit).await;
        assert_is(&seen, &expected, true, "by day, formerly by hash");
        let seen = read(by_day, Span::since(after(0)), Take::oldest(limit), limit).await;
        assert_is(&seen, &expected, false, "by day, formerly by hash");
    }
}

#[tokio::test]
async fn what_is_recorded_while_pages_are_read_neither_repeats_nor_disorders_them() {
    let stage = Stage::new();
    let planes = || stage.builder().sharding(Sharding::new(Shards::Hash(count(6)))).build();
    let before = record(&planes(), (0..20).map(|number| number * 10)).await;
    let (mut seen, mut take): (Expected, _) = (Vec::new(), Take::newest(3));
    loop {
        let page = planes().data().timeline::<i64>(Span::ALL, &take).await.unwrap();
        seen.extend(page.items.into_iter().map(|event| (event.at.unwrap(), event.key)));
        let Some(cursor) = page.next else { break };
        take = take.after(cursor);
        record(&planes(), [1000, 1001, 1002, 1003]).await;
    }
    assert_is(&seen, &before, true, "newer events do not come in between");
}

#[tokio::test]
async fn a_cursor_stays_short_and_works_only_for_its_list() {
    let stage = Stage::new();
    let planes = stage.builder().sharding(Sharding::new(Shards::Hash(count(100)))).build();
    record(&planes, 0..50).await;
    let span = Span::since(Timestamp::from_millis(BEGINNING));
    let page = planes.data().timeline::<i64>(span, &Take::newest(40)).await.unwrap();
    let cursor = page.next.unwrap();
    assert!(cursor.as_str().len() < 500, "{}", cursor.as_str().len());
    for (span, take) in [(Span::ALL, Take::newest(1)), (span, Take::oldest(1))] {
        let error = planes.data().timeline::<i64>(span, &take.after(cursor.clone())).await.unwrap_err();
        assert!(matches!(error, Error::Cursor(_)), "{error}");
    }
}

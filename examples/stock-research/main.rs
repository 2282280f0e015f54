//! A stock research app: its seven kinds of data in the two tables.
//!
//! | data | table | key |
//! | --- | --- | --- |
//! | profile | ControlPlane | `profile#<user>` |
//! | theme | ControlPlane | `theme#<id>` |
//! | portfolio | ControlPlane | `portfolio#<user>`, depends on themes |
//! | watchlist | ControlPlane | `watchlist#<user>` |
//! | observations | DataPlane | published by `observations#<user>` |
//! | chat sessions | DataPlane | published by `chat_sessions#<user>` |
//! | chat messages | DataPlane | published by `chat_session#<session>`, belong to the session |
//!
//! ```text
//! dyno &
//! dyno planes deploy --prefix my-app
//! cargo run -p dynamometer-planes --example stock-research
//! ```

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

#[path = "../common/connect.rs"]
mod connect;

use std::error::Error;
use std::num::NonZeroU16;
use std::time::Duration;

use dynamometer_planes::{
    Decimal, Event, EventKey, Expected, FolderBlobs, Id, Kind, Latest, Planes, Reference, ResourceKey,
    Sharding, Shards, Span, Take, Thread, UserId, UserPlanes, Version,
};
use serde::{Deserialize, Serialize};

type Done<T = ()> = Result<T, Box<dyn Error>>;

const PROFILE: Kind = Kind::literal("profile");
const THEME: Kind = Kind::literal("theme");
const PORTFOLIO: Kind = Kind::literal("portfolio");
const WATCHLIST: Kind = Kind::literal("watchlist");
const OBSERVATIONS: Kind = Kind::literal("observations");
const OBSERVATION: Kind = Kind::literal("observation");
const CHAT_SESSIONS: Kind = Kind::literal("chat_sessions");
const CHAT_SESSION: Kind = Kind::literal("chat_session");
const CHAT_MESSAGE: Kind = Kind::literal("chat_message");

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Profile {
    text: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Theme {
    name: String,
    tickers: Vec<String>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Portfolio {
    holdings: Vec<Holding>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Holding {
    ticker: String,
    shares: u32,
    cost: Decimal,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Watchlist {
    tickers: Vec<String>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Observation {
    key: String,
    value: Decimal,
    category: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct ChatSession {
    title: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct ChatMessage {
    role: String,
    text: String,
}

#[tokio::main]
async fn main() -> Done {
    // Ten shards for the unified timeline: about 10,000 events a second. Reports of a whole book go into a folder.
    let shards = Shards::Hash(NonZeroU16::new(10).ok_or("not zero")?);
    let planes = Planes::builder(connect::connect(), connect::prefix())
        .sharding(Sharding::new(shards))
        .blobs(FolderBlobs::new(std::env::temp_dir().join("stock-research-blobs")))
        .build();
    // Each run has a user of its own. In a web application this is whom the request was authenticated as.
    let user = UserId::new(format!("user-{}", std::process::id()))?;
    let mine = planes.user(user);

    profile(&mine).await?;
    let theme = theme(&planes).await?;
    portfolio(&planes, &mine, &theme).await?;
    watchlist(&mine).await?;
    observations(&mine).await?;
    let session = chat(&mine).await?;
    strangers_see_nothing(&planes, &session).await?;
    everything_over_time(&planes).await
}

/// A form that two windows edit: the second save is told that the first was faster.
async fn profile(mine: &UserPlanes) -> Done {
    let first = Profile { text: "個人投資家".to_owned() };
    let revision = mine.put_latest(&PROFILE, &first, Expected::Nothing).await?;
    let second = Profile { text: "長期投資家".to_owned() };
    mine.put_latest(&PROFILE, &second, Expected::Revision(revision)).await?;
    let late = mine.put_latest(&PROFILE, &first, Expected::Revision(revision)).await;
    assert!(matches!(late, Err(dynamometer_planes::Error::Conflict { .. })));
    let read = mine.latest::<Profile>(&PROFILE).await?.ok_or("it was just written")?;
    println!("profile       {} (revision {})", read.value.text, read.revision.get());
    Ok(())
}

/// Master data: the new version and its place in the history are written together, or not at all.
async fn theme(planes: &Planes) -> Done<ResourceKey> {
    let theme = ResourceKey::new(&THEME, &Id::new(format!("oil-{}", std::process::id()))?);
    let editor = Reference::from(&"editor#anna".parse::<ResourceKey>()?);
    for tickers in [vec!["1605"], vec!["1605", "5020"]] {
        let tickers = tickers.into_iter().map(str::to_owned).collect();
        let value = Theme { name: "原油".to_owned(), tickers };
        planes
            .transaction()
            .step(Latest::new(&theme, &value)?.entity(&editor))
            .step(Version::new(&theme, &value)?.entity(&editor))
            .commit()
            .await?;
        // Versions of one transaction after another have times of their own.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let control = planes.control();
    let history = control.history::<Theme>(&theme, &Take::newest(10)).await?.items;
    let before = history[1].version.ok_or("a version has a time")?;
    let then = control.as_of::<Theme>(&theme, before).await?.ok_or("there was one")?;
    assert_eq!(then.value.tickers, ["1605"]);
    println!("theme         {} versions, first with {} ticker", history.len(), then.value.tickers.len());
    Ok(theme)
}

/// Exact money, and which portfolios a change of a theme concerns.
async fn portfolio(planes: &Planes, mine: &UserPlanes, theme: &ResourceKey) -> Done {
    let holding = Holding { ticker: "1605".to_owned(), shares: 100, cost: "1987.654321".parse()? };
    mine.put_latest(&PORTFOLIO, &Portfolio { holdings: vec![holding] }, Expected::Any).await?;
    mine.put_version(&PORTFOLIO, &"bought 100 of 1605").await?;
    let own = ResourceKey::new(&PORTFOLIO, &Id::new(mine.user().as_str())?);
    planes.control().add_dependency(&own, &theme.into()).await?;
    let concerned = planes.control().dependents(&theme.into(), &Take::oldest(10)).await?.items;
    assert_eq!(concerned, [own]);
    println!("portfolio     concerned by {theme}: {}", concerned[0]);
    Ok(())
}

async fn watchlist(mine: &UserPlanes) -> Done {
    let list = Watchlist { tickers: vec!["7203".to_owned(), "6758".to_owned()] };
    mine.put_latest(&WATCHLIST, &list, Expected::Any).await?;
    let read = mine.latest::<Watchlist>(&WATCHLIST).await?.ok_or("it was just written")?;
    println!("watchlist     {}", read.value.tickers.join(", "));
    Ok(())
}

/// A feed that may deliver twice, and a list that a client pages through.
async fn observations(mine: &UserPlanes) -> Done {
    let month = Duration::from_secs(30 * 86_400);
    for (key, value, category) in
        [("WTI", "82.5", "commodity"), ("USDJPY", "149.3", "forex"), ("JGB10Y", "0.985", "rate")]
    {
        let observation =
            Observation { key: key.to_owned(), value: value.parse()?, category: category.to_owned() };
        for _delivery in 0..2 {
            let event = Event::new(&OBSERVATION, &observation)?.keep_for(month);
            mine.record_once(&format!("feed-1/{key}"), month, &OBSERVATIONS, event).await?;
        }
    }
    let first = mine.list::<Observation>(&OBSERVATIONS, &Take::newest(2)).await?;
    let cursor = first.next.ok_or("there are three")?;
    let second = mine.list::<Observation>(&OBSERVATIONS, &Take::newest(2).after(cursor)).await?;
    assert_eq!((first.items.len(), second.items.len()), (2, 1), "each delivered twice, recorded once");
    println!("observations  {} {}, …", first.items[0].value.key, first.items[0].value.value);
    Ok(())
}

async fn chat(mine: &UserPlanes) -> Done<EventKey> {
    let session = ChatSession { title: "原油について".to_owned() };
    let thread: Thread = mine.begin(&CHAT_SESSIONS, Event::new(&CHAT_SESSION, &session)?).await?;
    let say = |role: &str, text: &str| ChatMessage { role: role.to_owned(), text: text.to_owned() };
    for message in [say("user", "why does it rise?"), say("assistant", "three reasons …")] {
        thread.record(Event::new(&CHAT_MESSAGE, &message)?).await?;
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    // What a client gets is the session's key; what it gives back is looked up as this user's.
    let thread = mine.thread(&CHAT_SESSIONS, thread.key()).await?;
    let messages = thread.timeline::<ChatMessage>(&Take::oldest(50)).await?.items;
    let roles: Vec<&str> = messages.iter().map(|message| message.value.role.as_str()).collect();
    assert_eq!(roles, ["user", "assistant"]);
    let sessions = mine.list::<ChatSession>(&CHAT_SESSIONS, &Take::newest(10)).await?.items;
    println!("chat          {} session, {} messages in it", sessions.len(), messages.len());
    Ok(thread.key().clone())
}

async fn strangers_see_nothing(planes: &Planes, session: &EventKey) -> Done {
    let stranger = planes.user(UserId::new("mallory")?);
    let refused = stranger.thread(&CHAT_SESSIONS, session).await.err().ok_or("it is not theirs")?;
    println!("a stranger    {refused}");
    Ok(())
}

/// What an operator sees: all events of all users, newest first, whatever shard they lie in.
async fn everything_over_time(planes: &Planes) -> Done {
    let page = planes.data().timeline::<serde_json::Value>(Span::ALL, &Take::newest(6)).await?;
    assert!(page.items.windows(2).all(|pair| pair[0].at >= pair[1].at));
    let kinds: Vec<String> = page.items.iter().map(|event| event.key.kind().to_string()).collect();
    println!("timeline      {}", kinds.join(", "));
    Ok(())
}

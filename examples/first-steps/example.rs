//! First steps with the two tables: Rust and the library.
//!
//! ```text
//! dyno &
//! dyno planes deploy --prefix my-app
//! cargo run -p dynamometer-planes --example first-steps
//! ```

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

#[path = "../common/connect.rs"]
mod connect;

use std::error::Error;
use std::time::Duration;

use dynamometer_planes::{
    Decimal, Error as PlanesError, Event, Expected, Kind, Latest, Planes, ResourceKey, Take, Timestamp,
    Version,
};
use serde::{Deserialize, Serialize};

const OBSERVATION: Kind = Kind::literal("observation");
const MONTH: Duration = Duration::from_secs(30 * 86_400);

#[derive(Debug, Serialize, Deserialize)]
struct Profile {
    text: String,
    #[serde(rename = "updatedAt")]
    updated_at: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Observation {
    key: String,
    value: Decimal,
    category: Option<String>,
    source: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let planes = Planes::new(connect::connect(), connect::prefix());
    let (control, data) = (planes.control().consistent(), planes.data());
    let profile: ResourceKey = "profile#user01".parse()?;

    // The latest version overwrites; a kept version never does.
    let text =
        |text: &str| Profile { text: text.to_owned(), updated_at: "2026-06-01T00:00:00.000Z".to_owned() };
    let revision = control.put_latest(&profile, &text("個人投資家")).await?;
    let kept: Timestamp = control.put_version(&profile, &text("初版")).await?;
    let again = control.write_version(Version::new(&profile, &text("would be lost"))?.at(kept)).await;
    assert!(matches!(again, Err(PlanesError::AlreadyExists { .. })));

    // Of two that read the same revision, one is told to read again.
    let edit = |to: &str| {
        Ok::<_, PlanesError>(Latest::new(&profile, &text(to))?.expecting(Expected::Revision(revision)))
    };
    control.write_latest(edit("長期投資家")?).await?;
    let stale = control.write_latest(edit("stale")?).await;
    assert!(matches!(stale, Err(PlanesError::Conflict { .. })));
    let latest = control.latest::<Profile>(&profile).await?.ok_or("it was just written")?;
    let history = control.history::<serde_json::Value>(&profile, &Take::newest(20)).await?;
    assert_eq!(history.items[0].value["text"], "初版");
    println!("latest   {}, revision {}", latest.value.text, latest.revision.get());

    // An observation, kept for a month, and what was observed so far, by whatever program.
    let observation = Observation {
        key: "USDJPY".to_owned(),
        value: "149.3".parse()?,
        category: Some("forex".to_owned()),
        source: "Rust".to_owned(),
    };
    let publisher: ResourceKey = "observations#user01".parse()?;
    let event = Event::new(&OBSERVATION, &observation)?.keep_for(MONTH).published_by(&publisher);
    let key = data.record(event).await?;
    let observations = data.by_publisher::<Observation>(&publisher, &Take::newest(50)).await?;
    assert_eq!(observations.items[0].key, key);
    for Observation { key, value, source, .. } in observations.items.iter().map(|event| &event.value) {
        println!("observed {key} {value}, written by {source}");
    }
    Ok(())
}

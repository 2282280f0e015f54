//! A load in a file: JSON, because it needs no reader of its own; the fields are those of the flags, with several patterns.
//!
//! ```json
//! {
//!   "start": "2026-07-01", "days": 30, "storage": "40GB", "seed": 7,
//!   "keys": {
//!     "orders": { "count": 1000, "skew": "zipf:1.0" },
//!     "status": { "count": 4, "skew": "hot:80%", "items": 100000 }
//!   },
//!   "indexes": { "byStatus": { "keys": "status", "entry": "300B", "writes": "60%" } },
//!   "patterns": {
//!     "place order": { "writes": "200/s", "item": "1.5KB", "keys": "orders", "profile": "day" },
//!     "open orders": { "reads": "9/s", "item": "120KB", "index": "byStatus", "keys": "status" }
//!   },
//!   "spikes": [ { "at": "2026-07-01T10:00", "times": "x12", "for": "20m" } ]
//! }
//! ```

use std::collections::BTreeMap;
use std::marker::PhantomData;

use dynamometer_capacity::Consistency;
use dynamometer_capacity::admission::Dimension;
use dynamometer_capacity::simulate::{IndexLoad, KeySpace, Load, Schedule, Size, Skew, Spike, Stream};
use dynamometer_types::Timestamp;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::quantity;

/// Reads a load file. Its name stands in errors.
///
/// # Errors
/// `file:line: expected …, found …`, or a sentence about what does not fit together.
pub fn read(file: &str, text: &str) -> Result<Load, String> {
    let parsed: File = serde_json::from_str(text).map_err(|error| {
        // Serde's sentence ends with the position, which stands in front here.
        let sentence = error.to_string();
        let sentence = sentence.split(" at line ").next().unwrap_or_default();
        match error.is_eof() {
            true if text.trim().is_empty() => {
                format!("{file} is empty; docs/cost-and-simulate.md shows a load file")
            }
            true => format!("{file}:{}: the file ends in the middle of its JSON", error.line()),
            false => format!("{file}:{}:{}: {sentence}", error.line(), error.column()),
        }
    })?;
    parsed.load().map_err(|sentence| format!("{file}: {sentence}"))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    start: Option<Moment>,
    days: Days,
    storage: Option<SizeText>,
    #[serde(default = "one")]
    seed: u64,
    keys: Named<Keys>,
    #[serde(default)]
    indexes: Named<Index>,
    patterns: Named<Pattern>,
    #[serde(default)]
    spikes: Vec<SpikeText>,
}

fn one() -> u64 {
    1
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    count: u64,
    #[serde(default)]
    skew: SkewText,
    #[serde(default = "one")]
    items: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Index {
    keys: String,
    entry: SizeText,
    writes: Option<Share>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pattern {
    reads: Option<RateText>,
    writes: Option<RateText>,
    item: Sizes,
    keys: String,
    index: Option<String>,
    consistency: Option<ConsistencyText>,
    profile: Option<Profile>,
    gather: Option<Share>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpikeText {
    at: Moment,
    times: TimesText,
    r#for: SpanText,
}

/// Members of an object in the order of the file; a name may stand once.
struct Named<T>(Vec<(String, T)>);

impl<T> Default for Named<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Named<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = Named<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object of names")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named<T>, A::Error> {
                let mut members: Vec<(String, T)> = Vec::new();
                while let Some(name) = map.next_key::<String>()? {
                    if members.iter().any(|(known, _)| *known == name) {
                        return Err(A::Error::custom(format!("`{name}` stands here twice")));
                    }
                    let value = map.next_value()?;
                    members.push((name, value));
                }
                Ok(Named(members))
            }
        }
        deserializer.deserialize_map(Members(PhantomData))
    }
}

/// A number of days, in minutes.
struct Days(u64);

impl<'de> Deserialize<'de> for Days {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?;
        quantity::days(&number.to_string()).map(Self).map_err(D::Error::custom)
    }
}

/// A value that is a text of a form.
macro_rules! texts {
    ($( $(#[$attribute:meta])* $name:ident($type:ty) = $read:expr; )+) => { $(
        $(#[$attribute])*
        struct $name($type);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                let read: fn(&str) -> Result<$type, String> = $read;
                read(&text).map(Self).map_err(D::Error::custom)
            }
        }
    )+ };
}

texts! {
    Moment(Timestamp) = quantity::moment;
    #[derive(Default)]
    SizeText(u64) = quantity::size;
    RateText(u64) = quantity::rate;
    Share(u64) = quantity::percent;
    TimesText(u64) = quantity::times;
    SpanText(u64) = quantity::span;
    Sizes(Vec<(u64, u32)>) = quantity::sizes;
    SkewText(Skew) = skew;
    ConsistencyText(Consistency) = consistency;
}

impl Default for SkewText {
    fn default() -> Self {
        Self(Skew::Uniform)
    }
}

/// A profile by name, or hours and weekdays relative to each other.
struct Profile(Schedule);

impl<'de> Deserialize<'de> for Profile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Hours {
            hours: Vec<u32>,
            weekdays: Option<Vec<u32>>,
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Name(String),
            Hours(Hours),
        }
        let wrong = "a profile is flat, day or office, or {\"hours\": [24 numbers], \"weekdays\": [7 numbers, from Monday]}";
        match Either::deserialize(deserializer).map_err(|_| D::Error::custom(wrong))? {
            Either::Name(name) => profile(&name).map(Self).map_err(D::Error::custom),
            Either::Hours(Hours { hours, weekdays }) => {
                let hours: [u32; 24] = hours.try_into().map_err(|_| D::Error::custom(wrong))?;
                let weekdays = weekdays.unwrap_or_else(|| vec![100; 7]);
                let weekdays: [u32; 7] = weekdays.try_into().map_err(|_| D::Error::custom(wrong))?;
                match hours.iter().any(|hour| *hour > 0) && weekdays.iter().any(|day| *day > 0) {
                    true => Ok(Self(Schedule { hours, weekdays })),
                    false => Err(D::Error::custom("a profile needs an hour and a weekday above zero")),
                }
            }
        }
    }
}

/// `flat`, `day` or `office`.
pub fn profile(name: &str) -> Result<Schedule, String> {
    match name {
        "flat" => Ok(Schedule::FLAT),
        "day" => Ok(Schedule::DAY),
        "office" => Ok(Schedule::OFFICE),
        other => Err(format!("`{other}` is no profile: write flat, day or office")),
    }
}

/// `uniform`, `zipf:1.0`, `hot:30%` or `time:1d`.
pub fn skew(text: &str) -> Result<Skew, String> {
    let wrong = || format!("`{text}` is no skew: write uniform, zipf, zipf:1.2, hot:30% or time:1d");
    let (name, value) = text.split_once(':').map_or((text, None), |(name, value)| (name, Some(value)));
    match (name, value) {
        ("uniform", None) => Ok(Skew::Uniform),
        ("zipf", None) => Ok(Skew::Zipf(100)),
        ("zipf", Some(exponent)) => quantity::decimal(exponent, 2)
            .filter(|hundredths| *hundredths <= 1_000)
            .map(Skew::Zipf)
            .ok_or_else(wrong),
        ("hot", Some(share)) => quantity::percent(share).map(Skew::Hot),
        ("time", Some(span)) => match quantity::span(span)? {
            seconds if seconds % 60 == 0 => Ok(Skew::Time(seconds / 60)),
            _ => Err(wrong()),
        },
        _ => Err(wrong()),
    }
}

fn consistency(text: &str) -> Result<Consistency, String> {
    match text {
        "eventual" => Ok(Consistency::Eventual),
        "strong" => Ok(Consistency::Strong),
        "transactional" => Ok(Consistency::Transactional),
        other => Err(format!("`{other}` is no consistency: write eventual, strong or transactional")),
    }
}

/// When a load begins unless it says so: midnight of the first spike, or a Monday that is always the same.
pub fn start_of(spikes: &[Spike]) -> Timestamp {
    const MONDAY: i64 = 1_780_272_000_000;
    let first = spikes.iter().map(|spike| spike.at.millis()).min();
    Timestamp::from_millis(first.map_or(MONDAY, |at| at.div_euclid(86_400_000) * 86_400_000))
}

impl File {
    fn load(self) -> Result<Load, String> {
        let spikes: Vec<Spike> = self
            .spikes
            .into_iter()
            .map(|spike| Spike { at: spike.at.0, times_milli: spike.times.0, seconds: spike.r#for.0 })
            .collect();
        let key_names: BTreeMap<String, usize> =
            self.keys.0.iter().enumerate().map(|(number, (name, _))| (name.clone(), number)).collect();
        let keys_of = |name: &str, of: &str| {
            let known: Vec<&str> = key_names.keys().map(String::as_str).collect();
            key_names.get(name).copied().ok_or_else(|| {
                format!("{of} goes to keys `{name}`, which do not exist; there are: {}", known.join(", "))
            })
        };
        let index_names: Vec<String> = self.indexes.0.iter().map(|(name, _)| name.clone()).collect();
        let mut indexes = Vec::new();
        for (name, index) in self.indexes.0 {
            indexes.push(IndexLoad {
                keys: keys_of(&index.keys, &format!("index `{name}`"))?,
                name: name.as_str().into(),
                entry_bytes: index.entry.0,
                write_share_ppm: index.writes.map_or(1_000_000, |share| share.0),
            });
        }
        let mut streams = Vec::new();
        for (name, pattern) in self.patterns.0 {
            let keys = keys_of(&pattern.keys, &format!("pattern `{name}`"))?;
            streams.push(pattern.stream(name, keys, &index_names)?);
        }
        Ok(Load {
            start: self.start.map_or_else(|| start_of(&spikes), |start| start.0),
            minutes: self.days.0,
            key_spaces: self
                .keys
                .0
                .into_iter()
                .map(|(name, keys)| KeySpace {
                    name,
                    count: keys.count,
                    items_per_key: keys.items,
                    skew: keys.skew.0,
                })
                .collect(),
            indexes,
            streams,
            spikes,
            storage_bytes: self.storage.map_or(0, |storage| storage.0),
            seed: self.seed,
        })
    }
}

impl Pattern {
    fn stream(self, name: String, keys: usize, indexes: &[String]) -> Result<Stream, String> {
        let (dimension, milli_per_second) = match (self.reads, self.writes) {
            (Some(rate), None) => (Dimension::Read, rate.0),
            (None, Some(rate)) => (Dimension::Write, rate.0),
            _ => return Err(format!("pattern `{name}` needs either \"reads\" or \"writes\"")),
        };
        let index = match &self.index {
            None => None,
            Some(wanted) => Some(indexes.iter().position(|index| index == wanted).ok_or_else(|| {
                format!(
                    "pattern `{name}` asks index `{wanted}`, which does not exist; there are: {}",
                    indexes.join(", ")
                )
            })?),
        };
        Ok(Stream {
            dimension,
            milli_per_second,
            sizes: self.item.0.into_iter().map(|(bytes, weight)| Size { bytes, weight }).collect(),
            consistency: self.consistency.map_or(Consistency::Eventual, |consistency| consistency.0),
            keys,
            index,
            gather_ppm: self.gather.map_or(0, |share| share.0),
            schedule: self.profile.map_or(Schedule::DAY, |profile| profile.0),
            name,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINE: &str = r#"{
  "start": "2026-07-01", "days": 30, "storage": "40GB", "seed": 7,
  "keys": {
    "orders": { "count": 1000, "skew": "zipf:1.0" },
    "status": { "count": 4, "skew": "hot:80%", "items": 100000 }
  },
  "indexes": { "byStatus": { "keys": "status", "entry": "300B", "writes": "60%" } },
  "patterns": {
    "place order": { "writes": "200/s", "item": "1.5KB", "keys": "orders", "profile": "day" },
    "open orders": { "reads": "9/s", "item": "120KB", "index": "byStatus", "keys": "status" }
  },
  "spikes": [ { "at": "2026-07-01T10:00", "times": "x12", "for": "20m" } ]
}"#;

    #[test]
    fn a_load_file_is_read() {
        let load = read("load.json", FINE).unwrap();
        load.check().unwrap();
        assert_eq!((load.minutes, load.seed, load.storage_bytes), (43_200, 7, 40 << 30));
        assert_eq!(load.key_spaces[1].skew, Skew::Hot(800_000));
        assert_eq!((load.streams[1].index, load.streams[1].keys), (Some(0), 1));
        assert_eq!(load.indexes[0].write_share_ppm, 600_000);
    }

    #[test]
    fn mistakes_have_a_line_and_say_what_is_expected() {
        for (from, to, expected) in [
            ("\"days\": 30", "\"days\": \"30\"", "load.json:2:"),
            ("\"seed\"", "\"sead\"", "load.json:2:48: unknown field `sead`, expected one of `start`, `days`"),
            ("zipf:1.0", "zipf:much", "load.json:4:51: `zipf:much` is no skew: write uniform"),
            ("200/s", "200/fortnight", "load.json:9:46: `200/fortnight` is no rate: write requests by time"),
            ("\"orders\": {", "\"status\": {", "load.json:5:12: `status` stands here twice"),
            ("\"profile\": \"day\"", "\"profile\": [1]", "load.json:9:100: a profile is flat, day or office"),
            (
                "\"keys\": \"orders\"",
                "\"keys\": \"order\"",
                "load.json: pattern `place order` goes to keys `order`",
            ),
            ("\"reads\": \"9/s\"", "\"gather\": \"1%\"", "load.json: pattern `open orders` needs either"),
            (
                "\"index\": \"byStatus\"",
                "\"index\": \"x\"",
                "load.json: pattern `open orders` asks index `x`",
            ),
        ] {
            assert!(FINE.contains(from), "{from}");
            let error = read("load.json", &FINE.replacen(from, to, 1)).unwrap_err();
            let (start, rest) = expected.split_at(expected.find(": ").map_or(expected.len(), |at| at));
            let line = start.rsplit_once(':').map_or(start, |(line, _)| line);
            assert!(error.starts_with(line) && error.contains(rest), "{error}\nexpected {expected}");
        }
    }
}

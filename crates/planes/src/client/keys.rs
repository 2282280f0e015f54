//! Keys: what they are made of, and how they are read back.
//!
//! | key | form | example |
//! | --- | --- | --- |
//! | [`ResourceKey`] | `<kind>#<id>` | `profile#user01` |
//! | [`EventKey`] | `<kind>$<shard>#<id>` | `observation$0#obs_20260601_abc12345` |
//! | `event_key` of the control plane | `config#latest`, `version#<time>`, `dependency#<key>` | `version#2026-01-01T00:00:00.000Z` |
//!
//! A [`Kind`] is a word of the program (`profile`, `observation`); an [`Id`] comes from outside. Neither may hold `#` or
//! `$`, so an id cannot end early and go on as another key: whatever a person calls themselves, `profile#<id>` is theirs
//! alone.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use dynamometer_types::Timestamp;

/// The most bytes of a kind.
pub const LONGEST_KIND: usize = 64;
/// The most bytes of an id: two of them and a kind fit DynamoDB's 1,024 bytes of a sort key.
pub const LONGEST_ID: usize = 400;

/// Why a text is no key or no part of one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// Not a kind.
    #[error("{0:?} is no kind: write 1 to 64 of a-z, A-Z, 0-9, `_`, `-` and `.`")]
    Kind(String),
    /// Not an id.
    #[error("{0:?} is no id: 1 to 400 bytes without `#`, `$` and control characters")]
    Id(String),
    /// Not a resource key.
    #[error("{0:?} is no resource key: it has the form kind#id")]
    Resource(String),
    /// Not an event key.
    #[error("{0:?} is no event key: it has the form kind$shard#id")]
    Event(String),
}

/// What sort of thing a key names: a word of the program, never of its users.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind(Cow<'static, str>);

const fn is_kind(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut position = 0;
    while position < bytes.len() {
        let byte = bytes[position];
        if !(byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' || byte == b'.') {
            return false;
        }
        position += 1;
    }
    !bytes.is_empty() && bytes.len() <= LONGEST_KIND
}

impl Kind {
    /// A kind that the program names. In a `const` a bad one fails to compile.
    ///
    /// ```
    /// use dynamometer_planes::Kind;
    /// const PROFILE: Kind = Kind::literal("profile");
    /// ```
    /// ```compile_fail
    /// use dynamometer_planes::Kind;
    /// const PROFILE: Kind = Kind::literal("profile#user01");
    /// ```
    ///
    /// # Panics
    /// When the text is no kind.
    pub const fn literal(text: &'static str) -> Kind {
        assert!(is_kind(text), "a kind has 1 to 64 of a-z, A-Z, 0-9, `_`, `-` and `.`");
        Kind(Cow::Borrowed(text))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Kind {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Kind, KeyError> {
        if is_kind(text) {
            Ok(Kind(Cow::Owned(text.to_owned())))
        } else {
            Err(KeyError::Kind(text.to_owned()))
        }
    }
}

/// Names one thing of a kind. It may come from outside: it is checked, and cannot reach into another key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(String);

impl Id {
    /// Checks an id.
    ///
    /// # Errors
    /// [`KeyError::Id`], when it is empty, longer than 400 bytes, or holds `#`, `$` or a control character.
    pub fn new(text: impl Into<String>) -> Result<Id, KeyError> {
        let text = text.into();
        let is_bad = |c: char| c == '#' || c == '$' || c.is_control();
        if text.is_empty() || text.len() > LONGEST_ID || text.contains(is_bad) {
            return Err(KeyError::Id(text));
        }
        Ok(Id(text))
    }

    /// An id of random letters after the day, such as `20260601_k3v7…`: ids of one kind then sort by day.
    pub(crate) fn generate(at: Timestamp, random: u128) -> Id {
        // Letters and digits that are not mistaken for each other; 16 of 5 bits are 80 bits.
        const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
        let tail = (0..16).map(|place| char::from(LETTERS[(random >> (5 * place) & 31) as usize]));
        Id(format!("{}_{}", day(at), tail.collect::<String>()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Id {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Id, KeyError> {
        Id::new(text)
    }
}

/// A day in UTC as keys write it: `20260601`.
pub(crate) fn day(at: Timestamp) -> String {
    let (year, month, day, ..) = at.civil();
    format!("{year:04}{month:02}{day:02}")
}

/// A resource: `profile#user01`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceKey(String);

impl ResourceKey {
    /// The resource of a kind with an id.
    pub fn new(kind: &Kind, id: &Id) -> ResourceKey {
        ResourceKey(format!("{}#{}", kind.as_str(), id.as_str()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ResourceKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<ResourceKey, KeyError> {
        let parts = text.split_once('#').and_then(|(kind, id)| Some((kind.parse().ok()?, id.parse().ok()?)));
        let (kind, id) = parts.ok_or_else(|| KeyError::Resource(text.to_owned()))?;
        Ok(ResourceKey::new(&kind, &id))
    }
}

/// An event: `observation$0#obs_20260601_abc12345`. The shard is part of it, so a key that was handed out is read directly,
/// whatever the number of shards is by then.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventKey {
    text: String,
    /// Where `$` and `#` stand.
    dollar: usize,
    hash: usize,
}

impl EventKey {
    /// The event of a kind in a shard with an id. A shard is made of kind's or id's characters.
    pub(crate) fn new(kind: &Kind, shard: &str, id: &Id) -> EventKey {
        let text = format!("{}${shard}#{}", kind.as_str(), id.as_str());
        let dollar = kind.as_str().len();
        EventKey { dollar, hash: dollar + 1 + shard.len(), text }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What sort of event it is.
    pub fn kind(&self) -> Kind {
        Kind(Cow::Owned(self.text[..self.dollar].to_owned()))
    }

    /// Its shard: `0`, `20260601`, a request's id.
    pub fn shard(&self) -> &str {
        &self.text[self.dollar + 1..self.hash]
    }

    /// Its id.
    pub fn id(&self) -> Id {
        Id(self.text[self.hash + 1..].to_owned())
    }
}

impl FromStr for EventKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<EventKey, KeyError> {
        let parts = || {
            let (kind, rest) = text.split_once('$')?;
            let (shard, id) = rest.split_once('#')?;
            Some((kind.parse().ok()?, Id::new(shard).ok()?, id.parse().ok()?))
        };
        let (kind, shard, id) = parts().ok_or_else(|| KeyError::Event(text.to_owned()))?;
        Ok(EventKey::new(&kind, shard.as_str(), &id))
    }
}

/// Any key, where another key may be named: what a resource depends on, whose activity it is, what an event belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reference(String);

impl Reference {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A key as the table holds it.
    pub(crate) fn stored(text: String) -> Reference {
        Reference(text)
    }
}

impl From<&ResourceKey> for Reference {
    fn from(key: &ResourceKey) -> Reference {
        Reference(key.0.clone())
    }
}

impl From<&EventKey> for Reference {
    fn from(key: &EventKey) -> Reference {
        Reference(key.text.clone())
    }
}

/// Shows a key as its text.
macro_rules! shown_as_text {
    ($($type:ty),*) => {
        $(impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        })*
    };
}

shown_as_text!(Kind, Id, ResourceKey, EventKey, Reference);

#[cfg(test)]
mod tests {
    use super::*;

    const OBSERVATION: Kind = Kind::literal("observation");

    #[test]
    fn keys_have_the_patterns_form_and_are_read_back() {
        let id = Id::new("obs_20260601_abc12345").unwrap();
        let event = EventKey::new(&OBSERVATION, "0", &id);
        assert_eq!(event.as_str(), "observation$0#obs_20260601_abc12345");
        let read: EventKey = event.as_str().parse().unwrap();
        assert_eq!(read, event);
        assert_eq!((read.kind(), read.shard(), read.id()), (OBSERVATION, "0", id));
        let profile: ResourceKey = "profile#user01".parse().unwrap();
        assert_eq!(profile.as_str(), "profile#user01");
    }

    #[test]
    fn an_id_cannot_reach_into_another_key() {
        for hostile in
            ["", "user02#", "#user02", "a#profile#user02", "$1#user02", "user\n02", "\0", &"x".repeat(401)]
        {
            assert!(Id::new(hostile).is_err(), "{hostile:?}");
        }
        // Harmless in a key, and found in real ids.
        for strange in
            ["../user02", "a/b", "auth0|5f7", "arn:aws:iam::1:user/x", "日本", " ", "user02 OR 1=1"]
        {
            assert_eq!(
                ResourceKey::new(&OBSERVATION, &Id::new(strange).unwrap()).as_str(),
                format!("observation#{strange}")
            );
        }
    }

    #[test]
    fn what_is_no_key_is_said_so() {
        assert!("profile".parse::<ResourceKey>().unwrap_err().to_string().contains("kind#id"));
        assert!("profile#a#b".parse::<ResourceKey>().is_err());
        for bad in [
            "observation#1",
            "observation$0",
            "$0#1",
            "observation$#1",
            "observation$0#",
            "a$b$c#d",
            "a$0#b#c",
        ] {
            assert!(bad.parse::<EventKey>().unwrap_err().to_string().contains("kind$shard#id"), "{bad}");
        }
    }

    #[test]
    fn made_ids_begin_with_their_day_and_keep_all_randomness() {
        let at: Timestamp = "2026-06-01T23:59:59Z".parse().unwrap();
        let id = Id::generate(at, 0);
        assert_eq!(id.as_str(), "20260601_0000000000000000");
        let all: std::collections::BTreeSet<String> =
            (0..80).map(|bit| Id::generate(at, 1 << bit).to_string()).collect();
        assert_eq!(all.len(), 80);
    }
}

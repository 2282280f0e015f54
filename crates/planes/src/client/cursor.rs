//! Pages and the cursors between them.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// How much of a list, from which end, and after what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Take {
    pub(crate) limit: usize,
    pub(crate) newest_first: bool,
    pub(crate) after: Option<Cursor>,
}

impl Take {
    /// The newest, in falling order of time (or of keys, in a list that has no time). At least one.
    pub fn newest(limit: usize) -> Take {
        Take { limit: limit.max(1), newest_first: true, after: None }
    }

    /// The oldest, in rising order.
    pub fn oldest(limit: usize) -> Take {
        Take { newest_first: false, ..Take::newest(limit) }
    }

    /// The page after the one that gave this cursor.
    #[must_use]
    pub fn after(self, cursor: Cursor) -> Take {
        Take { after: Some(cursor), ..self }
    }
}

/// Part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// Where the next page begins; `None` when there is none. (A next page may turn out empty.)
    pub next: Option<Cursor>,
}

impl<T> Page<T> {
    /// The same page with other items.
    pub(crate) fn try_map<U, E>(self, convert: impl FnMut(T) -> Result<U, E>) -> Result<Page<U>, E> {
        let items = self.items.into_iter().map(convert).collect::<Result<_, _>>()?;
        Ok(Page { items, next: self.next })
    }
}

/// A place in a list: an opaque text that may be sent to a client, kept for a day, and used by another process, also after
/// the number of shards was raised. It holds a time and keys, not what they stand for, and works only with the list that
/// gave it: used elsewhere it is an error, and it can never lead out of the list it is used with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Cursor(String);

/// Why a cursor leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CursorError {
    /// Not a cursor.
    #[error("the cursor is damaged; begin from the first page")]
    Damaged,
    /// A cursor of another list, or of the same list from the other end.
    #[error("the cursor belongs to another list; begin from the first page")]
    OtherList,
}

/// What is inside: a mark of the list and the place in it.
#[derive(Serialize, Deserialize)]
struct Content<P> {
    list: String,
    at: P,
}

impl Cursor {
    /// A place in the list that `list` describes.
    pub(crate) fn new<P: Serialize>(list: &str, at: P) -> Cursor {
        let content = Content { list: mark(list), at };
        let json = serde_json::to_vec(&content).expect("places are strings, lists and maps of strings");
        Cursor(BASE64_URL_SAFE_NO_PAD.encode(json))
    }

    /// The place, if this cursor belongs to the list.
    ///
    /// # Errors
    /// [`CursorError`].
    pub(crate) fn place<P: DeserializeOwned>(&self, list: &str) -> Result<P, CursorError> {
        let json = BASE64_URL_SAFE_NO_PAD.decode(&self.0).map_err(|_| CursorError::Damaged)?;
        let content: Content<serde_json::Value> =
            serde_json::from_slice(&json).map_err(|_| CursorError::Damaged)?;
        if content.list != mark(list) {
            return Err(CursorError::OtherList);
        }
        serde_json::from_value(content.at).map_err(|_| CursorError::Damaged)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Tells lists apart without showing what they are.
fn mark(list: &str) -> String {
    Sha256::digest(list.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Cursor, CursorError> {
        Cursor::try_from(text.to_owned())
    }
}

impl TryFrom<String> for Cursor {
    type Error = CursorError;

    fn try_from(text: String) -> Result<Cursor, CursorError> {
        let is_text = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        if text.is_empty() || !text.bytes().all(is_text) {
            return Err(CursorError::Damaged);
        }
        Ok(Cursor(text))
    }
}

impl From<Cursor> for String {
    fn from(cursor: Cursor) -> String {
        cursor.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_text_and_comes_back() {
        let cursor = Cursor::new("list a", ("2026-06-01", 3));
        let read: Cursor = cursor.to_string().parse().unwrap();
        assert_eq!(read.place::<(String, i32)>("list a"), Ok(("2026-06-01".to_owned(), 3)));
    }

    #[test]
    fn another_lists_cursor_and_a_damaged_one_are_told_apart() {
        let cursor = Cursor::new("list a", "x");
        assert_eq!(cursor.place::<String>("list b"), Err(CursorError::OtherList));
        assert_eq!(cursor.place::<u8>("list a"), Err(CursorError::Damaged));
        for text in ["", "%", "abc def"] {
            assert_eq!(text.parse::<Cursor>(), Err(CursorError::Damaged));
        }
        assert_eq!(Cursor("AAAA".into()).place::<String>("list a"), Err(CursorError::Damaged));
    }
}

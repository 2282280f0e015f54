//! A cursor over JSON text, without recursion: the second reader's eyes.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

/// Nested brackets beyond which AWS's parser gives up. It does so between about 2,000 and 5,000 levels of
/// attributes, two brackets each (measured by others, 2026); the place within is our choice.
const MOST_BRACKETS: usize = 6000;

/// Walks a text that is known to be JSON.
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// A cursor before the value, when the body is one JSON value and does not nest absurdly.
    pub(super) fn new(body: &'a [u8]) -> Option<Cursor<'a>> {
        let text = std::str::from_utf8(body).ok()?;
        let mut json = serde_json::Deserializer::from_str(text);
        IgnoredAny::deserialize(&mut json).ok()?;
        json.end().ok()?;
        (deepest_nesting(text) <= MOST_BRACKETS).then_some(Cursor { text, at: 0 })
    }

    /// The first byte of the next token.
    pub(super) fn peek(&mut self) -> u8 {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        bytes.get(self.at).copied().unwrap_or(0)
    }

    /// Steps over one byte: a bracket, a comma or a colon.
    pub(super) fn step(&mut self) {
        self.at += 1;
    }

    /// Stands the cursor before the next element of a list or the next key of a map; or steps over `close` and
    /// answers `false`.
    pub(super) fn next_part(&mut self, close: u8) -> bool {
        match self.peek() {
            b',' => {
                self.step();
                true
            }
            other if other == close || other == 0 => {
                self.step();
                false
            }
            _ => true,
        }
    }

    /// The next string, number or literal as written.
    pub(super) fn token(&mut self) -> &'a str {
        let first = self.peek();
        let (start, rest) = (self.at, &self.text.as_bytes()[self.at..]);
        let length = match first {
            b'"' => string_length(rest),
            _ => rest.iter().position(|b| b",]}: \t\n\r".contains(b)).unwrap_or(rest.len()),
        };
        self.at += length;
        &self.text[start..self.at]
    }

    /// The next key of a map, as written, and the colon.
    pub(super) fn key(&mut self) -> &'a str {
        let key = self.token();
        self.peek();
        self.step();
        key
    }

    /// Steps over the next value, however deep, and tells how many of its brackets were open at once.
    pub(super) fn skip(&mut self) -> usize {
        let (mut open, mut deepest) = (0usize, 0);
        loop {
            match self.peek() {
                b'{' | b'[' => {
                    open += 1;
                    deepest = deepest.max(open);
                    self.step();
                }
                b'}' | b']' => {
                    open = open.saturating_sub(1);
                    self.step();
                }
                b',' | b':' => self.step(),
                0 => return deepest,
                _ => {
                    self.token();
                }
            }
            if open == 0 {
                return deepest;
            }
        }
    }
}

/// The length of the string that begins here, quotes included.
fn string_length(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// What a string token says; `None` when an escape stands for half a character.
pub(super) fn unescape(token: &str) -> Option<Cow<'_, str>> {
    if token.contains('\\') {
        serde_json::from_str(token).ok().map(Cow::Owned)
    } else {
        token.get(1..token.len().saturating_sub(1)).map(Cow::Borrowed)
    }
}

fn deepest_nesting(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut open, mut deepest) = (0, 0usize, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at += string_length(&bytes[at..]) - 1,
            b'{' | b'[' => {
                open += 1;
                deepest = deepest.max(open);
            }
            b'}' | b']' => open = open.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_json_that_does_not_nest_absurdly_is_walked() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        for (body, walked) in [
            (String::new(), false),
            ("{".into(), false),
            ("{} x".into(), false),
            ("{\"a\":\"\t\"}".into(), false),
            (" {\"a\": [1, 2.5e3, \"x\\\"]\"]} ".into(), true),
            (nested(MOST_BRACKETS), true),
            (nested(MOST_BRACKETS + 1), false),
            (nested(1_000_000), false),
        ] {
            assert_eq!(Cursor::new(body.as_bytes()).is_some(), walked, "{body:.60}");
        }
        assert!(Cursor::new(b"\"\xff\"").is_none());
    }

    #[test]
    fn a_value_is_stepped_over_whole() {
        let mut cursor = Cursor::new(br#"[ {"a":[1,{"b":"]}\""}]} , 2 ]"#).unwrap();
        cursor.step();
        assert!(cursor.next_part(b']'));
        assert_eq!(cursor.skip(), 3);
        assert!(cursor.next_part(b']'));
        assert_eq!(cursor.token(), "2");
        assert!(!cursor.next_part(b']'));
    }
}

//! The fields of one line.

use std::str::{FromStr, SplitAsciiWhitespace};

use dynamometer_types::Timestamp;

use crate::admission::{BillingMode, Dimension, PerDimension, ResourceId};

/// What is wrong with a line: what was expected, and what was found.
pub(super) type Complaint = (String, String);

/// The fields of a line that are still to be read.
pub(super) struct Fields<'a>(SplitAsciiWhitespace<'a>);

impl<'a> Fields<'a> {
    pub(super) fn of(line: &'a str) -> Self {
        Self(line.split_ascii_whitespace())
    }

    /// The next field.
    pub(super) fn text(&mut self, expected: &str) -> Result<&'a str, Complaint> {
        self.0.next().ok_or_else(|| (expected.to_owned(), "the end of the line".to_owned()))
    }

    pub(super) fn number<T: FromStr>(&mut self, expected: &str) -> Result<T, Complaint> {
        number(self.text(expected)?, expected)
    }

    pub(super) fn moment(&mut self) -> Result<Timestamp, Complaint> {
        self.number("a moment in milliseconds since 1970").map(Timestamp::from_millis)
    }

    /// The word, or `-`.
    pub(super) fn flag(&mut self, word: &str) -> Result<bool, Complaint> {
        match self.text(word)? {
            "-" => Ok(false),
            text if text == word => Ok(true),
            other => Err((format!("'{word}' or '-'"), quoted(other))),
        }
    }

    pub(super) fn rest(self) -> SplitAsciiWhitespace<'a> {
        self.0
    }

    /// Nothing more.
    pub(super) fn end(mut self) -> Result<(), Complaint> {
        match self.0.next() {
            None => Ok(()),
            Some(more) => Err(("the end of the line".to_owned(), quoted(more))),
        }
    }
}

pub(super) fn quoted(text: &str) -> String {
    let shown: String = text.chars().take(60).collect();
    let more = if shown.len() < text.len() { "…" } else { "" };
    format!("'{shown}{more}'")
}

pub(super) fn number<T: FromStr>(text: &str, expected: &str) -> Result<T, Complaint> {
    text.parse().map_err(|_| (expected.to_owned(), quoted(text)))
}

pub(super) fn optional<T>(
    text: &str,
    read: impl FnOnce(&str) -> Result<T, Complaint>,
) -> Result<Option<T>, Complaint> {
    if text == "-" { Ok(None) } else { read(text).map(Some) }
}

/// `r/w`.
pub(super) fn pair<T>(
    text: &str,
    expected: &str,
    read: impl Fn(&str) -> Result<T, Complaint>,
) -> Result<PerDimension<T>, Complaint> {
    let (reads, writes) = text.split_once('/').ok_or_else(|| (expected.to_owned(), quoted(text)))?;
    Ok(PerDimension::new(read(reads)?, read(writes)?))
}

pub(super) fn numbers<T: FromStr>(text: &str, expected: &str) -> Result<PerDimension<T>, Complaint> {
    pair(text, expected, |text| number(text, expected))
}

pub(super) fn options<T: FromStr>(text: &str, expected: &str) -> Result<PerDimension<Option<T>>, Complaint> {
    pair(text, expected, |text| optional(text, |text| number(text, expected)))
}

/// Exactly `N` parts between colons.
pub(super) fn parts<'a, const N: usize>(text: &'a str, expected: &str) -> Result<[&'a str; N], Complaint> {
    let parts: Vec<&str> = text.split(':').collect();
    parts.try_into().map_err(|_| (expected.to_owned(), quoted(text)))
}

pub(super) fn mode(text: &str) -> Result<BillingMode, Complaint> {
    match text {
        "on-demand" => Ok(BillingMode::OnDemand),
        "provisioned" => Ok(BillingMode::Provisioned),
        other => Err(("'on-demand' or 'provisioned'".to_owned(), quoted(other))),
    }
}

pub(super) fn hash(text: &str) -> Result<u64, Complaint> {
    u64::from_str_radix(text, 16).map_err(|_| ("a hash in hexadecimal".to_owned(), quoted(text)))
}

pub(super) fn bytes(text: &str) -> Result<Box<[u8]>, Complaint> {
    if text == "-" {
        return Ok(Box::default());
    }
    let wrong = || ("a sort key as pairs of hexadecimal digits, or '-'".to_owned(), quoted(text));
    if !text.len().is_multiple_of(2) || !text.is_ascii() {
        return Err(wrong());
    }
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).map_err(|_| wrong()))
        .collect()
}

/// A resource, what is asked of it, and the hash and sort key that it is asked at.
pub(super) type NamedPlace = (ResourceId, Dimension, u64, Box<[u8]>);

/// The number of a resource, `r` or `w`, a hash and a sort key.
pub(super) fn place([resource, dimension, hash_text, sort_key]: [&str; 4]) -> Result<NamedPlace, Complaint> {
    let number = number(resource, "the number of the table (0) or of an index")?;
    let dimension = match dimension {
        "r" => Dimension::Read,
        "w" => Dimension::Write,
        other => return Err(("'r' or 'w'".to_owned(), quoted(other))),
    };
    Ok((ResourceId::of_number(number), dimension, hash(hash_text)?, bytes(sort_key)?))
}

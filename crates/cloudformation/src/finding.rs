//! What is wrong with a template, and where.

use std::fmt;

/// A place in a file, both counted from 1; columns count characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

/// One thing to say about a template: a sentence, its place, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where it is.
    pub at: Position,
    /// A sentence without a full stop.
    pub message: String,
    /// What to do, when there is something to say.
    pub hint: Option<String>,
}

impl Finding {
    /// A finding without advice.
    pub fn new(at: Position, message: impl Into<String>) -> Finding {
        Finding { at, message: message.into(), hint: None }
    }

    /// With what to do about it.
    pub fn hint(self, hint: impl Into<String>) -> Finding {
        Finding { hint: Some(hint.into()), ..self }
    }

    /// A word that is not known, with the known one that it resembles.
    pub(crate) fn unknown<'k>(
        at: Position,
        message: impl Into<String>,
        word: &str,
        known: impl Iterator<Item = &'k str>,
    ) -> Finding {
        let finding = Finding::new(at, message);
        match nearest(word, known) {
            Some(known) => finding.hint(format!("did you mean `{known}`?")),
            None => finding,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.at.line, self.at.column, self.message)
    }
}

/// The known word that differs from `word` in the fewest letters, when that is at most a third of them.
pub fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let word = word.to_ascii_lowercase();
    known
        .map(|known| (distance(&word, &known.to_ascii_lowercase()), known))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, known)| distance * 3 <= known.chars().count().max(3))
        .map(|(_, known)| known)
}

/// How many letters must be put in, taken out or exchanged to make one word of the other.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let exchanged = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = exchanged.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_near() {
        let known = ["BillingMode", "KeySchema", "TableName", "Tags"];
        for (word, expected) in [
            ("BilingMode", Some("BillingMode")),
            ("keyschema", Some("KeySchema")),
            ("Tag", Some("Tags")),
            ("Name", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known.into_iter()), expected, "{word}");
        }
    }
}

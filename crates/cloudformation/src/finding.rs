//! What is wrong with a template, and where.

use std::fmt;

use dynamometer_types::nearest::nearest;

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

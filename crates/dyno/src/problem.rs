//! Why a command did not do what it was asked to: a sentence, and what to do.

use std::fmt;

/// A sentence for people, a hint, and the exit code.
#[derive(Debug)]
pub struct Problem {
    sentence: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// 1 when something failed, 2 when an argument or a file is wrong.
    pub exit_code: u8,
}

impl Problem {
    /// Something failed that was well asked for.
    pub fn failed(sentence: impl fmt::Display) -> Problem {
        Problem { sentence: sentence.to_string(), hint: None, exit_code: 1 }
    }

    /// An argument or a file that the user can mend.
    pub fn wrong(sentence: impl fmt::Display) -> Problem {
        Problem { exit_code: 2, ..Problem::failed(sentence) }
    }

    /// With what to do about it.
    pub fn hint(self, hint: impl Into<String>) -> Problem {
        Problem { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

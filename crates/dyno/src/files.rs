//! Files that a person named: their text, or a sentence that says why there is none.

use std::io::{Error, ErrorKind};
use std::path::Path;

use crate::problem::Problem;

/// The text of a file that the user named.
///
/// # Errors
/// When it cannot be read (exit code 2).
pub(crate) fn read_file(file: &Path) -> Result<String, Problem> {
    std::fs::read_to_string(file).map_err(|error| unreadable(file, &error))
}

/// What to say of a file that cannot be read.
pub(crate) fn unreadable(file: &Path, error: &Error) -> Problem {
    Problem::wrong(format!("{}: {}", file.display(), why_not_read(error)))
}

/// Why a file cannot be read.
pub(crate) fn why_not_read(error: &Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        ErrorKind::PermissionDenied => "this user may not read it".to_owned(),
        ErrorKind::IsADirectory => "it is a folder, and a file is asked for".to_owned(),
        ErrorKind::InvalidData => "it is no text in UTF-8".to_owned(),
        _ => system_words(error),
    }
}

/// Why a file cannot be written.
pub(crate) fn why_not_written(error: &Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such folder".to_owned(),
        ErrorKind::PermissionDenied => "this user may not write there".to_owned(),
        ErrorKind::IsADirectory => "it is a folder".to_owned(),
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            "a file stands where a folder is needed".to_owned()
        }
        _ => system_words(error),
    }
}

/// The system's own words, without the number that follows them.
pub(crate) fn system_words(error: &Error) -> String {
    let text = error.to_string();
    text.split(" (os error ").next().unwrap_or_default().to_owned()
}

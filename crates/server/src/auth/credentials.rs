//! The credentials file of `--auth FILE`: AWS's shared credentials format, so that `~/.aws/credentials` itself will do.
//!
//! ```text
//! [default]
//! aws_access_key_id = AKIDEXAMPLE
//! aws_secret_access_key = secret
//! aws_session_token = optional
//! ```
//! Lines that begin with `#` or `;` are comments, other settings (`region`, …) are passed over.
//! `x_security_token_expires` or `aws_expiration` (RFC 3339) says when a session token ends.

use super::profiles::read_profiles;
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One access key that may call the server.
#[derive(Clone, PartialEq, Eq)]
pub struct Credential {
    /// Such as `AKIAIOSFODNN7EXAMPLE`.
    pub access_key_id: String,
    /// The secret that signatures are made with.
    pub secret_access_key: String,
    /// When set, requests must carry exactly this `X-Amz-Security-Token`.
    pub session_token: Option<String>,
    /// When the session token ends, in seconds since 1970.
    pub expires_at_s: Option<i64>,
}

impl fmt::Debug for Credential {
    /// Never prints a secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential").field("access_key_id", &self.access_key_id).finish_non_exhaustive()
    }
}

/// The keys that may call the server, found by access key id.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    by_key_id: HashMap<String, Arc<Credential>>,
}

/// Why a credentials file was not taken. Its text names the file, the line and what was expected there.
#[derive(Debug, thiserror::Error)]
pub enum CredentialsError {
    /// The file cannot be read.
    #[error("cannot read the credentials file {}: {source}", file.display())]
    Unreadable {
        /// The path as it was given.
        file: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A line does not say what it should.
    #[error("{}:{line}: {problem}", file.display())]
    Line {
        /// The path as it was given.
        file: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What was found and what was expected.
        problem: String,
    },
    /// There is no key in the file.
    #[error(
        "{}: no credentials found; expected a profile such as \
         `[default]` with aws_access_key_id and aws_secret_access_key",
        file.display()
    )]
    Empty {
        /// The path as it was given.
        file: PathBuf,
    },
}

impl Credentials {
    /// Reads a credentials file.
    ///
    /// # Errors
    /// The file cannot be read, a line is not understood, a profile has only half of a key, a key id stands in two
    /// profiles, or there is no key at all.
    pub fn read(file: &Path) -> Result<Credentials, CredentialsError> {
        let text = std::fs::read_to_string(file)
            .map_err(|source| CredentialsError::Unreadable { file: file.into(), source })?;
        Credentials::parse(file, &text)
    }

    /// Parses the text of a credentials file; `file` is only named in errors.
    ///
    /// # Errors
    /// As [`Credentials::read`].
    pub fn parse(file: &Path, text: &str) -> Result<Credentials, CredentialsError> {
        let mut credentials = Credentials::default();
        for profile in read_profiles(file, text)? {
            let Some(key) = profile.credential(file)? else { continue };
            let (key_id, name) = (key.access_key_id.clone(), &profile.name);
            if credentials.by_key_id.insert(key_id.clone(), Arc::new(key)).is_some() {
                let problem = format!("profile [{name}]: the key {key_id} stands in an earlier profile too");
                return Err(CredentialsError::Line { file: file.into(), line: profile.line, problem });
            }
        }
        if credentials.by_key_id.is_empty() {
            return Err(CredentialsError::Empty { file: file.into() });
        }
        Ok(credentials)
    }

    /// Makes a set from keys that are already known, for tests and embedding. Of two with one key id the later stays.
    pub fn from_keys(keys: impl IntoIterator<Item = Credential>) -> Credentials {
        let by_key_id = keys.into_iter().map(|key| (key.access_key_id.clone(), Arc::new(key))).collect();
        Credentials { by_key_id }
    }

    /// The key of this id.
    pub fn get(&self, access_key_id: &str) -> Option<&Arc<Credential>> {
        self.by_key_id.get(access_key_id)
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.by_key_id.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.by_key_id.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Credentials, String> {
        Credentials::parse(Path::new("keys"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn reads_profiles_comments_and_tokens() {
        let text = "\u{feff}# comment\n; too\n[default]\naws_access_key_id=A1\n  aws_secret_access_key = s=1/+ \n\
                    region = eu-west-1\n\n[profile two]\nAWS_ACCESS_KEY_ID = A2\naws_secret_access_key = s2\n\
                    aws_session_token = t2\nx_security_token_expires = 2026-06-01T12:00:00Z\n[region-only]\nregion = x\n";
        let keys = parse(text).unwrap();
        assert_eq!(keys.len(), 2);
        let one = keys.get("A1").unwrap();
        assert_eq!((one.secret_access_key.as_str(), &one.session_token), ("s=1/+", &None));
        let two = keys.get("A2").unwrap();
        assert_eq!((two.session_token.as_deref(), two.expires_at_s), (Some("t2"), Some(1_780_315_200)));
        assert!(!format!("{keys:?}").contains("s2"), "a secret was printed");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let cases = [
            ("", "keys: no credentials found"),
            ("[a]\nregion = x\n", "keys: no credentials found"),
            ("aws_access_key_id = A\n", "keys:1: expected a profile such as `[default]` before"),
            ("[a\n", "keys:1: expected a profile"),
            ("[a]\nAKID\n", "keys:2: expected `name = value`"),
            ("\n[a]\naws_access_key_id = A\n", "keys:2: profile [a] has aws_access_key_id but no"),
            ("[a]\naws_secret_access_key = A\n[b]\n", "keys:1: profile [a] has aws_secret_access_key but no"),
            (
                "[a]\naws_access_key_id = a/b\naws_secret_access_key = A\n",
                "keys:1: profile [a]: aws_access_key_id must",
            ),
            (
                "[a]\naws_access_key_id = A\naws_secret_access_key = A\naws_expiration = soon\n",
                "keys:1: profile [a]: `soon` is not a time",
            ),
            (
                "[a]\naws_access_key_id=A\naws_secret_access_key=s\n[b]\naws_access_key_id=A\naws_secret_access_key=s\n",
                "keys:4: profile [b]: the key A stands in an earlier profile too",
            ),
        ];
        for (text, expected) in cases {
            let problem = parse(text).expect_err(text);
            assert!(problem.starts_with(expected), "{text:?}: {problem}");
        }
        let missing = Credentials::read(Path::new("/nonexistent/keys")).unwrap_err().to_string();
        assert!(missing.starts_with("cannot read the credentials file /nonexistent/keys: "), "{missing}");
    }
}

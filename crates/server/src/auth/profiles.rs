//! The format that AWS's tools share: `[profile]` lines, and `name = value` lines under them.

use super::credentials::{Credential, CredentialsError};
use super::dates::parse_extended;
use std::collections::HashMap;
use std::path::Path;

/// The settings of one `[profile]`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// The line that it begins on, counted from 1.
    pub line: usize,
    /// What stands between the brackets.
    pub name: String,
    settings: HashMap<String, String>,
}

impl Profile {
    /// A setting by its name in lower case; an empty one is none.
    pub fn setting(&self, name: &str) -> Option<&str> {
        self.settings.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The key of the profile; `None` when it has none, only a region, say. `file` is only named in errors.
    ///
    /// # Errors
    /// Half of a key, a key id that cannot be one, an expiration that is no time.
    pub fn credential(&self, file: &Path) -> Result<Option<Credential>, CredentialsError> {
        let failed = |problem: String| {
            let problem = format!("profile [{}]{problem}", self.name);
            Err(CredentialsError::Line { file: file.into(), line: self.line, problem })
        };
        let (key_id, secret) =
            match (self.setting("aws_access_key_id"), self.setting("aws_secret_access_key")) {
                (Some(key_id), Some(secret)) => (key_id, secret),
                (None, None) => return Ok(None),
                (Some(_), None) => {
                    return failed(" has aws_access_key_id but no aws_secret_access_key".into());
                }
                (None, Some(_)) => {
                    return failed(" has aws_secret_access_key but no aws_access_key_id".into());
                }
            };
        if key_id.contains(['/', ' ', ',']) {
            return failed(": aws_access_key_id must not contain `/`, `,` or spaces".into());
        }
        let expires = self.setting("x_security_token_expires").or_else(|| self.setting("aws_expiration"));
        let expires_at_s = match expires.map(|text| (text, parse_extended(text))) {
            None => None,
            Some((_, Some(at))) => Some(at),
            Some((text, None)) => {
                return failed(format!(": `{text}` is not a time such as 2026-06-01T12:00:00Z"));
            }
        };
        let session_token = self.setting("aws_session_token").or_else(|| self.setting("aws_security_token"));
        Ok(Some(Credential {
            access_key_id: key_id.to_owned(),
            secret_access_key: secret.to_owned(),
            session_token: session_token.map(str::to_owned),
            expires_at_s,
        }))
    }
}

/// The profiles of a text, in order; `file` is only named in errors.
///
/// # Errors
/// A line that is none of the format.
pub fn read_profiles(file: &Path, text: &str) -> Result<Vec<Profile>, CredentialsError> {
    let failed = |line: usize, problem: &str| {
        Err(CredentialsError::Line { file: file.into(), line, problem: problem.into() })
    };
    let mut profiles: Vec<Profile> = Vec::new();
    for (index, raw) in text.lines().enumerate() {
        let line = index + 1;
        let content = raw.trim_start_matches('\u{feff}').trim();
        if content.is_empty() || content.starts_with(['#', ';']) {
            continue;
        }
        if let Some(rest) = content.strip_prefix('[') {
            match rest.split_once(']').map(|(name, _)| name.trim()).filter(|name| !name.is_empty()) {
                Some(name) => profiles.push(Profile { line, name: name.into(), settings: HashMap::new() }),
                None => return failed(line, "expected a profile such as `[default]`"),
            }
            continue;
        }
        match (profiles.last_mut(), content.split_once('=')) {
            (None, _) => {
                return failed(line, "expected a profile such as `[default]` before the first setting");
            }
            (_, None) => return failed(line, "expected `name = value`, such as `aws_access_key_id = AKID…`"),
            (Some(profile), Some((name, value))) => {
                profile.settings.insert(name.trim().to_ascii_lowercase(), value.trim().into());
            }
        }
    }
    Ok(profiles)
}

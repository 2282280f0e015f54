//! The first half of the checks: is every part of the claim there, and is it of this time?

use super::dates::{format_basic, parse_basic, parse_http};
use super::error::AuthError;
use super::parts::Claim;
use http::{HeaderMap, HeaderName, header};
use std::borrow::Cow;

const X_AMZ_DATE: HeaderName = HeaderName::from_static("x-amz-date");
const X_AMZ_SECURITY_TOKEN: HeaderName = HeaderName::from_static("x-amz-security-token");

/// How far a client's clock may be off. Source: AWS, Signature Version 4.
const SKEW_S: i64 = 15 * 60;
/// The longest life of a presigned request, seven days. Source: AWS, Signature Version 4.
const LONGEST_EXPIRES_S: i64 = 604_800;

/// A claim that is complete: every part is there, though none is believed yet.
pub(super) struct Complete<'a> {
    pub(super) algorithm: &'a str,
    pub(super) credential: &'a str,
    pub(super) signed_headers: &'a str,
    pub(super) signature: &'a str,
    /// The date as sent, for messages.
    pub(super) date: &'a str,
    /// Seconds from the date in which a presigned request may be used; `None` in the header form.
    pub(super) expires: Option<&'a str>,
    pub(super) security_token: Option<&'a str>,
}

impl Complete<'_> {
    /// Checks the form of the date and the age of the signature, and returns the date in the form that is signed,
    /// `YYYYMMDDTHHMMSSZ`. `now` is in seconds since 1970.
    pub(super) fn check_date(&self, now: i64) -> Result<Cow<'_, str>, AuthError> {
        let (signed_at, date) = match parse_basic(self.date) {
            Some(signed_at) => (signed_at, Cow::Borrowed(self.date)),
            // The `Date` header may be in HTTP's own form; what is signed is the basic one.
            None => {
                let is_header = self.expires.is_none();
                let signed_at = parse_http(self.date).filter(|_| is_header);
                let signed_at = signed_at.ok_or_else(|| bad_date(self.date))?;
                (signed_at, Cow::Owned(format_basic(signed_at)))
            }
        };
        check_age(signed_at, self.expires, now)?;
        Ok(date)
    }
}

/// The parts of the header form, with the date from `X-Amz-Date` or else `Date`.
pub(super) fn complete_header<'a>(
    claim: &'a Claim<'a>,
    header: &str,
    headers: &'a HeaderMap,
) -> Result<Complete<'a>, AuthError> {
    let date = header_text(headers, &X_AMZ_DATE).or_else(|| header_text(headers, &header::DATE));
    match (&claim.credential, &claim.signature, &claim.signed_headers, date) {
        (Some(credential), Some(signature), Some(signed_headers), Some(date)) => Ok(Complete {
            algorithm: &claim.algorithm,
            credential,
            signed_headers,
            signature,
            date,
            expires: None,
            security_token: header_text(headers, &X_AMZ_SECURITY_TOKEN),
        }),
        (credential, signature, signed_headers, date) => {
            let parts = [
                (credential.is_some(), "Authorization header requires 'Credential' parameter. "),
                (signature.is_some(), "Authorization header requires 'Signature' parameter. "),
                (signed_headers.is_some(), "Authorization header requires 'SignedHeaders' parameter. "),
                (
                    date.is_some(),
                    "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ",
                ),
            ];
            let missing = parts.iter().filter(|(is_there, _)| !is_there).map(|(_, text)| *text);
            Err(AuthError::incomplete(missing.collect::<String>() + "Authorization=" + header))
        }
    }
}

/// The parts of the query form.
pub(super) fn complete_query<'a>(
    claim: &'a Claim<'a>,
    headers: &'a HeaderMap,
) -> Result<Complete<'a>, AuthError> {
    match (&claim.credential, &claim.signature, &claim.signed_headers, &claim.date) {
        (Some(credential), Some(signature), Some(signed_headers), Some(date))
            if !claim.algorithm.is_empty() =>
        {
            let header_token = || header_text(headers, &X_AMZ_SECURITY_TOKEN);
            Ok(Complete {
                algorithm: &claim.algorithm,
                credential,
                signed_headers,
                signature,
                date,
                expires: Some(claim.expires.as_deref().unwrap_or("900")),
                security_token: claim.security_token.as_deref().or_else(header_token),
            })
        }
        (credential, signature, signed_headers, date) => {
            let parts = [
                (!claim.algorithm.is_empty(), "X-Amz-Algorithm"),
                (credential.is_some(), "X-Amz-Credential"),
                (signature.is_some(), "X-Amz-Signature"),
                (signed_headers.is_some(), "X-Amz-SignedHeaders"),
                (date.is_some(), "X-Amz-Date"),
            ];
            let missing = parts.iter().filter(|(is_there, _)| !is_there);
            let message: String = missing
                .map(|(_, name)| format!("AWS query-string parameters must include '{name}'. "))
                .collect();
            Err(AuthError::incomplete(message + "Re-examine the query-string parameters."))
        }
    }
}

fn header_text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok()).filter(|value| !value.is_empty())
}

fn bad_date(date: &str) -> AuthError {
    AuthError::incomplete(format!(
        "Date must be in ISO-8601 'basic format'. Got '{date}'. See http://en.wikipedia.org/wiki/ISO_8601"
    ))
}

/// A signature lives for 15 minutes, or as long as a presigned request says, and may be 15 minutes early.
fn check_age(signed_at: i64, expires: Option<&str>, now: i64) -> Result<(), AuthError> {
    let life = match expires {
        None => SKEW_S,
        Some(text) => match text.parse::<i64>() {
            Ok(life) if (0..=LONGEST_EXPIRES_S).contains(&life) => life,
            Ok(life) if life < 0 => return Err(AuthError::incomplete("X-Amz-Expires must be non-negative")),
            Ok(_) => {
                return Err(AuthError::incomplete(
                    "X-Amz-Expires must be less than a week (in seconds); i.e., the given X-Amz-Expires must be \
                     less than 604800 seconds",
                ));
            }
            Err(_) => return Err(AuthError::incomplete("X-Amz-Expires should be a number")),
        },
    };
    if (now - life..=now + SKEW_S).contains(&signed_at) {
        return Ok(());
    }
    let (at, clock) = (format_basic(signed_at), format_basic(now));
    if signed_at < now {
        let life_text =
            if life % 60 == 0 && life > 0 { format!("{} min.", life / 60) } else { format!("{life} sec.") };
        return Err(AuthError::invalid_signature(format!(
            "Signature expired: {at} is now earlier than {} ({clock} - {life_text})",
            format_basic(now - life)
        )));
    }
    Err(AuthError::invalid_signature(format!(
        "Signature not yet current: {at} is still later than {} ({clock} + 15 min.)",
        format_basic(now + SKEW_S)
    )))
}

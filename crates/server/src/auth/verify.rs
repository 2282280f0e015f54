//! The checks of a signature, in the order in which AWS answers them.

use super::caller::{Caller, claimed_credential};
use super::canonical::{CanonicalInput, canonical_request, hex_lower};
use super::credentials::{Credential, Credentials};
use super::dates::{format_basic, parse_basic, parse_http};
use super::parts::Claim;
use hmac::{Hmac, KeyInit, Mac};
use http::{HeaderMap, Method, header};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::sync::Arc;
use subtle::ConstantTimeEq;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";
const TERMINATOR: &str = "aws4_request";
const UNSIGNED_PAYLOAD: &str = "UNSIGNED-PAYLOAD";
/// How far a client's clock may be off. Source: AWS, Signature Version 4.
const SKEW_S: i64 = 15 * 60;
/// The longest life of a presigned request, seven days. Source: AWS, Signature Version 4.
const LONGEST_EXPIRES_S: i64 = 604_800;

/// The services that this endpoint speaks for; both DynamoDB and its Streams are signed as `dynamodb`.
const SERVICES: &[&str] = &["dynamodb", "application-autoscaling", "monitoring", "cloudformation"];

/// One request as it came over the wire, before anything is decoded.
#[derive(Debug, Clone, Copy)]
pub struct RawRequest<'a> {
    /// The method, part of what is signed.
    pub method: &'a Method,
    /// The path as sent, percent signs and all.
    pub path: &'a str,
    /// The query string without its question mark.
    pub query: Option<&'a str>,
    /// All headers as received.
    pub headers: &'a HeaderMap,
    /// The body as sent, before content decoding.
    pub body: &'a [u8],
    /// The time of receipt, in milliseconds since 1970.
    pub now_ms: i64,
}

/// Which credential scopes are taken.
#[derive(Debug, Clone)]
pub struct Scope {
    /// Regions that a signature may name; `None` takes every region, as each names its own database.
    pub regions: Option<Vec<String>>,
    /// Services that a signature may name.
    pub services: &'static [&'static str],
}

impl Default for Scope {
    /// Every region; DynamoDB and the services that the same port answers.
    fn default() -> Scope {
        Scope { regions: None, services: SERVICES }
    }
}

/// How requests are authenticated.
#[derive(Debug, Clone)]
pub struct Auth {
    /// The region of requests that name none.
    region: Box<str>,
    /// `None`: any signature is accepted, and none.
    credentials: Option<Credentials>,
    scope: Scope,
}

/// Why a request was not authenticated: AWS's error type and text, answered with status 400.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: {message}")]
pub struct AuthError {
    /// The type without its namespace, such as `IncompleteSignatureException`.
    pub kind: &'static str,
    /// AWS's text.
    pub message: String,
}

/// What the last request on a connection was signed with. Clients keep one key for a day, so nearly every request
/// after the first on its connection finds its caller and its signing key here, without a lock that others hold.
#[derive(Default)]
pub struct CallerCache {
    last: Option<Cached>,
}

struct Cached {
    credential: Box<str>,
    caller: Arc<Caller>,
    key: Option<SigningKey>,
}

/// The key that is derived for one key id, date, region and service, and the secret that it came from.
struct SigningKey {
    mac: Hmac<Sha256>,
    credential: Arc<Credential>,
}

/// A claim that is complete: every part is there, though none is believed yet.
struct Complete<'a> {
    algorithm: &'a str,
    credential: &'a str,
    signed_headers: &'a str,
    signature: &'a str,
    /// The date as sent, for messages.
    date: &'a str,
    /// Seconds from the date in which a presigned request may be used; `None` in the header form.
    expires: Option<&'a str>,
    security_token: Option<&'a str>,
}

impl AuthError {
    fn new(kind: &'static str, message: impl Into<String>) -> AuthError {
        AuthError { kind, message: message.into() }
    }

    fn incomplete(message: impl Into<String>) -> AuthError {
        AuthError::new("IncompleteSignatureException", message)
    }

    fn invalid_signature(message: impl Into<String>) -> AuthError {
        AuthError::new("InvalidSignatureException", message)
    }
}

impl Auth {
    /// Accepts everybody; `region` is that of requests whose signature names none.
    pub fn anonymous(region: &str) -> Auth {
        Auth { region: region.into(), credentials: None, scope: Scope::default() }
    }

    /// Verifies every request against these keys.
    pub fn with_credentials(region: &str, credentials: Credentials, scope: Scope) -> Auth {
        Auth { region: region.into(), credentials: Some(credentials), scope }
    }

    /// Whether signatures are verified.
    pub fn is_required(&self) -> bool {
        self.credentials.is_some()
    }

    /// Finds the caller of a request, verified when credentials are configured.
    ///
    /// # Errors
    /// Only with credentials: `MissingAuthenticationTokenException`, `IncompleteSignatureException`,
    /// `InvalidSignatureException`, `UnrecognizedClientException` or `ExpiredTokenException`, with AWS's text.
    ///
    /// # Source
    /// Order and texts as dynalite recorded them on AWS (2013 to 2020); the details of Signature Version 4 from AWS's
    /// description of it.
    pub fn caller(&self, request: &RawRequest<'_>, cache: &mut CallerCache) -> Result<Arc<Caller>, AuthError> {
        match &self.credentials {
            None => Ok(self.unverified_caller(request, cache)),
            Some(credentials) => self.verified_caller(credentials, request, cache),
        }
    }

    /// The caller of `Authorization: Basic` with an access key id as user and its secret as password, for what cannot
    /// sign: a browser at the console, a Prometheus that scrapes. `None` when there is none, or it is not right.
    pub fn basic_caller(&self, headers: &HeaderMap, now_ms: i64) -> Option<Caller> {
        let (key_id, secret) = basic_credentials(headers)?;
        let key = self.credentials.as_ref()?.get(&key_id)?;
        let is_live = key.expires_at_s.is_none_or(|end| now_ms.div_euclid(1000) < end);
        // Compared as hashes, so that the time taken does not tell the length either.
        let (ours, theirs) = (Sha256::digest(&key.secret_access_key), Sha256::digest(secret));
        let is_right = bool::from(ours.as_slice().ct_eq(theirs.as_slice()));
        (is_right && is_live).then(|| Caller {
            access_key_id: Some(key_id.into()),
            region: self.region.clone(),
            service: None,
            verified: true,
        })
    }

    /// The caller that a request claims to be from; the server's own region when it claims nothing readable.
    fn unverified_caller(&self, request: &RawRequest<'_>, cache: &mut CallerCache) -> Arc<Caller> {
        if let (Some(last), Some(header)) = (&cache.last, request.headers.get(header::AUTHORIZATION))
            && begins_with_credential(header.as_bytes(), &last.credential)
        {
            return last.caller.clone();
        }
        let credential = claimed_credential(request.headers, request.query).unwrap_or_default();
        if let Some(last) = &cache.last
            && last.credential == credential
        {
            return last.caller.clone();
        }
        let caller = Caller::from_credential(&credential).unwrap_or_else(|| Caller::anonymous(&self.region));
        let caller = Arc::new(caller);
        cache.last = Some(Cached { credential, caller: caller.clone(), key: None });
        caller
    }

    fn verified_caller(
        &self,
        credentials: &Credentials,
        request: &RawRequest<'_>,
        cache: &mut CallerCache,
    ) -> Result<Arc<Caller>, AuthError> {
        let header = request.headers.get(header::AUTHORIZATION);
        let header = header.map(|value| match value.to_str() {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(value.as_bytes()),
        });
        let query = request.query.filter(|query| has_algorithm(query));
        let claim = match (header.as_deref(), query) {
            (Some(_), Some(_)) => {
                return Err(AuthError::invalid_signature(
                    "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
                ));
            }
            (Some(header), None) if header.trim_start().starts_with("AWS4-") => Claim::from_header(header),
            (None, Some(query)) => Claim::from_query(query),
            _ => {
                return Err(AuthError::new(
                    "MissingAuthenticationTokenException",
                    "Request is missing Authentication Token",
                ));
            }
        };
        let complete = match header.as_deref() {
            Some(header) => complete_header(&claim, header, request.headers)?,
            None => complete_query(&claim, request.headers)?,
        };
        self.check_complete(credentials, &complete, request, cache)
    }

    /// Everything after the claim is known to be complete.
    fn check_complete(
        &self,
        credentials: &Credentials,
        claim: &Complete<'_>,
        request: &RawRequest<'_>,
        cache: &mut CallerCache,
    ) -> Result<Arc<Caller>, AuthError> {
        let is_query = claim.expires.is_some();
        let (signed_at, date) = match parse_basic(claim.date) {
            Some(signed_at) => (signed_at, Cow::Borrowed(claim.date)),
            // The `Date` header may be in HTTP's own form; what is signed is the basic one.
            None => {
                let signed_at = parse_http(claim.date).filter(|_| !is_query);
                let signed_at = signed_at.ok_or_else(|| bad_date(claim.date))?;
                (signed_at, Cow::Owned(format_basic(signed_at)))
            }
        };
        check_age(signed_at, claim.expires, request.now_ms.div_euclid(1000))?;
        if !claim.signed_headers.split(';').any(|name| name.trim().eq_ignore_ascii_case("host")) {
            return Err(AuthError::invalid_signature(
                "'Host' must be a 'SignedHeader' in the AWS Authorization.",
            ));
        }
        if claim.algorithm != ALGORITHM {
            return Err(AuthError::incomplete(format!(
                "Unsupported AWS 'algorithm': '{}' (only AWS4-HMAC-SHA256 for now). ",
                claim.algorithm
            )));
        }
        let is_known = cache.last.as_ref().is_some_and(|last| *last.credential == *claim.credential)
            && claim.credential.split('/').nth(1) == Some(&date[..8]);
        if !is_known {
            cache.last = Some(self.admit_scope(credentials, claim, &date)?);
        }
        let last = cache.last.as_ref().expect("was set above or known");
        let key = last.key.as_ref().expect("verified callers are cached with their key");
        if !signature_matches(&key.mac, claim, &date, request) {
            return Err(AuthError::invalid_signature(
                "The request signature we calculated does not match the signature you provided. Check your AWS \
                 Secret Access Key and signing method. Consult the service documentation for details.",
            ));
        }
        check_token(&key.credential, claim.security_token, request.now_ms.div_euclid(1000))?;
        Ok(last.caller.clone())
    }

    /// Checks the credential scope, finds the key and derives the signing key for that scope.
    fn admit_scope(
        &self,
        credentials: &Credentials,
        claim: &Complete<'_>,
        date: &str,
    ) -> Result<Cached, AuthError> {
        let mut elements = claim.credential.split('/');
        let mut next = || elements.next();
        let (Some(key_id), Some(day), Some(region), Some(service), Some(terminator), None) =
            (next(), next(), next(), next(), next(), next())
        else {
            return Err(AuthError::incomplete(format!(
                "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '{}'",
                claim.credential
            )));
        };
        self.check_scope(day, region, service, terminator, date)?;
        let Some(key) = credentials.get(key_id) else {
            return Err(AuthError::new(
                "UnrecognizedClientException",
                "The security token included in the request is invalid.",
            ));
        };
        let mac = signing_key(&key.secret_access_key, day, region, service);
        let caller = Caller {
            access_key_id: Some(key_id.into()),
            region: region.into(),
            service: Some(service.into()),
            verified: true,
        };
        Ok(Cached {
            credential: claim.credential.into(),
            caller: Arc::new(caller),
            key: Some(SigningKey { mac, credential: key.clone() }),
        })
    }

    fn check_scope(
        &self,
        day: &str,
        region: &str,
        service: &str,
        terminator: &str,
        date: &str,
    ) -> Result<(), AuthError> {
        let mut message = String::new();
        let is_region = match &self.scope.regions {
            Some(regions) => regions.iter().any(|known| known == region),
            None => is_region_name(region),
        };
        if !is_region {
            message += &format!("Credential should be scoped to a valid region, not '{region}'. ");
        }
        if !self.scope.services.contains(&service) {
            message += "Credential should be scoped to correct service: 'dynamodb'. ";
        }
        if terminator != TERMINATOR {
            message += &format!(
                "Credential should be scoped with a valid terminator: 'aws4_request', not '{terminator}'. "
            );
        }
        if day != &date[..8] {
            message += &format!(
                "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: \
                 '{day}' != '{}', from '{date}'.",
                &date[..8]
            );
        }
        if message.is_empty() { Ok(()) } else { Err(AuthError::invalid_signature(message)) }
    }
}

fn has_algorithm(query: &str) -> bool {
    query.contains("X-Amz-Algorithm") && super::parts::query_parameters(query).any(|(name, _)| name == "X-Amz-Algorithm")
}

/// Whether a header is `AWS4-HMAC-SHA256 Credential=<credential>` and more, as every SDK writes it.
fn begins_with_credential(header: &[u8], credential: &str) -> bool {
    let rest = header.strip_prefix(ALGORITHM.as_bytes()).and_then(|rest| rest.strip_prefix(b" Credential="));
    let rest = rest.and_then(|rest| rest.strip_prefix(credential.as_bytes()));
    !credential.is_empty() && rest.is_some_and(|rest| matches!(rest.first(), None | Some(b',' | b' ')))
}

/// AWS region names are of this form, and so are the made-up ones of local set-ups (`local`, `ddblocal`, `none`).
fn is_region_name(region: &str) -> bool {
    !region.is_empty() && region.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn complete_header<'a>(
    claim: &'a Claim<'a>,
    header: &str,
    headers: &'a HeaderMap,
) -> Result<Complete<'a>, AuthError> {
    let date = header_text(headers, "x-amz-date").or_else(|| header_text(headers, "date"));
    match (&claim.credential, &claim.signature, &claim.signed_headers, date) {
        (Some(credential), Some(signature), Some(signed_headers), Some(date)) => Ok(Complete {
            algorithm: &claim.algorithm,
            credential,
            signed_headers,
            signature,
            date,
            expires: None,
            security_token: header_text(headers, "x-amz-security-token"),
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

fn complete_query<'a>(claim: &'a Claim<'a>, headers: &'a HeaderMap) -> Result<Complete<'a>, AuthError> {
    match (&claim.credential, &claim.signature, &claim.signed_headers, &claim.date) {
        (Some(credential), Some(signature), Some(signed_headers), Some(date)) if !claim.algorithm.is_empty() => {
            let header_token = || header_text(headers, "x-amz-security-token");
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
            let message: String =
                missing.map(|(_, name)| format!("AWS query-string parameters must include '{name}'. ")).collect();
            Err(AuthError::incomplete(message + "Re-examine the query-string parameters."))
        }
    }
}

fn header_text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
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

fn keyed(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("HMAC takes keys of every length")
}

fn mac_of(key: &[u8], message: &[u8]) -> [u8; 32] {
    keyed(key).chain_update(message).finalize().into_bytes().into()
}

/// The HMAC that is keyed for one date, region and service.
fn signing_key(secret: &str, day: &str, region: &str, service: &str) -> Hmac<Sha256> {
    let mut key = mac_of(format!("AWS4{secret}").as_bytes(), day.as_bytes());
    for part in [region, service, TERMINATOR] {
        key = mac_of(&key, part.as_bytes());
    }
    keyed(&key)
}

fn signature_matches(mac: &Hmac<Sha256>, claim: &Complete<'_>, date: &str, request: &RawRequest<'_>) -> bool {
    let body_hash = hex_lower(&Sha256::digest(request.body).into());
    let payload_hash: &[u8] = match request.headers.get("x-amz-content-sha256").map(|value| value.as_bytes()) {
        Some(sent) if sent == UNSIGNED_PAYLOAD.as_bytes() => sent,
        // What is not the hash of this body (a streaming signature, say) was not made for this body.
        Some(sent) if sent != body_hash => return false,
        _ => &body_hash,
    };
    let canonical = canonical_request(&CanonicalInput {
        method: request.method.as_str(),
        path: request.path,
        query: request.query,
        headers: request.headers,
        signed_headers: claim.signed_headers,
        payload_hash,
    });
    let scope = claim.credential.split_once('/').map_or("", |(_, scope)| scope);
    let expected = mac
        .clone()
        .chain_update(ALGORITHM.as_bytes())
        .chain_update(b"\n")
        .chain_update(date.as_bytes())
        .chain_update(b"\n")
        .chain_update(scope.as_bytes())
        .chain_update(b"\n")
        .chain_update(hex_lower(&Sha256::digest(&canonical).into()))
        .finalize()
        .into_bytes();
    hex_lower(&expected.into()).ct_eq(claim.signature.as_bytes()).into()
}

/// A key of a session is only good with its token, a lasting key only without one.
fn check_token(key: &Credential, sent: Option<&str>, now: i64) -> Result<(), AuthError> {
    let is_right = match (&key.session_token, sent) {
        (None, None) => true,
        (Some(ours), Some(theirs)) => ours.as_bytes().ct_eq(theirs.as_bytes()).into(),
        _ => false,
    };
    if !is_right {
        return Err(AuthError::new(
            "UnrecognizedClientException",
            "The security token included in the request is invalid",
        ));
    }
    if key.expires_at_s.is_some_and(|end| now >= end) {
        return Err(AuthError::new(
            "ExpiredTokenException",
            "The security token included in the request is expired",
        ));
    }
    Ok(())
}

fn basic_credentials(headers: &HeaderMap) -> Option<(String, Vec<u8>)> {
    use base64::Engine;
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, encoded) = value.trim().split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = base64::engine::general_purpose::STANDARD.decode(encoded.trim()).ok()?;
    let colon = decoded.iter().position(|byte| *byte == b':')?;
    let key_id = String::from_utf8(decoded[..colon].to_vec()).ok()?;
    Some((key_id, decoded[colon + 1..].to_vec()))
}

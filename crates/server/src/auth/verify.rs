//! The checks of a signature, in the order in which AWS answers them.

use super::caller::{Caller, claimed_credential};
use super::complete::{Complete, complete_header, complete_query};
use super::credentials::{Credential, Credentials};
use super::error::AuthError;
use super::parts::{Claim, query_parameters};
use super::signature::{ALGORITHM, TERMINATOR, check_token, signature_matches, signing_key};
use hmac::Hmac;
use http::{HeaderMap, Method, header};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::sync::Arc;
use subtle::ConstantTimeEq;

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
    pub fn caller(
        &self,
        request: &RawRequest<'_>,
        cache: &mut CallerCache,
    ) -> Result<Arc<Caller>, AuthError> {
        match &self.credentials {
            None => Ok(self.unverified_caller(request, cache)),
            Some(credentials) => self.verified_caller(credentials, request, cache),
        }
    }

    /// The caller of `Authorization: Basic` with an access key id as user and its secret as password, for what cannot
    /// sign: a browser at the console, a Prometheus that scrapes. Without credentials to verify with, every key id is
    /// believed. `None` when there is none, or it is not right.
    pub fn basic_caller(&self, headers: &HeaderMap, now_ms: i64) -> Option<Caller> {
        let (key_id, secret) = basic_credentials(headers)?;
        let caller = |key_id: String, verified| Caller {
            access_key_id: Some(key_id.into()),
            region: self.region.clone(),
            service: None,
            verified,
        };
        let Some(credentials) = &self.credentials else {
            return (!key_id.is_empty()).then(|| caller(key_id, false));
        };
        let key = credentials.get(&key_id)?;
        let is_live = key.expires_at_s.is_none_or(|end| now_ms.div_euclid(1000) < end);
        // Compared as hashes, so that the time taken does not tell the length either.
        let (ours, theirs) = (Sha256::digest(&key.secret_access_key), Sha256::digest(secret));
        let is_right = bool::from(ours.as_slice().ct_eq(theirs.as_slice()));
        (is_right && is_live).then(|| caller(key_id, true))
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
        let now = request.now_ms.div_euclid(1000);
        let date = claim.check_date(now)?;
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
        check_token(&key.credential, claim.security_token, now)?;
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
    query.contains("X-Amz-Algorithm") && query_parameters(query).any(|(name, _)| name == "X-Amz-Algorithm")
}

/// Whether a header is `AWS4-HMAC-SHA256 Credential=<credential>` and more, as every SDK writes it.
fn begins_with_credential(header: &[u8], credential: &str) -> bool {
    let rest = header.strip_prefix(ALGORITHM.as_bytes()).and_then(|rest| rest.strip_prefix(b" Credential="));
    let rest = rest.and_then(|rest| rest.strip_prefix(credential.as_bytes()));
    !credential.is_empty() && rest.is_some_and(|rest| matches!(rest.first(), None | Some(b',' | b' ')))
}

/// AWS region names are of this form, and so are the made-up ones of local set-ups (`local`, `ddblocal`, `none`).
fn is_region_name(region: &str) -> bool {
    !region.is_empty()
        && region.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
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

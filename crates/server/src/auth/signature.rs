//! The second half: the signature itself, and the token that goes with it.

use super::canonical::{CanonicalInput, canonical_request, hex_lower};
use super::complete::Complete;
use super::credentials::Credential;
use super::error::AuthError;
use super::verify::RawRequest;
use hmac::{Hmac, KeyInit, Mac};
use http::HeaderName;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The only algorithm.
pub(super) const ALGORITHM: &str = "AWS4-HMAC-SHA256";
/// The end of every credential scope.
pub(super) const TERMINATOR: &str = "aws4_request";
const X_AMZ_CONTENT_SHA256: HeaderName = HeaderName::from_static("x-amz-content-sha256");
const UNSIGNED_PAYLOAD: &str = "UNSIGNED-PAYLOAD";

fn keyed(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("HMAC takes keys of every length")
}

fn mac_of(key: &[u8], message: &[u8]) -> [u8; 32] {
    keyed(key).chain_update(message).finalize().into_bytes().into()
}

/// The HMAC that is keyed for one date, region and service.
pub(super) fn signing_key(secret: &str, day: &str, region: &str, service: &str) -> Hmac<Sha256> {
    let mut key = mac_of(format!("AWS4{secret}").as_bytes(), day.as_bytes());
    for part in [region, service, TERMINATOR] {
        key = mac_of(&key, part.as_bytes());
    }
    keyed(&key)
}

/// Whether the claim's signature is that of the request, `date` being the time that was signed.
pub(super) fn signature_matches(
    mac: &Hmac<Sha256>,
    claim: &Complete<'_>,
    date: &str,
    request: &RawRequest<'_>,
) -> bool {
    let body_hash = hex_lower(&Sha256::digest(request.body).into());
    let payload_hash: &[u8] = match request.headers.get(X_AMZ_CONTENT_SHA256).map(|value| value.as_bytes()) {
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
    signature(mac, date, scope, &canonical).ct_eq(claim.signature.as_bytes()).into()
}

/// The signature of a canonical request, in hexadecimal.
pub(super) fn signature(mac: &Hmac<Sha256>, date: &str, scope: &str, canonical: &[u8]) -> [u8; 64] {
    let mac = mac
        .clone()
        .chain_update(ALGORITHM.as_bytes())
        .chain_update(b"\n")
        .chain_update(date.as_bytes())
        .chain_update(b"\n")
        .chain_update(scope.as_bytes())
        .chain_update(b"\n")
        .chain_update(hex_lower(&Sha256::digest(canonical).into()))
        .finalize();
    hex_lower(&mac.into_bytes().into())
}

/// A key of a session is only good with its token, a lasting key only without one.
pub(super) fn check_token(key: &Credential, sent: Option<&str>, now: i64) -> Result<(), AuthError> {
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

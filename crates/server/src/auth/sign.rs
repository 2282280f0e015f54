//! The signature of a request that is being sent.

use super::canonical::{CanonicalInput, canonical_request, hex_lower};
use super::credentials::Credential;
use super::dates::format_basic;
use super::signature::{ALGORITHM, TERMINATOR, signature, signing_key};
use http::header::{AUTHORIZATION, HOST, InvalidHeaderValue};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use sha2::{Digest, Sha256};

/// Who signs, and for whom.
#[derive(Clone, Copy, Debug)]
pub struct Signer<'a> {
    /// The key.
    pub credential: &'a Credential,
    /// The region of the credential scope, such as `us-east-1`.
    pub region: &'a str,
    /// The service of the credential scope, such as `dynamodb`.
    pub service: &'a str,
    /// The time, in seconds since 1970.
    pub now_s: i64,
}

/// Signs a request to the path `/` or another one without a query: adds `X-Amz-Date`, `X-Amz-Security-Token` for a key
/// that has one, and `Authorization`. Signed are the host, the content type and all `x-amz-` headers.
///
/// # Errors
/// A key id or a token with characters that no header can carry.
///
/// # Source
/// AWS "Signature Version 4 signing process", authorization in a header.
pub fn sign(
    signer: &Signer<'_>,
    method: &Method,
    path: &str,
    headers: &mut HeaderMap,
    body: &[u8],
) -> Result<(), InvalidHeaderValue> {
    let date = format_basic(signer.now_s);
    headers.insert(HeaderName::from_static("x-amz-date"), HeaderValue::try_from(&date)?);
    if let Some(token) = &signer.credential.session_token {
        headers.insert(HeaderName::from_static("x-amz-security-token"), HeaderValue::try_from(token)?);
    }
    let is_signed = |name: &&HeaderName| {
        **name == HOST || name.as_str() == "content-type" || name.as_str().starts_with("x-amz-")
    };
    let mut names: Vec<&str> = headers.keys().filter(is_signed).map(HeaderName::as_str).collect();
    names.sort_unstable();
    let signed_headers = names.join(";");
    let canonical = canonical_request(&CanonicalInput {
        method: method.as_str(),
        path,
        query: None,
        headers,
        signed_headers: &signed_headers,
        payload_hash: &hex_lower(&Sha256::digest(body).into()),
    });
    let (day, _) = date.split_at(8);
    let scope = format!("{day}/{}/{}/{TERMINATOR}", signer.region, signer.service);
    let mac = signing_key(&signer.credential.secret_access_key, day, signer.region, signer.service);
    let signature = signature(&mac, &date, &scope, &canonical);
    let value = format!(
        "{ALGORITHM} Credential={}/{scope}, SignedHeaders={signed_headers}, Signature={}",
        signer.credential.access_key_id,
        String::from_utf8_lossy(&signature),
    );
    headers.insert(AUTHORIZATION, HeaderValue::try_from(value)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::{Auth, CallerCache, Credentials, RawRequest, Scope};

    fn credential(token: Option<&str>) -> Credential {
        Credential {
            access_key_id: "AKIDEXAMPLE".into(),
            secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".into(),
            session_token: token.map(str::to_owned),
            expires_at_s: None,
        }
    }

    fn headers() -> HeaderMap {
        let pairs = [
            (HOST, "example.amazonaws.com"),
            (HeaderName::from_static("content-type"), "application/x-amz-json-1.0"),
            (HeaderName::from_static("x-amz-target"), "DynamoDB_20120810.ListTables"),
            (HeaderName::from_static("user-agent"), "not signed"),
        ];
        pairs.into_iter().map(|(name, value)| (name, HeaderValue::from_static(value))).collect()
    }

    /// `get-vanilla` of AWS's public test suite of Signature Version 4.
    #[test]
    fn signs_as_aws_does() {
        let credential = credential(None);
        let mut headers = HeaderMap::from_iter([(HOST, HeaderValue::from_static("example.amazonaws.com"))]);
        let signer =
            Signer { credential: &credential, region: "us-east-1", service: "service", now_s: 1_440_938_160 };
        sign(&signer, &Method::GET, "/", &mut headers, b"").unwrap();
        assert_eq!(
            headers[AUTHORIZATION],
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
             SignedHeaders=host;x-amz-date, \
             Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
        );
    }

    #[test]
    fn what_is_signed_is_verified_and_no_other_body_is() {
        for token in [None, Some("token")] {
            let credential = credential(token);
            let signer = Signer {
                credential: &credential,
                region: "eu-west-1",
                service: "dynamodb",
                now_s: 1_780_315_200,
            };
            let mut headers = headers();
            sign(&signer, &Method::POST, "/", &mut headers, b"{}").unwrap();
            let auth = Auth::with_credentials(
                "us-east-1",
                Credentials::from_keys([credential.clone()]),
                Scope::default(),
            );
            let verify = |body: &[u8]| {
                let request = RawRequest {
                    method: &Method::POST,
                    path: "/",
                    query: None,
                    headers: &headers,
                    body,
                    now_ms: 1_780_315_201_000,
                };
                auth.caller(&request, &mut CallerCache::default())
            };
            let caller = verify(b"{}").unwrap();
            assert!(caller.verified && &*caller.region == "eu-west-1");
            assert!(verify(b"{ }").is_err());
        }
    }
}

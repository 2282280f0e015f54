//! The caller of a request, as its credential scope names it.

use super::parts::Claim;
use http::HeaderMap;

/// Who sent a request and to which region: the account and the tables that it sees follow from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The access key id of the signature; `None` when the request is not signed.
    pub access_key_id: Option<Box<str>>,
    /// The region of the credential scope, or the server's own region when the request is not signed.
    pub region: Box<str>,
    /// The service of the credential scope, such as `dynamodb` or `monitoring`; `None` when the request is not signed.
    pub service: Option<Box<str>>,
    /// Whether the signature was verified. False when the server runs without credentials.
    pub verified: bool,
}

impl Caller {
    /// The caller of an unsigned request to a server whose region is `region`.
    pub fn anonymous(region: &str) -> Caller {
        Caller { access_key_id: None, region: region.into(), service: None, verified: false }
    }

    /// Reads `keyid/date/region/service/terminator` without verifying anything; the key id may itself hold slashes,
    /// as made-up local ones do. `None` when there are fewer than five elements or the region is empty.
    pub(super) fn from_credential(credential: &str) -> Option<Caller> {
        let mut elements = credential.rsplitn(5, '/');
        let (_terminator, service, region) = (elements.next()?, elements.next()?, elements.next()?);
        let (_date, key_id) = (elements.next()?, elements.next()?);
        if region.is_empty() || key_id.is_empty() {
            return None;
        }
        Some(Caller {
            access_key_id: Some(key_id.into()),
            region: region.into(),
            service: Some(service.into()),
            verified: false,
        })
    }
}

/// The credential that a request names in its header or its query, whatever the rest of the signature looks like.
pub(super) fn claimed_credential(headers: &HeaderMap, query: Option<&str>) -> Option<Box<str>> {
    if let Some(header) = headers.get(http::header::AUTHORIZATION) {
        let header = header.to_str().ok()?;
        return Claim::from_header(header).credential.map(Into::into);
    }
    let query = query.filter(|query| query.contains("X-Amz-Credential"))?;
    super::parts::query_parameters(query)
        .find(|(name, _)| name == "X-Amz-Credential")
        .map(|(_, value)| value.into_owned().into_boxed_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_scope_of_a_credential() {
        type Scope<'a> = (&'a str, &'a str, &'a str);
        let cases: &[(&str, Option<Scope<'_>>)] = &[
            ("AKID/20260601/eu-west-1/dynamodb/aws4_request", Some(("AKID", "eu-west-1", "dynamodb"))),
            ("a/b/20260601/local/monitoring/x", Some(("a/b", "local", "monitoring"))),
            ("AKID/20260601/eu-west-1/dynamodb", None),
            ("AKID/20260601//dynamodb/aws4_request", None),
            ("/20260601/us-east-1/dynamodb/aws4_request", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let caller = Caller::from_credential(text);
            let found = caller.as_ref().map(|caller| {
                (
                    caller.access_key_id.as_deref().unwrap(),
                    &*caller.region,
                    caller.service.as_deref().unwrap(),
                )
            });
            assert_eq!(found, *expected, "{text}");
        }
    }
}

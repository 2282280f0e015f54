//! What a request says about its signature, before any of it is believed.

use std::borrow::Cow;

/// The parts of a signature as the header or the query string spells them. Absent and empty are the same.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Claim<'a> {
    /// `AWS4-HMAC-SHA256`, or whatever stands there.
    pub(super) algorithm: Cow<'a, str>,
    /// `keyid/date/region/service/aws4_request`.
    pub(super) credential: Option<Cow<'a, str>>,
    /// Names separated by semicolons.
    pub(super) signed_headers: Option<Cow<'a, str>>,
    /// 64 hexadecimal digits.
    pub(super) signature: Option<Cow<'a, str>>,
    /// `X-Amz-Date` of the query form.
    pub(super) date: Option<Cow<'a, str>>,
    /// `X-Amz-Expires` of the query form, in seconds.
    pub(super) expires: Option<Cow<'a, str>>,
    /// `X-Amz-Security-Token` of the query form.
    pub(super) security_token: Option<Cow<'a, str>>,
}

impl<'a> Claim<'a> {
    /// Reads `AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`. Commas and spaces separate, in any number
    /// and order; unknown parameters are passed over.
    pub(super) fn from_header(header: &'a str) -> Claim<'a> {
        let header = header.trim_start();
        let (algorithm, parameters) = header.split_once(' ').unwrap_or((header, ""));
        let mut claim = Claim { algorithm: algorithm.into(), ..Claim::default() };
        for parameter in parameters.split([',', ' ']) {
            let Some((name, value)) = parameter.split_once('=') else { continue };
            let place = match name {
                "Credential" => &mut claim.credential,
                "SignedHeaders" => &mut claim.signed_headers,
                "Signature" => &mut claim.signature,
                _ => continue,
            };
            *place = non_empty(value.into());
        }
        claim
    }

    /// Reads the `X-Amz-*` parameters of a presigned request.
    pub(super) fn from_query(query: &'a str) -> Claim<'a> {
        let mut claim = Claim::default();
        for (name, value) in query_parameters(query) {
            let place = match &*name {
                "X-Amz-Algorithm" => {
                    claim.algorithm = value;
                    continue;
                }
                "X-Amz-Credential" => &mut claim.credential,
                "X-Amz-SignedHeaders" => &mut claim.signed_headers,
                "X-Amz-Signature" => &mut claim.signature,
                "X-Amz-Date" => &mut claim.date,
                "X-Amz-Expires" => &mut claim.expires,
                "X-Amz-Security-Token" => &mut claim.security_token,
                _ => continue,
            };
            *place = non_empty(value);
        }
        claim
    }
}

fn non_empty(value: Cow<'_, str>) -> Option<Cow<'_, str>> {
    (!value.is_empty()).then_some(value)
}

/// The names and values of a query string, percent-decoded. Text that is not UTF-8 after decoding is replaced.
pub(super) fn query_parameters(query: &str) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded_text(name), decoded_text(value))
    })
}

fn decoded_text(text: &str) -> Cow<'_, str> {
    match percent_decode(text.as_bytes()) {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// Undoes `%XX`; a percent sign without two hexadecimal digits stands for itself, and so does a plus sign.
pub(crate) fn percent_decode(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.contains(&b'%') {
        return Cow::Borrowed(bytes);
    }
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = bytes.get(at + 1).zip(bytes.get(at + 2));
        match (bytes[at], escaped.and_then(|(high, low)| Some((hex_digit(*high)?, hex_digit(*low)?)))) {
            (b'%', Some((high, low))) => {
                decoded.push(high << 4 | low);
                at += 3;
            }
            (byte, _) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    Cow::Owned(decoded)
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_separators_and_order_do_not_matter() {
        let expected = Claim {
            algorithm: "AWS4-HMAC-SHA256".into(),
            credential: Some("a/b/c/d/e".into()),
            signed_headers: Some("host;x-amz-date".into()),
            signature: Some("00ff".into()),
            ..Claim::default()
        };
        for header in [
            "AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=host;x-amz-date, Signature=00ff",
            "AWS4-HMAC-SHA256 Credential=a/b/c/d/e,SignedHeaders=host;x-amz-date,Signature=00ff",
            "AWS4-HMAC-SHA256   Signature=00ff   SignedHeaders=host;x-amz-date ,,, Credential=a/b/c/d/e , Other=1",
        ] {
            assert_eq!(Claim::from_header(header), expected, "{header}");
        }
    }

    #[test]
    fn absent_and_empty_header_parts_are_the_same() {
        for header in ["AWS4-HMAC-SHA256", "AWS4-HMAC-SHA256 Credential=, Signature=,SignedHeaders="] {
            let claim = Claim::from_header(header);
            assert_eq!(claim, Claim { algorithm: "AWS4-HMAC-SHA256".into(), ..Claim::default() }, "{header}");
        }
    }

    #[test]
    fn query_parts_are_percent_decoded() {
        let claim = Claim::from_query(
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a%2Fb%2fc&x=1&&X-Amz-Date=&X-Amz-Expires=60",
        );
        assert_eq!(claim.algorithm, "AWS4-HMAC-SHA256");
        assert_eq!(claim.credential.as_deref(), Some("a/b/c"));
        assert_eq!(claim.expires.as_deref(), Some("60"));
        assert_eq!((claim.date, claim.signature), (None, None));
    }

    #[test]
    fn percent_signs_that_escape_nothing_stand_for_themselves() {
        for (text, expected) in
            [("a%2", "a%2"), ("%zz%41", "%zzA"), ("%", "%"), ("a+b%20c", "a+b c"), ("%%41", "%A")]
        {
            assert_eq!(percent_decode(text.as_bytes()), expected.as_bytes(), "{text}");
        }
    }
}

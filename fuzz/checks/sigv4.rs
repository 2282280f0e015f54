//! Any bytes as a signed request: none may panic, and what is verified stops being so when a byte of it changes.
//!
//! An input is `<seconds since 1970> <method> <target>`, lines of headers, an empty line and the body.

use dynamometer_server::auth::{Auth, CallerCache, Credential, Credentials, RawRequest, Scope};
use http::{HeaderMap, HeaderName, HeaderValue, Method};

/// Verifies the input, and its neighbours when it holds.
pub fn check(data: &[u8]) {
    let Some(request) = Request::read(data) else { return };
    let auth = auth();
    let verified = request.verify(&auth, &mut CallerCache::default());
    // A connection remembers its last caller, which must not change what the next one is.
    let mut cache = CallerCache::default();
    let _ = request.verify(&auth, &mut cache);
    assert_eq!(request.verify(&auth, &mut cache), verified, "a second look sees something else");
    let _ = auth.basic_caller(&request.headers, request.now_ms);
    let _ = Auth::anonymous("us-east-1").caller(&request.raw(), &mut CallerCache::default());
    let Ok(key_id) = verified else { return };
    assert!(KEYS.iter().any(|(known, ..)| *known == key_id), "{key_id} is nobody's");
    let refused = |other: &Request, what: &str| {
        for cache in [&mut CallerCache::default(), &mut cache] {
            assert!(other.verify(&auth, cache).is_err(), "{what} was changed, and it is still verified");
        }
    };
    check_neighbours(&request, refused);
}

/// Changes what every signature covers.
fn check_neighbours(request: &Request, mut refused: impl FnMut(&Request, &str)) {
    let unsigned = request.headers.get("x-amz-content-sha256").is_some_and(|hash| hash == "UNSIGNED-PAYLOAD");
    if !unsigned {
        let mut other = request.clone();
        other.body.push(b' ');
        refused(&other, "the body");
    }
    let mut other = request.clone();
    other.method = if request.method == Method::PUT { Method::POST } else { Method::PUT };
    refused(&other, "the method");
    let mut other = request.clone();
    let end = request.target.find('?').unwrap_or(request.target.len());
    other.target.insert_str(end, "more");
    refused(&other, "the path");
    let mut other = request.clone();
    other.now_ms += 8 * 86_400_000;
    refused(&other, "the time");
    let mut other = request.clone();
    other.headers.append("host", HeaderValue::from_static("elsewhere"));
    refused(&other, "the host");
}

/// Id, secret and session token.
const KEYS: [(&str, &str, Option<&str>); 2] = [
    ("AKIDDYNOTEST0000001", "dyno/test+secret/0000000000000000000000A", None),
    (
        "ASIADYNOTEST0000002",
        "temp+secret/with=signs/00000000000000000",
        Some("FwoGZXIvYXdzEJr//////////token+/=="),
    ),
];

fn auth() -> Auth {
    let credentials = KEYS.map(|(id, secret, token)| Credential {
        access_key_id: id.into(),
        secret_access_key: secret.into(),
        session_token: token.map(Into::into),
        expires_at_s: None,
    });
    Auth::with_credentials("us-east-1", Credentials::from_keys(credentials), Scope::default())
}

#[derive(Clone)]
struct Request {
    now_ms: i64,
    method: Method,
    target: String,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Request {
    /// Reads an input; `None` when HTTP itself would not let it through.
    fn read(data: &[u8]) -> Option<Request> {
        let (head, body) = split_once(data, b"\n\n").unwrap_or((data, b""));
        let mut lines = head.split(|byte| *byte == b'\n');
        let mut words = std::str::from_utf8(lines.next()?).ok()?.splitn(3, ' ');
        let now_ms = i64::from(words.next()?.parse::<u32>().ok()?) * 1000;
        let method = words.next()?.parse().ok()?;
        let target = words.next()?.to_owned();
        let mut headers = HeaderMap::new();
        for line in lines.take(100) {
            let (name, value) = split_once(line, b":")?;
            let name = HeaderName::from_bytes(name).ok()?;
            headers.append(name, HeaderValue::from_bytes(value.trim_ascii()).ok()?);
        }
        Some(Request { now_ms, method, target, headers, body: body.to_vec() })
    }

    fn raw(&self) -> RawRequest<'_> {
        let (path, query) = match self.target.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (&*self.target, None),
        };
        RawRequest {
            method: &self.method,
            path,
            query,
            headers: &self.headers,
            body: &self.body,
            now_ms: self.now_ms,
        }
    }

    /// The access key that it is signed with, or why it is not.
    fn verify(&self, auth: &Auth, cache: &mut CallerCache) -> Result<String, String> {
        let caller = auth.caller(&self.raw(), cache).map_err(|problem| problem.to_string())?;
        assert!(caller.verified, "who is let in is verified");
        Ok(caller.access_key_id.as_deref().unwrap_or_default().to_owned())
    }
}

fn split_once<'a>(bytes: &'a [u8], by: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = bytes.windows(by.len()).position(|window| window == by)?;
    Some((&bytes[..at], &bytes[at + by.len()..]))
}

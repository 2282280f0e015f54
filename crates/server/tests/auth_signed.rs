//! Requests as an AWS SDK's signer made them, held against the verification; and the same requests, changed.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use dynamometer_server::auth::{Auth, Caller, CallerCache, Credential, Credentials, RawRequest, Scope};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use serde::Deserialize;

/// One signed request; `now` is when it was signed.
#[derive(Debug, Clone, Deserialize)]
struct Case {
    name: String,
    now: String,
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: String,
    region: String,
    service: String,
    key_id: String,
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("auth_cases/signed.json")).unwrap()
}

fn auth() -> Auth {
    let key = |id: &str, secret: &str, token: Option<&str>| Credential {
        access_key_id: id.into(),
        secret_access_key: secret.into(),
        session_token: token.map(Into::into),
        expires_at_s: None,
    };
    let credentials = Credentials::from_keys([
        key("AKIDDYNOTEST0000001", "dyno/test+secret/0000000000000000000000A", None),
        key(
            "ASIADYNOTEST0000002",
            "temp+secret/with=signs/00000000000000000",
            Some("FwoGZXIvYXdzEJr//////////token+/=="),
        ),
    ]);
    Auth::with_credentials("us-east-1", credentials, Scope::default())
}

/// `20260601T120000Z` in milliseconds since 1970, for the dates of the cases.
fn at(text: &str) -> i64 {
    let part = |from: usize, to: usize| text[from..to].parse::<i64>().unwrap();
    let days_before_month = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let (year, month, day) = (part(0, 4), part(4, 6), part(6, 8));
    let leap_days = (year - 1969) / 4 + i64::from(year % 4 == 0 && month > 2);
    let days = (year - 1970) * 365 + leap_days + days_before_month[month as usize - 1] + day - 1;
    ((days * 24 + part(9, 11)) * 3600 + part(11, 13) * 60 + part(13, 15)) * 1000
}

fn verify(case: &Case, now_ms: i64, cache: &mut CallerCache) -> Result<Caller, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in &case.headers {
        let name: HeaderName = name.parse().unwrap();
        headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    let (path, query) = match case.target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (&*case.target, None),
    };
    let request = RawRequest {
        method: &Method::from_bytes(case.method.as_bytes()).unwrap(),
        path,
        query,
        headers: &headers,
        body: case.body.as_bytes(),
        now_ms,
    };
    auth().caller(&request, cache).map(|caller| (*caller).clone()).map_err(|problem| problem.to_string())
}

#[test]
fn what_an_sdk_signs_is_verified() {
    let mut shared = CallerCache::default();
    for case in cases() {
        for cache in [&mut CallerCache::default(), &mut shared] {
            let caller = verify(&case, at(&case.now), cache)
                .unwrap_or_else(|problem| panic!("{}: {problem}", case.name));
            assert_eq!(caller.access_key_id.as_deref(), Some(&*case.key_id), "{}", case.name);
            assert_eq!((&*caller.region, caller.service.as_deref()), (&*case.region, Some(&*case.service)));
            assert!(caller.verified);
        }
    }
}

#[test]
fn how_the_wire_spells_it_does_not_matter() {
    for case in cases() {
        let mut other = case.clone();
        other.headers.reverse();
        // Of a header that is there twice, the order counts.
        other.headers.sort_by_key(|(name, _)| name == "X-Amz-Meta");
        let metas: Vec<_> = case.headers.iter().filter(|(name, _)| name == "X-Amz-Meta").cloned().collect();
        other.headers.retain(|(name, _)| name != "X-Amz-Meta");
        other.headers.extend(metas);
        other.headers.push(("Via".into(), "1.1 a proxy".into()));
        for (name, value) in &mut other.headers {
            match &**name {
                "Authorization" => *value = value.replace(", ", ","),
                "X-Amz-Target" => *value = format!("  {value}  ").trim().into(),
                _ => {}
            }
            *name = name.to_ascii_uppercase();
        }
        verify(&other, at(&case.now), &mut CallerCache::default())
            .unwrap_or_else(|problem| panic!("{}: {problem}", case.name));
    }
}

#[test]
fn whatever_is_changed_is_noticed() {
    const MISMATCH: &str = "InvalidSignatureException: The request signature we calculated does not match";
    for case in cases() {
        let mut changed = Vec::new();
        let mut with = |name: &str, change: &dyn Fn(&mut Case)| {
            let mut other = case.clone();
            change(&mut other);
            changed.push((format!("{}: {name}", case.name), other));
        };
        with("body", &|case| case.body.push(' '));
        with("method", &|case| case.method = "PUT".into());
        with("path", &|case| case.target = case.target.replacen('/', "/x", 1));
        with("host", &|case| {
            let host = case.headers.iter_mut().find(|(name, _)| name == "Host").unwrap();
            host.1 = "elsewhere:8000".into();
        });
        with("one parameter more", &|case| {
            let sign = if case.target.contains('?') { '&' } else { '?' };
            case.target = format!("{}{sign}x=1", case.target);
        });
        if case.headers.iter().any(|(name, _)| name == "X-Amz-Target") && !case.name.starts_with("presigned")
        {
            with("a signed header", &|case| {
                case.headers.iter_mut().find(|(name, _)| name == "X-Amz-Target").unwrap().1 += "s";
            });
        }
        with("hash of another body", &|case| {
            case.headers.push(("x-amz-content-sha256".into(), "0".repeat(64)));
        });
        with("streaming", &|case| {
            case.headers.push(("x-amz-content-sha256".into(), "STREAMING-AWS4-HMAC-SHA256-PAYLOAD".into()));
        });
        for (name, other) in changed {
            let mut cache = CallerCache::default();
            verify(&case, at(&case.now), &mut cache).unwrap();
            let problem = verify(&other, at(&case.now), &mut cache).expect_err(&name);
            assert!(problem.starts_with(MISMATCH), "{name}: {problem}");
            verify(&case, at(&case.now), &mut cache)
                .unwrap_or_else(|problem| panic!("{name}: then {problem}"));
        }
    }
}

#[test]
fn signatures_live_for_15_minutes_and_presigned_ones_as_long_as_they_say() {
    let life_s = |name: &str| match name {
        "presigned GET" => 3600,
        "presigned POST without body" => 60,
        "presigned with a session token" => 604_800,
        _ => 900,
    };
    for case in cases() {
        let signed_at = at(&case.now);
        for (offset_s, expected) in [
            (life_s(&case.name), None),
            (life_s(&case.name) + 1, Some("InvalidSignatureException: Signature expired: ")),
            (-900, None),
            (-901, Some("InvalidSignatureException: Signature not yet current: ")),
        ] {
            let verdict = verify(&case, signed_at + offset_s * 1000, &mut CallerCache::default());
            match (expected, verdict) {
                (None, Ok(_)) => {}
                (Some(text), Err(problem)) if problem.starts_with(text) => {}
                (_, verdict) => panic!("{} after {offset_s} s: {verdict:?}", case.name),
            }
        }
    }
}

//! Every text of authentication, over the wire, in its order; and what needs none.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod http_support;

use base64::Engine;
use dynamometer_server::auth::{Auth, Credential, Credentials, Scope};
use hmac::{Hmac, KeyInit, Mac};
use http_support::{Answer, Server};
use sha2::{Digest, Sha256};
use std::fmt::Write;

const KEY: &str = "AKID1";
const SECRET: &str = "secret one";
const TEMPORARY: &str = "ASIA2";
const PAST: &str = "ASIA3";
const TARGET: &str =
    "X-Amz-Target: DynamoDB_20120810.ListTables\r\nContent-Type: application/x-amz-json-1.0\r\n";

fn server() -> Server {
    let key = |id: &str, token: Option<&str>, expires_at_s| Credential {
        access_key_id: id.into(),
        secret_access_key: SECRET.into(),
        session_token: token.map(Into::into),
        expires_at_s,
    };
    let keys =
        [key(KEY, None, None), key(TEMPORARY, Some("token"), None), key(PAST, Some("token"), Some(1000))];
    Server::start(|config| {
        let scope = Scope { regions: Some(vec!["us-east-1".into()]), ..Scope::default() };
        config.auth = Auth::with_credentials("us-east-1", Credentials::from_keys(keys), scope);
    })
}

/// How a header of a test departs from a right one.
struct Signing<'a> {
    key: &'a str,
    scope: &'a str,
    signed_headers: &'a str,
    date: String,
}

impl Default for Signing<'_> {
    fn default() -> Self {
        Signing {
            key: KEY,
            scope: "us-east-1/dynamodb/aws4_request",
            signed_headers: "host;x-amz-date",
            date: now(0),
        }
    }
}

/// The present, `offset_s` later, as `X-Amz-Date`.
fn now(offset_s: i64) -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let at = since.as_secs() as i64 + offset_s;
    let (mut days, mut year) = (at / 86_400, 1970);
    let leap = |year: i64| i64::from(year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
    while days >= 365 + leap(year) {
        days -= 365 + leap(year);
        year += 1;
    }
    let mut month = 0;
    let lengths = [31, 28 + leap(year), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    let (month, day) = (month + 1, days + 1);
    let (hour, minute, second) = (at / 3600 % 24, at / 60 % 60, at % 60);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    Hmac::<Sha256>::new_from_slice(key).unwrap().chain_update(text).finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

/// Signs a request as the specification says, with the headers `host` and `x-amz-date` only.
fn signature(
    signing: &Signing<'_>,
    method: &str,
    path: &str,
    query: &str,
    body: &str,
    headers: &str,
) -> String {
    let hash = hex(&Sha256::digest(body));
    let canonical = format!("{method}\n{path}\n{query}\n{headers}\n{}\n{hash}", signing.signed_headers);
    let scope = format!("{}/{}", &signing.date[..8], signing.scope);
    let text = format!("AWS4-HMAC-SHA256\n{}\n{scope}\n{}", signing.date, hex(&Sha256::digest(canonical)));
    let key = scope.split('/').fold(format!("AWS4{SECRET}").into_bytes(), |key, part| mac(&key, part));
    hex(&mac(&key, &text))
}

fn signed_request(signing: &Signing<'_>, further: &str, body: &str) -> String {
    let headers = format!("host:h\nx-amz-date:{}\n", signing.date);
    let signature = signature(signing, "POST", "/", "", body, &headers);
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential={}/{}/{}, SignedHeaders={}, Signature={signature}",
        signing.key,
        &signing.date[..8],
        signing.scope,
        signing.signed_headers
    );
    raw(&format!("X-Amz-Date: {}\r\nAuthorization: {authorization}\r\n{further}", signing.date), "", body)
}

fn raw(lines: &str, query: &str, body: &str) -> String {
    let length = body.len();
    format!("POST /{query} HTTP/1.1\r\nHost: h\r\n{TARGET}{lines}Content-Length: {length}\r\n\r\n{body}")
}

/// The type without its namespace, and the message; panics for what is not an error of authentication.
fn error_of(answer: &Answer, name: &str) -> (String, String) {
    answer.check_envelope(name);
    assert_eq!(answer.status, 400, "{name}: {}", answer.text());
    let body = answer.json();
    let kind = body["__type"].as_str().unwrap_or_else(|| panic!("{name}: {body}"));
    let kind = kind.strip_prefix("com.amazon.coral.service#").unwrap_or_else(|| panic!("{name}: {body}"));
    (kind.into(), body["message"].as_str().unwrap_or_else(|| panic!("{name}: {body}")).into())
}

const INCOMPLETE: &str = "IncompleteSignatureException";
const INVALID: &str = "InvalidSignatureException";
const UNKNOWN: &str = "UnrecognizedClientException";
const MISMATCH: &str = "The request signature we calculated does not match the signature you provided. Check your AWS \
    Secret Access Key and signing method. Consult the service documentation for details.";

#[tokio::test]
async fn every_text_in_its_order() {
    let server = server();
    let date = now(0);
    let day = &date[..8];
    let at = format!("X-Amz-Date: {date}\r\n");
    let header = |credential: &str, signed: &str| {
        format!(
            "Authorization: AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders={signed}, Signature=00\r\n"
        )
    };
    let right = format!("{KEY}/{day}/us-east-1/dynamodb/aws4_request");
    let scoped = |scope: &str| raw(&(at.clone() + &header(&format!("{KEY}/{scope}"), "host")), "", "{}");
    let (old, old_limit, future) = (now(-1000), now(-900), now(1000));
    let dated = |date: &str| {
        let credential = format!("{KEY}/{}/us-east-1/dynamodb/aws4_request", date.get(..8).unwrap_or("x"));
        raw(&format!("X-Amz-Date: {date}\r\n{}", header(&credential, "host")), "", "{}")
    };
    let by = |key: &'static str| Signing { key, ..Signing::default() };
    let token = "X-Amz-Security-Token: token\r\n";

    let cases: Vec<(&str, String, &str, String)> = vec![
        (
            "header and query",
            raw("Authorization: x\r\n", "?X-Amz-Algorithm", "{}"),
            INVALID,
            "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.".into(),
        ),
        ("nothing", raw("", "", "{}"), "MissingAuthenticationTokenException", "Request is missing Authentication Token".into()),
        (
            "not AWS4",
            raw("Authorization: AWS3 x\r\n", "", "{}"),
            "MissingAuthenticationTokenException",
            "Request is missing Authentication Token".into(),
        ),
        (
            "all header parts missing",
            raw("Authorization: AWS4-HMAC-SHA256 x\r\n", "", "{}"),
            INCOMPLETE,
            "Authorization header requires 'Credential' parameter. Authorization header requires 'Signature' parameter. \
             Authorization header requires 'SignedHeaders' parameter. Authorization header requires existence of either \
             a 'X-Amz-Date' or a 'Date' header. Authorization=AWS4-HMAC-SHA256 x"
                .into(),
        ),
        (
            "one header part missing",
            raw(&(at.clone() + "Authorization: AWS4-HMAC-SHA256 Credential=a, Signature=b\r\n"), "", "{}"),
            INCOMPLETE,
            "Authorization header requires 'SignedHeaders' parameter. \
             Authorization=AWS4-HMAC-SHA256 Credential=a, Signature=b"
                .into(),
        ),
        (
            "all query parts missing",
            raw("", "?X-Amz-Algorithm", "{}"),
            INCOMPLETE,
            "AWS query-string parameters must include 'X-Amz-Algorithm'. \
             AWS query-string parameters must include 'X-Amz-Credential'. \
             AWS query-string parameters must include 'X-Amz-Signature'. \
             AWS query-string parameters must include 'X-Amz-SignedHeaders'. \
             AWS query-string parameters must include 'X-Amz-Date'. Re-examine the query-string parameters."
                .into(),
        ),
        (
            "date form",
            dated("2026-06-01"),
            INCOMPLETE,
            "Date must be in ISO-8601 'basic format'. Got '2026-06-01'. See http://en.wikipedia.org/wiki/ISO_8601".into(),
        ),
        (
            "too old",
            dated(&old),
            INVALID,
            format!("Signature expired: {old} is now earlier than {old_limit} ({date} - 15 min.)"),
        ),
        (
            "from the future",
            dated(&future),
            INVALID,
            format!("Signature not yet current: {future} is still later than {} ({date} + 15 min.)", now(900)),
        ),
        (
            "host not signed",
            raw(&(at.clone() + &header(&right, "x-amz-date")), "", "{}"),
            INVALID,
            "'Host' must be a 'SignedHeader' in the AWS Authorization.".into(),
        ),
        (
            "algorithm",
            raw(&(at.clone() + &header(&right, "host").replace("SHA256", "SHA512")), "", "{}"),
            INCOMPLETE,
            "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA512' (only AWS4-HMAC-SHA256 for now). ".into(),
        ),
        (
            "credential shape",
            scoped("x"),
            INCOMPLETE,
            "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got 'AKID1/x'"
                .into(),
        ),
        (
            "everything in the scope",
            scoped("20200101/mars/s3/aws5"),
            INVALID,
            format!(
                "Credential should be scoped to a valid region, not 'mars'. \
                 Credential should be scoped to correct service: 'dynamodb'. \
                 Credential should be scoped with a valid terminator: 'aws4_request', not 'aws5'. \
                 Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: \
                 '20200101' != '{day}', from '{date}'."
            ),
        ),
        (
            "service alone",
            scoped(&format!("{day}/us-east-1/s3/aws4_request")),
            INVALID,
            "Credential should be scoped to correct service: 'dynamodb'. ".into(),
        ),
        ("key id", signed_request(&by("AKID9"), "", "{}"), UNKNOWN, "The security token included in the request is invalid.".into()),
        ("signature", raw(&(at.clone() + &header(&right, "host")), "", "{}"), INVALID, MISMATCH.into()),
        (
            "a token for a lasting key",
            signed_request(&by(KEY), token, "{}"),
            UNKNOWN,
            "The security token included in the request is invalid".into(),
        ),
        (
            "no token for a session",
            signed_request(&by(TEMPORARY), "", "{}"),
            UNKNOWN,
            "The security token included in the request is invalid".into(),
        ),
        (
            "another token",
            signed_request(&by(TEMPORARY), "X-Amz-Security-Token: tokem\r\n", "{}"),
            UNKNOWN,
            "The security token included in the request is invalid".into(),
        ),
        (
            "a session that is over",
            signed_request(&by(PAST), token, "{}"),
            "ExpiredTokenException",
            "The security token included in the request is expired".into(),
        ),
    ];
    for (name, request, kind, message) in cases {
        let found = error_of(&server.send(request).await, name);
        // The clock may have moved on by a second since the texts were made.
        let same = found.1 == message || (message.contains("min.)") && found.1.len() == message.len());
        assert!(found.0 == kind && same, "{name}:\n  found {found:?}\n  expected {kind}: {message}");
    }
    assert_eq!(server.probe.calls.load(std::sync::atomic::Ordering::SeqCst), 0);
}

#[tokio::test]
async fn right_signatures_pass() {
    let server = server();
    let mut client = server.connect().await;
    for (key, further) in
        [(KEY, ""), (TEMPORARY, "X-Amz-Security-Token: token\r\n"), (KEY, "X-Unsigned: by a proxy\r\n")]
    {
        let signing = Signing { key, ..Signing::default() };
        client.send(signed_request(&signing, further, "{\"a\":1}")).await;
        let answer = client.answer().await;
        assert_eq!(answer.status, 200, "{key}: {}", answer.text());
        assert_eq!((&answer.json()["key_id"], &answer.json()["verified"]), (&key.into(), &true.into()));
    }
    let unsigned_payload = {
        let signing = Signing::default();
        let scope = format!("{}/{}", &signing.date[..8], signing.scope);
        let canonical =
            format!("POST\n/\n\nhost:h\nx-amz-date:{}\n\nhost;x-amz-date\nUNSIGNED-PAYLOAD", signing.date);
        let text =
            format!("AWS4-HMAC-SHA256\n{}\n{scope}\n{}", signing.date, hex(&Sha256::digest(canonical)));
        let key = scope.split('/').fold(format!("AWS4{SECRET}").into_bytes(), |key, part| mac(&key, part));
        let signature = hex(&mac(&key, &text));
        let lines = format!(
            "X-Amz-Date: {}\r\nX-Amz-Content-Sha256: UNSIGNED-PAYLOAD\r\nAuthorization: AWS4-HMAC-SHA256 \
             Credential={KEY}/{scope}, SignedHeaders=host;x-amz-date, Signature={signature}\r\n",
            signing.date
        );
        raw(&lines, "", "{\"anything\":1}")
    };
    assert_eq!(server.send(unsigned_payload).await.status, 200, "unsigned payload");

    let signing = Signing { signed_headers: "host", ..Signing::default() };
    let credential = format!("{KEY}%2F{}%2F{}", &signing.date[..8], signing.scope.replace('/', "%2F"));
    let query = format!(
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={credential}&X-Amz-Date={}&X-Amz-Expires=60&\
         X-Amz-SignedHeaders=host",
        signing.date
    );
    let signature = signature(&signing, "POST", "/", &query, "{}", "host:h\n");
    let answer = server.send(raw("", &format!("?{query}&X-Amz-Signature={signature}"), "{}")).await;
    assert_eq!(answer.status, 200, "presigned: {}", answer.text());
    for (expires, message) in [
        ("604801", "X-Amz-Expires must be less than a week (in seconds)"),
        ("x", "X-Amz-Expires should be a number"),
        ("-1", "X-Amz-Expires must be non-negative"),
    ] {
        let query = query.replace("Expires=60", &format!("Expires={expires}"));
        let found =
            error_of(&server.send(raw("", &format!("?{query}&X-Amz-Signature=00"), "{}")).await, expires);
        assert!(found.0 == INCOMPLETE && found.1.starts_with(message), "{found:?}");
    }
}

#[tokio::test]
async fn json_and_target_come_before_authentication_and_the_empty_body_after() {
    let server = server();
    let page = raw("", "", "{}").replace("application/x-amz-json-1.0", "text/plain");
    assert_eq!(server.send(page).await.status, 404, "content type first");
    let kind = |answer: Answer| answer.json()["__type"].as_str().unwrap().to_owned();
    assert_eq!(kind(server.send(raw("", "", "{")).await), "SerializationException");
    let no_target = raw("", "", "{}").replace("X-Amz-Target: DynamoDB_20120810.ListTables\r\n", "");
    assert_eq!(kind(server.send(no_target).await), "UnknownOperationException");
    let missing = "com.amazon.coral.service#MissingAuthenticationTokenException";
    assert_eq!(kind(server.send(raw("", "", "")).await), missing);
    assert_eq!(
        kind(server.send(raw("Content-Encoding: gzip\r\n", "", "{")).await),
        missing,
        "nothing is decoded"
    );
    assert_eq!(server.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").await.status, 200, "health needs none");
}

#[tokio::test]
async fn own_paths_need_credentials_too_but_for_health() {
    let server = server();
    let get = |path: &str, lines: &str| format!("GET {path} HTTP/1.1\r\nHost: h\r\n{lines}\r\n");
    let basic = |pair: &str| {
        format!("Authorization: Basic {}\r\n", base64::engine::general_purpose::STANDARD.encode(pair))
    };
    let cases = [
        ("/_dyno/health", String::new(), 200),
        ("/_dyno/report", String::new(), 401),
        ("/metrics", String::new(), 401),
        ("/metrics", basic("AKID1:secret one"), 200),
        ("/_dyno/report", basic("AKID1:secret two"), 401),
        ("/_dyno/report", basic("AKID1:"), 401),
        ("/_dyno/report", basic("AKID9:secret one"), 401),
        ("/_dyno/report", basic("ASIA3:secret one"), 401),
        ("/_dyno/report", "Authorization: Basic %%%\r\n".into(), 401),
    ];
    for (path, lines, status) in cases {
        let answer = server.send(get(path, &lines)).await;
        answer.check_envelope(path);
        assert_eq!(answer.status, status, "{path} {lines}");
        let asks = answer.header("www-authenticate").is_some_and(|value| value.starts_with("Basic "));
        assert_eq!(asks, status == 401, "{path} {lines}");
    }
    let answer = server.send(raw(&basic("AKID1:secret one"), "", "{}")).await;
    assert_eq!(answer.status, 400, "AWS's own paths know no Basic");
}

#[tokio::test]
async fn without_credentials_basic_names_the_caller_of_an_own_path() {
    let server = Server::start(|_| ());
    for (pair, key_id) in
        [("worker-1:", Some("worker-1")), ("worker-1:any", Some("worker-1")), (":any", None)]
    {
        let encoded = base64::engine::general_purpose::STANDARD.encode(pair);
        let lines = format!("Host: h\r\nAuthorization: Basic {encoded}\r\n");
        let answer = server.send(format!("GET /_dyno/report HTTP/1.1\r\n{lines}\r\n")).await.json();
        assert_eq!((answer["key_id"].as_str(), &answer["verified"]), (key_id, &false.into()), "{pair}");
        assert_eq!(answer["region"], "us-east-1", "{pair}");
    }
}

#[tokio::test]
async fn without_credentials_any_signature_will_do_and_still_tells_the_caller() {
    let server = Server::start(|_| ());
    let header = |credential: &str| {
        format!("Authorization: AWS4-HMAC-SHA256 Credential={credential}, Signature=x\r\n")
    };
    let cases = [
        ("", "", (None, "us-east-1", None)),
        (
            &*header("me/20200101/eu-west-1/dynamodb/aws4_request"),
            "",
            (Some("me"), "eu-west-1", Some("dynamodb")),
        ),
        (&*header("team/me/20200101/local/monitoring/x"), "", (Some("team/me"), "local", Some("monitoring"))),
        (&*header("me"), "", (None, "us-east-1", None)),
        ("Authorization: Bearer x\r\n", "", (None, "us-east-1", None)),
        (
            "",
            "?X-Amz-Credential=me%2F20200101%2Feu-north-1%2Fdynamodb%2Faws4_request",
            (Some("me"), "eu-north-1", Some("dynamodb")),
        ),
    ];
    let mut client = server.connect().await;
    for round in 0..2 {
        for (lines, query, (key_id, region, service)) in &cases {
            client.send(raw(lines, query, "{}")).await;
            let answer = client.answer().await;
            let found = answer.json();
            let expected = serde_json::json!([key_id, region, service, false]);
            let found =
                serde_json::json!([found["key_id"], found["region"], found["service"], found["verified"]]);
            assert_eq!(found, expected, "round {round}: {lines}{query}");
        }
    }
}

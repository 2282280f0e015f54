//! The socket layer, seen from the wire: fixed answers, the order of checks, odd but legal requests, browsers.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod http_support;

use http_support::{Server, post};
use std::time::Duration;
use tokio::io::AsyncReadExt;

/// Status, content type (empty: none), body; `None` for a body that is not looked at.
type Expected = (u16, &'static str, Option<&'static str>);

const PAGE: Expected = (404, "", Some("<UnknownOperationException/>\n"));
const JSON: &str = "application/x-amz-json-1.0";

async fn check(server: &Server, cases: &[(&str, &str, Expected)]) {
    for (name, request, (status, content_type, body)) in cases {
        let answer = server.send(request).await;
        answer.check_envelope(name);
        assert_eq!(answer.status, *status, "{name}: {}", answer.text());
        assert_eq!(answer.header("content-type").unwrap_or(""), *content_type, "{name}");
        if let Some(body) = body {
            assert_eq!(answer.text(), *body, "{name}");
        }
    }
}

#[tokio::test]
async fn methods_and_content_types() {
    let server = Server::start(|config| config.region = "eu-west-1".into());
    let target = "Host: h\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\n";
    let with_body = |line: &str| format!("POST / HTTP/1.1\r\n{target}{line}Content-Length: 2\r\n\r\n{{}}");
    let healthy: Expected = (200, "", Some("healthy: dynamodb.eu-west-1.amazonaws.com "));
    check(
        &server,
        &[
            ("health", "GET / HTTP/1.1\r\nHost: h\r\n\r\n", healthy),
            ("health with a query", "GET /?x=1 HTTP/1.1\r\nHost: h\r\n\r\n", healthy),
            ("another page", "GET /favicon.ico HTTP/1.1\r\nHost: h\r\n\r\n", PAGE),
            ("PUT", "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}", PAGE),
            ("DELETE", "DELETE / HTTP/1.1\r\nHost: h\r\n\r\n", PAGE),
            ("OPTIONS without an origin", "OPTIONS / HTTP/1.1\r\nHost: h\r\n\r\n", PAGE),
            ("body of another type", &with_body("Content-Type: text/plain\r\n"), PAGE),
            ("body of no type", &with_body(""), PAGE),
            ("AWS JSON 1.1", &with_body("Content-Type: application/x-amz-json-1.1\r\n"), PAGE),
            ("DynamoDB's type", &with_body("Content-Type: application/x-amz-json-1.0\r\n"), (200, JSON, None)),
            (
                "parameters and case",
                &with_body("Content-Type: Application/X-AMZ-JSON-1.0; charset=utf-8\r\n"),
                (200, JSON, None),
            ),
            (
                "plain JSON is answered as such",
                &with_body("Content-Type: application/json;charset=utf-8\r\n"),
                (200, "application/json", None),
            ),
            (
                "no body, another type",
                &format!("POST / HTTP/1.1\r\n{target}Content-Type: text/plain\r\nContent-Length: 0\r\n\r\n"),
                (200, JSON, None),
            ),
            ("an own path", "GET /_dyno/report HTTP/1.1\r\nHost: h\r\n\r\n", (200, JSON, None)),
            ("metrics", "GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n", (200, JSON, None)),
            (
                "an own path takes any type",
                "POST /_dyno/reset HTTP/1.1\r\nHost: h\r\nContent-Type: text/csv\r\nContent-Length: 1\r\n\r\nx",
                (200, JSON, None),
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn heads_over_the_limit_and_heads_that_are_none_are_refused() {
    let server = Server::start(|_| ());
    let long = |bytes: usize| "x".repeat(bytes);
    let validation: Expected = (400, JSON, None);
    check(
        &server,
        &[
            (
                "headers that fit",
                &format!("GET / HTTP/1.1\r\nHost: h\r\nX-L: {}\r\n\r\n", long(16_000)),
                (200, "", None),
            ),
            ("headers", &format!("GET / HTTP/1.1\r\nHost: h\r\nX-L: {}\r\n\r\n", long(16_500)), validation),
            (
                "many",
                &format!("GET / HTTP/1.1\r\nHost: h\r\n{}\r\n", format!("X-L: {}\r\n", long(200)).repeat(90)),
                validation,
            ),
            ("request line", &format!("GET /?{} HTTP/1.1\r\nHost: h\r\n\r\n", long(16_500)), validation),
        ],
    )
    .await;
    let answer = server.send(format!("GET / HTTP/1.1\r\nHost: h\r\nX-L: {}\r\n\r\n", long(100_000))).await;
    assert!(matches!(answer.status, 400 | 431), "far over it: {}", answer.status);
    for garbage in ["\x16\x03\x01\x02\x00\x01\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n"] {
        assert_eq!(server.send(garbage).await.status, 400, "{garbage:?}");
    }
}

#[tokio::test]
async fn bodies_in_every_shape() {
    let server = Server::start(|_| ());
    let mut client = server.connect().await;
    let body = format!("{{\"x\":\"{}\"}}", "y".repeat(300_000));
    let bytes = body.len() as u64;
    let head = String::from_utf8(post("", "")).unwrap();
    let head = |further: &str| head.replace("Content-Length: 0\r\n", further);

    client.send(post("", &body)).await;
    assert_eq!(client.answer().await.json()["body_bytes"], bytes, "declared");

    client.send(head("Transfer-Encoding: chunked\r\n")).await;
    for piece in body.as_bytes().chunks(70_000) {
        client.send(format!("{:x}\r\n", piece.len())).await;
        client.send(piece).await;
        client.send("\r\n").await;
    }
    client.send("0\r\n\r\n").await;
    assert_eq!(client.answer().await.json()["body_crc"], crc32fast::hash(body.as_bytes()), "chunked");

    client.send(head("Content-Length: 2\r\nExpect: 100-continue\r\n")).await;
    assert_eq!(client.answer().await.status, 100);
    client.send("{}").await;
    assert_eq!(client.answer().await.json()["body_bytes"], 2, "after 100 Continue");

    let mut refused = server.connect().await;
    refused.send(head("Content-Length: 99000000\r\nExpect: 100-continue\r\n")).await;
    assert_eq!(refused.answer().await.status, 413, "a body that is too large is not asked for");

    for piece in post("", "{\"a\":1}").chunks(7) {
        client.send(piece).await;
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(client.answer().await.json()["body_bytes"], 7, "in pieces");

    client.send(post("", "{}").repeat(3)).await;
    for _ in 0..3 {
        assert_eq!(client.answer().await.json()["body_bytes"], 2, "pipelined");
    }

    client.send(head("Transfer-Encoding: chunked\r\n") + "zz\r\n").await;
    assert!(client.try_answer().await.is_none_or(|answer| answer.status >= 400), "malformed chunks");
}

#[tokio::test]
async fn head_is_answered_as_get_without_a_body() {
    let server = Server::start(|_| ());
    for path in ["/", "/_dyno/health", "/metrics", "/favicon.ico"] {
        let mut client = server.connect().await;
        client.send(format!("GET {path} HTTP/1.1\r\nHost: h\r\n\r\n")).await;
        let get = client.answer().await;
        client.send(format!("HEAD {path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")).await;
        let mut head = String::new();
        client.stream.read_to_string(&mut head).await.unwrap();
        assert!(head.starts_with(&format!("HTTP/1.1 {} ", get.status)), "{path}: {head}");
        assert!(head.contains(&format!("content-length: {}\r\n", get.body.len())), "{path}: {head}");
        assert!(head.ends_with("\r\n\r\n"), "{path}: a body: {head}");
    }
}

#[tokio::test]
async fn bodies_over_the_limit_are_413_with_nothing() {
    let server = Server::start(|_| ());
    let limit = 16 << 20;
    let mut whole = vec![b' '; limit];
    whole[limit - 2..].copy_from_slice(b"{}");
    assert_eq!(server.send(post("", &whole)).await.json()["body_bytes"], limit, "exactly 16 MB");
    whole.push(b' ');
    let answer = server.send(post("", &whole)).await;
    answer.check_envelope("declared");
    assert_eq!((answer.status, answer.text()), (413, ""), "declared");

    let mut client = server.connect().await;
    let head = String::from_utf8(post("", "")).unwrap();
    client.send(head.replace("Content-Length: 0\r\n", "Transfer-Encoding: chunked\r\n")).await;
    client.send(format!("{:x}\r\n", whole.len())).await;
    client.send(&whole).await;
    client.send("\r\n0\r\n\r\n").await;
    assert_eq!(client.answer().await.status, 413, "chunked");
    client.send(post("", "{}")).await;
    assert_eq!(client.answer().await.status, 200, "the connection goes on");
    assert_eq!(server.probe.calls.load(std::sync::atomic::Ordering::SeqCst), 2);
}

#[tokio::test]
async fn connections_are_kept_as_the_client_wishes() {
    let server = Server::start(|_| ());
    let mut client = server.connect().await;
    let mut ids = std::collections::HashSet::new();
    for _ in 0..3 {
        client.send(post("", "{}")).await;
        let answer = client.answer().await;
        assert_eq!(answer.header("connection"), Some("keep-alive"));
        assert!(ids.insert(answer.header("x-amzn-requestid").unwrap().to_owned()), "an id came twice");
    }
    client.send(post("Connection: close\r\n", "{}")).await;
    assert_eq!(client.answer().await.header("connection"), Some("close"));
    client.until_closed().await;

    let mut old = server.connect().await;
    old.send("GET / HTTP/1.0\r\n\r\n").await;
    assert_eq!(old.answer().await.status, 200);
    old.until_closed().await;
}

#[tokio::test]
async fn pages_of_other_origins_are_refused_unless_allowed() {
    let closed = Server::start(|_| ());
    let some = Server::start(|config| config.allow_origins = vec!["https://app.example".into()]);
    let all = Server::start(|config| config.allow_origins = vec!["*".into()]);
    let origin = "Origin: https://app.example\r\n";

    let answer = closed.send(post(origin, "{}")).await;
    answer.check_envelope("refused");
    assert_eq!(answer.status, 403);
    assert_eq!(answer.header("access-control-allow-origin"), None);
    assert!(answer.text().contains("--allow-origin https://app.example"), "{}", answer.text());
    assert_eq!(closed.probe.calls.load(std::sync::atomic::Ordering::SeqCst), 0);
    let preflight = format!("OPTIONS / HTTP/1.1\r\nHost: localhost:8000\r\n{origin}\r\n");
    assert_eq!(closed.send(&preflight).await.status, 403);

    for (server, allowed) in [(&some, "https://app.example"), (&all, "*")] {
        let answer = server.send(post(origin, "{}")).await;
        assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some(allowed)));
        assert!(answer.header("access-control-expose-headers").unwrap().contains("x-amzn-RequestId"));
        let answer = server
            .send(format!(
                "OPTIONS / HTTP/1.1\r\nHost: localhost:8000\r\n{origin}Access-Control-Request-Method: POST\r\n\
                 Access-Control-Request-Headers: x-amz-target,authorization\r\n\r\n"
            ))
            .await;
        answer.check_envelope("preflight");
        assert_eq!((answer.status, answer.text()), (200, ""));
        let expected = [
            ("access-control-allow-origin", allowed),
            ("access-control-allow-methods", "POST"),
            ("access-control-allow-headers", "x-amz-target,authorization"),
            ("access-control-max-age", "172800"),
        ];
        for (name, value) in expected {
            assert_eq!(answer.header(name), Some(value), "{name}");
        }
        let answer = server.send(post(origin, "{").as_slice()).await;
        assert_eq!(
            (answer.status, answer.header("access-control-allow-origin")),
            (400, Some(allowed)),
            "an error"
        );
    }
    assert_eq!(some.send(post("Origin: https://evil.example\r\n", "{}")).await.status, 403);

    let own = format!("Origin: http://127.0.0.1:{}\r\n", closed.address.port());
    let own = post(&own, "{}");
    let own = String::from_utf8(own).unwrap();
    let own = own.replace("localhost:8000", &closed.address.to_string());
    assert_eq!(closed.send(own).await.status, 200, "a page of the server itself");
}

//! Content encodings of requests and answers, over the wire.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod http_support;

use flate2::Compression;
use flate2::read::{GzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};
use http_support::{Server, post};
use std::io::{Read, Write};

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

fn deflate(plain: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn requests_are_decoded_within_the_limit() {
    let server = Server::start(|_| ());
    let members = [gzip(b"{\"a\""), gzip(b":1}")].concat();
    let bomb = gzip(&vec![b' '; (16 << 20) + 1]);
    assert!(bomb.len() < 100_000, "a small bomb");
    let largest = gzip(&[vec![b' '; (16 << 20) - 2], b"{}".to_vec()].concat());
    let cases: Vec<(&str, &str, Vec<u8>, u16, usize)> = vec![
        ("gzip", "gzip", gzip(b"{\"a\":12}"), 200, 8),
        ("deflate", "deflate", deflate(b"{\"a\":12}"), 200, 8),
        ("identity", "identity", b"{}".to_vec(), 200, 2),
        ("two members", "gzip", members, 200, 7),
        ("exactly the limit", "gzip", largest, 200, 16 << 20),
        ("bomb", "gzip", bomb, 413, 0),
        ("bomb of zlib", "deflate", deflate(&vec![0; 20 << 20]), 413, 0),
        ("not gzip", "gzip", b"{}".to_vec(), 500, 0),
        ("cut off", "gzip", gzip(b"{\"a\":12}")[..20].to_vec(), 500, 0),
        ("empty", "gzip", Vec::new(), 500, 0),
        ("the other one", "gzip", deflate(b"{}"), 500, 0),
        ("unknown", "br", b"{}".to_vec(), 400, 0),
        ("twice", "gzip, gzip", gzip(&gzip(b"{}")), 400, 0),
    ];
    for (name, encoding, body, status, decoded) in cases {
        let answer = server.send(post(&format!("Content-Encoding: {encoding}\r\n"), body)).await;
        answer.check_envelope(name);
        assert_eq!(answer.status, status, "{name}: {}", answer.text());
        match status {
            200 => assert_eq!(answer.json()["body_bytes"], decoded, "{name}"),
            413 => assert_eq!(answer.text(), "", "{name}"),
            500 => assert!(answer.text().contains("#InternalServerError"), "{name}: {}", answer.text()),
            _ => {
                assert!(answer.text().contains("send gzip, deflate or identity"), "{name}: {}", answer.text())
            }
        }
    }
}

#[tokio::test]
async fn answers_over_4_kb_are_encoded_for_those_who_ask() {
    let server = Server::start(|_| ());
    let cases = [
        (4090, "gzip", None),
        (4100, "gzip", Some("gzip")),
        (4100, "deflate, gzip;q=0.5", Some("deflate")),
        (4100, "identity", None),
        (4100, "br", None),
        (700_000, "gzip", Some("gzip")),
    ];
    for (bytes, accepted, expected) in cases {
        let name = format!("{bytes} bytes for {accepted}");
        let answer =
            server.send(post(&format!("X-Test: big:{bytes}\r\nAccept-Encoding: {accepted}\r\n"), "{}")).await;
        answer.check_envelope(&name);
        assert_eq!(answer.header("content-encoding"), expected, "{name}");
        let mut plain = Vec::new();
        match expected {
            Some("gzip") => GzDecoder::new(&answer.body[..]).read_to_end(&mut plain).unwrap(),
            Some(_) => ZlibDecoder::new(&answer.body[..]).read_to_end(&mut plain).unwrap(),
            None => plain.write(&answer.body).unwrap(),
        };
        assert_eq!(plain, b"0123456789".repeat(bytes / 10), "{name}");
        assert!(expected.is_none() || answer.body.len() < bytes / 4, "{name}: {} bytes", answer.body.len());
    }
}

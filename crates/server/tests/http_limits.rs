//! Slow, greedy and many clients, a service that panics, and the end of the server.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod http_support;

use http_support::{Client, Server, impatient, post};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;

const SOON: std::ops::Range<Duration> = Duration::from_millis(100)..Duration::from_millis(1500);

#[tokio::test]
async fn clients_that_keep_the_server_waiting_are_left() {
    let server = Server::start(|config| config.timeouts = impatient());
    let cases: [(&str, Vec<Vec<u8>>); 6] = [
        ("says nothing", vec![]),
        ("half a head", vec![b"POST / HTTP/1.1\r\nHost:".to_vec()]),
        ("half a head of a second request", vec![post("", "{}"), b"POST / HT".to_vec()]),
        ("no body", vec![post("", "{}")[..post("", "{}").len() - 2].to_vec()]),
        ("half a body", vec![post("", "{\"a\":12345}")[..post("", "{\"a\":12345}").len() - 5].to_vec()]),
        ("nothing more", vec![post("", "{}")]),
    ];
    let mut waits = tokio::task::JoinSet::new();
    for (name, sent) in cases {
        let mut client = server.connect().await;
        waits.spawn(async move {
            for (index, piece) in sent.iter().enumerate() {
                client.send(piece).await;
                if index + 1 < sent.len() || name == "nothing more" {
                    assert_eq!(client.answer().await.status, 200, "{name}");
                }
            }
            let waited = client.until_closed().await;
            assert!(SOON.contains(&waited), "{name}: {waited:?}");
        });
    }
    waits.join_all().await;
}

/// Sends one byte of `text` every 50 ms until the server closes the connection.
async fn drip(server: &Server, head: &[u8], text: &str) -> Duration {
    use tokio::io::AsyncWriteExt;
    let begin = Instant::now();
    let mut client = server.connect().await;
    client.send(head).await;
    let (mut reader, mut writer) = client.stream.into_split();
    let dripping = async {
        for byte in text.bytes().cycle() {
            tokio::time::sleep(Duration::from_millis(50)).await;
            if writer.write_all(&[byte]).await.is_err() {
                break;
            }
        }
    };
    let closed = async {
        let mut sink = Vec::new();
        let _ = tokio::io::AsyncReadExt::read_to_end(&mut reader, &mut sink).await;
        assert!(sink.is_empty(), "{}", String::from_utf8_lossy(&sink));
    };
    tokio::select! { () = dripping => {}, () = closed => {} }
    begin.elapsed()
}

#[tokio::test]
async fn clients_that_drip_are_left_too() {
    let server = Server::start(|config| config.timeouts = impatient());
    let body_head = post("", "x".repeat(1000));
    let (head, body) = tokio::join!(
        drip(&server, b"POST / HTTP/1.1\r\n", "X-Slow: loris\r\n"),
        drip(&server, &body_head[..body_head.len() - 1000], "xxxxx"),
    );
    assert!(SOON.contains(&head), "head: {head:?}");
    assert!((Duration::from_millis(350)..Duration::from_millis(1500)).contains(&body), "body: {body:?}");
}

#[tokio::test]
async fn a_service_that_takes_long_and_a_client_that_takes_all_are_waited_for() {
    let server = Server::start(|config| config.timeouts = impatient());
    let mut client = server.connect().await;
    client.send(post("X-Test: sleep:600\r\n", "{}")).await;
    assert_eq!(client.answer().await.status, 200);

    client.send(post("X-Test: big:8000000\r\n", "{}")).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(client.answer().await.body.len(), 8_000_000);
}

#[tokio::test]
async fn a_client_that_takes_no_answer_is_left() {
    let server = Server::start(|config| config.timeouts = impatient());
    let mut client = server.connect().await;
    client.send(post("X-Test: big:50000000\r\n", "{}")).await;
    tokio::time::sleep(Duration::from_millis(900)).await;
    assert!(client.try_answer().await.is_none(), "the rest of the answer came although nobody read for long");
}

#[tokio::test]
async fn requests_wait_while_too_many_answers_are_not_taken() {
    let server = Server::start(|config| {
        config.timeouts = impatient();
        config.timeouts.write_idle = Duration::from_secs(5);
        config.limits.unsent_bytes = 1 << 20;
    });
    let mut slow = server.connect().await;
    slow.send(post("X-Test: big:30000000\r\n", "{}")).await;
    tokio::time::sleep(Duration::from_millis(100)).await;

    let refused = server.send(post("", "{}")).await;
    refused.check_envelope("no room");
    assert_eq!(
        (refused.status, refused.json()["message"].as_str().unwrap().contains("wait to be read")),
        (503, true)
    );

    let mut patient = server.connect().await;
    patient.send(post("", "{}")).await;
    assert_eq!(slow.answer().await.body.len(), 30_000_000);
    assert_eq!(patient.answer().await.status, 200, "there is room again");
}

#[tokio::test]
async fn clients_that_take_nothing_are_cut_off_when_others_need_the_room() {
    let server = Server::start(|config| config.limits.unsent_bytes = 1 << 20);
    let mut slow = server.connect().await;
    slow.send(post("X-Test: big:30000000\r\n", "{}")).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let begun = Instant::now();
    assert_eq!(server.send(post("", "{}")).await.status, 200);
    assert!((800..3_000).contains(&begun.elapsed().as_millis()), "{:?}", begun.elapsed());
    assert!(slow.try_answer().await.is_none(), "the whole answer came after all");
}

#[tokio::test]
async fn large_bodies_share_a_budget_and_small_ones_need_none() {
    let server = Server::start(|config| {
        config.timeouts = impatient();
        config.timeouts.body_idle = Duration::from_secs(5);
        config.timeouts.body = Duration::from_secs(5);
        config.limits.in_flight_bytes = 1 << 20;
    });
    let large = post("", " ".repeat(900_000) + "{}");
    let mut first = server.connect().await;
    first.send(&large[..500_000]).await;
    tokio::time::sleep(Duration::from_millis(50)).await;

    let refused = server.send(&large).await;
    refused.check_envelope("no room");
    assert_eq!(refused.status, 503);
    assert_eq!(server.send(post("", " ".repeat(10_000) + "{}")).await.status, 200, "small");

    let chunked = |body: &str| {
        let head = String::from_utf8(post("", "")).unwrap();
        let head = head.replace("Content-Length: 0\r\n", "Transfer-Encoding: chunked\r\n");
        format!("{head}{:x}\r\n{body}\r\n0\r\n\r\n", body.len())
    };
    assert_eq!(server.send(chunked("{}")).await.status, 200, "small and chunked");
    assert_eq!(server.send(chunked(&(" ".repeat(50_000) + "{}"))).await.status, 503, "large and chunked");

    first.send(&large[500_000..]).await;
    assert_eq!(first.answer().await.status, 200);
    assert_eq!(server.send(&large).await.status, 200, "there is room again");
    assert_eq!(server.send(chunked(&(" ".repeat(50_000) + "{}"))).await.status, 200);
    let larger_than_all = post("", " ".repeat(2_000_000) + "{}");
    assert_eq!(server.send(&larger_than_all).await.status, 200, "alone");
}

#[tokio::test]
async fn a_new_connection_takes_the_place_of_the_longest_idle_one() {
    let server = Server::start(|config| config.limits.connections = 2);
    let mut clients = Vec::new();
    for _ in 0..2 {
        let mut client = server.connect().await;
        client.send(post("", "{}")).await;
        assert_eq!(client.answer().await.status, 200);
        tokio::time::sleep(Duration::from_millis(5)).await;
        clients.push(client);
    }
    let mut third = server.connect().await;
    third.send(post("", "{}")).await;
    assert_eq!(third.answer().await.status, 200);
    clients[0].until_closed().await;
    clients[1].send(post("", "{}")).await;
    assert_eq!(clients[1].answer().await.status, 200);
}

#[tokio::test]
async fn new_connections_wait_while_all_others_work() {
    let server = Server::start(|config| config.limits.connections = 1);
    let mut busy = server.connect().await;
    busy.send(post("X-Test: sleep:200\r\n", "{}")).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let begin = Instant::now();
    assert_eq!(server.send(post("", "{}")).await.status, 200);
    assert!(begin.elapsed() > Duration::from_millis(100));
    assert_eq!(busy.answer().await.status, 200);
}

#[tokio::test]
async fn a_panic_costs_one_request() {
    let log = Arc::new(Mutex::new(String::new()));
    let lines = log.clone();
    let server = Server::start(|config| config.log = Arc::new(move |line| *lines.lock().unwrap() += line));
    let mut client = server.connect().await;
    client.send(post("X-Test: panic\r\n", "{}")).await;
    let answer = client.answer().await;
    answer.check_envelope("panic");
    assert_eq!((answer.status, answer.header("content-type")), (500, Some("application/x-amz-json-1.0")));
    assert_eq!(answer.json()["__type"], "com.amazonaws.dynamodb.v20120810#InternalServerError");
    client.send(post("", "{}")).await;
    assert_eq!(client.answer().await.status, 200, "the connection goes on");
    assert!(log.lock().unwrap().contains("panicked: as ordered"), "{}", log.lock().unwrap());
}

#[tokio::test]
async fn the_end_waits_for_running_requests_and_for_nothing_else() {
    let mut server = Server::start(|config| config.timeouts.shutdown = Duration::from_millis(800));
    let mut idle = server.connect().await;
    idle.send(post("", "{}")).await;
    assert_eq!(idle.answer().await.status, 200);
    let mut silent = server.connect().await;
    let mut running = server.connect().await;
    running.send(post("X-Test: sleep:250\r\n", "{}")).await;
    tokio::time::sleep(Duration::from_millis(50)).await;

    let address = server.address;
    server.order_stop();
    idle.until_closed().await;
    silent.until_closed().await;
    let answer = running.answer().await;
    assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
    running.until_closed().await;
    let took = server.stopped().await;
    assert!(took < Duration::from_millis(200), "{took:?} after the last answer");
    assert!(TcpStream::connect(address).await.is_err(), "still listening");
}

#[tokio::test]
async fn the_end_cuts_off_what_takes_too_long() {
    let mut server = Server::start(|config| config.timeouts.shutdown = Duration::from_millis(100));
    let mut running = server.connect().await;
    running.send(post("X-Test: sleep:60000\r\n", "{}")).await;
    let mut half = server.connect().await;
    half.send("POST / HTTP/1.1\r\nHost").await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    server.order_stop();
    let took = server.stopped().await;
    assert!(took < Duration::from_millis(500), "{took:?}");
    assert!(running.try_answer().await.is_none());
    assert!(Client::try_answer(&mut half).await.is_none());
}

//! A server under the limits that a system sets: it keeps what it needs to write, and says when it cannot write any more.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use dynamometer_harness::{Client, Launch, Server};
use serde_json::{Value, json};

/// Starts a server on a folder of its own after the shell has run `limits`.
fn start(folder: &tempfile::TempDir, limits: &str) -> Server {
    let data = folder.path().join("data").display().to_string();
    let script = format!("{limits}; exec \"$0\" --port 0 --data {data}");
    Launch::announcing("sh", folder.path().join("log"))
        .args(["-c", &script, env!("CARGO_BIN_EXE_dyno")])
        .start()
        .unwrap()
}

fn client_of(server: &Server) -> Client {
    let mut client = Client::connect(server.address()).unwrap();
    let table = json!({
        "TableName": "Files", "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    });
    client.call("CreateTable", &table).unwrap();
    client
}

fn put(client: &mut Client, number: usize) -> Result<Value, dynamometer_harness::CallError> {
    let item = json!({"pk": {"S": number.to_string()}, "filling": {"S": "x".repeat(300_000)}});
    client.call("PutItem", &json!({"TableName": "Files", "Item": item}))
}

#[test]
fn many_connections_leave_the_store_the_files_that_it_needs() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(&folder, "ulimit -n 64");
    // Idle connections, of which the oldest make room for new ones.
    let get_health = || {
        let mut client = Client::connect(server.address()).unwrap();
        assert_eq!(client.send(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap().status, 200);
        client
    };
    let idle: Vec<Client> = (0..100).map(|_| get_health()).collect();
    let mut client = client_of(&server);
    // More than memtables hold, so that tables are written and merged.
    for number in 0..150 {
        put(&mut client, number).unwrap();
    }
    drop(idle);
    put(&mut client, 150).unwrap();
}

#[test]
fn health_tells_that_nothing_can_be_written_any_more() {
    let folder = tempfile::tempdir().unwrap();
    // In units of 512 or 1,024 bytes. Without the trap there would be a signal rather than an error.
    let server = start(&folder, "trap '' XFSZ; ulimit -f 8000");
    let health = || {
        let mut client = Client::connect(server.address()).unwrap();
        let reply = client.send(b"GET /_dyno/health HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        (reply.status, serde_json::from_slice::<Value>(&reply.body).unwrap())
    };
    let mut client = client_of(&server);
    put(&mut client, 0).unwrap();
    let (status, body) = health();
    assert_eq!((status, &body["status"], body.get("error")), (200, &json!("ok"), None), "{body}");

    assert!((1..200).any(|number| put(&mut client, number).is_err()), "the limit is too high for this test");
    let (status, body) = health();
    assert_eq!((status, &body["status"]), (503, &json!("read-only")), "{body}");
    assert!(body["error"].as_str().unwrap().contains("start the server again"), "{body}");
    let read = json!({"TableName": "Files", "Key": {"pk": {"S": "0"}}});
    assert!(client.call("GetItem", &read).unwrap().get("Item").is_some(), "reads go on");
}

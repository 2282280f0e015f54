//! A function over HTTP for scenarios about pipes: it notes what it is sent, and answers as it is told to.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use dynamometer_harness::Request;
use serde::Deserialize;
use serde_json::{Value, json};

/// How long what is expected may take to come.
const PATIENCE: Duration = Duration::from_secs(20);

/// A function at an address of its own.
pub struct Function {
    address: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    heard: Vec<Value>,
    answers: Vec<Reply>,
}

/// How requests are answered whose body contains a text.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Reply {
    contains: String,
    /// 200 unless given.
    status: Option<u16>,
    /// The value of `X-Amz-Function-Error`.
    error: Option<String>,
    body: Value,
}

impl Function {
    /// Starts one. It ends with the process.
    pub fn start() -> Function {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let function = Function { address, state: Arc::default() };
        let state = function.state.clone();
        std::thread::spawn(move || {
            for socket in listener.incoming() {
                // A server that was told to stop cuts off what it sends.
                let _ = socket.map(|socket| serve(socket, &state));
            }
        });
        function
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// What `> Function hears` and `> Function answers` do.
    pub fn step(&self, what: &str, request: &str, expected: usize) -> Value {
        match what {
            "answers" => {
                let replies =
                    serde_json::from_str(request).unwrap_or_else(|error| panic!("{request}: {error}"));
                self.state.lock().unwrap().answers = replies;
                json!({})
            }
            "hears" => self.hears(expected),
            other => panic!("a function answers and hears; it does not do `{other}`"),
        }
    }

    /// What was sent since the last time, once it is as much as is expected.
    fn hears(&self, expected: usize) -> Value {
        let deadline = Instant::now() + PATIENCE;
        while self.state.lock().unwrap().heard.len() < expected && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(10));
        }
        Value::Array(std::mem::take(&mut self.state.lock().unwrap().heard))
    }
}

fn serve(mut socket: TcpStream, state: &Mutex<State>) -> std::io::Result<()> {
    let Request { path, body } = Request::read(&mut socket)?;
    let text = String::from_utf8_lossy(&body);
    let reply = {
        let mut state = state.lock().unwrap();
        let body = serde_json::from_str(&text).unwrap_or_else(|_| json!(text));
        state.heard.push(json!({ "path": path, "body": body }));
        state.answers.iter().find(|reply| text.contains(reply.contains.as_str())).cloned().unwrap_or_default()
    };
    let body = reply.body.to_string();
    let error = reply.error.map(|error| format!("X-Amz-Function-Error: {error}\r\n")).unwrap_or_default();
    write!(
        socket,
        "HTTP/1.1 {} Answer\r\nContent-Length: {}\r\nConnection: close\r\n{error}\r\n{body}",
        reply.status.unwrap_or(200),
        body.len()
    )
}

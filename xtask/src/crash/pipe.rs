//! A function that a pipe of the server delivers the table's stream to. The pipe is posted once, before the first kill:
//! the server has to start it again by itself. Every record must come at least once, those of an item in order, and after
//! a kill only what was on its way may come again.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use dynamometer_harness::{Client, Request};
use serde_json::{Value, json};

use super::workload::TABLE;
use crate::run::Failure;

/// The pipe's name.
const NAME: &str = "crash";
const BATCH_SIZE: usize = 10;
const PARALLELIZATION_FACTOR: usize = 4;
/// How long what is missing may take to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// The function, and what it was sent.
pub struct Function {
    heard: Arc<Mutex<Heard>>,
    /// How many records had come again at the last check.
    repeats_before: usize,
}

#[derive(Default)]
struct Heard {
    /// The sequence numbers of each item's records.
    numbers: BTreeMap<String, BTreeSet<String>>,
    records: usize,
    repeats: usize,
    /// The first thing that was wrong.
    wrong: Option<String>,
}

impl Function {
    /// Starts the function and a pipe to it. `None` when the server has no pipes.
    ///
    /// # Errors
    /// When the pipe is refused.
    pub fn behind_a_pipe(client: &mut Client) -> Result<Option<Function>, Failure> {
        if own(client, "GET", "").is_err() {
            return Ok(None);
        }
        let failed = |error: io::Error| Failure::new(format!("no function can be started: {error}"));
        let listener = TcpListener::bind("127.0.0.1:0").map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let heard = Arc::<Mutex<Heard>>::default();
        let shared = heard.clone();
        std::thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let heard = shared.clone();
                // A server that is killed leaves half a request behind.
                std::thread::spawn(move || serve(socket, &heard));
            }
        });
        let pipe = json!({
            "Name": NAME, "EventSourceArn": TABLE, "Endpoint": format!("http://{address}"),
            "StartingPosition": "TRIM_HORIZON", "BatchSize": BATCH_SIZE,
            "ParallelizationFactor": PARALLELIZATION_FACTOR,
        });
        own(client, "POST", &pipe.to_string())?;
        Ok(Some(Function { heard, repeats_before: 0 }))
    }

    /// Waits until every record of the stream has come, and checks what came. `stream` holds all sequence numbers.
    ///
    /// # Errors
    /// When the pipe is gone, and for the first record that is missing, came out of order or came again for no reason.
    pub fn agrees_with(
        &mut self,
        client: &mut Client,
        stream: &BTreeSet<String>,
        shards: usize,
    ) -> Result<(), Failure> {
        let pipes = own(client, "GET", "")?;
        if pipes["Pipes"][0]["Name"] != NAME {
            return Err(Failure::new("the pipe did not come back with the server"));
        }
        let deadline = Instant::now() + PATIENCE;
        while lock(&self.heard).records < stream.len() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
        }
        let heard = lock(&self.heard);
        if let Some(wrong) = &heard.wrong {
            return Err(Failure::new(format!("the pipe delivered wrongly: {wrong}")));
        }
        let numbers: BTreeSet<&String> = heard.numbers.values().flatten().collect();
        if let Some(missing) = stream.iter().find(|number| !numbers.contains(number)) {
            let state = own(client, "GET", "")?;
            return Err(Failure::new(format!("the record {missing} was never delivered; the pipe: {state}")));
        }
        // Twice what a shard may have on its way waits at most, and a start may have been killed, too.
        let most = 2 * shards * 2 * BATCH_SIZE * PARALLELIZATION_FACTOR;
        let again = heard.repeats - self.repeats_before;
        if again > most {
            return Err(Failure::new(format!("{again} records came again, and not {most} at most")));
        }
        drop(heard);
        self.repeats_before += again;
        Ok(())
    }

    /// A sentence about what came.
    pub fn summary(&self) -> String {
        let heard = lock(&self.heard);
        format!("a pipe delivered {} records, {} of them again", heard.records, heard.repeats)
    }
}

impl Heard {
    fn take(&mut self, record: &Value) {
        let change = &record["dynamodb"];
        let (Some(key), Some(number)) =
            (change["Keys"]["pk"]["S"].as_str(), change["SequenceNumber"].as_str())
        else {
            self.wrong.get_or_insert(format!("{record} has no key or no sequence number"));
            return;
        };
        let numbers = self.numbers.entry(key.to_owned()).or_default();
        if numbers.contains(number) {
            self.repeats += 1;
            return;
        }
        // Sequence numbers have one length.
        if let Some(later) = numbers.last().filter(|last| last.as_str() > number) {
            let words = format!("{number} of {key} came for the first time after {later}");
            self.wrong.get_or_insert(words);
        }
        numbers.insert(number.to_owned());
        self.records += 1;
    }
}

fn serve(mut socket: TcpStream, heard: &Mutex<Heard>) -> io::Result<()> {
    let event: Value = serde_json::from_slice(&Request::read(&mut socket)?.body)?;
    {
        let mut heard = lock(heard);
        event["Records"].as_array().into_iter().flatten().for_each(|record| heard.take(record));
    }
    socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
}

/// Asks the server about its pipes, or for one.
fn own(client: &mut Client, method: &str, body: &str) -> Result<Value, Failure> {
    let request = format!(
        "{method} /_dyno/pipes HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    let refused = |what: String| Failure::new(format!("{method} /_dyno/pipes went wrong: {what}"));
    let reply = client.send(request.as_bytes()).map_err(|error| refused(error.to_string()))?;
    if reply.status != 200 {
        return Err(refused(String::from_utf8_lossy(&reply.body).into_owned()));
    }
    serde_json::from_slice(&reply.body).map_err(|error| refused(error.to_string()))
}

fn lock(heard: &Mutex<Heard>) -> std::sync::MutexGuard<'_, Heard> {
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_out_of_order_are_found_and_repeats_are_counted() {
        let heard = |records: &[(&str, &str)]| {
            let mut heard = Heard::default();
            for (key, number) in records {
                heard.take(
                    &json!({ "dynamodb": { "SequenceNumber": number, "Keys": { "pk": { "S": key } } } }),
                );
            }
            (heard.records, heard.repeats, heard.wrong)
        };
        assert_eq!(
            heard(&[("a", "1"), ("b", "3"), ("a", "2"), ("a", "1"), ("a", "2"), ("a", "4")]),
            (4, 2, None)
        );
        let (.., wrong) = heard(&[("a", "1"), ("a", "3"), ("a", "2")]);
        assert_eq!(wrong.as_deref(), Some("2 of a came for the first time after 3"));
        assert!(heard(&[("a", "1")]).2.is_none());
    }
}

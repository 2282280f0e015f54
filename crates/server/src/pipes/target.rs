//! What is said to a function and to a dead-letter target, and what their answers mean.

use std::io::Write;
use std::time::Duration;

use dynamometer_engine::pipes::OpenWindow;
use dynamometer_types::Timestamp;
use http::{HeaderName, StatusCode, header};
use serde_json::{Value, json};

use super::Pipe;
use super::batch::{Condition, Entry, Outcome, Work};
use super::definition::{Definition, Destination};
use super::post::{Answered, Silence, post};
use super::window;

/// How long a dead-letter target may take.
const DEAD_LETTER_TIMEOUT: Duration = Duration::from_secs(30);

/// Sends an event to the function. Answers how it went, and the state that came back.
pub(super) async fn invoke(pipe: &Pipe, event: Vec<u8>) -> (Outcome, Option<Value>) {
    let headers = [(header::CONTENT_TYPE, "application/json".to_owned())];
    let definition = &pipe.definition;
    let timeout = Duration::from_millis(definition.timeout_ms);
    match post(&definition.target, pipe.tls.as_ref(), &headers, event, timeout).await {
        Ok(answered) => outcome(&answered, definition),
        Err(Silence::Unreachable(why)) => (Outcome::Unreachable(why), None),
        Err(Silence::Unanswered(why)) => (Outcome::Failed(why), None),
    }
}

/// Where records come from.
#[derive(Clone, Copy)]
pub(super) struct Origin<'a> {
    pub(super) stream_arn: &'a str,
    pub(super) shard_id: &'a str,
    /// The tumbling window that is open.
    pub(super) window: Option<&'a OpenWindow>,
}

/// `{"Records":[…]}`, with the members of a tumbling window behind them. `count` of the batch's records.
pub(super) fn event(work: &Work, count: usize, origin: Origin<'_>) -> Vec<u8> {
    let entries = &work.entries[..count.min(work.entries.len())];
    let bytes: usize = entries.iter().map(Entry::event_bytes).sum();
    let mut body = Vec::with_capacity(bytes + 16);
    body.extend_from_slice(b"{\"Records\":[");
    for (at, entry) in entries.iter().enumerate() {
        if at > 0 {
            body.push(b',');
        }
        body.extend_from_slice(&entry.json);
    }
    body.push(b']');
    if let Some(window) = origin.window {
        window::write_members(&mut body, window, work.closing, origin.shard_id, origin.stream_arn);
    }
    body.push(b'}');
    body
}

/// How an invocation went. A function that fails answers 200 with `X-Amz-Function-Error`, or, as Lambda's runtime
/// emulator does, with a body that has an `errorMessage` and an `errorType`; other servers answer another status.
/// 429, 502, 503 and 504 say that it was not run.
fn outcome(answered: &Answered, pipe: &Definition) -> (Outcome, Option<Value>) {
    let failed = |why: String| (Outcome::Failed(why), None);
    let Answered { status, headers, body } = answered;
    let status = *status;
    let is_busy = matches!(
        status,
        StatusCode::TOO_MANY_REQUESTS
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT
    );
    if is_busy {
        return (Outcome::Unreachable(format!("status {status}")), None);
    }
    if !status.is_success() {
        return failed(format!("status {status}"));
    }
    if let Some(error) = headers.get("x-amz-function-error") {
        return failed(format!("function error {}", String::from_utf8_lossy(error.as_bytes())));
    }
    // Functions may answer anything, or nothing.
    let mut answer: Value = serde_json::from_slice(body).unwrap_or_default();
    if let (Some(message), Some(_)) = (answer.get("errorMessage"), answer.get("errorType")) {
        return failed(format!("function error: {message}"));
    }
    let outcome = if pipe.reports_failures { reported(&answer) } else { Outcome::Done };
    let state = answer.get_mut("state").map(Value::take).filter(|state| !state.is_null());
    if pipe.tumbling_window_ms.is_some() && state.is_none() {
        return failed("the answer has no `state`, which TumblingWindowInSeconds asks for".into());
    }
    (outcome, state)
}

/// What `batchItemFailures` says. Nothing, null and an empty list are success; an empty or missing identifier fails the
/// whole batch.
fn reported(answer: &Value) -> Outcome {
    let failures = match answer.get("batchItemFailures") {
        None | Some(Value::Null) => return Outcome::Done,
        Some(Value::Array(failures)) => failures,
        Some(_) => return Outcome::Failed("batchItemFailures is no list".into()),
    };
    let identifiers = failures.iter().map(|failure| failure.get("itemIdentifier").and_then(Value::as_str));
    let identifiers: Option<Vec<&str>> = identifiers.collect();
    match identifiers.filter(|identifiers| identifiers.iter().all(|identifier| !identifier.is_empty())) {
        // Sequence numbers have one length: the lowest is the first of the texts.
        Some(identifiers) => {
            identifiers.into_iter().min().map_or(Outcome::Done, |first| Outcome::FailedFrom(first.to_owned()))
        }
        None => Outcome::Failed("batchItemFailures has an element without itemIdentifier".into()),
    }
}

/// Records that were given up: the first of a batch.
pub(super) struct DeadLetter<'a> {
    pub(super) work: &'a Work,
    pub(super) count: usize,
    pub(super) condition: Condition,
    pub(super) origin: Origin<'a>,
    pub(super) function_arn: &'a str,
    pub(super) now: Timestamp,
}

impl DeadLetter<'_> {
    /// Lambda's record of a failed invocation of a stream. With the event as `payload`, as for a bucket, but for a queue:
    /// there Lambda leaves it out, and queues take no messages of such a size.
    pub(super) fn body(&self, destination: &Destination) -> Value {
        let arrival = |entry: Option<&Entry>| entry.map(|entry| entry.created.to_string());
        let sequence = |entry: Option<&Entry>| entry.map(|entry| entry.sequence_number.to_string());
        let entries = &self.work.entries[..self.count.min(self.work.entries.len())];
        let (first, last) = (entries.first(), entries.last());
        let response = match self.condition {
            Condition::RetryAttemptsExhausted => {
                json!({"statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"})
            }
            Condition::RecordAgeExceeded => Value::Null,
        };
        let mut body = json!({
            "requestContext": {
                "requestId": sequence(first),
                "functionArn": self.function_arn,
                "condition": self.condition.word(),
                "approximateInvokeCount": self.work.failures,
            },
            "responseContext": response,
            "version": "1.0",
            "timestamp": self.now.to_string(),
            "DDBStreamBatchInfo": {
                "shardId": self.origin.shard_id,
                "startSequenceNumber": sequence(first),
                "endSequenceNumber": sequence(last),
                "approximateArrivalOfFirstRecord": arrival(first),
                "approximateArrivalOfLastRecord": arrival(last),
                "batchSize": entries.len(),
                "streamArn": self.origin.stream_arn,
            },
        });
        if !matches!(destination, Destination::Sqs(_)) {
            let event = event(self.work, self.count, self.origin);
            body["payload"] = String::from_utf8_lossy(&event).into();
        }
        body
    }
}

/// Tells a dead-letter target.
///
/// # Errors
/// Why it did not take it: to be tried again.
pub(super) async fn tell(pipe: &Pipe, destination: &Destination, body: Value) -> Result<(), String> {
    let (uri, headers, body): (_, Vec<(HeaderName, String)>, Value) = match destination {
        Destination::File(path) => return append(path, &body).map_err(|error| format!("{path}: {error}")),
        Destination::Http(uri) => (uri, vec![(header::CONTENT_TYPE, "application/json".into())], body),
        Destination::Sqs(uri) => {
            let target = (HeaderName::from_static("x-amz-target"), "AmazonSQS.SendMessage".into());
            let message = json!({"QueueUrl": uri.to_string(), "MessageBody": body.to_string()});
            (uri, vec![(header::CONTENT_TYPE, "application/x-amz-json-1.0".into()), target], message)
        }
    };
    match post(uri, pipe.tls.as_ref(), &headers, body.to_string().into_bytes(), DEAD_LETTER_TIMEOUT).await {
        Ok(answered) if answered.status.is_success() => Ok(()),
        Ok(answered) => Err(format!("{uri}: status {}", answered.status)),
        Err(Silence::Unreachable(why) | Silence::Unanswered(why)) => Err(why),
    }
}

/// Appends a line to a file, and waits until it is on disk.
fn append(path: &str, body: &Value) -> std::io::Result<()> {
    let mut file = std::fs::File::options().create(true).append(true).open(path)?;
    file.write_all(format!("{body}\n").as_bytes())?;
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http::{HeaderMap, HeaderValue};

    use super::super::definition::Asked;
    use super::*;

    #[test]
    fn a_queue_is_told_of_records_without_them() {
        let origin = Origin { stream_arn: "arn", shard_id: "shardId-1", window: None };
        let work = Work::of(Vec::new());
        let condition = Condition::RetryAttemptsExhausted;
        let letter = DeadLetter {
            work: &work,
            count: 0,
            condition,
            origin,
            function_arn: "f",
            now: Timestamp::from_millis(0),
        };
        let queue = letter.body(&Destination::Sqs("http://localhost/queue".parse().unwrap()));
        assert_eq!(queue["DDBStreamBatchInfo"]["shardId"], "shardId-1");
        assert_eq!(queue.get("payload"), None);
        let file = letter.body(&Destination::File("letters".into()));
        assert_eq!(file["payload"], r#"{"Records":[]}"#);
    }

    #[test]
    fn a_window_needs_its_state_back() {
        let pipe = super::super::batch::tests::pipe(r#"{"TumblingWindowInSeconds":60}"#);
        for (body, expected) in [
            (r#"{"state":{"n":1}}"#, (Outcome::Done, Some(serde_json::json!({"n": 1})))),
            (r#"{"state":{},"batchItemFailures":[]}"#, (Outcome::Done, Some(serde_json::json!({})))),
            (
                "{}",
                (
                    Outcome::Failed(
                        "the answer has no `state`, which TumblingWindowInSeconds asks for".into(),
                    ),
                    None,
                ),
            ),
        ] {
            let body = Bytes::from_static(body.as_bytes());
            let answered = Answered { status: StatusCode::OK, headers: HeaderMap::new(), body };
            assert_eq!(outcome(&answered, &pipe), expected);
        }
    }

    #[test]
    #[rustfmt::skip]
    fn answers_mean_what_lambda_means_by_them() {
        let pipe = r#"{"EventSourceArn":"Orders","FunctionName":"f","Endpoint":"http://x","StartingPosition":"LATEST",
                       "FunctionResponseTypes":["ReportBatchItemFailures"]}"#;
        let pipe = Asked::read_all(pipe).unwrap().remove(0).check().unwrap();
        let failed_from = |number: &str| Outcome::FailedFrom(number.into());
        let cases = [
            (200, "", "", "Done"),
            (204, "", "", "Done"),
            (200, "", "null", "Done"),
            (200, "", "\"fine\"", "Done"),
            (200, "", r#"{"batchItemFailures":[]}"#, "Done"),
            (200, "", r#"{"batchItemFailures":null}"#, "Done"),
            (200, "", r#"{"batchItemFailures":[{"itemIdentifier":"19"},{"itemIdentifier":"12"}]}"#, "FailedFrom(\"12\")"),
            (200, "", r#"{"batchItemFailures":[{"itemIdentifier":""}]}"#, "Failed"),
            (200, "", r#"{"batchItemFailures":[{}]}"#, "Failed"),
            (200, "Unhandled", "", "Failed"),
            (200, "", r#"{"errorMessage":"boom","errorType":"Error"}"#, "Failed"),
            (500, "", "", "Failed"),
            (404, "", "", "Failed"),
            (429, "", "", "Unreachable"),
            (503, "", "", "Unreachable"),
        ];
        for (status, error, body, expected) in cases {
            let mut headers = HeaderMap::new();
            if !error.is_empty() {
                headers.insert("x-amz-function-error", HeaderValue::from_static(error));
            }
            let status = StatusCode::from_u16(status).unwrap();
            let answered = Answered { status, headers, body: Bytes::from_static(body.as_bytes()) };
            let got = format!("{:?}", outcome(&answered, &pipe).0);
            assert!(got.starts_with(expected), "{status} {body}: {got}");
        }
        assert_eq!(reported(&serde_json::json!({"batchItemFailures": [{"itemIdentifier": "7"}]})), failed_from("7"));
    }
}

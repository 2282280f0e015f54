//! What is said to a function and to a dead-letter target, and what their answers mean.

use std::io::Write;
use std::time::Duration;

use dynamometer_types::Timestamp;
use http::{HeaderName, StatusCode, header};
use serde_json::{Value, json};

use super::batch::{Condition, Entry, Outcome};
use super::definition::{Definition, Destination};
use super::post::{Answered, Silence, post};

/// How long a dead-letter target may take.
const DEAD_LETTER_TIMEOUT: Duration = Duration::from_secs(30);

/// Sends records to the function.
pub(super) async fn invoke(pipe: &Definition, entries: &[Entry]) -> Outcome {
    let headers = [(header::CONTENT_TYPE, "application/json".to_owned())];
    let timeout = Duration::from_millis(pipe.timeout_ms);
    match post(&pipe.target, &headers, event_body(entries), timeout).await {
        Ok(answered) => outcome(&answered, pipe),
        Err(Silence::Unreachable(why)) => Outcome::Unreachable(why),
        Err(Silence::Unanswered(why)) => Outcome::Failed(why),
    }
}

/// `{"Records":[…]}`
fn event_body(entries: &[Entry]) -> Vec<u8> {
    let bytes: usize = entries.iter().map(Entry::event_bytes).sum();
    let mut body = Vec::with_capacity(bytes + 16);
    body.extend_from_slice(b"{\"Records\":[");
    for (at, entry) in entries.iter().enumerate() {
        if at > 0 {
            body.push(b',');
        }
        body.extend_from_slice(&entry.json);
    }
    body.extend_from_slice(b"]}");
    body
}

/// How an invocation went. A function that fails answers 200 with `X-Amz-Function-Error`, or, as Lambda's runtime
/// emulator does, with a body that has an `errorMessage` and an `errorType`; other servers answer another status.
/// 429, 502, 503 and 504 say that it was not run.
fn outcome(answered: &Answered, pipe: &Definition) -> Outcome {
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
        return Outcome::Unreachable(format!("status {status}"));
    }
    if !status.is_success() {
        return Outcome::Failed(format!("status {status}"));
    }
    if let Some(error) = headers.get("x-amz-function-error") {
        return Outcome::Failed(format!("function error {}", String::from_utf8_lossy(error.as_bytes())));
    }
    // Functions may answer anything, or nothing.
    let answer: Value = serde_json::from_slice(body).unwrap_or_default();
    if let (Some(message), Some(_)) = (answer.get("errorMessage"), answer.get("errorType")) {
        return Outcome::Failed(format!("function error: {message}"));
    }
    if pipe.reports_failures { reported(&answer) } else { Outcome::Done }
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

/// Records that were given up.
pub(super) struct DeadLetter<'a> {
    pub(super) entries: &'a [Entry],
    pub(super) condition: Condition,
    /// How often they were sent.
    pub(super) invocations: u64,
    pub(super) stream_arn: &'a str,
    pub(super) shard_id: &'a str,
    pub(super) function_arn: &'a str,
    pub(super) now: Timestamp,
}

impl DeadLetter<'_> {
    /// Lambda's record of a failed invocation of a stream, with the event as `payload`, as for a bucket.
    fn body(&self) -> Value {
        let arrival = |entry: Option<&Entry>| entry.map(|entry| entry.created.to_string());
        let sequence = |entry: Option<&Entry>| entry.map(|entry| entry.sequence_number.clone());
        let (first, last) = (self.entries.first(), self.entries.last());
        let response = match self.condition {
            Condition::RetryAttemptsExhausted => {
                json!({"statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"})
            }
            Condition::RecordAgeExceeded => Value::Null,
        };
        json!({
            "requestContext": {
                "requestId": sequence(first),
                "functionArn": self.function_arn,
                "condition": self.condition.word(),
                "approximateInvokeCount": self.invocations,
            },
            "responseContext": response,
            "version": "1.0",
            "timestamp": self.now.to_string(),
            "DDBStreamBatchInfo": {
                "shardId": self.shard_id,
                "startSequenceNumber": sequence(first),
                "endSequenceNumber": sequence(last),
                "approximateArrivalOfFirstRecord": arrival(first),
                "approximateArrivalOfLastRecord": arrival(last),
                "batchSize": self.entries.len(),
                "streamArn": self.stream_arn,
            },
            "payload": String::from_utf8_lossy(&event_body(self.entries)),
        })
    }
}

/// Tells a dead-letter target.
///
/// # Errors
/// Why it did not take it: to be tried again.
pub(super) async fn tell(destination: &Destination, letter: &DeadLetter<'_>) -> Result<(), String> {
    let body = letter.body();
    let (uri, headers, body): (_, Vec<(HeaderName, String)>, Value) = match destination {
        Destination::File(path) => return append(path, &body).map_err(|error| format!("{path}: {error}")),
        Destination::Http(uri) => (uri, vec![(header::CONTENT_TYPE, "application/json".into())], body),
        Destination::Sqs(uri) => {
            let target = (HeaderName::from_static("x-amz-target"), "AmazonSQS.SendMessage".into());
            let message = json!({"QueueUrl": uri.to_string(), "MessageBody": body.to_string()});
            (uri, vec![(header::CONTENT_TYPE, "application/x-amz-json-1.0".into()), target], message)
        }
    };
    match post(uri, &headers, body.to_string().into_bytes(), DEAD_LETTER_TIMEOUT).await {
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
            let got = format!("{:?}", outcome(&answered, &pipe));
            assert!(got.starts_with(expected), "{status} {body}: {got}");
        }
        assert_eq!(reported(&serde_json::json!({"batchItemFailures": [{"itemIdentifier": "7"}]})), failed_from("7"));
    }
}

//! Tumbling windows: a function's state, handed from one invocation of a shard to the next until the window is over.
//!
//! Windows have the length that was asked for and begin at multiples of it since 1970, by the times of the records. A
//! window opens with its first record. Its last invocation has no records; it comes when a record of a later window is
//! next, when the time is over, or when the shard ends, and its children begin with windows of their own. A state of more
//! than 1 MB ends a window early: an invocation without records tells the function so, and the window goes on with an
//! empty state.
//!
//! # Source
//! "Implementing stateful DynamoDB stream processing in Lambda", services-ddb-windows.html, 2026-06. Assumed: where windows
//! begin (the guide's examples fit), that last invocations are without records, and that one that ends a window early is
//! not its final one. AWS waits up to two minutes before it takes a window without new records for over; we do not.

use dynamometer_engine::pipes::OpenWindow;
use dynamometer_types::Timestamp;
use serde_json::{Value, json};

/// How large a state may become: 1 MB.
const MOST_STATE_BYTES: usize = 1 << 20;

/// An invocation without records, at the end of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closing {
    /// The window is over.
    Final,
    /// Its state became too large.
    Early,
}

/// The window that a record opens.
pub(super) fn open(created: Timestamp, length_ms: i64) -> OpenWindow {
    let start_ms = created.millis().div_euclid(length_ms) * length_ms;
    OpenWindow { start_ms, end_ms: start_ms + length_ms, state: "{}".to_owned() }
}

/// Whether a record that comes next is of this window. Records may come a little late, so older ones are.
pub(super) fn holds(window: &OpenWindow, created: Timestamp) -> bool {
    created.millis() < window.end_ms
}

/// Whether the state is too large for the window to go on with it.
pub(super) fn is_too_large(window: &OpenWindow) -> bool {
    window.state.len() > MOST_STATE_BYTES
}

/// What becomes of a window by an invocation that went well.
pub(super) fn after(
    window: OpenWindow,
    closing: Option<Closing>,
    state: Option<Value>,
) -> Option<OpenWindow> {
    match (closing, state) {
        (Some(Closing::Final), _) => None,
        (Some(Closing::Early), _) => Some(OpenWindow { state: "{}".to_owned(), ..window }),
        (None, Some(state)) => Some(OpenWindow { state: state.to_string(), ..window }),
        (None, None) => Some(window),
    }
}

/// Writes what an event has beside its records, each member with a comma before it.
pub(super) fn write_members(
    out: &mut Vec<u8>,
    window: &OpenWindow,
    closing: Option<Closing>,
    shard_id: &str,
    stream_arn: &str,
) {
    let time = |millis| Timestamp::from_millis(millis).to_string().replace(".000Z", "Z");
    let bounds = format!(r#"{{"start":"{}","end":"{}"}}"#, time(window.start_ms), time(window.end_ms));
    let members = [
        ("window", bounds),
        ("state", window.state.clone()),
        ("shardId", json!(shard_id).to_string()),
        ("eventSourceARN", json!(stream_arn).to_string()),
        ("isFinalInvokeForWindow", (closing == Some(Closing::Final)).to_string()),
        ("isWindowTerminatedEarly", (closing == Some(Closing::Early)).to_string()),
    ];
    for (name, value) in members {
        out.extend_from_slice(format!(",\"{name}\":{value}").as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_begin_at_multiples_of_their_length() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let window = open(at("2020-07-30T17:03:21.500Z"), 300_000);
        let mut members = Vec::new();
        write_members(&mut members, &window, None, "shardId-1", "arn");
        assert_eq!(
            String::from_utf8(members).unwrap(),
            r#","window":{"start":"2020-07-30T17:00:00Z","end":"2020-07-30T17:05:00Z"},"state":{},"#
                .to_owned()
                + r#""shardId":"shardId-1","eventSourceARN":"arn","isFinalInvokeForWindow":false,"#
                + r#""isWindowTerminatedEarly":false"#
        );
        assert!(holds(&window, at("2020-07-30T16:59:59Z")) && holds(&window, at("2020-07-30T17:04:59.999Z")));
        assert!(!holds(&window, at("2020-07-30T17:05:00Z")));
    }

    #[test]
    fn a_state_is_handed_on_until_its_window_ends() {
        let window = open(Timestamp::from_millis(0), 1_000);
        let window = after(window, None, Some(json!({"n": 1}))).unwrap();
        assert_eq!(window.state, r#"{"n":1}"#);
        assert!(!is_too_large(&window));
        let large = after(window.clone(), None, Some(json!("x".repeat(MOST_STATE_BYTES)))).unwrap();
        assert!(is_too_large(&large));
        let went_on = after(large, Some(Closing::Early), Some(json!({"n": 2}))).unwrap();
        assert_eq!((went_on.start_ms, went_on.state.as_str()), (0, "{}"));
        assert_eq!(after(window, Some(Closing::Final), Some(json!({}))), None);
    }
}

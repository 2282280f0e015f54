//! # O21 many-stream-readers
//!
//! More than two consumers read a stream.
//!
//! Severity: warning.
//!
//! Why: a shard serves two readers; more of them throttle each other.
//!
//! Numbers: `stream-readers`.
//!
//! Fix: one reader that passes on (EventBridge Pipes), or Kinesis Data Streams.
//!
//! Bad:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], stream: new-and-old-images, stream-readers: 4 } }
//! ```
//! Good:
//! ```yaml
//! design: 1
//! tables: { App: { keys: [PK], stream: new-and-old-images, stream-readers: 2 } }
//! ```
//! Source: AWS, Developer Guide 2026, "Change data capture for DynamoDB Streams".
//!
//! Needs: a design file. Marks: D.

use super::Rule;
use crate::check::{Context, Findings, Severity};

pub(super) const RULE: Rule =
    Rule::of_design("O21", "many-stream-readers", "D", include_str!("o21_many_stream_readers.rs"), check);

fn check(context: &Context<'_>, found: &mut Findings) {
    for table in &context.design.tables {
        let Some(readers) = table.stream_readers.as_ref().filter(|readers| ***readers > 2) else { continue };
        found
            .add(Severity::Warning, readers.span, format!("{} consumers read the stream of {}, and a shard serves 2", **readers, *table.name))
            .under("throttle each other")
            .number("readers", **readers)
            .fix("one reader that passes on, or Kinesis Data Streams");
    }
}

//! # W13 updates-that-change-nothing
//!
//! Updates that leave an item as it was are paid in full on the table.
//!
//! Severity: info.
//!
//! Why: DynamoDB charges by the item's size, not by what changed. Indexes whose entry stays the same cost nothing.
//!
//! Numbers: needs recorded traffic: how many writes left the item as it was. `dyno report` counts them on a running server.
//!
//! Fix: compare before writing, or condition on a version.
//!
//! Source: AWS, Developer Guide 2026, "Read and write operations"; measured that an identical put costs the table and no index.
//!
//! Needs: recorded traffic. Marks: D, M.

use super::{Input, Rule};

pub(super) const RULE: Rule =
    Rule::of_other("W13", "updates-that-change-nothing", "D, M", include_str!("w13_updates_that_change_nothing.rs"), Input::Traffic);

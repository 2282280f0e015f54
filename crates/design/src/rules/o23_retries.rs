//! # O23 retries
//!
//! A client gives up too early, or sends again what cannot succeed.
//!
//! Severity: info.
//!
//! Why: throttling lasts from milliseconds to seconds, so a client that gives up before a second of waiting shows errors that nobody need
//! see. A failed condition fails again however often it is sent.
//!
//! Numbers: needs the application's code or configuration: the retry mode of its SDK, and what it catches.
//!
//! Fix: the SDK's standard mode, and no retry of ConditionalCheckFailedException.
//!
//! Source: AWS, Developer Guide 2026, "Error retries and exponential backoff".
//!
//! Needs: the application's code. Marks: D.

use super::{Input, Rule};

pub(super) const RULE: Rule =
    Rule::of_other("O23", "retries", "D", include_str!("o23_retries.rs"), Input::Code);

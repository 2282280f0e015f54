//! Expressions and legacy parameters: tables of texts with what they must come to.

// Helpers of tests may unwrap, as tests may.
#![allow(clippy::unwrap_used)]

mod condition_errors;
mod conditions;
mod key_conditions;
mod legacy;
mod naive;
mod notation;
mod projections;
mod properties;
mod syntax_errors;
mod update_errors;
mod updates;

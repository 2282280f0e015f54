//! # M10 float-in-boto3
//!
//! A Python float is put into an item.
//!
//! Severity: error.
//!
//! Why: boto3 refuses floats: `Float types are not supported. Use Decimal types instead.`
//!
//! Numbers: needs the application's code. On a running server such a request never arrives.
//!
//! Fix: Decimal, made from a text.
//!
//! Source: boto3's type serializer; one author's remark.
//!
//! Needs: the application's code. Marks: S1.

use super::{Input, Rule};

pub(super) const RULE: Rule =
    Rule::of_other("M10", "float-in-boto3", "S1", include_str!("m10_float_in_boto3.rs"), Input::Code);

//! What to call so that what is live becomes what the template asks for.
//!
//! The template is the truth about a table: what it leaves out is turned off, or becomes what it is by default. Three
//! exceptions: tags that the template does not name stay; throughput that Application Auto Scaling looks after stays; and
//! nothing is deleted because it is no longer in the template, except global indexes.
//!
//! DynamoDB takes one change in a call, with few exceptions, so a change is a list of steps. After each the table must
//! have settled ([`unsettled`]) before the next is sent.
//!
//! # Source
//! DynamoDB's UpdateTable and what it lets together; which changes replace a table: CloudFormation's reference of
//! `AWS::DynamoDB::Table`.

mod create;
mod indexes;
mod live;
mod scaling;
mod settings;
mod table;
mod throughput;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::resource::Scales;

pub use create::create_request;
pub use live::{LivePolicy, LiveTable, LiveTarget, unsettled};
pub use scaling::{policy, target};
pub use table::table;

/// What becomes of a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// In one word.
    pub action: Action,
    /// What is done, in order. Empty when nothing is to be done.
    pub steps: Vec<Step>,
    /// What is not done, and why.
    pub notes: Vec<String>,
}

/// What becomes of a resource, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is not there yet.
    Create,
    /// It is there and differs.
    Update,
    /// It is deleted with its data and made anew.
    Replace,
    /// It is as the template asks.
    Keep,
}

impl Action {
    /// The word: `create`, `update`, `replace` or `keep`.
    pub fn word(self) -> &'static str {
        match self {
            Action::Create => "create",
            Action::Update => "update",
            Action::Replace => "replace",
            Action::Keep => "keep",
        }
    }
}

/// One call, and what to wait for after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What it does, for people.
    pub says: String,
    /// Which service is called.
    pub service: Service,
    /// The operation.
    pub operation: &'static str,
    /// The request.
    pub body: Value,
    /// What to wait for.
    pub wait: Wait,
}

/// The services that are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// DynamoDB.
    DynamoDb,
    /// Application Auto Scaling.
    AutoScaling,
}

/// What must have happened before the next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Nothing.
    Nothing,
    /// This table has settled.
    Settled(String),
    /// This table is gone.
    Gone(String),
}

/// What the person who deploys has allowed or knows.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// What may be replaced: a table by its logical id, which loses its data; a global index as `Table.Index`.
    pub replace: BTreeSet<String>,
    /// Throughput that Application Auto Scaling looks after, by this template or by what is live.
    pub scaled: BTreeSet<Scales>,
}

impl Step {
    fn on_table(name: &str, says: impl Into<String>, operation: &'static str, body: Value) -> Step {
        let wait = Wait::Settled(name.to_owned());
        Step { says: says.into(), service: Service::DynamoDb, operation, body, wait }
    }
}

impl Change {
    fn new(action: Action, steps: Vec<Step>) -> Change {
        let action = if steps.is_empty() { Action::Keep } else { action };
        Change { action, steps, notes: Vec::new() }
    }
}

//! Throttles of batches: each element is struck by itself, as on AWS. What is struck of BatchGetItem and BatchWriteItem comes
//! back unprocessed, and of BatchExecuteStatement with an error in its place; the rest runs. Only when nothing is left of
//! the first two, the request is refused.
//!
//! # Source
//! API reference of the three operations, 2026-11.

use dynamometer_types::{ApiError, ErrorKind};
use serde_json::{Map, Value, json};

use super::Blow;
use super::request::{bare, table_of_statement};
use super::rule::Rule;

/// A batch and what is struck of it.
pub(super) struct Batch {
    kind: Kind,
    request: Value,
    elements: Vec<Element>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Get,
    Write,
    Statements,
}

struct Element {
    table: String,
    is_struck: bool,
}

/// A batch of which a part is struck.
pub(crate) struct Part {
    rest: Option<Vec<u8>>,
    struck: Struck,
}

/// What the answer has in the place of struck elements.
enum Struck {
    /// By table, as in the request, under the name of the answer's member.
    Unprocessed(&'static str, Map<String, Value>),
    /// By place in the request.
    Errors(Vec<(usize, Value)>),
}

/// Whether an operation is one whose elements are struck by themselves.
pub(super) fn is_batch(operation: &str) -> bool {
    Kind::of(operation).is_some()
}

impl Kind {
    fn of(operation: &str) -> Option<Kind> {
        match operation {
            "BatchGetItem" => Some(Kind::Get),
            "BatchWriteItem" => Some(Kind::Write),
            "BatchExecuteStatement" => Some(Kind::Statements),
            _ => None,
        }
    }

    /// How many elements a batch may have: one with more fails by itself.
    fn most(self) -> usize {
        if self == Kind::Get { 100 } else { 25 }
    }
}

impl Batch {
    /// Reads the request of a batch; `None` when it is none, or will fail by itself.
    pub(super) fn read(operation: &str, body: &[u8]) -> Option<Batch> {
        let kind = Kind::of(operation)?;
        let mut request: Value = serde_json::from_slice(body).ok()?;
        let mut elements = Vec::new();
        let mut add = |table| elements.push(Element { table, is_struck: false });
        match kind {
            Kind::Statements => {
                for statement in request.get("Statements")?.as_array()? {
                    let text = statement.get("Statement").and_then(Value::as_str);
                    add(text.and_then(table_of_statement).unwrap_or_default());
                }
            }
            Kind::Get | Kind::Write => {
                for (table, of_table) in request.get_mut("RequestItems")?.as_object_mut()? {
                    elements_of(kind, of_table)?.iter().for_each(|_| add(bare(table)));
                }
            }
        }
        (1..=kind.most()).contains(&elements.len()).then_some(Batch { kind, request, elements })
    }

    /// Draws for each element that a rule could strike. Answers whether it strikes any.
    pub(super) fn draw(&mut self, rule: &mut Rule) -> bool {
        let mut is_any = false;
        for element in &mut self.elements {
            element.is_struck = rule.names(&element.table) && rule.draws();
            is_any |= element.is_struck;
        }
        is_any
    }

    /// What the client gets, by the error of each table; `None` when all will fail by itself, as the tables are not there.
    pub(super) fn blow(self, error_of: impl Fn(&str) -> Option<ApiError>) -> Option<Blow> {
        let error_of = |element: &Element| error_of(&element.table).filter(|_| element.is_struck);
        let mut errors: Vec<Option<ApiError>> = self.elements.iter().map(error_of).collect();
        let is_all = errors.iter().all(Option::is_some);
        if is_all && self.kind != Kind::Statements {
            return Some(Blow::Error(errors.swap_remove(0)?));
        }
        let is_any = errors.iter().any(Option::is_some);
        is_any.then(|| self.split(errors)).flatten().map(Blow::Part)
    }

    /// Takes the struck elements out of the request.
    fn split(mut self, errors: Vec<Option<ApiError>>) -> Option<Part> {
        let is_struck: Vec<bool> = errors.iter().map(Option::is_some).collect();
        let struck = match self.kind {
            Kind::Statements => {
                let mut at = is_struck.iter();
                self.request
                    .get_mut("Statements")?
                    .as_array_mut()?
                    .retain(|_| at.next().is_none_or(|is_struck| !is_struck));
                let errors = errors.into_iter().zip(&self.elements).enumerate();
                let errors = errors.filter_map(|(at, (error, element))| {
                    let error = json!({"Code": code(error.as_ref()?), "Message": error?.message});
                    Some((at, json!({"Error": error, "TableName": element.table})))
                });
                Struck::Errors(errors.collect())
            }
            Kind::Get | Kind::Write => {
                let mut unprocessed = Map::new();
                let mut at = is_struck.iter();
                let tables = self.request.get_mut("RequestItems")?.as_object_mut()?;
                for (table, of_table) in tables.iter_mut() {
                    let mut back = of_table.clone();
                    let elements = elements_of(self.kind, of_table)?;
                    let all = std::mem::take(elements);
                    let (mut struck, mut rest) = (Vec::new(), Vec::new());
                    for element in all {
                        if at.next() == Some(&true) { &mut struck } else { &mut rest }.push(element);
                    }
                    *elements = rest;
                    if !struck.is_empty() {
                        *elements_of(self.kind, &mut back)? = struck;
                        unprocessed.insert(bare(table), back);
                    }
                }
                tables.retain(|_, of_table| {
                    elements_of(self.kind, of_table).is_some_and(|elements| !elements.is_empty())
                });
                let member = if self.kind == Kind::Get { "UnprocessedKeys" } else { "UnprocessedItems" };
                Struck::Unprocessed(member, unprocessed)
            }
        };
        let is_left = is_struck.contains(&false);
        Some(Part { rest: is_left.then(|| self.request.to_string().into_bytes()), struck })
    }
}

impl Part {
    /// The request for what is left; `None` when nothing is.
    pub(crate) fn rest(&self) -> Option<&[u8]> {
        self.rest.as_deref()
    }

    /// The answer to the whole, from the answer to the rest.
    pub(crate) fn complete(self, rest: &[u8]) -> Vec<u8> {
        let mut answer: Value = serde_json::from_slice(rest).unwrap_or_else(|_| json!({}));
        match self.struck {
            Struck::Errors(errors) => {
                let mut responses = match answer["Responses"].take() {
                    Value::Array(responses) => responses,
                    _ => Vec::new(),
                };
                // In order, so that each place is right by the time it is taken.
                for (at, error) in errors {
                    responses.insert(at.min(responses.len()), error);
                }
                answer["Responses"] = responses.into();
            }
            Struck::Unprocessed(member, unprocessed) => {
                for (table, back) in unprocessed {
                    join(&mut answer[member][&table], back);
                }
            }
        }
        answer.to_string().into_bytes()
    }
}

/// Adds the elements of a table to those that came back by themselves.
fn join(there: &mut Value, back: Value) {
    let Some(there) = there.as_object_mut().and_then(|of_table| of_table.get_mut("Keys")) else {
        match (there, back) {
            (Value::Array(there), Value::Array(back)) => there.extend(back),
            (there, back) => *there = back,
        }
        return;
    };
    if let (Value::Array(there), Some(Value::Array(back))) = (there, back.get("Keys")) {
        there.extend(back.iter().cloned());
    }
}

/// The list of elements in what a request has of a table.
fn elements_of(kind: Kind, of_table: &mut Value) -> Option<&mut Vec<Value>> {
    match kind {
        Kind::Get => of_table.get_mut("Keys")?.as_array_mut(),
        Kind::Write | Kind::Statements => of_table.as_array_mut(),
    }
}

/// The code of a throttled statement.
fn code(error: &ApiError) -> &'static str {
    match error.kind {
        ErrorKind::ProvisionedThroughputExceeded => "ProvisionedThroughputExceeded",
        ErrorKind::RequestLimitExceeded => "RequestLimitExceeded",
        _ => "ThrottlingError",
    }
}

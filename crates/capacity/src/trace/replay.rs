//! Replaying a trace under its own settings: the proof that the simulator and the server share one model.

use std::collections::BTreeMap;
use std::sync::Arc;

use thiserror::Error;

use super::{Event, EventKind, TraceOutcome, TracePart};
use crate::Constants;
use crate::admission::{AccountUse, Admission, Ask, Place, Refusal, ResourceId, TableCapacity};
use crate::constants::ConstantError;

/// An event that does not fit what came before it.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ReplayError {
    /// The table was never set up, or is gone.
    #[error("there is no table of number {0} at this point: its 'table' line is missing")]
    UnknownTable(u64),
    /// The request was not admitted before.
    #[error("request {0} was not admitted before this line, or is settled already")]
    UnknownRequest(u64),
    /// A settlement has not one cost for each part.
    #[error("request {request} has {parts} parts, but {costs} costs stand here")]
    WrongParts {
        /// The request.
        request: u64,
        /// Its parts.
        parts: usize,
        /// The costs given.
        costs: usize,
    },
    /// A part names an index that does not exist.
    #[error("the table has no index of number {0}")]
    UnknownIndex(u16),
    /// A constant cannot be set.
    #[error("{0}")]
    Constant(String),
}

impl From<ConstantError> for ReplayError {
    fn from(error: ConstantError) -> Self {
        Self::Constant(error.to_string())
    }
}

/// A decision that was made again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// As the trace has it.
    pub recorded: TraceOutcome,
    /// As it came out now.
    pub replayed: TraceOutcome,
}

impl Decision {
    /// Whether both are the same.
    pub fn agrees(&self) -> bool {
        self.recorded == self.replayed
    }
}

struct Table {
    name: String,
    capacity: TableCapacity,
    open: BTreeMap<u64, Admission>,
}

/// Drives the model with the events of a trace.
#[derive(Default)]
pub struct Replay {
    constants: Constants,
    tables: BTreeMap<u64, Table>,
}

impl Replay {
    /// With the constants that the trace will name, and nothing else yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Does what the event says, and answers the decision if there was one to make.
    ///
    /// # Errors
    /// When the event does not fit what came before it.
    pub fn apply(&mut self, event: &Event) -> Result<Option<Decision>, ReplayError> {
        let at = event.at;
        match &event.kind {
            EventKind::Constant { name, value } => {
                self.constants.set(name, *value)?;
                return Ok(None);
            }
            EventKind::Table { name, spec } => {
                let capacity = TableCapacity::new(spec, Arc::new(self.constants.clone()), at);
                self.tables
                    .insert(event.table, Table { name: name.clone(), capacity, open: BTreeMap::new() });
                return Ok(None);
            }
            EventKind::Drop => {
                self.tables.remove(&event.table).ok_or(ReplayError::UnknownTable(event.table))?;
                return Ok(None);
            }
            _ => {}
        }
        let table = self.tables.get_mut(&event.table).ok_or(ReplayError::UnknownTable(event.table))?;
        table.apply(event)
    }

    /// The capacity of a table as it is now.
    pub fn table(&mut self, number: u64) -> Option<&mut TableCapacity> {
        self.tables.get_mut(&number).map(|table| &mut table.capacity)
    }
}

impl Table {
    fn apply(&mut self, event: &Event) -> Result<Option<Decision>, ReplayError> {
        let at = event.at;
        match &event.kind {
            EventKind::Admit { request, parts, outcome } => {
                let asks = self.asks(parts)?;
                let answer = self.capacity.admit(at, &asks);
                return Ok(Some(self.decided(*request, outcome, answer)));
            }
            EventKind::Extend { request, parts, outcome } => {
                let asks = self.asks(parts)?;
                let admission = self.open.remove(request).ok_or(ReplayError::UnknownRequest(*request))?;
                let answer = self.capacity.extend(at, admission, &asks);
                return Ok(Some(self.decided(*request, outcome, answer)));
            }
            EventKind::Settle { request, exact } => {
                // A request that was refused, and run all the same, has nothing to settle.
                let Some(admission) = self.open.remove(request) else { return Ok(None) };
                if admission.parts() != exact.len() {
                    let (parts, costs) = (admission.parts(), exact.len());
                    return Err(ReplayError::WrongParts { request: *request, parts, costs });
                }
                self.capacity.settle(at, admission, exact);
            }
            EventKind::Release { request } => {
                let admission = self.open.remove(request).ok_or(ReplayError::UnknownRequest(*request))?;
                self.capacity.release(at, admission);
            }
            EventKind::Resize { resource, hash, sort_key, bytes_delta } => {
                self.check_index(*resource)?;
                let place = Place { hash: *hash, sort_key };
                self.capacity.resize(at, *resource, place, *bytes_delta);
            }
            EventKind::Follow(spec) => self.capacity.follow(at, spec),
            EventKind::AddIndex(index) => {
                self.capacity.add_index(index, at);
            }
            EventKind::RemoveIndex(name) => self.capacity.remove_index(name),
            EventKind::Update { update, elsewhere, .. } => {
                let account = AccountUse { region: "", table: &self.name, provisioned_elsewhere: *elsewhere };
                // Refused when it was recorded, refused now: by the same rules.
                let _ = self.capacity.update(at, update, &account);
            }
            EventKind::Constant { .. } | EventKind::Table { .. } | EventKind::Drop => {}
        }
        Ok(None)
    }

    fn asks<'a>(&self, parts: &'a [TracePart]) -> Result<Vec<Ask<'a>>, ReplayError> {
        parts.iter().map(|part| self.check_index(part.resource).map(|()| part.ask())).collect()
    }

    fn check_index(&self, resource: ResourceId) -> Result<(), ReplayError> {
        match usize::from(resource.number()) < self.capacity.resource_count() {
            true => Ok(()),
            false => Err(ReplayError::UnknownIndex(resource.number())),
        }
    }

    fn decided(
        &mut self,
        request: u64,
        recorded: &TraceOutcome,
        answer: Result<Admission, Refusal>,
    ) -> Decision {
        let replayed = TraceOutcome::of(&answer);
        if let Ok(admission) = answer {
            self.open.insert(request, admission);
        }
        Decision { recorded: recorded.clone(), replayed }
    }
}

//! The capacity model of a live table, and the trace of what it is asked.
//!
//! Everything that changes the model goes through here, under the lock of its table: so a trace has the events of a table
//! in the order in which the model saw them, and a replay decides the same.

use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;

use dynamometer_capacity::Constants;
use dynamometer_capacity::admission::{
    Admission, Ask, Exact, Place, Refusal, ResourceId, ResourceReport, TableCapacity, TableSpec,
};
use dynamometer_capacity::trace::{Event, EventKind, TraceOutcome};
use dynamometer_types::Timestamp;

/// Where the events of a trace go while traffic is recorded.
pub trait TraceSink: Debug + Send + Sync {
    /// Takes the next event. Those of one table come in order. Called under the lock of the table: it must be quick.
    fn record(&self, event: Event);
}

/// The model of a table, with its trace if there is one.
#[derive(Debug)]
pub(crate) struct Model {
    capacity: TableCapacity,
    /// The latest moment it was told: requests that cross may come with an earlier one.
    latest: Timestamp,
    trace: Option<Trace>,
}

#[derive(Debug)]
struct Trace {
    sink: Arc<dyn TraceSink>,
    /// The table's number in the trace.
    table: u64,
    /// Requests so far.
    requests: u64,
    /// The moment of the last event.
    last: Timestamp,
}

/// A request that was let in.
pub(crate) struct Admitted {
    admission: Admission,
    request: u64,
}

/// A request that was refused, and may be run all the same because throttling is only reported.
pub(crate) struct Refused {
    pub(crate) refusal: Refusal,
    request: u64,
}

impl Model {
    /// The model of a table that nobody has used since `since`.
    pub(crate) fn new(
        table: (&str, u32),
        spec: TableSpec,
        constants: Arc<Constants>,
        since: Timestamp,
        sink: Option<&Arc<dyn TraceSink>>,
    ) -> Model {
        let capacity = TableCapacity::new(&spec, constants, since);
        let (name, number) = table;
        let mut trace =
            sink.map(|sink| Trace { sink: sink.clone(), table: number.into(), requests: 0, last: since });
        if let Some(trace) = &mut trace {
            trace.record(since, EventKind::Table { name: name.to_owned(), spec: Box::new(spec) });
        }
        Model { capacity, latest: since, trace }
    }

    /// Time as the model has it, which never goes back.
    fn moment(&mut self, now: Timestamp) -> Timestamp {
        self.latest = self.latest.max(now);
        self.latest
    }

    /// Asks for the floor of a request.
    pub(crate) fn admit(&mut self, now: Timestamp, asks: &[Ask<'_>]) -> Result<Admitted, Refused> {
        let now = self.moment(now);
        let answer = self.capacity.admit(now, asks);
        let request = self.trace.as_mut().map_or(0, |trace| {
            trace.requests += 1;
            let parts = asks.iter().map(Into::into).collect();
            let request = trace.requests;
            trace.record(now, EventKind::Admit { request, parts, outcome: TraceOutcome::of(&answer) });
            request
        });
        match answer {
            Ok(admission) => Ok(Admitted { admission, request }),
            Err(refusal) => Err(Refused { refusal, request }),
        }
    }

    /// Asks for the whole cost of a request. `is_reported` says that it is run also when it is refused.
    pub(crate) fn charge(
        &mut self,
        now: Timestamp,
        asks: &[Ask<'_>],
        is_reported: bool,
    ) -> Result<Admitted, Refusal> {
        self.admit(now, asks).map_err(|refused| {
            if is_reported && self.trace.is_some() {
                let exact: Vec<Exact> = asks.iter().map(|ask| Exact::units(ask.floor)).collect();
                self.note_cost(now, &refused, &exact);
            }
            refused.refusal
        })
    }

    /// Settles what a request cost in the end.
    pub(crate) fn settle(&mut self, now: Timestamp, admitted: Admitted, exact: &[Exact]) {
        let now = self.moment(now);
        self.capacity.settle(now, admitted.admission, exact);
        self.record_cost(now, admitted.request, exact);
    }

    /// Notes what a request cost that was refused and has run all the same. It does not draw on anything.
    pub(crate) fn note_cost(&mut self, now: Timestamp, refused: &Refused, exact: &[Exact]) {
        let now = self.moment(now);
        self.record_cost(now, refused.request, exact);
    }

    fn record_cost(&mut self, now: Timestamp, request: u64, exact: &[Exact]) {
        if let Some(trace) = &mut self.trace {
            trace.record(now, EventKind::Settle { request, exact: exact.to_vec() });
        }
    }

    /// Gives back what a request was let in with that is not run.
    pub(crate) fn release(&mut self, now: Timestamp, admitted: Admitted) {
        let now = self.moment(now);
        self.capacity.release(now, admitted.admission);
        if let Some(trace) = &mut self.trace {
            trace.record(now, EventKind::Release { request: admitted.request });
        }
    }

    /// Counts that what is stored at a place grew, or shrank.
    pub(crate) fn resize(
        &mut self,
        now: Timestamp,
        resource: ResourceId,
        place: Place<'_>,
        bytes_delta: i64,
    ) {
        let now = self.moment(now);
        self.capacity.resize(now, resource, place, bytes_delta);
        if let Some(trace) = &mut self.trace {
            let (hash, sort_key) = (place.hash, place.sort_key.into());
            trace.record(now, EventKind::Resize { resource, hash, sort_key, bytes_delta });
        }
    }

    /// Takes over settings that changed.
    pub(crate) fn follow(&mut self, now: Timestamp, spec: TableSpec) {
        let now = self.moment(now);
        self.capacity.follow(now, &spec);
        if let Some(trace) = &mut self.trace {
            trace.record(now, EventKind::Follow(Box::new(spec)));
        }
    }

    /// What the model knows at `now`. It brings itself up to date for that, which changes no later decision.
    pub(crate) fn report(&mut self, now: Timestamp) -> Vec<ResourceReport> {
        let now = self.moment(now);
        self.capacity.report(now)
    }

    /// Where the table's partitions begin at `now`.
    pub(crate) fn partition_starts(&mut self, now: Timestamp) -> Vec<u64> {
        let now = self.moment(now);
        self.capacity.partition_starts(now)
    }
}

impl Trace {
    fn record(&mut self, at: Timestamp, kind: EventKind) {
        self.last = at;
        self.sink.record(Event { table: self.table, at, kind });
    }
}

/// The last version of the table is gone.
impl Drop for Trace {
    fn drop(&mut self) {
        self.record(self.last, EventKind::Drop);
    }
}

/// What the model shows of itself.
impl Deref for Model {
    type Target = TableCapacity;

    fn deref(&self) -> &TableCapacity {
        &self.capacity
    }
}

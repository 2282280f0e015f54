//! Playing a recorded trace under other settings.

use std::collections::BTreeMap;
use std::sync::Arc;

use dynamometer_types::Timestamp;
use thiserror::Error;

use super::load::MOST_MINUTES;
use super::managed::{Demand, Managed};
use super::outcome::{MinutePoint, Outcome};
use super::setting::{Setting, Throughput};
use super::synthetic;
use crate::admission::{Admission, Ask, Dimension, Exact, PerDimension, Place, ResourceId, TableSpec};
use crate::money::{Bill, Money, RegionPrices};
use crate::trace::{Event, EventKind, Replay, ReplayError, TracePart};
use crate::{CapacityUnits, Constants};

/// A trace that cannot be played.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ReplayUnderError {
    /// The event at this position, counted from 0, does not fit what came before it.
    #[error("{error}")]
    Event {
        /// Its position.
        position: usize,
        /// Why.
        error: ReplayError,
    },
    /// There is no request in it.
    #[error("the trace has no request in it")]
    Empty,
    /// Each minute is kept in memory.
    #[error("the trace goes on for more than {} days after its first request", MOST_MINUTES / 1_440)]
    TooLong,
    /// Shards need to know which reads would have to ask all shards.
    #[error(
        "setting '{0}' cannot be played on a trace: a trace does not tell which reads would ask all shards"
    )]
    Shards(Setting),
}

/// Plays a trace under each setting. A setting but `recorded` leaves out the changes of throughput in the trace, and starts
/// its tables anew; `recorded` follows them, and tells how many decisions came out otherwise.
///
/// # Errors
/// When the trace is empty, longer than a year or does not fit together, or a setting has shards.
pub fn replay_under(
    events: &[Event],
    settings: &[Setting],
    prices: &RegionPrices<'_>,
) -> Result<Vec<Outcome>, ReplayUnderError> {
    if let Some(setting) = settings.iter().find(|setting| setting.shards > 1) {
        return Err(ReplayUnderError::Shards(*setting));
    }
    let start = trace_start(events);
    let end = events.iter().map(|event| event.at).max().unwrap_or_default();
    if start.is_some_and(|start| (end - start) / 60_000 > MOST_MINUTES as i64) {
        return Err(ReplayUnderError::TooLong);
    }
    let at_event = |position: usize| move |error| ReplayUnderError::Event { position, error };
    let mut constants = Constants::default();
    let mut is_asked = false;
    // One pass as recorded: it proves that the trace fits together, and counts what differs.
    let (mut replay, mut differing) = (Replay::new(), 0);
    for (position, event) in events.iter().enumerate() {
        if let EventKind::Constant { name, value } = &event.kind {
            constants.set(name, *value).map_err(|error| at_event(position)(error.into()))?;
        }
        if let Some(decision) = replay.apply(event).map_err(at_event(position))? {
            is_asked = true;
            differing += u64::from(!decision.agrees());
        }
    }
    let (Some(start), Some(first), true) = (start, first_request(events), is_asked) else {
        return Err(ReplayUnderError::Empty);
    };
    let demands = demands(events, start);
    let constants = Arc::new(constants);
    let play = |setting: &Setting| {
        let mut player = Player::new(*setting, &demands, &constants, start, first);
        events.iter().for_each(|event| player.apply(event));
        let mut outcome = player.outcome(end, prices);
        if setting.throughput == Throughput::Recorded {
            outcome.differing = Some(differing);
        }
        outcome
    };
    Ok(settings.iter().map(play).collect())
}

/// The minute of the first request. A table can have been set up long before.
pub fn trace_start(events: &[Event]) -> Option<Timestamp> {
    let first = first_request(events)?;
    Some(Timestamp::from_millis(first.millis().div_euclid(60_000) * 60_000))
}

/// The moment of the first request: money is counted from there on.
pub fn first_request(events: &[Event]) -> Option<Timestamp> {
    events.iter().find(|event| matches!(event.kind, EventKind::Admit { .. })).map(|event| event.at)
}

/// What was asked of a resource, in half units.
type Asked = (ResourceId, Dimension, u64);

/// What each table and index was asked in units per second, by its minutes.
type Demands = BTreeMap<u64, Vec<PerDimension<BTreeMap<i64, u64>>>>;

fn demands(events: &[Event], start: Timestamp) -> Demands {
    let mut demands = Demands::new();
    let mut open: BTreeMap<(u64, u64), Vec<Asked>> = BTreeMap::new();
    for event in events {
        let minute = (event.at - start).div_euclid(60_000);
        let mut add = |resource: ResourceId, dimension: Dimension, halves: u64| {
            let table = demands.entry(event.table).or_default();
            let slot = usize::from(resource.number());
            if table.len() <= slot {
                table.resize_with(slot + 1, Default::default);
            }
            *table[slot][dimension].entry(minute).or_default() += halves;
        };
        match &event.kind {
            EventKind::Admit { request, parts, .. } | EventKind::Extend { request, parts, .. } => {
                let known = open.entry((event.table, *request)).or_default();
                for part in parts {
                    add(part.resource, part.dimension, part.floor.halves());
                    known.push((part.resource, part.dimension, part.floor.halves()));
                }
            }
            EventKind::Settle { request, exact } => {
                let parts = open.remove(&(event.table, *request)).unwrap_or_default();
                for ((resource, dimension, floor), exact) in parts.into_iter().zip(exact) {
                    add(resource, dimension, exact.units.halves().saturating_sub(floor));
                }
            }
            _ => {}
        }
    }
    demands
}

/// A request that waits for its settlement.
struct Pending {
    admission: Option<Admission>,
    /// The parts that the trace has for it.
    parts: usize,
}

struct Table {
    managed: Managed,
    pending: BTreeMap<u64, Pending>,
    spec_bytes: u64,
}

/// One setting under way.
struct Player<'a> {
    setting: Setting,
    demands: &'a Demands,
    constants: &'a Arc<Constants>,
    start: Timestamp,
    first_request: Timestamp,
    minute: i64,
    tables: BTreeMap<u64, Table>,
    gone: Vec<Table>,
    point: MinutePoint,
    before: PerDimension<u64>,
    minutes: Vec<MinutePoint>,
}

impl<'a> Player<'a> {
    fn new(
        setting: Setting,
        demands: &'a Demands,
        constants: &'a Arc<Constants>,
        start: Timestamp,
        first_request: Timestamp,
    ) -> Self {
        Self {
            setting,
            demands,
            constants,
            start,
            first_request,
            minute: 0,
            tables: BTreeMap::new(),
            gone: Vec::new(),
            point: MinutePoint::default(),
            before: PerDimension::default(),
            minutes: Vec::new(),
        }
    }

    fn apply(&mut self, event: &Event) {
        if matches!(event.kind, EventKind::Constant { .. }) {
            return;
        }
        while self.minute < (event.at - self.start).div_euclid(60_000) {
            self.end_minute();
        }
        match &event.kind {
            EventKind::Table { spec, .. } => self.set_up(event, spec),
            EventKind::Drop => self.gone.extend(self.tables.remove(&event.table)),
            _ => {
                let follows_changes = self.setting.throughput == Throughput::Recorded;
                if let Some(table) = self.tables.get_mut(&event.table) {
                    table.apply(event, follows_changes, &mut self.point);
                }
            }
        }
    }

    fn set_up(&mut self, event: &Event, spec: &TableSpec) {
        let asked = self.demands.get(&event.table);
        let names = std::iter::once(None).chain(spec.indexes.iter().map(|index| Some(index.name.clone())));
        let names: Vec<_> = names.collect();
        let slots = names.len().max(asked.map_or(0, Vec::len));
        let demands: Vec<Demand> = (0..slots)
            .map(|slot| {
                let minutes = asked.and_then(|slots| slots.get(slot));
                let of = |dimension: Dimension, which: &dyn Fn(&BTreeMap<i64, u64>) -> Option<u64>| {
                    minutes.and_then(|minutes| which(&minutes[dimension])).unwrap_or(0).div_ceil(120)
                };
                let both = |which: &dyn Fn(&BTreeMap<i64, u64>) -> Option<u64>| {
                    PerDimension::new(of(Dimension::Read, which), of(Dimension::Write, which))
                };
                Demand {
                    name: names.get(slot).cloned().flatten(),
                    first: both(&|minutes| minutes.values().next().copied()),
                    peak: both(&|minutes| minutes.values().max().copied()),
                }
            })
            .collect();
        let here = &demands[..names.len()];
        let mut managed = Managed::new(self.setting, here, spec, self.constants.clone(), event.at);
        managed.bill_from(self.first_request);
        managed.expect(demands);
        let spec_bytes =
            spec.table.bytes + spec.indexes.iter().map(|index| index.resource.bytes).sum::<u64>();
        let table = Table { managed, pending: BTreeMap::new(), spec_bytes };
        self.gone.extend(self.tables.insert(event.table, table));
    }

    fn end_minute(&mut self) {
        self.minute += 1;
        let now = self.start + self.minute * 60_000;
        let mut consumed = PerDimension::<u64>::default();
        for table in self.tables.values_mut().chain(&mut self.gone) {
            let counters = table.managed.capacity.counters(ResourceId::TABLE);
            consumed.read += counters.read.consumed_halves;
            consumed.write += counters.write.consumed_halves;
        }
        for table in self.tables.values_mut() {
            let rate = table.managed.capacity.rate(ResourceId::TABLE);
            self.point.allowed.read += rate.read;
            self.point.allowed.write += rate.write;
            let count = |resource| table.managed.capacity.partition_count(resource) as u64;
            self.point.partitions += table.managed.resources().map(count).sum::<u64>();
            table.managed.close_minute(now);
        }
        // What a settlement gave back may belong to the minute before.
        self.point.consumed_halves = PerDimension::new(
            consumed.read.saturating_sub(self.before.read),
            consumed.write.saturating_sub(self.before.write),
        );
        self.before = consumed;
        self.minutes.push(std::mem::take(&mut self.point));
    }

    fn outcome(mut self, end: Timestamp, prices: &RegionPrices<'_>) -> Outcome {
        self.end_minute();
        let tables: Vec<&Table> = self.tables.values().chain(&self.gone).collect();
        let managed: Vec<&Managed> = tables.iter().map(|table| &table.managed).collect();
        let mut outcome = synthetic::outcome(self.setting, self.start, self.minutes, &managed);
        let (mut bill, mut month, mut once) = (Bill::default(), Money::ZERO, Money::ZERO);
        for table in tables {
            match table.managed.bill(end, table.spec_bytes, prices) {
                Ok((lines, a_month, at_once)) => {
                    bill.lines.extend(lines.lines);
                    month += a_month;
                    once += at_once;
                }
                Err(missing) => {
                    outcome.bill = Err(missing.to_string());
                    return outcome;
                }
            }
        }
        (outcome.bill, outcome.month, outcome.once) = (Ok(bill), Some(month), once);
        outcome
    }
}

impl Table {
    fn apply(&mut self, event: &Event, follows_changes: bool, point: &mut MinutePoint) {
        let at = event.at;
        let capacity = &mut self.managed.capacity;
        match &event.kind {
            EventKind::Admit { request, parts, .. } => {
                let asks: Vec<Ask<'_>> = parts.iter().map(TracePart::ask).collect();
                let dimension = parts[0].dimension;
                let admission = capacity.admit(at, &asks).ok();
                point.asked[dimension] += 1;
                point.refused[dimension] += u64::from(admission.is_none());
                self.pending.insert(*request, Pending { admission, parts: parts.len() });
            }
            EventKind::Extend { request, parts, .. } => {
                let Some(pending) = self.pending.get_mut(request) else { return };
                pending.parts += parts.len();
                let Some(admission) = pending.admission.take() else { return };
                let asks: Vec<Ask<'_>> = parts.iter().map(TracePart::ask).collect();
                pending.admission = capacity.extend(at, admission, &asks).ok();
                if pending.admission.is_none() {
                    let dimension = parts.first().map_or(Dimension::Write, |part| part.dimension);
                    point.refused[dimension] += 1;
                }
            }
            EventKind::Settle { request, exact } => {
                let Some(pending) = self.pending.remove(request) else { return };
                let Some(admission) = pending.admission else { return };
                // Parts that were refused when it was recorded have no cost of their own there.
                let mut exact = exact.clone();
                exact.resize(admission.parts(), Exact::units(CapacityUnits::ONE));
                capacity.settle(at, admission, &exact);
            }
            EventKind::Release { request } => {
                let pending = self.pending.remove(request);
                if let Some(admission) = pending.and_then(|pending| pending.admission) {
                    capacity.release(at, admission);
                }
            }
            EventKind::Resize { resource, hash, sort_key, bytes_delta } => {
                capacity.resize(at, *resource, Place { hash: *hash, sort_key }, *bytes_delta);
            }
            EventKind::Update { update, elsewhere, .. } if follows_changes => {
                self.managed.follow(at, update, *elsewhere);
            }
            EventKind::Follow(spec) => self.managed.follow_spec(at, spec, follows_changes),
            EventKind::AddIndex(index) => self.managed.add_index(index, at),
            EventKind::RemoveIndex(name) => self.managed.remove_index(name, at),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::{BillingMode, IndexSpec, ResourceSpec};
    use crate::money::PriceTable;
    use crate::trace::TraceOutcome;

    #[test]
    fn a_trace_that_does_not_end_within_a_year_is_refused() {
        let at = [0, 0, MOST_MINUTES as i64 * 60_000, (MOST_MINUTES as i64 + 1) * 60_000, i64::MAX];
        let at = at.map(Timestamp::from_millis);
        let part = TracePart {
            resource: ResourceId::TABLE,
            dimension: Dimension::Read,
            hash: 7,
            sort_key: Box::default(),
            floor: CapacityUnits::ONE,
        };
        let (outcome, spec) = (TraceOutcome::Admitted, Box::default());
        let mut events = vec![
            Event { table: 1, at: at[0], kind: EventKind::Table { name: "T".into(), spec } },
            Event { table: 1, at: at[1], kind: EventKind::Admit { request: 1, parts: vec![part], outcome } },
        ];
        let prices = PriceTable::builtin();
        let prices = prices.region("us-east-1").unwrap();
        let settings = Setting::parse_list("recorded").unwrap();
        for (end, fits) in [(at[2], true), (at[3], false), (at[4], false)] {
            events.push(Event { table: 1, at: end, kind: EventKind::Drop });
            let played = replay_under(&events, &settings, &prices);
            assert_eq!(played.err(), (!fits).then_some(ReplayUnderError::TooLong));
            events.pop();
        }
    }

    /// One index is deleted and another one made: it gets the number of the first.
    #[test]
    fn what_was_counted_on_an_index_stays_when_it_is_deleted() {
        let minute = |minute: i64| Timestamp::from_millis(minute * 60_000);
        let spec = |index: Option<&str>| {
            let resource = ResourceSpec::provisioned(5, 5);
            let indexes = index.map(|name| IndexSpec { name: name.into(), resource });
            Box::new(TableSpec {
                mode: BillingMode::Provisioned,
                table: ResourceSpec::provisioned(10, 10),
                indexes: indexes.into_iter().collect(),
                ..TableSpec::default()
            })
        };
        let event = |at, kind| Event { table: 1, at, kind };
        let mut events = vec![event(minute(0), EventKind::Table { name: "T".into(), spec: spec(Some("a")) })];
        for number in 0..90 {
            let change = match number {
                10 => Some(None),
                20 => Some(Some("b")),
                _ => None,
            };
            events.extend(change.map(|index| event(minute(number), EventKind::Follow(spec(index)))));
            let part = |resource| TracePart {
                resource: ResourceId::of_number(resource),
                dimension: Dimension::Write,
                hash: 7,
                sort_key: Box::default(),
                floor: CapacityUnits::ONE,
            };
            let parts = if (10..20).contains(&number) { vec![part(0)] } else { vec![part(0), part(1)] };
            let (request, outcome) = (number as u64, TraceOutcome::Admitted);
            events.push(event(minute(number), EventKind::Admit { request, parts, outcome }));
        }
        let prices = PriceTable::builtin();
        let prices = prices.region("us-east-1").unwrap();
        let settings = Setting::parse_list("recorded,on-demand,prov:70").unwrap();
        for outcome in replay_under(&events, &settings, &prices).unwrap() {
            let setting = outcome.setting;
            assert_eq!(outcome.consumed.write, CapacityUnits::from_whole(90 + 80), "{setting}");
            if setting.throughput == Throughput::Recorded {
                // Ten units and those of b for two hours, those of a for one.
                let hours = |item| {
                    let bill = outcome.bill.as_ref().unwrap();
                    let lines = bill.lines.iter().filter(|line| line.item == item);
                    lines.map(|line| line.quantity / line.divisor).sum::<u128>()
                };
                assert_eq!(hours(crate::money::PriceItem::WcuHour), 2 * 10 + 2 * 5 + 5);
            }
        }
    }

    #[test]
    fn an_index_that_comes_later_gets_what_it_will_be_asked() {
        let minute = |minute: i64| Timestamp::from_millis(minute * 60_000);
        let spec = |index: Option<&str>| {
            let resource = ResourceSpec::provisioned(5, 5);
            let indexes = index.map(|name| IndexSpec { name: name.into(), resource });
            Box::new(TableSpec { indexes: indexes.into_iter().collect(), ..TableSpec::default() })
        };
        let part = TracePart {
            resource: ResourceId::of_number(1),
            dimension: Dimension::Write,
            hash: 7,
            sort_key: Box::default(),
            floor: CapacityUnits::from_whole(600),
        };
        let (parts, outcome) = (vec![part], TraceOutcome::Admitted);
        let event = |at, kind| Event { table: 1, at: minute(at), kind };
        let events = [
            event(0, EventKind::Table { name: "T".into(), spec: spec(None) }),
            event(1, EventKind::Follow(spec(Some("late")))),
            event(2, EventKind::Admit { request: 1, parts, outcome }),
        ];
        let prices = PriceTable::builtin();
        let prices = prices.region("us-east-1").unwrap();
        let settings = Setting::parse_list("fixed:peak").unwrap();
        let outcome = &replay_under(&events, &settings, &prices).unwrap()[0];
        let lines = outcome.bill.as_ref().unwrap().lines.iter();
        let lines = lines.filter(|line| line.item == crate::money::PriceItem::WcuHour);
        // 600 units in a minute are 10 a second; the table is asked nothing and has its least.
        assert_eq!(lines.map(|line| line.quantity / line.divisor).sum::<u128>(), 1 + 10);
    }
}

//! The live state of one table: the model, and what is counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dynamometer_capacity::CapacityUnits;
use dynamometer_capacity::admission::{BillingMode, Dimension, PerDimension, ResourceId};
use dynamometer_capacity::money::HourlyPeak;
use dynamometer_cloudwatch::series::{MINUTE_MS, begin_of};
use dynamometer_types::Timestamp;
use parking_lot::Mutex;

use super::contributors::Contributors;
use super::hottest::Hottest;
use super::minute::{ClosedMinute, ClosedResource, ResourceMinute, TableMinute, own_series};
use super::model::Model;
use super::spec::{in_force_from, spec_of, unused_since};
use super::usage::{OPERATIONS, Operation, OperationUse};
use crate::catalog::record::InsightsRecord;
use crate::catalog::{IndexKind, Table};
use crate::disk::keys::ObjectId;
use crate::engine::EngineConfig;

/// What all versions of a table share. Empty until the table is first used.
#[derive(Debug, Default)]
pub(crate) struct Live {
    state: Mutex<Option<Box<State>>>,
    /// What consumes no throughput, and is counted whatever becomes of throttling.
    pub(crate) free: FreeUse,
}

/// What happened on a table since the server started without consuming its throughput.
#[derive(Debug, Default)]
pub(crate) struct FreeUse {
    /// Items that time to live deleted.
    pub(crate) expired_items: AtomicU64,
    /// How many of those were published as a metric.
    published_expired: AtomicU64,
    /// GetRecords calls on its streams.
    pub(crate) stream_reads: AtomicU64,
    /// Records that they answered.
    pub(crate) stream_records: AtomicU64,
    /// Bytes of those records.
    pub(crate) stream_bytes: AtomicU64,
}

/// The model of a table and what was counted on it.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) capacity: Model,
    /// The version of the table that `capacity` follows.
    follows: u64,
    pub(crate) mode: BillingMode,
    /// The first and the last request.
    pub(crate) span: Option<(Timestamp, Timestamp)>,
    /// The table, then its indexes, local ones too.
    pub(crate) resources: Vec<Resource>,
    /// What was counted in the open minute, beside what the resources have of it.
    pub(crate) minute: TableMinute,
    /// Where the minute ends that is open, milliseconds.
    minute_end_ms: i64,
    /// Whether anything was counted in it.
    is_minute_used: bool,
    /// Minutes that are over and were not collected yet.
    closed: Vec<ClosedMinute>,
}

/// The table itself or one of its indexes.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) object: ObjectId,
    /// The index and its kind; `None` for the table.
    pub(crate) index: Option<(Arc<str>, IndexKind)>,
    /// Whose throughput it draws from: its own, or the table's.
    pub(crate) id: ResourceId,
    pub(crate) operations: [OperationUse; OPERATIONS],
    pub(crate) hottest: PerDimension<Option<Box<Hottest>>>,
    /// Half units consumed while the table was on demand.
    pub(crate) on_demand_halves: PerDimension<u64>,
    pub(crate) provisioned: PerDimension<HourlyPeak>,
    /// When keys were last written, to tell reads that come too soon after.
    recent: Option<Box<[(u64, i64); RECENT_KEYS]>>,
    /// Eventually consistent reads of an item or a partition key within [`SOON_MS`] of a write to it.
    pub(crate) soon_reads: u64,
    /// What was counted in the open minute.
    pub(crate) minute: ResourceMinute,
    /// What the rules of Contributor Insights saw in it.
    pub(crate) contributors: Contributors,
}

/// How many keys are remembered with their last write; an older one gives way to a newer one of the same place.
const RECENT_KEYS: usize = 128;
/// How soon after a write an eventually consistent read may well miss it. Our choice: AWS gives no figure but says that it is
/// usually a fraction of a second.
pub(crate) const SOON_MS: i64 = 100;
/// How many minutes that are over are kept for a job that does not come; it comes each second.
const MOST_CLOSED: usize = 60;

impl Live {
    /// Works on the state, which is made and brought up to date first. `bytes` tells what is stored of a table or
    /// index, and is asked only when the state is made, as `config` is.
    pub(crate) fn with<R>(
        &self,
        table: &Table,
        now: Timestamp,
        config: &EngineConfig,
        bytes: impl Fn(ObjectId) -> u64,
        work: impl FnOnce(&mut State) -> R,
    ) -> R {
        let mut slot = self.state.lock();
        let state = slot.get_or_insert_with(|| Box::new(State::new(table, now, config, bytes)));
        if state.follows < table.version {
            state.follow(table, now);
        }
        if now.millis() >= state.minute_end_ms {
            state.close_minute(now);
        }
        state.is_minute_used = true;
        work(state)
    }

    /// Where the table's partitions begin, if there is a state, as its last request left it.
    pub(crate) fn partition_starts(&self) -> Option<Vec<u64>> {
        let mut slot = self.state.lock();
        slot.as_mut().map(|state| state.capacity.partition_starts(Timestamp::default()))
    }

    /// Looks at the state, if there is one.
    pub(crate) fn peek<R>(
        &self,
        table: &Table,
        now: Timestamp,
        work: impl FnOnce(&mut State) -> R,
    ) -> Option<R> {
        let mut slot = self.state.lock();
        let state = slot.as_mut()?;
        if state.follows < table.version {
            state.follow(table, now);
        }
        Some(work(state))
    }

    /// How many items time to live deleted since this was last asked.
    pub(crate) fn take_expired(&self) -> u64 {
        let all = self.free.expired_items.load(Ordering::Relaxed);
        all.saturating_sub(self.free.published_expired.swap(all, Ordering::Relaxed))
    }

    /// Whether something was counted that was not collected yet.
    pub(crate) fn has_counted(&self) -> bool {
        let slot = self.state.lock();
        slot.as_ref().is_some_and(|state| state.is_minute_used || !state.closed.is_empty())
    }

    /// Whether something was counted before the end of a minute that was not collected yet.
    pub(crate) fn has_counted_before(&self, end: Timestamp) -> bool {
        let slot = self.state.lock();
        let before_end = |state: &State| {
            !state.closed.is_empty() || state.is_minute_used && state.minute_end_ms <= end.millis()
        };
        let expired = self.free.expired_items.load(Ordering::Relaxed);
        expired != self.free.published_expired.load(Ordering::Relaxed)
            || slot.as_deref().is_some_and(before_end)
    }

    /// Takes what was counted in the minutes that are over.
    pub(crate) fn take_minutes(&self, now: Timestamp) -> Vec<ClosedMinute> {
        let mut slot = self.state.lock();
        let Some(state) = slot.as_mut() else { return Vec::new() };
        if now.millis() >= state.minute_end_ms {
            state.close_minute(now);
        }
        std::mem::take(&mut state.closed)
    }
}

impl State {
    fn new(table: &Table, now: Timestamp, config: &EngineConfig, bytes: impl Fn(ObjectId) -> u64) -> State {
        let mut spec = spec_of(&table.record, now);
        spec.table.bytes = bytes(table.id());
        for index in &mut spec.indexes {
            index.resource.bytes = table.index(&index.name).map_or(0, |known| bytes(known.id));
        }
        let since = unused_since(&table.record, now);
        let mode = spec.mode;
        let name = (table.record.name.as_str(), table.id());
        let mut state = State {
            capacity: Model::new(name, spec, config.constants.clone(), since, config.trace.as_ref()),
            follows: table.version,
            mode,
            span: None,
            resources: Vec::new(),
            minute: TableMinute::default(),
            minute_end_ms: begin_of(now.millis(), MINUTE_MS) + MINUTE_MS,
            is_minute_used: false,
            closed: Vec::new(),
        };
        state.list_resources(table, now);
        state
    }

    /// Puts what was counted in the open minute aside, and opens the minute around `now`.
    fn close_minute(&mut self, now: Timestamp) {
        let begin_ms = self.minute_end_ms - MINUTE_MS;
        self.minute_end_ms = begin_of(now.millis(), MINUTE_MS) + MINUTE_MS;
        if !std::mem::take(&mut self.is_minute_used) {
            return;
        }
        let resources = self.resources.iter_mut().filter_map(|resource| {
            let index = own_series(resource.index.as_ref())?;
            let counted = std::mem::take(&mut resource.minute);
            Some(ClosedResource { index, counted, contributors: resource.contributors.take() })
        });
        let resources = resources.collect();
        if self.closed.len() == MOST_CLOSED {
            self.closed.remove(0);
        }
        let table = std::mem::take(&mut self.minute);
        self.closed.push(ClosedMinute { begin_ms, table, resources });
    }

    /// Takes over what changed in the catalog, once it is in force.
    fn follow(&mut self, table: &Table, now: Timestamp) {
        let at = in_force_from(&table.record, now);
        if at > now {
            return;
        }
        let spec = spec_of(&table.record, at);
        self.mode = spec.mode;
        self.capacity.follow(at, spec);
        self.follows = table.version;
        self.list_resources(table, at);
    }

    /// Brings the list of the table and its indexes up to date; what was counted of those that stay, stays.
    fn list_resources(&mut self, table: &Table, now: Timestamp) {
        let mut known = std::mem::take(&mut self.resources);
        let indexes = table.indexes.iter().map(|index| (index.id, Some((index.name.clone(), index.kind))));
        for (object, index) in std::iter::once((table.id(), None)).chain(indexes) {
            let id = match &index {
                Some((name, IndexKind::Global)) => self.capacity.index_id(name).unwrap_or(ResourceId::TABLE),
                _ => ResourceId::TABLE,
            };
            let provisioned = provisioned_of(table, index.as_ref());
            let at = known.iter().position(|resource| resource.object == object);
            let mut resource =
                at.map_or_else(|| Resource::new(object, index, id, now), |at| known.swap_remove(at));
            resource.id = id;
            let (insights, has_sort_key) = insights_of(table, resource.index.as_ref());
            resource.contributors.follow(insights, has_sort_key);
            for dimension in Dimension::BOTH {
                resource.provisioned[dimension].set(provisioned[dimension], now);
            }
            self.resources.push(resource);
        }
    }

    pub(crate) fn touch(&mut self, now: Timestamp) {
        let (first, last) = self.span.get_or_insert((now, now));
        *first = now.min(*first);
        *last = now.max(*last);
    }

    /// The table or index with this number. A table that changed under a request may lack it.
    pub(crate) fn resource(&mut self, object: ObjectId) -> Option<&mut Resource> {
        self.resources.iter_mut().find(|resource| resource.object == object)
    }

    /// Where the metrics of a table or index are counted: those of a local index with its table.
    pub(crate) fn series(&mut self, object: ObjectId) -> Option<&mut Resource> {
        let known = self.resources.iter().find(|resource| resource.object == object)?;
        match known.index {
            Some((_, IndexKind::Local)) => {
                self.resources.iter_mut().find(|resource| resource.index.is_none())
            }
            _ => self.resource(object),
        }
    }

    /// Whose throughput an index draws from.
    pub(crate) fn id_of(&self, object: ObjectId) -> ResourceId {
        let known = self.resources.iter().find(|resource| resource.object == object);
        known.map_or(ResourceId::TABLE, |resource| resource.id)
    }
}

/// The setting of Contributor Insights of a table or global index, and whether it has a sort key.
fn insights_of<'a>(
    table: &'a Table,
    index: Option<&(Arc<str>, IndexKind)>,
) -> (Option<&'a InsightsRecord>, bool) {
    let record = &table.record;
    match index {
        None => (record.insights.as_ref(), !table.key.sort.is_empty()),
        Some((name, IndexKind::Global)) => {
            let setting = record.global_indexes.iter().find(|index| *index.name == **name);
            let has_sort_key = table.index(name).is_some_and(|index| !index.key.sort.is_empty());
            (setting.and_then(|index| index.insights.as_ref()), has_sort_key)
        }
        Some((_, IndexKind::Local)) => (None, false),
    }
}

fn provisioned_of(table: &Table, index: Option<&(Arc<str>, IndexKind)>) -> PerDimension<u64> {
    let record = &table.record;
    let throughput = match index {
        None => Some(record.throughput),
        Some((_, IndexKind::Local)) => None,
        Some((name, IndexKind::Global)) => {
            record.global_indexes.iter().find(|index| *index.name == **name).map(|index| index.throughput)
        }
    };
    let units = |units: i64| u64::try_from(units).unwrap_or(0);
    throughput.map_or_else(PerDimension::default, |t| PerDimension::new(units(t.read), units(t.write)))
}

impl Resource {
    fn new(
        object: ObjectId,
        index: Option<(Arc<str>, IndexKind)>,
        id: ResourceId,
        now: Timestamp,
    ) -> Resource {
        Resource {
            object,
            index,
            id,
            operations: [OperationUse::default(); OPERATIONS],
            hottest: PerDimension::default(),
            on_demand_halves: PerDimension::default(),
            provisioned: PerDimension::new(HourlyPeak::new(0, now), HourlyPeak::new(0, now)),
            recent: None,
            soon_reads: 0,
            minute: ResourceMinute::default(),
            contributors: Contributors::default(),
        }
    }

    /// Counts a request that ran.
    pub(crate) fn count(&mut self, operation: Operation, mode: BillingMode, units: CapacityUnits) {
        self.operations[operation as usize].count(units.halves());
        if mode == BillingMode::OnDemand {
            self.on_demand_halves[operation.dimension()] += units.halves();
        }
    }

    /// Counts the units of a partition key; `key` is the stored key behind table number and hash.
    pub(crate) fn heat(
        &mut self,
        dimension: Dimension,
        hash: u64,
        key: &[u8],
        units: CapacityUnits,
        now: Timestamp,
    ) {
        let hottest = self.hottest[dimension].get_or_insert_with(Hottest::new);
        hottest.count(hash, key, units.halves(), now.seconds());
    }

    /// Counts a request that the model refused.
    pub(crate) fn refuse(&mut self, operation: Operation, hash: u64) {
        self.operations[operation as usize].throttled += 1;
        if let Some(hottest) = &mut self.hottest[operation.dimension()] {
            hottest.refuse(hash);
        }
    }

    /// Remembers that a key was written.
    pub(crate) fn note_write(&mut self, hash: u64, now: Timestamp) {
        let recent = self.recent.get_or_insert_with(|| Box::new([(0, i64::MIN); RECENT_KEYS]));
        recent[hash as usize % RECENT_KEYS] = (hash, now.millis());
    }

    /// Counts an eventually consistent read of a key if it comes soon after a write to it; answers whether it does.
    pub(crate) fn note_read(&mut self, hash: u64, now: Timestamp) -> bool {
        let Some(recent) = &self.recent else { return false };
        let (written, at) = recent[hash as usize % RECENT_KEYS];
        let is_soon = written == hash && now.millis().saturating_sub(at) <= SOON_MS;
        self.soon_reads += u64::from(is_soon);
        is_soon
    }
}

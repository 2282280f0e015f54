//! The one way that items change.
//!
//! PutItem, UpdateItem, DeleteItem, the elements of a batch and the actions of a transaction are all a
//! [`PlannedWrite`] whose [`WriteOperation`] says what becomes of the item: a pure function of the old image, for
//! it may run again when the table changed meanwhile.
//!
//! [`Engine::start_writes`] does the work that needs the latches: read the old images, decide, and queue one
//! atomic batch that holds the items, their index entries and all counters. [`Started::finish`] waits until the
//! batch is on disk. Between the two, no lock is held.

mod collections;
mod conflicts;
mod index_rows;
pub(crate) mod latch;
mod recent;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use bytes::Bytes;
use dynamometer_capacity::CapacityUnits;
use dynamometer_capacity::meter::{Consumption, meter_failed_condition, meter_item_write};
use dynamometer_store::{Batch, Commit, Keyspace, StoreError};
use dynamometer_types::size::item_size;
use dynamometer_types::{ApiError, ErrorKind, Item, Timestamp};

use crate::Context;
use crate::catalog::{IndexKind, Table};
use crate::disk::keys::object_prefix;
use crate::disk::row::{CorruptRow, Row};
use crate::engine::{Engine, internal_error};
use crate::streams::record::{ItemChange, record_of};
use crate::throughput::{ItemAction, Operation, WriteCharge};
use crate::ttl::follow_expiry;
use collections::{CollectionGrowth, Collections};
use conflicts::{find_conflicts, free_of_conflict, merge_refused};
use index_rows::index_change;
pub(crate) use index_rows::{Image, IndexChange, count_entry, write_entry};
use latch::{Done, Held};

/// What becomes of an item.
pub(crate) enum Effect<'a> {
    /// It becomes this.
    Put(Cow<'a, Item>),
    /// It goes; when it is not there, nothing happens.
    Delete,
    /// It was only looked at.
    Keep,
}

/// What a write operation supplies: from the old image to the change.
pub(crate) trait WriteOperation: Sync {
    /// Decides. Pure: the same image gives the same effect.
    ///
    /// # Errors
    /// What the operation answers instead, such as a failed condition.
    fn effects(&self, table: &Table, old: &OldImage) -> Result<Effect<'_>, ApiError>;

    /// What kind of change it is.
    fn action(&self) -> ItemAction;

    /// Whether the charge is that of a transaction.
    fn is_transactional(&self) -> bool {
        false
    }
}

/// A write that knows its table and its key.
#[derive(Clone)]
pub(crate) struct PlannedWrite<'a> {
    pub(crate) table: Arc<Table>,
    /// The item's key on disk.
    pub(crate) key: Bytes,
    /// An item that has the key attributes: the new item, or the key itself.
    pub(crate) key_holder: &'a Item,
    pub(crate) operation: &'a dyn WriteOperation,
}

/// The item as it was, decoded when it is first looked at.
pub(crate) struct OldImage {
    row: Option<Row>,
    item: OnceCell<Item>,
    /// What the indexes need of it, when nobody wanted the whole.
    part: OnceCell<Item>,
}

impl OldImage {
    pub(crate) fn new(bytes: Option<Bytes>) -> OldImage {
        OldImage { row: bytes.map(Row::from_stored), item: OnceCell::new(), part: OnceCell::new() }
    }

    /// The item, when there was one.
    pub(crate) fn item(&self) -> Result<Option<&Item>, ApiError> {
        let Some(row) = &self.row else { return Ok(None) };
        Ok(Some(filled(&self.item, || row.decode())?))
    }

    /// The item as the indexes see it, when there was one.
    fn image(&self, table: &Table) -> Result<Option<Image<'_>>, ApiError> {
        let Some(row) = &self.row else { return Ok(None) };
        let item = match self.item.get() {
            Some(item) => item,
            None => filled(&self.part, || row.part(|name| table.indexes_need(name)))?,
        };
        Image::new(item, row).map(Some).map_err(internal_error)
    }

    /// The item's size in bytes, without decoding it.
    pub(crate) fn size(&self) -> Result<Option<u64>, ApiError> {
        self.row.as_ref().map(|row| row.item_size().map_err(internal_error)).transpose()
    }

    /// Whether there was an item.
    fn is_there(&self) -> bool {
        self.row.is_some()
    }

    /// The row as it is stored.
    pub(crate) fn row(&self) -> Option<&Row> {
        self.row.as_ref()
    }

    /// The row as it was stored.
    pub(crate) fn into_row(self) -> Option<Row> {
        self.row
    }
}

/// What the cell holds, made when it is empty.
fn filled(cell: &OnceCell<Item>, make: impl FnOnce() -> Result<Item, CorruptRow>) -> Result<&Item, ApiError> {
    if cell.get().is_none() {
        let _ = cell.set(make().map_err(internal_error)?);
    }
    cell.get().ok_or_else(|| internal_error("an item that was not kept"))
}

/// A write that is done, or queued to be.
pub(crate) struct Written<'a> {
    pub(crate) old: OldImage,
    /// The item as the write leaves it; `None` when it is not there, or was only looked at.
    pub(crate) new: Option<Cow<'a, Item>>,
    pub(crate) consumption: Consumption,
    /// Bytes of the item collection after the write; kept for tables with local indexes.
    pub(crate) collection_bytes: Option<u64>,
}

/// Why writes were not queued.
pub(crate) enum Stop {
    /// A table is not what the writes were planned on: plan anew.
    TableChanged,
    /// These operations refused, each at its place; `None` for those that would have gone through. They may have
    /// seen images that are not durable yet: `after` is waited for before anybody hears of it. What they cost all
    /// the same is `units`.
    Refused { refusals: Vec<Option<ApiError>>, after: Option<Commit>, units: CapacityUnits },
    /// The store failed, or the write could not be planned.
    Failed(ApiError),
}

impl Stop {
    /// What was consumed all the same: by a condition that failed.
    pub(crate) fn units(&self) -> CapacityUnits {
        match self {
            Stop::Refused { units, .. } => *units,
            Stop::TableChanged | Stop::Failed(_) => CapacityUnits::ZERO,
        }
    }

    /// The error of the first write that refused, once what it rests on is durable.
    pub(crate) async fn into_error(self) -> ApiError {
        match self {
            Stop::TableChanged => internal_error("the table changed again and again"),
            Stop::Failed(error) => error,
            Stop::Refused { refusals, after, .. } => {
                if let Some(Err(error)) = match after {
                    Some(commit) => Some(commit.await),
                    None => None,
                } {
                    return internal_error(error);
                }
                refusals
                    .into_iter()
                    .flatten()
                    .next()
                    .unwrap_or_else(|| internal_error("a refusal without a reason"))
            }
        }
    }
}

/// On whose behalf writes run.
#[derive(Clone, Copy)]
pub(crate) struct Behalf {
    /// The time of the request.
    pub(crate) now: Timestamp,
    /// The operation that they are counted for; `None` for the service's own, which are free: deletions by time to live.
    operation: Option<Operation>,
}

impl Behalf {
    /// A client's.
    pub(crate) fn of(operation: Operation, now: Timestamp) -> Behalf {
        Behalf { now, operation: Some(operation) }
    }

    /// The service's, for time to live.
    pub(crate) fn of_time_to_live(now: Timestamp) -> Behalf {
        Behalf { now, operation: None }
    }

    /// Whether the writes stand and fall together, rather than each by itself.
    fn is_together(self) -> bool {
        self.operation != Some(Operation::BatchWriteItem)
    }
}

/// An [`Effect`], with the stored form of what is put.
enum Change<'a> {
    Put(Cow<'a, Item>, Row),
    Delete,
    Keep,
}

/// What a write decided, before anything is queued.
struct Decision<'a> {
    old: OldImage,
    /// What becomes of the item; or why the write refuses.
    change: Result<Change<'a>, ApiError>,
    consumption: Consumption,
    /// By how many items and bytes the table grows.
    growth: [i64; 2],
    indexes: Vec<IndexChange>,
    collection: Option<CollectionGrowth>,
}

/// Writes that have joined the queue.
pub(crate) struct Started<'a> {
    /// In the order of the plans; of a batch, without those that were throttled.
    written: Vec<Written<'a>>,
    /// Of a batch: what those were refused with that were throttled, at their places. Empty when none were.
    throttled: Vec<Option<ApiError>>,
    /// Absent when there was nothing to change and nothing to wait for.
    commit: Option<Commit>,
    keys: Vec<Bytes>,
    done: Done,
}

impl<'a> Started<'a> {
    /// What became of each write of a batch that was throttled in part; `None` for those that were written.
    fn take_throttled(&mut self) -> Vec<Option<ApiError>> {
        std::mem::take(&mut self.throttled)
    }

    /// Waits on this thread until the writes are durable, for jobs.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn wait(self, engine: &Engine) -> Result<(), StoreError> {
        let Some(commit) = self.commit else { return Ok(()) };
        let outcome = commit.wait();
        engine.latches.forget(self.keys.iter(), &self.done);
        outcome.map(drop)
    }

    /// Waits until the writes are durable.
    ///
    /// # Errors
    /// `InternalServerError` when the store could not keep them.
    pub(crate) async fn finish(self, engine: &Engine) -> Result<Vec<Written<'a>>, ApiError> {
        if let Some(commit) = self.commit {
            let outcome = commit.await;
            engine.latches.forget(self.keys.iter(), &self.done);
            outcome.map_err(internal_error)?;
        }
        Ok(self.written)
    }

    /// The same of a single write.
    pub(crate) async fn finish_one(self, engine: &Engine) -> Result<Written<'a>, ApiError> {
        let written = self.finish(engine).await?.pop();
        written.ok_or_else(|| internal_error("a write without an outcome"))
    }
}

/// What will be queued: the batch, and the images that the next writers see.
#[derive(Default)]
struct Queue {
    batch: Batch,
    images: Vec<(Bytes, Option<Bytes>)>,
}

impl Queue {
    fn put(&mut self, key: &Bytes, row: Row) {
        self.batch.put(Keyspace::Items, key.clone(), row.bytes().clone());
        self.images.push((key.clone(), Some(row.bytes().clone())));
    }

    fn delete(&mut self, key: &Bytes) {
        self.batch.delete(Keyspace::Items, key.clone());
        self.images.push((key.clone(), None));
    }
}

/// A row that joins the batch beside the items: the token of a transaction.
pub(crate) struct Beside {
    pub(crate) key: Bytes,
    pub(crate) value: Bytes,
}

impl Engine {
    /// Runs one write on the table of a name, as often as the table changes under it. `plan` checks what needs the
    /// table.
    ///
    /// # Errors
    /// What `plan` or the operation answers; `InternalServerError` when the store could not keep the write.
    pub(crate) async fn write_one<'a>(
        &self,
        context: &Context<'_>,
        operation: Operation,
        table_name: &str,
        plan: impl Fn(&Arc<Table>) -> Result<PlannedWrite<'a>, ApiError>,
    ) -> Result<(Arc<Table>, Written<'a>), ApiError> {
        match self.start_one(context, operation, table_name, plan) {
            Ok((table, started)) => {
                let written = started.finish_one(self).await?;
                self.note_success(context, &table, operation, None);
                Ok((table, written))
            }
            Err(stop) => {
                let error = stop.into_error().await;
                self.note_failure(context, table_name, &error);
                Err(error)
            }
        }
    }

    /// The same up to where the write has joined the queue.
    pub(crate) fn start_one<'a>(
        &self,
        context: &Context<'_>,
        operation: Operation,
        table_name: &str,
        plan: impl Fn(&Arc<Table>) -> Result<PlannedWrite<'a>, ApiError>,
    ) -> Result<(Arc<Table>, Started<'a>), Stop> {
        let behalf = Behalf::of(operation, context.now);
        loop {
            let table = self.table(context, table_name).map_err(Stop::Failed)?;
            let planned = plan(&table).map_err(Stop::Failed)?;
            let planned = std::slice::from_ref(&planned);
            let mut held = self.latches.hold_for(planned, None);
            match self.start_writes(behalf, planned, &mut held, |_| None) {
                Err(Stop::TableChanged) => {}
                started => return started.map(|started| (table, started)),
            }
        }
    }

    /// Runs the writes of a batch, as often as their tables change under them. Answers the plans, what was written in
    /// their order, and what refused those that were throttled or met a transaction, at their places (empty when none
    /// were).
    ///
    /// # Errors
    /// What `plan` or an operation answers, and the first refusal when all were throttled; `InternalServerError` when
    /// the store could not keep the writes.
    #[allow(clippy::type_complexity)]
    pub(crate) async fn write_all<'a>(
        &self,
        context: &Context<'_>,
        plan: impl Fn() -> Result<Vec<PlannedWrite<'a>>, ApiError>,
    ) -> Result<(Vec<PlannedWrite<'a>>, Vec<Written<'a>>, Vec<Option<ApiError>>), ApiError> {
        let behalf = Behalf::of(Operation::BatchWriteItem, context.now);
        let stop = loop {
            let plans = plan()?;
            let (started, in_conflict) = self.start_free(behalf, &plans);
            if !matches!(started, Err(Stop::TableChanged)) {
                // Once, however often they are planned.
                self.note_conflicts(behalf, &plans, &in_conflict);
            }
            match started {
                Ok(mut started) => {
                    let refused = merge_refused(in_conflict, started.take_throttled());
                    return Ok((plans, started.finish(self).await?, refused));
                }
                Err(Stop::TableChanged) => {}
                Err(stop) => break stop,
            }
        };
        Err(stop.into_error().await)
    }

    /// Starts those of some writes that meet no transaction in progress. Answers beside it what refuses the others, at
    /// their places; nothing when there are none.
    pub(crate) fn start_free<'a>(
        &self,
        behalf: Behalf,
        plans: &[PlannedWrite<'a>],
    ) -> (Result<Started<'a>, Stop>, Vec<Option<ApiError>>) {
        let mut held = self.latches.hold_for(plans, None);
        let in_conflict = find_conflicts(plans, &held);
        let free = free_of_conflict(plans, &in_conflict);
        (self.start_writes(behalf, &free, &mut held, |_| None), in_conflict)
    }

    /// Reads, decides and queues some writes as one atomic batch. The keys must be distinct, and held.
    ///
    /// `beside` sees the writes and may add a row to the batch.
    pub(crate) fn start_writes<'a>(
        &self,
        behalf: Behalf,
        writes: &[PlannedWrite<'a>],
        held: &mut Held<'_>,
        beside: impl FnOnce(&[Written<'a>]) -> Option<Beside>,
    ) -> Result<Started<'a>, Stop> {
        if writes.iter().any(|write| !self.catalog.is_current(&write.table)) {
            return Err(Stop::TableChanged);
        }
        if behalf.is_together() {
            let refusals = self.conflicts(behalf, writes, held);
            if !refusals.is_empty() {
                return Err(Stop::Refused { refusals, after: None, units: CapacityUnits::ZERO });
            }
        }
        let mut decisions = Vec::with_capacity(writes.len());
        let mut saw_queued = false;
        let mut collections = Collections::default();
        for write in writes {
            let queued = held.queued(&write.key);
            saw_queued |= queued.is_some();
            let old = match queued {
                Some(image) => image,
                None => self
                    .store
                    .get(Keyspace::Items, &write.key)
                    .map_err(|e| Stop::Failed(internal_error(e)))?,
            };
            let decision = self.decide(write, OldImage::new(old), held, &mut collections);
            decisions.push(decision.map_err(Stop::Failed)?);
        }
        saw_queued |= collections.saw_queued;
        // An empty batch takes its turn in the queue too, behind the images that were seen.
        let wait_for_seen = || saw_queued.then(|| self.store.commit(Batch::new()));
        let throttled = self.charge(behalf, writes, &mut decisions);
        let all_throttled = throttled.iter().flatten().count() == writes.len();
        if !throttled.is_empty() && (all_throttled || behalf.is_together()) {
            let units = CapacityUnits::ZERO;
            return Err(Stop::Refused { refusals: throttled, after: None, units });
        }
        if decisions.iter().any(|decision| decision.change.is_err()) {
            let units = decisions.iter().map(|decision| decision.consumption.total()).sum();
            let refusals = decisions.into_iter().map(|decision| decision.change.err()).collect();
            return Err(Stop::Refused { refusals, after: wait_for_seen(), units });
        }
        let mut queue = Queue::default();
        let mut written = Vec::with_capacity(writes.len());
        let mut changes = Vec::new();
        for (at, (write, decision)) in writes.iter().zip(decisions).enumerate() {
            if throttled.get(at).is_some_and(Option::is_some) {
                decision.collection.iter().for_each(|collection| collections.take_back(collection));
            } else {
                if self.lag.is_some() {
                    changes.extend(decision.changes(write));
                }
                let put = decision.put_into(write, behalf, &mut queue);
                written.push(put.map_err(|corrupt| Stop::Failed(internal_error(corrupt)))?);
            }
        }
        if let Some(row) = beside(&written) {
            queue.batch.put(Keyspace::Tokens, row.key.clone(), row.value.clone());
            queue.images.push((row.key, Some(row.value)));
        }
        let done = Done::default();
        let mut keys = Vec::with_capacity(queue.images.len());
        let commit = (saw_queued || !queue.batch.is_empty()).then(|| {
            let told = done.clone();
            queue.batch.when_done(move |_| told.set());
            if let Some(lag) = &self.lag {
                // Before the store has them: who sees the new rows there can tell that they are recent.
                lag.remember(behalf.now, changes, &done);
            }
            let commit = self.store.commit(queue.batch);
            for (key, image) in queue.images {
                held.remember(&key, image, &done);
                keys.push(key);
            }
            keys.extend(collections.remember(held, &done));
            for write in writes.iter().filter(|write| write.operation.is_transactional()) {
                held.enter_transaction(&write.key, &done);
                keys.push(write.key.clone());
            }
            commit
        });
        Ok(Started { written, throttled, commit, keys, done })
    }

    /// Charges writes for what they decided. Answers what throttled them, at their places; nothing when none were.
    fn charge(
        &self,
        behalf: Behalf,
        writes: &[PlannedWrite<'_>],
        decisions: &mut [Decision<'_>],
    ) -> Vec<Option<ApiError>> {
        let Some(operation) = behalf.operation else {
            for (write, decision) in writes.iter().zip(&*decisions).filter(|(_, d)| d.deletes()) {
                self.count_expired(behalf.now, &decision.charge(write));
            }
            return Vec::new();
        };
        let refused = decisions.iter().any(|decision| decision.change.is_err());
        if refused && operation == Operation::BatchWriteItem {
            // Of a batch that a full item collection refuses, nothing runs.
            decisions.iter_mut().for_each(|decision| decision.consumption = Consumption::default());
        }
        if refused && decisions.iter().all(|decision| decision.consumption.total().is_zero()) {
            // What breaks a rule is told before anything is consumed.
            return Vec::new();
        }
        if refused {
            // Nothing is written: no index entry changes, no byte is added.
            for decision in decisions.iter_mut() {
                decision.consumption = Consumption::of_table(decision.consumption.table);
                decision.indexes.clear();
                decision.growth = [0, 0];
            }
        }
        match (writes, &*decisions) {
            ([write], [decision]) => {
                self.charge_writes(behalf.now, operation, false, &[decision.charge(write)])
            }
            _ => {
                let pairs = writes.iter().zip(&*decisions);
                let charges: Vec<WriteCharge<'_>> =
                    pairs.map(|(write, decision)| decision.charge(write)).collect();
                self.charge_writes(behalf.now, operation, behalf.is_together(), &charges)
            }
        }
    }

    /// Runs one operation on its old image, and works out all that it changes.
    fn decide<'a>(
        &self,
        write: &PlannedWrite<'a>,
        old: OldImage,
        held: &Held<'_>,
        collections: &mut Collections,
    ) -> Result<Decision<'a>, ApiError> {
        let table = &*write.table;
        let transactional = write.operation.is_transactional();
        let old_size = old.size()?;
        let unchanged = |old, change, consumption| Decision {
            old,
            change,
            consumption,
            growth: [0, 0],
            indexes: Vec::new(),
            collection: None,
        };
        let change = match write.operation.effects(table, &old) {
            Ok(Effect::Put(item)) => {
                let row = Row::encode(&item);
                Change::Put(item, row)
            }
            Ok(Effect::Delete) => Change::Delete,
            Ok(Effect::Keep) => {
                let consumption = Consumption::of_table(meter_item_write(old_size, None, transactional));
                return Ok(unchanged(old, Ok(Change::Keep), consumption));
            }
            Err(error) => {
                let consumption = consumption_of_refusal(write, &error, old_size);
                return Ok(unchanged(old, Err(error), consumption));
            }
        };
        let new = match &change {
            Change::Put(item, row) => Some(Image::new(item, row).map_err(internal_error)?),
            Change::Delete | Change::Keep => None,
        };
        let new_size = new.map(|new| new.size);
        let mut consumption = Consumption::of_table(meter_item_write(old_size, new_size, transactional));
        let items = i64::from(new_size.is_some()) - i64::from(old_size.is_some());
        let growth = new_size.unwrap_or(0) as i64 - old_size.unwrap_or(0) as i64;
        let mut collection_growth = growth;
        let mut indexes = Vec::new();
        if !table.indexes.is_empty() {
            let old = old.image(table)?;
            indexes.extend(table.indexes.iter().filter_map(|index| index_change(index, table, old, new)));
            for change in &indexes {
                match change.kind {
                    IndexKind::Local => {
                        consumption.local_indexes.add(&change.name, change.units);
                        collection_growth += change.growth_bytes;
                    }
                    IndexKind::Global => consumption.global_indexes.add(&change.name, change.units),
                }
            }
        }
        let mut change = Ok(change);
        let mut collection = None;
        if table.has_local_indexes() {
            let (item, growth) = ((table, write.key_holder), [items, collection_growth]);
            match collections.grow(&*self.store, held, item, growth)? {
                Some(grown) => collection = Some(grown),
                None => {
                    let words = "Collection size exceeded.";
                    change = Err(ApiError::new(ErrorKind::ItemCollectionSizeLimitExceeded, words));
                }
            }
        }
        Ok(Decision { old, change, consumption, growth: [items, growth], indexes, collection })
    }
}

/// What a write costs that refuses: a failed condition as much as the write, anything else nothing.
fn consumption_of_refusal(write: &PlannedWrite<'_>, error: &ApiError, old_size: Option<u64>) -> Consumption {
    if !matches!(error.kind, ErrorKind::ConditionalCheckFailed | ErrorKind::DuplicateItem) {
        return Consumption::default();
    }
    // The item of a put is at hand; what an update would have made is not, and is taken to be no larger.
    let units = meter_failed_condition(old_size, Some(item_size(write.key_holder)));
    Consumption::of_table(if write.operation.is_transactional() { units.doubled() } else { units })
}

impl<'a> Decision<'a> {
    /// Whether an item goes that was there.
    fn deletes(&self) -> bool {
        matches!(self.change, Ok(Change::Delete)) && self.old.is_there()
    }

    /// What it costs.
    fn charge<'c>(&'c self, write: &'c PlannedWrite<'_>) -> WriteCharge<'c> {
        WriteCharge {
            table: &write.table,
            key: &write.key,
            consumption: &self.consumption,
            growth_bytes: self.growth[1],
            indexes: &self.indexes,
            action: write.operation.action(),
        }
    }

    /// Puts what was decided into the queue's batch.
    fn put_into(
        self,
        write: &PlannedWrite<'a>,
        behalf: Behalf,
        queue: &mut Queue,
    ) -> Result<Written<'a>, CorruptRow> {
        let new = match self.change {
            Ok(Change::Put(item, row)) => {
                follow_change(write, self.old.row(), Some(&row), behalf, queue)?;
                queue.put(&write.key, row);
                Some(item)
            }
            Ok(Change::Delete) => {
                if self.old.is_there() {
                    follow_change(write, self.old.row(), None, behalf, queue)?;
                    queue.delete(&write.key);
                }
                None
            }
            Ok(Change::Keep) | Err(_) => None,
        };
        if self.growth != [0, 0] {
            queue.batch.add(Keyspace::Counters, object_prefix(write.table.id()).to_vec(), self.growth);
        }
        for change in &self.indexes {
            change.put_into(&mut queue.batch);
        }
        let collection_bytes = self.collection.map(|collection| {
            if collection.growth != [0, 0] {
                queue.batch.add(Keyspace::Counters, collection.key, collection.growth);
            }
            collection.bytes_after
        });
        Ok(Written { old: self.old, new, consumption: self.consumption, collection_bytes })
    }
}

/// Puts what follows from the change of an item into the queue's batch: its record in the stream, and its row in the
/// index of expiry times.
fn follow_change(
    write: &PlannedWrite<'_>,
    old: Option<&Row>,
    new: Option<&Row>,
    behalf: Behalf,
    queue: &mut Queue,
) -> Result<(), CorruptRow> {
    let table = &write.table;
    if let Some(stream) = &table.stream {
        let by_service = behalf.operation.is_none();
        let (key, key_holder) = (&write.key, write.key_holder);
        let change = ItemChange { key, key_holder, old, new, now: behalf.now, by_service };
        if let Some((prefix, row)) = record_of(stream, table, &change) {
            queue.batch.append(Keyspace::Streams, prefix, row);
        }
    }
    follow_expiry(table, &write.key, old, new, &mut queue.batch)
}

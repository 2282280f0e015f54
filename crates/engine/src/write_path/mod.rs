//! The one way that items change.
//!
//! PutItem, UpdateItem, DeleteItem, the elements of a batch and the actions of a transaction are all a
//! [`PlannedWrite`] whose [`WriteOperation`] says what becomes of the item: a pure function of the old image, for
//! it may run again when the table changed meanwhile.
//!
//! [`Engine::start_writes`] does the work that needs the latches: read the old images, decide, and queue one
//! atomic batch that holds the items, their index entries and all counters. [`Started::finish`] waits until the
//! batch is on disk. Between the two, no lock is held.

mod index_rows;
pub(crate) mod latch;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::sync::Arc;

use bytes::Bytes;
use dynamometer_capacity::meter::{Consumption, meter_item_write};
use dynamometer_store::{Batch, Commit, Keyspace, decode_pair};
use dynamometer_types::limits::ITEM_COLLECTION_BYTES;
use dynamometer_types::size::item_size;
use dynamometer_types::{ApiError, ErrorKind, Item};

use crate::Context;
use crate::catalog::{IndexKind, Table};
use crate::disk::keys::{object_prefix, partition_prefix};
use crate::disk::row::Row;
use crate::engine::{Engine, internal_error};
use index_rows::maintain_index;
pub(crate) use index_rows::{count_entry, write_entry};
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

    /// Whether the charge is that of a transaction.
    fn is_transactional(&self) -> bool {
        false
    }
}

/// A write that knows its table and its key.
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
}

impl OldImage {
    pub(crate) fn new(bytes: Option<Bytes>) -> OldImage {
        OldImage { row: bytes.map(Row::from_stored), item: OnceCell::new() }
    }

    /// The item, when there was one.
    pub(crate) fn item(&self) -> Result<Option<&Item>, ApiError> {
        let Some(row) = &self.row else { return Ok(None) };
        if self.item.get().is_none() {
            let item = row.decode().map_err(internal_error)?;
            let _ = self.item.set(item);
        }
        Ok(self.item.get())
    }

    /// The item's size in bytes, without decoding it.
    pub(crate) fn size(&self) -> Result<Option<u64>, ApiError> {
        self.row.as_ref().map(|row| row.item_size().map_err(internal_error)).transpose()
    }

    /// The row as it was stored.
    pub(crate) fn into_row(self) -> Option<Row> {
        self.row
    }
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
    /// seen images that are not durable yet: `after` is waited for before anybody hears of it.
    Refused { refusals: Vec<Option<ApiError>>, after: Option<Commit> },
    /// The store failed.
    Failed(ApiError),
}

impl Stop {
    /// The error of the first write that refused, once what it rests on is durable.
    pub(crate) async fn into_error(self) -> ApiError {
        match self {
            Stop::TableChanged => internal_error("the table changed again and again"),
            Stop::Failed(error) => error,
            Stop::Refused { refusals, after } => {
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

/// Writes that have joined the queue.
pub(crate) struct Started<'a> {
    written: Vec<Written<'a>>,
    /// Absent when there was nothing to change and nothing to wait for.
    commit: Option<Commit>,
    keys: Vec<Bytes>,
    done: Done,
}

impl<'a> Started<'a> {
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
        table_name: &str,
        plan: impl Fn(&Arc<Table>) -> Result<PlannedWrite<'a>, ApiError>,
    ) -> Result<(Arc<Table>, Written<'a>), ApiError> {
        let stop = loop {
            let table = self.table(context, table_name)?;
            let planned = plan(&table)?;
            let started = {
                let mut held = self.latches.hold([&planned.key].into_iter());
                self.start_writes(std::slice::from_ref(&planned), &mut held, |_| None)
            };
            match started {
                Ok(started) => {
                    let written = started.finish(self).await?.pop();
                    let written = written.ok_or_else(|| internal_error("a write without an outcome"))?;
                    return Ok((table, written));
                }
                Err(Stop::TableChanged) => {}
                Err(stop) => break stop,
            }
        };
        Err(stop.into_error().await)
    }

    /// Runs several writes as one, as often as their tables change under them.
    ///
    /// # Errors
    /// What `plan` or an operation answers; `InternalServerError` when the store could not keep the writes.
    pub(crate) async fn write_all<'a>(
        &self,
        plan: impl Fn() -> Result<Vec<PlannedWrite<'a>>, ApiError>,
    ) -> Result<(Vec<PlannedWrite<'a>>, Vec<Written<'a>>), ApiError> {
        let stop = loop {
            let plans = plan()?;
            let started = {
                let mut held = self.latches.hold(plans.iter().map(|plan| &plan.key));
                self.start_writes(&plans, &mut held, |_| None)
            };
            match started {
                Ok(started) => return Ok((plans, started.finish(self).await?)),
                Err(Stop::TableChanged) => {}
                Err(stop) => break stop,
            }
        };
        Err(stop.into_error().await)
    }

    /// Reads, decides and queues some writes as one atomic batch. The keys must be distinct, and held.
    ///
    /// `beside` sees the writes and may add a row to the batch.
    pub(crate) fn start_writes<'a>(
        &self,
        writes: &[PlannedWrite<'a>],
        held: &mut Held<'_>,
        beside: impl FnOnce(&[Written<'a>]) -> Option<Beside>,
    ) -> Result<Started<'a>, Stop> {
        if writes.iter().any(|write| !self.catalog.is_current(&write.table)) {
            return Err(Stop::TableChanged);
        }
        let mut queue = Queue::default();
        let mut written = Vec::with_capacity(writes.len());
        let mut refusals: Vec<Option<ApiError>> = Vec::new();
        let mut saw_queued = false;
        for (at, write) in writes.iter().enumerate() {
            let queued = held.queued(&write.key);
            saw_queued |= queued.is_some();
            let old = match queued {
                Some(image) => image,
                None => self
                    .store
                    .get(Keyspace::Items, &write.key)
                    .map_err(|e| Stop::Failed(internal_error(e)))?,
            };
            match self.apply(write, OldImage::new(old), &mut queue) {
                Ok(done) => written.push(done),
                Err(refusal) => {
                    refusals.resize(writes.len(), None);
                    refusals[at] = Some(refusal);
                }
            }
        }
        if !refusals.is_empty() {
            // An empty batch takes its turn in the queue too, behind the images that were seen.
            let after = saw_queued.then(|| self.store.commit(Batch::new()));
            return Err(Stop::Refused { refusals, after });
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
            let commit = self.store.commit(queue.batch);
            for (key, image) in queue.images {
                held.remember(&key, image, &done);
                keys.push(key);
            }
            commit
        });
        Ok(Started { written, commit, keys, done })
    }

    /// Runs one operation on its old image, and puts what it changes into the queue's batch.
    fn apply<'a>(
        &self,
        write: &PlannedWrite<'a>,
        old: OldImage,
        queue: &mut Queue,
    ) -> Result<Written<'a>, ApiError> {
        let table = &*write.table;
        let transactional = write.operation.is_transactional();
        let old_size = old.size()?;
        let (new, new_size) = match write.operation.effects(table, &old)? {
            Effect::Keep => {
                let consumption = Consumption::of_table(meter_item_write(old_size, None, transactional));
                return Ok(Written { old, new: None, consumption, collection_bytes: None });
            }
            Effect::Put(item) => {
                queue.put(&write.key, Row::encode(&item));
                let size = item_size(&item);
                (Some(item), Some(size))
            }
            Effect::Delete => {
                if old_size.is_some() {
                    queue.delete(&write.key);
                }
                (None, None)
            }
        };
        let mut consumption = Consumption::of_table(meter_item_write(old_size, new_size, transactional));
        let items = i64::from(new_size.is_some()) - i64::from(old_size.is_some());
        let growth = new_size.unwrap_or(0) as i64 - old_size.unwrap_or(0) as i64;
        if items != 0 || growth != 0 {
            queue.batch.add(Keyspace::Counters, object_prefix(table.id()).to_vec(), [items, growth]);
        }
        let mut collection_growth = growth;
        if !table.indexes.is_empty() {
            let old_item = old.item()?;
            for index in &table.indexes {
                let Some(change) = maintain_index(index, table, old_item, new.as_deref(), &mut queue.batch)
                else {
                    continue;
                };
                match change.kind {
                    IndexKind::Local => {
                        consumption.local_indexes.add(&change.name, change.units);
                        collection_growth += change.growth_bytes;
                    }
                    IndexKind::Global => consumption.global_indexes.add(&change.name, change.units),
                }
            }
        }
        let collection_bytes = if table.has_local_indexes() {
            Some(self.grow_collection(
                table,
                write.key_holder,
                [items, collection_growth],
                &mut queue.batch,
            )?)
        } else {
            None
        };
        Ok(Written { old, new, consumption, collection_bytes })
    }

    /// Counts the growth of an item collection, and refuses it beyond 10 GB. Answers the collection's new size.
    fn grow_collection(
        &self,
        table: &Table,
        key_holder: &Item,
        growth: [i64; 2],
        batch: &mut Batch,
    ) -> Result<u64, ApiError> {
        let partition = table.key.partition.iter().map(|attribute| key_holder.get(&attribute.name));
        let key = partition_prefix(table.id(), partition)
            .ok_or_else(|| internal_error("an item without its key"))?;
        let stored = self.store.get(Keyspace::Counters, &key).map_err(internal_error)?;
        let [_, bytes] = decode_pair(stored.as_deref()).map_err(internal_error)?;
        let after = (bytes + growth[1]).max(0) as u64;
        if growth[1] > 0 && after > ITEM_COLLECTION_BYTES {
            return Err(ApiError::new(
                ErrorKind::ItemCollectionSizeLimitExceeded,
                "Collection size exceeded.",
            ));
        }
        if growth != [0, 0] {
            batch.add(Keyspace::Counters, key, growth);
        }
        Ok(after)
    }
}

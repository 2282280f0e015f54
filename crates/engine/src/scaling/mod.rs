//! Application Auto Scaling for tables and global secondary indexes.
//!
//! A scalable target is the reads or the writes of one table or index, with bounds, policies and scheduled actions. All
//! of a target is one [`record`]; the [`Targets`] are in memory, and each change of one writes its row. What is done
//! about them as time passes is one job ([`run`]): it looks once a minute at the units consumed, which the live state
//! of the table counts anyway, and changes throughput as a client's UpdateTable would. What it did is kept as
//! [`activity`] rows, for six weeks.
//!
//! The alarms of a policy are what AWS shows of target tracking; here they are worked out when somebody asks
//! ([`alarms`]).
//!
//! # Source
//! Application Auto Scaling API Reference and user guide 2026, Developer Guide 2026 "Managing throughput with auto
//! scaling", and probes of AWS in 2026: bounds are held against throughput when they are set and not again; a table that
//! is deleted leaves its targets; deregistering a target takes its policies, scheduled actions and alarms along.

pub(crate) mod activity;
pub(crate) mod alarms;
pub(crate) mod record;
mod run;
pub(crate) mod schedule;

use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};
use std::sync::atomic::{AtomicI64, Ordering};

use dynamometer_capacity::admission::Dimension;
use dynamometer_store::{Batch, Commit, Direction, Keyspace, Store, StoreError};
use dynamometer_types::Timestamp;
use parking_lot::{Mutex, MutexGuard};

use crate::admin::is_kept;
use crate::api::scaling::ScalableDimension;
use record::{TARGET_FORMAT, TargetRecord};

/// What names a target.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TargetKey {
    /// The database.
    pub(crate) namespace: String,
    /// `table/Orders` or `table/Orders/index/by-date`.
    pub(crate) resource_id: String,
    /// The wire name of the dimension.
    pub(crate) dimension: &'static str,
}

/// The targets by name.
pub(crate) type ByKey = BTreeMap<TargetKey, TargetRecord>;

/// All scalable targets.
pub(crate) struct Targets {
    by_key: Mutex<ByKey>,
    /// When the job ran first, milliseconds: what was consumed in minutes that began before is not known.
    known_from_ms: AtomicI64,
}

/// Not yet: earlier than any time.
const NEVER_MS: i64 = i64::MIN;

impl Targets {
    /// Reads the targets of a store.
    ///
    /// # Errors
    /// When a row cannot be read, or is of a newer format.
    pub(crate) fn open(store: &dyn Store) -> Result<Targets, StoreError> {
        let mut by_key = ByKey::new();
        let mut fault = None;
        let (start, end) = (Bound::Included(record::ROW_PREFIX), Bound::Excluded(record::AFTER_ROWS));
        let mut visit = |key: &[u8], row: &bytes::Bytes| match read_target(key, row) {
            Ok(target) => {
                by_key.insert(target.key(), target);
                ControlFlow::Continue(())
            }
            Err(sentence) => {
                fault = Some(sentence);
                ControlFlow::Break(())
            }
        };
        store.snapshot()?.range(Keyspace::Scaling, start, end, Direction::Forward, &mut visit)?;
        if let Some(sentence) = fault {
            return Err(StoreError::Corrupt(sentence.into()));
        }
        Ok(Targets { by_key: Mutex::new(by_key), known_from_ms: AtomicI64::new(NEVER_MS) })
    }

    /// The targets, for as long as the answer is held: no I/O meanwhile.
    pub(crate) fn lock(&self) -> MutexGuard<'_, ByKey> {
        self.by_key.lock()
    }

    /// A copy of one target.
    pub(crate) fn get(&self, key: &TargetKey) -> Option<TargetRecord> {
        self.by_key.lock().get(key).cloned()
    }

    /// Changes one target: `change` gets it as it is, or `None`, and answers what it becomes, or `None` to take it
    /// out. More can be put into the batch. The commit must be waited for before the change is acknowledged.
    ///
    /// # Errors
    /// What `change` answers; nothing has changed then.
    pub(crate) fn change<T, E>(
        &self,
        store: &dyn Store,
        key: &TargetKey,
        change: impl FnOnce(Option<TargetRecord>, &mut Batch) -> Result<(Option<TargetRecord>, T), E>,
    ) -> Result<(T, Commit), E> {
        self.change_among(store, key, |_| Ok(()), change)
    }

    /// The same, if `check` lets it be among the targets that there are.
    ///
    /// # Errors
    /// What `check` and `change` answer; nothing has changed then.
    pub(crate) fn change_among<T, E>(
        &self,
        store: &dyn Store,
        key: &TargetKey,
        check: impl FnOnce(&ByKey) -> Result<(), E>,
        change: impl FnOnce(Option<TargetRecord>, &mut Batch) -> Result<(Option<TargetRecord>, T), E>,
    ) -> Result<(T, Commit), E> {
        let mut by_key = self.by_key.lock();
        check(&by_key)?;
        let mut batch = Batch::new();
        let (target, answer) = change(by_key.get(key).cloned(), &mut batch)?;
        match target {
            Some(mut target) => {
                target.rests_at = None;
                target.put(&mut batch);
                by_key.insert(key.clone(), target);
            }
            None => {
                batch.delete(Keyspace::Scaling, record::row_key(key));
                by_key.remove(key);
            }
        }
        Ok((answer, store.commit(batch)))
    }

    fn known_from(&self) -> Option<Timestamp> {
        let millis = self.known_from_ms.load(Ordering::Acquire);
        (millis != NEVER_MS).then_some(Timestamp::from_millis(millis))
    }
}

impl Targets {
    /// Takes the targets of a database out, all or those of some tables, together with another change: `change` gets
    /// what it has to put into its batch.
    ///
    /// # Errors
    /// What `change` answers; nothing has changed then.
    pub(crate) fn forget<T, E>(
        &self,
        namespace: &str,
        tables: Option<&[String]>,
        change: impl FnOnce(&mut dyn FnMut(&mut Batch)) -> Result<T, E>,
    ) -> Result<T, E> {
        self.replace(namespace, tables, Vec::new(), change)
    }

    /// Copies the targets of a database to another, in place of those that it has, together with another change.
    ///
    /// # Errors
    /// What `change` answers; nothing has changed then.
    pub(crate) fn copy<T, E>(
        &self,
        from: &str,
        to: &str,
        change: impl FnOnce(&mut dyn FnMut(&mut Batch)) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut copies: Vec<TargetRecord> = self.by_key.lock().values().cloned().collect();
        copies.retain(|target| target.namespace == from);
        for copy in &mut copies {
            to.clone_into(&mut copy.namespace);
        }
        self.replace(to, None, copies, change)
    }

    fn replace<T, E>(
        &self,
        namespace: &str,
        tables: Option<&[String]>,
        by: Vec<TargetRecord>,
        change: impl FnOnce(&mut dyn FnMut(&mut Batch)) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut by_key = self.by_key.lock();
        let is_of = |target: &TargetRecord| {
            target.namespace == namespace && tables.is_none_or(|names| names.contains(&target.resource.table))
        };
        let gone: Vec<TargetKey> =
            by_key.values().filter(|target| is_of(target)).map(TargetRecord::key).collect();
        let answer = change(&mut |batch| {
            for key in &gone {
                batch.delete(Keyspace::Scaling, record::row_key(key));
            }
            for target in &by {
                target.put(batch);
            }
        })?;
        by_key.retain(|_, target| !is_of(target));
        by_key.extend(by.into_iter().map(|target| (target.key(), target)));
        Ok(answer)
    }
}

/// The reads or the writes of a table or index that a scaling policy looks after.
#[derive(Clone, Debug)]
pub(crate) struct Tracked {
    /// The database.
    pub(crate) namespace: String,
    /// The table.
    pub(crate) table: String,
    /// The index.
    pub(crate) index: Option<String>,
    /// Reads or writes.
    pub(crate) dimension: Dimension,
}

impl Targets {
    /// What scaling policies look after.
    pub(crate) fn tracked(&self) -> Vec<Tracked> {
        let by_key = self.by_key.lock();
        let tracked = by_key
            .values()
            .filter(|target| !target.policies.is_empty() && !is_kept(&target.namespace))
            .map(|target| Tracked {
                namespace: target.namespace.clone(),
                table: target.resource.table.clone(),
                index: target.resource.index.clone(),
                dimension: target.side(),
            });
        tracked.collect()
    }
}

impl TargetKey {
    /// The name of a target of DynamoDB.
    pub(crate) fn new(namespace: &str, resource_id: &str, dimension: ScalableDimension) -> TargetKey {
        TargetKey {
            namespace: namespace.to_owned(),
            resource_id: resource_id.to_owned(),
            dimension: dimension.name(),
        }
    }
}

fn read_target(key: &[u8], row: &[u8]) -> Result<TargetRecord, String> {
    let named = String::from_utf8_lossy(key).replace('\0', " ");
    let target: TargetRecord =
        serde_json::from_slice(row).map_err(|error| format!("scalable target `{named}`: {error}"))?;
    if target.format > TARGET_FORMAT {
        return Err(format!("`{named}` is of format {}, newer than this build", target.format));
    }
    Ok(target)
}

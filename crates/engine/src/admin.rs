//! What a test wants of a database: empty it, keep its state under a name, bring it back.
//!
//! A kept state is a database of its own in the same store, under a namespace that no caller has. Keeping and
//! bringing back are one thing: the rows of all tables are copied under new numbers, then one change of the catalog
//! shows the copies. Nobody is stopped meanwhile; a write that comes during the copy is not in it.
//!
//! A copy that does not come to its end must not leave its rows behind. So it begins with a job that would clear them
//! away; the job is held back while the copy is under way, and taken out by the change that shows it.

use std::collections::HashSet;
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use dynamometer_store::{Batch, Direction, Keyspace, Snapshot, StoreError};
use dynamometer_types::Timestamp;
use parking_lot::Mutex;

use crate::catalog::jobs::{Job, Work};
use crate::catalog::record::{Lifecycle, TableRecord};
use crate::catalog::{Draft, Version};
use crate::disk::keys::{ObjectId, after_prefix};
use crate::engine::Engine;
use crate::ops::token_prefix;

/// What stands before the names of kept states; no namespace of a caller begins so.
const KEPT: &str = "#kept/";

/// Why a kept state could not be made or found.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// No state is kept under this name.
    #[error("no snapshot is called `{0}`")]
    NoSuchState(String),
    /// No table has this name.
    #[error("no table is called `{0}`")]
    NoSuchTable(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A copy in the making: the records under their new numbers.
struct Copy {
    records: Vec<TableRecord>,
    /// Old and new number of each table and index.
    renumbered: Vec<(ObjectId, ObjectId)>,
    /// Clears the copy away if it is never shown.
    job: Job,
}

/// The jobs of the copies that are under way.
#[derive(Default)]
pub(crate) struct Copies(Mutex<HashSet<ObjectId>>);

impl Copies {
    /// Whether a job must not run yet.
    pub(crate) fn holds(&self, job: ObjectId) -> bool {
        self.0.lock().contains(&job)
    }
}

/// Lets go of a copy's job when the copy ends, well or not.
struct UnderWay<'a>(&'a Copies, ObjectId);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.0.lock().remove(&self.1);
    }
}

impl Engine {
    /// Takes tables out of a database, all or those named, whatever protects them. Answers their names. Their rows
    /// are cleared away by a job.
    ///
    /// # Errors
    /// When a name is no table's: nothing is taken out then. When the store fails.
    pub fn reset(
        &self,
        namespace: &str,
        tables: Option<&[String]>,
        now: Timestamp,
    ) -> Result<Vec<String>, AdminError> {
        let view = self.store.snapshot()?;
        let change = |draft: &mut Draft| {
            let mut names: Vec<String> = match tables {
                None => {
                    forget_tokens(draft, &*view, namespace)?;
                    draft.version().tables(namespace).map(|table| table.record.name.clone()).collect()
                }
                Some(names) => names.to_vec(),
            };
            names.sort();
            names.dedup();
            for name in &names {
                remove_table(draft, namespace, name, now)
                    .ok_or_else(|| AdminError::NoSuchTable(name.clone()))?;
            }
            Ok::<_, AdminError>(names)
        };
        let before = self.catalog.version();
        let (names, commit) = self.catalog.change(&*self.store, change)?;
        names.iter().filter_map(|name| before.table(namespace, name)).for_each(|table| {
            self.departing(Arc::clone(table));
        });
        commit.wait()?;
        Ok(names)
    }

    /// Keeps the state of a database under a name, in place of what was kept under it before. Answers the names of
    /// the tables.
    ///
    /// # Errors
    /// When the store fails.
    pub fn keep_state(&self, namespace: &str, name: &str, now: Timestamp) -> Result<Vec<String>, AdminError> {
        self.copy_database(namespace, &kept_namespace(namespace, name), now)
    }

    /// Makes a database what it was when its state was kept under a name: tables made since are gone. Answers the
    /// names of the tables.
    ///
    /// # Errors
    /// When no state is kept under the name, or the store fails.
    pub fn bring_back(&self, namespace: &str, name: &str, now: Timestamp) -> Result<Vec<String>, AdminError> {
        let kept = kept_namespace(namespace, name);
        if !self.catalog.version().has_namespace(&kept) {
            return Err(AdminError::NoSuchState(name.to_owned()));
        }
        self.copy_database(&kept, namespace, now)
    }

    fn copy_database(&self, from: &str, to: &str, now: Timestamp) -> Result<Vec<String>, AdminError> {
        let view = self.cut(Batch::new())?;
        // The tables of the same moment as the rows, whatever the catalog has become since.
        let tables = settled_tables(&Version::read(&*view)?, from, now);
        let begin = |draft: &mut Draft| {
            let copy = renumber(draft, tables, to, now);
            self.copies.0.lock().insert(copy.job.id);
            Ok::<_, AdminError>(copy)
        };
        let (copy, commit) = self.catalog.change(&*self.store, begin)?;
        let _under_way = UnderWay(&self.copies, copy.job.id);
        commit.wait()?;
        for (old, new) in &copy.renumbered {
            self.copy_rows(&*view, *old, *new)?;
        }
        let show = |draft: &mut Draft| {
            copy.job.finish(&mut draft.batch);
            forget_tokens(draft, &*view, to)?;
            Ok::<_, AdminError>(replace_database(draft, copy.records, to, now))
        };
        let (names, commit) = self.catalog.change(&*self.store, show)?;
        commit.wait()?;
        Ok(names)
    }

    /// Copies all rows and counters of a table or index to a new number.
    fn copy_rows(&self, view: &dyn Snapshot, old: ObjectId, new: ObjectId) -> Result<(), StoreError> {
        for keyspace in [Keyspace::Items, Keyspace::IndexEntries, Keyspace::Counters] {
            let mut from = crate::jobs::first_row(old);
            loop {
                let chunk = crate::jobs::read_chunk(view, keyspace, &from, old)?;
                let Some((last, _)) = chunk.last() else { break };
                from = Bound::Excluded(last.to_vec());
                let mut batch = Batch::new();
                for (key, value) in chunk {
                    batch.put(keyspace, crate::disk::keys::renumbered(&key, new), value);
                }
                self.store.commit(batch).wait()?;
            }
        }
        Ok(())
    }
}

fn kept_namespace(namespace: &str, name: &str) -> String {
    format!("{KEPT}{name}/{namespace}")
}

/// The tables of a database that are there to stay: what is being deleted is left out.
fn settled_tables(version: &Version, namespace: &str, now: Timestamp) -> Vec<TableRecord> {
    let is_going = |lifecycle: Lifecycle| matches!(lifecycle, Lifecycle::Deleting { .. });
    let records = version.tables(namespace).filter_map(|table| table.record.clone().settled(now));
    records
        .filter(|record| !is_going(record.lifecycle))
        .map(|mut record| {
            record.global_indexes.retain(|index| !is_going(index.lifecycle));
            record.prune_definitions();
            record
        })
        .collect()
}

/// Gives the records of a database new numbers, for another database.
fn renumber(draft: &mut Draft, mut records: Vec<TableRecord>, to: &str, now: Timestamp) -> Copy {
    let mut renumbered = Vec::new();
    for record in &mut records {
        record.namespace = to.to_owned();
        let indexes = record.local_indexes.iter_mut().chain(&mut record.global_indexes);
        for id in std::iter::once(&mut record.id).chain(indexes.map(|index| &mut index.id)) {
            let new = draft.new_id();
            renumbered.push((*id, new));
            *id = new;
        }
    }
    let objects = renumbered.iter().map(|(_, new)| *new).collect();
    let job = draft.add_job(now, Work::Purge { namespace: to.to_owned(), table: String::new(), objects });
    Copy { records, renumbered, job }
}

/// Shows the copies in place of the tables that a database has. Answers their names.
fn replace_database(draft: &mut Draft, records: Vec<TableRecord>, to: &str, now: Timestamp) -> Vec<String> {
    let before: Vec<String> = draft.version().tables(to).map(|table| table.record.name.clone()).collect();
    for name in before {
        remove_table(draft, to, &name, now);
    }
    draft.keep_namespace(to);
    let names = records.iter().map(|record| record.name.clone()).collect();
    for record in records {
        // A copy of an index that was being filled has to be filled again.
        for index in record.global_indexes.iter().filter(|index| index.backfilling) {
            let work = Work::Backfill {
                namespace: to.to_owned(),
                table: record.name.clone(),
                table_id: record.id,
                index_id: index.id,
            };
            draft.add_job(now, work);
        }
        draft.put(record);
    }
    names
}

/// Forgets the tokens of a database: a transaction that is sent again after its effects are gone has to run again.
fn forget_tokens(draft: &mut Draft, view: &dyn Snapshot, namespace: &str) -> Result<(), StoreError> {
    let start = token_prefix(namespace);
    let end = after_prefix(&start);
    let end = end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
    view.range(Keyspace::Tokens, Bound::Included(&start), end, Direction::Forward, &mut |key, _| {
        draft.batch.delete(Keyspace::Tokens, key.to_vec());
        ControlFlow::Continue(())
    })
}

/// Takes a table out, with a job that clears its rows away.
fn remove_table(draft: &mut Draft, namespace: &str, name: &str, now: Timestamp) -> Option<()> {
    let table = draft.remove(namespace, name)?;
    let record = &table.record;
    let indexes = record.local_indexes.iter().chain(&record.global_indexes);
    let objects = std::iter::once(record.id).chain(indexes.map(|index| index.id)).collect();
    draft.add_job(now, Work::Purge { namespace: namespace.into(), table: name.into(), objects });
    Some(())
}

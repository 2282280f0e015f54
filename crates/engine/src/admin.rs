//! What a test wants of a database: empty it, keep its state under a name, bring it back.
//!
//! A kept state is a database of its own in the same store, under a namespace that no caller has. Keeping and
//! bringing back are one thing: the rows of all tables are copied under new numbers, then one change of the catalog
//! shows the copies. Nobody is stopped meanwhile; a write that comes during the copy is not in it.

use dynamometer_store::{Batch, Keyspace, Snapshot, StoreError};
use dynamometer_types::Timestamp;

use crate::catalog::jobs::Work;
use crate::catalog::record::TableRecord;
use crate::catalog::Draft;
use crate::disk::keys::ObjectId;
use crate::engine::Engine;

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
struct Copies {
    records: Vec<TableRecord>,
    /// Old and new number of each table and index.
    renumbered: Vec<(ObjectId, ObjectId)>,
}

impl Engine {
    /// Takes tables out of a database, all or those named, whatever protects them. Answers their names. Their rows
    /// are cleared away by a job.
    ///
    /// # Errors
    /// When a name is no table's: nothing is taken out then. When the store fails.
    pub fn reset(&self, namespace: &str, tables: Option<&[String]>, now: Timestamp) -> Result<Vec<String>, AdminError> {
        let change = |draft: &mut Draft| {
            let names: Vec<String> = match tables {
                None => draft.version().tables(namespace).map(|table| table.record.name.clone()).collect(),
                Some(names) => names.to_vec(),
            };
            for name in &names {
                remove_table(draft, namespace, name, now).ok_or_else(|| AdminError::NoSuchTable(name.clone()))?;
            }
            Ok::<_, AdminError>(names)
        };
        let (names, commit) = self.catalog.change(&*self.store, change)?;
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
        let (copies, commit) = self.catalog.change(&*self.store, |draft| Ok::<_, AdminError>(renumber(draft, from, to)))?;
        commit.wait()?;
        for (old, new) in &copies.renumbered {
            self.copy_rows(&*view, *old, *new)?;
        }
        let change = |draft: &mut Draft| {
            let before: Vec<String> = draft.version().tables(to).map(|table| table.record.name.clone()).collect();
            for name in before {
                remove_table(draft, to, &name, now);
            }
            draft.keep_namespace(to);
            let names = copies.records.iter().map(|record| record.name.clone()).collect();
            for record in copies.records {
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
            Ok::<Vec<String>, AdminError>(names)
        };
        let (names, commit) = self.catalog.change(&*self.store, change)?;
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
                from = std::ops::Bound::Excluded(last.to_vec());
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

/// The records of a database under new numbers, for another database.
fn renumber(draft: &mut Draft, from: &str, to: &str) -> Copies {
    let mut records: Vec<TableRecord> = draft.version().tables(from).map(|table| table.record.clone()).collect();
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
    Copies { records, renumbered }
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

//! What a test wants of a database: empty it, keep its state under a name, bring it back.
//!
//! A kept state is a database of its own in the same store, under a namespace that no caller has. Keeping and
//! bringing back are one thing: the rows of all tables are copied under new numbers, then one change of the catalog
//! shows the copies. Nobody is stopped meanwhile; a write that comes during the copy is not in it.
//!
//! A copy that does not come to its end must not leave its rows behind. So it begins with a job that would clear them
//! away; the job is held back while the copy is under way, and taken out by the change that shows it.

use std::collections::HashSet;
use std::ops::Bound;
use std::sync::Arc;

use dynamometer_store::{Batch, Keyspace, Snapshot, StoreError};
use dynamometer_types::Timestamp;
use parking_lot::Mutex;

use crate::catalog::jobs::{Job, Work};
use crate::catalog::record::{Lifecycle, TableRecord};
use crate::catalog::stream::StreamRow;
use crate::catalog::{Draft, Version};
use crate::disk::keys::ObjectId;
use crate::engine::Engine;
use crate::pipes::{CopiedStreams, forget_kept};
use crate::scaling::activity;

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
    /// Each with its old number.
    streams: Vec<(ObjectId, StreamRow)>,
    /// Old and new number of each table, index and stream.
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
    /// Empties a database: tables, whatever protects them, and their streams, scalable targets, metrics and alarms.
    /// Answers the names of the tables. Their rows are cleared away by a job.
    ///
    /// # Errors
    /// When the store fails.
    pub fn reset(&self, namespace: &str, now: Timestamp) -> Result<Vec<String>, AdminError> {
        let view = self.store.snapshot()?;
        let change = |draft: &mut Draft| {
            activity::forget(&*view, namespace, None, &mut draft.batch)?;
            remove_streams(draft, namespace, |_| true, now);
            let tables = draft.version().tables(namespace);
            let names: Vec<String> = tables.map(|table| table.record.name.clone()).collect();
            for name in &names {
                remove_table(draft, namespace, name, now);
            }
            Ok::<_, AdminError>(names)
        };
        let (mut names, commit) = self.metrics.forget(namespace, |forget_metrics| {
            self.targets.forget(namespace, None, |forget_targets| {
                self.catalog.change(&*self.store, |draft| {
                    forget_metrics(&mut draft.batch);
                    forget_targets(&mut draft.batch);
                    change(draft)
                })
            })
        })?;
        commit.wait()?;
        names.sort();
        Ok(names)
    }

    /// Takes some tables out of a database, whatever protects them, with their streams and scalable targets. Answers
    /// their names, each once. Their rows are cleared away by a job.
    ///
    /// # Errors
    /// When a name is no table's: nothing is taken out then. When the store fails.
    pub fn remove_tables(
        &self,
        namespace: &str,
        tables: &[String],
        now: Timestamp,
    ) -> Result<Vec<String>, AdminError> {
        let mut names = tables.to_vec();
        names.sort();
        names.dedup();
        let before = self.catalog.version();
        let change = |draft: &mut Draft| {
            for name in &names {
                remove_table(draft, namespace, name, now)
                    .ok_or_else(|| AdminError::NoSuchTable(name.clone()))?;
            }
            Ok::<_, AdminError>(())
        };
        let ((), commit) = self.targets.forget(namespace, Some(&names), |forget_targets| {
            self.catalog.change(&*self.store, |draft| {
                forget_targets(&mut draft.batch);
                change(draft)
            })
        })?;
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

    /// The names under which states of a database are kept.
    pub fn kept_states(&self, namespace: &str) -> Vec<String> {
        let version = self.catalog.version();
        let kept = version.namespaces().filter_map(|kept| kept.strip_prefix(KEPT)?.split_once('/'));
        let mut names: Vec<String> =
            kept.filter(|(_, of)| *of == namespace).map(|(name, _)| name.to_owned()).collect();
        names.sort();
        names
    }

    /// Forgets the state that is kept under a name. Its rows are cleared away by a job.
    ///
    /// # Errors
    /// When no state is kept under the name, or the store fails.
    pub fn forget_state(&self, namespace: &str, name: &str, now: Timestamp) -> Result<(), AdminError> {
        let kept = kept_namespace(namespace, name);
        let view = self.store.snapshot()?;
        let change = |draft: &mut Draft| {
            if !draft.version().has_namespace(&kept) {
                return Err(AdminError::NoSuchState(name.to_owned()));
            }
            forget_kept(&*view, &kept, &mut draft.batch)?;
            replace_database(draft, Vec::new(), Vec::new(), &kept, now);
            draft.forget_namespace(&kept);
            Ok(())
        };
        let ((), commit) = self.targets.forget(&kept, None, |forget_targets| {
            self.catalog.change(&*self.store, |draft| {
                forget_targets(&mut draft.batch);
                change(draft)
            })
        })?;
        commit.wait()?;
        Ok(())
    }

    fn copy_database(&self, from: &str, to: &str, now: Timestamp) -> Result<Vec<String>, AdminError> {
        let view = self.cut(Batch::new())?;
        // The tables of the same moment as the rows, whatever the catalog has become since.
        let version = Version::read(&*view)?;
        let tables = settled_tables(&version, from, now);
        let streams = version.streams(from).map(|stream| stream.row.clone()).collect();
        let begin = |draft: &mut Draft| {
            let copy = renumber(draft, tables, streams, to, now);
            self.copies.0.lock().insert(copy.job.id);
            Ok::<_, AdminError>(copy)
        };
        let (copy, commit) = self.catalog.change(&*self.store, begin)?;
        let _under_way = UnderWay(&self.copies, copy.job.id);
        commit.wait()?;
        for (old, new) in &copy.renumbered {
            self.copy_rows(&*view, *old, *new)?;
        }
        // What came during the copy goes too.
        let by_now = self.store.snapshot()?;
        let show = |draft: &mut Draft, copy_targets: &mut dyn FnMut(&mut Batch)| {
            copy.job.finish(&mut draft.batch);
            activity::forget(&*by_now, to, None, &mut draft.batch)?;
            copy_targets(&mut draft.batch);
            let copied = CopiedStreams { view: &*view, from, to, streams: &copy.streams };
            if is_kept(to) {
                copied.keep_pipes(&mut draft.batch)?;
            } else {
                copied.bring_back_pipes(&*by_now, &mut draft.batch)?;
            }
            let streams = copy.streams.into_iter().map(|(_, stream)| stream).collect();
            Ok::<_, AdminError>(replace_database(draft, copy.records, streams, to, now))
        };
        let (names, commit) = self.targets.copy(from, to, |copy_targets| {
            self.catalog.change(&*self.store, |draft| show(draft, copy_targets))
        })?;
        commit.wait()?;
        Ok(names)
    }

    /// Copies all rows and counters of a table, index or stream to a new number.
    fn copy_rows(&self, view: &dyn Snapshot, old: ObjectId, new: ObjectId) -> Result<(), StoreError> {
        // Indexes of expiry times are filled again, which is no more work.
        for keyspace in crate::jobs::ROWS_OF_OBJECTS.into_iter().filter(|one| *one != Keyspace::Expiry) {
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

/// Whether a database is a kept state: nothing becomes of its streams and items with time.
pub(crate) fn is_kept(namespace: &str) -> bool {
    namespace.starts_with(KEPT)
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
fn renumber(
    draft: &mut Draft,
    mut records: Vec<TableRecord>,
    streams: Vec<StreamRow>,
    to: &str,
    now: Timestamp,
) -> Copy {
    let mut streams: Vec<_> = streams.into_iter().map(|stream| (stream.id, stream)).collect();
    let mut renumbered = Vec::new();
    let mut give_number = |id: &mut ObjectId| {
        let new = draft.new_id();
        renumbered.push((*id, new));
        *id = new;
    };
    for record in &mut records {
        record.namespace = to.to_owned();
        let indexes = record.local_indexes.iter_mut().chain(&mut record.global_indexes);
        let ids = std::iter::once(&mut record.id).chain(indexes.map(|index| &mut index.id));
        ids.chain(&mut record.expiry_id).for_each(&mut give_number);
    }
    for (_, stream) in &mut streams {
        stream.namespace = to.to_owned();
        give_number(&mut stream.id);
    }
    let objects = renumbered.iter().map(|(_, new)| *new).collect();
    let job = draft.add_job(now, Work::Purge { namespace: to.to_owned(), table: String::new(), objects });
    Copy { records, streams, renumbered, job }
}

/// Shows the copies in place of the tables that a database has. Answers their names.
fn replace_database(
    draft: &mut Draft,
    records: Vec<TableRecord>,
    streams: Vec<StreamRow>,
    to: &str,
    now: Timestamp,
) -> Vec<String> {
    let before: Vec<String> = draft.version().tables(to).map(|table| table.record.name.clone()).collect();
    for name in before {
        remove_table(draft, to, &name, now);
    }
    remove_streams(draft, to, |_| true, now);
    streams.into_iter().for_each(|stream| draft.put_stream(stream));
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
        if let Some(expiry_id) = record.expiry_id.filter(|_| !is_kept(to)) {
            let (namespace, table, table_id) = (to.to_owned(), record.name.clone(), record.id);
            draft.add_job(now, Work::FillExpiry { namespace, table, table_id, expiry_id });
        }
        draft.put(record);
    }
    names
}

/// Takes a table out, and its streams, with jobs that clear their rows away.
fn remove_table(draft: &mut Draft, namespace: &str, name: &str, now: Timestamp) -> Option<()> {
    let table = draft.remove(namespace, name)?;
    let objects = table.record.objects();
    draft.add_job(now, Work::Purge { namespace: namespace.into(), table: name.into(), objects });
    remove_streams(draft, namespace, |table| table == name, now);
    Some(())
}

/// Takes the streams of some tables out, also of tables that are gone, with a job that clears their rows away.
fn remove_streams(draft: &mut Draft, namespace: &str, of: impl Fn(&str) -> bool, now: Timestamp) {
    let streams = draft.version().streams(namespace).filter(|stream| of(&stream.row.table));
    let rows: Vec<StreamRow> = streams.map(|stream| stream.row.clone()).collect();
    rows.iter().for_each(|row| draft.remove_stream(row));
    let objects: Vec<ObjectId> = rows.iter().map(|row| row.id).collect();
    if !objects.is_empty() {
        draft.add_job(now, Work::Purge { namespace: namespace.into(), table: String::new(), objects });
    }
}

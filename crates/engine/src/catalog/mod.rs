//! Which tables there are, and what they are.
//!
//! The catalog is a chain of immutable versions. A request plans on one [`Table`], which never changes; a write
//! looks again under its latch whether that table is still the current one, and plans anew when it is not.
//! Changes are made one at a time: a change is checked against the current version, its rows join the store's
//! queue, and the new version is shown, in that order; the caller answers when the rows are durable, and so does everybody
//! else who may have seen them ([`shown`]).

pub mod jobs;
pub mod record;
mod settle;
mod shown;
pub mod stream;
mod table;

use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use dynamometer_store::{Batch, Commit, Direction, Keyspace, Snapshot, Store, StoreError};
use foldhash::HashMap;
use parking_lot::Mutex;

use crate::disk::keys::ObjectId;
use record::{RECORD_FORMAT, TableRecord};
use shown::Shown;
pub use stream::Stream;
pub use table::{Index, IndexKind, Projection, Table};

/// The tables, now.
pub struct Catalog {
    shown: Arc<Shown>,
    /// Held by the one change that is under way; never across I/O.
    changing: Mutex<()>,
}

/// All tables and streams at one moment.
#[derive(Clone, Default)]
pub struct Version {
    namespaces: HashMap<String, BTreeMap<String, Arc<Table>>>,
    /// By database, then by table and label.
    streams: HashMap<String, BTreeMap<(String, String), Arc<Stream>>>,
    next_id: ObjectId,
}

/// The key of the row that keeps the next free number.
const NEXT_ID_KEY: &[u8] = b"!next-id";

/// A change of the catalog in the making: the new version and the rows that keep it.
pub struct Draft {
    version: Version,
    /// What will be committed with the change; more may be put in.
    pub batch: Batch,
}

impl Catalog {
    /// Reads the catalog of a store.
    ///
    /// # Errors
    /// When a row cannot be read, or is of a newer format.
    pub fn open(store: &dyn Store) -> Result<Catalog, StoreError> {
        let version = Version::read(&*store.snapshot()?)?;
        Ok(Catalog { shown: Shown::new(version), changing: Mutex::new(()) })
    }

    /// The table of a name in a database.
    pub fn table(&self, namespace: &str, name: &str) -> Option<Arc<Table>> {
        self.shown.load().table(namespace, name).cloned()
    }

    /// Whether `table` is still the current version of its table.
    pub fn is_current(&self, table: &Table) -> bool {
        let current = self.shown.load();
        current
            .table(&table.record.namespace, &table.record.name)
            .is_some_and(|known| std::ptr::eq(&**known, table))
    }

    /// All tables at this moment.
    pub fn version(&self) -> Arc<Version> {
        Arc::clone(&self.shown.load())
    }

    /// Changes the catalog. `change` sees the current version and drafts the next; when it refuses, nothing
    /// happens. The commit that is answered must be waited for before the change is acknowledged.
    ///
    /// # Errors
    /// What `change` answers.
    pub fn change<T, E>(
        &self,
        store: &dyn Store,
        change: impl FnOnce(&mut Draft) -> Result<T, E>,
    ) -> Result<(T, Commit), E> {
        let _one_at_a_time = self.changing.lock();
        let mut draft = Draft { version: Version::clone(&self.shown.load()), batch: Batch::new() };
        let answer = change(&mut draft)?;
        let coming = self.shown.follow(draft.version, &mut draft.batch);
        let commit = store.commit(draft.batch);
        self.shown.show(coming);
        Ok((answer, commit))
    }

    /// How many changes could not be kept, for [`Catalog::settled_since`].
    pub(crate) fn lost_changes(&self) -> u64 {
        self.shown.lost()
    }

    /// Waits until all that the catalog has shown is durable; false when it has shown a change since `lost` was asked
    /// for that could not be kept.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) async fn settled_since(&self, store: &dyn Store, lost: u64) -> Result<bool, StoreError> {
        if !self.shown.is_settled() {
            // An empty batch takes its turn behind the changes that were shown.
            store.commit(Batch::new()).await?;
        }
        Ok(self.shown.lost() == lost)
    }

    /// Waits until the change that is under way is shown. The rows of a change can be seen in the store a moment
    /// before its version is; whoever acts on such rows calls this in between.
    pub fn pass_change(&self) {
        drop(self.changing.lock());
    }
}

impl Version {
    /// Reads all tables as a view of the store has them.
    ///
    /// # Errors
    /// When a row cannot be read, or is of a newer format.
    pub fn read(view: &dyn Snapshot) -> Result<Version, StoreError> {
        let mut version = Version { next_id: 1, ..Version::default() };
        let mut fault = None;
        let (start, end) = (Bound::Unbounded, Bound::Unbounded);
        view.range(Keyspace::Catalog, start, end, Direction::Forward, &mut |key, value| match read_row(
            key,
            value,
            &mut version,
        ) {
            Ok(()) => ControlFlow::Continue(()),
            Err(sentence) => {
                fault = Some(sentence);
                ControlFlow::Break(())
            }
        })?;
        fault.map_or(Ok(version), |sentence| Err(StoreError::Corrupt(sentence.into())))
    }

    /// The table of a name in a database.
    pub fn table(&self, namespace: &str, name: &str) -> Option<&Arc<Table>> {
        self.namespaces.get(namespace)?.get(name)
    }

    /// The tables of a database in the order of their names.
    pub fn tables(&self, namespace: &str) -> impl Iterator<Item = &Arc<Table>> {
        self.namespaces.get(namespace).into_iter().flat_map(BTreeMap::values)
    }

    /// Whether a database was ever made; a kept state is one also without tables.
    pub fn has_namespace(&self, namespace: &str) -> bool {
        self.namespaces.contains_key(namespace)
    }

    /// The names of the databases, in no order.
    pub fn namespaces(&self) -> impl Iterator<Item = &str> {
        self.namespaces.keys().map(String::as_str)
    }

    /// The tables of all databases.
    pub fn all_tables(&self) -> impl Iterator<Item = &Arc<Table>> {
        self.namespaces.values().flat_map(BTreeMap::values)
    }

    fn insert(&mut self, table: Table) -> Arc<Table> {
        let table = Table { stream: self.stream_of(&table.record), ..table };
        let names = self.namespaces.entry(table.record.namespace.clone()).or_default();
        // A table of the same name that was made anew has another number.
        let table = Arc::new(match names.get(&table.record.name) {
            Some(former) if former.id() == table.id() => table.succeeding(former),
            _ => table,
        });
        names.insert(table.record.name.clone(), Arc::clone(&table));
        table
    }
}

impl Draft {
    /// The tables as the change has left them so far.
    pub fn version(&self) -> &Version {
        &self.version
    }

    /// The table of a name in a database.
    pub fn table(&self, namespace: &str, name: &str) -> Option<&Arc<Table>> {
        self.version.table(namespace, name)
    }

    /// A number for a table or an index, never given before.
    pub fn new_id(&mut self) -> ObjectId {
        let id = self.version.next_id;
        self.version.next_id += 1;
        self.batch.put(Keyspace::Catalog, NEXT_ID_KEY, self.version.next_id.to_be_bytes().to_vec());
        id
    }

    /// Puts a table in, new or in place of its former version.
    pub fn put(&mut self, record: TableRecord) -> Arc<Table> {
        let row = serde_json::to_vec(&record).expect("a record has only strings for keys");
        self.batch.put(Keyspace::Catalog, row_key(&record.namespace, &record.name), row);
        self.version.insert(Table::new(record))
    }

    /// Makes a database be there, also without tables.
    pub fn keep_namespace(&mut self, namespace: &str) {
        self.batch.put(Keyspace::Catalog, namespace_key(namespace), &b""[..]);
        self.version.namespaces.entry(namespace.to_owned()).or_default();
    }

    /// Takes a table out. Its rows on disk are the caller's matter.
    pub fn remove(&mut self, namespace: &str, name: &str) -> Option<Arc<Table>> {
        self.batch.delete(Keyspace::Catalog, row_key(namespace, name));
        self.version.namespaces.get_mut(namespace)?.remove(name)
    }
}

/// The key of the row that says that a database was made.
fn namespace_key(namespace: &str) -> Vec<u8> {
    [b"namespace", namespace.as_bytes()].join(&0)
}

/// `table \0 namespace \0 name`: neither a namespace nor a name holds a zero byte.
fn row_key(namespace: &str, name: &str) -> Vec<u8> {
    [b"table", namespace.as_bytes(), name.as_bytes()].join(&0)
}

fn read_row(key: &[u8], value: &[u8], version: &mut Version) -> Result<(), String> {
    if key == NEXT_ID_KEY {
        let bytes = value.try_into().map_err(|_| "the catalog's next number is no number".to_string())?;
        version.next_id = ObjectId::from_be_bytes(bytes);
        return Ok(());
    }
    if let Some(namespace) = key.strip_prefix(b"namespace\0") {
        let namespace = String::from_utf8_lossy(namespace).into_owned();
        version.namespaces.entry(namespace).or_default();
        return Ok(());
    }
    // What is kept of CloudWatch and of the clock lies beside the tables.
    if key.starts_with(crate::metrics::KEPT_PREFIX) || key == crate::kept_time::KEY {
        return Ok(());
    }
    let named = String::from_utf8_lossy(key).replace('\0', " ");
    if key.split(|byte| *byte == 0).next() == Some(stream::ROW) {
        return stream::read_row(&named, value, version);
    }
    let record: TableRecord =
        serde_json::from_slice(value).map_err(|e| format!("catalog row `{named}`: {e}"))?;
    if record.format > RECORD_FORMAT {
        return Err(format!("catalog row `{named}` is of format {}, newer than this build", record.format));
    }
    version.insert(Table::new(record));
    Ok(())
}

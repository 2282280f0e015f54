//! A table as requests see it: its record, and what is worked out from it once.

use std::sync::Arc;

use dynamometer_types::{Item, KeySchema};

use super::Stream;
use super::record::{IndexRecord, Lifecycle, ProjectionRecord, TableRecord, key_of};
use crate::disk::keys::ObjectId;
use crate::throughput::Live;

/// One version of a table. Never changes; a change of the table makes a new one.
#[derive(Debug)]
pub struct Table {
    /// What is stored of it.
    pub record: TableRecord,
    /// The table's key.
    pub key: KeySchema,
    /// Its indexes: local ones first, each kind in the order of the record. Indexes that are being deleted are left
    /// out; those that are being created are in, because writes maintain them already.
    pub indexes: Vec<Index>,
    /// Where its changes are recorded, while its stream is enabled.
    pub stream: Option<Arc<Stream>>,
    /// Counts the versions of the table since the server started.
    pub(crate) version: u64,
    /// What all its versions share: the live state of its throughput.
    pub(crate) live: Arc<Live>,
}

/// A secondary index of a table.
#[derive(Debug)]
pub struct Index {
    /// Its number on disk.
    pub id: ObjectId,
    /// Its name.
    pub name: Arc<str>,
    /// Local or global.
    pub kind: IndexKind,
    /// Its key.
    pub key: KeySchema,
    /// What it holds of an item.
    pub projection: Projection,
    /// Whether it is still being filled: writes go in, reads are refused.
    pub backfilling: bool,
}

/// The two kinds of secondary indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// Same partition key as the table; strongly consistent; units are the table's.
    Local,
    /// Its own key; eventually consistent; units of its own.
    Global,
}

/// What an index holds of an item beyond the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Projection {
    /// The whole item.
    All,
    /// Nothing.
    KeysOnly,
    /// These attributes.
    Include(Vec<String>),
}

impl Table {
    /// Works out what requests need of a record.
    pub fn new(record: TableRecord) -> Table {
        let key = key_of(&record.key_schema, &record.attribute_definitions);
        let local = record.local_indexes.iter().map(|index| Index::new(index, IndexKind::Local, &record));
        let global = record
            .global_indexes
            .iter()
            .filter(|index| !matches!(index.lifecycle, Lifecycle::Deleting { .. }))
            .map(|index| Index::new(index, IndexKind::Global, &record));
        let indexes = local.chain(global).collect();
        Table { key, indexes, record, stream: None, version: 0, live: Arc::default() }
    }

    /// The table as the version that comes after `former`.
    #[must_use]
    pub(crate) fn succeeding(self, former: &Table) -> Table {
        Table { version: former.version + 1, live: Arc::clone(&former.live), ..self }
    }

    /// The table's number on disk.
    pub fn id(&self) -> ObjectId {
        self.record.id
    }

    /// The index of this name.
    pub fn index(&self, name: &str) -> Option<&Index> {
        self.indexes.iter().find(|index| &*index.name == name)
    }

    /// Whether an attribute is part of a key or of what an index holds that does not hold all. Without the others it can
    /// still be told what becomes of the indexes.
    pub fn indexes_need(&self, name: &str) -> bool {
        let needs = |index: &Index| match index.projection {
            Projection::All => index.key.contains(name),
            _ => index.projects(name, &self.key),
        };
        self.key.contains(name) || self.indexes.iter().any(needs)
    }

    /// Whether item collections are bounded and metered, which local indexes bring.
    pub fn has_local_indexes(&self) -> bool {
        self.indexes.iter().any(|index| index.kind == IndexKind::Local)
    }
}

impl Index {
    fn new(index: &IndexRecord, kind: IndexKind, table: &TableRecord) -> Index {
        Index {
            id: index.id,
            name: index.name.as_str().into(),
            kind,
            key: key_of(&index.key_schema, &table.attribute_definitions),
            projection: match &index.projection {
                ProjectionRecord::All => Projection::All,
                ProjectionRecord::KeysOnly => Projection::KeysOnly,
                ProjectionRecord::Include(names) => Projection::Include(names.clone()),
            },
            backfilling: index.backfilling,
        }
    }

    /// Whether the index holds an attribute of this name.
    pub fn projects(&self, name: &str, table_key: &KeySchema) -> bool {
        match &self.projection {
            Projection::All => true,
            _ if self.key.contains(name) || table_key.contains(name) => true,
            Projection::KeysOnly => false,
            Projection::Include(names) => names.iter().any(|included| included == name),
        }
    }

    /// The part of an item that the index holds; `None` when it holds all.
    pub fn part_of(&self, item: &Item, table_key: &KeySchema) -> Option<Item> {
        let held = || item.iter().filter(|(name, _)| self.projects(name, table_key));
        (self.projection != Projection::All)
            .then(|| held().map(|(name, value)| (name, value.clone())).collect())
    }
}

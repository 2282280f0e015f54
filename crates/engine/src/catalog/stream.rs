//! The streams of tables, and their shards.
//!
//! A stream outlives its being disabled, and its table, by a day: so it has a row of its own in the catalog. Its shards
//! divide the range of the partition key's hash, as the table's partitions do; a shard that is open takes the records
//! of its part. A shard is closed when its part is split, when it is old, or when the stream is disabled; the shards that
//! come after it are its children.
//!
//! The sequence numbers at which a shard begins and ends are those of the change that opens or closes it. Nobody knows
//! them while the change is being made; so the change appends a row to the shard for each ([`Mark`]). All changes
//! that close shards are made while no writer is between planning and joining the queue: a
//! closed shard takes no more records, and its last row is the mark of its end.
//!
//! [`Mark`]: crate::disk::stream::Mark

use std::sync::Arc;

use dynamometer_store::Keyspace;
use dynamometer_types::Timestamp;
use serde::{Deserialize, Serialize};

use super::record::{KeySchemaElementRecord, Lifecycle, TableRecord};
use super::{Draft, Table, Version};
use crate::api::StreamViewType;
use crate::disk::keys::ObjectId;
use crate::disk::stream::{Mark, shard_prefix};

/// The format of [`StreamRow`]s. A newer one is refused at start.
pub const STREAM_FORMAT: u32 = 1;

/// A stream, as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamRow {
    /// Always [`STREAM_FORMAT`].
    pub format: u32,
    /// The database of its table.
    pub namespace: String,
    /// Its table's name.
    pub table: String,
    /// Its label, which tells it from the table's other streams.
    pub label: String,
    /// `StreamArn`.
    pub arn: String,
    /// Its number on disk.
    pub id: ObjectId,
    /// What a record holds.
    pub view_type: StreamViewType,
    /// The table's `KeySchema`.
    pub key_schema: Vec<KeySchemaElementRecord>,
    /// When it was enabled, milliseconds since the epoch.
    pub created_ms: i64,
    /// `Creating` is `ENABLING`, `Deleting` is `DISABLING`, and `DISABLED` once it is over.
    pub lifecycle: Lifecycle,
    /// The shards that have records or may get some, oldest first.
    pub shards: Vec<Shard>,
    /// The number of the next shard.
    pub next_shard: u32,
}

/// A shard, as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Its number within the stream.
    pub number: u32,
    /// When it was opened, milliseconds since the epoch.
    pub created_ms: i64,
    /// The shard that it comes after.
    pub parent: Option<u32>,
    /// The id of that one, which may be gone by now.
    pub parent_id: Option<String>,
    /// The first hash of its part. Among the open shards, a part ends where the next one begins.
    pub from_hash: u64,
    /// When it was closed; `None` while it is open.
    pub closed_ms: Option<i64>,
}

/// A stream as requests see it. Never changes; a change makes a new one.
#[derive(Debug)]
pub struct Stream {
    /// What is stored of it.
    pub row: StreamRow,
    /// The open shards: the first hash of the part and the number, in order.
    open: Vec<(u64, u32)>,
}

impl Shard {
    /// `ShardId`: children come after their parents in the order of the letters, as consumers expect.
    pub fn id(&self) -> String {
        format!("shardId-{:020}-{:08x}", self.created_ms.max(0), self.number)
    }
}

impl StreamRow {
    /// The open shards.
    pub fn open_shards(&self) -> impl Iterator<Item = &Shard> {
        self.shards.iter().filter(|shard| shard.closed_ms.is_none())
    }

    /// Whether it takes records.
    pub fn is_enabled(&self) -> bool {
        !matches!(self.lifecycle, Lifecycle::Deleting { .. })
    }
}

impl Stream {
    fn new(row: StreamRow) -> Stream {
        let mut open: Vec<_> = row.open_shards().map(|shard| (shard.from_hash, shard.number)).collect();
        open.sort_unstable();
        Stream { row, open }
    }

    /// The number of the open shard that takes the records of a hash; `None` when the stream is disabled.
    pub fn shard_of(&self, hash: u64) -> Option<u32> {
        let after = self.open.partition_point(|(from, _)| *from <= hash);
        self.open.get(after.checked_sub(1)?).map(|(_, number)| *number)
    }

    /// Where the parts of the open shards begin, in order.
    pub fn starts(&self) -> impl Iterator<Item = u64> + '_ {
        self.open.iter().map(|(from, _)| *from)
    }

    /// The shard of a number.
    pub fn shard(&self, number: u32) -> Option<&Shard> {
        self.row.shards.iter().find(|shard| shard.number == number)
    }

    /// The shard of a `ShardId`.
    pub fn shard_of_id(&self, id: &str) -> Option<&Shard> {
        self.row.shards.iter().find(|shard| shard.id() == id)
    }
}

impl Version {
    /// The stream of a table with this label.
    pub fn stream(&self, namespace: &str, table: &str, label: &str) -> Option<&Arc<Stream>> {
        self.streams.get(namespace)?.get(&(table.to_owned(), label.to_owned()))
    }

    /// The streams of a database, by table and label.
    pub fn streams(&self, namespace: &str) -> impl Iterator<Item = &Arc<Stream>> {
        self.streams.get(namespace).into_iter().flat_map(|streams| streams.values())
    }

    /// The streams of all databases.
    pub fn all_streams(&self) -> impl Iterator<Item = &Arc<Stream>> {
        self.streams.values().flat_map(|streams| streams.values())
    }

    pub(super) fn insert_stream(&mut self, row: StreamRow) -> Arc<Stream> {
        let (namespace, name) = (row.namespace.clone(), (row.table.clone(), row.label.clone()));
        let stream = Arc::new(Stream::new(row));
        self.streams.entry(namespace).or_default().insert(name, Arc::clone(&stream));
        stream
    }

    /// The stream that a table writes to.
    pub(super) fn stream_of(&self, record: &TableRecord) -> Option<Arc<Stream>> {
        let stream = record.stream.as_ref().filter(|stream| stream.enabled)?;
        self.stream(&record.namespace, &record.name, &stream.label).cloned()
    }
}

impl Draft {
    /// Puts a stream in, new or in place of its former version.
    pub fn put_stream(&mut self, row: StreamRow) {
        let bytes = serde_json::to_vec(&row).expect("a row has only strings for keys");
        self.batch.put(Keyspace::Catalog, row_key(&row), bytes);
        let (namespace, name) = (row.namespace.clone(), row.table.clone());
        self.version.insert_stream(row);
        // Writers that planned on the table's former version plan anew.
        if let Some(table) = self.version.table(&namespace, &name) {
            let again = Table::new(table.record.clone());
            self.version.insert(again);
        }
    }

    /// Takes a stream out. Its rows on disk are the caller's matter.
    pub fn remove_stream(&mut self, row: &StreamRow) {
        self.batch.delete(Keyspace::Catalog, row_key(row));
        if let Some(streams) = self.version.streams.get_mut(&row.namespace) {
            streams.remove(&(row.table.clone(), row.label.clone()));
        }
    }

    /// Begins the stream that a record was given: opens a shard at each of `starts`, of which the first is 0.
    pub(crate) fn begin_stream(&mut self, record: &TableRecord, starts: &[u64], now: Timestamp) {
        let Some(settings) = &record.stream else { return };
        let until_ms = match record.lifecycle {
            Lifecycle::Creating { until_ms } | Lifecycle::Updating { until_ms, .. } => until_ms,
            _ => now.millis(),
        };
        let mut row = StreamRow {
            format: STREAM_FORMAT,
            namespace: record.namespace.clone(),
            table: record.name.clone(),
            label: settings.label.clone(),
            arn: settings.arn(record),
            id: self.new_id(),
            view_type: settings.view_type,
            key_schema: record.key_schema.clone(),
            created_ms: now.millis(),
            lifecycle: Lifecycle::Creating { until_ms },
            shards: Vec::new(),
            next_shard: 0,
        };
        for start in starts {
            self.open_shard(&mut row, None, *start, now);
        }
        self.put_stream(row);
    }

    /// Ends the stream that a table writes to, if there is one: closes its shards. It is `DISABLED` at `until`.
    pub(crate) fn end_stream(&mut self, record: &TableRecord, now: Timestamp, until: Timestamp) {
        let Some(stream) = self.version.stream_of(record) else { return };
        let mut row = stream.row.clone();
        row.lifecycle = Lifecycle::Deleting { until_ms: until.millis() };
        let open: Vec<u32> = row.open_shards().map(|shard| shard.number).collect();
        for number in open {
            self.close_shard(&mut row, number, now);
        }
        self.put_stream(row);
    }

    /// Closes an open shard, and opens one in its place for each of `starts`, of which the first is where it begins.
    pub(crate) fn replace_shard(&mut self, row: &mut StreamRow, number: u32, starts: &[u64], now: Timestamp) {
        self.close_shard(row, number, now);
        for start in starts {
            self.open_shard(row, Some(number), *start, now);
        }
    }

    fn open_shard(&mut self, row: &mut StreamRow, parent: Option<u32>, from_hash: u64, now: Timestamp) {
        let number = row.next_shard;
        row.next_shard += 1;
        let parent_shard = row.shards.iter().find(|shard| Some(shard.number) == parent);
        let parent_id = parent_shard.map(Shard::id);
        // Not before its parent, also when the clock was set back: the ids would be in the wrong order.
        let created_ms = parent_shard.map_or(now.millis(), |parent| parent.created_ms.max(now.millis()));
        row.shards.push(Shard { number, created_ms, parent, parent_id, from_hash, closed_ms: None });
        self.mark(row.id, number, &Mark::start());
    }

    fn close_shard(&mut self, row: &mut StreamRow, number: u32, now: Timestamp) {
        for shard in row.shards.iter_mut().filter(|shard| shard.number == number) {
            shard.closed_ms = Some(now.millis());
        }
        self.mark(row.id, number, &Mark::End);
    }

    fn mark(&mut self, stream: ObjectId, shard: u32, mark: &Mark) {
        self.batch.append(Keyspace::Streams, shard_prefix(stream, shard).to_vec(), mark.encode());
    }
}

/// `stream \0 namespace \0 table \0 label`: comes before the rows of tables, which refer to it.
fn row_key(row: &StreamRow) -> Vec<u8> {
    [ROW, row.namespace.as_bytes(), row.table.as_bytes(), row.label.as_bytes()].join(&0)
}

/// What the keys of stream rows begin with.
pub(super) const ROW: &[u8] = b"stream";

/// Reads the row of a stream.
pub(super) fn read_row(named: &str, value: &[u8], version: &mut Version) -> Result<(), String> {
    let row: StreamRow = serde_json::from_slice(value).map_err(|e| format!("catalog row `{named}`: {e}"))?;
    if row.format > STREAM_FORMAT {
        return Err(format!("catalog row `{named}` is of format {}, newer than this build", row.format));
    }
    version.insert_stream(row);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(number: u32, from_hash: u64, closed_ms: Option<i64>) -> Shard {
        Shard { number, created_ms: 1_583_161_236_372, parent: None, parent_id: None, from_hash, closed_ms }
    }

    #[test]
    fn a_hash_belongs_to_the_open_shard_that_begins_last_before_it() {
        let row = StreamRow {
            format: STREAM_FORMAT,
            namespace: String::new(),
            table: "T".into(),
            label: "L".into(),
            arn: "A".into(),
            id: 1,
            view_type: StreamViewType::KeysOnly,
            key_schema: vec![],
            created_ms: 0,
            lifecycle: Lifecycle::Active,
            shards: vec![shard(0, 0, Some(1)), shard(2, 100, None), shard(1, 0, None)],
            next_shard: 3,
        };
        let stream = Stream::new(row.clone());
        let found = [0, 99, 100, u64::MAX].map(|hash| stream.shard_of(hash));
        assert_eq!(found, [Some(1), Some(1), Some(2), Some(2)]);
        let disabled = Stream::new(StreamRow { shards: vec![shard(0, 0, Some(1))], ..row });
        assert_eq!(disabled.shard_of(5), None);
    }

    #[test]
    fn a_shard_id_is_of_the_shape_that_aws_has() {
        assert_eq!(shard(0x1f, 0, None).id(), "shardId-00000001583161236372-0000001f");
    }
}

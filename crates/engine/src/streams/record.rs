//! From a change of an item to its record.

use bytes::Bytes;
use dynamometer_types::{Item, Timestamp};

use crate::api::StreamViewType;
use crate::catalog::{Stream, Table};
use crate::disk::keys::hash_of;
use crate::disk::row::Row;
use crate::disk::stream::{ChangeRecord, Event, shard_prefix};

/// A change of an item, as its write made it.
pub(crate) struct ItemChange<'a> {
    /// The item's key on disk.
    pub(crate) key: &'a [u8],
    /// An item that has the key attributes.
    pub(crate) key_holder: &'a Item,
    pub(crate) old: Option<&'a Row>,
    pub(crate) new: Option<&'a Row>,
    /// The time of the request.
    pub(crate) now: Timestamp,
    /// Whether the service itself made it, for time to live.
    pub(crate) by_service: bool,
}

/// Where the record of a change goes, and what it is: the prefix of its key, and its row. `None` when nothing is
/// recorded: the stream is disabled, or the item is what it was.
pub(crate) fn record_of(stream: &Stream, table: &Table, change: &ItemChange<'_>) -> Option<(Bytes, Bytes)> {
    let event = match (change.old, change.new) {
        // Equal items have equal rows: a row is written in one way only.
        (Some(old), Some(new)) if old.bytes() == new.bytes() => return None,
        (Some(_), Some(_)) => Event::Modify,
        (None, Some(_)) => Event::Insert,
        (Some(_), None) => Event::Remove,
        (None, None) => return None,
    };
    let shard = stream.shard_of(hash_of(change.key)?)?;
    let view = stream.row.view_type;
    let shows_new = matches!(view, StreamViewType::NewImage | StreamViewType::NewAndOldImages);
    let shows_old = matches!(view, StreamViewType::OldImage | StreamViewType::NewAndOldImages);
    let (new, old) = (change.new.filter(|_| shows_new), change.old.filter(|_| shows_old));
    let record = ChangeRecord {
        event,
        by_service: change.by_service,
        created: change.now,
        keys: (new.is_none() && old.is_none()).then(|| keys_row(table, change.key_holder)),
        new: new.cloned(),
        old: old.cloned(),
    };
    let prefix = Bytes::copy_from_slice(&shard_prefix(stream.row.id, shard));
    Some((prefix, record.encode()))
}

fn keys_row(table: &Table, key_holder: &Item) -> Row {
    let keys = key_holder.iter().filter(|(name, _)| table.key.contains(name));
    Row::encode(&keys.map(|(name, value)| (name, value.clone())).collect())
}

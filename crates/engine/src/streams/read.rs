//! Reading a shard: what GetRecords answers, and what delivers records inside the server.

use std::ops::{Bound, ControlFlow};
use std::sync::atomic::Ordering;

use dynamometer_store::{Appended, Direction, Keyspace, Snapshot, StoreError};
use dynamometer_types::key::partition_hash;
use dynamometer_types::{Item, Timestamp};

use super::SequenceNumber;
use super::upkeep::current;
use crate::Context;
use crate::catalog::Stream;
use crate::disk::keys::{ObjectId, after_prefix};
use crate::disk::row::{CorruptRow, Row};
use crate::disk::stream::{ChangeRecord, Event, Mark, ShardRow, shard_prefix};
use crate::engine::Engine;

/// A record as consumers get it.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamRecord {
    /// `SequenceNumber`.
    pub sequence_number: SequenceNumber,
    /// `eventName`.
    pub event: Event,
    /// Whether time to live did it; then there is a `userIdentity`.
    pub by_service: bool,
    /// The time of the request that did it. Answered in whole seconds.
    pub created: Timestamp,
    /// `Keys`.
    pub keys: Item,
    /// `NewImage`.
    pub new_image: Option<Row>,
    /// `OldImage`.
    pub old_image: Option<Row>,
    /// `SizeBytes`: keys and images as items are measured.
    pub size_bytes: u64,
}

impl StreamRecord {
    /// `eventID`: the same whenever the record is read, and of no other record. 32 hexadecimal digits.
    pub fn event_id(&self, stream: &Stream) -> String {
        let SequenceNumber(at) = self.sequence_number;
        let place = at.key(stream.row.arn.as_bytes());
        // The first half could meet that of another record; the second is the commit itself, mixed.
        let mixed = at.sequence.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(at.place);
        format!("{:016x}{mixed:016x}", partition_hash(&place))
    }
}

/// Some records of a shard.
#[derive(Debug)]
pub struct ShardPage {
    /// The records in their order.
    pub records: Vec<StreamRecord>,
    /// Where to read on.
    pub next: Appended,
    /// Whether the shard is closed and all of it is read.
    pub is_end: bool,
}

/// What a read of a shard finds.
#[derive(Debug)]
pub enum ShardRead {
    /// Records, or none yet.
    Page(ShardPage),
    /// Records at the place were trimmed.
    Trimmed,
    /// There is no such shard any more.
    Gone,
}

/// Where a shard begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardEnds {
    /// `StartingSequenceNumber`.
    pub start: Appended,
    /// `EndingSequenceNumber`; `None` while the shard is open.
    pub end: Option<Appended>,
    /// The last record that was trimmed; zero when none was.
    pub trimmed: Appended,
    /// The last row that was there.
    pub last: Appended,
}

/// How much a page may hold.
#[derive(Clone, Copy)]
struct PageLimits {
    records: usize,
    /// About; one record is given also when it is larger.
    bytes: usize,
}

/// By how much the times of records may differ from the order of their commits, in milliseconds: a request takes its
/// time when it arrives.
const DISORDER_MS: i64 = 60_000;

impl Engine {
    /// Reads a shard from a place on: [`Appended::default`] is the oldest record that is still there. Records are in the
    /// order of their commits; a place once read is never filled later, so reading on from [`ShardPage::next`] misses
    /// nothing. A page holds at most so many records, and about so many bytes of them, but one at least. May block on the
    /// store.
    ///
    /// # Errors
    /// When the store fails, or holds a row that cannot be read.
    pub fn read_shard(
        &self,
        stream: &Stream,
        shard: u32,
        from: Appended,
        records: usize,
        bytes: usize,
    ) -> Result<ShardRead, StoreError> {
        let view = self.store.snapshot()?;
        let Some(ends) = shard_ends(&*view, stream.row.id, shard)? else {
            // The catalog shows a shard a moment before its first row is durable, and lists it until its last is gone.
            let version = self.catalog.version();
            let current = current(&version, stream);
            return Ok(match current.is_some_and(|stream| stream.shard(shard).is_some()) {
                true => ShardRead::Page(ShardPage { records: Vec::new(), next: from, is_end: false }),
                false => ShardRead::Gone,
            });
        };
        if from != Appended::default() && from <= ends.trimmed {
            return Ok(ShardRead::Trimmed);
        }
        let mut page = read_page(&*view, stream, shard, from, PageLimits { records, bytes })?;
        page.is_end |= ends.end.is_some_and(|end| from > end);
        Ok(ShardRead::Page(page))
    }

    /// Where a shard begins and ends; `None` when it is not there any more. May block on the store.
    ///
    /// # Errors
    /// When the store fails, or holds a row that cannot be read.
    pub fn shard_ends(&self, stream: &Stream, shard: u32) -> Result<Option<ShardEnds>, StoreError> {
        shard_ends(&*self.store.snapshot()?, stream.row.id, shard)
    }

    /// Counts a GetRecords call on the stream of a table that is still there.
    pub(crate) fn count_stream_read(&self, context: &Context<'_>, stream: &Stream, records: &[StreamRecord]) {
        let Some(table) = self.catalog.table(&stream.row.namespace, &stream.row.table) else { return };
        let free = &table.live.free;
        let bytes = records.iter().map(|record| record.size_bytes).sum();
        free.stream_reads.fetch_add(1, Ordering::Relaxed);
        free.stream_records.fetch_add(records.len() as u64, Ordering::Relaxed);
        free.stream_bytes.fetch_add(bytes, Ordering::Relaxed);
        self.note_stream_read(context, &table, &stream.row.label, records.len() as u64, bytes);
    }

    /// The place of the first record that was made at a time or later, or the place behind all that are there.
    /// May block on the store.
    ///
    /// # Errors
    /// When the store fails, or holds a row that cannot be read.
    pub(crate) fn place_of_time(
        &self,
        stream: &Stream,
        shard: u32,
        ends: ShardEnds,
        at: Timestamp,
    ) -> Result<Appended, StoreError> {
        let view = self.store.snapshot()?;
        let first_from = |from: Appended, at: Timestamp, most: usize| {
            first_made_at(&*view, stream.row.id, shard, from, at, most)
        };
        // Halves the commits until little is left that was surely made before, then walks.
        let early = Timestamp::from_millis(at.millis().saturating_sub(DISORDER_MS));
        let (mut low, mut high) = (ends.start.sequence, ends.last.sequence);
        while low < high {
            let middle = low + (high - low) / 2;
            match first_from(Appended { sequence: middle, place: 0 }, early, 1)? {
                Some(_) => high = middle,
                None => low = middle + 1,
            }
        }
        let found = first_from(Appended { sequence: low, place: 0 }, at, usize::MAX)?;
        Ok(found.unwrap_or_else(|| after(ends.last)))
    }
}

/// The place of the first record from a place on that was made at a time or later, if it is among the first `most`.
fn first_made_at(
    view: &dyn Snapshot,
    stream: ObjectId,
    shard: u32,
    from: Appended,
    at: Timestamp,
    most: usize,
) -> Result<Option<Appended>, StoreError> {
    let (mut found, mut seen) = (None, 0);
    each_row(view, stream, shard, from, Direction::Forward, &mut |place, row| {
        let ShardRow::Record(record) = row else { return ControlFlow::Continue(()) };
        seen += 1;
        if record.created >= at {
            found = Some(place);
        }
        if found.is_some() || seen == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(found)
}

/// The place right behind another.
pub fn after(at: Appended) -> Appended {
    match at.place.checked_add(1) {
        Some(place) => Appended { place, ..at },
        None => Appended { sequence: at.sequence + 1, place: 0 },
    }
}

/// Where a shard begins and ends in a view; `None` when its rows are gone.
pub(crate) fn shard_ends(
    view: &dyn Snapshot,
    stream: ObjectId,
    shard: u32,
) -> Result<Option<ShardEnds>, StoreError> {
    let mut first = None;
    each_row(view, stream, shard, Appended::default(), Direction::Forward, &mut |at, row| {
        first = Some((at, row));
        ControlFlow::Break(())
    })?;
    let Some((start, ShardRow::Mark(Mark::Start { trimmed }))) = first else { return Ok(None) };
    let mut ends = ShardEnds { start, end: None, trimmed, last: start };
    each_row(view, stream, shard, Appended::default(), Direction::Reverse, &mut |at, row| {
        ends.last = at;
        ends.end = (row == ShardRow::Mark(Mark::End)).then_some(at);
        ControlFlow::Break(())
    })?;
    Ok(Some(ends))
}

/// Visits the rows of a shard from a place on, or all from its end.
pub(super) fn each_row(
    view: &dyn Snapshot,
    stream: ObjectId,
    shard: u32,
    from: Appended,
    direction: Direction,
    visit: &mut dyn FnMut(Appended, ShardRow) -> ControlFlow<()>,
) -> Result<(), StoreError> {
    let prefix = shard_prefix(stream, shard);
    let (start, end) = (from.key(&prefix), after_prefix(&prefix));
    let end = end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
    let mut corrupt = false;
    view.range(Keyspace::Streams, Bound::Included(&start), end, direction, &mut |key, value| match (
        Appended::of_key(key),
        ShardRow::decode(value),
    ) {
        (Some(at), Ok(row)) => visit(at, row),
        _ => {
            corrupt = true;
            ControlFlow::Break(())
        }
    })?;
    if corrupt { Err(StoreError::Corrupt(CorruptRow.to_string().into())) } else { Ok(()) }
}

fn read_page(
    view: &dyn Snapshot,
    stream: &Stream,
    shard: u32,
    from: Appended,
    limits: PageLimits,
) -> Result<ShardPage, StoreError> {
    let mut page = ShardPage { records: Vec::new(), next: from, is_end: false };
    let (mut bytes, mut fault) = (0, None);
    each_row(view, stream.row.id, shard, from, Direction::Forward, &mut |at, row| {
        match row {
            // Stepping over it would lose what it says: that nothing was trimmed since.
            ShardRow::Mark(Mark::Start { .. }) => return ControlFlow::Continue(()),
            ShardRow::Mark(Mark::End) => page.is_end = true,
            ShardRow::Record(record) => {
                bytes += record_bytes(&record);
                let is_full = page.records.len() >= limits.records || bytes > limits.bytes;
                if is_full && !page.records.is_empty() {
                    return ControlFlow::Break(());
                }
                match stream_record(stream, at, record) {
                    Ok(record) => page.records.push(record),
                    Err(corrupt) => {
                        fault = Some(corrupt);
                        return ControlFlow::Break(());
                    }
                }
            }
        }
        page.next = after(at);
        ControlFlow::Continue(())
    })?;
    fault.map_or(Ok(page), |corrupt| Err(StoreError::Corrupt(corrupt.to_string().into())))
}

fn record_bytes(record: &ChangeRecord) -> usize {
    let rows = [&record.keys, &record.new, &record.old];
    rows.into_iter().flatten().map(|row| row.bytes().len()).sum()
}

fn stream_record(stream: &Stream, at: Appended, record: ChangeRecord) -> Result<StreamRecord, CorruptRow> {
    let holder = record.keys.as_ref().or(record.new.as_ref()).or(record.old.as_ref()).ok_or(CorruptRow)?;
    let keys = holder.part(|name| stream.row.key_schema.iter().any(|element| element.name == name))?;
    let images = [&record.new, &record.old].into_iter().flatten();
    let mut size_bytes = dynamometer_types::size::item_size(&keys);
    for image in images {
        size_bytes += image.item_size()?;
    }
    Ok(StreamRecord {
        sequence_number: SequenceNumber(at),
        event: record.event,
        by_service: record.by_service,
        created: record.created,
        keys,
        new_image: record.new,
        old_image: record.old,
        size_bytes,
    })
}

//! Stream records on disk.
//!
//! ```text
//! key    := stream:u32 shard:u32 sequence:u64 place:u32        the store makes the last two at the commit
//! value  := FORMAT 0 sequence:u64 place:u32                    start of the shard, and what has been trimmed behind it
//!         | FORMAT 1                                           end of the shard
//!         | FORMAT 2 event:u8 images:u8 created_ms:i64 (length:u32 row)*
//! event  := 0 insert | 1 modify | 2 remove, with 128 added for the service's own doing
//! images := 1 keys + 2 new + 4 old + 8 new as an edit of old   what follows, in this order but for the edit, which
//!                                                              stands where new would
//! edit   := same at the start:u32 same at the end:u32 bytes between
//! ```
//!
//! The images are the bytes of the stored rows: a record is made by copying, and answered by walking them. The keys
//! have a row only where no image has them. Most changes leave most of an item as it was, so the new image is kept as
//! what differs from the old one.

use bytes::Bytes;
use dynamometer_store::Appended;
use dynamometer_types::Timestamp;

use super::keys::ObjectId;
use super::row::{CorruptRow, Row};

const FORMAT: u8 = 1;
const START: u8 = 0;
const END: u8 = 1;
const RECORD: u8 = 2;
const BY_SERVICE: u8 = 128;
const KEYS: u8 = 1;
const NEW: u8 = 2;
const OLD: u8 = 4;
const EDIT: u8 = 8;

/// The first bytes of all rows of a shard.
pub fn shard_prefix(stream: ObjectId, shard: u32) -> [u8; 8] {
    (u64::from(stream) << 32 | u64::from(shard)).to_be_bytes()
}

/// Where a shard begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The first row of every shard. The records up to this place were trimmed.
    Start {
        /// The last one that was trimmed; zero when none was.
        trimmed: Appended,
    },
    /// The last row of a closed shard.
    End,
}

impl Mark {
    /// The start of a shard of which nothing was trimmed yet.
    pub fn start() -> Mark {
        Mark::Start { trimmed: Appended::default() }
    }

    /// The bytes of the row.
    pub fn encode(&self) -> Bytes {
        match self {
            Mark::Start { trimmed } => trimmed.key(&[FORMAT, START]).into(),
            Mark::End => Bytes::from_static(&[FORMAT, END]),
        }
    }
}

/// What happened to an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It was not there before.
    Insert,
    /// It became another.
    Modify,
    /// It went.
    Remove,
}

impl Event {
    /// `eventName`.
    pub fn name(self) -> &'static str {
        match self {
            Event::Insert => "INSERT",
            Event::Modify => "MODIFY",
            Event::Remove => "REMOVE",
        }
    }
}

/// A record: one change of one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeRecord {
    /// What happened.
    pub event: Event,
    /// Whether the service did it, which is time to live.
    pub by_service: bool,
    /// The time of the request that did it.
    pub created: Timestamp,
    /// The key attributes, where no image has them.
    pub keys: Option<Row>,
    /// The item as it became.
    pub new: Option<Row>,
    /// The item as it was.
    pub old: Option<Row>,
}

impl ChangeRecord {
    /// The bytes of the row.
    pub fn encode(&self) -> Bytes {
        let edit = self.new.as_ref().zip(self.old.as_ref()).and_then(|(new, old)| edit(old, new));
        let bytes = |row: &Option<Row>| row.as_ref().map(|row| row.bytes().to_owned());
        let new = edit.as_ref().map_or_else(|| (NEW, bytes(&self.new)), |edit| (EDIT, Some(edit.clone())));
        let parts = [(KEYS, bytes(&self.keys)), new, (OLD, bytes(&self.old))];
        let length: usize = parts.iter().filter_map(|(_, part)| Some(4 + part.as_ref()?.len())).sum();
        let mut out = Vec::with_capacity(12 + length);
        let event = self.event as u8 | if self.by_service { BY_SERVICE } else { 0 };
        let images = parts.iter().filter(|(_, part)| part.is_some()).fold(0, |all, (bit, _)| all | bit);
        out.extend_from_slice(&[FORMAT, RECORD, event, images]);
        out.extend_from_slice(&self.created.millis().to_be_bytes());
        for part in parts.into_iter().filter_map(|(_, part)| part) {
            out.extend_from_slice(&(part.len() as u32).to_be_bytes());
            out.extend_from_slice(&part);
        }
        out.into()
    }
}

/// What makes `new` out of `old`; `None` when they have little in common.
fn edit(old: &Row, new: &Row) -> Option<Bytes> {
    const WORTH_IT: usize = 32;
    let (old, new) = (&old.bytes()[..], &new.bytes()[..]);
    let start = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let rests = (old[start..].iter().rev(), new[start..].iter().rev());
    let end = rests.0.zip(rests.1).take_while(|(one, other)| one == other).count();
    if start + end < WORTH_IT {
        return None;
    }
    let between = &new[start..new.len() - end];
    let mut out = Vec::with_capacity(8 + between.len());
    out.extend_from_slice(&(start as u32).to_be_bytes());
    out.extend_from_slice(&(end as u32).to_be_bytes());
    out.extend_from_slice(between);
    Some(out.into())
}

/// Makes the new row of the old one.
fn edited(old: &Row, edit: &[u8]) -> Result<Row, CorruptRow> {
    let (start, rest) = edit.split_first_chunk().ok_or(CorruptRow)?;
    let (end, between) = rest.split_first_chunk().ok_or(CorruptRow)?;
    let old = &old.bytes()[..];
    let (start, end) = (u32::from_be_bytes(*start) as usize, u32::from_be_bytes(*end) as usize);
    let end = old.len().checked_sub(end).filter(|end| *end >= start).ok_or(CorruptRow)?;
    Ok(Row::from_stored([&old[..start], between, &old[end..]].concat().into()))
}

/// A row of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShardRow {
    /// Its start or end.
    Mark(Mark),
    /// A record.
    Record(ChangeRecord),
}

impl ShardRow {
    /// Reads a stored row; its images share the bytes.
    ///
    /// # Errors
    /// When the bytes are no row of a format that this build knows.
    pub fn decode(value: &Bytes) -> Result<ShardRow, CorruptRow> {
        let [FORMAT, kind, ..] = value[..] else { return Err(CorruptRow) };
        match (kind, value.len()) {
            (START, 14) => {
                let trimmed = Appended::of_key(value).ok_or(CorruptRow)?;
                Ok(ShardRow::Mark(Mark::Start { trimmed }))
            }
            (END, 2) => Ok(ShardRow::Mark(Mark::End)),
            (RECORD, _) => decode_record(value).map(ShardRow::Record),
            _ => Err(CorruptRow),
        }
    }
}

fn decode_record(value: &Bytes) -> Result<ChangeRecord, CorruptRow> {
    let (head, mut rest) = value.split_at_checked(12).ok_or(CorruptRow)?;
    let (event, images) = (head[2], head[3]);
    let created = i64::from_be_bytes(head[4..].try_into().map_err(|_| CorruptRow)?);
    let mut next = |bits: u8| -> Result<Option<Row>, CorruptRow> {
        if images & bits == 0 {
            return Ok(None);
        }
        let (length, after) = rest.split_first_chunk().ok_or(CorruptRow)?;
        let (row, after) = after.split_at_checked(u32::from_be_bytes(*length) as usize).ok_or(CorruptRow)?;
        rest = after;
        Ok(Some(Row::from_stored(value.slice_ref(row))))
    };
    let (keys, new, old) = (next(KEYS)?, next(NEW | EDIT)?, next(OLD)?);
    let new = match (new, &old) {
        (Some(edit), Some(old)) if images & EDIT != 0 => Some(edited(old, edit.bytes())?),
        (Some(_), None) if images & EDIT != 0 => return Err(CorruptRow),
        (new, _) => new,
    };
    Ok(ChangeRecord {
        event: match event & !BY_SERVICE {
            0 => Event::Insert,
            1 => Event::Modify,
            2 => Event::Remove,
            _ => return Err(CorruptRow),
        },
        by_service: event & BY_SERVICE != 0,
        created: Timestamp::from_millis(created),
        keys,
        new,
        old,
    })
}

#[cfg(test)]
mod tests {
    use dynamometer_types::{AttributeValue, Item};

    use super::*;

    fn row(text: &str) -> Option<Row> {
        Some(Row::encode(&Item::from_iter([("pk", AttributeValue::s(text))])))
    }

    fn examples() -> Vec<ShardRow> {
        let created = Timestamp::from_millis(1_780_308_000_123);
        let record = |event, by_service, keys, new, old| {
            ShardRow::Record(ChangeRecord { event, by_service, created, keys, new, old })
        };
        vec![
            ShardRow::Mark(Mark::start()),
            ShardRow::Mark(Mark::Start { trimmed: Appended { sequence: 7, place: 3 } }),
            ShardRow::Mark(Mark::End),
            record(Event::Insert, false, None, row("a"), None),
            record(Event::Modify, false, None, row("a"), row("b")),
            record(Event::Modify, false, None, row(&"long".repeat(30)), row(&"lung".repeat(29))),
            record(Event::Modify, false, None, row(&"same".repeat(30)), row(&"same".repeat(31))),
            record(Event::Modify, false, None, row(&"same".repeat(31)), row(&"same".repeat(30))),
            record(Event::Remove, true, None, None, row("b")),
            record(Event::Remove, false, row("k"), None, None),
        ]
    }

    fn encoded(row: &ShardRow) -> Bytes {
        match row {
            ShardRow::Mark(mark) => mark.encode(),
            ShardRow::Record(record) => record.encode(),
        }
    }

    #[test]
    fn rows_of_every_kind_come_back() {
        for row in examples() {
            assert_eq!(ShardRow::decode(&encoded(&row)), Ok(row));
        }
    }

    #[test]
    fn a_small_change_of_a_large_item_makes_a_record_of_one_image() {
        let text = |letter: &str| row(&["x".repeat(5_000), letter.into(), "y".repeat(5_000)].concat());
        let (created, by_service) = (Timestamp::from_millis(0), false);
        let (new, old) = (text("a"), text("b"));
        let record = ChangeRecord { event: Event::Modify, by_service, created, keys: None, new, old };
        assert!(record.encode().len() < 10_100);
    }

    #[test]
    fn damaged_rows_are_errors_and_no_panic() {
        for row in examples() {
            let bytes = encoded(&row);
            for end in 0..bytes.len() {
                assert_eq!(ShardRow::decode(&bytes.slice(..end)), Err(CorruptRow), "{row:?} cut at {end}");
            }
            for at in 0..bytes.len() {
                for flip in [1, 0x7F, 0x80, 0xFF] {
                    let mut damaged = bytes.to_vec();
                    damaged[at] ^= flip;
                    let _ = ShardRow::decode(&damaged.into());
                }
            }
        }
    }
}

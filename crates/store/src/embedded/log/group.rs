//! The form of a group, which is a header and its rows. All numbers are little-endian:
//!
//! ```text
//! header  xxh3 of all that follows: u64, bytes of the rows: u32, rows: u32, number of the segment: u64,
//!         sequence of the group before: u64, sequence of this one: u64
//! row     keyspace: u8, kind (0 deletes, 1 puts): u8, key length: u16, value length: u32, key, value
//! ```

use std::io::{self, Read};

use bytes::{Buf, Bytes};
use lsm_tree::SeqNo;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::{Keyspace, Write};

const CHECKSUM_BYTES: usize = 8;
pub(super) const HEADER_BYTES: usize = 40;
/// Where a header has the number of its segment.
pub(super) const SEGMENT_AT: usize = 16;
const ROW_BYTES: usize = 8;

const DELETE: u8 = 0;
const PUT: u8 = 1;

/// Appends a group to the buffer, which is empty.
///
/// # Errors
/// When a group has 4 GB or more.
pub(super) fn encode(
    buffer: &mut Vec<u8>,
    segment: u64,
    before: SeqNo,
    seqno: SeqNo,
    writes: &[Write],
) -> io::Result<()> {
    buffer.resize(HEADER_BYTES, 0);
    for write in writes {
        let (key, value) = (write.key(), write.value());
        let kind = if value.is_some() { PUT } else { DELETE };
        let value = value.map_or(&[][..], |value| value);
        buffer.extend([write.keyspace().index() as u8, kind]);
        buffer.extend(length(key.len(), u16::try_from)?.to_le_bytes());
        buffer.extend(length(value.len(), u32::try_from)?.to_le_bytes());
        buffer.extend_from_slice(key);
        buffer.extend_from_slice(value);
    }
    let bytes = length(buffer.len() - HEADER_BYTES, u32::try_from)?;
    let header = &mut buffer[CHECKSUM_BYTES..HEADER_BYTES];
    header[..4].copy_from_slice(&bytes.to_le_bytes());
    header[4..8].copy_from_slice(&(writes.len() as u32).to_le_bytes());
    header[8..16].copy_from_slice(&segment.to_le_bytes());
    header[16..24].copy_from_slice(&before.to_le_bytes());
    header[24..].copy_from_slice(&seqno.to_le_bytes());
    let checksum = xxh3_64(&buffer[CHECKSUM_BYTES..]);
    buffer[..CHECKSUM_BYTES].copy_from_slice(&checksum.to_le_bytes());
    Ok(())
}

fn length<N, E>(bytes: usize, to: impl Fn(usize) -> Result<N, E>) -> io::Result<N> {
    to(bytes).map_err(|_| io::Error::new(io::ErrorKind::FileTooLarge, "a write is too large for the log"))
}

/// A whole group, as it was written.
pub(super) struct Group {
    pub segment: u64,
    /// The group before it.
    pub before: SeqNo,
    pub seqno: SeqNo,
    rows: u32,
    body: Bytes,
}

impl Group {
    /// Reads the group that stands here, in a file that has `room` bytes from here on. `None` when there is no whole one.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn read(from: &mut impl Read, room: u64) -> io::Result<Option<Group>> {
        let mut header = [0; HEADER_BYTES];
        if room < HEADER_BYTES as u64 {
            return Ok(None);
        }
        from.read_exact(&mut header)?;
        let mut numbers = &header[..];
        let (checksum, bytes, rows) = (numbers.get_u64_le(), numbers.get_u32_le(), numbers.get_u32_le());
        let (segment, before, seqno) = (numbers.get_u64_le(), numbers.get_u64_le(), numbers.get_u64_le());
        let fits = u64::from(bytes) <= room - HEADER_BYTES as u64;
        if rows == 0 || u64::from(rows) * ROW_BYTES as u64 > u64::from(bytes) || !fits {
            return Ok(None);
        }
        let mut body = vec![0; bytes as usize];
        from.read_exact(&mut body)?;
        let mut hasher = Xxh3::new();
        hasher.update(&header[CHECKSUM_BYTES..]);
        hasher.update(&body);
        let is_whole = hasher.digest() == checksum;
        Ok(is_whole.then(|| Group { segment, before, seqno, rows, body: body.into() }))
    }

    /// Bytes in the log.
    pub fn bytes(&self) -> u64 {
        (HEADER_BYTES + self.body.len()) as u64
    }

    /// What it wrote. `None` when it is nothing that this program writes.
    pub fn into_writes(self) -> Option<Vec<Write>> {
        let mut body = self.body;
        let mut writes = Vec::with_capacity(self.rows as usize);
        for _ in 0..self.rows {
            if body.len() < ROW_BYTES {
                return None;
            }
            let (keyspace, kind) = (*Keyspace::ALL.get(usize::from(body.get_u8()))?, body.get_u8());
            let (key, value) = (usize::from(body.get_u16_le()), body.get_u32_le() as usize);
            if body.len() < key + value {
                return None;
            }
            let (key, value) = (body.split_to(key), body.split_to(value));
            writes.push(match kind {
                PUT => Write::Put { keyspace, key, value },
                DELETE => Write::Delete { keyspace, key },
                _ => return None,
            });
        }
        body.is_empty().then_some(writes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writes() -> Vec<Write> {
        let put = |key: &'static str, value: &'static str| Write::Put {
            keyspace: Keyspace::Streams,
            key: key.into(),
            value: value.into(),
        };
        vec![
            put("key", "value"),
            put("k", ""),
            Write::Delete { keyspace: Keyspace::Items, key: "gone".into() },
        ]
    }

    #[test]
    fn a_group_is_read_as_it_was_written() {
        let mut bytes = vec![];
        encode(&mut bytes, 7, 40, 41, &writes()).unwrap();
        let length = bytes.len() as u64;
        bytes.extend([0; 100]);
        let group = Group::read(&mut &bytes[..], bytes.len() as u64).unwrap().unwrap();
        assert_eq!((group.segment, group.before, group.seqno, group.bytes()), (7, 40, 41, length));
        assert_eq!(bytes[SEGMENT_AT], 7);
        assert_eq!(group.into_writes(), Some(writes()));
    }

    #[test]
    fn a_group_that_is_changed_anywhere_is_none() {
        let mut bytes = vec![];
        encode(&mut bytes, 7, 40, 41, &writes()).unwrap();
        for at in 0..bytes.len() {
            bytes[at] ^= 0x10;
            assert!(Group::read(&mut &bytes[..], bytes.len() as u64).unwrap().is_none(), "at {at}");
            bytes[at] ^= 0x10;
            assert!(Group::read(&mut &bytes[..at], at as u64).unwrap().is_none(), "cut off at {at}");
        }
        assert!(Group::read(&mut &bytes[..], bytes.len() as u64).unwrap().is_some());
    }
}

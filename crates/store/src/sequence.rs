//! The numbers of batches, which never come twice where a row was appended under them.
//!
//! To write down the last number with each group would cost a row each. Instead the row says up to which number they
//! may have been given out, some way ahead; whoever opens the store goes on from there, and leaves a gap.

use bytes::Bytes;

use crate::{Append, Appended, Batch, Keyspace, StoreError, Write};

/// The key of the one row of [`Keyspace::Sequence`].
pub(crate) const KEY: &[u8] = b"given-out";
/// How far ahead the row is written.
const AHEAD: u64 = 1 << 20;

/// Gives out numbers, one for each batch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sequence {
    last: u64,
    /// What the row says, or will say with the write that was asked for.
    written: u64,
}

impl Sequence {
    /// Goes on from the row of [`KEY`].
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when it is no number.
    pub fn open(row: Option<Bytes>) -> Result<Sequence, StoreError> {
        let Some(row) = row else { return Ok(Sequence::default()) };
        let bytes = row[..].try_into();
        let bytes = bytes.map_err(|_| StoreError::Corrupt("the row of the sequence is no number".into()))?;
        let last = u64::from_be_bytes(bytes);
        Ok(Sequence { last, written: last })
    }

    /// The number of the next batch.
    pub fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// The write that must be part of the commit that holds appends up to the last number, when one is needed.
    pub fn reserve(&mut self) -> Option<Write> {
        if self.last <= self.written {
            return None;
        }
        self.written = self.last + AHEAD;
        let (key, value) = (Bytes::from_static(KEY), Bytes::copy_from_slice(&self.written.to_be_bytes()));
        Some(Write::Put { keyspace: Keyspace::Sequence, key, value })
    }
}

/// The rows that the appends of a batch are under its number.
pub(crate) fn rows_of(batch: &mut Batch, sequence: u64) -> impl Iterator<Item = Write> + '_ {
    batch.appends.drain(..).zip(0..).map(move |(Append { keyspace, prefix, value }, place)| {
        let key = Appended { sequence, place }.key(&prefix).into();
        Write::Put { keyspace, key, value }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_on_above_what_was_written() {
        let mut first = Sequence::default();
        assert_eq!((first.next(), first.next()), (1, 2));
        let Some(Write::Put { value, .. }) = first.reserve() else { panic!("nothing to write") };
        assert_eq!(first.reserve(), None);
        let mut second = Sequence::open(Some(value)).unwrap();
        assert!(second.next() > 2 + AHEAD - 1);
        assert!(second.reserve().is_some());
        assert!(Sequence::open(Some(Bytes::from_static(b"?"))).is_err());
    }
}

//! The log: what is committed is here before it is anywhere else, until a table holds it.
//!
//! It is a row of [segments](Segment), files with rising numbers. One holds all that is written between two moments at
//! which memtables are sealed, so it is free as soon as these memtables are in tables; it is then used again under a new
//! number. A [group](group) is what one commit wrote, and names the group before it.
//!
//! **Why it is ours.** To make a file longer, or to write where nothing was written before, changes what the file system
//! knows about the file. A sync then waits for the file system's own log as well, behind everything else that it has in
//! hand, such as a new table of 30 MB. Here a sync mostly finds that nothing but bytes have changed.

mod group;
mod recovery;
mod segment;

use std::io;
use std::path::Path;

use lsm_tree::SeqNo;

pub(super) use self::recovery::{Recovered, recover};
pub(super) use self::segment::Segment;
use super::Durability;
use crate::Write;
use crate::folder::sync_folder;

/// A buffer for a group that was larger is not kept.
const BUFFER_BYTES: usize = 1 << 20;

/// Whether a folder holds no log at all: not even the segment that a store which was closed leaves.
///
/// # Errors
/// Those of the file system.
pub(super) fn is_missing(folder: &Path) -> io::Result<bool> {
    Ok(!folder.exists() || segment::files(folder)?.is_empty())
}

/// The end of the log, where groups go.
pub(super) struct Log {
    current: Segment,
    /// Those before it, oldest first: memtables that are not in tables yet have rows from them.
    full: Vec<Segment>,
    last_number: u64,
    /// The group that was written last.
    last: SeqNo,
    buffer: Vec<u8>,
    durability: Durability,
    /// Whether an append has failed, so that it is unknown what the file holds.
    failed: bool,
}

impl Log {
    /// Goes on behind what was recovered, in a segment of its own.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn open(folder: &Path, durability: Durability, recovered: Recovered) -> io::Result<Log> {
        let Recovered { used: mut full, mut unused, last_number, last } = recovered;
        // A process that was killed may have left a group that was written and not synced. Readers see it from now on, and
        // the next group names it: a power cut that takes it after all would leave a gap.
        full.iter().try_for_each(Segment::sync)?;
        if let Some(newest) = full.last_mut() {
            // What was found damaged must not be found again, by a start that takes it for an error. And what was filled
            // ahead may be the last room on a full disk.
            newest.cut_off()?;
        }
        unused.sort_by_key(Segment::bytes);
        let number = last_number + 1;
        let current = match unused.pop() {
            Some(largest) => largest.reuse(number)?,
            // Empty, so that a start succeeds on a full disk: there is much to read.
            None => Segment::create(folder, number, 0)?,
        };
        if !unused.is_empty() {
            unused.into_iter().try_for_each(Segment::remove)?;
            sync_folder(folder)?;
        }
        Ok(Log { current, full, last_number: number, last, buffer: Vec::new(), durability, failed: false })
    }

    /// Appends a group. It is on disk on return, unless durability is [`Durability::Os`].
    ///
    /// # Errors
    /// Those of the file system; what is on disk of the group is then unknown, and nothing is taken any more.
    pub fn append(&mut self, seqno: SeqNo, writes: &[Write]) -> io::Result<()> {
        self.check()?;
        let result = self.write(seqno, writes);
        self.failed = result.is_err();
        result
    }

    fn write(&mut self, seqno: SeqNo, writes: &[Write]) -> io::Result<()> {
        self.buffer.clear();
        group::encode(&mut self.buffer, self.current.number(), self.last, seqno, writes)?;
        self.current.append(&self.buffer)?;
        if self.durability == Durability::Sync {
            self.current.sync()?;
        }
        self.last = seqno;
        self.buffer.shrink_to(BUFFER_BYTES);
        Ok(())
    }

    /// Makes what was appended durable, whatever the durability is.
    ///
    /// # Errors
    /// Those of the file system, also of an earlier [`append`](Log::append).
    pub fn sync(&self) -> io::Result<()> {
        self.check()?;
        self.current.sync()
    }

    fn check(&self) -> io::Result<()> {
        if self.failed { Err(io::Error::other("an earlier write to the log failed")) } else { Ok(()) }
    }

    /// Makes the current segment no larger than what it holds.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn give_back_space(&mut self) -> io::Result<()> {
        self.current.cut_off()
    }

    /// The number of a segment that is to be made, and how many bytes it will presumably need.
    pub fn plan_segment(&mut self) -> (u64, u64) {
        self.last_number += 1;
        (self.last_number, self.current.bytes())
    }

    /// Groups go to this segment from now on. To be called at the moment at which all memtables are sealed.
    pub fn switch(&mut self, to: Segment) {
        self.full.push(std::mem::replace(&mut self.current, to));
    }

    /// The segments before the last [switch](Log::switch), oldest first. To be called when all that was sealed then is
    /// in tables.
    pub fn take_full(&mut self) -> Vec<Segment> {
        std::mem::take(&mut self.full)
    }

    /// Bytes on disk.
    pub fn disk_bytes(&self) -> u64 {
        self.full.iter().chain([&self.current]).map(Segment::bytes).sum()
    }
}

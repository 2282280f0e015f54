//! Reads the log when a store is opened.
//!
//! A power cut can leave the last group in pieces: the disk writes pages in any order, so one in the middle may be
//! missing while the end is there. Nobody was told about it, and with [`Durability::Sync`] there is no second one like
//! that, because the writer waits for each sync before it writes on. So what is no whole group ends the log. But what was
//! acknowledged must not vanish without a word: when a later group is found behind the end, or one that does not name
//! the group before it, the log is damaged, and that is an error. Without syncs ([`Durability::Os`]) no more is promised
//! than what comes before the damage.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use lsm_tree::SeqNo;
use memchr::memmem::Finder;

use super::group::{Group, SEGMENT_AT};
use super::segment::{self, Segment};
use crate::embedded::Durability;
use crate::{StoreError, Write};

/// What a log held when its store was opened.
pub(in crate::embedded) struct Recovered {
    /// The segments with groups in them, oldest first.
    pub(super) used: Vec<Segment>,
    /// The others.
    pub(super) unused: Vec<Segment>,
    /// The highest number of a segment; 0 when there was none.
    pub(super) last_number: u64,
    /// The last group; 0 when there was none.
    pub last: SeqNo,
}

/// Gives `apply` every group of the log in `folder`, in order. The folder is made when it is not there.
///
/// # Errors
/// [`StoreError::Corrupt`] when acknowledged groups are damaged, [`StoreError::Io`], and those of `apply`.
pub(in crate::embedded) fn recover(
    folder: &Path,
    durability: Durability,
    mut apply: impl FnMut(SeqNo, Vec<Write>) -> Result<(), StoreError>,
) -> Result<Recovered, StoreError> {
    fs::create_dir_all(folder)?;
    let files = segment::files(folder)?;
    let mut readers = files.into_iter().map(Reader::open).collect::<io::Result<Vec<_>>>()?;
    let mut last = None;
    // Which segment has the last group.
    let mut newest = 0;
    'log: for at in 0..readers.len() {
        while let Some(group) = readers[at].next_group()? {
            // The first one that is left names one that is in tables.
            if last.is_some_and(|last| last != group.before) {
                if durability == Durability::Sync {
                    return Err(readers[newest].damaged());
                }
                break 'log;
            }
            (last, newest) = (Some(group.seqno), at);
            readers[at].end += group.bytes();
            let seqno = group.seqno;
            apply(seqno, group.into_writes().ok_or_else(|| readers[at].unknown())?)?;
        }
    }
    if durability == Durability::Sync {
        // Those before have a group behind them that names their last one.
        for reader in readers.iter().skip(newest) {
            if reader.has_group_after(last)? {
                return Err(reader.damaged());
            }
        }
    }
    let last_number = readers.last().map_or(0, |reader| reader.number);
    let (used, unused): (Vec<_>, Vec<_>) = readers.into_iter().partition(|reader| reader.end > 0);
    let used = used.into_iter().map(Reader::into_segment).collect::<io::Result<_>>()?;
    let unused = unused.into_iter().map(Reader::into_segment).collect::<io::Result<_>>()?;
    Ok(Recovered { used, unused, last_number, last: last.unwrap_or_default() })
}

/// Reads one segment.
struct Reader {
    number: u64,
    path: PathBuf,
    file: BufReader<File>,
    /// Bytes in the file.
    bytes: u64,
    /// Where the groups that were taken end.
    end: u64,
}

impl Reader {
    fn open((number, path): (u64, PathBuf)) -> io::Result<Reader> {
        let file = File::open(&path)?;
        let bytes = file.metadata()?.len();
        Ok(Reader { number, path, file: BufReader::with_capacity(256 << 10, file), bytes, end: 0 })
    }

    /// The group behind those that were taken, if there is one.
    fn next_group(&mut self) -> io::Result<Option<Group>> {
        let group = Group::read(&mut self.file, self.bytes - self.end)?;
        Ok(group.filter(|group| group.segment == self.number))
    }

    /// Whether a group of this segment, later than `last`, stands anywhere behind the end.
    fn has_group_after(&self, last: Option<SeqNo>) -> io::Result<bool> {
        let mut file = self.file.get_ref();
        let number = self.number.to_le_bytes();
        let finder = Finder::new(&number);
        let mut buffer = vec![0; 1 << 20];
        let (mut at, mut kept) = (self.end, 0);
        file.seek(SeekFrom::Start(at))?;
        loop {
            let read = file.read(&mut buffer[kept..])?;
            if read == 0 {
                return Ok(false);
            }
            let part = &buffer[..kept + read];
            for found in finder.find_iter(part) {
                let Some(start) = (at + found as u64).checked_sub(SEGMENT_AT as u64) else { continue };
                if start > self.end && self.is_later_group(start, last)? {
                    return Ok(true);
                }
            }
            // A number can stand across two parts.
            let keep = part.len().min(number.len() - 1);
            let from = part.len() - keep;
            at += from as u64;
            buffer.copy_within(from..from + keep, 0);
            kept = keep;
            file.seek(SeekFrom::Start(at + kept as u64))?;
        }
    }

    fn is_later_group(&self, start: u64, last: Option<SeqNo>) -> io::Result<bool> {
        let mut file = self.file.get_ref();
        file.seek(SeekFrom::Start(start))?;
        let group = Group::read(&mut file, self.bytes - start)?;
        Ok(group.is_some_and(|group| group.segment == self.number && Some(group.seqno) > last))
    }

    fn into_segment(self) -> io::Result<Segment> {
        Segment::existing(self.number, self.path, self.end)
    }

    fn damaged(&self) -> StoreError {
        let text = format!(
            "the log {} is damaged at byte {}, with whole entries behind it that were acknowledged. Restore the folder \
             from a copy, or start once with `--durability os` to keep what comes before the damage",
            self.path.display(),
            self.end
        );
        StoreError::Corrupt(text.into())
    }

    fn unknown(&self) -> StoreError {
        StoreError::Corrupt(format!("the log {} has rows of an unknown kind", self.path.display()).into())
    }
}

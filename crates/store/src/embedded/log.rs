//! Looks at the engine's log before the engine does, and cuts a torn end off.
//!
//! A power cut can leave the last group of a log in pieces: the disk writes pages in any order, so a page in the
//! middle may be missing while the end is there. The engine takes some such logs for damaged and refuses to open,
//! and of others, where a length or a tag is missing, it silently drops whatever follows. Both are wrong for us:
//!
//! - What nobody was told about may go, and the start must go on. With [`Durability::Sync`] that is one group at most:
//!   the writer waits for each sync before it writes on. So damage behind which no whole group follows is cut off.
//! - What was acknowledged must not vanish without a word. Damage with a whole group behind it is an error,
//!   unless the log was written without syncs ([`Durability::Os`]), which promises no more than what comes
//!   before the damage.
//!
//! The log is a sequence of groups, all numbers little-endian:
//!
//! ```text
//! start  1, number of items: u32, sequence: u64
//! item   2, kind: u8, compression: u8, keyspace: u64, key length: u16, value length: u32, stored length: u32, key, value
//! end    3, xxh3 of all item bytes: u64, the four bytes of MAGIC
//! ```

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use super::Durability;
use crate::StoreError;

const START: u8 = 1;
const ITEM: u8 = 2;
const END: u8 = 3;
const MAGIC: [u8; 4] = [b'F', b'J', b'L', 3];

/// Cuts the torn end off the newest log in `folder`, if there is one. Older logs were synced when they were full.
///
/// # Errors
/// [`StoreError::Corrupt`] when groups that were acknowledged are damaged, [`StoreError::Io`].
pub(super) fn cut_torn_end(folder: &Path, durability: Durability) -> Result<(), StoreError> {
    let Some(path) = newest(folder)? else { return Ok(()) };
    let file = File::open(&path)?;
    let length = file.metadata()?.len();
    let written = written_bytes(&file)?;
    let mut reader = BufReader::with_capacity(256 << 10, &file);
    let (mut whole, mut sequence) = (0, None);
    while let Some((length, number)) = read_group(&mut reader)? {
        whole += length;
        sequence = Some(number);
    }
    if whole == length {
        return Ok(());
    }
    // The engine makes the file larger in advance; what was never written needs no look.
    if written > whole && durability == Durability::Sync && group_follows(&file, whole, sequence)? {
        let text = format!(
            "the log {} is damaged at byte {whole}, with whole entries behind it that were acknowledged. \
             Restore the folder from a copy, or start once with `--durability os` to keep what comes before the damage",
            path.display()
        );
        return Err(StoreError::Corrupt(text.into()));
    }
    let file = OpenOptions::new().write(true).open(&path)?;
    file.set_len(whole)?;
    Ok(file.sync_all()?)
}

/// The log that was written last: they are numbered.
fn newest(folder: &Path) -> io::Result<Option<PathBuf>> {
    let mut newest = None;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_log = path.extension().is_some_and(|extension| extension == "jnl");
        let number = path.file_stem().and_then(|stem| stem.to_str()?.parse::<u64>().ok());
        if let (true, Some(number)) = (is_log, number) {
            newest = newest.max(Some((number, path)));
        }
    }
    Ok(newest.map(|(_, path)| path))
}

/// Where the last written byte can be at most.
fn written_bytes(file: &File) -> io::Result<u64> {
    let metadata = file.metadata()?;
    #[cfg(unix)]
    {
        // The file is written from its start, so what is not allocated lies at the end. The blocks can
        // include some that hold none of its bytes, which does no harm.
        let allocated = std::os::unix::fs::MetadataExt::blocks(&metadata) * 512;
        Ok(metadata.len().min(allocated))
    }
    #[cfg(not(unix))]
    Ok(metadata.len())
}

/// Reads one whole group: its length in bytes and its sequence number. None when what comes is not one.
fn read_group(reader: &mut impl Read) -> io::Result<Option<(u64, u64)>> {
    let mut hasher = Xxh3::new();
    match try_read_group(reader, &mut hasher) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        result => result,
    }
}

fn try_read_group(reader: &mut impl Read, hasher: &mut Xxh3) -> io::Result<Option<(u64, u64)>> {
    let [tag, head @ ..] = read_array::<13>(reader)?;
    let (items, sequence) = (number(&head[..4]), number(&head[4..]));
    if tag != START || items == 0 {
        return Ok(None);
    }
    let mut length = 13 + 13;
    for _ in 0..items {
        let head = read_array::<21>(reader)?;
        let (key_length, stored_length) = (number(&head[11..13]), number(&head[17..21]));
        if head[0] != ITEM || head[2] != 0 || head[13..17] != head[17..21] {
            return Ok(None);
        }
        hasher.update(&head);
        let mut left = key_length + stored_length;
        length += 21 + left;
        let mut buffer = [0; 4096];
        while left > 0 {
            let part = &mut buffer[..left.min(4096) as usize];
            reader.read_exact(part)?;
            hasher.update(part);
            left -= part.len() as u64;
        }
    }
    let end = read_array::<13>(reader)?;
    let whole = end[0] == END && number(&end[1..9]) == hasher.digest() && end[9..] == MAGIC;
    Ok(whole.then_some((length, sequence)))
}

fn read_array<const N: usize>(reader: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// Whether anywhere behind `whole` there is a whole group, later than the one with the number `sequence`.
fn group_follows(mut file: &File, whole: u64, sequence: Option<u64>) -> io::Result<bool> {
    file.seek(SeekFrom::Start(whole))?;
    let mut rest = vec![];
    file.read_to_end(&mut rest)?;
    let later = |number| sequence.is_none_or(|sequence| number > sequence);
    for at in 0..rest.len() {
        // Few places pass the first test.
        let mut bytes = &rest[at..];
        let likely =
            bytes.len() > 26 && bytes[0] == START && bytes[13] == ITEM && later(number(&bytes[5..13]));
        if likely && read_group(&mut bytes)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

//! One file of the log. It is filled with zeros ahead of what is written, so that a sync has bytes to write and no more.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use crate::folder::sync_folder;

const EXTENSION: &str = "log";
/// A file that is full grows by as much as it has, within these limits.
const GROWTH: RangeInclusive<u64> = (64 << 10)..=(4 << 20);

static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

/// A file of the log, open for writing.
pub(in crate::embedded) struct Segment {
    number: u64,
    path: PathBuf,
    file: File,
    /// Where the next group goes.
    end: u64,
    bytes: u64,
}

impl Segment {
    /// Makes a segment of so many bytes.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn create(folder: &Path, number: u64, bytes: u64) -> io::Result<Segment> {
        let path = path_of(folder, number);
        let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
        let mut segment = Segment { number, path, file, end: 0, bytes: 0 };
        segment.grow_to(bytes)?;
        segment.file.sync_all()?;
        sync_folder(folder)?;
        Ok(segment)
    }

    /// One that is there, with groups up to `end`.
    pub(super) fn existing(number: u64, path: PathBuf, end: u64) -> io::Result<Segment> {
        let file = OpenOptions::new().write(true).open(&path)?;
        let bytes = file.metadata()?.len();
        Ok(Segment { number, path, file, end, bytes })
    }

    /// Uses the file of a segment whose groups are not needed any more for a new one. What it holds stays: groups say
    /// which segment they belong to.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn reuse(self, number: u64) -> io::Result<Segment> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let path = path_of(folder, number);
        fs::rename(&self.path, &path)?;
        sync_folder(folder)?;
        Ok(Segment { number, path, end: 0, ..self })
    }

    /// Makes sure that nothing stands behind the groups.
    pub(super) fn cut_off(&mut self) -> io::Result<()> {
        self.file.set_len(self.end)?;
        self.bytes = self.end;
        self.file.sync_all()
    }

    /// Removes the file.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn remove(self) -> io::Result<()> {
        fs::remove_file(self.path)
    }

    pub fn number(&self) -> u64 {
        self.number
    }

    /// The size of the file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes behind what was written.
    pub(super) fn append(&mut self, group: &[u8]) -> io::Result<()> {
        let end = self.end + group.len() as u64;
        if end > self.bytes {
            self.grow_to(end.max(self.bytes + self.bytes.clamp(*GROWTH.start(), *GROWTH.end())))?;
        }
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(group)?;
        self.end = end;
        Ok(())
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn grow_to(&mut self, bytes: u64) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.bytes))?;
        while self.bytes < bytes {
            let part = (bytes - self.bytes).min(ZEROS.len() as u64);
            self.file.write_all(&ZEROS[..part as usize])?;
            self.bytes += part;
        }
        Ok(())
    }
}

fn path_of(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number}.{EXTENSION}"))
}

/// The files of the log in a folder, by their numbers.
pub(super) fn files(folder: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut files = vec![];
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_log = path.extension().is_some_and(|extension| extension == EXTENSION);
        let number = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
        if let (true, Some(number)) = (is_log, number) {
            files.push((number, path));
        }
    }
    files.sort();
    Ok(files)
}

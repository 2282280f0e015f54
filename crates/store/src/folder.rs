//! The data folder: whose it is, which layout it has, and that one process at a time uses it.
//!
//! ```text
//! FORMAT        one line of text: `dynamometer store: engine lsm-tree, format 1`
//! LOCK          locked while a process has the folder open; holds that process's id
//! data/         belongs to the engine
//! FORMAT.new    only while a folder is being made; a folder left in that state is made anew
//! ```

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::StoreError;

/// The layout that this program writes.
///
/// Raise it with every change that an older program would misread: keyspaces, rows of counters, the folder.
/// What the values mean is versioned by whoever writes them.
pub const FORMAT_VERSION: u32 = 1;

const FORMAT: &str = "FORMAT";
const FORMAT_NEW: &str = "FORMAT.new";
const LOCK: &str = "LOCK";
const DATA: &str = "data";

/// What a new volume of Linux holds from its beginning.
const LOST_AND_FOUND: &str = "lost+found";

/// A folder that this process has locked.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    is_new: bool,
    // Unlocked by the operating system when it is closed, also when the process dies.
    _lock: File,
}

impl Folder {
    /// Takes a folder, which is created if it is not there.
    ///
    /// # Errors
    /// [`StoreError::Folder`] when another process has it, when something else lives in it, or when its
    /// layout is another engine's or a newer one.
    pub(crate) fn open(path: &Path, engine: &'static str) -> Result<Self, StoreError> {
        make_folder(path).map_err(|error| unusable(path, &error))?;
        if !path.join(FORMAT).exists() {
            refuse_foreign(path)?;
        }
        let lock = lock(path)?;
        let mut folder = Folder { path: path.to_owned(), is_new: false, _lock: lock };
        match fs::read(path.join(FORMAT)) {
            Ok(line) => check_format(path, &String::from_utf8_lossy(&line), engine)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => folder.start(engine)?,
            Err(error) => return Err(unusable(path, &error)),
        }
        Ok(folder)
    }

    /// Whether the folder holds no data yet, so that [`finish`](Folder::finish) is due.
    pub(crate) fn is_new(&self) -> bool {
        self.is_new
    }

    /// The part that belongs to the engine.
    pub(crate) fn data(&self) -> PathBuf {
        self.path.join(DATA)
    }

    /// The whole folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Marks the folder as being made. What an earlier attempt left behind was never used, and goes.
    fn start(&mut self, engine: &str) -> Result<(), StoreError> {
        fs::write(self.path.join(FORMAT_NEW), format_line(engine, FORMAT_VERSION))?;
        match fs::remove_dir_all(self.data()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => self.is_new = true,
        }
        Ok(())
    }

    /// Declares a new folder complete, once the engine's part of it is on disk.
    pub(crate) fn finish(&mut self) -> Result<(), StoreError> {
        File::open(self.path.join(FORMAT_NEW))?.sync_all()?;
        fs::rename(self.path.join(FORMAT_NEW), self.path.join(FORMAT))?;
        sync_folder(&self.path)?;
        self.is_new = false;
        Ok(())
    }
}

/// Makes a folder and those above it, as far as they are not there, so that their names are durable too.
fn make_folder(path: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = path.ancestors().take_while(|folder| !folder.exists()).collect();
    fs::create_dir_all(path)?;
    for above in missing.into_iter().rev().filter_map(Path::parent) {
        let here = above.as_os_str().is_empty();
        match sync_folder(if here { Path::new(".") } else { above }) {
            // One that may be written to and not read cannot be synced either.
            Err(error) if error.kind() != io::ErrorKind::PermissionDenied => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Makes the names in a folder durable.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    // Windows cannot open a folder for that, and does not need to.
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

fn format_line(engine: &str, version: u32) -> String {
    format!("dynamometer store: engine {engine}, format {version}\n")
}

/// Reads `dynamometer store: engine lsm-tree, format 1`.
fn parse_format(line: &str) -> Option<(&str, u32)> {
    let (engine, version) =
        line.trim_end().strip_prefix("dynamometer store: engine ")?.split_once(", format ")?;
    Some((engine, version.parse().ok()?))
}

fn check_format(path: &Path, line: &str, engine: &str) -> Result<(), StoreError> {
    let shown = path.display();
    let Some((found, version)) = parse_format(line) else {
        return Err(StoreError::folder(
            path,
            format!(
                "The file FORMAT in {shown} is not one of this program, so the folder is left alone. \
                 Give an empty folder, or one that this program made."
            ),
        ));
    };
    if found != engine {
        return Err(StoreError::folder(
            path,
            format!(
                "{shown} was made by the storage engine {found:?}, and this is {engine:?}. \
                 Start with that engine, or give another folder."
            ),
        ));
    }
    if version > FORMAT_VERSION {
        return Err(StoreError::folder(
            path,
            format!(
                "{shown} has disk format {version}, and this program knows formats up to \
                 {FORMAT_VERSION}. Start the newer version that wrote it, or give another folder."
            ),
        ));
    }
    Ok(())
}

/// A folder without a FORMAT file must be empty, so that nobody's files are mixed with ours.
fn refuse_foreign(path: &Path) -> Result<(), StoreError> {
    let ours = [LOCK, FORMAT_NEW, LOST_AND_FOUND];
    let made_half = path.join(FORMAT_NEW).exists();
    for entry in fs::read_dir(path).map_err(|error| unusable(path, &error))? {
        let name = entry?.file_name();
        let known = ours.iter().any(|our| name == **our) || (made_half && name == DATA);
        if !known {
            return Err(StoreError::folder(
                path,
                format!(
                    "{} holds files of something else (such as {}), so it is left alone. \
                     Give an empty folder, or one that this program made.",
                    path.display(),
                    name.display()
                ),
            ));
        }
    }
    Ok(())
}

fn lock(path: &Path) -> Result<File, StoreError> {
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path.join(LOCK))
        .map_err(|error| unusable(path, &error))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(in_use(path, &mut file)),
        Err(TryLockError::Error(error)) => return Err(unusable(path, &error)),
    }
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())?;
    Ok(file)
}

fn in_use(path: &Path, lock: &mut File) -> StoreError {
    let mut holder = String::new();
    // Where a lock also forbids reading, the sentence has to do without the process id.
    let holder = match lock.read_to_string(&mut holder) {
        Ok(_) if !holder.trim().is_empty() => format!("process {}", holder.trim()),
        _ => "another process".to_owned(),
    };
    StoreError::folder(
        path,
        format!(
            "{} is in use by {holder}. Stop that server first, or give this one another folder.",
            path.display()
        ),
    )
}

fn unusable(path: &Path, error: &io::Error) -> StoreError {
    StoreError::folder(
        path,
        format!(
            "{} cannot be used as a data folder: {error}. Give a folder that this user may write to.",
            path.display()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_line_is_read_back() {
        let cases = [
            (format_line("lsm-tree", 1), Some(("lsm-tree", 1))),
            ("dynamometer store: engine x, format 70".to_owned(), Some(("x", 70))),
            ("dynamometer store: engine x".to_owned(), None),
            ("dynamometer store: engine x, format one\n".to_owned(), None),
            (String::new(), None),
        ];
        for (line, expected) in cases {
            assert_eq!(parse_format(&line), expected, "{line:?}");
        }
    }

    #[test]
    fn folders_are_made_at_every_depth() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/c");
        assert!(Folder::open(&path, "lsm-tree").unwrap().is_new());
        assert!(path.join(LOCK).exists());
    }

    #[test]
    fn a_half_made_folder_is_made_anew() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path();
        let folder = Folder::open(path, "lsm-tree").unwrap();
        assert!(folder.is_new());
        fs::create_dir(folder.data()).unwrap();
        fs::write(folder.data().join("left over"), "x").unwrap();
        drop(folder);

        let mut folder = Folder::open(path, "lsm-tree").unwrap();
        assert!(folder.is_new() && !folder.data().exists());
        folder.finish().unwrap();
        drop(folder);
        assert!(!Folder::open(path, "lsm-tree").unwrap().is_new());
    }

    #[test]
    fn folders_of_others_are_refused_with_a_sentence() {
        let line = |text: &'static str| move |path: &Path| fs::write(path.join(FORMAT), text).unwrap();
        type Make = Box<dyn Fn(&Path)>;
        let cases: [(Make, &str); 6] = [
            (Box::new(|path| fs::write(path.join("photo.jpg"), "x").unwrap()), "such as photo.jpg"),
            (Box::new(|path| fs::create_dir(path.join(DATA)).unwrap()), "such as data"),
            (Box::new(line("something")), "is not one of this program"),
            (Box::new(|path| fs::write(path.join(FORMAT), [0xff]).unwrap()), "is not one of this program"),
            (Box::new(line("dynamometer store: engine other, format 1\n")), "engine \"other\""),
            (Box::new(line("dynamometer store: engine lsm-tree, format 2\n")), "has disk format 2"),
        ];
        for (make, expected) in cases {
            let dir = tempfile::tempdir().unwrap();
            make(dir.path());
            let error = Folder::open(dir.path(), "lsm-tree").unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
            assert!(error.contains(&dir.path().display().to_string()), "{error}");
        }
    }

    #[test]
    fn a_new_volume_is_an_empty_folder() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(LOST_AND_FOUND)).unwrap();
        assert!(Folder::open(dir.path(), "lsm-tree").unwrap().is_new());
    }

    #[test]
    fn a_folder_in_use_names_the_process() {
        let dir = tempfile::tempdir().unwrap();
        let held = Folder::open(dir.path(), "lsm-tree").unwrap();
        let error = Folder::open(dir.path(), "lsm-tree").unwrap_err().to_string();
        assert!(error.contains(&format!("process {}", std::process::id())), "{error}");
        drop(held);
        assert!(Folder::open(dir.path(), "lsm-tree").is_ok());
    }

    #[test]
    fn a_path_that_is_a_file_is_refused_with_a_sentence() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "x").unwrap();
        let error = Folder::open(&file, "lsm-tree").unwrap_err().to_string();
        assert!(error.contains("cannot be used as a data folder"), "{error}");
    }
}

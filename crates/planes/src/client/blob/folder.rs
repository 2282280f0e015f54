//! Blobs as files in a folder: for one machine, and for tests.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use dynamometer_types::Timestamp;

use super::{BlobError, BlobFuture, BlobStore, StoredBlob};

/// The most files that are listed at once.
const PAGE: usize = 1_000;

/// Keeps blobs as files. A file appears under its name only when it is whole and on disk.
#[derive(Clone, Debug)]
pub struct FolderBlobs {
    folder: PathBuf,
}

impl FolderBlobs {
    /// Keeps them in this folder, which is made when it is first needed.
    pub fn new(folder: impl Into<PathBuf>) -> FolderBlobs {
        FolderBlobs { folder: folder.into() }
    }

    /// Does file work off the runtime's threads.
    fn work<T: Send + 'static>(
        &self,
        name: &str,
        verb: &'static str,
        work: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
    ) -> BlobFuture<'static, T> {
        let path = self.folder.join(name);
        Box::pin(async move {
            let named = path.display().to_string();
            match tokio::task::spawn_blocking(move || work(&path)).await {
                Ok(Ok(done)) => Ok(done),
                Ok(Err(error)) => Err(BlobError::new(format!("cannot {verb} {named}: {error}"), error)),
                Err(error) => Err(BlobError::new(format!("cannot {verb} {named}: {error}"), error)),
            }
        })
    }
}

impl BlobStore for FolderBlobs {
    fn put<'a>(&'a self, name: &'a str, bytes: Vec<u8>) -> BlobFuture<'a, ()> {
        self.work(name, "write", move |path| write_whole(path, &bytes))
    }

    fn get<'a>(&'a self, name: &'a str) -> BlobFuture<'a, Option<Vec<u8>>> {
        self.work(name, "read", |path| match fs::read(path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        })
    }

    fn delete<'a>(&'a self, name: &'a str) -> BlobFuture<'a, ()> {
        self.work(name, "delete", |path| match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        })
    }

    fn list<'a>(&'a self, prefix: &'a str, after: Option<&'a str>) -> BlobFuture<'a, Vec<StoredBlob>> {
        let (root, prefix) = (self.folder.clone(), prefix.to_owned());
        let after = after.map(str::to_owned);
        // Every blob of this crate lies in a folder of its prefix's name.
        let folder = prefix.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        self.work(&folder.clone(), "list", move |_| {
            let is_wanted =
                |name: &str| name.starts_with(&prefix) && after.as_deref().is_none_or(|after| name > after);
            let mut names: Vec<String> =
                files(&root, &folder)?.into_iter().filter(|name| is_wanted(name)).collect();
            names.sort_unstable();
            names.truncate(PAGE);
            names.into_iter().map(|name| stored(&root, name)).filter_map(Result::transpose).collect()
        })
    }
}

/// The names of the files in a folder, what a crash left half written included.
fn files(root: &Path, folder: &str) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(root.join(folder)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_file()
            && let Some(name) = entry.file_name().to_str()
        {
            names.push(if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") });
        }
    }
    Ok(names)
}

/// A file with the time of its last change; nothing when it has just gone.
fn stored(root: &Path, name: String) -> io::Result<Option<StoredBlob>> {
    let changed = match fs::metadata(root.join(&name)).and_then(|metadata| metadata.modified()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        changed => changed?,
    };
    let since = changed.duration_since(UNIX_EPOCH).unwrap_or_default();
    let millis = i64::try_from(since.as_millis()).unwrap_or(i64::MAX);
    Ok(Some(StoredBlob { name, written: Timestamp::from_millis(millis) }))
}

/// Writes beside the name and renames, so that a crash leaves the whole file or none.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let half = path.with_extension("half");
    let mut file = File::create(&half)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&half, path)?;
    File::open(folder)?.sync_all()
}

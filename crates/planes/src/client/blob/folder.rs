//! Blobs as files in a folder: for one machine, and for tests.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{BlobError, BlobFuture, BlobStore};

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

//! What can go wrong behind the door: few kinds, each says what to do.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// A failed call of a store.
///
/// Cheap to clone, because one failed sync fails every batch that waited for it; the cause is kept for the log.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system refused to read or write.
    #[error("the store cannot read or write its data: {0}")]
    Io(#[source] Arc<io::Error>),
    /// The disk, or the quota on it, is full. The failed batch is not acknowledged.
    #[error("no space is left on the disk of the store: {0}")]
    Full(#[source] Arc<io::Error>),
    /// What is on disk is not what was written.
    #[error("the stored data is damaged: {0}")]
    Corrupt(Arc<str>),
    /// The store takes no batches any more: it was closed, or an earlier write failed.
    #[error("the store takes no more writes: {0}")]
    Unavailable(Arc<str>),
    /// A check of the batch did not hold, and nothing of the batch was applied.
    #[error("check {check} of the batch does not hold")]
    Conflict {
        /// Position in [`Batch::checks`](crate::Batch::checks) of the first check that failed.
        check: usize,
    },
    /// A batch that no store can take, such as one with an empty key or one over 65,535 bytes.
    #[error("this batch cannot be stored: {0}")]
    Invalid(Arc<str>),
    /// The folder cannot be used as it is; the sentence says what to do.
    #[error("{sentence}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// A sentence for the person who started the server.
        sentence: Arc<str>,
    },
    /// This engine does not offer what was asked.
    #[error("{0}")]
    Unsupported(&'static str),
}

impl StoreError {
    /// Whether the batch that failed so is the only one that failed: later ones, which may build on what it would have
    /// written, can go on only when it was refused for what it is.
    pub(crate) fn concerns_one_batch(&self) -> bool {
        matches!(self, StoreError::Conflict { .. } | StoreError::Invalid(_))
    }

    /// What a closed store answers to a commit.
    pub(crate) fn closed() -> Self {
        StoreError::Unavailable("it was closed".into())
    }

    /// What a store answers to every commit after one whose write failed.
    pub(crate) fn poisoned(cause: &StoreError) -> Self {
        StoreError::Unavailable(format!("an earlier write failed, restart to recover ({cause})").into())
    }

    /// A folder that cannot be used, with the sentence that says what to do.
    pub(crate) fn folder(path: impl Into<PathBuf>, sentence: impl Into<Arc<str>>) -> Self {
        StoreError::Folder { path: path.into(), sentence: sentence.into() }
    }
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::Full(Arc::new(error)),
            _ => StoreError::Io(Arc::new(error)),
        }
    }
}

//! A whole store copied into a folder of its own.

use std::fs;
use std::io;
use std::ops::{Bound, ControlFlow};
use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::database::{Database, store_error};
use super::{ENGINE, EmbeddedOptions};
use crate::folder::Folder;
use crate::{Direction, Keyspace, Snapshot, StoreError};

/// There is next to nothing to settle.
const SETTLE_TIME: Duration = Duration::from_secs(60);

/// Writes everything that `snapshot` sees into `to`, which must be empty or not exist. Any engine's
/// snapshot will do. The rows come sorted, so they go straight into tables, without a log.
///
/// # Errors
/// Those of [`Store::checkpoint`](crate::Store::checkpoint).
pub(crate) fn write_checkpoint(snapshot: &dyn Snapshot, to: &Path) -> Result<(), StoreError> {
    refuse_non_empty(to)?;
    let mut folder = Folder::open(to, ENGINE)?;
    let database = Database::open(&folder.data(), &EmbeddedOptions::default())?;
    for keyspace in Keyspace::ALL {
        copy(snapshot, &database, keyspace)?;
    }
    database.settle(Instant::now() + SETTLE_TIME)?;
    drop(database);
    folder.finish()
}

fn copy(snapshot: &dyn Snapshot, database: &Database, keyspace: Keyspace) -> Result<(), StoreError> {
    let everything = (Bound::Unbounded, Bound::Unbounded);
    let mut is_empty = true;
    snapshot.range(keyspace, everything.0, everything.1, Direction::Forward, &mut |_, _| {
        is_empty = false;
        ControlFlow::Break(())
    })?;
    if is_empty {
        return Ok(());
    }
    let mut ingestion = database.tree(keyspace)?.ingestion().map_err(store_error)?;
    let mut result = Ok(());
    snapshot.range(keyspace, everything.0, everything.1, Direction::Forward, &mut |key, value| {
        result = ingestion.write(Bytes::copy_from_slice(key), value.clone());
        if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    result.and_then(|()| ingestion.finish()).map_err(store_error)
}

fn refuse_non_empty(to: &Path) -> Result<(), StoreError> {
    match fs::read_dir(to).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
        Ok(false) => Err(StoreError::folder(
            to,
            format!("{} is not empty. Give a new folder for the copy.", to.display()),
        )),
    }
}

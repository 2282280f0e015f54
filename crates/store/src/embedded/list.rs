//! The list of keyspaces in a folder, so that an incomplete copy of it is not taken for a store without them.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lsm_tree::file::CURRENT_VERSION_FILE;

use crate::folder::sync_folder;
use crate::{Keyspace, StoreError};

const LIST: &str = "KEYSPACES";

/// The keyspaces that a folder has.
///
/// # Errors
/// [`StoreError::Corrupt`] when a part of one is missing.
pub(super) fn read(path: &Path) -> Result<Vec<Keyspace>, StoreError> {
    let list = match fs::read_to_string(path.join(LIST)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
        list => list?,
    };
    let missing = |part: PathBuf| {
        let text = format!(
            "{} is missing, so this is not all of the data. Restore it from a whole copy",
            part.display()
        );
        StoreError::Corrupt(text.into())
    };
    let mut keyspaces = vec![];
    for name in list.lines() {
        let known = Keyspace::ALL.into_iter().find(|keyspace| keyspace.name() == name);
        keyspaces
            .push(known.ok_or_else(|| StoreError::Corrupt(format!("unknown keyspace {name:?}").into()))?);
        let tables = path.join(name).join(CURRENT_VERSION_FILE);
        if !tables.exists() {
            return Err(missing(tables));
        }
    }
    Ok(keyspaces)
}

/// Declares what keyspaces there are, each of which is on disk.
///
/// # Errors
/// Those of the file system.
pub(super) fn write(path: &Path, keyspaces: impl Iterator<Item = Keyspace>) -> io::Result<()> {
    let list: String = keyspaces.map(|keyspace| format!("{}\n", keyspace.name())).collect();
    let new = path.join(LIST).with_extension("new");
    let mut file = File::create(&new)?;
    file.write_all(list.as_bytes())?;
    file.sync_all()?;
    fs::rename(new, path.join(LIST))?;
    sync_folder(path)
}

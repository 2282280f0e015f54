//! Finding blobs that no item points to.
//!
//! Blobs are listed first, and the items are read after that: a blob that is listed and old enough belongs to a write that has
//! ended, so its pointer is in a table by now or never will be. No item takes over another's blob, so nothing can begin to point to
//! it while the tables are read.

use std::collections::HashSet;
use std::time::Duration;

use super::{BlobStore, Pointer};
use crate::client::error::Error;
use crate::client::planes::{Inner, Planes};
use crate::client::row::{Row, names};
use crate::schema::{TABLES, Table};

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Blobs in the store, of this prefix.
    pub blobs: u64,
    /// Those that were deleted, because no item points to them.
    pub deleted: u64,
}

impl Planes {
    /// Deletes the blobs of this prefix that no item points to and that are older than a span. They are what is left of items
    /// that expired, were overwritten in a batch or a transaction, or whose process died halfway. Run it once a day or once a month,
    /// from one place.
    ///
    /// A blob is written before its item, so a young one may belong to a write that is under way: the span must be longer than any
    /// write may take, with all its retries. An hour is.
    ///
    /// Only one pair of tables may keep its blobs in the store under this prefix: those of another region or account would be
    /// taken for orphans.
    ///
    /// It reads both tables whole, strongly consistently (a read unit for each 4 KB of their items), and keeps the names of
    /// old blobs in memory.
    ///
    /// # Errors
    /// When there is no store, or it or DynamoDB fails. What was deleted until then stays so, and was pointed to by nothing.
    pub async fn sweep_blobs(&self, older_than: Duration) -> Result<Swept, Error> {
        let inner = &self.inner;
        let blobs = inner.blobs.as_deref().ok_or(Error::Underspecified(
            "there is no blob store to sweep: name one with PlanesBuilder::blobs",
        ))?;
        let mut swept = Swept::default();
        let mut orphans = old_blobs(inner, blobs, older_than, &mut swept).await?;
        for table in TABLES {
            if orphans.is_empty() {
                break;
            }
            take_out_used(inner, table, &mut orphans).await?;
        }
        for name in orphans {
            let failed = |source| Error::Blob { key: name.clone(), source };
            blobs.delete(&name).await.map_err(failed)?;
            swept.deleted += 1;
        }
        Ok(swept)
    }
}

/// The names of the blobs that are older than a span.
async fn old_blobs(
    inner: &Inner,
    blobs: &dyn BlobStore,
    older_than: Duration,
    swept: &mut Swept,
) -> Result<HashSet<String>, Error> {
    let span_ms = i64::try_from(older_than.as_millis()).unwrap_or(i64::MAX);
    let latest_ms = inner.runtime.now().millis().saturating_sub(span_ms);
    let folder = format!("{}/", inner.prefix);
    let mut old = HashSet::new();
    let mut after: Option<String> = None;
    loop {
        let failed = |source| Error::Blob { key: folder.clone(), source };
        let page = blobs.list(&folder, after.as_deref()).await.map_err(failed)?;
        let Some(last) = page.last() else { return Ok(old) };
        after = Some(last.name.clone());
        swept.blobs += page.len() as u64;
        old.extend(page.into_iter().filter(|blob| blob.written.millis() < latest_ms).map(|blob| blob.name));
    }
}

/// Reads a table, and takes the blobs out that its items point to.
async fn take_out_used(
    inner: &Inner,
    table: &'static Table,
    orphans: &mut HashSet<String>,
) -> Result<(), Error> {
    let mut start = None;
    loop {
        let page = inner
            .client
            .scan()
            .table_name(inner.table_name(table))
            .consistent_read(true)
            .projection_expression("#blob")
            .expression_attribute_names("#blob", names::VALUE_BLOB)
            .set_exclusive_start_key(start)
            .send()
            .await
            .map_err(|error| Error::aws("Scan", error))?;
        for item in page.items.unwrap_or_default() {
            if let Some(pointer) = Pointer::in_item(&Row::read(item)?.0) {
                orphans.remove(&pointer.name);
            }
        }
        start = page.last_evaluated_key;
        if start.is_none() {
            return Ok(());
        }
    }
}

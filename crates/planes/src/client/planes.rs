//! The entrance: the two tables of one prefix, and what both planes share.

use std::fmt;
use std::sync::Arc;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::ReturnValue;
use dynamometer_types::{AttributeValue, Item};
use serde::de::DeserializeOwned;

use super::blob::{self, BlobStore, Pointer};
use super::control::ControlPlane;
use super::data::DataPlane;
use super::error::Error;
use super::row::{Row, item_to_sdk, names};
use super::runtime::{Retry, Runtime, TokioRuntime};
use super::shards::Sharding;
use super::transaction::Transaction;
use super::user::{UserId, UserPlanes};
use super::value::from_value;
use super::write::{Action, Refusal, Write};
use crate::schema::Table;

/// The most bytes of an item.
const ITEM_LIMIT: u64 = 409_600;

/// The two tables of one prefix. Cheap to clone; share it freely.
#[derive(Clone, Debug)]
pub struct Planes {
    pub(crate) inner: Arc<Inner>,
}

/// What the two planes share.
pub(crate) struct Inner {
    pub(crate) client: Client,
    pub(crate) prefix: String,
    pub(crate) runtime: Arc<dyn Runtime>,
    pub(crate) sharding: Sharding,
    pub(crate) retry: Retry,
    pub(crate) blobs: Option<Arc<dyn BlobStore>>,
    inline_limit: u64,
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Planes")
            .field("prefix", &self.prefix)
            .field("sharding", &self.sharding)
            .finish_non_exhaustive()
    }
}

impl Planes {
    /// The tables `<prefix>-ControlPlaneTable` and `<prefix>-DataPlaneTable` with a constant shard, without a blob store.
    pub fn new(client: Client, prefix: impl Into<String>) -> Planes {
        Planes::builder(client, prefix).build()
    }

    /// The same, to be told more.
    pub fn builder(client: Client, prefix: impl Into<String>) -> PlanesBuilder {
        PlanesBuilder {
            inner: Inner {
                client,
                prefix: prefix.into(),
                runtime: Arc::new(TokioRuntime),
                sharding: Sharding::default(),
                retry: Retry::default(),
                blobs: None,
                inline_limit: ITEM_LIMIT,
            },
        }
    }

    /// Configuration, master data, dependencies.
    pub fn control(&self) -> ControlPlane {
        ControlPlane::new(self.inner.clone())
    }

    /// Events over time.
    pub fn data(&self) -> DataPlane {
        DataPlane::new(self.inner.clone())
    }

    /// Writes of both planes that are made all or none.
    pub fn transaction(&self) -> Transaction {
        Transaction::new(self.inner.clone())
    }

    /// What one user may read and write: a handle that cannot name anything of another.
    pub fn user(&self, user: UserId) -> UserPlanes {
        UserPlanes::new(self, user)
    }
}

/// Settings of [`Planes`].
#[derive(Debug)]
pub struct PlanesBuilder {
    inner: Inner,
}

impl PlanesBuilder {
    /// How events are spread. Constant unless said.
    #[must_use]
    pub fn sharding(mut self, sharding: Sharding) -> PlanesBuilder {
        self.inner.sharding = sharding;
        self
    }

    /// Where values go that are too large for an item. Without one they are an error.
    #[must_use]
    pub fn blobs(mut self, store: impl BlobStore) -> PlanesBuilder {
        self.inner.blobs = Some(Arc::new(store));
        self
    }

    /// The largest item in bytes whose value is kept in it: 409,600, DynamoDB's limit, unless said. A lower one makes
    /// frequent reads and writes of large items cheaper.
    #[must_use]
    pub fn inline_limit(mut self, bytes: u64) -> PlanesBuilder {
        self.inner.inline_limit = bytes.min(ITEM_LIMIT);
        self
    }

    /// How patiently is tried again what DynamoDB left undone.
    #[must_use]
    pub fn retry(mut self, retry: Retry) -> PlanesBuilder {
        self.inner.retry = retry;
        self
    }

    /// Where time, chance and waiting come from.
    #[must_use]
    pub fn runtime(mut self, runtime: impl Runtime) -> PlanesBuilder {
        self.inner.runtime = Arc::new(runtime);
        self
    }

    /// Done.
    pub fn build(self) -> Planes {
        Planes { inner: Arc::new(self.inner) }
    }
}

impl Inner {
    pub(crate) fn table_name(&self, table: &Table) -> String {
        table.full_name(&self.prefix)
    }

    /// Reads one item.
    ///
    /// # Errors
    /// What DynamoDB says.
    pub(crate) async fn get(
        &self,
        table: &'static Table,
        key: Item,
        consistent: bool,
    ) -> Result<Option<Row>, Error> {
        let answer = self
            .client
            .get_item()
            .table_name(self.table_name(table))
            .set_key(Some(item_to_sdk(key)))
            .set_consistent_read(consistent.then_some(true))
            .send()
            .await
            .map_err(|error| Error::aws("GetItem", error))?;
        answer.item.map(Row::read).transpose()
    }

    /// Makes one write; answers what the item was before, as far as it was overwritten. A value that is too large is put
    /// into the blob store first, and the blob of an overwritten item is deleted.
    ///
    /// # Errors
    /// The write's refusal, or what DynamoDB or the blob store says.
    pub(crate) async fn execute(&self, mut write: Write) -> Result<Option<Row>, Error> {
        let blob = self.move_large_value(&mut write).await?;
        let done = self.send(&write).await;
        // When an answer is lost, the SDK sends the write again. The second time meets what the first has made: it may be
        // refused because of it, or overwrite it, and the item points to the new blob all the same.
        let unused = match (&done, blob) {
            (Ok(Some(old)), blob) => Pointer::in_item(&old.0).filter(|old| blob.as_ref() != Some(old)),
            (Err(Error::Conflict { .. } | Error::AlreadyExists { .. }), Some(blob)) => {
                let met = self.get(write.table, write.key(), true).await;
                let is_used = |row: Row| Pointer::in_item(&row.0).as_ref() == Some(&blob);
                met.is_ok_and(|row| !row.is_some_and(is_used)).then_some(blob)
            }
            _ => None,
        };
        if let Some(pointer) = unused {
            self.delete_blob(&pointer).await;
        }
        done
    }

    async fn send(&self, write: &Write) -> Result<Option<Row>, Error> {
        let table = self.table_name(write.table);
        let parts = write.parts();
        let old = match write.action.clone() {
            Action::Put(item) => self
                .client
                .put_item()
                .table_name(table)
                .set_item(Some(item_to_sdk(item)))
                .set_condition_expression(parts.condition)
                .set_expression_attribute_names(parts.names)
                .set_expression_attribute_values(parts.values)
                .return_values(ReturnValue::AllOld)
                .send()
                .await
                .map(|answer| answer.attributes)
                .or_else(|error| match write.failed("PutItem", error) {
                    // The SDK sent it twice, because the answer to the first time was lost.
                    Error::AlreadyExists { .. } if write.refusal == Refusal::Ours => Ok(None),
                    error => Err(error),
                }),
            Action::Set { key, .. } => self
                .client
                .update_item()
                .table_name(table)
                .set_key(Some(item_to_sdk(key)))
                .set_update_expression(parts.update)
                .set_condition_expression(parts.condition)
                .set_expression_attribute_names(parts.names)
                .set_expression_attribute_values(parts.values)
                .return_values(ReturnValue::UpdatedOld)
                .send()
                .await
                .map(|answer| answer.attributes)
                .map_err(|error| write.failed("UpdateItem", error)),
            Action::Delete(key) => self
                .client
                .delete_item()
                .table_name(table)
                .set_key(Some(item_to_sdk(key)))
                .set_condition_expression(parts.condition)
                .set_expression_attribute_names(parts.names)
                .set_expression_attribute_values(parts.values)
                .return_values(ReturnValue::AllOld)
                .send()
                .await
                .map(|answer| answer.attributes)
                .map_err(|error| write.failed("DeleteItem", error)),
            Action::Check(_) => return Err(Error::Underspecified("a check belongs into a transaction")),
        };
        old?.map(Row::read).transpose()
    }

    /// Moves a value that makes its item too large into the blob store; answers the blob.
    ///
    /// # Errors
    /// When there is no store, or it fails.
    pub(crate) async fn move_large_value(&self, write: &mut Write) -> Result<Option<Pointer>, Error> {
        let bytes = write.item_bytes();
        if bytes <= self.inline_limit {
            return Ok(None);
        }
        let key = write.named();
        let too_large = || Error::TooLarge { key: key.clone(), bytes, limit: self.inline_limit };
        let blobs = self.blobs.as_ref().ok_or_else(too_large)?;
        let Some(body) = write.body() else { return Ok(None) };
        let value = body.remove(names::VALUE).ok_or_else(too_large)?;
        let content = blob::content(&value);
        let pointer = Pointer::to(format!("{}/{:032x}", self.prefix, self.runtime.random()), &content);
        blobs.put(&pointer.name, content).await.map_err(|source| Error::Blob { key: key.clone(), source })?;
        body.insert(names::VALUE_BLOB, pointer.to_value());
        Ok(Some(pointer))
    }

    /// Deletes a blob that no item points to. What was asked for is decided by now, so a store that fails here leaves the
    /// blob behind, as other ends do, and nothing else.
    pub(crate) async fn delete_blob(&self, pointer: &Pointer) {
        if let Some(blobs) = &self.blobs {
            let _ = blobs.delete(&pointer.name).await;
        }
    }

    /// The value of an item, from the item or from its blob.
    ///
    /// # Errors
    /// When there is none, it is of another shape, or its blob is gone or damaged.
    pub(crate) async fn value<T: DeserializeOwned>(&self, row: &mut Row) -> Result<T, Error> {
        if let Some(value) = row.0.remove(names::VALUE) {
            return from_value(value).map_err(|error| row.unfit(&error));
        }
        let Some(pointer) = Pointer::in_item(&row.0) else {
            return Err(row.malformed("it has neither a value nor a pointer to one"));
        };
        from_value(self.read_blob(row, &pointer).await?).map_err(|error| row.unfit(&error))
    }

    async fn read_blob(&self, row: &Row, pointer: &Pointer) -> Result<AttributeValue, Error> {
        let missing = || Error::BlobMissing { key: row.key(), blob: pointer.name.clone() };
        let blobs = self.blobs.as_ref().ok_or_else(|| {
            row.malformed("its value is kept as a blob, and no blob store is named with PlanesBuilder::blobs")
        })?;
        let content = blobs
            .get(&pointer.name)
            .await
            .map_err(|source| Error::Blob { key: row.key(), source })?
            .ok_or_else(missing)?;
        if !pointer.fits(&content) {
            return Err(row.malformed(format!("its blob {} is not what was written", pointer.name)));
        }
        blob::value(&content)
            .ok_or_else(|| row.malformed(format!("its blob {} is not DynamoDB's JSON", pointer.name)))
    }
}

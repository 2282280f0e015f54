//! Values that are too large for an item: kept as blobs, with a pointer in the item.
//!
//! DynamoDB takes items of at most 400 KB. When an item would be larger, its value is written to the [`BlobStore`] first
//! and the item gets `value_blob` (name, size, SHA-256) in place of `value`; readers of this crate do not notice. A blob
//! has a random name and is never changed, so an item that is visible always has its whole value.
//!
//! A blob is deleted once the write is acknowledged that overwrote or deleted its item through this crate. Blobs stay behind when
//! an item expires, when it is overwritten in a transaction or a batch (which do not tell what was there), when a process dies between
//! the two writes, when an answer is lost, or when the store fails to delete: [`Planes::sweep_blobs`](crate::Planes::sweep_blobs)
//! finds and deletes them.

mod folder;
mod json;
#[cfg(feature = "s3")]
pub(crate) mod s3;
mod sweep;

use std::future::Future;
use std::pin::Pin;

use dynamometer_types::{AttributeValue, Item, Timestamp};
use sha2::{Digest, Sha256};

pub use folder::FolderBlobs;
pub use sweep::Swept;

/// Why a blob could not be written, read or deleted: what the store says.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct BlobError {
    /// In words.
    pub message: String,
    /// The store's own error.
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl BlobError {
    /// With the store's own error.
    pub fn new(
        message: impl Into<String>,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> BlobError {
        BlobError { message: message.into(), source: Some(Box::new(source)) }
    }
}

/// What a store's methods answer: a boxed future, so that a store can be chosen at run time.
pub type BlobFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, BlobError>> + Send + 'a>>;

/// Keeps large values. Names are made by this crate of letters, digits, `-` and `/`; they hold nothing that came from
/// outside.
pub trait BlobStore: Send + Sync + 'static {
    /// Writes a blob; it must be readable, and survive what the tables survive, once this is answered.
    fn put<'a>(&'a self, name: &'a str, bytes: Vec<u8>) -> BlobFuture<'a, ()>;
    /// Reads a blob; `None` when there is none.
    fn get<'a>(&'a self, name: &'a str) -> BlobFuture<'a, Option<Vec<u8>>>;
    /// Deletes a blob. One that is not there is deleted already.
    fn delete<'a>(&'a self, name: &'a str) -> BlobFuture<'a, ()>;
    /// Lists blobs whose names begin so, in the order of their names as bytes, from the first behind a name: as many as are easily
    /// told at once, and none when there are no more.
    fn list<'a>(&'a self, prefix: &'a str, after: Option<&'a str>) -> BlobFuture<'a, Vec<StoredBlob>>;
}

/// A blob that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredBlob {
    /// Its name.
    pub name: String,
    /// When it was written, by the store's clock.
    pub written: Timestamp,
}

/// What an item holds in place of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pointer {
    /// The blob's name.
    pub(crate) name: String,
    bytes: u64,
    sha256: Vec<u8>,
}

impl Pointer {
    /// The pointer to a blob with this content.
    pub(crate) fn to(name: String, content: &[u8]) -> Pointer {
        Pointer { name, bytes: content.len() as u64, sha256: Sha256::digest(content).to_vec() }
    }

    /// Whether this is the content that was written.
    pub(crate) fn fits(&self, content: &[u8]) -> bool {
        *self == Pointer::to(self.name.clone(), content)
    }

    /// The attribute `value_blob`.
    pub(crate) fn to_value(&self) -> AttributeValue {
        let bytes = i64::try_from(self.bytes).unwrap_or(i64::MAX);
        AttributeValue::M(
            [
                ("name", AttributeValue::s(&*self.name)),
                ("bytes", AttributeValue::N(bytes.into())),
                ("sha256", AttributeValue::B(self.sha256.clone())),
            ]
            .into_iter()
            .collect(),
        )
    }

    /// Reads the attribute `value_blob`.
    pub(crate) fn from_value(value: &AttributeValue) -> Option<Pointer> {
        let AttributeValue::M(map) = value else { return None };
        let (Some(AttributeValue::S(name)), Some(AttributeValue::N(bytes)), Some(AttributeValue::B(sha256))) =
            (map.get("name"), map.get("bytes"), map.get("sha256"))
        else {
            return None;
        };
        let bytes = u64::try_from(bytes.to_i64()?).ok()?;
        Some(Pointer { name: name.to_string(), bytes, sha256: sha256.clone() })
    }

    /// The pointer in an item that has one.
    pub(crate) fn in_item(item: &Item) -> Option<Pointer> {
        Pointer::from_value(item.get(super::row::names::VALUE_BLOB)?)
    }
}

/// A value as a blob's content: DynamoDB's own JSON, which keeps every type and every digit.
pub(crate) fn content(value: &AttributeValue) -> Vec<u8> {
    json::to_json(value).to_string().into_bytes()
}

/// Reads a blob's content.
pub(crate) fn value(content: &[u8]) -> Option<AttributeValue> {
    json::from_json(serde_json::from_slice(content).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_survives_its_attribute_and_knows_its_content() {
        let pointer = Pointer::to("a/b".into(), b"content");
        assert_eq!(Pointer::from_value(&pointer.to_value()), Some(pointer.clone()));
        assert!(pointer.fits(b"content"));
        assert!(!pointer.fits(b"contenT"));
    }
}

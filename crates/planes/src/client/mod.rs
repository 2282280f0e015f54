//! The library: all but the schema, and all that needs the AWS SDK.

mod batch;
mod blob;
mod control;
mod cursor;
mod data;
mod error;
mod keys;
mod planes;
mod query;
mod row;
mod runtime;
mod shards;
mod transaction;
mod user;
mod value;
mod write;

#[cfg(feature = "s3")]
pub use blob::s3::S3Blobs;
pub use blob::{BlobError, BlobFuture, BlobStore, FolderBlobs, StoredBlob, Swept};
pub use control::{ControlPlane, Expected, Latest, Revision, Stored, Version};
pub use cursor::{Cursor, CursorError, Page, Take};
pub use data::{DataPlane, Event, Member, Once, Placed, Recorded, Span};
pub use dynamometer_types::Timestamp;
pub use error::{Cancelled, Error, Reason};
pub use keys::{EventKey, Id, KeyError, Kind, Reference, ResourceKey};
pub use planes::{Planes, PlanesBuilder};
pub use runtime::{Retry, Runtime, TokioRuntime};
pub use shards::{Sharding, Shards, shard_of};
pub use transaction::{Step, Transaction};
pub use user::{Thread, UserId, UserPlanes};
pub use value::{Decimal, ValueError, exact};

//! Blobs as objects in Amazon S3 (feature `s3`).

use aws_sdk_s3::Client;
use aws_sdk_s3::error::DisplayErrorContext;
use aws_sdk_s3::primitives::ByteStream;

use dynamometer_types::Timestamp;

use super::{BlobError, BlobFuture, BlobStore, StoredBlob};

/// Keeps blobs as objects in a bucket, under a prefix.
#[derive(Clone, Debug)]
pub struct S3Blobs {
    client: Client,
    bucket: String,
    prefix: String,
}

impl S3Blobs {
    /// Keeps them in this bucket; the prefix, such as `planes/`, goes before each name and may be empty.
    pub fn new(client: Client, bucket: impl Into<String>, prefix: impl Into<String>) -> S3Blobs {
        S3Blobs { client, bucket: bucket.into(), prefix: prefix.into() }
    }

    fn key(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn failed<E>(&self, verb: &str, name: &str, error: E) -> BlobError
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        let place = format!("s3://{}/{}", self.bucket, self.key(name));
        BlobError::new(format!("cannot {verb} {place}: {}", DisplayErrorContext(&error)), error)
    }
}

impl BlobStore for S3Blobs {
    fn put<'a>(&'a self, name: &'a str, bytes: Vec<u8>) -> BlobFuture<'a, ()> {
        let request = self.client.put_object().bucket(&self.bucket).key(self.key(name));
        let request = request.content_type("application/json").body(ByteStream::from(bytes));
        Box::pin(
            async move { request.send().await.map(drop).map_err(|error| self.failed("write", name, error)) },
        )
    }

    fn get<'a>(&'a self, name: &'a str) -> BlobFuture<'a, Option<Vec<u8>>> {
        let request = self.client.get_object().bucket(&self.bucket).key(self.key(name));
        Box::pin(async move {
            let object = match request.send().await {
                Ok(object) => object,
                Err(error) if error.as_service_error().is_some_and(|error| error.is_no_such_key()) => {
                    return Ok(None);
                }
                Err(error) => return Err(self.failed("read", name, error)),
            };
            let body = object.body.collect().await.map_err(|error| self.failed("read", name, error))?;
            Ok(Some(body.to_vec()))
        })
    }

    fn delete<'a>(&'a self, name: &'a str) -> BlobFuture<'a, ()> {
        let request = self.client.delete_object().bucket(&self.bucket).key(self.key(name));
        Box::pin(
            async move { request.send().await.map(drop).map_err(|error| self.failed("delete", name, error)) },
        )
    }

    fn list<'a>(&'a self, prefix: &'a str, after: Option<&'a str>) -> BlobFuture<'a, Vec<StoredBlob>> {
        let request = self.client.list_objects_v2().bucket(&self.bucket).prefix(self.key(prefix));
        let request = request.set_start_after(after.map(|name| self.key(name)));
        Box::pin(async move {
            let page = request.send().await.map_err(|error| self.failed("list", prefix, error))?;
            let stored = |object: aws_sdk_s3::types::Object| {
                let name = object.key?.strip_prefix(&self.prefix)?.to_owned();
                let written = object.last_modified?.to_millis().ok()?;
                Some(StoredBlob { name, written: Timestamp::from_millis(written) })
            };
            Ok(page.contents.unwrap_or_default().into_iter().filter_map(stored).collect())
        })
    }
}

//! From the ARN of a stream to the stream.

use std::sync::Arc;

use dynamometer_types::{ApiError, ErrorKind};

use crate::catalog::Stream;
use crate::context::Context;
use crate::engine::Engine;

/// `arn:aws:dynamodb:<region>:<account>:table/<name>/stream/<label>`, taken apart: region, account, name and label.
pub(super) fn parts(arn: &str) -> Option<[&str; 4]> {
    let mut parts = arn.strip_prefix("arn:aws:dynamodb:")?.splitn(3, ':');
    let (region, account) = (parts.next()?, parts.next()?);
    let mut path = parts.next()?.strip_prefix("table/")?.split('/');
    let (name, stream, label) = (path.next()?, path.next()?, path.next()?);
    (stream == "stream" && path.next().is_none()).then_some([region, account, name, label])
}

/// Refuses what is no ARN of a stream.
///
/// # Errors
/// `Validation`.
pub(super) fn check(arn: &str) -> Result<[&str; 4], ApiError> {
    parts(arn).ok_or_else(|| ApiError::validation("Invalid StreamArn"))
}

impl Engine {
    /// The stream of an ARN in the caller's database.
    ///
    /// # Errors
    /// `Validation` when it is no ARN of a stream, `ResourceNotFound`.
    pub(super) fn stream_of_arn(&self, context: &Context<'_>, arn: &str) -> Result<Arc<Stream>, ApiError> {
        let [region, account, table, label] = check(arn)?;
        let is_here = region == context.region && account == context.account;
        let version = self.catalog.version();
        let found = version.stream(context.namespace, table, label).filter(|_| is_here);
        found.cloned().ok_or_else(|| {
            let words = format!("Requested resource not found: Stream: {arn} not found");
            ApiError::new(ErrorKind::ResourceNotFound, words)
        })
    }
}

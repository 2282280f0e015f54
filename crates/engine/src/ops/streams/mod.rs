//! The operations of DynamoDB Streams.

mod arn;
mod describe_stream;
mod get_records;
mod get_shard_iterator;
mod iterator;
mod list_streams;

use dynamometer_types::{ApiError, ErrorKind};

use crate::validate::members::Rule;

/// The rules of a stream's ARN.
const STREAM_ARN: &[Rule] = &[Rule::NotNull, Rule::MinLength(37), Rule::MaxLength(1024)];
/// The rules of a shard's id, where it may be left out.
const SHARD_ID: &[Rule] = &[Rule::MinLength(28), Rule::MaxLength(65)];

/// No such shard. The words are assumed.
fn shard_not_found() -> ApiError {
    ApiError::new(ErrorKind::ResourceNotFound, "Requested resource not found: Shard does not exist")
}

/// The records asked for are gone.
fn trimmed() -> ApiError {
    ApiError::new(ErrorKind::TrimmedDataAccess, "The data you are trying to access has been trimmed")
}

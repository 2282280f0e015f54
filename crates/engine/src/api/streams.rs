//! Requests and answers of DynamoDB Streams.

use std::sync::Arc;

use dynamometer_types::Timestamp;

use super::{Given, KeySchemaElement, ShardFilterType, ShardIteratorType, StreamViewType};
use crate::streams::StreamRecord;

/// ListStreams.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct ListStreamsRequest {
    pub table_name: Option<String>,
    pub limit: Option<i32>,
    pub exclusive_start_stream_arn: Option<String>,
}

/// The answer of ListStreams.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct ListStreamsResponse {
    pub streams: Vec<StreamSummary>,
    pub last_evaluated_stream_arn: Option<String>,
}

/// A stream in a list.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct StreamSummary {
    pub stream_arn: String,
    pub table_name: String,
    pub stream_label: String,
}

/// DescribeStream.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct DescribeStreamRequest {
    pub stream_arn: Option<String>,
    pub limit: Option<i32>,
    pub exclusive_start_shard_id: Option<String>,
    pub shard_filter: Option<ShardFilter>,
}

/// Which shards are asked for.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct ShardFilter {
    pub filter_type: Option<Given<ShardFilterType>>,
    pub shard_id: Option<String>,
}

/// The answer of DescribeStream.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct DescribeStreamResponse {
    pub stream_description: StreamDescription,
}

/// A stream as DescribeStream shows it.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct StreamDescription {
    pub stream_arn: String,
    pub stream_label: String,
    pub stream_status: &'static str,
    pub stream_view_type: StreamViewType,
    pub creation_request_date_time: Timestamp,
    pub table_name: String,
    pub key_schema: Vec<KeySchemaElement>,
    pub shards: Vec<ShardDescription>,
    pub last_evaluated_shard_id: Option<String>,
}

/// A shard as DescribeStream shows it.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct ShardDescription {
    pub shard_id: String,
    pub sequence_number_range: SequenceNumberRange,
    pub parent_shard_id: Option<String>,
}

/// Where a shard begins and ends.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct SequenceNumberRange {
    pub starting_sequence_number: String,
    pub ending_sequence_number: Option<String>,
}

/// GetShardIterator.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct GetShardIteratorRequest {
    pub stream_arn: Option<String>,
    pub shard_id: Option<String>,
    pub shard_iterator_type: Option<Given<ShardIteratorType>>,
    pub sequence_number: Option<String>,
    /// Seconds since the epoch.
    pub timestamp: Option<f64>,
}

/// The answer of GetShardIterator.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct GetShardIteratorResponse {
    pub shard_iterator: String,
}

/// GetRecords.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct GetRecordsRequest {
    pub shard_iterator: Option<String>,
    pub limit: Option<i32>,
}

/// The answer of GetRecords.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct GetRecordsResponse {
    pub records: Vec<Record>,
    pub next_shard_iterator: Option<String>,
}

/// A record as GetRecords shows it.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Record {
    pub event_id: String,
    pub aws_region: Arc<str>,
    pub view_type: StreamViewType,
    /// What is below `dynamodb`, and the event.
    pub change: StreamRecord,
}

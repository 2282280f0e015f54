//! DescribeStream.

use dynamometer_types::{ApiError, Timestamp};

use super::{SHARD_ID, STREAM_ARN, shard_not_found};
use crate::api::{
    DescribeStreamRequest, DescribeStreamResponse, SequenceNumberRange, ShardDescription, StreamDescription,
};
use crate::catalog::Stream;
use crate::catalog::record::Status;
use crate::catalog::stream::{Shard, StreamRow};
use crate::context::Context;
use crate::engine::{Engine, internal_error};
use crate::ops::tables::{key_schema, text};
use crate::streams::SequenceNumber;
use crate::validate::members::{Findings, Rule};

/// Shards on a page at most, and when the request does not say.
const PAGE: i64 = 100;

impl Engine {
    /// Answers a stream's state and a page of its shards, oldest first.
    ///
    /// # Errors
    /// `Validation`; `ResourceNotFound`, also for the shard whose children are asked for.
    pub async fn describe_stream(
        &self,
        context: &Context<'_>,
        request: DescribeStreamRequest,
    ) -> Result<DescribeStreamResponse, ApiError> {
        check_members(&request)?;
        let stream = self.stream_of_arn(context, text(&request.stream_arn))?;
        let row = &stream.row;
        let asked = shards_asked_for(&stream, &request)?;
        let limit = request.limit.map_or(PAGE as usize, |limit| limit.unsigned_abs() as usize);
        let shards: Vec<ShardDescription> = asked
            .iter()
            .take(limit)
            .filter_map(|shard| self.describe_shard(&stream, shard).transpose())
            .collect::<Result<_, _>>()?;
        let last = asked.get(limit - 1).filter(|_| asked.len() > limit);
        let stream_description = StreamDescription {
            stream_arn: row.arn.clone(),
            stream_label: row.label.clone(),
            stream_status: status(row, context.now),
            stream_view_type: row.view_type,
            creation_request_date_time: Timestamp::from_millis(row.created_ms),
            table_name: row.table.clone(),
            key_schema: key_schema(&row.key_schema),
            shards,
            last_evaluated_shard_id: last.map(|shard| shard.id()),
        };
        Ok(DescribeStreamResponse { stream_description })
    }

    /// `None` when the shard's rows were trimmed a moment ago.
    fn describe_shard(&self, stream: &Stream, shard: &Shard) -> Result<Option<ShardDescription>, ApiError> {
        let ends = self.shard_ends(stream, shard.number).map_err(internal_error)?;
        let number = |at| SequenceNumber(at).to_string();
        Ok(ends.map(|ends| ShardDescription {
            shard_id: shard.id(),
            sequence_number_range: SequenceNumberRange {
                starting_sequence_number: number(ends.start),
                ending_sequence_number: ends.end.map(number),
            },
            // A parent that was trimmed is still named, as by AWS.
            parent_shard_id: shard.parent_id.clone(),
        }))
    }
}

fn check_members(request: &DescribeStreamRequest) -> Result<(), ApiError> {
    let mut findings = Findings::new();
    findings.member("streamArn", &request.stream_arn, STREAM_ARN);
    findings.member("limit", request.limit, &[Rule::MinValue(1), Rule::MaxValue(PAGE)]);
    findings.member("exclusiveStartShardId", &request.exclusive_start_shard_id, SHARD_ID);
    if let Some(filter) = &request.shard_filter {
        findings.one_of("shardFilter.type", &filter.filter_type);
        findings.member("shardFilter.shardId", &filter.shard_id, SHARD_ID);
    }
    findings.finish()
}

/// The shards behind the start that the request asks for, in the order of their ids. A start that is not there any
/// more will do.
fn shards_asked_for<'s>(
    stream: &'s Stream,
    request: &DescribeStreamRequest,
) -> Result<Vec<&'s Shard>, ApiError> {
    let parent = match &request.shard_filter {
        None => None,
        Some(filter) => match (&filter.filter_type, filter.shard_id.as_deref()) {
            (Some(_), Some(id)) => Some(stream.shard_of_id(id).ok_or_else(shard_not_found)?.number),
            _ => {
                // The words are assumed.
                let words = "ShardFilter needs a Type and, for CHILD_SHARDS, the ShardId of the parent";
                return Err(ApiError::validation(words));
            }
        },
    };
    let start = request.exclusive_start_shard_id.as_deref();
    let mut shards: Vec<&Shard> = stream.row.shards.iter().collect();
    shards.retain(|shard| parent.is_none() || shard.parent == parent);
    shards.retain(|shard| start.is_none_or(|start| shard.id().as_str() > start));
    shards.sort_by_key(|shard| shard.id());
    Ok(shards)
}

fn status(row: &StreamRow, now: Timestamp) -> &'static str {
    match row.lifecycle.status(now) {
        Status::Creating => "ENABLING",
        Status::Active | Status::Updating => "ENABLED",
        Status::Deleting => "DISABLING",
        Status::Gone => "DISABLED",
    }
}

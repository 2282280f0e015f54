//! The requests and answers of DynamoDB Streams, member by member.

use dynamometer_engine::api::{
    DescribeStreamRequest, DescribeStreamResponse, GetRecordsRequest, GetRecordsResponse,
    GetShardIteratorRequest, GetShardIteratorResponse, ListStreamsRequest, ListStreamsResponse, Record,
    SequenceNumberRange, ShardDescription, ShardFilter, StreamDescription, StreamSummary,
};
use dynamometer_engine::disk::row::CorruptRow;

use super::encode::{Encode, Object};
use super::read::Request;
use crate::{encode_struct, wire_struct};

impl Request for ListStreamsRequest {}
impl Request for DescribeStreamRequest {}
impl Request for GetShardIteratorRequest {}
impl Request for GetRecordsRequest {}

wire_struct! {
    ListStreamsRequest: "ListStreamsInput" {
        "TableName" => table_name,
        "Limit" => limit,
        "ExclusiveStartStreamArn" => exclusive_start_stream_arn,
    }
}
wire_struct! {
    DescribeStreamRequest: "DescribeStreamInput" {
        "StreamArn" => stream_arn,
        "Limit" => limit,
        "ExclusiveStartShardId" => exclusive_start_shard_id,
        "ShardFilter" => shard_filter,
    }
}
wire_struct! { ShardFilter: "ShardFilter" { "Type" => filter_type, "ShardId" => shard_id } }
wire_struct! {
    GetShardIteratorRequest: "GetShardIteratorInput" {
        "StreamArn" => stream_arn,
        "ShardId" => shard_id,
        "ShardIteratorType" => shard_iterator_type,
        "SequenceNumber" => sequence_number,
        "Timestamp" => timestamp,
    }
}
wire_struct! {
    GetRecordsRequest: "GetRecordsInput" { "ShardIterator" => shard_iterator, "Limit" => limit }
}

encode_struct! {
    ListStreamsResponse { "Streams" => streams, "LastEvaluatedStreamArn" => last_evaluated_stream_arn }
}
encode_struct! {
    StreamSummary {
        "StreamArn" => stream_arn,
        "TableName" => table_name,
        "StreamLabel" => stream_label,
    }
}
encode_struct! { DescribeStreamResponse { "StreamDescription" => stream_description } }
encode_struct! {
    StreamDescription {
        "StreamArn" => stream_arn,
        "StreamLabel" => stream_label,
        "StreamStatus" => stream_status,
        "StreamViewType" => stream_view_type,
        "CreationRequestDateTime" => creation_request_date_time,
        "TableName" => table_name,
        "KeySchema" => key_schema,
        "Shards" => shards,
        "LastEvaluatedShardId" => last_evaluated_shard_id,
    }
}
encode_struct! {
    ShardDescription {
        "ShardId" => shard_id,
        "SequenceNumberRange" => sequence_number_range,
        "ParentShardId" => parent_shard_id,
    }
}
encode_struct! {
    SequenceNumberRange {
        "StartingSequenceNumber" => starting_sequence_number,
        "EndingSequenceNumber" => ending_sequence_number,
    }
}
encode_struct! { GetShardIteratorResponse { "ShardIterator" => shard_iterator } }
encode_struct! {
    GetRecordsResponse { "Records" => records, "NextShardIterator" => next_shard_iterator }
}

/// A record as Lambda's functions get it: as GetRecords answers it, with the stream's ARN, and with `userIdentity` in other
/// letters.
///
/// # Errors
/// When a stored row is corrupt.
pub fn lambda_record(record: &Record, stream_arn: &str) -> Result<Vec<u8>, CorruptRow> {
    let mut out = Vec::with_capacity(512);
    record.write(&mut out, Some(stream_arn))?;
    Ok(out)
}

impl Encode for Record {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        self.write(out, None)
    }
}

/// How a record is written.
trait WriteRecord {
    fn write(&self, out: &mut Vec<u8>, source_arn: Option<&str>) -> Result<(), CorruptRow>;
}

impl WriteRecord for Record {
    fn write(&self, out: &mut Vec<u8>, source_arn: Option<&str>) -> Result<(), CorruptRow> {
        let change = &self.change;
        let mut record = Object::open(out);
        record.write("eventID", &self.event_id)?;
        record.write("eventName", &change.event.name())?;
        record.write("eventVersion", &"1.1")?;
        record.write("eventSource", &"aws:dynamodb")?;
        record.write("awsRegion", &self.aws_region)?;
        let mut body = Object::open(record.member("dynamodb"));
        // Whole seconds, as AWS answers here.
        body.write("ApproximateCreationDateTime", &change.created.seconds())?;
        body.write("Keys", &change.keys)?;
        body.write("NewImage", &change.new_image)?;
        body.write("OldImage", &change.old_image)?;
        body.write("SequenceNumber", &change.sequence_number.to_string())?;
        body.write("SizeBytes", &change.size_bytes)?;
        body.write("StreamViewType", &self.view_type)?;
        body.close();
        if change.by_service {
            let mut identity = Object::open(record.member("userIdentity"));
            let [principal_id, kind] =
                if source_arn.is_some() { ["principalId", "type"] } else { ["PrincipalId", "Type"] };
            identity.write(principal_id, &"dynamodb.amazonaws.com")?;
            identity.write(kind, &"Service")?;
            identity.close();
        }
        if let Some(arn) = source_arn {
            record.write("eventSourceARN", &arn)?;
        }
        record.close();
        Ok(())
    }
}

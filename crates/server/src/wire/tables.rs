//! The requests and answers of the operations on tables, tags and time to live, member by member.

use std::collections::BTreeMap;

use dynamometer_engine::api::{
    AttributeDefinition, BillingMode, BillingModeSummary, ContinuousBackupsDescription,
    ContinuousBackupsResponse, CreateTableRequest, DeleteGlobalSecondaryIndexAction, DeleteTableRequest,
    DescribeContinuousBackupsRequest, DescribeEndpointsRequest, DescribeEndpointsResponse,
    DescribeKinesisStreamingDestinationRequest, DescribeKinesisStreamingDestinationResponse,
    DescribeLimitsRequest, DescribeLimitsResponse, DescribeTableRequest, DescribeTableResponse,
    DescribeTimeToLiveRequest, DescribeTimeToLiveResponse, Endpoint, GetResourcePolicyRequest, Given,
    GlobalSecondaryIndex, GlobalSecondaryIndexDescription, GlobalSecondaryIndexUpdate, KeySchemaElement,
    KeyType, ListTablesRequest, ListTablesResponse, ListTagsOfResourceRequest, ListTagsOfResourceResponse,
    LocalSecondaryIndex, LocalSecondaryIndexDescription, OnDemandThroughput, PointInTimeRecoveryDescription,
    PointInTimeRecoverySpecification, Projection, ProjectionType, ProvisionedThroughput,
    ProvisionedThroughputDescription, ScalarAttributeType, SseDescription, SseSpecification, SseType,
    StreamSpecification, StreamViewType, TableClass, TableClassSummary, TableDescription,
    TableDescriptionResponse, Tag, TagResourceRequest, TimeToLiveDescription, TimeToLiveSpecification,
    UntagResourceRequest, UpdateContinuousBackupsRequest, UpdateGlobalSecondaryIndexAction,
    UpdateTableRequest, UpdateTimeToLiveRequest, UpdateTimeToLiveResponse, WarmThroughput,
    WarmThroughputDescription,
};
use dynamometer_engine::catalog::record::Status;
use dynamometer_engine::disk::row::CorruptRow;
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};

use super::codec::Wire;
use super::encode::Encode;
use super::read::Request;
use super::shape::{Shape, Structure};
use crate::{encode_enums, encode_struct, wire_struct};

macro_rules! table_requests {
    ($($request:ident),+ $(,)?) => {$( impl Request for $request {} )+};
}

table_requests! {
    CreateTableRequest, UpdateTableRequest, DeleteTableRequest, DescribeTableRequest, ListTablesRequest,
    DescribeLimitsRequest, DescribeEndpointsRequest, DescribeContinuousBackupsRequest, TagResourceRequest,
    UntagResourceRequest, ListTagsOfResourceRequest, UpdateTimeToLiveRequest, DescribeTimeToLiveRequest,
    UpdateContinuousBackupsRequest, DescribeKinesisStreamingDestinationRequest, GetResourcePolicyRequest,
}

wire_struct! {
    CreateTableRequest: "CreateTableInput" {
        "AttributeDefinitions" => attribute_definitions,
        "TableName" => table_name,
        "KeySchema" => key_schema,
        "LocalSecondaryIndexes" => local_secondary_indexes,
        "GlobalSecondaryIndexes" => global_secondary_indexes,
        "BillingMode" => billing_mode,
        "ProvisionedThroughput" => provisioned_throughput,
        "StreamSpecification" => stream_specification,
        "SSESpecification" => sse_specification,
        "Tags" => tags,
        "TableClass" => table_class,
        "DeletionProtectionEnabled" => deletion_protection_enabled,
        "WarmThroughput" => warm_throughput,
        "ResourcePolicy" => resource_policy,
        "OnDemandThroughput" => on_demand_throughput,
        "GlobalTableSourceArn" => global_table_source_arn,
        "GlobalTableSettingsReplicationMode" => global_table_settings_replication_mode,
        "VectorIndexes" => vector_indexes,
    }
}

wire_struct! {
    UpdateTableRequest: "UpdateTableInput" {
        "AttributeDefinitions" => attribute_definitions,
        "TableName" => table_name,
        "BillingMode" => billing_mode,
        "ProvisionedThroughput" => provisioned_throughput,
        "GlobalSecondaryIndexUpdates" => global_secondary_index_updates,
        "StreamSpecification" => stream_specification,
        "SSESpecification" => sse_specification,
        "ReplicaUpdates" => replica_updates,
        "TableClass" => table_class,
        "DeletionProtectionEnabled" => deletion_protection_enabled,
        "MultiRegionConsistency" => multi_region_consistency,
        "GlobalTableWitnessUpdates" => global_table_witness_updates,
        "OnDemandThroughput" => on_demand_throughput,
        "WarmThroughput" => warm_throughput,
        "GlobalTableSettingsReplicationMode" => global_table_settings_replication_mode,
        "DisassociationProtectionEnabled" => disassociation_protection_enabled,
        "VectorIndexUpdates" => vector_index_updates,
    }
}

wire_struct! { DeleteTableRequest: "DeleteTableInput" { "TableName" => table_name } }
wire_struct! { DescribeTableRequest: "DescribeTableInput" { "TableName" => table_name } }
wire_struct! {
    ListTablesRequest: "ListTablesInput" {
        "ExclusiveStartTableName" => exclusive_start_table_name,
        "Limit" => limit,
    }
}
/// Requests without members: any object will do.
macro_rules! empty_requests {
    ($($request:ident: $name:literal),+ $(,)?) => {$(
        impl Wire for $request {
            type Value = $request;
            const SHAPE: &'static Shape = &Shape::Structure(Structure { name: $name, members: &[] });

            fn decode<'de, D: Deserializer<'de>>(input: D, _levels: u8) -> Result<$request, D::Error> {
                BTreeMap::<String, IgnoredAny>::deserialize(input).map(|_| $request {})
            }
        }
    )+};
}

empty_requests! {
    DescribeLimitsRequest: "DescribeLimitsInput",
    DescribeEndpointsRequest: "DescribeEndpointsRequest",
}

wire_struct! {
    DescribeContinuousBackupsRequest: "DescribeContinuousBackupsInput" { "TableName" => table_name }
}
wire_struct! {
    UpdateContinuousBackupsRequest: "UpdateContinuousBackupsInput" {
        "TableName" => table_name,
        "PointInTimeRecoverySpecification" => point_in_time_recovery_specification,
    }
}
wire_struct! {
    PointInTimeRecoverySpecification: "PointInTimeRecoverySpecification" {
        "PointInTimeRecoveryEnabled" => point_in_time_recovery_enabled,
        "RecoveryPeriodInDays" => recovery_period_in_days,
    }
}
wire_struct! {
    DescribeKinesisStreamingDestinationRequest: "DescribeKinesisStreamingDestinationInput" {
        "TableName" => table_name,
    }
}
wire_struct! { GetResourcePolicyRequest: "GetResourcePolicyInput" { "ResourceArn" => resource_arn } }
wire_struct! { TagResourceRequest: "TagResourceInput" { "ResourceArn" => resource_arn, "Tags" => tags } }
wire_struct! {
    UntagResourceRequest: "UntagResourceInput" { "ResourceArn" => resource_arn, "TagKeys" => tag_keys }
}
wire_struct! {
    ListTagsOfResourceRequest: "ListTagsOfResourceInput" {
        "ResourceArn" => resource_arn,
        "NextToken" => next_token,
    }
}
wire_struct! {
    UpdateTimeToLiveRequest: "UpdateTimeToLiveInput" {
        "TableName" => table_name,
        "TimeToLiveSpecification" => time_to_live_specification,
    }
}
wire_struct! { DescribeTimeToLiveRequest: "DescribeTimeToLiveInput" { "TableName" => table_name } }

// The structures inside requests; some of them stand in answers too.

wire_struct! {
    AttributeDefinition: "AttributeDefinition" {
        "AttributeName" => attribute_name,
        "AttributeType" => attribute_type,
    }
}
encode_struct! {
    AttributeDefinition { "AttributeName" => attribute_name, "AttributeType" => attribute_type }
}

wire_struct! {
    KeySchemaElement: "KeySchemaElement" { "AttributeName" => attribute_name, "KeyType" => key_type }
}
encode_struct! { KeySchemaElement { "AttributeName" => attribute_name, "KeyType" => key_type } }

wire_struct! {
    Projection: "Projection" {
        "ProjectionType" => projection_type,
        "NonKeyAttributes" => non_key_attributes,
    }
}
encode_struct! {
    Projection { "ProjectionType" => projection_type, "NonKeyAttributes" => non_key_attributes }
}

wire_struct! {
    ProvisionedThroughput: "ProvisionedThroughput" {
        "ReadCapacityUnits" => read_capacity_units,
        "WriteCapacityUnits" => write_capacity_units,
    }
}

wire_struct! {
    OnDemandThroughput: "OnDemandThroughput" {
        "MaxReadRequestUnits" => max_read_request_units,
        "MaxWriteRequestUnits" => max_write_request_units,
    }
}
encode_struct! {
    OnDemandThroughput {
        "MaxReadRequestUnits" => max_read_request_units,
        "MaxWriteRequestUnits" => max_write_request_units,
    }
}

wire_struct! {
    WarmThroughput: "WarmThroughput" {
        "ReadUnitsPerSecond" => read_units_per_second,
        "WriteUnitsPerSecond" => write_units_per_second,
    }
}

wire_struct! {
    LocalSecondaryIndex: "LocalSecondaryIndex" {
        "IndexName" => index_name,
        "KeySchema" => key_schema,
        "Projection" => projection,
    }
}

wire_struct! {
    GlobalSecondaryIndex: "GlobalSecondaryIndex" {
        "IndexName" => index_name,
        "KeySchema" => key_schema,
        "Projection" => projection,
        "ProvisionedThroughput" => provisioned_throughput,
        "OnDemandThroughput" => on_demand_throughput,
        "WarmThroughput" => warm_throughput,
    }
}

wire_struct! {
    codec CreateGlobalSecondaryIndexAction reads GlobalSecondaryIndex: "CreateGlobalSecondaryIndexAction" {
        "IndexName" => index_name,
        "KeySchema" => key_schema,
        "Projection" => projection,
        "ProvisionedThroughput" => provisioned_throughput,
        "OnDemandThroughput" => on_demand_throughput,
        "WarmThroughput" => warm_throughput,
    }
}

wire_struct! {
    UpdateGlobalSecondaryIndexAction: "UpdateGlobalSecondaryIndexAction" {
        "IndexName" => index_name,
        "ProvisionedThroughput" => provisioned_throughput,
        "OnDemandThroughput" => on_demand_throughput,
        "WarmThroughput" => warm_throughput,
    }
}

wire_struct! {
    DeleteGlobalSecondaryIndexAction: "DeleteGlobalSecondaryIndexAction" { "IndexName" => index_name }
}

wire_struct! {
    GlobalSecondaryIndexUpdate: "GlobalSecondaryIndexUpdate" {
        "Update" => update,
        "Create" => create as CreateGlobalSecondaryIndexAction,
        "Delete" => delete,
    }
}

wire_struct! {
    StreamSpecification: "StreamSpecification" {
        "StreamEnabled" => stream_enabled,
        "StreamViewType" => stream_view_type,
    }
}
encode_struct! {
    StreamSpecification { "StreamEnabled" => stream_enabled, "StreamViewType" => stream_view_type }
}

wire_struct! {
    SseSpecification: "SSESpecification" {
        "Enabled" => enabled,
        "SSEType" => sse_type,
        "KMSMasterKeyId" => kms_master_key_id,
    }
}

wire_struct! { Tag: "Tag" { "Key" => key, "Value" => value } }
encode_struct! { Tag { "Key" => key, "Value" => value } }

wire_struct! {
    TimeToLiveSpecification: "TimeToLiveSpecification" {
        "Enabled" => enabled,
        "AttributeName" => attribute_name,
    }
}
encode_struct! { TimeToLiveSpecification { "Enabled" => enabled, "AttributeName" => attribute_name } }

// Answers.

encode_struct! { TableDescriptionResponse { "TableDescription" => table_description } }
encode_struct! { DescribeTableResponse { "Table" => table } }
encode_struct! {
    ListTablesResponse { "TableNames" => table_names, "LastEvaluatedTableName" => last_evaluated_table_name }
}
encode_struct! {
    DescribeLimitsResponse {
        "AccountMaxReadCapacityUnits" => account_max_read_capacity_units,
        "AccountMaxWriteCapacityUnits" => account_max_write_capacity_units,
        "TableMaxReadCapacityUnits" => table_max_read_capacity_units,
        "TableMaxWriteCapacityUnits" => table_max_write_capacity_units,
    }
}
encode_struct! { DescribeEndpointsResponse { "Endpoints" => endpoints } }
encode_struct! {
    Endpoint { "Address" => address, "CachePeriodInMinutes" => cache_period_in_minutes }
}
encode_struct! {
    ContinuousBackupsResponse { "ContinuousBackupsDescription" => continuous_backups_description }
}
encode_struct! {
    ContinuousBackupsDescription {
        "ContinuousBackupsStatus" => continuous_backups_status,
        "PointInTimeRecoveryDescription" => point_in_time_recovery_description,
    }
}
encode_struct! {
    PointInTimeRecoveryDescription {
        "PointInTimeRecoveryStatus" => point_in_time_recovery_status,
        "RecoveryPeriodInDays" => recovery_period_in_days,
    }
}
encode_struct! {
    DescribeKinesisStreamingDestinationResponse {
        "TableName" => table_name,
        "KinesisDataStreamDestinations" => kinesis_data_stream_destinations,
    }
}
encode_struct! { ListTagsOfResourceResponse { "Tags" => tags, "NextToken" => next_token } }
encode_struct! { UpdateTimeToLiveResponse { "TimeToLiveSpecification" => time_to_live_specification } }
encode_struct! { DescribeTimeToLiveResponse { "TimeToLiveDescription" => time_to_live_description } }
encode_struct! {
    TimeToLiveDescription { "TimeToLiveStatus" => time_to_live_status, "AttributeName" => attribute_name }
}

encode_struct! {
    TableDescription {
        "AttributeDefinitions" => attribute_definitions,
        "TableName" => table_name,
        "KeySchema" => key_schema,
        "TableStatus" => table_status,
        "CreationDateTime" => creation_date_time,
        "ProvisionedThroughput" => provisioned_throughput,
        "TableSizeBytes" => table_size_bytes,
        "ItemCount" => item_count,
        "TableArn" => table_arn,
        "TableId" => table_id,
        "BillingModeSummary" => billing_mode_summary,
        "LocalSecondaryIndexes" => local_secondary_indexes,
        "GlobalSecondaryIndexes" => global_secondary_indexes,
        "StreamSpecification" => stream_specification,
        "LatestStreamLabel" => latest_stream_label,
        "LatestStreamArn" => latest_stream_arn,
        "SSEDescription" => sse_description,
        "TableClassSummary" => table_class_summary,
        "DeletionProtectionEnabled" => deletion_protection_enabled,
        "OnDemandThroughput" => on_demand_throughput,
        "WarmThroughput" => warm_throughput,
    }
}
encode_struct! {
    ProvisionedThroughputDescription {
        "LastIncreaseDateTime" => last_increase_date_time,
        "LastDecreaseDateTime" => last_decrease_date_time,
        "NumberOfDecreasesToday" => number_of_decreases_today,
        "ReadCapacityUnits" => read_capacity_units,
        "WriteCapacityUnits" => write_capacity_units,
    }
}
encode_struct! {
    BillingModeSummary {
        "BillingMode" => billing_mode,
        "LastUpdateToPayPerRequestDateTime" => last_update_to_pay_per_request_date_time,
    }
}
encode_struct! {
    LocalSecondaryIndexDescription {
        "IndexName" => index_name,
        "KeySchema" => key_schema,
        "Projection" => projection,
        "IndexSizeBytes" => index_size_bytes,
        "ItemCount" => item_count,
        "IndexArn" => index_arn,
    }
}
encode_struct! {
    GlobalSecondaryIndexDescription {
        "IndexName" => index_name,
        "KeySchema" => key_schema,
        "Projection" => projection,
        "IndexStatus" => index_status,
        "Backfilling" => backfilling,
        "ProvisionedThroughput" => provisioned_throughput,
        "IndexSizeBytes" => index_size_bytes,
        "ItemCount" => item_count,
        "IndexArn" => index_arn,
        "OnDemandThroughput" => on_demand_throughput,
        "WarmThroughput" => warm_throughput,
    }
}
encode_struct! {
    SseDescription { "Status" => status, "SSEType" => sse_type, "KMSMasterKeyArn" => kms_master_key_arn }
}
encode_struct! {
    TableClassSummary { "TableClass" => table_class, "LastUpdateDateTime" => last_update_date_time }
}
encode_struct! {
    WarmThroughputDescription {
        "ReadUnitsPerSecond" => read_units_per_second,
        "WriteUnitsPerSecond" => write_units_per_second,
        "Status" => status,
    }
}

encode_enums! {
    Status, BillingMode, KeyType, ProjectionType, ScalarAttributeType, SseType, StreamViewType, TableClass,
}

/// An enum of a request that is answered again.
impl<T: Encode> Encode for Given<T> {
    fn encode(&self, out: &mut Vec<u8>) -> Result<(), CorruptRow> {
        match self {
            Given::Known(value) => value.encode(out),
            Given::Unknown(text) => text.encode(out),
        }
    }
}

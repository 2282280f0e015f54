//! Requests and answers of the operations on tables, their tags and their time to live.

use dynamometer_types::Timestamp;

use super::{
    BillingMode, Given, KeyType, ProjectionType, ScalarAttributeType, SseType, StreamViewType, TableClass,
};
use crate::catalog::record::Status;

/// A member of a feature that is not there yet. Only that it was sent is known; the operation refuses it by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unsupported;

/// `AttributeDefinition`.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct AttributeDefinition {
    pub attribute_name: Option<String>,
    pub attribute_type: Option<Given<ScalarAttributeType>>,
}

/// `KeySchemaElement`.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct KeySchemaElement {
    pub attribute_name: Option<String>,
    pub key_type: Option<Given<KeyType>>,
}

/// `Projection`.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Projection {
    pub projection_type: Option<Given<ProjectionType>>,
    pub non_key_attributes: Option<Vec<String>>,
}

/// `ProvisionedThroughput`, in capacity units a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ProvisionedThroughput {
    pub read_capacity_units: Option<i64>,
    pub write_capacity_units: Option<i64>,
}

/// `OnDemandThroughput`, in request units a second. Requests take -1 for "no maximum".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct OnDemandThroughput {
    pub max_read_request_units: Option<i64>,
    pub max_write_request_units: Option<i64>,
}

/// `WarmThroughput`, in units a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct WarmThroughput {
    pub read_units_per_second: Option<i64>,
    pub write_units_per_second: Option<i64>,
}

/// `LocalSecondaryIndex`.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct LocalSecondaryIndex {
    pub index_name: Option<String>,
    pub key_schema: Option<Vec<KeySchemaElement>>,
    pub projection: Option<Projection>,
}

/// `GlobalSecondaryIndex`, and the same members as `CreateGlobalSecondaryIndexAction`.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct GlobalSecondaryIndex {
    pub index_name: Option<String>,
    pub key_schema: Option<Vec<KeySchemaElement>>,
    pub projection: Option<Projection>,
    pub provisioned_throughput: Option<ProvisionedThroughput>,
    pub on_demand_throughput: Option<OnDemandThroughput>,
    pub warm_throughput: Option<WarmThroughput>,
}

/// `UpdateGlobalSecondaryIndexAction`.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct UpdateGlobalSecondaryIndexAction {
    pub index_name: Option<String>,
    pub provisioned_throughput: Option<ProvisionedThroughput>,
    pub on_demand_throughput: Option<OnDemandThroughput>,
    pub warm_throughput: Option<WarmThroughput>,
}

/// `DeleteGlobalSecondaryIndexAction`.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct DeleteGlobalSecondaryIndexAction {
    pub index_name: Option<String>,
}

/// `GlobalSecondaryIndexUpdate`: one of the three, or (as sent) several or none.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct GlobalSecondaryIndexUpdate {
    pub update: Option<UpdateGlobalSecondaryIndexAction>,
    pub create: Option<GlobalSecondaryIndex>,
    pub delete: Option<DeleteGlobalSecondaryIndexAction>,
}

/// `StreamSpecification`.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct StreamSpecification {
    pub stream_enabled: Option<bool>,
    pub stream_view_type: Option<Given<StreamViewType>>,
}

/// `SSESpecification`.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct SseSpecification {
    pub enabled: Option<bool>,
    pub sse_type: Option<Given<SseType>>,
    pub kms_master_key_id: Option<String>,
}

/// `Tag`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Tag {
    pub key: Option<String>,
    pub value: Option<String>,
}

/// CreateTable.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct CreateTableRequest {
    pub attribute_definitions: Option<Vec<AttributeDefinition>>,
    pub table_name: Option<String>,
    pub key_schema: Option<Vec<KeySchemaElement>>,
    pub local_secondary_indexes: Option<Vec<LocalSecondaryIndex>>,
    pub global_secondary_indexes: Option<Vec<GlobalSecondaryIndex>>,
    pub billing_mode: Option<Given<BillingMode>>,
    pub provisioned_throughput: Option<ProvisionedThroughput>,
    pub stream_specification: Option<StreamSpecification>,
    pub sse_specification: Option<SseSpecification>,
    pub tags: Option<Vec<Tag>>,
    pub table_class: Option<Given<TableClass>>,
    pub deletion_protection_enabled: Option<bool>,
    pub warm_throughput: Option<WarmThroughput>,
    pub resource_policy: Option<Unsupported>,
    pub on_demand_throughput: Option<OnDemandThroughput>,
    pub global_table_source_arn: Option<Unsupported>,
    pub global_table_settings_replication_mode: Option<Unsupported>,
    pub vector_indexes: Option<Unsupported>,
}

/// UpdateTable.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct UpdateTableRequest {
    pub attribute_definitions: Option<Vec<AttributeDefinition>>,
    pub table_name: Option<String>,
    pub billing_mode: Option<Given<BillingMode>>,
    pub provisioned_throughput: Option<ProvisionedThroughput>,
    pub global_secondary_index_updates: Option<Vec<GlobalSecondaryIndexUpdate>>,
    pub stream_specification: Option<StreamSpecification>,
    pub sse_specification: Option<SseSpecification>,
    pub replica_updates: Option<Unsupported>,
    pub table_class: Option<Given<TableClass>>,
    pub deletion_protection_enabled: Option<bool>,
    pub multi_region_consistency: Option<Unsupported>,
    pub global_table_witness_updates: Option<Unsupported>,
    pub on_demand_throughput: Option<OnDemandThroughput>,
    pub warm_throughput: Option<WarmThroughput>,
    pub global_table_settings_replication_mode: Option<Unsupported>,
    pub disassociation_protection_enabled: Option<Unsupported>,
    pub vector_index_updates: Option<Unsupported>,
}

/// DeleteTable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct DeleteTableRequest {
    pub table_name: Option<String>,
}

/// DescribeTable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct DescribeTableRequest {
    pub table_name: Option<String>,
}

/// The answer of CreateTable, UpdateTable and DeleteTable.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct TableDescriptionResponse {
    pub table_description: TableDescription,
}

/// The answer of DescribeTable.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct DescribeTableResponse {
    pub table: TableDescription,
}

/// `TableDescription`, with the members that the server has.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct TableDescription {
    pub attribute_definitions: Option<Vec<AttributeDefinition>>,
    pub table_name: String,
    pub key_schema: Option<Vec<KeySchemaElement>>,
    pub table_status: Status,
    pub creation_date_time: Option<Timestamp>,
    pub provisioned_throughput: ProvisionedThroughputDescription,
    pub table_size_bytes: i64,
    pub item_count: i64,
    pub table_arn: String,
    pub table_id: String,
    pub billing_mode_summary: Option<BillingModeSummary>,
    pub local_secondary_indexes: Option<Vec<LocalSecondaryIndexDescription>>,
    pub global_secondary_indexes: Option<Vec<GlobalSecondaryIndexDescription>>,
    pub stream_specification: Option<StreamSpecification>,
    pub latest_stream_label: Option<String>,
    pub latest_stream_arn: Option<String>,
    pub sse_description: Option<SseDescription>,
    pub table_class_summary: Option<TableClassSummary>,
    pub deletion_protection_enabled: bool,
    pub on_demand_throughput: Option<OnDemandThroughput>,
    pub warm_throughput: Option<WarmThroughputDescription>,
}

/// `ProvisionedThroughputDescription`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ProvisionedThroughputDescription {
    pub last_increase_date_time: Option<Timestamp>,
    pub last_decrease_date_time: Option<Timestamp>,
    pub number_of_decreases_today: i64,
    pub read_capacity_units: i64,
    pub write_capacity_units: i64,
}

/// `BillingModeSummary`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct BillingModeSummary {
    pub billing_mode: BillingMode,
    pub last_update_to_pay_per_request_date_time: Option<Timestamp>,
}

/// `LocalSecondaryIndexDescription`.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct LocalSecondaryIndexDescription {
    pub index_name: String,
    pub key_schema: Vec<KeySchemaElement>,
    pub projection: Projection,
    pub index_size_bytes: i64,
    pub item_count: i64,
    pub index_arn: String,
}

/// `GlobalSecondaryIndexDescription`.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct GlobalSecondaryIndexDescription {
    pub index_name: String,
    pub key_schema: Vec<KeySchemaElement>,
    pub projection: Projection,
    pub index_status: Status,
    pub backfilling: Option<bool>,
    pub provisioned_throughput: ProvisionedThroughputDescription,
    pub index_size_bytes: i64,
    pub item_count: i64,
    pub index_arn: String,
    pub on_demand_throughput: Option<OnDemandThroughput>,
    pub warm_throughput: Option<WarmThroughputDescription>,
}

/// `SSEDescription`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct SseDescription {
    /// `ENABLED` or `UPDATING`.
    pub status: &'static str,
    pub sse_type: Option<SseType>,
    pub kms_master_key_arn: Option<String>,
}

/// `TableClassSummary`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct TableClassSummary {
    pub table_class: TableClass,
    pub last_update_date_time: Option<Timestamp>,
}

/// `TableWarmThroughputDescription` and `GlobalSecondaryIndexWarmThroughputDescription`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct WarmThroughputDescription {
    pub read_units_per_second: i64,
    pub write_units_per_second: i64,
    pub status: Status,
}

/// ListTables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ListTablesRequest {
    pub exclusive_start_table_name: Option<String>,
    pub limit: Option<i32>,
}

/// The answer of ListTables.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ListTablesResponse {
    pub table_names: Vec<String>,
    pub last_evaluated_table_name: Option<String>,
}

/// DescribeLimits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DescribeLimitsRequest {}

/// The answer of DescribeLimits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct DescribeLimitsResponse {
    pub account_max_read_capacity_units: i64,
    pub account_max_write_capacity_units: i64,
    pub table_max_read_capacity_units: i64,
    pub table_max_write_capacity_units: i64,
}

/// DescribeEndpoints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DescribeEndpointsRequest {}

/// The answer of DescribeEndpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct DescribeEndpointsResponse {
    pub endpoints: Vec<Endpoint>,
}

/// `Endpoint`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Endpoint {
    pub address: String,
    pub cache_period_in_minutes: i64,
}

/// DescribeContinuousBackups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct DescribeContinuousBackupsRequest {
    pub table_name: Option<String>,
}

/// UpdateContinuousBackups.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct UpdateContinuousBackupsRequest {
    pub table_name: Option<String>,
    pub point_in_time_recovery_specification: Option<PointInTimeRecoverySpecification>,
}

/// `PointInTimeRecoverySpecification`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct PointInTimeRecoverySpecification {
    pub point_in_time_recovery_enabled: Option<bool>,
    pub recovery_period_in_days: Option<i32>,
}

/// The answer of DescribeContinuousBackups and UpdateContinuousBackups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ContinuousBackupsResponse {
    pub continuous_backups_description: ContinuousBackupsDescription,
}

/// `ContinuousBackupsDescription`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ContinuousBackupsDescription {
    /// `ENABLED` or `DISABLED`.
    pub continuous_backups_status: &'static str,
    pub point_in_time_recovery_description: PointInTimeRecoveryDescription,
}

/// `PointInTimeRecoveryDescription`, without the times that could be restored: none can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct PointInTimeRecoveryDescription {
    /// `ENABLED` or `DISABLED`.
    pub point_in_time_recovery_status: &'static str,
    pub recovery_period_in_days: Option<i32>,
}

/// DescribeKinesisStreamingDestination.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct DescribeKinesisStreamingDestinationRequest {
    pub table_name: Option<String>,
}

/// The answer of DescribeKinesisStreamingDestination.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct DescribeKinesisStreamingDestinationResponse {
    pub table_name: String,
    /// Always empty: none can be enabled.
    pub kinesis_data_stream_destinations: Vec<String>,
}

/// GetResourcePolicy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct GetResourcePolicyRequest {
    pub resource_arn: Option<String>,
}

/// TagResource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct TagResourceRequest {
    pub resource_arn: Option<String>,
    pub tags: Option<Vec<Tag>>,
}

/// UntagResource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct UntagResourceRequest {
    pub resource_arn: Option<String>,
    pub tag_keys: Option<Vec<String>>,
}

/// ListTagsOfResource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ListTagsOfResourceRequest {
    pub resource_arn: Option<String>,
    pub next_token: Option<String>,
}

/// The answer of ListTagsOfResource.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct ListTagsOfResourceResponse {
    pub tags: Vec<Tag>,
    pub next_token: Option<String>,
}

/// UpdateTimeToLive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct UpdateTimeToLiveRequest {
    pub table_name: Option<String>,
    pub time_to_live_specification: Option<TimeToLiveSpecification>,
}

/// `TimeToLiveSpecification`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct TimeToLiveSpecification {
    pub enabled: Option<bool>,
    pub attribute_name: Option<String>,
}

/// The answer of UpdateTimeToLive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct UpdateTimeToLiveResponse {
    pub time_to_live_specification: TimeToLiveSpecification,
}

/// DescribeTimeToLive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct DescribeTimeToLiveRequest {
    pub table_name: Option<String>,
}

/// The answer of DescribeTimeToLive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct DescribeTimeToLiveResponse {
    pub time_to_live_description: TimeToLiveDescription,
}

/// `TimeToLiveDescription`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct TimeToLiveDescription {
    /// `ENABLED` or `DISABLED`.
    pub time_to_live_status: &'static str,
    pub attribute_name: Option<String>,
}

//! The operations, one row each.

use std::future::Future;
use std::pin::Pin;

use dynamometer_engine::api::{scaling, *};
use dynamometer_engine::{Context, Engine, layer_of};
use dynamometer_types::{ApiError, ErrorKind, Layer};

use crate::wire::{Encode, ErrorForm, decode};

/// An operation of the API.
pub struct Operation {
    /// AWS's name.
    pub name: &'static str,
    /// How its service writes errors.
    pub(super) errors: ErrorForm,
    /// What answers it; `None` while it is not there.
    pub(super) handler: Option<Handler>,
}

/// Decodes a body, runs the operation and encodes its answer.
pub(super) type Handler =
    for<'a> fn(&'a Engine, &'a Context<'a>, &'a [u8]) -> Pin<Box<dyn Future<Output = Encoded> + Send + 'a>>;

/// The body of an answer, or the error.
pub(super) type Encoded = Result<Vec<u8>, ApiError>;

impl Operation {
    /// Whether the operation is there.
    pub fn is_available(&self) -> bool {
        self.handler.is_some()
    }

    /// Whether this is an operation's name.
    pub fn is_known(name: &str) -> bool {
        [DYNAMODB, STREAMS].into_iter().flatten().any(|operation| operation.name == name)
    }

    /// The operation that an `X-Amz-Target` names: `DynamoDB_20120810.GetItem`.
    pub fn of_target(target: &str) -> Option<&'static Operation> {
        let (service, name) = target.split_once('.')?;
        let operations = match service {
            "DynamoDB_20120810" => DYNAMODB,
            "DynamoDBStreams_20120810" => STREAMS,
            "AnyScaleFrontendService" => SCALING,
            _ => return None,
        };
        operations.binary_search_by(|operation| operation.name.cmp(name)).ok().map(|at| &operations[at])
    }
}

/// Rows are `Name => method(Request)` or `Name => not yet`. Which of AWS's two layers reads the operation's numbers, its
/// name tells ([`layer_of`]).
macro_rules! operations {
    ($(#[$doc:meta])* $list:ident $errors:ident {
        $($name:ident => $($method:ident)+ $(($request:ty))?,)+
    }) => {
        $(#[$doc])*
        pub const $list: &[Operation] = &[$(Operation {
            name: stringify!($name),
            errors: ErrorForm::$errors,
            handler: operations!(@handler $name $($method)+ $(, $request)?),
        }),+];
    };
    (@handler $name:ident not yet) => { None };
    (@handler $name:ident $method:ident, $request:ty) => {
        Some(|engine, context, body| Box::pin(async move {
            const LAYER: Layer = layer_of(stringify!($name));
            let request = decode::<$request>(body, LAYER)?;
            encode(&engine.$method(context, request).await?)
        }))
    };
}

fn encode(answer: &impl Encode) -> Encoded {
    let mut out = Vec::with_capacity(1024);
    match answer.encode(&mut out) {
        Ok(()) => Ok(out),
        Err(corrupt) => Err(ApiError::new(ErrorKind::InternalServerError, corrupt.to_string())),
    }
}

operations! {
    /// DynamoDB's operations, by name.
    DYNAMODB Namespaced {
        BatchExecuteStatement => batch_execute_statement(BatchExecuteStatementRequest),
        BatchGetItem => batch_get_item(BatchGetItemRequest),
        BatchWriteItem => batch_write_item(BatchWriteItemRequest),
        CancelBulkOperation => not yet,
        CreateBackup => not yet,
        CreateGlobalTable => not yet,
        CreateTable => create_table(CreateTableRequest),
        DeleteBackup => not yet,
        DeleteItem => delete_item(DeleteItemRequest),
        DeleteResourcePolicy => not yet,
        DeleteTable => delete_table(DeleteTableRequest),
        DescribeBackup => not yet,
        DescribeBulkOperation => not yet,
        DescribeContinuousBackups => describe_continuous_backups(DescribeContinuousBackupsRequest),
        DescribeContributorInsights => describe_contributor_insights(DescribeContributorInsightsRequest),
        DescribeEndpoints => describe_endpoints(DescribeEndpointsRequest),
        DescribeExport => not yet,
        DescribeGlobalTable => not yet,
        DescribeGlobalTableSettings => not yet,
        DescribeImport => not yet,
        DescribeKinesisStreamingDestination => describe_kinesis_streaming_destination(DescribeKinesisStreamingDestinationRequest),
        DescribeLimits => describe_limits(DescribeLimitsRequest),
        DescribeTable => describe_table(DescribeTableRequest),
        DescribeTableReplicaAutoScaling => not yet,
        DescribeTimeToLive => describe_time_to_live(DescribeTimeToLiveRequest),
        DisableKinesisStreamingDestination => not yet,
        EnableKinesisStreamingDestination => not yet,
        ExecuteStatement => execute_statement(ExecuteStatementRequest),
        ExecuteTransaction => execute_transaction(ExecuteTransactionRequest),
        ExportTableToPointInTime => not yet,
        GetItem => get_item(GetItemRequest),
        GetResourcePolicy => get_resource_policy(GetResourcePolicyRequest),
        ImportTable => not yet,
        ListBackups => not yet,
        ListBulkOperations => not yet,
        ListContributorInsights => list_contributor_insights(ListContributorInsightsRequest),
        ListExports => not yet,
        ListGlobalTables => not yet,
        ListImports => not yet,
        ListTables => list_tables(ListTablesRequest),
        ListTagsOfResource => list_tags_of_resource(ListTagsOfResourceRequest),
        PutItem => put_item(PutItemRequest),
        PutResourcePolicy => not yet,
        Query => query(QueryRequest),
        RestoreTableFromBackup => not yet,
        RestoreTableToPointInTime => not yet,
        Scan => scan(ScanRequest),
        SearchVectors => not yet,
        StartBulkPutItems => not yet,
        TagResource => tag_resource(TagResourceRequest),
        TransactGetItems => transact_get_items(TransactGetItemsRequest),
        TransactWriteItems => transact_write_items(TransactWriteItemsRequest),
        UntagResource => untag_resource(UntagResourceRequest),
        UpdateContinuousBackups => update_continuous_backups(UpdateContinuousBackupsRequest),
        UpdateContributorInsights => update_contributor_insights(UpdateContributorInsightsRequest),
        UpdateGlobalTable => not yet,
        UpdateGlobalTableSettings => not yet,
        UpdateItem => update_item(UpdateItemRequest),
        UpdateKinesisStreamingDestination => not yet,
        UpdateTable => update_table(UpdateTableRequest),
        UpdateTableReplicaAutoScaling => not yet,
        UpdateTimeToLive => update_time_to_live(UpdateTimeToLiveRequest),
    }
}

operations! {
    /// The operations of DynamoDB Streams, by name.
    STREAMS Namespaced {
        DescribeStream => describe_stream(DescribeStreamRequest),
        GetRecords => get_records(GetRecordsRequest),
        GetShardIterator => get_shard_iterator(GetShardIteratorRequest),
        ListStreams => list_streams(ListStreamsRequest),
    }
}

operations! {
    /// The operations of Application Auto Scaling, by name.
    SCALING Plain {
        DeleteScalingPolicy => delete_scaling_policy(scaling::DeleteScalingPolicyRequest),
        DeleteScheduledAction => delete_scheduled_action(scaling::DeleteScheduledActionRequest),
        DeregisterScalableTarget => deregister_scalable_target(scaling::DeregisterScalableTargetRequest),
        DescribeScalableTargets => describe_scalable_targets(scaling::DescribeScalableTargetsRequest),
        DescribeScalingActivities => describe_scaling_activities(scaling::DescribeScalingActivitiesRequest),
        DescribeScalingPolicies => describe_scaling_policies(scaling::DescribeScalingPoliciesRequest),
        DescribeScheduledActions => describe_scheduled_actions(scaling::DescribeScheduledActionsRequest),
        GetPredictiveScalingForecast => not yet,
        ListTagsForResource => list_tags_for_scalable_target(scaling::ListTagsForResourceRequest),
        PutScalingPolicy => put_scaling_policy(scaling::PutScalingPolicyRequest),
        PutScheduledAction => put_scheduled_action(scaling::PutScheduledActionRequest),
        RegisterScalableTarget => register_scalable_target(scaling::RegisterScalableTargetRequest),
        TagResource => tag_scalable_target(scaling::TagResourceRequest),
        UntagResource => untag_scalable_target(scaling::UntagResourceRequest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_operations_are_listed_in_order_and_found() {
        assert_eq!((DYNAMODB.len(), STREAMS.len(), SCALING.len()), (62, 4, 14));
        for (service, operations) in [
            ("DynamoDB_20120810", DYNAMODB),
            ("DynamoDBStreams_20120810", STREAMS),
            ("AnyScaleFrontendService", SCALING),
        ] {
            assert!(operations.is_sorted_by(|a, b| a.name < b.name), "{service}");
            for operation in operations {
                let found = Operation::of_target(&format!("{service}.{}", operation.name));
                assert_eq!(found.map(|found| found.name), Some(operation.name));
            }
        }
    }

    #[test]
    fn other_targets_name_nothing() {
        for target in [
            "",
            "GetItem",
            "DynamoDB_20120810.",
            "DynamoDB_20120810.getItem",
            "DynamoDB_20111205.GetItem",
            "DynamoDB_20120810.GetRecords",
            "DynamoDBStreams_20120810.GetItem",
            "AnyScaleFrontendService.GetItem",
        ] {
            assert!(Operation::of_target(target).is_none(), "{target}");
        }
    }
}

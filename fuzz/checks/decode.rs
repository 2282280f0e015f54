//! Any bytes as the body of any request: the readers must neither panic nor disagree.

use dynamometer_engine::api::{scaling, *};
use dynamometer_server::wire::{Request, decode};
use dynamometer_types::Layer;

/// Reads the input as every request there is.
pub fn check(data: &[u8]) {
    macro_rules! requests {
        ($($request:ty),+) => { $(read::<$request>(data);)+ };
    }
    requests! {
        BatchExecuteStatementRequest, BatchGetItemRequest, BatchWriteItemRequest, CreateTableRequest,
        DeleteItemRequest, DeleteTableRequest, DescribeContinuousBackupsRequest,
        DescribeContributorInsightsRequest, DescribeEndpointsRequest,
        DescribeKinesisStreamingDestinationRequest, DescribeLimitsRequest, DescribeStreamRequest,
        DescribeTableRequest, DescribeTimeToLiveRequest, ExecuteStatementRequest,
        ExecuteTransactionRequest, GetItemRequest, GetRecordsRequest, GetResourcePolicyRequest,
        GetShardIteratorRequest, ListContributorInsightsRequest, ListStreamsRequest, ListTablesRequest,
        ListTagsOfResourceRequest, PutItemRequest, QueryRequest, ScanRequest, TagResourceRequest,
        TransactGetItemsRequest, TransactWriteItemsRequest, UntagResourceRequest,
        UpdateContinuousBackupsRequest, UpdateContributorInsightsRequest, UpdateItemRequest,
        UpdateTableRequest, UpdateTimeToLiveRequest
    }
    requests! {
        scaling::DeleteScalingPolicyRequest, scaling::DeleteScheduledActionRequest,
        scaling::DeregisterScalableTargetRequest, scaling::DescribeScalableTargetsRequest,
        scaling::DescribeScalingActivitiesRequest, scaling::DescribeScalingPoliciesRequest,
        scaling::DescribeScheduledActionsRequest, scaling::ListTagsForResourceRequest,
        scaling::PutScalingPolicyRequest, scaling::PutScheduledActionRequest,
        scaling::RegisterScalableTargetRequest, scaling::TagResourceRequest, scaling::UntagResourceRequest
    }
}

fn read<R: Request + std::fmt::Debug>(data: &[u8]) {
    // White space before a body changes nothing of what it says.
    let padded = [b" ", data].concat();
    for layer in [Layer::Current, Layer::Older] {
        let (plain, padded) = (decode::<R>(data, layer), decode::<R>(&padded, layer));
        assert_eq!(format!("{plain:?}"), format!("{padded:?}"));
    }
}

//! Any bytes as the body of any request: the readers must neither panic nor disagree.

use dynamometer_engine::api::*;
use dynamometer_server::wire::{Request, decode};
use dynamometer_types::Layer;

/// Reads the input as every request there is.
pub fn check(data: &[u8]) {
    macro_rules! requests {
        ($($request:ident)+) => { $(read::<$request>(data);)+ };
    }
    requests! {
        BatchGetItemRequest BatchWriteItemRequest CreateTableRequest DeleteItemRequest DeleteTableRequest
        DescribeContinuousBackupsRequest DescribeEndpointsRequest DescribeLimitsRequest DescribeTableRequest
        DescribeTimeToLiveRequest GetItemRequest ListTablesRequest ListTagsOfResourceRequest PutItemRequest
        QueryRequest ScanRequest TagResourceRequest TransactGetItemsRequest TransactWriteItemsRequest
        UntagResourceRequest UpdateItemRequest UpdateTableRequest UpdateTimeToLiveRequest
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

//! The requests of the operations on items, member by member.

use dynamometer_engine::api::{
    BatchGetItemRequest, BatchWriteItemRequest, DeleteItemRequest, GetItemRequest, KeysAndAttributes,
    PutItemRequest, QueryRequest, ScanRequest, TransactAction, TransactGet, TransactGetItem,
    TransactGetItemsRequest, TransactWriteItem, TransactWriteItemsRequest, UpdateItemRequest, WriteRequest,
};
use dynamometer_expr::legacy::{AttributeValueUpdate, ExpectedAttributeValue, LegacyCondition};
use dynamometer_types::Item;
use dynamometer_types::fault::Faults;
use serde::Deserializer;

use super::codec::Wire;
use super::read::Request;
use super::shape::Shape;
use crate::wire_struct;

macro_rules! item_requests {
    ($($request:ident),+ $(,)?) => {$(
        impl Request for $request {
            fn set_faults(&mut self, faults: Faults) {
                self.faults = faults;
            }
        }
    )+};
}

item_requests! {
    GetItemRequest, PutItemRequest, DeleteItemRequest, UpdateItemRequest, QueryRequest, ScanRequest,
    BatchGetItemRequest, BatchWriteItemRequest, TransactGetItemsRequest, TransactWriteItemsRequest,
}

wire_struct! {
    GetItemRequest: "GetItemInput" {
        "TableName" => table_name,
        "Key" => key,
        "AttributesToGet" => attributes_to_get,
        "ConsistentRead" => consistent_read,
        "ReturnConsumedCapacity" => return_consumed_capacity,
        "ProjectionExpression" => projection_expression,
        "ExpressionAttributeNames" => expression_attribute_names,
    }
}

wire_struct! {
    PutItemRequest: "PutItemInput" {
        "TableName" => table_name,
        "Item" => item,
        "Expected" => expected,
        "ConditionalOperator" => conditional_operator,
        "ReturnValues" => return_values,
        "ReturnConsumedCapacity" => return_consumed_capacity,
        "ReturnItemCollectionMetrics" => return_item_collection_metrics,
        "ConditionExpression" => condition_expression,
        "ExpressionAttributeNames" => expression_attribute_names,
        "ExpressionAttributeValues" => expression_attribute_values,
        "ReturnValuesOnConditionCheckFailure" => return_values_on_condition_check_failure,
    }
}

wire_struct! {
    DeleteItemRequest: "DeleteItemInput" {
        "TableName" => table_name,
        "Key" => key,
        "Expected" => expected,
        "ConditionalOperator" => conditional_operator,
        "ReturnValues" => return_values,
        "ReturnConsumedCapacity" => return_consumed_capacity,
        "ReturnItemCollectionMetrics" => return_item_collection_metrics,
        "ConditionExpression" => condition_expression,
        "ExpressionAttributeNames" => expression_attribute_names,
        "ExpressionAttributeValues" => expression_attribute_values,
        "ReturnValuesOnConditionCheckFailure" => return_values_on_condition_check_failure,
    }
}

wire_struct! {
    UpdateItemRequest: "UpdateItemInput" {
        "TableName" => table_name,
        "Key" => key,
        "AttributeUpdates" => attribute_updates,
        "Expected" => expected,
        "ConditionalOperator" => conditional_operator,
        "ReturnValues" => return_values,
        "ReturnConsumedCapacity" => return_consumed_capacity,
        "ReturnItemCollectionMetrics" => return_item_collection_metrics,
        "UpdateExpression" => update_expression,
        "ConditionExpression" => condition_expression,
        "ExpressionAttributeNames" => expression_attribute_names,
        "ExpressionAttributeValues" => expression_attribute_values,
        "ReturnValuesOnConditionCheckFailure" => return_values_on_condition_check_failure,
    }
}

wire_struct! {
    QueryRequest: "QueryInput" {
        "TableName" => table_name,
        "IndexName" => index_name,
        "Select" => select,
        "AttributesToGet" => attributes_to_get,
        "Limit" => limit,
        "ConsistentRead" => consistent_read,
        "KeyConditions" => key_conditions,
        "QueryFilter" => query_filter,
        "ConditionalOperator" => conditional_operator,
        "ScanIndexForward" => scan_index_forward,
        "ExclusiveStartKey" => exclusive_start_key,
        "ReturnConsumedCapacity" => return_consumed_capacity,
        "ProjectionExpression" => projection_expression,
        "FilterExpression" => filter_expression,
        "KeyConditionExpression" => key_condition_expression,
        "ExpressionAttributeNames" => expression_attribute_names,
        "ExpressionAttributeValues" => expression_attribute_values,
    }
}

// Where a level more is allowed was measured by others on AWS (2026): ScanFilter, and what a transaction writes.
wire_struct! {
    ScanRequest: "ScanInput" {
        "TableName" => table_name,
        "IndexName" => index_name,
        "AttributesToGet" => attributes_to_get,
        "Limit" => limit,
        "Select" => select,
        "ScanFilter" => scan_filter [33 levels],
        "ConditionalOperator" => conditional_operator,
        "ExclusiveStartKey" => exclusive_start_key,
        "ReturnConsumedCapacity" => return_consumed_capacity,
        "TotalSegments" => total_segments,
        "Segment" => segment,
        "ProjectionExpression" => projection_expression,
        "FilterExpression" => filter_expression,
        "ExpressionAttributeNames" => expression_attribute_names,
        "ExpressionAttributeValues" => expression_attribute_values,
        "ConsistentRead" => consistent_read,
    }
}

wire_struct! {
    ExpectedAttributeValue: "ExpectedAttributeValue" {
        "Value" => value,
        "Exists" => exists,
        "ComparisonOperator" => comparison_operator,
        "AttributeValueList" => attribute_value_list,
    }
}

wire_struct! {
    LegacyCondition: "Condition" {
        "AttributeValueList" => attribute_value_list,
        "ComparisonOperator" => comparison_operator,
    }
}

wire_struct! {
    AttributeValueUpdate: "AttributeValueUpdate" {
        "Value" => value,
        "Action" => action,
    }
}

wire_struct! {
    BatchGetItemRequest: "BatchGetItemInput" {
        "RequestItems" => request_items,
        "ReturnConsumedCapacity" => return_consumed_capacity,
    }
}

wire_struct! {
    KeysAndAttributes: "KeysAndAttributes" {
        "Keys" => keys,
        "AttributesToGet" => attributes_to_get,
        "ConsistentRead" => consistent_read,
        "ProjectionExpression" => projection_expression,
        "ExpressionAttributeNames" => expression_attribute_names,
    }
}

wire_struct! {
    BatchWriteItemRequest: "BatchWriteItemInput" {
        "RequestItems" => request_items,
        "ReturnConsumedCapacity" => return_consumed_capacity,
        "ReturnItemCollectionMetrics" => return_item_collection_metrics,
    }
}

wire_struct! {
    WriteRequest: "WriteRequest" {
        "PutRequest" => put_request as PutRequest,
        "DeleteRequest" => delete_request as DeleteRequest,
    }
}

/// A structure with an item for its only member: `PutRequest` and `DeleteRequest`.
#[derive(Default)]
struct OneItem {
    item: Option<Item>,
}

wire_struct! { codec PutRequestBody reads OneItem: "PutRequest" { "Item" => item } }
wire_struct! { codec DeleteRequestBody reads OneItem: "DeleteRequest" { "Key" => item } }

macro_rules! one_item {
    ($($codec:ident from $body:ident),+) => {$(
        struct $codec;

        impl Wire for $codec {
            type Value = Option<Item>;
            const SHAPE: &'static Shape = $body::SHAPE;

            fn decode<'de, D: Deserializer<'de>>(input: D, levels: u8) -> Result<Option<Item>, D::Error> {
                $body::decode(input, levels).map(|body| body.item)
            }
        }
    )+};
}

one_item! { PutRequest from PutRequestBody, DeleteRequest from DeleteRequestBody }

wire_struct! {
    TransactGetItemsRequest: "TransactGetItemsInput" {
        "TransactItems" => transact_items,
        "ReturnConsumedCapacity" => return_consumed_capacity,
    }
}

wire_struct! { TransactGetItem: "TransactGetItem" { "Get" => get } }

wire_struct! {
    TransactGet: "Get" {
        "Key" => key,
        "TableName" => table_name,
        "ProjectionExpression" => projection_expression,
        "ExpressionAttributeNames" => expression_attribute_names,
    }
}

wire_struct! {
    TransactWriteItemsRequest: "TransactWriteItemsInput" {
        "TransactItems" => transact_items,
        "ReturnConsumedCapacity" => return_consumed_capacity,
        "ReturnItemCollectionMetrics" => return_item_collection_metrics,
        "ClientRequestToken" => client_request_token,
    }
}

wire_struct! {
    TransactWriteItem: "TransactWriteItem" {
        "ConditionCheck" => condition_check as TransactConditionCheck,
        "Put" => put as TransactPut,
        "Delete" => delete as TransactDelete,
        "Update" => update as TransactUpdate,
    }
}

wire_struct! {
    codec TransactConditionCheck reads TransactAction: "ConditionCheck" {
        "Key" => key,
        "TableName" => table_name,
        "ConditionExpression" => condition_expression,
        "ExpressionAttributeNames" => expression_attribute_names,
        "ExpressionAttributeValues" => expression_attribute_values [33 levels],
        "ReturnValuesOnConditionCheckFailure" => return_values_on_condition_check_failure,
    }
}

wire_struct! {
    codec TransactPut reads TransactAction: "Put" {
        "Item" => item,
        "TableName" => table_name,
        "ConditionExpression" => condition_expression,
        "ExpressionAttributeNames" => expression_attribute_names,
        "ExpressionAttributeValues" => expression_attribute_values [33 levels],
        "ReturnValuesOnConditionCheckFailure" => return_values_on_condition_check_failure,
    }
}

wire_struct! {
    codec TransactDelete reads TransactAction: "Delete" {
        "Key" => key,
        "TableName" => table_name,
        "ConditionExpression" => condition_expression,
        "ExpressionAttributeNames" => expression_attribute_names,
        "ExpressionAttributeValues" => expression_attribute_values [33 levels],
        "ReturnValuesOnConditionCheckFailure" => return_values_on_condition_check_failure,
    }
}

wire_struct! {
    codec TransactUpdate reads TransactAction: "Update" {
        "Key" => key,
        "UpdateExpression" => update_expression,
        "TableName" => table_name,
        "ConditionExpression" => condition_expression,
        "ExpressionAttributeNames" => expression_attribute_names,
        "ExpressionAttributeValues" => expression_attribute_values [33 levels],
        "ReturnValuesOnConditionCheckFailure" => return_values_on_condition_check_failure,
    }
}

//! Requests and answers of the operations on items.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use dynamometer_capacity::meter::CapacityUnits;
use dynamometer_expr::legacy::{AttributeValueUpdate, ExpectedAttributeValue, LegacyCondition};
use dynamometer_types::fault::Faults;
use dynamometer_types::{AttributeValue, Item};

use super::{
    ConditionalOperator, Given, ReturnConsumedCapacity, ReturnItemCollectionMetrics, ReturnValues,
    ReturnValuesOnConditionCheckFailure, Select,
};
use crate::disk::row::Row;

/// `ExpressionAttributeNames`: placeholders with the names they stand for, as sent.
pub type Names = Vec<(String, String)>;
/// `ExpressionAttributeValues`: placeholders with the values they stand for, as sent.
pub type Values = Vec<(String, AttributeValue)>;

/// GetItem.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct GetItemRequest {
    pub table_name: Option<String>,
    pub key: Option<Item>,
    pub attributes_to_get: Option<Vec<String>>,
    pub consistent_read: Option<bool>,
    pub return_consumed_capacity: Option<Given<ReturnConsumedCapacity>>,
    pub projection_expression: Option<String>,
    pub expression_attribute_names: Option<Names>,
    pub faults: Faults,
}

/// The answer of GetItem.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct GetItemResponse {
    pub item: Option<ItemOut>,
    pub consumed_capacity: Option<ConsumedCapacity>,
}

/// PutItem.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct PutItemRequest {
    pub table_name: Option<String>,
    pub item: Option<Item>,
    pub expected: Option<Vec<(String, ExpectedAttributeValue)>>,
    pub conditional_operator: Option<Given<ConditionalOperator>>,
    pub return_values: Option<Given<ReturnValues>>,
    pub return_consumed_capacity: Option<Given<ReturnConsumedCapacity>>,
    pub return_item_collection_metrics: Option<Given<ReturnItemCollectionMetrics>>,
    pub condition_expression: Option<String>,
    pub expression_attribute_names: Option<Names>,
    pub expression_attribute_values: Option<Values>,
    pub return_values_on_condition_check_failure: Option<Given<ReturnValuesOnConditionCheckFailure>>,
    pub faults: Faults,
}

/// DeleteItem.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct DeleteItemRequest {
    pub table_name: Option<String>,
    pub key: Option<Item>,
    pub expected: Option<Vec<(String, ExpectedAttributeValue)>>,
    pub conditional_operator: Option<Given<ConditionalOperator>>,
    pub return_values: Option<Given<ReturnValues>>,
    pub return_consumed_capacity: Option<Given<ReturnConsumedCapacity>>,
    pub return_item_collection_metrics: Option<Given<ReturnItemCollectionMetrics>>,
    pub condition_expression: Option<String>,
    pub expression_attribute_names: Option<Names>,
    pub expression_attribute_values: Option<Values>,
    pub return_values_on_condition_check_failure: Option<Given<ReturnValuesOnConditionCheckFailure>>,
    pub faults: Faults,
}

/// UpdateItem.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct UpdateItemRequest {
    pub table_name: Option<String>,
    pub key: Option<Item>,
    pub attribute_updates: Option<Vec<(String, AttributeValueUpdate)>>,
    pub expected: Option<Vec<(String, ExpectedAttributeValue)>>,
    pub conditional_operator: Option<Given<ConditionalOperator>>,
    pub return_values: Option<Given<ReturnValues>>,
    pub return_consumed_capacity: Option<Given<ReturnConsumedCapacity>>,
    pub return_item_collection_metrics: Option<Given<ReturnItemCollectionMetrics>>,
    pub update_expression: Option<String>,
    pub condition_expression: Option<String>,
    pub expression_attribute_names: Option<Names>,
    pub expression_attribute_values: Option<Values>,
    pub return_values_on_condition_check_failure: Option<Given<ReturnValuesOnConditionCheckFailure>>,
    pub faults: Faults,
}

/// The answer of PutItem, UpdateItem and DeleteItem.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct WriteItemResponse {
    pub attributes: Option<ItemOut>,
    pub consumed_capacity: Option<ConsumedCapacity>,
    pub item_collection_metrics: Option<ItemCollectionMetrics>,
}

/// Query.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct QueryRequest {
    pub table_name: Option<String>,
    pub index_name: Option<String>,
    pub select: Option<Given<Select>>,
    pub attributes_to_get: Option<Vec<String>>,
    pub limit: Option<i32>,
    pub consistent_read: Option<bool>,
    pub key_conditions: Option<Vec<(String, LegacyCondition)>>,
    pub query_filter: Option<Vec<(String, LegacyCondition)>>,
    pub conditional_operator: Option<Given<ConditionalOperator>>,
    pub scan_index_forward: Option<bool>,
    pub exclusive_start_key: Option<Item>,
    pub return_consumed_capacity: Option<Given<ReturnConsumedCapacity>>,
    pub projection_expression: Option<String>,
    pub filter_expression: Option<String>,
    pub key_condition_expression: Option<String>,
    pub expression_attribute_names: Option<Names>,
    pub expression_attribute_values: Option<Values>,
    pub faults: Faults,
}

/// Scan.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct ScanRequest {
    pub table_name: Option<String>,
    pub index_name: Option<String>,
    pub attributes_to_get: Option<Vec<String>>,
    pub limit: Option<i32>,
    pub select: Option<Given<Select>>,
    pub scan_filter: Option<Vec<(String, LegacyCondition)>>,
    pub conditional_operator: Option<Given<ConditionalOperator>>,
    pub exclusive_start_key: Option<Item>,
    pub return_consumed_capacity: Option<Given<ReturnConsumedCapacity>>,
    pub total_segments: Option<i32>,
    pub segment: Option<i32>,
    pub projection_expression: Option<String>,
    pub filter_expression: Option<String>,
    pub expression_attribute_names: Option<Names>,
    pub expression_attribute_values: Option<Values>,
    pub consistent_read: Option<bool>,
    pub faults: Faults,
}

/// The answer of Query and Scan.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct PageResponse {
    /// Absent when `Select` is `COUNT`.
    pub items: Option<Vec<ItemOut>>,
    pub count: u64,
    pub scanned_count: u64,
    pub last_evaluated_key: Option<Item>,
    pub consumed_capacity: Option<ConsumedCapacity>,
}

/// What BatchGetItem reads of one table.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct KeysAndAttributes {
    pub keys: Option<Vec<Item>>,
    pub attributes_to_get: Option<Vec<String>>,
    pub consistent_read: Option<bool>,
    pub projection_expression: Option<String>,
    pub expression_attribute_names: Option<Names>,
}

/// BatchGetItem.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct BatchGetItemRequest {
    pub request_items: Option<Vec<(String, KeysAndAttributes)>>,
    pub return_consumed_capacity: Option<Given<ReturnConsumedCapacity>>,
    pub faults: Faults,
}

/// The answer of BatchGetItem.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct BatchGetItemResponse {
    pub responses: Vec<(String, Vec<ItemOut>)>,
    pub unprocessed_keys: Vec<(String, KeysAndAttributes)>,
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
}

/// One element of BatchWriteItem: a put, a delete, or (as sent) both or neither.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct WriteRequest {
    /// `PutRequest.Item`: the outer option is the request, the inner one its item.
    pub put_request: Option<Option<Item>>,
    /// `DeleteRequest.Key`, likewise.
    pub delete_request: Option<Option<Item>>,
}

/// BatchWriteItem.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct BatchWriteItemRequest {
    pub request_items: Option<Vec<(String, Vec<WriteRequest>)>>,
    pub return_consumed_capacity: Option<Given<ReturnConsumedCapacity>>,
    pub return_item_collection_metrics: Option<Given<ReturnItemCollectionMetrics>>,
    pub faults: Faults,
}

/// The answer of BatchWriteItem.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct BatchWriteItemResponse {
    pub unprocessed_items: Vec<(String, Vec<WriteRequest>)>,
    pub item_collection_metrics: Option<Vec<(String, Vec<ItemCollectionMetrics>)>>,
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
}

/// One element of TransactGetItems.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct TransactGetItem {
    pub get: Option<TransactGet>,
}

/// The `Get` of TransactGetItems.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct TransactGet {
    pub key: Option<Item>,
    pub table_name: Option<String>,
    pub projection_expression: Option<String>,
    pub expression_attribute_names: Option<Names>,
}

/// TransactGetItems.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct TransactGetItemsRequest {
    pub transact_items: Option<Vec<TransactGetItem>>,
    pub return_consumed_capacity: Option<Given<ReturnConsumedCapacity>>,
    pub faults: Faults,
}

/// The answer of TransactGetItems.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct TransactGetItemsResponse {
    pub responses: Vec<Option<ItemOut>>,
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
}

/// One action of a transaction: a put, an update, a delete or a check. One struct serves all four, because they
/// differ only in which of the members they have.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct TransactAction {
    pub table_name: Option<String>,
    /// `Put` only.
    pub item: Option<Item>,
    /// All but `Put`.
    pub key: Option<Item>,
    /// `Update` only.
    pub update_expression: Option<String>,
    pub condition_expression: Option<String>,
    pub expression_attribute_names: Option<Names>,
    pub expression_attribute_values: Option<Values>,
    pub return_values_on_condition_check_failure: Option<Given<ReturnValuesOnConditionCheckFailure>>,
}

/// Names and values hash the same in any order: they are maps, and many clients send a map's members in another order each
/// time.
impl Hash for TransactAction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        fn sorted<T>(members: &Option<Vec<(String, T)>>) -> Option<Vec<&(String, T)>> {
            let mut members: Vec<&(String, T)> = members.as_ref()?.iter().collect();
            members.sort_by_key(|(name, _)| name);
            Some(members)
        }
        (&self.table_name, &self.item, &self.key).hash(state);
        (&self.update_expression, &self.condition_expression).hash(state);
        sorted(&self.expression_attribute_names).hash(state);
        sorted(&self.expression_attribute_values).hash(state);
        self.return_values_on_condition_check_failure.hash(state);
    }
}

/// One element of TransactWriteItems.
#[derive(Clone, Debug, Default, Hash)]
#[allow(missing_docs)]
pub struct TransactWriteItem {
    pub condition_check: Option<TransactAction>,
    pub put: Option<TransactAction>,
    pub delete: Option<TransactAction>,
    pub update: Option<TransactAction>,
}

/// TransactWriteItems.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct TransactWriteItemsRequest {
    pub transact_items: Option<Vec<TransactWriteItem>>,
    pub return_consumed_capacity: Option<Given<ReturnConsumedCapacity>>,
    pub return_item_collection_metrics: Option<Given<ReturnItemCollectionMetrics>>,
    pub client_request_token: Option<String>,
    pub faults: Faults,
}

/// The answer of TransactWriteItems.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct TransactWriteItemsResponse {
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
    pub item_collection_metrics: Option<Vec<(String, Vec<ItemCollectionMetrics>)>>,
}

/// An item in an answer: a stored row that goes out as it is, or an item that was worked on.
#[derive(Debug)]
pub enum ItemOut {
    /// A row; the server walks its bytes without decoding it first.
    Row(Row),
    /// An item.
    Item(Item),
}

/// The capacity that one request consumed on one table.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct ConsumedCapacity {
    /// As the request gave it: a name or an ARN.
    pub table_name: String,
    pub capacity_units: CapacityUnits,
    /// Present in the answers of transactions only; says whether the units are read or write units.
    pub kind: Option<CapacityKind>,
    /// The arms, for `INDEXES`.
    pub arms: Option<CapacityArms>,
}

/// Read or write units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapacityKind {
    /// `ReadCapacityUnits`.
    Read,
    /// `WriteCapacityUnits`.
    Write,
}

/// Consumed capacity by table and index.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct CapacityArms {
    pub table: CapacityUnits,
    pub local_secondary_indexes: Vec<(Arc<str>, CapacityUnits)>,
    pub global_secondary_indexes: Vec<(Arc<str>, CapacityUnits)>,
}

/// How large an item collection is, in whole gigabytes.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct ItemCollectionMetrics {
    pub item_collection_key: Item,
    pub size_estimate_range_gb: [f64; 2],
}

//! Requests and answers of the operations that take PartiQL.

use dynamometer_types::fault::Faults;
use dynamometer_types::{AttributeValue, Item};

use super::{ConsumedCapacity, Given, ItemOut, ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure};

/// ExecuteStatement.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct ExecuteStatementRequest {
    pub statement: Option<String>,
    pub parameters: Option<Vec<AttributeValue>>,
    pub consistent_read: Option<bool>,
    pub next_token: Option<String>,
    pub return_consumed_capacity: Option<Given<ReturnConsumedCapacity>>,
    pub limit: Option<i32>,
    pub return_values_on_condition_check_failure: Option<Given<ReturnValuesOnConditionCheckFailure>>,
    pub faults: Faults,
}

/// The answer of ExecuteStatement.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct ExecuteStatementResponse {
    /// Empty after a write without RETURNING.
    pub items: Vec<ItemOut>,
    pub next_token: Option<String>,
    pub consumed_capacity: Option<ConsumedCapacity>,
    /// Beside a NextToken that goes on within a partition or a scan.
    pub last_evaluated_key: Option<Item>,
}

/// One statement of BatchExecuteStatement.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct BatchStatementRequest {
    pub statement: Option<String>,
    pub parameters: Option<Vec<AttributeValue>>,
    pub consistent_read: Option<bool>,
    pub return_values_on_condition_check_failure: Option<Given<ReturnValuesOnConditionCheckFailure>>,
}

/// BatchExecuteStatement.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct BatchExecuteStatementRequest {
    pub statements: Option<Vec<BatchStatementRequest>>,
    pub return_consumed_capacity: Option<Given<ReturnConsumedCapacity>>,
    pub faults: Faults,
}

/// The answer of BatchExecuteStatement.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct BatchExecuteStatementResponse {
    pub responses: Vec<BatchStatementResponse>,
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
}

/// What became of one statement of BatchExecuteStatement.
#[derive(Debug, Default)]
#[allow(missing_docs)]
pub struct BatchStatementResponse {
    pub error: Option<BatchStatementError>,
    pub table_name: Option<String>,
    pub item: Option<ItemOut>,
}

/// Why one statement of BatchExecuteStatement failed.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct BatchStatementError {
    /// The short form: `ConditionalCheckFailed`, `ValidationError` and so on.
    pub code: &'static str,
    pub message: String,
    pub item: Option<Item>,
}

/// One statement of ExecuteTransaction.
#[derive(Clone, Debug, Default, Hash)]
#[allow(missing_docs)]
pub struct ParameterizedStatement {
    pub statement: Option<String>,
    pub parameters: Option<Vec<AttributeValue>>,
    pub return_values_on_condition_check_failure: Option<Given<ReturnValuesOnConditionCheckFailure>>,
}

/// ExecuteTransaction.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct ExecuteTransactionRequest {
    pub transact_statements: Option<Vec<ParameterizedStatement>>,
    pub client_request_token: Option<String>,
    pub return_consumed_capacity: Option<Given<ReturnConsumedCapacity>>,
    pub faults: Faults,
}

/// The answer of ExecuteTransaction.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct ExecuteTransactionResponse {
    /// One for each read; empty after writes.
    pub responses: Vec<Option<ItemOut>>,
    pub consumed_capacity: Option<Vec<ConsumedCapacity>>,
}

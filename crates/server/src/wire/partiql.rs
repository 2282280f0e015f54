//! The requests of the operations that take PartiQL, member by member.

use dynamometer_engine::api::{
    BatchExecuteStatementRequest, BatchStatementRequest, ExecuteStatementRequest, ExecuteTransactionRequest,
    ParameterizedStatement,
};
use dynamometer_types::fault::Faults;

use super::read::Request;
use crate::wire_struct;

macro_rules! statement_requests {
    ($($request:ident),+ $(,)?) => {$(
        impl Request for $request {
            fn set_faults(&mut self, faults: Faults) {
                self.faults = faults;
            }
        }
    )+};
}

statement_requests! { ExecuteStatementRequest, BatchExecuteStatementRequest, ExecuteTransactionRequest }

// That parameters may nest a level deeper than items was measured by others on AWS (2026).
wire_struct! {
    ExecuteStatementRequest: "ExecuteStatementInput" {
        "Statement" => statement,
        "Parameters" => parameters [33 levels],
        "ConsistentRead" => consistent_read,
        "NextToken" => next_token,
        "ReturnConsumedCapacity" => return_consumed_capacity,
        "Limit" => limit,
        "ReturnValuesOnConditionCheckFailure" => return_values_on_condition_check_failure,
    }
}

wire_struct! {
    BatchExecuteStatementRequest: "BatchExecuteStatementInput" {
        "Statements" => statements,
        "ReturnConsumedCapacity" => return_consumed_capacity,
    }
}

wire_struct! {
    BatchStatementRequest: "BatchStatementRequest" {
        "Statement" => statement,
        "Parameters" => parameters [33 levels],
        "ConsistentRead" => consistent_read,
        "ReturnValuesOnConditionCheckFailure" => return_values_on_condition_check_failure,
    }
}

wire_struct! {
    ExecuteTransactionRequest: "ExecuteTransactionInput" {
        "TransactStatements" => transact_statements,
        "ClientRequestToken" => client_request_token,
        "ReturnConsumedCapacity" => return_consumed_capacity,
    }
}

wire_struct! {
    ParameterizedStatement: "ParameterizedStatement" {
        "Statement" => statement,
        "Parameters" => parameters [33 levels],
        "ReturnValuesOnConditionCheckFailure" => return_values_on_condition_check_failure,
    }
}

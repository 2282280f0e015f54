//! ExecuteTransaction: all statements or none.

use std::sync::Arc;

use bytes::Bytes;
use dynamometer_capacity::meter::{Consistency, Consumption, meter_item_read};
use dynamometer_expr::partiql::{Reads, Select, Statement};
use dynamometer_store::Keyspace;
use dynamometer_types::error::Detail;
use dynamometer_types::fault::Step;
use dynamometer_types::limits::TRANSACTION_BYTES;
use dynamometer_types::size::value_size;
use dynamometer_types::{ApiError, CancellationReason};

use super::members::{check_count, check_statement};
use super::write::{Operation as WriteStatement, Write};
use super::{read, refused, selected, table_name};
use crate::Context;
use crate::api::{
    CapacityKind, ExecuteTransactionRequest, ExecuteTransactionResponse, ParameterizedStatement,
};
use crate::catalog::Table;
use crate::disk::row::Row;
use crate::engine::{Engine, internal_error};
use crate::ops::batch::has_duplicates;
use crate::ops::items::OnFailure;
use crate::ops::transactions::{
    Outcome, SAME_ITEM, Token, TokenSpace, Transaction, by_table, consumed_by_table, reason,
};
use crate::read_path::Stop;
use crate::throughput::Operation;
use crate::validate::keys::check_key;
use crate::validate::members::{Findings, Rule};
use crate::validate::values::check_values;
use crate::validate::wording::{PARTIQL, enveloped};
use crate::write_path::PlannedWrite;

/// What AWS says of a read of an index; that it says so of an EXISTS too is assumed.
const ON_INDEX: &str = "Reads on indices are not supported within transactions.";

impl Engine {
    /// ExecuteTransaction.
    ///
    /// # Errors
    /// As AWS's: `TransactionCanceledException` lists a reason for each statement; `InternalServerError` when the store
    /// fails.
    pub async fn execute_transaction(
        &self,
        context: &Context<'_>,
        request: ExecuteTransactionRequest,
    ) -> Result<ExecuteTransactionResponse, ApiError> {
        let asked = request.transact_statements.as_deref().unwrap_or_default();
        let statements = check(&request, asked)?;
        if statements.iter().all(|statement| matches!(statement, Statement::Select(_))) {
            return self.read_until_stable(|| self.read_statements(context, &request, &statements));
        }
        if statements.iter().any(|statement| matches!(statement, Statement::Select(_))) {
            return Err(ApiError::validation(
                "ExecuteTransaction API does not support both read and write operations in the same request.",
            ));
        }
        self.write_statements(context, &request, asked, &statements).await
    }

    /// The tables of the statements, each checked by what it has to be; or that some are not there.
    fn tables_of<T>(
        &self,
        context: &Context<'_>,
        statements: &[Statement],
        check: impl Fn(&Statement, &Arc<Table>) -> Result<T, ApiError>,
    ) -> Result<Vec<T>, ApiError> {
        let mut checked = Vec::with_capacity(statements.len());
        let mut missing = Vec::with_capacity(statements.len());
        for (at, statement) in statements.iter().enumerate() {
            match self.table(context, table_name(statement)) {
                // A statement on a table that is not there is not looked at any further.
                Err(error) => missing.push(Some(error)),
                Ok(table) => {
                    checked.push(check(statement, &table).map_err(|error| at_statement(at, error))?);
                    missing.push(None);
                }
            }
        }
        match missing.iter().any(Option::is_some) {
            true => Err(ApiError::transaction_canceled(missing.into_iter().map(reason).collect())),
            false => Ok(checked),
        }
    }

    fn read_statements(
        &self,
        context: &Context<'_>,
        request: &ExecuteTransactionRequest,
        statements: &[Statement],
    ) -> Result<ExecuteTransactionResponse, Stop> {
        let reads = self.tables_of(context, statements, |statement, table| {
            let Statement::Select(select) = statement else {
                return Err(internal_error("a write among reads"));
            };
            // A key that does not fit cancels the transaction.
            Ok((table.clone(), item_of(select, table)?))
        })?;
        let reads: Vec<(Arc<Table>, Bytes)> = all_or_cancelled(reads.into_iter().map(|(table, key)| {
            let key = key?;
            Ok((table, key))
        }))?;
        let mut keys: Vec<&Bytes> = reads.iter().map(|(_, key)| key).collect();
        keys.sort_unstable();
        if keys.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(ApiError::validation(SAME_ITEM).into());
        }
        let asked: Vec<(&Table, &Bytes)> = reads.iter().map(|(table, key)| (&**table, key)).collect();
        let snapshot = self.transaction_snapshot(context.now, Operation::ExecuteTransaction, &asked)?;
        let mut rows = Vec::with_capacity(reads.len());
        let mut charges = Vec::with_capacity(reads.len());
        for (table, key) in &reads {
            let row = snapshot.get(Keyspace::Items, key).map_err(internal_error)?.map(Row::from_stored);
            let size = row.as_ref().map(Row::item_size).transpose().map_err(internal_error)?;
            charges.push((&**table, key, meter_item_read(size, Consistency::Transactional)));
            rows.push(row);
        }
        self.charge_transaction_reads(context.now, Operation::ExecuteTransaction, &charges)?;
        self.note_success_of_all(
            context,
            reads.iter().map(|(table, _)| &**table),
            Operation::ExecuteTransaction,
        );
        let names: Vec<&str> = statements.iter().map(table_name).collect();
        let consumptions: Vec<(&str, Consumption)> = by_table(&names, charges.iter())
            .into_iter()
            .map(|(name, charges)| {
                let mut all = Consumption::default();
                charges.iter().for_each(|(_, _, units)| all.merge(&Consumption::of_table(*units)));
                (name, all)
            })
            .collect();
        let responses = statements.iter().zip(rows).map(|(statement, row)| match statement {
            Statement::Select(select) => selected(select, row),
            _ => Ok(None),
        });
        Ok(ExecuteTransactionResponse {
            responses: responses.collect::<Result<_, _>>()?,
            consumed_capacity: consumed_by_table(
                &request.return_consumed_capacity,
                &consumptions,
                CapacityKind::Read,
            ),
        })
    }

    async fn write_statements(
        &self,
        context: &Context<'_>,
        request: &ExecuteTransactionRequest,
        asked: &[ParameterizedStatement],
        statements: &[Statement],
    ) -> Result<ExecuteTransactionResponse, ApiError> {
        let writes = self.tables_of(context, statements, |statement, table| {
            if matches!(statement, Statement::Exists(select) if select.index.is_some()) {
                return Err(ApiError::validation(ON_INDEX));
            }
            let write = Write::of(statement, &table.key)?;
            if write.has_returning() {
                return Err(ApiError::validation("RETURNING clause is not supported in ExecuteTransaction."));
            }
            write.check_key_kinds()?;
            Ok(write)
        })?;
        let operations: Vec<_> = writes
            .iter()
            .zip(asked)
            .map(|(write, asked)| {
                let on_failure = OnFailure::asked(&asked.return_values_on_condition_check_failure);
                write.operation(on_failure, true)
            })
            .collect();
        let plan = || {
            let planned =
                writes.iter().zip(&operations).zip(statements).map(|((write, operation), statement)| {
                    let table = self.table(context, table_name(statement))?;
                    write.check_key_in_transaction()?;
                    operation.plan(&table)
                });
            let plans: Vec<PlannedWrite<'_>> = all_or_cancelled(planned)?;
            if has_duplicates(&plans) {
                return Err(ApiError::validation(SAME_ITEM));
            }
            Ok(plans)
        };
        let transaction = Transaction {
            operation: Operation::ExecuteTransactionWrite,
            replay: Operation::ExecuteTransaction,
            token: Token::of(
                context,
                TokenSpace::ExecuteTransaction,
                request.client_request_token.as_deref(),
                &asked,
            ),
            table_names: statements.iter().map(table_name).collect(),
        };
        let asked_units = &request.return_consumed_capacity;
        let outcome = self
            .transact(context, &transaction, plan)
            .await
            .map_err(|error| with_idle_deletes(error, &operations))?;
        let consumed_capacity = match outcome {
            Outcome::Replayed(consumptions) => {
                consumed_by_table(asked_units, &consumptions, CapacityKind::Read)
            }
            Outcome::Written(_, written) => {
                let consumptions: Vec<(&str, Consumption)> =
                    by_table(&transaction.table_names, written.iter())
                        .into_iter()
                        .map(|(name, written)| {
                            let mut all = Consumption::default();
                            written.iter().for_each(|written| all.merge(&written.consumption));
                            (name, all)
                        })
                        .collect();
                consumed_by_table(asked_units, &consumptions, CapacityKind::Write)
            }
        };
        Ok(ExecuteTransactionResponse { responses: Vec::new(), consumed_capacity })
    }
}

/// The stored key of the one item that a SELECT names. The inner error cancels the transaction.
fn item_of(select: &Select, table: &Table) -> Result<Result<Bytes, ApiError>, ApiError> {
    if select.index.is_some() {
        return Err(ApiError::validation(ON_INDEX));
    }
    let keyless = || {
        ApiError::validation(
            "Select statements within ExecuteTransaction must specify the primary key in the where clause.",
        )
    };
    let reads = Reads::plan(select.condition.as_ref(), &table.key).map_err(refused)?;
    reads.check_overlap().map_err(refused)?;
    let key = reads.only_item().ok_or_else(keyless)?;
    Ok(check_key(table, &key))
}

/// All of them, or the transaction is cancelled with a reason for each that failed.
fn all_or_cancelled<T>(results: impl Iterator<Item = Result<T, ApiError>>) -> Result<Vec<T>, ApiError> {
    let (mut good, mut refusals) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(one) => {
                good.push(one);
                refusals.push(None);
            }
            Err(error) => refusals.push(Some(error)),
        }
    }
    if good.len() == refusals.len() {
        return Ok(good);
    }
    let reasons: Vec<CancellationReason> = refusals.into_iter().map(reason).collect();
    Err(ApiError::transaction_canceled(reasons))
}

/// What cancels a transaction also fails the DELETEs with a condition that found no item: measured on AWS by others (2026).
fn with_idle_deletes(error: ApiError, operations: &[WriteStatement<'_>]) -> ApiError {
    let Some(Detail::CancellationReasons(reasons)) = error.detail.as_deref() else { return error };
    let told = reasons.iter().zip(operations).map(|(reason, operation)| {
        if *reason == CancellationReason::NONE && operation.found_nothing() {
            CancellationReason::new("ConditionalCheckFailed", "The conditional request failed")
        } else {
            reason.clone()
        }
    });
    ApiError::transaction_canceled(told.collect())
}

/// Says which statement it was.
fn at_statement(at: usize, mut error: ApiError) -> ApiError {
    error.message = format!("Validation failed in TransactStatements[{at}]: {}", error.message);
    error
}

/// All statements together carry 4 MB at most: their texts and their parameters. Assumed to be as for TransactWriteItems.
fn check_payload(asked: &[ParameterizedStatement]) -> Result<(), ApiError> {
    let bytes_of = |one: &ParameterizedStatement| {
        let text = one.statement.as_ref().map_or(0, String::len) as u64;
        text + one.parameters.iter().flatten().map(value_size).sum::<u64>()
    };
    if asked.iter().map(bytes_of).sum::<u64>() > TRANSACTION_BYTES {
        let message = format!("Transaction request size cannot exceed {TRANSACTION_BYTES} bytes");
        return Err(ApiError::validation(enveloped(&message)));
    }
    Ok(())
}

/// Checks all that needs the request only, and reads the statements.
fn check(
    request: &ExecuteTransactionRequest,
    asked: &[ParameterizedStatement],
) -> Result<Vec<Statement>, ApiError> {
    let mut members = Findings::new();
    if request.client_request_token.is_some() {
        let rules = [Rule::MinLength(1), Rule::MaxLength(36)];
        members.member("clientRequestToken", &request.client_request_token, &rules);
    }
    check_count(&mut members, "transactStatements", request.transact_statements.as_ref().map(Vec::len), 100);
    for (at, one) in asked.iter().enumerate() {
        let path = format!("transactStatements.{}.member", at + 1);
        let mode = &one.return_values_on_condition_check_failure;
        check_statement(&mut members, &path, mode, &one.statement, &one.parameters);
    }
    members.one_of("returnConsumedCapacity", &request.return_consumed_capacity);
    members.finish()?;
    check_values(&request.faults, &[Step::Member("TransactStatements")], PARTIQL)?;
    check_payload(asked)?;
    asked
        .iter()
        .enumerate()
        .map(|(at, one)| read(&one.statement, &one.parameters).map_err(|error| at_statement(at, error)))
        .collect()
}

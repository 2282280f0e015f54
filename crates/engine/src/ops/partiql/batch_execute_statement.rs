//! BatchExecuteStatement: statements that have nothing to do with each other.
//!
//! The writes join the store's queue one after the other, and then all are waited for at once, so that a batch is one
//! sync or a few; each stands or falls by itself.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use dynamometer_capacity::meter::{Consumption, meter_item_read};
use dynamometer_expr::partiql::{EXISTS_ONLY, Reads, Select, Statement};
use dynamometer_types::error::Detail;
use dynamometer_types::fault::Step;
use dynamometer_types::{ApiError, ErrorKind};

use super::members::{check_count, check_statement};
use super::write::Write;
use super::{read, refused, selected, table_name};
use crate::Context;
use crate::api::{
    BatchExecuteStatementRequest, BatchExecuteStatementResponse, BatchStatementError, BatchStatementRequest,
    BatchStatementResponse, ConsumedCapacity,
};
use crate::catalog::Table;
use crate::disk::row::Row;
use crate::engine::{Engine, internal_error};
use crate::ops::answer::consumed_capacity;
use crate::ops::items::OnFailure;
use crate::ops::pages::consistency;
use crate::read_path::Stop;
use crate::throughput::{Operation, cancellation_code};
use crate::validate::keys::check_key;
use crate::validate::members::Findings;
use crate::validate::values::check_values;
use crate::validate::wording::PARTIQL;
use crate::write_path::Started;

/// The most statements of a batch.
const MOST_STATEMENTS: u64 = 25;

/// A statement that can be run.
enum Prepared<'s> {
    Read { select: &'s Select, table: Arc<Table>, key: Bytes },
    Write { name: &'s str, write: Box<Write>, key: Option<Bytes> },
}

/// What became of a statement.
#[derive(Default)]
struct Done {
    response: BatchStatementResponse,
    consumption: Consumption,
}

impl Engine {
    /// BatchExecuteStatement.
    ///
    /// # Errors
    /// As AWS's, for what is wrong with the batch as a whole; `InternalServerError` when the store fails.
    pub async fn batch_execute_statement(
        &self,
        context: &Context<'_>,
        request: BatchExecuteStatementRequest,
    ) -> Result<BatchExecuteStatementResponse, ApiError> {
        check_members(&request)?;
        let asked = request.statements.as_deref().unwrap_or_default();
        let read: Vec<Result<Statement, ApiError>> =
            asked.iter().enumerate().map(|(at, one)| read_one(at, one, &request)).collect();
        check_kinds(&read)?;
        let prepared: Vec<Result<Prepared<'_>, ApiError>> = read
            .iter()
            .map(|statement| self.prepare(context, statement.as_ref().map_err(ApiError::clone)?))
            .collect();
        check_distinct(&prepared)?;
        let done = self.run_batch(context, asked, prepared).await?;
        let named = read.iter().flatten().map(table_name);
        let tables: Vec<_> = named.filter_map(|name| self.table(context, name).ok()).collect();
        self.note_success_of_all(
            context,
            tables.iter().map(|table| &**table),
            Operation::BatchExecuteStatement,
        );
        let consumed = consumed(&request, &read, &done);
        let responses = done.into_iter().map(|done| done.response).collect();
        Ok(BatchExecuteStatementResponse { responses, consumed_capacity: consumed })
    }

    /// Finds the item of a statement.
    fn prepare<'s>(&self, context: &Context<'_>, statement: &'s Statement) -> Result<Prepared<'s>, ApiError> {
        let Statement::Select(select) = statement else {
            let name = table_name(statement);
            let table = self.table(context, name)?;
            let write = Box::new(Write::of(statement, &table.key)?);
            write.check_key()?;
            let key = write.operation(OnFailure::Nothing, false).plan(&table).ok().map(|plan| plan.key);
            return Ok(Prepared::Write { name, write, key });
        };
        let (table, key) = self.find_item(context, select)?;
        Ok(Prepared::Read { select, table, key })
    }

    /// The table and the stored key of the one item that a SELECT names.
    fn find_item(&self, context: &Context<'_>, select: &Select) -> Result<(Arc<Table>, Bytes), ApiError> {
        let table = self.table(context, &select.table)?;
        let keyless = || {
            ApiError::validation(
                "Select statements within BatchExecuteStatement must specify the primary key in the where clause.",
            )
        };
        if select.index.is_some() {
            return Err(keyless());
        }
        let reads = Reads::plan(select.condition.as_ref(), &table.key).map_err(refused)?;
        reads.check_types().and_then(|()| reads.check_overlap()).map_err(refused)?;
        let item_key = reads.only_item().ok_or_else(keyless)?;
        let key = check_key(&table, &item_key)?;
        Ok((table, key))
    }

    async fn run_batch(
        &self,
        context: &Context<'_>,
        asked: &[BatchStatementRequest],
        prepared: Vec<Result<Prepared<'_>, ApiError>>,
    ) -> Result<Vec<Done>, ApiError> {
        let operations: Vec<_> = prepared
            .iter()
            .zip(asked)
            .map(|(prepared, asked)| match prepared {
                Ok(Prepared::Write { write, .. }) => {
                    let mode = OnFailure::asked(&asked.return_values_on_condition_check_failure);
                    Some(write.operation(mode, false))
                }
                _ => None,
            })
            .collect();
        let mut started: Vec<Option<Started<'_>>> = Vec::with_capacity(prepared.len());
        let mut done = Vec::with_capacity(prepared.len());
        for ((prepared, operation), asked) in prepared.iter().zip(&operations).zip(asked) {
            let (mut one, mut queued) = (Done::default(), None);
            match (prepared, operation) {
                (Err(error), _) => one.fail(error.clone())?,
                (Ok(Prepared::Read { select, table, key }), _) => {
                    let found = (Arc::clone(table), key.clone());
                    self.read_statement(context, select, found, asked, &mut one)?;
                }
                (Ok(Prepared::Write { name, .. }), Some(operation)) => {
                    one.response.table_name = Some((*name).to_owned());
                    let counted = Operation::BatchExecuteStatementWrite;
                    match self.start_one(context, counted, name, |table| operation.plan(table)) {
                        Ok((_, write)) => queued = Some(write),
                        Err(stop) => {
                            one.consumption.without_arm = stop.units();
                            one.fail(stop.into_error().await)?;
                        }
                    }
                }
                (Ok(Prepared::Write { .. }), None) => {
                    return Err(internal_error("a write without an operation"));
                }
            }
            started.push(queued);
            done.push(one);
        }
        for ((queued, one), prepared) in started.into_iter().zip(&mut done).zip(&prepared) {
            if let (Some(queued), Ok(Prepared::Write { write, .. })) = (queued, prepared) {
                let written = queued.finish_one(self).await?;
                one.consumption = written.consumption.clone();
                one.response.item = write.returned(written)?;
            }
        }
        Ok(done)
    }

    fn read_statement(
        &self,
        context: &Context<'_>,
        select: &Select,
        (mut table, mut key): (Arc<Table>, Bytes),
        asked: &BatchStatementRequest,
        done: &mut Done,
    ) -> Result<(), ApiError> {
        done.response.table_name = Some(select.table.clone());
        let consistency = consistency(asked.consistent_read == Some(true));
        let row = loop {
            match self.read_item(context.now, &table, &key, consistency) {
                Ok(row) => break row,
                Err(Stop::Failed(error)) => return Err(error),
                Err(Stop::TableChanged) => match self.find_item(context, select) {
                    Ok(found) => (table, key) = found,
                    Err(error) => return done.fail(error),
                },
            }
        };
        let size = row.as_ref().map(Row::item_size).transpose().map_err(internal_error)?;
        let units = meter_item_read(size, consistency);
        let counted = Operation::BatchExecuteStatement;
        if let Err(error) = self.charge_read(context.now, &table, counted, &key, (units, consistency)) {
            return done.fail(error);
        }
        done.consumption = Consumption::of_table(units);
        done.response.item = selected(select, row)?;
        Ok(())
    }
}

impl Done {
    /// Tells an error in the place of the statement, unless it is one of the server.
    fn fail(&mut self, error: ApiError) -> Result<(), ApiError> {
        let code = match error.kind {
            ErrorKind::InternalServerError => return Err(error),
            ErrorKind::ConditionalCheckFailed => "ConditionalCheckFailed",
            ErrorKind::DuplicateItem => "DuplicateItem",
            ErrorKind::ResourceNotFound => "ResourceNotFound",
            ErrorKind::ItemCollectionSizeLimitExceeded => "ItemCollectionSizeLimitExceeded",
            ErrorKind::TransactionConflict => "TransactionConflict",
            ErrorKind::RequestLimitExceeded => "RequestLimitExceeded",
            kind => cancellation_code(kind).unwrap_or("ValidationError"),
        };
        let item = match error.detail.map(|detail| *detail) {
            Some(Detail::Item(item)) => Some(item),
            _ => None,
        };
        self.response.error = Some(BatchStatementError { code, message: error.message, item });
        Ok(())
    }
}

/// Reads one statement of the batch; what is wrong with it concerns no other.
fn read_one(
    at: usize,
    asked: &BatchStatementRequest,
    request: &BatchExecuteStatementRequest,
) -> Result<Statement, ApiError> {
    check_values(&request.faults, &[Step::Member("Statements"), Step::Index(at)], PARTIQL)?;
    match read(&asked.statement, &asked.parameters)? {
        Statement::Exists(_) => Err(ApiError::validation(EXISTS_ONLY)),
        statement => Ok(statement),
    }
}

/// All statements that can be read are SELECTs, or none is.
fn check_kinds(read: &[Result<Statement, ApiError>]) -> Result<(), ApiError> {
    let mut kinds = read.iter().flatten().map(|statement| matches!(statement, Statement::Select(_)));
    let first = kinds.next();
    if kinds.any(|kind| Some(kind) != first) {
        return Err(ApiError::validation(
            "Read and write requests together in the same batch is not supported.",
        ));
    }
    Ok(())
}

/// No two statements are of one item.
fn check_distinct(prepared: &[Result<Prepared<'_>, ApiError>]) -> Result<(), ApiError> {
    let mut keys: Vec<&Bytes> = prepared
        .iter()
        .flatten()
        .filter_map(|prepared| match prepared {
            Prepared::Read { key, .. } => Some(key),
            Prepared::Write { key, .. } => key.as_ref(),
        })
        .collect();
    keys.sort_unstable();
    if keys.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(ApiError::validation("Provided list of item keys contains duplicates"));
    }
    Ok(())
}

fn check_members(request: &BatchExecuteStatementRequest) -> Result<(), ApiError> {
    let mut members = Findings::new();
    members.one_of("returnConsumedCapacity", &request.return_consumed_capacity);
    check_count(&mut members, "statements", request.statements.as_ref().map(Vec::len), MOST_STATEMENTS);
    for (at, one) in request.statements.iter().flatten().enumerate() {
        let path = format!("statements.{}.member", at + 1);
        let mode = &one.return_values_on_condition_check_failure;
        check_statement(&mut members, &path, mode, &one.statement, &one.parameters);
    }
    members.finish()
}

/// What the tables consumed, in the order in which the statements name them. A table without a success has no entry.
fn consumed(
    request: &BatchExecuteStatementRequest,
    read: &[Result<Statement, ApiError>],
    done: &[Done],
) -> Option<Vec<ConsumedCapacity>> {
    let mut order: Vec<&str> = Vec::new();
    let mut tables: HashMap<&str, (Consumption, bool)> = HashMap::new();
    for (statement, done) in read.iter().zip(done) {
        let Ok(statement) = statement else { continue };
        let name = table_name(statement);
        let (consumption, succeeded) = tables.entry(name).or_insert_with(|| {
            order.push(name);
            (Consumption::default(), false)
        });
        consumption.merge(&done.consumption);
        *succeeded |= done.response.error.is_none();
    }
    let asked = &request.return_consumed_capacity;
    let entry = |name: &&str| {
        let (consumption, succeeded) = tables.get(name)?;
        succeeded.then(|| consumed_capacity(asked, name, consumption, None))?
    };
    let consumed: Vec<ConsumedCapacity> = order.iter().filter_map(entry).collect();
    (!consumed.is_empty()).then_some(consumed)
}

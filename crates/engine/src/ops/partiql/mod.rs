//! ExecuteStatement, BatchExecuteStatement and ExecuteTransaction.
//!
//! A statement is parsed by [`dynamometer_expr::partiql`] into what the other operations are made of, and runs as they do:
//! a SELECT as the Query, the queries or the Scan that it stands for ([`select`]), the others as a put, an update, a
//! delete or a check ([`write`]). This folder holds only what PartiQL has of its own: which statements go together, how
//! their errors are told, and where a SELECT goes on.

mod batch_execute_statement;
mod execute_statement;
mod execute_transaction;
mod members;
mod next_token;
mod select;
mod write;

use dynamometer_expr::partiql::{Select, Statement, StatementError, parse_statement};
use dynamometer_types::{ApiError, AttributeValue};

use crate::api::ItemOut;
use crate::disk::row::Row;
use crate::ops::items::project_row;

/// Reads the statement of a request whose members were checked.
fn read(text: &Option<String>, parameters: &Option<Vec<AttributeValue>>) -> Result<Statement, ApiError> {
    let text = crate::validate::required(text)?;
    parse_statement(text, parameters.as_deref().unwrap_or_default()).map_err(refused)
}

/// A statement's fault as an operation answers it.
fn refused(error: StatementError) -> ApiError {
    ApiError::validation(error.message)
}

/// What a SELECT answers of a row; nothing when there is nothing of it.
fn selected(select: &Select, row: Option<Row>) -> Result<Option<ItemOut>, ApiError> {
    let item = row.map(|row| project_row(row, select.columns.as_ref())).transpose()?;
    Ok(item.filter(|item| !matches!(item, ItemOut::Item(item) if item.is_empty())))
}

/// The table that a statement names.
fn table_name(statement: &Statement) -> &str {
    match statement {
        Statement::Select(select) | Statement::Exists(select) => &select.table,
        Statement::Insert(insert) => &insert.table,
        Statement::Update(update) => &update.table,
        Statement::Delete(delete) => &delete.table,
    }
}

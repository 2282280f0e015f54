//! From the `TableName` of a request to its table.

use std::sync::Arc;

use dynamometer_types::name::TableReference;
use dynamometer_types::{ApiError, ErrorKind};

use crate::catalog::record::TableRecord;
use crate::catalog::{Catalog, Table};
use crate::context::Context;
use crate::validate::members::Findings;
use crate::validate::wording::enveloped;

/// The table's name in a `TableName` that may be an ARN: there, well-formed, and of this region. `findings` takes
/// what is wrong with a name, beside what the request's other members have brought.
pub(crate) fn check_name<'r>(
    context: &Context<'_>,
    table_name: &'r Option<String>,
    findings: &mut Findings,
) -> Result<&'r str, ApiError> {
    let Some(text) = table_name.as_deref() else { return Err(missing_name()) };
    let name = if text.starts_with("arn:") { arn_name(context, text)? } else { text };
    findings.table_name("tableName", table_name);
    Ok(name)
}

/// The name, when a request has no other member to check.
pub(crate) fn only_name<'r>(
    context: &Context<'_>,
    table_name: &'r Option<String>,
) -> Result<&'r str, ApiError> {
    let mut findings = Findings::new();
    let name = check_name(context, table_name, &mut findings)?;
    findings.finish()?;
    Ok(name)
}

/// What operations on tables say when there is no `TableName`.
pub(crate) fn missing_name() -> ApiError {
    ApiError::validation("The parameter 'TableName' is required but was not present in the request")
}

pub(super) fn arn_name<'r>(context: &Context<'_>, arn: &'r str) -> Result<&'r str, ApiError> {
    let wrong = |what: &str| Err(ApiError::validation(enveloped(&format!("Invalid {what} in '{arn}'"))));
    match (arn.split(':').nth(1), TableReference::read(arn)) {
        (partition, _) if partition != Some("aws") => wrong("AWS partition"),
        (_, TableReference::Arn { region, .. }) if region != context.region => wrong("AWS region"),
        // Another account's tables are not here: no name of ours is found by their ARN.
        (_, TableReference::Arn { account, name, .. }) if account != context.account => {
            Err(table_not_found(name))
        }
        (_, TableReference::Arn { name, .. }) => Ok(name),
        (_, TableReference::Name(_)) => wrong("resource type"),
    }
}

/// The table as it is now, with its catalog version; nothing when it is gone.
pub(crate) fn find(catalog: &Catalog, context: &Context<'_>, name: &str) -> Option<TableRecord> {
    catalog.table(context.namespace, name).and_then(|table| settled(&table, context))
}

/// A table's record as it is now; nothing when it is gone.
pub(crate) fn settled(table: &Arc<Table>, context: &Context<'_>) -> Option<TableRecord> {
    table.record.clone().settled(context.now)
}

/// The `ResourceNotFoundException` of the operations on tables.
pub(crate) fn table_not_found(name: &str) -> ApiError {
    let message = format!("Requested resource not found: Table: {name} not found");
    ApiError::new(ErrorKind::ResourceNotFound, message)
}
